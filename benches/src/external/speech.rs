//! What is said to a program, and what its answers mean, protocol by protocol.
//!
//! Sources: the published texts that `docs/protocols.md` names. Everything is text: positions and
//! moves come as the game writes them. Invariant: every line has its answer, or is known to have
//! none, so that no answer is taken for another one's.

use super::{
    dialect::{Dialect, Protocol, Time},
    said::{Reply, Talk},
    squares,
};
use engine::core::game::Seat;
use engine::play::{
    playable::Playable,
    player::Failure::{self, OfPlayer},
};

/// A line, and what answers it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) line: String,
    pub(super) reply: Reply,
    /// What the answer has to be, if that matters.
    pub(super) expected: Option<String>,
}

fn step(line: impl Into<String>, reply: Reply) -> Step {
    Step {
        line: line.into(),
        reply,
        expected: None,
    }
}

/// A position and what chance said of it, as text.
pub(super) struct Asked {
    /// The position before chance spoke, and after it.
    pub(super) position: [String; 2],
    pub(super) outcome: u8,
    pub(super) seat: Seat,
    /// The seat that began the game.
    pub(super) first: Seat,
}

/// How one game is spoken of to one program.
pub(super) struct Speech {
    pub(super) dialect: Dialect,
    /// The rules, in one word.
    rules: String,
    /// The size of the board, where the rules have one.
    size: Option<u32>,
    /// Words for the seats.
    colours: Vec<String>,
    /// Whether chance has a say.
    chance: bool,
}

impl Speech {
    /// # Errors
    /// In words, if the protocol is for other games.
    pub(super) fn of<G: Playable>(dialect: Dialect, game: &G) -> Result<Self, String> {
        let (protocol, rules) = (dialect.protocol, game.notation());
        let fits = match protocol {
            Protocol::Lines => true,
            Protocol::Tcga => G::NAME == "einstein",
            Protocol::NBoard => rules == "reversi",
            Protocol::Gtp | Protocol::Ubgi => game.seats() == 2,
        };
        if !fits {
            let speaks = match protocol {
                Protocol::Tcga => "tcga is for einstein",
                Protocol::NBoard => "nboard is for reversi on 8 by 8 squares",
                _ => "gtp and ubgi are for two seats",
            };
            return Err(format!("{speaks}, not for {rules}"));
        }
        let titles = |seat| game.seat_title(seat).to_lowercase();
        let colours = match &dialect.colours {
            Some(words) => words.to_vec(),
            None => (0..game.seats()).map(titles).collect(),
        };
        let outcomes = game.outcome_names();
        Ok(Self {
            rules: game.told(),
            size: match protocol {
                Protocol::Tcga => Some(5),
                _ => size(&game.parameters()).or_else(|| size(G::PARAMETERS)),
            },
            colours,
            chance: outcomes.start() < outcomes.end(),
            dialect,
        })
    }

    /// What such programs may say unasked.
    pub(super) fn talk(&self) -> Talk {
        match self.dialect.protocol {
            Protocol::Lines => Talk::Comments,
            Protocol::Tcga | Protocol::Gtp => Talk::Blanks,
            Protocol::Ubgi => Talk::Unless(&["bestmove", "ubgiok", "readyok", "error"]),
            Protocol::NBoard => Talk::Unless(&["===", "pong"]),
        }
    }

    /// Whether a program keeps the board itself, and has to be told every move.
    pub(super) fn follows(&self) -> bool {
        self.dialect.protocol == Protocol::Gtp
    }

    /// Whether it can be told of a position that is not the game's first.
    pub(super) fn begins_anywhere(&self) -> bool {
        !self.follows() || self.chance
    }

    /// Lines of the user's, with what they leave open filled in.
    fn lines(&self, lines: &[String], asked: Option<(&Asked, u64)>) -> Vec<Step> {
        let reply = match self.dialect.protocol {
            Protocol::Tcga => Reply::Line,
            Protocol::Gtp => Reply::Block,
            _ => Reply::Nothing,
        };
        let size = self.size.map(|size| size.to_string());
        let known = |line: &&String| size.is_some() || !line.contains("{size}");
        let filled = |line: &String| {
            let mut line = line
                .replace("{size}", size.as_deref().unwrap_or_default())
                .replace("{seconds}", &self.dialect.seconds().to_string())
                .replace("{ms}", &self.dialect.think.as_millis().to_string());
            if let Some((asked, seed)) = asked {
                line = line
                    .replace("{position}", &asked.position[0])
                    .replace("{seed}", &seed.to_string());
            }
            step(line, reply)
        };
        let mut steps: Vec<Step> = lines.iter().filter(known).map(filled).collect();
        // Only so is known that they were read.
        match self.dialect.protocol {
            Protocol::Ubgi => steps.push(step("isready", Reply::Word("readyok"))),
            Protocol::NBoard => steps.push(step("ping 1", Reply::Word("pong"))),
            _ => {}
        }
        steps
    }

    /// What is said when a program has started.
    pub(super) fn greeting(&self) -> Vec<Step> {
        let dialect = &self.dialect;
        let mut steps = match dialect.protocol {
            Protocol::Lines => {
                let version = format!("alea {}", dialect.version);
                vec![Step {
                    line: format!("{version} {}", self.rules),
                    reply: Reply::Line,
                    expected: Some(version),
                }]
            }
            Protocol::Tcga => {
                let mut lines = vec!["name".to_owned(), "version".to_owned()];
                if dialect.time == Time::Settings {
                    // A side makes a dozen moves, seldom twenty.
                    let seconds = (dialect.think * 20).as_secs().max(1);
                    lines.push(format!("time_setting {seconds}"));
                }
                lines.push("board_setting 5 6 2".to_owned());
                let lines = lines.into_iter();
                lines.map(|line| step(line, Reply::Line)).collect()
            }
            Protocol::Gtp => Vec::new(),
            Protocol::Ubgi => vec![step("ubgi", Reply::Word("ubgiok"))],
            Protocol::NBoard => vec![step("nboard 2", Reply::Nothing)],
        };
        steps.extend(self.lines(&dialect.init, None));
        steps
    }

    /// What is said when a game begins.
    pub(super) fn begin(&self, asked: &Asked, seed: u64) -> Vec<Step> {
        let dialect = &self.dialect;
        let (mut steps, mut lines) = (Vec::new(), Vec::new());
        match dialect.protocol {
            Protocol::Lines => steps.push(step(format!("game {seed}"), Reply::Nothing)),
            Protocol::Ubgi => steps.push(step("newgame", Reply::Nothing)),
            Protocol::Gtp if dialect.game.is_none() => {
                lines = ["boardsize {size}", "clear_board"]
                    .map(str::to_owned)
                    .to_vec();
                if self.chance {
                    lines.push("position {position}".to_owned());
                }
            }
            _ => {}
        }
        lines.extend(dialect.game.iter().flatten().cloned());
        match &dialect.time {
            Time::Line(line) => lines.push(line.clone()),
            Time::Settings if self.follows() => {
                lines.push("time_settings 0 {seconds} 1".to_owned());
            }
            _ => {}
        }
        if !(lines.is_empty() && dialect.protocol == Protocol::Lines) {
            steps.extend(self.lines(&lines, Some((asked, seed))));
        }
        steps
    }

    /// What is said of a move that was made.
    pub(super) fn told(&self, asked: &Asked, mv: &str) -> Vec<Step> {
        match self.dialect.protocol {
            Protocol::Gtp if mv == "pass" && self.dialect.pass == "none" => Vec::new(),
            Protocol::Gtp => {
                let mv = squares::theirs(mv, &self.dialect, self.size);
                let play = format!("play {} {mv}", self.colour(asked));
                let mut steps = self.rolled(asked, Reply::Block);
                steps.push(step(play, Reply::Block));
                steps
            }
            Protocol::Lines if self.dialect.version > 1 => {
                let line = format!("played {} {mv}", asked.position[1]);
                vec![step(line, Reply::Nothing)]
            }
            _ => Vec::new(),
        }
    }

    /// What asks for a move; the last of them is answered by it.
    pub(super) fn question(&self, asked: &Asked) -> Vec<Step> {
        let position = &asked.position[0];
        match self.dialect.protocol {
            Protocol::Lines => vec![step(format!("move {}", asked.position[1]), Reply::Line)],
            Protocol::Tcga => vec![step(get(&asked.position[1]), Reply::Line)],
            Protocol::Gtp => {
                let (mut steps, colour) = (self.rolled(asked, Reply::Block), self.colour(asked));
                let seconds = self.dialect.seconds();
                if self.dialect.time == Time::Left {
                    let left = format!("time_left {colour} {seconds} 1");
                    steps.push(step(left, Reply::Block));
                }
                let genmove = match self.dialect.time {
                    Time::Genmove => format!("genmove {colour} {seconds}"),
                    _ => format!("genmove {colour}"),
                };
                steps.push(step(genmove, Reply::Block));
                steps
            }
            Protocol::Ubgi => {
                let mut steps = vec![step(format!("position alea {position}"), Reply::Nothing)];
                steps.extend(self.rolled(asked, Reply::Nothing));
                steps.push(step("go", Reply::Word("bestmove")));
                steps
            }
            Protocol::NBoard => vec![
                step(format!("set game {}", ggf(position)), Reply::Nothing),
                step("ping 2", Reply::Word("pong")),
                step("go", Reply::Word("===")),
            ],
        }
    }

    /// What chance said.
    fn rolled(&self, asked: &Asked, reply: Reply) -> Vec<Step> {
        let line = format!("dice {}", asked.outcome);
        self.chance.then(|| step(line, reply)).into_iter().collect()
    }

    fn colour(&self, asked: &Asked) -> &str {
        match self.dialect.first_begins {
            true => &self.colours[usize::from(asked.seat != asked.first)],
            false => &self.colours[asked.seat],
        }
    }

    /// The move that answered a question, as we write it.
    pub(super) fn answer(&self, answer: &str) -> Result<String, Failure> {
        if self.follows() && answer.eq_ignore_ascii_case("resign") {
            return Err(OfPlayer("resigned".to_owned()));
        }
        match self.dialect.protocol {
            Protocol::Lines => Ok(answer.to_owned()),
            _ => Ok(squares::ours(answer, &self.dialect, self.size)),
        }
    }

    /// What is said of a game that is over.
    pub(super) fn result(&self, winner: &str) -> Option<String> {
        let tells = self.dialect.protocol == Protocol::Lines && self.dialect.version > 1;
        tells.then(|| format!("result {winner}"))
    }

    /// What is said before the end.
    pub(super) fn goodbye(&self) -> Option<&'static str> {
        match self.dialect.protocol {
            Protocol::Lines => None,
            Protocol::Tcga => Some("exit"),
            Protocol::Gtp | Protocol::Ubgi | Protocol::NBoard => Some("quit"),
        }
    }
}

/// The first number of a game's parameters.
fn size(parameters: &str) -> Option<u32> {
    let digits = |sign: char| !sign.is_ascii_digit();
    let mut numbers = parameters.split(digits).filter(|word| !word.is_empty());
    numbers.next()?.parse().ok()
}

/// TCGA's question: side, die, squares of Blue's stones, then of Red's, counted from the upper left.
fn get(position: &str) -> String {
    let mut words = position.split(' ');
    let mut word = || words.next().unwrap_or_default();
    let (board, side, die) = (word(), word(), word());
    let mut squares = vec!["0".to_owned(); 12];
    for (row, line) in board.split('/').enumerate() {
        for (column, sign) in (b'A'..).zip(line.chars()) {
            let stone = "abcdef123456".find(sign);
            if let Some(stone) = stone {
                squares[stone] = format!("{}{}", char::from(column), row + 1);
            }
        }
    }
    format!("get {} {die} {}", side.to_uppercase(), squares.join(" "))
}

/// A position as GGF, which NBoard reads.
fn ggf(position: &str) -> String {
    let signs = position.replace('/', "").replace('X', "*");
    let (board, side) = signs.split_once(' ').unwrap_or((&signs, "*"));
    format!("(;GM[Othello]PC[alea]PB[Black]PW[White]RE[?]TI[0]TY[8]BO[8 {board} {side}];)")
}

#[cfg(test)]
mod tests;
