//! Protocol of the computer-games courses and tournaments in Taiwan (TCGA, NTU), for EinStein.
//!
//! `get R 3 B1 … B6 R1 … R6` gives the side to move, the die, and the squares of Blue's and Red's
//! stones; the answer is `from to`. A square is a letter for the column and a digit for the row
//! from the top, `0` a captured stone.

use crate::clock::Clock;
use crate::session::Session;
use crate::{Action, Handler, Output, parse_seconds, split_words};
use alea_play::playable::Playable;

const BOARD_SIZE: usize = 5;
const NUM_STONES: usize = 12;
const USAGE: &str = "get takes the side, the die, six squares of Blue and six of Red: get R 3 E5 …";

#[derive(Default)]
pub(crate) struct Tcga {
    full_clock: Option<Clock>,
    clock: Option<Clock>,
    stones: usize,
}

impl Tcga {
    fn new_game<G: Playable>(&mut self, session: &mut Session<G>) -> String {
        session.start_new_game();
        (self.clock, self.stones) = (self.full_clock, NUM_STONES);
        "ok".to_owned()
    }

    fn get<G: Playable>(
        &mut self,
        session: &mut Session<G>,
        words: &[&str],
        output: &mut dyn Output,
    ) -> Result<String, String> {
        let [side, die, squares @ ..] = words else {
            return Err(USAGE.to_owned());
        };
        let is_face = matches!(*die, "1" | "2" | "3" | "4" | "5" | "6");
        if !is_face {
            return Err(format!("the die shows 1 to 6, not '{die}'"));
        }
        let position = position_text(side, squares)?;
        let stones = squares.iter().filter(|square| **square != "0").count();
        if stones > self.stones {
            // Captured stones never return: this is a new game.
            session.set_position(&position)?;
            self.clock = self.full_clock;
        } else {
            session.continue_at(&position)?;
        }
        session.set_die(die)?;
        self.stones = stones;
        let mv = session.choose_on_clock(None, &mut self.clock, output)?;
        let squares = session.format_move(mv);
        let squares = squares.chars().map(|letter| match letter.to_digit(10) {
            Some(row) => (BOARD_SIZE as u32 + 1 - row).to_string(),
            None => letter.to_uppercase().to_string(),
        });
        let squares: String = squares.collect();
        Ok(format!("{} {}", &squares[..2], &squares[2..]))
    }
}

fn position_text(side: &str, squares: &[&str]) -> Result<String, String> {
    if squares.len() != NUM_STONES {
        return Err(format!("{USAGE}; these are {} squares", squares.len()));
    }
    let mut board = [['.'; BOARD_SIZE]; BOARD_SIZE];
    for (name, square) in "abcdef123456".chars().zip(squares) {
        if *square == "0" {
            continue;
        }
        let cell = match *square.as_bytes() {
            [column, row] => {
                let column = column.to_ascii_uppercase().wrapping_sub(b'A');
                let row = board.get_mut(usize::from(row.wrapping_sub(b'1')));
                row.and_then(|row| row.get_mut(usize::from(column)))
            }
            _ => None,
        };
        match cell {
            Some(free @ '.') => *free = name,
            Some(_) => return Err(format!("two stones stand on {square}")),
            None => return Err(format!("a square is A1 to E5, or 0, not '{square}'")),
        }
    }
    let rows: Vec<String> = board.iter().map(|row| row.iter().collect()).collect();
    Ok(format!("{} {} -", rows.join("/"), side.to_lowercase()))
}

impl<G: Playable> Handler<G> for Tcga {
    const ERROR_PREFIX: &'static str = "error:";

    fn handle(
        &mut self,
        session: &mut Session<G>,
        line: &str,
        output: &mut dyn Output,
    ) -> Result<String, String> {
        match *split_words(line)? {
            ["name", ..] => Ok("Alea".to_owned()),
            ["version", ..] => Ok(env!("CARGO_PKG_VERSION").to_owned()),
            ["time_setting" | "time_settings", ref times @ ..] => {
                let time = times.first().and_then(|time| parse_seconds(time));
                let time = time.ok_or("time_setting takes the seconds of a game")?;
                self.full_clock = Some(Clock::new(time, None));
                Ok(self.new_game(session))
            }
            ["board_setting", "5", "6", "2"] | ["ini", ..] => Ok(self.new_game(session)),
            ["board_setting", ..] => Err("boards are 5 6 2: squares, stones, players".to_owned()),
            ["get", ref words @ ..] => self.get(session, words, output),
            ["stop"] => Ok("ok".to_owned()),
            ["exit" | "quit", ..] => {
                session.action = Action::Quit;
                Ok(String::new())
            }
            [] => Ok(String::new()),
            _ => Err("name, version, time_setting, board_setting, ini, get, exit".to_owned()),
        }
    }
}
