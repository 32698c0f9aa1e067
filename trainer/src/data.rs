//! Sets of records beyond a single run: what is in them, whether they are sound, and new sets made of them.
//!
//! Invariant: games are the unit. They are never cut, and what is made of them is a directory of shards like any
//! other, which appears complete or not at all; its manifest and headers say what it was made of.

pub mod filter;
pub mod info;
pub mod json_lines;
pub mod output;
pub mod plot;
pub mod rewrite;
pub mod verify;

use crate::manifest::ManifestError;
use crate::shard::{self, PlayedGame, ShardError, ShardHeader};
use engine::files::FileError;
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::Xxh3Default;

/// Shards that are read at once; enough for all threads, and never much memory.
const SHARDS_AT_ONCE: usize = 16;

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
    /// Games of two variants cannot lie together.
    #[error("{}: games of the variant '{found}' among games of '{first}'; keep them in directories of their own", .path.display())]
    Variant {
        /// The first shard that differs.
        path: PathBuf,
        /// Its variant.
        found: String,
        /// The variant of the shards before it.
        first: String,
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
    /// A setting is out of range.
    #[error("{0}")]
    Setting(String),
    /// The picture could not be made.
    #[error("the picture cannot be drawn: {0}")]
    Drawing(String),
}

/// The shards that paths name: files as they are, directories with all their shards in the order of names.
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

/// Shards that can lie together: of one variant, with at most 255 players in all.
#[derive(Debug)]
pub struct Source {
    /// The shards, in order, and for each the index of its players among all.
    shards: Vec<(PathBuf, Vec<u8>)>,
    /// Notations of all players.
    pub players: Vec<String>,
    /// `classic` or `nearest`.
    pub variant: String,
    /// What ruled the games: the different runs, in the order of their first shards.
    pub runs: Vec<serde_json::Value>,
    /// Number of games.
    pub games: u64,
}

impl Source {
    /// Reads the headers of all shards that paths name.
    ///
    /// # Errors
    /// If a shard cannot be read, or does not fit to those before it.
    pub fn open(paths: &[PathBuf]) -> Result<Self, DataError> {
        let paths = shards_of(paths)?;
        let headers = paths.par_iter().map(|path| shard::read_header(path)).collect::<Result<Vec<ShardHeader>, _>>()?;
        let Some(first) = headers.first() else { return Err(DataError::Setting("no records are named".to_owned())) };
        let variant = first.variant.clone();
        let mut source = Self { shards: Vec::new(), players: Vec::new(), variant, runs: Vec::new(), games: 0 };
        for (path, header) in paths.into_iter().zip(headers) {
            if header.variant != source.variant {
                return Err(DataError::Variant { path, found: header.variant, first: source.variant });
            }
            let indices = header.players.iter().map(|player| source.player(player)).collect::<Option<Vec<u8>>>();
            let Some(indices) = indices else { return Err(DataError::Players(path)) };
            if !source.runs.contains(&header.run) {
                source.runs.push(header.run);
            }
            source.games += header.games;
            source.shards.push((path, indices));
        }
        Ok(source)
    }

    /// The index of a player, who is added if need be; `None` if there is no room.
    fn player(&mut self, name: &str) -> Option<u8> {
        let index = self.players.iter().position(|player| player == name).unwrap_or_else(|| {
            self.players.push(name.to_owned());
            self.players.len() - 1
        });
        u8::try_from(index).ok().filter(|&index| index < u8::MAX)
    }

    /// The files.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.shards.iter().map(|(path, _)| path.as_path())
    }

    /// Gives all games to `each`, in order, with players as numbered in [`Source::players`].
    ///
    /// # Errors
    /// If a shard cannot be read or has changed meanwhile, or if `each` fails.
    pub fn each_game(&self, mut each: impl FnMut(PlayedGame) -> Result<(), DataError>) -> Result<(), DataError> {
        for some in self.shards.chunks(SHARDS_AT_ONCE) {
            let read = some.par_iter().map(|(path, _)| shard::read(path)).collect::<Vec<_>>();
            for ((path, indices), read) in some.iter().zip(read) {
                for mut game in read?.1 {
                    for player in &mut game.players {
                        let changed = || DataError::Setting(format!("{}: changed while it was read", path.display()));
                        *player = *indices.get(usize::from(*player)).ok_or_else(changed)?;
                    }
                    each(game)?;
                }
            }
        }
        Ok(())
    }
}

/// What tells games apart: their start, dice and moves. Two games of the same fingerprint are, but for chance, the same.
#[must_use]
pub fn fingerprint(game: &PlayedGame) -> u128 {
    let mut hasher = Xxh3Default::new();
    hasher.update(&game.record.start.bits().to_le_bytes());
    for ply in &game.record.plies {
        hasher.update(&[ply.outcome, ply.mv.number()]);
    }
    hasher.digest128()
}

/// The directory a path is in.
fn parent(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}
