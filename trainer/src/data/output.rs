//! A new directory of shards, filled game by game.
//!
//! Invariant: it appears whole or not at all (`staging.rs`). Equal games in equal order make equal
//! bytes.

use super::{intake::LeftOut, staging::Staging};
use crate::Error;
use crate::manifest::Manifest;
use crate::shard::{self, GAMES_PER_SHARD, PlayedGame, ShardHeader};
use engine::{core::record::Ending, play::playable::Playable};
use serde::Serialize;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

/// A directory that is being filled.
#[derive(Debug)]
pub struct Output<G: Playable> {
    staging: Staging,
    header: ShardHeader,
    waiting: Vec<PlayedGame<G>>,
    written: Written,
}

/// What a new directory holds.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Written {
    /// The directory.
    pub directory: PathBuf,
    /// Its shards.
    pub shards: u64,
    /// Games in all shards.
    pub games: u64,
    /// Games that repeat another one before them, or an image of it under the symmetries of the
    /// rules, where games were dealt by that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duplicates: Option<u64>,
    /// Plies of all games.
    pub positions: u64,
    /// Plies with a value.
    pub values: u64,
    /// Labels of positions, all names together.
    pub labels: u64,
    /// Games by how they ended, if some did not end by the rules.
    #[serde(skip_serializing_if = "are_played")]
    pub endings: BTreeMap<Ending, u64>,
    /// Games of the file it was made of that it does not have.
    #[serde(skip_serializing_if = "LeftOut::is_empty")]
    pub left_out: LeftOut,
}

/// Whether all games ended by the rules.
pub(super) fn are_played(endings: &BTreeMap<Ending, u64>) -> bool {
    endings.keys().all(Ending::is_played)
}

impl Written {
    pub(super) fn new(directory: &Path) -> Self {
        Self {
            directory: directory.to_owned(),
            ..Self::default()
        }
    }

    /// Counts a game, but not the shard it is in.
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

impl<G: Playable> Output<G> {
    /// A directory to be, of shards with such headers, but for what says which games are in them.
    ///
    /// # Errors
    /// If something but an empty directory is there, or nothing can be written beside it.
    pub fn create(place: &Path, header: ShardHeader) -> Result<Self, Error> {
        Ok(Self {
            staging: Staging::create(place)?,
            header,
            waiting: Vec::new(),
            written: Written::new(place),
        })
    }

    /// Adds a game.
    ///
    /// # Errors
    /// If a shard cannot be written.
    pub fn push(&mut self, game: PlayedGame<G>) -> Result<(), Error> {
        self.written.count(&game);
        self.waiting.push(game);
        if self.waiting.len() as u64 == GAMES_PER_SHARD {
            self.write_shard()
        } else {
            Ok(())
        }
    }

    fn write_shard(&mut self) -> Result<(), Error> {
        let games = self.waiting.len() as u64;
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
            &self.waiting,
        )?;
        self.written.shards += 1;
        self.waiting.clear();
        Ok(())
    }

    /// Nothing is made of no games; `place` names it in the error.
    pub(super) fn check_not_empty(&self, place: &Path) -> Result<(), Error> {
        if self.written.games == 0 {
            return Err(Error::at(place, "not made: no game would be in it"));
        }
        Ok(())
    }

    /// Writes what is left and the manifest, and puts the directory in its place.
    ///
    /// # Errors
    /// If there are no games, or a file cannot be written.
    pub fn finish(mut self) -> Result<Written, Error> {
        self.check_not_empty(&self.written.directory)?;
        if !self.waiting.is_empty() {
            self.write_shard()?;
        }
        Manifest::new(self.header, self.written.games).write(self.staging.path())?;
        self.staging.finish()?;
        Ok(self.written)
    }
}
