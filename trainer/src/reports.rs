//! What trainings came to, in numbers; whoever only reads of them needs no burn.

use crate::calibrate::LogisticFit;
use crate::curve::CurvePoint;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The kinds of evaluators that are fitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Sums of table entries.
    NTuple,
    /// The network.
    Network,
}

impl Family {
    /// The name, of the model file too.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::NTuple => "ntuple",
            Self::Network => "network",
        }
    }
}

/// What a training came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FitReport {
    /// `ntuple` or `network`.
    pub family: String,
    /// Epochs that were run, also in earlier runs of the same training.
    pub epochs: usize,
    /// The epoch whose weights were exported, from 1.
    pub best_epoch: usize,
    /// Mean cross-entropy during that epoch, in nats.
    pub training_loss: f64,
    /// Mean cross-entropy of the validation samples after it, in nats.
    pub validation_loss: f64,
    /// Training samples a second over all epochs, validation apart.
    pub samples_per_second: f64,
    /// Largest difference in win probability between the trainer's and the engine's forward pass.
    pub parity: f64,
    /// Positions that were compared.
    pub parity_positions: usize,
    /// What the heads beside the value came to.
    #[serde(default, skip_serializing_if = "HeadsReport::is_empty")]
    pub heads: HeadsReport,
    /// Every epoch.
    pub curve: Vec<CurvePoint>,
    /// The model file.
    pub model: PathBuf,
}

/// What the heads came to; of heads that are not there nothing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HeadsReport {
    /// Of the win probabilities after each roll.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rolls: Option<RollsReport>,
    /// Of the plies to the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moves_to_go: Option<PliesReport>,
}

impl HeadsReport {
    /// Whether there is nothing to tell.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rolls.is_none() && self.moves_to_go.is_none()
    }
}

/// Of the win probabilities after each roll.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RollsReport {
    /// Validation samples whose outcome of chance is known.
    pub samples: usize,
    /// Mean probability of a win after the outcome that came.
    pub predicted: f64,
    /// Share of wins among them.
    pub won: f64,
    /// The logistic of the head's log odds that fits the results of the games best; none if there
    /// is no best one.
    pub calibration: Option<LogisticFit>,
    /// The same of the value's log odds on the same samples, which do not know the roll.
    pub value_calibration: Option<LogisticFit>,
    /// Mean over some positions of how far the head's mean over the outcomes is from the value.
    pub distance_from_value: f64,
    /// The same with its sign: head minus value.
    pub bias_from_value: f64,
}

/// Of the plies to the end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PliesReport {
    /// Validation samples whose length is known.
    pub samples: usize,
    /// Root of the mean squared error, in plies.
    pub error: f64,
    /// Standard deviation of the plies to the end, in plies: the error of whoever says the same of
    /// all positions.
    pub deviation: f64,
}

/// What some games after one another brought.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OnlinePoint {
    /// Games so far.
    pub games: u64,
    /// Positions of these games, since the point before.
    pub positions: u64,
    /// Mean cross-entropy between values and results of these positions, each before it was
    /// learned, in nats.
    pub loss: f64,
    /// Probability of a random move in the last of these games.
    pub exploration: f64,
    /// The rule's learning rate in the last of these games.
    pub learning_rate: f64,
    /// Games a second since the point before, learning included.
    pub games_per_second: f64,
}

/// What learning from own games came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OnlineReport {
    /// `ntuple`.
    pub family: String,
    /// Games that were learned from, also in earlier runs of the same training.
    pub games: u64,
    /// Their positions.
    pub positions: u64,
    /// Mean cross-entropy between values and results since the last but one point of the curve, in
    /// nats.
    pub loss: f64,
    /// Games a second over all games.
    pub games_per_second: f64,
    /// Largest difference in win probability between the trainer's and the engine's forward pass.
    pub parity: f64,
    /// Positions that were compared.
    pub parity_positions: usize,
    /// Every point.
    pub curve: Vec<OnlinePoint>,
    /// The model file.
    pub model: PathBuf,
}
