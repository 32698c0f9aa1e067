//! Reports of trainings; reading them needs no burn.

use crate::curve::CurvePoint;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Families of trained evaluators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// N-tuple network.
    NTuple,
    /// Neural network.
    Network,
}

impl Family {
    /// The name, also of the model file.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::NTuple => "ntuple",
            Self::Network => "network",
        }
    }
}

/// Result of a supervised training.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainingReport {
    /// `ntuple` or `network`.
    pub family: String,
    /// Epochs, including those of earlier runs of the same training.
    pub epochs: usize,
    /// Epoch of the exported weights, from 1.
    pub best_epoch: usize,
    /// Mean cross-entropy during that epoch, in nats.
    pub training_loss: f64,
    /// Mean cross-entropy of the validation samples after that epoch, in nats.
    pub validation_loss: f64,
    /// Training samples per second, validation excluded.
    pub samples_per_second: f64,
    /// Largest difference in win probability between trainer and engine.
    pub parity: f64,
    /// Number of compared positions.
    pub parity_positions: usize,
    /// One point per epoch.
    pub curve: Vec<CurvePoint>,
    /// The model file.
    pub model: PathBuf,
}

/// One point of the learning curve of temporal-difference learning.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TdPoint {
    /// Games so far.
    pub games: u64,
    /// Positions since the previous point.
    pub positions: u64,
    /// Mean cross-entropy between values before the update and results, in nats.
    pub loss: f64,
    /// Probability of a random move in the last game.
    pub exploration: f64,
    /// Learning rate of the update rule in the last game.
    pub learning_rate: f64,
    /// Games per second since the previous point, updates included.
    pub games_per_second: f64,
}

/// Result of temporal-difference learning.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TdReport {
    /// `ntuple`.
    pub family: String,
    /// Games, including those of earlier runs of the same training.
    pub games: u64,
    /// Positions of these games.
    pub positions: u64,
    /// Mean cross-entropy since the last point of the curve but one, in nats.
    pub loss: f64,
    /// Games per second over all games.
    pub games_per_second: f64,
    /// Largest difference in win probability between trainer and engine.
    pub parity: f64,
    /// Number of compared positions.
    pub parity_positions: usize,
    /// The learning curve.
    pub curve: Vec<TdPoint>,
    /// The model file.
    pub model: PathBuf,
}
