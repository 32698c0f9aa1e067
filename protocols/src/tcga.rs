//! The protocol of the computer-games courses and tournaments in Taiwan (TCGA, NTU), for EinStein.
//!
//! `get R 3 B1 … B6 R1 … R6` names the side to move, the die, and the squares of Blue's and of Red's
//! stones; the answer is `from to`. A square is a letter for the column from the left and a figure for
//! the row from the top, `0` a captured stone. Invariant: every request but `exit` is answered by one
//! line; what is wrong begins with `error`.

use crate::clock::Clock;
use crate::session::Session;
use crate::{Answers, Next, Outside, ProtocolGame, seconds, words};

/// Columns and rows of the board.
const SIDE: usize = 5;
/// Stones of both sides.
const STONES: usize = 12;
const USAGE: &str = "get takes the side, the die, six squares of Blue and six of Red: get R 3 E5 …";

#[derive(Default)]
pub(crate) struct Tcga {
    /// Of a whole game, if that was said.
    time: Option<Clock>,
    clock: Option<Clock>,
    /// Stones on the board when we were asked last.
    stones: usize,
}

impl Tcga {
    fn begin(&mut self) -> String {
        self.clock = self.time;
        "ok".to_owned()
    }

    fn get<G: ProtocolGame>(
        &mut self,
        session: &mut Session<G>,
        words: &[&str],
        outside: &mut dyn Outside,
    ) -> Result<String, String> {
        let [side, die, squares @ ..] = words else {
            return Err(USAGE.to_owned());
        };
        let die = die
            .parse()
            .map_err(|_| format!("the die shows 1 to 6, not '{die}'"))?;
        session.set_position(&position(side, squares)?)?;
        session.set_die(die)?;
        let stones = squares.iter().filter(|square| **square != "0").count();
        if stones > self.stones {
            // No game has more stones than it had: this is another one.
            self.begin();
        }
        self.stones = stones;
        let mv = session.think_on(None, &mut self.clock, outside)?;
        // Our rows count from the bottom.
        let theirs = mv.chars().map(|sign| match sign.to_digit(10) {
            Some(row) => (SIDE as u32 + 1 - row).to_string(),
            None => sign.to_uppercase().to_string(),
        });
        let theirs: String = theirs.collect();
        Ok(format!("{} {}", &theirs[..2], &theirs[2..]))
    }
}

/// The position of a request in our notation.
fn position(side: &str, squares: &[&str]) -> Result<String, String> {
    if squares.len() != STONES {
        return Err(format!("{USAGE}; these are {} squares", squares.len()));
    }
    let mut board = [['.'; SIDE]; SIDE];
    for (name, square) in "abcdef123456".chars().zip(squares) {
        if *square == "0" {
            continue;
        }
        let place = match *square.as_bytes() {
            [column, row] => {
                let column = column.to_ascii_uppercase().wrapping_sub(b'A');
                let row = board.get_mut(usize::from(row.wrapping_sub(b'1')));
                row.and_then(|row| row.get_mut(usize::from(column)))
            }
            _ => None,
        };
        match place {
            Some(free @ '.') => *free = name,
            Some(_) => return Err(format!("two stones stand on {square}")),
            None => return Err(format!("a square is A1 to E5, or 0, not '{square}'")),
        }
    }
    let rows: Vec<String> = board.iter().map(|row| row.iter().collect()).collect();
    Ok(format!("{} {} -", rows.join("/"), side.to_lowercase()))
}

impl<G: ProtocolGame> Answers<G> for Tcga {
    const PROBLEM: &'static str = "error:";

    fn answer(
        &mut self,
        session: &mut Session<G>,
        line: &str,
        outside: &mut dyn Outside,
    ) -> Result<String, String> {
        match *words(line)? {
            ["name", ..] => Ok("Alea".to_owned()),
            ["version", ..] => Ok(env!("CARGO_PKG_VERSION").to_owned()),
            ["time_setting" | "time_settings", ref times @ ..] => {
                let time = times.first().and_then(|time| seconds(time));
                let time = time.ok_or("time_setting takes the seconds of a game")?;
                self.time = Some(Clock::new(time, None));
                Ok(self.begin())
            }
            ["board_setting", "5", "6", "2"] | ["ini", ..] => Ok(self.begin()),
            ["board_setting", ..] => Err("boards are 5 6 2: squares, stones, players".to_owned()),
            ["get", ref words @ ..] => self.get(session, words, outside),
            // By then the search that it came to end has ended.
            ["stop"] => Ok("ok".to_owned()),
            ["exit" | "quit", ..] => {
                session.next = Next::End;
                Ok(String::new())
            }
            [] => Ok(String::new()),
            _ => Err("name, version, time_setting, board_setting, ini, get, exit".to_owned()),
        }
    }
}
