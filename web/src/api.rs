//! What may be asked and what is answered, as JSON (docs/api.md).
//!
//! Positions, moves, players and evaluators are text in the project's notation. Values are win
//! probabilities of the seat to move unless another point of view is named. Invariant: a key that
//! is not known is an error, so that a slip of the pen is not taken for a choice.

use crate::puzzles::Puzzle;
use serde::{Deserialize, Serialize, de::Error as _};
use serde_json::Value;
use std::fmt;

/// What is asked.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "ask", rename_all = "lowercase", deny_unknown_fields)]
pub enum Question {
    /// Which games there are.
    Games {},
    /// The start of a game.
    New {
        /// Decides the set-up, where there are several.
        seed: u64,
        /// Whether it is to be one of the best set-ups against another, where there are several.
        #[serde(default)]
        best: bool,
    },
    /// What a position is, and what may be played in it.
    Position {
        /// The position, with its roll if it has been rolled.
        position: String,
    },
    /// The same after a roll.
    Roll {
        /// The position before the roll.
        position: String,
        /// The same seed and ply give the same roll.
        seed: u64,
        /// How many plies were played before.
        ply: u64,
    },
    /// What a position, its moves and its rolls are worth.
    Analyse {
        /// The position; with a roll only what it permits is rated.
        position: String,
        /// Who rates.
        player: String,
        /// Whether a search that deepens tells what it has found after each depth.
        #[serde(default)]
        stream: bool,
    },
    /// A position whose best move is to be found.
    Puzzle {
        /// Which of them, from 0; those beyond the last begin anew.
        number: u64,
    },
    /// What evaluators say of a position before the roll, without search.
    Evaluate {
        /// The position; its roll is ignored.
        position: String,
        /// Evaluators in notation.
        evaluators: Vec<String>,
    },
    /// What a player plays.
    Move {
        /// The position, with its roll where there is chance.
        position: String,
        /// Who plays.
        player: String,
        /// Decides the player's random choices.
        seed: u64,
    },
    /// What each ply of a game has gained and lost.
    Judge {
        /// The position it began with.
        start: String,
        /// What was rolled and played.
        plies: Vec<PlayedPly>,
        /// Who rates.
        player: String,
    },
}

/// One request.
#[derive(Clone, Debug)]
pub struct Request {
    /// The game with its parameters, where it is about one.
    pub game: Option<String>,
    /// What is asked.
    pub question: Question,
}

/// `game` stands beside what a question has of its own.
impl TryFrom<Value> for Request {
    type Error = serde_json::Error;

    fn try_from(mut asked: Value) -> Result<Self, Self::Error> {
        let keys = asked.as_object_mut();
        let game = keys.and_then(|keys| keys.remove("game"));
        let question = serde_json::from_value(asked)?;
        let game: Option<String> = game.map(serde_json::from_value).transpose()?;
        match (matches!(question, Question::Games {}), &game) {
            (true, Some(_)) => Err(Self::Error::custom("unknown field `game`")),
            (false, None) => Err(Self::Error::custom("missing field `game`")),
            _ => Ok(Self { game, question }),
        }
    }
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

/// What is answered.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Answer {
    /// To `games`.
    Games {
        /// All of them.
        games: Vec<GameFacts>,
    },
    /// To `new`, `position` and `roll`.
    Position(PositionFacts),
    /// To `analyse`.
    Analysis(Analysis),
    /// To `evaluate`.
    Values {
        /// One for each evaluator, in order.
        values: Vec<Evaluation>,
    },
    /// To `move`.
    Move {
        /// The move.
        #[serde(rename = "move")]
        mv: String,
        /// What the seat that makes it expects; null from players that rate nothing.
        value: Option<f64>,
        /// The position after it, before the next roll.
        position: String,
    },
    /// To `judge`.
    Ledger(Ledger),
    /// To `puzzle`.
    Puzzle(Puzzle),
    /// The request could not be answered.
    Error(Problem),
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// One line: what is wrong, and what would be right.
    pub error: String,
    /// Whether the request was right, but took too long; over HTTP that is status 503.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub out_of_time: bool,
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.error)
    }
}

impl std::error::Error for Problem {}

impl Problem {
    /// A request that is wrong.
    pub fn wrong(problem: impl ToString) -> Self {
        Self {
            error: problem.to_string().replace('\n', " "),
            out_of_time: false,
        }
    }
}

/// A game that can be played.
#[derive(Clone, Debug, Serialize)]
pub struct GameFacts {
    /// Its name, without parameters.
    pub name: &'static str,
    /// Its name as requests give it.
    pub notation: &'static str,
    /// Who plays, in words.
    pub seats: Vec<&'static str>,
    /// What the die may show; null without chance.
    pub faces: Option<Vec<u8>>,
    /// Who values positions without search.
    pub evaluators: Vec<EvaluatorFacts>,
    /// Players to meet, the weakest first.
    pub levels: Vec<Level>,
}

/// An evaluator of a game.
#[derive(Clone, Debug, Serialize)]
pub struct EvaluatorFacts {
    /// Its notation.
    pub name: &'static str,
    /// What it looks at.
    pub help: &'static str,
}

/// A player to meet.
#[derive(Clone, Debug, Serialize)]
pub struct Level {
    /// How strong it is, in a word.
    pub name: &'static str,
    /// Its notation.
    pub player: String,
}

/// What a position is.
#[derive(Clone, Debug, Serialize)]
pub struct PositionFacts {
    /// Its text, with the roll if there is one.
    pub position: String,
    /// Whose turn it is, from 0.
    pub seat: usize,
    /// The roll; null before it, and without chance.
    pub face: Option<u8>,
    /// Whether the game is over.
    pub over: bool,
    /// What each seat got; null before the end.
    pub payoffs: Option<Vec<f32>>,
    /// A picture, one `<svg>` element.
    pub svg: String,
    /// The moves that the roll permits, or all that some roll does.
    pub moves: Vec<Successor>,
}

/// A move and where it leads.
#[derive(Clone, Debug, Serialize)]
pub struct Successor {
    /// The move.
    #[serde(rename = "move")]
    pub mv: String,
    /// The position after it, before the next roll.
    pub position: String,
    /// As [`PositionFacts::payoffs`].
    pub payoffs: Option<Vec<f32>>,
}

/// What a position, its moves and its rolls are worth.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Analysis {
    /// The value after the roll, or the expectation before it; null from players that rate nothing.
    pub value: Option<f64>,
    /// With more than two seats what that brings each of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shares: Option<Vec<f64>>,
    /// What such values have been worth in whole games, where that was fitted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calibrated: Option<f64>,
    /// The best permitted move; null before a roll, and at the end.
    pub best: Option<String>,
    /// The moves that the roll permits, or all that some roll does.
    pub moves: Vec<RatedMove>,
    /// Every roll, whatever was rolled; absent without chance.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub faces: Option<Vec<RatedFace>>,
    /// Whether all moves are exact.
    pub exact: bool,
    /// Positions that the search looked at.
    pub nodes: u64,
    /// How long that took.
    pub milliseconds: f64,
    /// With `stream`, how many plies were looked ahead; none in the answer that is meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
}

/// What a move is worth to the seat that makes it.
#[derive(Clone, Debug, Default, Serialize)]
pub struct RatedMove {
    /// The move.
    #[serde(rename = "move")]
    pub mv: String,
    /// Its value, before the next roll.
    pub value: Option<f64>,
    /// As [`Analysis::shares`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shares: Option<Vec<f64>>,
    /// As [`Analysis::calibrated`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calibrated: Option<f64>,
    /// Whether the value is that of best play: the game is over, or tables or a proof know.
    pub exact: bool,
}

/// What a roll is worth to the seat that has it.
#[derive(Clone, Debug, Serialize)]
pub struct RatedFace {
    /// What the die shows.
    pub face: u8,
    /// Its probability.
    pub weight: f64,
    /// The value of the best move it permits.
    pub value: Option<f64>,
    /// That move.
    pub best: Option<String>,
}

/// What an evaluator says.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Evaluation {
    /// Its notation.
    pub name: String,
    /// The value, before the roll.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// As [`Analysis::calibrated`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calibrated: Option<f64>,
    /// Why it says nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Where the result of a game came from: what the start was worth, luck, errors, and what the
/// judge thought otherwise a ply later.
#[derive(Clone, Debug, Serialize)]
pub struct Ledger {
    /// What became of each seat.
    pub seats: Vec<Account>,
    /// All plies.
    pub plies: Vec<JudgedPly>,
    /// Whether the game was played to its end.
    pub over: bool,
    /// The most by which the terms of a seat miss its result: 0 up to rounding.
    pub balance: f64,
}

/// What became of a seat, in its own view: `start + luck − errors + others + drift = result`.
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
    /// What the judge thought otherwise a ply later, in all.
    pub drift: f64,
    /// What the game brought, or what its last position is worth.
    pub result: f64,
    /// Its decisions with more than one move.
    pub decisions: u32,
    /// The errors for each of these; 0 without any.
    pub error_per_decision: f64,
}

/// A ply and what it changed; lists have a value for each seat.
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
