//! Why a shard cannot be read or written.

use super::{MAGIC, OLDEST, VERSION};
use engine::core::files;
use std::path::PathBuf;

/// Why a shard cannot be read or written. Every message names the file.
#[derive(Debug, thiserror::Error)]
pub enum ShardError {
    /// Reading or writing failed.
    #[error(transparent)]
    File(#[from] files::FileError),
    /// The file is not a shard at all.
    #[error("{}: not a file of game records (it does not begin with {})", .0.display(), String::from_utf8_lossy(MAGIC))]
    Foreign(PathBuf),
    /// The file is of another version.
    #[error("{}: game records of version {found}; this program reads versions {OLDEST} to {VERSION}", .path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
    },
    /// The file is truncated or damaged.
    #[error("{}: truncated or damaged ({problem}); remove it and the run will make it again", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What does not fit.
        problem: String,
    },
    /// The file is of another game.
    #[error("{}: {problem}", .path.display())]
    Game {
        /// The file.
        path: PathBuf,
        /// Which game it is of, and which is wanted.
        problem: String,
    },
    /// A game does not follow the rules.
    #[error("{}: game {game}: {problem}", .path.display())]
    Record {
        /// The file.
        path: PathBuf,
        /// The game, counted from 0 within the file.
        game: u64,
        /// What is wrong with it.
        problem: String,
    },
    /// The games would not be read again as they are.
    #[error("{}: not written: {problem}", .path.display())]
    Encode {
        /// The file that was to be written.
        path: PathBuf,
        /// What went wrong.
        problem: String,
    },
}
