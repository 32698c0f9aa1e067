//! Results of training runs.

use crate::curve::CurvePoint;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Families of trainable evaluators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// N-tuple network.
    NTuple,
    /// Neural network.
    Network,
}

impl Family {
    /// Name, also that of the model file.
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
    /// Epochs, with those of interrupted runs.
    pub epochs: usize,
    /// Epoch of the exported weights, from 1.
    pub best_epoch: usize,
    /// Mean cross-entropy in nats during the best epoch.
    pub training_loss: f64,
    /// Mean cross-entropy in nats after the best epoch.
    pub validation_loss: f64,
    /// Training samples per second, without validation.
    pub samples_per_second: f64,
    /// Largest difference between win probabilities of trainer and engine.
    pub parity: f64,
    /// Number of positions compared.
    pub parity_positions: usize,
    /// One point per epoch.
    pub curve: Vec<CurvePoint>,
    /// The model file.
    pub model: PathBuf,
}

/// Progress of temporal-difference learning.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TdPoint {
    /// Games so far.
    pub games: u64,
    /// Positions since the previous point.
    pub positions: u64,
    /// Mean cross-entropy in nats of values before their updates, since the previous point.
    pub loss: f64,
    /// Probability of a random move in the latest game.
    pub exploration: f64,
    /// Rate in the latest game.
    pub learning_rate: f64,
    /// Games per second since the previous point, with updates.
    pub games_per_second: f64,
}

/// Result of temporal-difference learning.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TdReport {
    /// Always `ntuple`.
    pub family: String,
    /// Games, with those of interrupted runs.
    pub games: u64,
    /// Positions of all games.
    pub positions: u64,
    /// Mean cross-entropy in nats since the curve's last point but one.
    pub loss: f64,
    /// Games per second, with updates.
    pub games_per_second: f64,
    /// Largest difference between win probabilities of trainer and engine.
    pub parity: f64,
    /// Number of positions compared.
    pub parity_positions: usize,
    /// Learning curve.
    pub curve: Vec<TdPoint>,
    /// The model file.
    pub model: PathBuf,
}
