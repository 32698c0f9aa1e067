//! Operations on sets of game records, written atomically as directories of shards.

mod atomic_dir;
pub mod derived_sets;
mod game_builder;
pub mod hf_dataset;
mod import_sink;
pub mod json_lines;
pub mod parquet;
pub mod position_filter;
pub mod relabel;
mod shard_reader;
pub mod shard_writer;
pub mod statistics;
pub mod transcripts;
pub mod verify;

pub use import_sink::{BadGames, SkippedGames};
pub use shard_reader::ShardReader;
pub(crate) use shard_reader::different_game_error;

use crate::Error;
use crate::shard;
use alea_core::files::{self, FileError};
use std::{
    io::Write,
    path::{Path, PathBuf},
};

/// Lists shard files: each given file, and each given directory's shards sorted by name.
pub fn shards_of(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Error> {
    let mut shards = Vec::new();
    for path in paths {
        if path.is_dir() {
            let found = shard::list(path)?;
            if found.is_empty() {
                return Err(Error::at_path(path, "no game records there"));
            }
            shards.extend(found);
        } else if path.exists() {
            shards.push(path.clone());
        } else {
            return Err(FileError::NotFound(path.clone()).into());
        }
    }
    Ok(shards)
}

fn write_games(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut outcome = Ok(());
    let written = files::write_atomically(path, |file| {
        outcome = write(file);
        match outcome {
            Ok(()) => Ok(()),
            Err(_) => Err(std::io::Error::other("the games cannot be read")),
        }
    });
    outcome?;
    Ok(written?)
}

fn parent(path: &Path) -> &Path {
    path.parent()
        .filter(|parent| !parent.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}
