//! The manifest of a directory of shards, `run.json`: what its shards are, and how many there
//! should be.
//!
//! Invariant: written before the first shard, and it names nothing that finishing a shard changes;
//! which shards are finished is seen from the files, which are complete or absent.

use crate::Error;
use crate::shard::{GAMES_PER_SHARD, GameMap, Label, ShardHeader, labels::is_false};
use engine::core::files::{self, FileError, FileKind};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

const FORMAT: &str = "alea-records-2";

/// What a directory of shards is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Manifest {
    format: String,
    /// What rules the games, as in the header of every shard.
    pub(crate) run: serde_json::Value,
    /// Notations of the players.
    pub(crate) players: Vec<String>,
    /// The game with its parameters.
    pub(crate) game: String,
    /// The map it is played on, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) map: Option<GameMap>,
    /// Whether plies may have the time that they took.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) times: bool,
    /// The labels that games may carry.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) labels: Vec<Label>,
    /// Games of all shards together.
    pub(crate) games: u64,
    /// Games of each shard but the last.
    pub(crate) games_per_shard: u64,
    /// Number of shards.
    pub(crate) shards: u64,
}

impl Manifest {
    /// The manifest of `games` games in shards with such headers.
    pub(crate) fn new(header: ShardHeader, games: u64) -> Self {
        let ShardHeader {
            run,
            players,
            game,
            map,
            times,
            labels,
            ..
        } = header;
        let shards = games.div_ceil(GAMES_PER_SHARD);
        Self {
            format: FORMAT.to_owned(),
            run,
            players,
            game,
            map,
            times,
            labels,
            games,
            games_per_shard: GAMES_PER_SHARD,
            shards,
        }
    }

    /// Whether a shard says the same of itself, but for its games.
    pub(crate) fn fits(&self, header: &ShardHeader) -> bool {
        *self == Self::new(header.clone(), self.games)
    }

    /// Where the manifest of a directory is.
    pub(crate) fn path(directory: &Path) -> PathBuf {
        directory.join("run.json")
    }

    /// Reads the manifest of a directory; `None` if it has none.
    pub(crate) fn read(directory: &Path) -> Result<Option<Self>, Error> {
        let path = Self::path(directory);
        let bytes = match files::read(&path, FileKind::Text) {
            Err(FileError::NotFound { .. }) => return Ok(None),
            read => read?,
        };
        let foreign = |problem: String| {
            Error::at(
                &path,
                format!("no manifest of game records ({problem}); choose another directory"),
            )
        };
        let manifest: Self =
            serde_json::from_slice(&bytes).map_err(|error| foreign(error.to_string()))?;
        if manifest.format != FORMAT {
            return Err(foreign(format!("its format is {}", manifest.format)));
        }
        Ok(Some(manifest))
    }

    /// Writes the manifest of a directory.
    pub(crate) fn write(&self, directory: &Path) -> Result<(), FileError> {
        let text = serde_json::to_string_pretty(self).unwrap_or_default() + "\n";
        files::write_atomically(&Self::path(directory), |file| {
            file.write_all(text.as_bytes())
        })
    }
}
