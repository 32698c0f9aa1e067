//! Why something could not be done.

use engine::core::files::FileError;
use std::{fmt::Display, io, path::Path};

/// Why something could not be done, as one line that names the file, line or key and says what
/// would be right.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file or directory cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// Several files are wrong, each for a reason of its own; in their order.
    #[error("{} problems, the first: {}", .0.len(), .0[0])]
    Several(Vec<Error>),
    /// All else.
    #[error("{0}")]
    Other(String),
}

impl Error {
    /// Fails if there are problems; a single one is told as it is.
    pub(crate) fn unless_none(mut problems: Vec<Self>) -> Result<(), Self> {
        match problems.len() {
            0 => Ok(()),
            1 => Err(problems.remove(0)),
            _ => Err(Self::Several(problems)),
        }
    }

    /// The line as a whole.
    pub(crate) fn new(line: impl Display) -> Self {
        Self::Other(line.to_string())
    }

    /// What the system says when a file or directory is to be written.
    pub(crate) fn writing(path: &Path) -> impl Fn(io::Error) -> Self {
        |cause| {
            FileError::Write {
                path: path.to_owned(),
                cause,
            }
            .into()
        }
    }

    /// A problem with a file or directory, which the line names first.
    pub(crate) fn at(path: impl AsRef<Path>, problem: impl Display) -> Self {
        Self::of(path.as_ref().display())(problem)
    }

    /// Problems with `what`, which the line names first.
    pub(crate) fn of<P: Display>(what: impl Display) -> impl Fn(P) -> Self {
        move |problem| Self::Other(format!("{what}: {problem}"))
    }
}
