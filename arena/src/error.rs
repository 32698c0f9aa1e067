//! Errors of matches, regret measurements and reports.

use alea_core::{files::FileError, journal::JournalError};
use alea_play::player_notation::NotationError;

/// Error of a match, a measurement or a report; its text is one line.
#[derive(Debug, thiserror::Error)]
pub enum MeasuringError {
    /// Invalid spec of a player, evaluator or game.
    #[error(transparent)]
    Player(#[from] NotationError),
    /// File that cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// Journal of finished work that cannot be used.
    #[error(transparent)]
    State(#[from] JournalError),
    /// Result that cannot be converted to JSON.
    #[error("cannot write the result as JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// Any other error, as text.
    #[error("{0}")]
    Words(String),
}

/// Result with [`MeasuringError`] as default error.
pub type Result<T, E = MeasuringError> = std::result::Result<T, E>;

impl From<String> for MeasuringError {
    fn from(words: String) -> Self {
        Self::Words(words)
    }
}
