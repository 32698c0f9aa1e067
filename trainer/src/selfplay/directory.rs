//! A run in its directory: which shards are there, which are missing, and whose they are.
//!
//! Invariant: a directory holds shards of one run, which its manifest names; a shard is a pure function of the run's
//! settings and its number, so it does not matter which process makes it, or whether others have been made.

use super::{SelfPlay, SelfPlayError, SelfPlaySummary};
use crate::manifest::Manifest;
use crate::shard::{self, GAMES_PER_SHARD, PlayedGame, ShardHeader};
use engine::files;
use indicatif::ProgressBar;
use std::collections::BTreeSet;
use std::fs::{File, TryLockError};
use std::path::Path;

impl SelfPlay {
    /// Plays whatever shards are not yet in `directory`, and says what all of them hold.
    ///
    /// # Errors
    /// If the directory holds shards of other settings, more games than asked for or a damaged shard, if another run
    /// is writing there, or if it cannot be written. Shards that were complete stay as they are.
    pub fn run(&self, directory: &Path, progress: &ProgressBar) -> Result<SelfPlaySummary, SelfPlayError> {
        make(directory)?;
        let _lock = lock(directory, File::try_lock)?;
        // Removes what a killed run left; only now, for before the lock it may have been a living one's.
        files::create_directory(directory)?;
        progress.set_length(self.config.games);
        let mut summary = SelfPlaySummary::new(&self.config);
        let complete = self.complete_shards(directory, &mut summary)?;
        let manifest = self.manifest();
        if self.manifest_there(directory)?.as_ref() != Some(&manifest) {
            manifest.write(directory)?;
        }
        progress.inc(summary.games);
        // What was there before says nothing of today's speed.
        progress.reset_eta();
        for index in (0..self.shards()).filter(|index| !complete.contains(index)) {
            let games = self.play_shard(index, progress);
            shard::write(&directory.join(shard::file_name(index)), &self.header(index), &games)?;
            games.iter().for_each(|game| summary.count(game));
        }
        Ok(summary)
    }

    /// Plays one shard, counted from 0, unless it is in `directory`, and says what it holds. Any number of processes
    /// may do so in one directory at once.
    ///
    /// # Errors
    /// If the run has no such shard, or the directory belongs to another run; else as [`SelfPlay::run`].
    pub fn run_shard(&self, directory: &Path, index: u64, progress: &ProgressBar) -> Result<SelfPlaySummary, SelfPlayError> {
        if index >= self.shards() {
            return Err(SelfPlayError::Setting(format!("the run has {} shards; there is no shard {}", self.shards(), index + 1)));
        }
        make(directory)?;
        let _lock = lock(directory, File::try_lock_shared)?;
        let (path, header) = (directory.join(shard::file_name(index)), self.header(index));
        progress.set_length(header.games);
        let manifest = self.manifest();
        match self.manifest_there(directory)? {
            Some(found) if found != manifest => {
                let problem = format!("says that the run has {} games, not {}", found.games, manifest.games);
                return Err(SelfPlayError::OtherRun { path: Manifest::path(directory), problem });
            }
            Some(_) => {}
            None => manifest.write(directory)?,
        }
        let there = path.exists().then(|| self.shard_there(&path)).transpose()?.filter(|(_, games)| games.len() as u64 == header.games);
        let games = match there {
            Some((_, games)) => games,
            None => {
                let games = self.play_shard(index, progress);
                shard::write(&path, &header, &games)?;
                games
            }
        };
        let mut summary = SelfPlaySummary::new(&self.config);
        games.iter().for_each(|game| summary.count(game));
        Ok(summary)
    }

    fn manifest(&self) -> Manifest {
        Manifest::new(self.header(0), self.config.games)
    }

    /// The directory's manifest, if it has one; of these settings, but perhaps of another number of games.
    fn manifest_there(&self, directory: &Path) -> Result<Option<Manifest>, SelfPlayError> {
        let found = Manifest::read(directory)?;
        if let Some(problem) = found.as_ref().and_then(|found| other_settings(&found.run, &self.manifest().run)) {
            return Err(SelfPlayError::OtherRun { path: Manifest::path(directory), problem });
        }
        Ok(found)
    }

    /// The shards that need not be played, counted into `summary`; every other file of games is an error, except the
    /// last shard of a run that was shorter, which is played anew.
    fn complete_shards(&self, directory: &Path, summary: &mut SelfPlaySummary) -> Result<BTreeSet<u64>, SelfPlayError> {
        let mut complete = BTreeSet::new();
        for path in shard::list(directory)? {
            let (index, games) = self.shard_there(&path)?;
            if games.len() as u64 == self.header(index).games {
                games.iter().for_each(|game| summary.count(game));
                complete.insert(index);
            }
        }
        Ok(complete)
    }

    /// Number and games of a shard of this run; it may have fewer games than it should.
    fn shard_there(&self, path: &Path) -> Result<(u64, Vec<PlayedGame>), SelfPlayError> {
        let bytes = files::read(path)?;
        let version = shard::version(path, &bytes)?;
        let (found, games) = shard::decode(path, &bytes)?;
        let index = found.first_game / GAMES_PER_SHARD;
        let wanted = self.header(index);
        let problem = if version == 1 {
            Some("is of version 1, which is no longer written (`alea data merge` makes version 2 of it)".to_owned())
        } else {
            difference(&found, &wanted).or_else(|| {
                if path.file_name() != Some(shard::file_name(index).as_ref()) {
                    Some(format!("holds the games that belong into {}", shard::file_name(index)))
                } else if found.games > wanted.games {
                    Some(format!("the directory holds more than the {} games asked for", self.config.games))
                } else {
                    None
                }
            })
        };
        match problem {
            Some(problem) => Err(SelfPlayError::OtherRun { path: path.to_owned(), problem }),
            None => Ok((index, games)),
        }
    }
}

/// In which setting a shard is not the one wanted; the number of games aside.
fn difference(found: &ShardHeader, wanted: &ShardHeader) -> Option<String> {
    let same = ShardHeader { games: found.games, ..wanted.clone() } == *found;
    other_settings(&found.run, &wanted.run).or_else(|| (!same).then(|| "made with other settings".to_owned()))
}

/// In which setting a run is not the one wanted.
fn other_settings(found: &serde_json::Value, wanted: &serde_json::Value) -> Option<String> {
    let setting = |run: &serde_json::Value, key: &str| run.get(key).map_or_else(|| "nothing".to_owned(), ToString::to_string);
    for key in wanted.as_object()?.keys() {
        let [found, wanted] = [found, wanted].map(|run| setting(run, key));
        if found != wanted {
            return Some(format!("made with other settings: '{key}' is {found}, not {wanted}"));
        }
    }
    (found != wanted).then(|| "made with other settings".to_owned())
}

fn make(directory: &Path) -> Result<(), files::FileError> {
    std::fs::create_dir_all(directory).map_err(|cause| files::FileError::Write { path: directory.to_owned(), cause })
}

/// Keeps other runs out of a directory for as long as the returned file lives; processes that make one shard each let
/// one another in. Only Unix lets a directory be locked, and not on every file system; elsewhere nothing keeps them out.
fn lock(directory: &Path, take: impl FnOnce(&File) -> Result<(), TryLockError>) -> Result<Option<File>, SelfPlayError> {
    let Some(file) = cfg!(unix).then(|| File::open(directory).ok()).flatten() else { return Ok(None) };
    match take(&file) {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Err(SelfPlayError::Busy(directory.to_owned())),
        Err(TryLockError::Error(_)) => Ok(None),
    }
}
