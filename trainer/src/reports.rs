//! What trainings came to, in numbers; whoever only reads of them needs no burn.

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
    /// Every epoch.
    pub curve: Vec<CurvePoint>,
    /// The model file.
    pub model: PathBuf,
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
