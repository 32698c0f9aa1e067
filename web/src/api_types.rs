//! JSON types of API requests and answers; positions, moves and players are in Alea's notation.
//!
//! Invariant: an unknown key in a request is an error, so that no misspelt option is ignored.

use engine::core::text::printable;
use engine::play::own_scale::OwnScale;
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
        /// `false` leaves out other rolls than the position's.
        faces: Option<bool>,
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
    Write {
        start: String,
        plies: Vec<PlayedPly>,
        players: Vec<String>,
        #[serde(default)]
        resigned: Option<usize>,
        format: String,
    },
    Read {
        text: String,
        format: String,
    },
    Judge {
        start: String,
        plies: Vec<PlayedPly>,
        #[serde(default)]
        payoffs: Option<Vec<f32>>,
        player: String,
    },
}

/// Ply of a game to be reviewed.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayedPly {
    /// Number on the die before the move; `None` in games without dice.
    #[serde(default)]
    pub face: Option<u8>,
    /// Move in the game's notation.
    #[serde(rename = "move")]
    pub mv: String,
}

/// Error message that answers a failed request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{error}")]
pub struct Problem {
    /// What is wrong and what would be valid, on one line.
    pub error: String,
    /// True if the request was valid but ran out of time; absent from JSON if false.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub out_of_time: bool,
}

impl Problem {
    /// Error for an invalid request; line breaks and control characters are replaced.
    pub fn invalid_request(problem: impl ToString) -> Self {
        Self {
            error: printable(&problem.to_string().replace('\n', " ")).into_owned(),
            out_of_time: false,
        }
    }
}

/// Review of a game: how luck and errors led to each seat's result.
#[derive(Clone, Debug, Serialize)]
pub struct GameReview {
    /// One entry per seat.
    pub seats: Vec<SeatReview>,
    /// One entry per ply.
    pub plies: Vec<PlyReview>,
    /// Unit of `equity`, such as `points`; `None` in games without points.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<&'static str>,
    /// What values are, if they do not estimate results.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale: Option<OwnScale>,
    /// Whether the result is known, because the rules ended the game or the request gives it.
    pub over: bool,
    /// Rounding error: maximum over the seats of |sum of the [`SeatReview`] terms − result|.
    pub balance: f64,
}

/// Parts of a seat's result, as its win probability: `start + luck − errors + others + drift =
/// result`.
#[derive(Clone, Debug, Default, Serialize)]
pub struct SeatReview {
    /// Value of the start position before the first roll.
    pub start: f64,
    /// Win probability gained by this seat's own rolls.
    pub luck: f64,
    /// Win probability lost by this seat's own errors.
    pub errors: f64,
    /// Win probability gained during the other seats' plies, by their luck and errors.
    pub others: f64,
    /// Changes that no ply explains: sum of [`PlyReview::drift`] + `result` − value of the last
    /// position.
    pub drift: f64,
    /// Final payoff of the seat; without a known result, its value in the last position.
    pub result: f64,
    /// Plies of the seat at which the roll allowed more than one move.
    pub decisions: u32,
    /// `errors / decisions`; 0 if there were no decisions.
    pub error_per_decision: f64,
    /// Parts of the result in points of the game; `None` in games without points.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub equity: Option<SeatEquity>,
}

/// Parts of a seat's result in points, as in [`SeatReview`].
#[derive(Clone, Copy, Debug, Serialize)]
#[allow(missing_docs, reason = "they are those of SeatReview")]
pub struct SeatEquity {
    pub start: f64,
    pub luck: f64,
    pub errors: f64,
    pub others: f64,
    pub drift: f64,
    pub result: f64,
    pub error_per_decision: f64,
}

/// Luck and error of a ply in points, as in [`PlyReview`].
#[derive(Clone, Copy, Debug, Serialize)]
#[allow(missing_docs, reason = "they are those of PlyReview")]
pub struct PlyEquity {
    pub luck: f64,
    pub error: f64,
}

/// Review of a ply. Values are win probabilities; lists have one for each seat.
#[derive(Clone, Debug, Serialize)]
pub struct PlyReview {
    /// Seat that made the move.
    pub seat: usize,
    /// Number on the die before the move; null in games without dice.
    pub face: Option<u8>,
    /// Move that was played.
    #[serde(rename = "move")]
    pub mv: String,
    /// Number of moves that the roll allowed.
    pub choices: usize,
    /// Values before the roll.
    pub before: Vec<f64>,
    /// Values after the roll, if the best move is played.
    pub rolled: Vec<f64>,
    /// Values after the move played, as estimated before it.
    pub after: Vec<f64>,
    /// Luck of the roll: `rolled − before` for the mover.
    pub luck: f64,
    /// Win probability lost by the move: `rolled − after` for the mover.
    pub error: f64,
    /// Values of the next position in its own analysis, minus `after`.
    pub drift: Vec<f64>,
    /// Best move that the roll allowed, by the reviewer's values.
    pub best: String,
    /// Grade of `error`: empty (small), `doubtful`, `error` or `blunder`.
    pub verdict: &'static str,
    /// Luck and error in points of the game; `None` in games without points.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub equity: Option<PlyEquity>,
}
