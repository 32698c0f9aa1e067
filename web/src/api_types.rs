//! JSON types of the API. Positions, moves, players and evaluators are text in the project's
//! notation.
//!
//! Invariant: unknown keys are errors, so no misspelt option is ignored.

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
    /// Roll before the move; `None` without dice.
    #[serde(default)]
    pub face: Option<u8>,
    /// The move.
    #[serde(rename = "move")]
    pub mv: String,
}

/// Answer to a request that failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{error}")]
pub struct Problem {
    /// What is wrong, and what would be valid, on one line.
    pub error: String,
    /// Whether the request was valid, but took too long.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub out_of_time: bool,
}

impl Problem {
    /// Error for an invalid request.
    pub fn invalid_request(problem: impl ToString) -> Self {
        Self {
            error: printable(&problem.to_string().replace('\n', " ")).into_owned(),
            out_of_time: false,
        }
    }
}

/// Review of a game: causes of each seat's result.
#[derive(Clone, Debug, Serialize)]
pub struct GameReview {
    /// One review per seat.
    pub seats: Vec<SeatReview>,
    /// One review per ply.
    pub plies: Vec<PlyReview>,
    /// Whether the game has a result, by the rules or by the request.
    pub over: bool,
    /// Largest |sum of terms − result| of the seats, a rounding error.
    pub balance: f64,
}

/// Terms of a seat's result, in wins: `start + luck − errors + others + drift = result`.
#[derive(Clone, Debug, Default, Serialize)]
pub struct SeatReview {
    /// Value of the start position before the roll.
    pub start: f64,
    /// Win probability gained by own rolls.
    pub luck: f64,
    /// Win probability lost by own errors.
    pub errors: f64,
    /// Win probability gained by luck and errors of the others.
    pub others: f64,
    /// Sum of [`PlyReview::drift`] over all plies, plus the result less the last position's value.
    pub drift: f64,
    /// Payoff; without a result the value in the last position.
    pub result: f64,
    /// Own plies with more than one legal move.
    pub decisions: u32,
    /// `errors / decisions`; 0 without decisions.
    pub error_per_decision: f64,
}

/// Review of a ply; values in wins, lists with one for each seat.
#[derive(Clone, Debug, Serialize)]
pub struct PlyReview {
    /// The seat that moved.
    pub seat: usize,
    /// Roll before the move; null without dice.
    pub face: Option<u8>,
    /// The move.
    #[serde(rename = "move")]
    pub mv: String,
    /// Moves that the roll allowed.
    pub choices: usize,
    /// Value before the roll.
    pub before: Vec<f64>,
    /// Value after the roll, if the best move follows.
    pub rolled: Vec<f64>,
    /// Value after the move.
    pub after: Vec<f64>,
    /// `rolled − before` for the mover.
    pub luck: f64,
    /// `rolled − after` for the mover.
    pub error: f64,
    /// Value of the next position when that is analysed, less `after`.
    pub drift: Vec<f64>,
    /// Best move by the reviewer's values.
    pub best: String,
    /// Grade of `error`: empty, `doubtful`, `error` or `blunder`.
    pub verdict: &'static str,
}
