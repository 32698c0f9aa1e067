//! Errors of measurements.

use alea_core::{files::FileError, journal::JournalError};
use alea_play::player_notation::NotationError;

/// Error of a measurement.
#[derive(Debug, thiserror::Error)]
pub enum MeasuringError {
    /// Invalid player spec, or unknown player.
    #[error(transparent)]
    Player(#[from] NotationError),
    /// A file that cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// A journal (the file of finished work) that cannot be used.
    #[error(transparent)]
    State(#[from] JournalError),
    /// A result that cannot be written as JSON.
    #[error("cannot write the result as JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// Any other error, as one line of text.
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
