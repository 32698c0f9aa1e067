//! Results of training runs; this module does not need burn.

use crate::curve::CurvePoint;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Families of evaluators that can be trained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// N-tuple network.
    NTuple,
    /// Neural network.
    Network,
}

impl Family {
    /// Name of the family, which is also that of the model file.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::NTuple => "ntuple",
            Self::Network => "network",
        }
    }
}

/// Result of supervised training.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainingReport {
    /// `ntuple` or `network`.
    pub family: String,
    /// Number of epochs, including those of earlier runs of the same training.
    pub epochs: usize,
    /// Epoch of the exported weights, from 1.
    pub best_epoch: usize,
    /// Mean cross-entropy of the training samples during that epoch, in nats.
    pub training_loss: f64,
    /// Mean cross-entropy of the validation samples after that epoch, in nats.
    pub validation_loss: f64,
    /// Training samples per second, validation excluded.
    pub samples_per_second: f64,
    /// Largest difference between win probabilities of trainer and engine.
    pub parity: f64,
    /// Number of positions on which trainer and engine were compared.
    pub parity_positions: usize,
    /// One point per epoch.
    pub curve: Vec<CurvePoint>,
    /// Path of the model file.
    pub model: PathBuf,
}

/// A point of the learning curve of temporal-difference learning.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TdPoint {
    /// Number of games so far.
    pub games: u64,
    /// Number of positions since the previous point.
    pub positions: u64,
    /// Mean cross-entropy between results and values before the update, since the previous point,
    /// in nats.
    pub loss: f64,
    /// Probability of a random move in the latest game.
    pub exploration: f64,
    /// Learning rate of the update rule in the latest game.
    pub learning_rate: f64,
    /// Games per second since the previous point, including updates.
    pub games_per_second: f64,
}

/// Result of temporal-difference learning.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TdReport {
    /// Always `ntuple`.
    pub family: String,
    /// Number of games, including those of earlier runs of the same training.
    pub games: u64,
    /// Number of positions of these games.
    pub positions: u64,
    /// Mean cross-entropy of the last point of the curve, in nats.
    pub loss: f64,
    /// Average over all games.
    pub games_per_second: f64,
    /// Largest difference between win probabilities of trainer and engine.
    pub parity: f64,
    /// Number of positions on which trainer and engine were compared.
    pub parity_positions: usize,
    /// Learning curve.
    pub curve: Vec<TdPoint>,
    /// Path of the model file.
    pub model: PathBuf,
}
