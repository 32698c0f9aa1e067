//! Results of training runs.

use crate::curve::CurvePoint;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Family of trainable evaluators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// N-tuple network.
    NTuple,
    /// Neural network.
    Network,
}

impl Family {
    /// Name of the family, also that of its model file.
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
    /// Name of the model family, `ntuple` or `network`.
    pub family: String,
    /// Number of epochs, including those of interrupted runs.
    pub epochs: usize,
    /// Epoch of the exported weights, from 1.
    pub best_epoch: usize,
    /// Mean training cross-entropy during the best epoch, in nats.
    pub training_loss: f64,
    /// Mean validation cross-entropy after the best epoch, in nats.
    pub validation_loss: f64,
    /// Training samples per second, without validation.
    pub samples_per_second: f64,
    /// Largest difference between win probabilities of trainer and engine.
    pub parity: f64,
    /// Number of positions in which trainer and engine were compared.
    pub parity_positions: usize,
    /// Training curve, one point per epoch.
    pub curve: Vec<CurvePoint>,
    /// Path of the model file.
    pub model: PathBuf,
}

/// Point of the curve of temporal-difference learning.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TdPoint {
    /// Number of games so far.
    pub games: u64,
    /// Number of positions since the previous point.
    pub positions: u64,
    /// Mean cross-entropy of values before their updates against game results, since the previous
    /// point, in nats.
    pub loss: f64,
    /// Probability of a random move in the latest game.
    pub exploration: f64,
    /// Learning rate in the latest game.
    pub learning_rate: f64,
    /// Games per second since the previous point, including updates.
    pub games_per_second: f64,
}

/// Result of temporal-difference learning.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TdReport {
    /// Name of the model family, `ntuple` or `network`.
    pub family: String,
    /// Number of games, including those of interrupted runs.
    pub games: u64,
    /// Number of positions in all games.
    pub positions: u64,
    /// Mean cross-entropy since the curve's last point but one, in nats.
    pub loss: f64,
    /// Games per second, including updates.
    pub games_per_second: f64,
    /// Largest difference between win probabilities of trainer and engine.
    pub parity: f64,
    /// Number of positions in which trainer and engine were compared.
    pub parity_positions: usize,
    /// Learning curve.
    pub curve: Vec<TdPoint>,
    /// Path of the model file.
    pub model: PathBuf,
}
