//! Writer of a new directory of shards.
//!
//! Invariant: the directory appears complete or not at all. Equal games in equal order give equal
//! bytes.

use super::{atomic_dir::AtomicDirectory, import_sink::SkippedGames};
use crate::Error;
use crate::manifest::Manifest;
use crate::shard::{self, GAMES_PER_SHARD, PlayedGame, ShardHeader};
use engine::{core::record::Ending, play::playable::Playable};
use serde::Serialize;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

/// A directory of shards that is being filled.
#[derive(Debug)]
pub struct ShardWriter<G: Playable> {
    staging: AtomicDirectory,
    header: ShardHeader,
    buffered: Vec<PlayedGame<G>>,
    written: WriteSummary,
}

/// Summary of a written directory.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct WriteSummary {
    /// The directory.
    pub directory: PathBuf,
    /// Number of shards.
    pub shards: u64,
    /// Number of games.
    pub games: u64,
    /// Games that repeat an earlier one or its image under the symmetries of the rules, where a
    /// split detects them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duplicates: Option<u64>,
    /// Number of plies.
    pub positions: u64,
    /// Plies with a value.
    pub values: u64,
    /// Labelled positions, summed over all labels.
    pub labels: u64,
    /// Games by ending, if some did not end by the rules.
    #[serde(skip_serializing_if = "all_by_rules")]
    pub endings: BTreeMap<Ending, u64>,
    /// Games of the imported file that were skipped.
    #[serde(skip_serializing_if = "SkippedGames::is_empty")]
    pub left_out: SkippedGames,
}

/// Whether all games ended by the rules.
pub(super) fn all_by_rules(endings: &BTreeMap<Ending, u64>) -> bool {
    endings.keys().all(Ending::is_played)
}

impl WriteSummary {
    pub(super) fn new(directory: &Path) -> Self {
        Self {
            directory: directory.to_owned(),
            ..Self::default()
        }
    }

    /// Counts a game.
    pub(super) fn count<G: Playable>(&mut self, game: &PlayedGame<G>) {
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
    /// Starts a directory; `header` is that of its shards, except for the range of games.
    pub fn create(directory: &Path, header: ShardHeader) -> Result<Self, Error> {
        Ok(Self {
            staging: AtomicDirectory::create(directory)?,
            header,
            buffered: Vec::new(),
            written: WriteSummary::new(directory),
        })
    }

    /// Adds a game.
    pub fn push(&mut self, game: PlayedGame<G>) -> Result<(), Error> {
        self.written.count(&game);
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

    /// Refuses an empty set; `directory` is for the error.
    pub(super) fn check_not_empty(&self, directory: &Path) -> Result<(), Error> {
        if self.written.games == 0 {
            return Err(Error::at_path(
                directory,
                "not created: it would have no game",
            ));
        }
        Ok(())
    }

    /// Writes the remaining games and the manifest, and moves the directory to its final path.
    pub fn finish(mut self) -> Result<WriteSummary, Error> {
        self.check_not_empty(&self.written.directory)?;
        if !self.buffered.is_empty() {
            self.write_shard()?;
        }
        Manifest::new(self.header, self.written.games).write(self.staging.path())?;
        self.staging.finish()?;
        Ok(self.written)
    }
}
