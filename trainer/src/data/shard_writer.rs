//! Writer of a directory of shards, which appears complete or not at all.

use super::{atomic_dir::AtomicDirectory, import_sink::SkippedGames};
use crate::Error;
use crate::manifest::Manifest;
use crate::shard::{self, GAMES_PER_SHARD, PlayedGame, ShardHeader};
use alea_core::record::Ending;
use alea_play::playable::Playable;
use serde::Serialize;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

/// Writer of a new directory of shards.
#[derive(Debug)]
pub struct ShardWriter<G: Playable> {
    staging: AtomicDirectory,
    header: ShardHeader,
    buffered: Vec<PlayedGame<G>>,
    written: WriteSummary,
}

/// Counts of a written set of games.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct WriteSummary {
    /// Path of the directory.
    pub directory: PathBuf,
    /// Number of shards.
    pub shards: u64,
    /// Number of games.
    pub games: u64,
    /// Number of games that repeat an earlier one or a symmetric image of it; `None` unless a set
    /// is split.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duplicates: Option<u64>,
    /// Number of positions before a ply, equal to the number of plies.
    pub positions: u64,
    /// Number of plies with a search value.
    pub values: u64,
    /// Number of label values, summed over positions and labels.
    pub labels: u64,
    /// Number of games by ending; absent from JSON if all ended by the rules.
    #[serde(skip_serializing_if = "all_ended_by_rules")]
    pub endings: BTreeMap<Ending, u64>,
    /// Imported games that were not stored.
    #[serde(skip_serializing_if = "SkippedGames::has_none")]
    pub left_out: SkippedGames,
}

pub(super) fn all_ended_by_rules(endings: &BTreeMap<Ending, u64>) -> bool {
    endings.keys().all(Ending::is_played)
}

impl WriteSummary {
    pub(super) fn new(directory: &Path) -> Self {
        Self {
            directory: directory.to_owned(),
            ..Self::default()
        }
    }

    pub(super) fn count_game<G: Playable>(&mut self, game: &PlayedGame<G>) {
        self.games += 1;
        *self.endings.entry(game.record.ending).or_default() += 1;
        self.positions += game.record.plies.len() as u64;
        self.values += game
            .record
            .plies
            .iter()
            .filter(|ply| ply.value.is_some())
            .count() as u64;
        self.labels += game.labels.iter().flatten().flatten().count() as u64;
    }
}

impl<G: Playable> ShardWriter<G> {
    /// Starts a directory under a temporary name; shards get `header` with their own range of
    /// games.
    pub fn create(directory: &Path, header: ShardHeader) -> Result<Self, Error> {
        Ok(Self {
            staging: AtomicDirectory::create(directory)?,
            header,
            buffered: Vec::new(),
            written: WriteSummary::new(directory),
        })
    }

    /// Appends a game; writes the current shard once it is full.
    pub fn push(&mut self, game: PlayedGame<G>) -> Result<(), Error> {
        self.written.count_game(&game);
        self.buffered.push(game);
        if self.buffered.len() as u64 == GAMES_PER_SHARD {
            self.write_shard()
        } else {
            Ok(())
        }
    }

    fn write_shard(&mut self) -> Result<(), Error> {
        let games = self.buffered.len() as u64;
        let header = ShardHeader {
            first_game: self.written.games - games,
            games,
            ..self.header.clone()
        };
        shard::write(
            &self
                .staging
                .path()
                .join(shard::file_name(self.written.shards)),
            &header,
            &self.buffered,
        )?;
        self.written.shards += 1;
        self.buffered.clear();
        Ok(())
    }

    pub(super) fn check_not_empty(&self, directory: &Path) -> Result<(), Error> {
        if self.written.games == 0 {
            return Err(Error::at_path(
                directory,
                "not created: it would have no game",
            ));
        }
        Ok(())
    }

    /// Writes the last shard and the manifest, then renames the directory to its final path.
    pub fn finish(mut self) -> Result<WriteSummary, Error> {
        self.check_not_empty(&self.written.directory)?;
        if !self.buffered.is_empty() {
            self.write_shard()?;
        }
        Manifest::new(self.header, self.written.games).write(self.staging.path())?;
        self.staging.commit()?;
        Ok(self.written)
    }
}
