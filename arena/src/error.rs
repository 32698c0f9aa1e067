//! Errors of measurements.

use alea_core::{files::FileError, journal::JournalError};
use alea_play::player_notation::NotationError;

/// Why a measurement failed.
#[derive(Debug, thiserror::Error)]
pub enum MeasuringError {
    /// Invalid spec, or unknown player.
    #[error(transparent)]
    Player(#[from] NotationError),
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// A journal (file of finished work) cannot be used.
    #[error(transparent)]
    State(#[from] JournalError),
    /// A result cannot be written as JSON.
    #[error("cannot write the result as JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// Any other error, in one line.
    #[error("{0}")]
    Words(String),
}

/// Result of a measurement.
pub type Result<T, E = MeasuringError> = std::result::Result<T, E>;

impl From<String> for MeasuringError {
    fn from(words: String) -> Self {
        Self::Words(words)
    }
}
