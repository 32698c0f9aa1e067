//! Requests, reviews of games and errors as JSON; docs/reference/api.md explains every key.
//!
//! Positions, moves, players and evaluators are text in the project's notation. Invariant: an unknown
//! key is an error, so that no misspelt option is ignored.

use engine::core::text::printable;
use serde::{Deserialize, Serialize};

/// A request without its game.
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

/// A ply of a recorded game.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayedPly {
    /// The roll; `None` without chance.
    #[serde(default)]
    pub face: Option<u8>,
    /// The move.
    #[serde(rename = "move")]
    pub mv: String,
}

/// The error of a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{error}")]
pub struct Problem {
    /// One line: what is wrong, and what would be right.
    pub error: String,
    /// Whether a correct request took too long.
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

/// The origin of a game's result: the value of its start, luck, errors, and the drift of the reviewer's
/// values.
#[derive(Clone, Debug, Serialize)]
pub struct GameReview {
    /// Each seat.
    pub seats: Vec<SeatReview>,
    /// All plies.
    pub plies: Vec<PlyReview>,
    /// Whether the game has ended, by the rules or otherwise.
    pub over: bool,
    /// The largest difference between a seat's terms and its result: 0 up to rounding.
    pub balance: f64,
}

/// The terms of a seat's result, in wins:
/// `start + luck − errors + others + drift = result`.
#[derive(Clone, Debug, Default, Serialize)]
pub struct SeatReview {
    /// The value of the start, before the first roll.
    pub start: f64,
    /// The luck of its own rolls.
    pub luck: f64,
    /// The cost of its own errors.
    pub errors: f64,
    /// The gain from luck and errors of all others.
    pub others: f64,
    /// The sum of the plies' drift; in a game that did not end by the rules also the difference between
    /// its result and the value of its last position.
    pub drift: f64,
    /// The payoff, or the value of the last position.
    pub result: f64,
    /// Its decisions with more than one move.
    pub decisions: u32,
    /// The mean error of these; 0 without any.
    pub error_per_decision: f64,
}

/// A ply with its values in wins; lists have a value for each seat.
#[derive(Clone, Debug, Serialize)]
pub struct PlyReview {
    /// The seat that moved.
    pub seat: usize,
    /// The roll; null without chance.
    pub face: Option<u8>,
    /// The move.
    #[serde(rename = "move")]
    pub mv: String,
    /// The number of moves that the roll permitted.
    pub choices: usize,
    /// The value before the roll.
    pub before: Vec<f64>,
    /// The value after it, with the best move.
    pub rolled: Vec<f64>,
    /// The value after the move.
    pub after: Vec<f64>,
    /// The luck of the roll to the seat that moved.
    pub luck: f64,
    /// The loss against the best move to the seat that moved.
    pub error: f64,
    /// The value of the next position in its own analysis, less `after`.
    pub drift: Vec<f64>,
    /// The best move.
    pub best: String,
    /// The grade of the error: empty, `doubtful`, `error` or `blunder`.
    pub verdict: &'static str,
}
