//! The protocol of the computer-games courses and tournaments in Taiwan (TCGA, NTU), for EinStein.
//!
//! `get R 3 B1 … B6 R1 … R6` names the side to move, the die, and the squares of Blue's and of Red's
//! stones; the answer is `from to`. A square is a letter for the column from the left and a figure for
//! the row from the top, `0` a captured stone. Invariant: every request but `exit` is answered by one
//! line; what is wrong begins with `error`.

use crate::clock::Clock;
use crate::protocol::{Outside, Protocol, not_too_long, one_line};
use crate::session::{Refusal, Session};
use std::time::{Duration, Instant};

/// Columns and rows of the board.
const SIDE: usize = 5;
/// Stones of a side.
const STONES: usize = 6;

/// A conversation.
pub struct Tcga {
    session: Box<dyn Session>,
    /// Seconds of a whole game, if they were said, and what is left of them.
    time: Option<(Duration, Clock)>,
    /// Stones on the board when we were asked last.
    stones: usize,
}

impl Tcga {
    /// A conversation about a session of EinStein.
    #[must_use]
    pub fn new(session: Box<dyn Session>) -> Self {
        Self {
            session,
            time: None,
            stones: 0,
        }
    }

    fn begin(&mut self) -> String {
        self.stones = 0;
        if let Some((whole, clock)) = &mut self.time {
            *clock = Clock::new(*whole, Duration::ZERO, 0);
        }
        "ok".to_owned()
    }

    fn set_time(&mut self, words: &[&str]) -> Result<String, Refusal> {
        let seconds = words.first().and_then(|word| word.parse().ok());
        let seconds = seconds.filter(|seconds| (0.0..=1e7).contains(seconds));
        let seconds = seconds.ok_or("time_setting takes the seconds of a game")?;
        let whole = Duration::from_secs_f64(seconds);
        self.time = Some((whole, Clock::new(whole, Duration::ZERO, 0)));
        Ok(self.begin())
    }

    /// The move of a `get`.
    fn get(&mut self, words: &[&str]) -> Result<String, Refusal> {
        let began = Instant::now();
        let [side, die, squares @ ..] = words else {
            return Err(USAGE.to_owned());
        };
        let (position, stones) = position(side, squares)?;
        let die = die
            .parse()
            .map_err(|_| format!("the die shows 1 to 6, not '{die}'"))?;
        self.session.set_position(&position)?;
        self.session.set_die(die)?;
        if stones > self.stones {
            // There are more stones than before in no game: it is another one.
            self.begin();
        }
        self.stones = stones;
        let left = self.session.moves_left();
        let share = self.time.as_ref().map(|(_, clock)| clock.share(left));
        let choice = self.session.think(share)?;
        if let Some((_, clock)) = &mut self.time {
            clock.spend(began.elapsed());
        }
        let (from, to) = choice.mv.split_at(2);
        Ok(format!("{} {}", theirs(from), theirs(to)))
    }
}

const USAGE: &str =
    "get takes the side, the die, six squares of Blue and six of Red: get R 3 E5 D5 …";

/// The position of a request in our notation, and how many stones stand on it.
fn position(side: &str, squares: &[&str]) -> Result<(String, usize), Refusal> {
    let side = match side {
        "R" | "r" => 'r',
        "B" | "b" => 'b',
        other => return Err(format!("the side to move is R or B, not '{other}'")),
    };
    if squares.len() != 2 * STONES {
        return Err(format!("{USAGE}; these are {} squares", squares.len()));
    }
    let mut board = [['.'; SIDE]; SIDE];
    let (blue, red) = squares.split_at(STONES);
    let mut stones = 0;
    for (first, squares) in [('a', blue), ('1', red)] {
        for (name, square) in (first..).zip(squares).filter(|(_, square)| **square != "0") {
            let place = || {
                let [letter, figure] = *square.as_bytes() else {
                    return None;
                };
                let column = usize::from(letter.to_ascii_uppercase().checked_sub(b'A')?);
                let row = usize::from(figure.checked_sub(b'1')?);
                (column < SIDE && row < SIDE).then_some((row, column))
            };
            let place = place();
            let (row, column) =
                place.ok_or_else(|| format!("a square is A1 to E5, or 0, not '{square}'"))?;
            if board[row][column] != '.' {
                return Err(format!("two stones stand on {square}"));
            }
            board[row][column] = name;
            stones += 1;
        }
    }
    let rows: Vec<String> = board.iter().map(|row| row.iter().collect()).collect();
    Ok((format!("{} {side} -", rows.join("/")), stones))
}

/// A square of ours as they name it: our rows count from the bottom.
fn theirs(square: &str) -> String {
    let mut signs = square.chars();
    let letter = signs.next().unwrap_or_default().to_ascii_uppercase();
    let row = signs.as_str().parse().unwrap_or(0);
    format!("{letter}{}", SIDE + 1 - row)
}

impl Protocol for Tcga {
    fn hear(&mut self, line: &str, outside: &mut dyn Outside) -> bool {
        let words: Vec<&str> = line.split_whitespace().take(4 * STONES).collect();
        let Some((&request, words)) = words.split_first() else {
            return true;
        };
        let answer = not_too_long(line).and_then(|()| match request {
            "name" => Ok("Alea".to_owned()),
            "version" => Ok(env!("CARGO_PKG_VERSION").to_owned()),
            "time_setting" | "time_settings" => self.set_time(words),
            "board_setting" => match words {
                ["5", "6", "2"] | [] => Ok(self.begin()),
                _ => Err("the board has 5 squares a side, 6 stones and 2 players".to_owned()),
            },
            "ini" => Ok(self.begin()),
            "get" => self.get(words),
            "exit" | "quit" => Ok(String::new()),
            _ => Err(
                "there are name, version, time_setting, board_setting, ini, get and exit"
                    .to_owned(),
            ),
        });
        match answer {
            Ok(text) if text.is_empty() => return false,
            Ok(text) => outside.say(&text),
            Err(problem) => outside.say(&format!("error: {}", one_line(&problem))),
        }
        true
    }
}
