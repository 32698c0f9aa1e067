//! Requests, reviews of games and errors as JSON; docs/reference/api.md explains every key.
//!
//! Positions, moves, players and evaluators are text in the project's notation. Invariant: an unknown
//! key is an error, so that no misspelt option is ignored.

use engine::core::text::printable;
use serde::{Deserialize, Serialize};

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

/// An error in the answer to a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{error}")]
pub struct Problem {
    /// One line: the mistake, and what would be valid.
    pub error: String,
    /// Whether the request was valid, but ran out of time.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub out_of_time: bool,
}

impl Problem {
    /// An error for an invalid request.
    pub fn wrong(problem: impl ToString) -> Self {
        Self {
            error: printable(&problem.to_string().replace('\n', " ")).into_owned(),
            out_of_time: false,
        }
    }
}

/// The review of a game: each seat's result as a sum of the start's value, luck, errors and drift.
#[derive(Clone, Debug, Serialize)]
pub struct GameReview {
    /// One entry for each seat.
    pub seats: Vec<SeatReview>,
    /// One entry for each ply.
    pub plies: Vec<PlyReview>,
    /// Whether the game has a result, by the rules or by agreement.
    pub over: bool,
    /// The largest difference, over all seats, between the sum of the terms and the result: a
    /// rounding error.
    pub balance: f64,
}

/// The terms of a seat's result, in wins:
/// `start + luck − errors + others + drift = result`.
#[derive(Clone, Debug, Default, Serialize)]
pub struct SeatReview {
    /// The value of the start, before the first roll.
    pub start: f64,
    /// The luck of this seat's rolls.
    pub luck: f64,
    /// The win probability lost by this seat's errors.
    pub errors: f64,
    /// This seat's gain or loss from the luck and errors of all others.
    pub others: f64,
    /// The sum over all plies of the change of the reviewer's value from one analysis to the next.
    /// If the game did not end by the rules, also its result less the value of its last position.
    pub drift: f64,
    /// The payoff, or the value of the last position.
    pub result: f64,
    /// Decisions of this seat that had more than one legal move.
    pub decisions: u32,
    /// The mean error of these decisions; 0 if there are none.
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
    /// The value after the roll, if the best move is made.
    pub rolled: Vec<f64>,
    /// The value after the move.
    pub after: Vec<f64>,
    /// How much the roll gained for the seat that moved.
    pub luck: f64,
    /// The value of the best move less that of the move, for the seat that moved.
    pub error: f64,
    /// The value of the next position in its own analysis, less `after`: how much the reviewer
    /// changed its mind.
    pub drift: Vec<f64>,
    /// The best move.
    pub best: String,
    /// The grade of the error: empty, `doubtful`, `error` or `blunder`.
    pub verdict: &'static str,
}
