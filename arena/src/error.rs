//! Why something could not be measured.
//!
//! Nobody tells one cause from another but people, so most of them are words, in one line.

use engine::core::{files::FileError, journal::JournalError};
use engine::play::notation::PlayerError;

/// Why something could not be measured.
#[derive(Debug, thiserror::Error)]
pub enum MeasuringError {
    /// A player's notation is wrong, or names what this program does not have.
    #[error(transparent)]
    Player(#[from] PlayerError),
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The state of earlier work cannot be used.
    #[error(transparent)]
    State(#[from] JournalError),
    /// A result cannot be written as JSON.
    #[error("cannot write the result as JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// Anything else.
    #[error("{0}")]
    Words(String),
}

/// What was measured, or why not.
pub type Result<T, E = MeasuringError> = std::result::Result<T, E>;

impl From<String> for MeasuringError {
    fn from(words: String) -> Self {
        Self::Words(words)
    }
}
