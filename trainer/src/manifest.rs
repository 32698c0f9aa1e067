//! Manifest `run.json` of a directory of shards: settings and number of games, written first.

use crate::Error;
use crate::shard::{BoardMap, GAMES_PER_SHARD, Label, ShardHeader, labels::is_false};
use alea_core::files::{self, FileError, FileKind};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

const RECORDS_FORMAT: &str = "alea-records-2";

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Manifest {
    format: String,
    pub(crate) run: serde_json::Value,
    pub(crate) players: Vec<String>,
    pub(crate) game: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) map: Option<BoardMap>,
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) times: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) labels: Vec<Label>,
    pub(crate) games: u64,
    pub(crate) games_per_shard: u64,
    pub(crate) shards: u64,
}

impl Manifest {
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
            format: RECORDS_FORMAT.to_owned(),
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

    /// Whether a shard has this run's settings, whatever its range of games.
    pub(crate) fn matches(&self, header: &ShardHeader) -> bool {
        *self == Self::new(header.clone(), self.games)
    }

    pub(crate) fn path(directory: &Path) -> PathBuf {
        directory.join("run.json")
    }

    pub(crate) fn read(directory: &Path) -> Result<Option<Self>, Error> {
        let path = Self::path(directory);
        let bytes = match files::read(&path, FileKind::Text) {
            Err(FileError::NotFound { .. }) => return Ok(None),
            read => read?,
        };
        let foreign = |problem: String| {
            Error::at_path(
                &path,
                format!("no manifest of game records ({problem}); choose another directory"),
            )
        };
        let manifest: Self =
            serde_json::from_slice(&bytes).map_err(|error| foreign(error.to_string()))?;
        if manifest.format != RECORDS_FORMAT {
            return Err(foreign(format!("its format is {}", manifest.format)));
        }
        Ok(Some(manifest))
    }

    pub(crate) fn write(&self, directory: &Path) -> Result<(), FileError> {
        let text = serde_json::to_string_pretty(self).unwrap_or_default() + "\n";
        files::write_atomically(&Self::path(directory), |file| {
            file.write_all(text.as_bytes())
        })
    }
}
