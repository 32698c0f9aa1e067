//! What may be asked, judged games as they are answered, and why there is no answer; what every
//! key means says docs/reference/api.md.
//!
//! Positions, moves, players and evaluators are text in the project's notation. Invariant: a key
//! that is not known is an error, so that a slip of the pen is not taken for a choice.

use engine::core::text::printable;
use serde::{Deserialize, Serialize};

/// What is asked, beside the game.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "ask", rename_all = "lowercase", deny_unknown_fields)]
pub(crate) enum Question {
    Games {},
    New {
        seed: u64,
        #[serde(default)]
        best: bool,
    },
    Position {
        position: String,
    },
    Roll {
        position: String,
        seed: u64,
        ply: u64,
    },
    Analyse {
        position: String,
        player: String,
        #[serde(default)]
        stream: bool,
    },
    Puzzle {
        number: u64,
    },
    Evaluate {
        position: String,
        evaluators: Vec<String>,
    },
    Move {
        position: String,
        player: String,
        seed: u64,
    },
    Judge {
        start: String,
        plies: Vec<PlayedPly>,
        #[serde(default)]
        payoffs: Option<Vec<f32>>,
        player: String,
    },
}

/// A ply as it was played.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayedPly {
    /// The roll; none without chance.
    #[serde(default)]
    pub face: Option<u8>,
    /// The move.
    #[serde(rename = "move")]
    pub mv: String,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{error}")]
pub struct Problem {
    /// One line: what is wrong, and what would be right.
    pub error: String,
    /// Whether the request was right, but took too long.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub out_of_time: bool,
}

impl Problem {
    /// A request that is wrong.
    pub fn wrong(problem: impl ToString) -> Self {
        Self {
            error: printable(&problem.to_string().replace('\n', " ")).into_owned(),
            out_of_time: false,
        }
    }
}

/// Where the result of a game came from: what the start was worth, luck, errors, and what the
/// judge thought otherwise a ply later.
#[derive(Clone, Debug, Serialize)]
pub struct Ledger {
    /// What became of each seat.
    pub seats: Vec<Account>,
    /// All plies.
    pub plies: Vec<JudgedPly>,
    /// Whether the game has ended, by the rules or otherwise.
    pub over: bool,
    /// The most by which the terms of a seat miss its result: 0 up to rounding.
    pub balance: f64,
}

/// What became of a seat, in wins and in its own view:
/// `start + luck − errors + others + drift = result`.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Account {
    /// What the start was worth, before the first roll.
    pub start: f64,
    /// What its own rolls brought.
    pub luck: f64,
    /// What it gave away.
    pub errors: f64,
    /// What luck and errors of all others brought.
    pub others: f64,
    /// What the judge thought otherwise a ply later, in all; of a game that did not end by the rules
    /// also what its result is beyond the value of its last position.
    pub drift: f64,
    /// What the game brought, or what its last position is worth.
    pub result: f64,
    /// Its decisions with more than one move.
    pub decisions: u32,
    /// The errors for each of these; 0 without any.
    pub error_per_decision: f64,
}

/// A ply and what it changed, in wins; lists have a value for each seat.
#[derive(Clone, Debug, Serialize)]
pub struct JudgedPly {
    /// Who moved.
    pub seat: usize,
    /// What was rolled; null without chance.
    pub face: Option<u8>,
    /// The move.
    #[serde(rename = "move")]
    pub mv: String,
    /// How many moves the roll permitted.
    pub choices: usize,
    /// The value before the roll.
    pub before: Vec<f64>,
    /// The value after it, with the best move.
    pub rolled: Vec<f64>,
    /// The value after the move.
    pub after: Vec<f64>,
    /// What the roll brought who moved.
    pub luck: f64,
    /// What the move gives away against the best, to who made it.
    pub error: f64,
    /// The value of the next position said anew, less `after`.
    pub drift: Vec<f64>,
    /// The best move.
    pub best: String,
    /// What to call the error: nothing, `doubtful`, `error` or `blunder`.
    pub verdict: &'static str,
}
