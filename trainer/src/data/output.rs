//! A new directory of shards, filled game by game.
//!
//! Invariant: it is filled beside the place where it will be, and renamed there when it is whole; a program that is
//! killed leaves nothing under that name. Equal games in equal order make equal bytes.

use super::{DataError, parent};
use crate::manifest::Manifest;
use crate::shard::{self, GAMES_PER_SHARD, PlayedGame, ShardHeader};
use engine::files::FileError;
use serde::Serialize;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A directory that is being filled.
#[derive(Debug)]
pub struct Output {
    place: PathBuf,
    temporary: TempDir,
    run: serde_json::Value,
    players: Vec<String>,
    variant: String,
    waiting: Vec<PlayedGame>,
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
    /// Plies of all games.
    pub positions: u64,
    /// Plies with a value.
    pub values: u64,
}

impl Output {
    /// A directory to be, of games of these players; `run` says what they are.
    ///
    /// # Errors
    /// If something but an empty directory is there, or nothing can be written beside it.
    pub fn create(place: &Path, run: serde_json::Value, players: &[String], variant: &str) -> Result<Self, DataError> {
        let is_empty = |place: &Path| std::fs::read_dir(place).is_ok_and(|mut entries| entries.next().is_none());
        if place.symlink_metadata().is_ok() && !is_empty(place) {
            return Err(DataError::Exists(place.to_owned()));
        }
        let failed = |cause| FileError::Write { path: place.to_owned(), cause };
        std::fs::create_dir_all(parent(place)).map_err(failed)?;
        let mut builder = tempfile::Builder::new();
        builder.prefix(".alea-").suffix(".tmp");
        // Temporary directories are private by default; the finished one gets what the user's umask leaves of 0777.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o777));
        let temporary = builder.tempdir_in(parent(place)).map_err(failed)?;
        let written = Written { directory: place.to_owned(), ..Written::default() };
        let (players, variant) = (players.to_vec(), variant.to_owned());
        Ok(Self { place: place.to_owned(), temporary, run, players, variant, waiting: Vec::new(), written })
    }

    /// Adds a game.
    ///
    /// # Errors
    /// If a shard cannot be written.
    pub fn push(&mut self, game: PlayedGame) -> Result<(), DataError> {
        self.written.positions += game.record.plies.len() as u64;
        self.written.values += game.record.plies.iter().filter(|ply| ply.value.is_some()).count() as u64;
        self.waiting.push(game);
        if self.waiting.len() as u64 == GAMES_PER_SHARD { self.write_shard() } else { Ok(()) }
    }

    fn write_shard(&mut self) -> Result<(), DataError> {
        let header = ShardHeader {
            run: self.run.clone(),
            players: self.players.clone(),
            variant: self.variant.clone(),
            first_game: self.written.games,
            games: self.waiting.len() as u64,
        };
        shard::write(&self.temporary.path().join(shard::file_name(self.written.shards)), &header, &self.waiting)?;
        self.written.games += header.games;
        self.written.shards += 1;
        self.waiting.clear();
        Ok(())
    }

    /// Nothing is made of no games.
    pub(super) fn check_not_empty(&self) -> Result<(), DataError> {
        if self.written.games == 0 && self.waiting.is_empty() {
            return Err(DataError::Setting(format!("{}: not made: no game would be in it", self.place.display())));
        }
        Ok(())
    }

    /// Writes what is left and the manifest, and puts the directory in its place.
    ///
    /// # Errors
    /// If there are no games, or a file cannot be written.
    pub fn finish(mut self) -> Result<Written, DataError> {
        self.check_not_empty()?;
        if !self.waiting.is_empty() {
            self.write_shard()?;
        }
        Manifest::new(self.run, self.players, self.variant, self.written.games).write(self.temporary.path())?;
        let failed = |cause| FileError::Write { path: self.place.clone(), cause };
        std::fs::rename(self.temporary.path(), &self.place).map_err(failed)?;
        // It is no longer there under its temporary name.
        let _ = self.temporary.keep();
        #[cfg(unix)]
        std::fs::File::open(parent(&self.place)).and_then(|directory| directory.sync_all()).map_err(failed)?;
        Ok(self.written)
    }
}
