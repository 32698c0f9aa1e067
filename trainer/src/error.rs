//! Errors of this crate.

use alea_core::files::FileError;
use std::{fmt::Display, io, path::Path};

/// Error whose message, one line, names the file, line or key and what would be right.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Failure to read or write a file.
    #[error(transparent)]
    File(#[from] FileError),
    /// Several errors, in the order of the files.
    #[error("{} problems, the first: {}", .0.len(), .0[0])]
    Several(Vec<Error>),
    /// Loss that is infinite or NaN, or weights beyond what the engine can hold.
    #[error("{0}")]
    Divergence(String),
    /// Any other error.
    #[error("{0}")]
    Other(String),
}

impl Error {
    pub(crate) fn from_problems(mut problems: Vec<Self>) -> Result<(), Self> {
        match problems.len() {
            0 => Ok(()),
            1 => Err(problems.remove(0)),
            _ => Err(Self::Several(problems)),
        }
    }

    pub(crate) fn new(line: impl Display) -> Self {
        Self::Other(line.to_string())
    }

    pub(crate) fn write_failed(path: &Path) -> impl Fn(io::Error) -> Self {
        |cause| FileError::Write(path.to_owned(), cause).into()
    }

    pub(crate) fn at_path(path: impl AsRef<Path>, problem: impl Display) -> Self {
        Self::with_prefix(path.as_ref().display())(problem)
    }

    pub(crate) fn with_prefix<P: Display>(prefix: impl Display) -> impl Fn(P) -> Self {
        move |problem| Self::Other(format!("{prefix}: {problem}"))
    }
}
