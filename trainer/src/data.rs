//! Sets of records beyond a single run: what is in them, whether they are sound, and new sets made
//! of them.
//!
//! Invariant: games are the unit. They are never cut, and what is made of them is a directory of
//! shards like any other, which appears complete or not at all; its manifest and headers say what
//! it was made of.

mod builder;
pub mod filter;
pub mod info;
pub mod json_lines;
pub mod output;
pub mod parquet;
pub mod plot;
pub mod relabel;
pub mod rewrite;
mod source;
mod staging;
pub mod transcripts;
pub mod verify;

pub use source::Source;

use crate::label::LabelError;
use crate::manifest::ManifestError;
use crate::shard::{self, PlayedGame, ShardError};
use engine::core::files::{self, FileError};
use engine::play::playable::Playable;
use std::{
    io::Write,
    path::{Path, PathBuf},
};

/// Why a set of records cannot be read or made.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    /// A shard cannot be read or written.
    #[error(transparent)]
    Shard(#[from] ShardError),
    /// A file or directory cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// A manifest cannot be read.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// There are no games.
    #[error("{}: no game records there", .0.display())]
    Empty(PathBuf),
    /// Games by different rules cannot lie together.
    #[error("{}: games of '{found}' among games of '{first}'; keep them in directories of their own", .path.display())]
    Game {
        /// The first shard that differs.
        path: PathBuf,
        /// Its game.
        found: String,
        /// The game of the shards before it.
        first: String,
    },
    /// Labels of one name have to be comparable.
    #[error("{}: its label '{name}' is by {found}, and that of the records before by {first}; relabel one of them", .path.display())]
    Label {
        /// The first shard that differs.
        path: PathBuf,
        /// The label.
        name: String,
        /// Who made it.
        found: String,
        /// Who made that of the shards before.
        first: String,
    },
    /// Labels cannot be made.
    #[error(transparent)]
    Labeller(#[from] LabelError),
    /// What was begun there is something else.
    #[error("{}: {problem}; remove the directory, or choose another", .path.display())]
    OtherWork {
        /// The directory, or a shard in it.
        path: PathBuf,
        /// In what it differs.
        problem: String,
    },
    /// Shards name players by a byte.
    #[error("{}: with it there are more than 255 players", .0.display())]
    Players(PathBuf),
    /// The output is there already.
    #[error("{}: exists already; choose another directory, or remove it", .0.display())]
    Exists(PathBuf),
    /// A line of text is no game.
    #[error("{}: line {line}: {problem}", .path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: u64,
        /// What is wrong with it.
        problem: String,
    },
    /// A Parquet file does not hold games.
    #[error("{}: {problem}", .path.display())]
    Parquet {
        /// The file.
        path: PathBuf,
        /// What does not fit.
        problem: String,
    },
    /// A row of a Parquet file fits to no game.
    #[error("{}: row {row}: {problem}", .path.display())]
    Row {
        /// The file.
        path: PathBuf,
        /// The row, counted from 0.
        row: u64,
        /// What is wrong with it.
        problem: String,
    },
    /// A setting is out of range.
    #[error("{0}")]
    Setting(String),
    /// The picture could not be made.
    #[error("the picture cannot be drawn: {0}")]
    Drawing(String),
}

/// The shards that paths name: files as they are, directories with all their shards in the order of
/// names.
///
/// # Errors
/// If a path does not exist, or a directory has no shards.
pub fn shards_of(paths: &[PathBuf]) -> Result<Vec<PathBuf>, DataError> {
    let mut shards = Vec::new();
    for path in paths {
        if path.is_dir() {
            let found = shard::list(path)?;
            if found.is_empty() {
                return Err(DataError::Empty(path.clone()));
            }
            shards.extend(found);
        } else if path.exists() {
            shards.push(path.clone());
        } else {
            return Err(FileError::NotFound { path: path.clone() }.into());
        }
    }
    Ok(shards)
}

/// Writes a file: what comes before the games, then each game with its number from 0; how many
/// there are.
fn write_games<G: Playable>(
    source: &Source<G>,
    path: &Path,
    before: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
    mut each: impl FnMut(&mut dyn Write, u64, &PlayedGame<G>) -> Result<std::io::Result<()>, DataError>,
) -> Result<u64, DataError> {
    let mut games = 0;
    // Whatever stops the reading of games has to get out through the writing of the file.
    let mut failure = None;
    let written = files::write_atomically(path, |file| {
        before(file)?;
        let stopped = source.each_game(|game| {
            let written = each(file, games, &game)?;
            games += 1;
            written.map_err(|cause| {
                FileError::Write {
                    path: path.to_owned(),
                    cause,
                }
                .into()
            })
        });
        stopped.map_err(|error| {
            failure = Some(error);
            std::io::Error::other("the games cannot be read")
        })
    });
    match (failure, written) {
        (Some(error), _) => Err(error),
        (None, written) => Ok(written.map(|()| games)?),
    }
}

/// The directory a path is in.
fn parent(path: &Path) -> &Path {
    path.parent()
        .filter(|parent| !parent.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}
