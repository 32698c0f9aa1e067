//! A run in its directory: which shards are there, which are missing, and whose they are.
//!
//! Invariant: a directory holds shards of one run, which its manifest names; a shard is a pure
//! function of the run's settings and its number, so it does not matter which process makes it, or
//! whether others have been made.

use super::{
    RunReport, SelfPlay, SelfPlayConfig,
    summary::{Clock, Counter},
};
use crate::Error;
use crate::manifest::Manifest;
use crate::shard::{self, GAMES_PER_SHARD, PlayedGame, ShardHeader};
use engine::core::{
    files::{self, FileKind},
    journal,
    task_slice::TaskSlice,
};
use engine::play::playable::Playable;
use indicatif::ProgressBar;
use std::{collections::BTreeSet, path::Path, time::Instant};

/// Where a run ends before all its games are played.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// The run ends with the first game, in the order of their numbers, with which there are so
    /// many positions.
    pub positions: Option<u64>,
    /// No shard is begun after this moment, but for one. What is missing is played when the run
    /// goes on.
    pub until: Option<Instant>,
    /// Which of the shards are made here; those of other tasks may be made elsewhere meanwhile, in the
    /// same directory.
    pub share: TaskSlice,
}

impl<G: Playable> SelfPlay<G> {
    /// Plays whatever shards are not yet in `directory`, up to where the limits say, and says what
    /// all of them hold.
    ///
    /// # Errors
    /// If the directory holds shards of other settings, more games than asked for or a damaged
    /// shard, if another run is writing there, or if it cannot be written; and if positions are to be
    /// counted while a shard is missing before others, or the work of tasks is collected and not
    /// done. Shards that were complete stay as they are.
    pub fn run(
        &self,
        directory: &Path,
        limits: &Limits,
        progress: &ProgressBar,
    ) -> Result<RunReport, Error> {
        let _lock = files::enter_directory(directory, limits.share)?;
        self.run_alone(directory, limits, progress)
    }

    /// A run in a directory that is locked.
    fn run_alone(
        &self,
        directory: &Path,
        limits: &Limits,
        progress: &ProgressBar,
    ) -> Result<RunReport, Error> {
        // Positions make about so many games.
        progress.set_length(limits.positions.map_or(self.config.games, |positions| {
            self.config.games.min(positions / 17)
        }));
        let mut counter = Counter::new(&self.config, &self.game);
        let Some(positions) = limits.positions else {
            let (share, manifest) = (limits.share, self.manifest());
            if share != TaskSlice::All
                && let Some(found) = self.manifest_there(directory)?
                && found != manifest
            {
                let problem = format!(
                    "says that the run has {} games, not {}",
                    found.games, manifest.games
                );
                return Err(other_run(&Manifest::path(directory), &problem));
            }
            let ours = share.parts(self.shards());
            if share.is_task() {
                let game = |shard| self.config.games.min(shard * GAMES_PER_SHARD);
                progress.set_length(game(ours.end) - game(ours.start));
            }
            let complete = self.complete_shards(directory, share, &mut counter)?;
            let is_complete = |index| complete.contains(&index);
            if let Some(missing) = share.missing(directory, self.shards(), is_complete) {
                return Err(Error::new(missing));
            }
            if self.manifest_there(directory)?.as_ref() != Some(&manifest) {
                manifest.write(directory)?;
            }
            let missing = ours.filter(|&index| !is_complete(index));
            return self.play_missing(directory, missing, limits, counter, progress);
        };
        let counted = self.counted_shards(directory, positions)?;
        if let Some(games) = counted.games {
            // All that is asked for is there, or not a game is too few.
            let enough = Self {
                config: SelfPlayConfig {
                    games,
                    ..self.config.clone()
                },
                ..self.clone()
            };
            return enough.run_alone(
                directory,
                &Limits {
                    positions: None,
                    ..*limits
                },
                progress,
            );
        }
        self.manifest_there(directory)?;
        self.play_missing(
            directory,
            counted.complete..self.shards(),
            limits,
            counted.counter,
            progress,
        )
    }

    /// Plays shards and writes them, each while the next is played.
    fn play_missing(
        &self,
        directory: &Path,
        missing: impl Iterator<Item = u64>,
        limits: &Limits,
        mut counter: Counter<'_, G>,
        progress: &ProgressBar,
    ) -> Result<RunReport, Error> {
        progress.inc(counter.summary.games);
        // What was there before says nothing of today's speed.
        progress.reset_eta();
        let clock = Clock::default();
        let before = (counter.summary.games, counter.summary.positions);
        let write = |waiting: Option<(u64, Vec<PlayedGame<G>>)>| {
            let Some((index, games)) = waiting else {
                return Ok(());
            };
            let began = Instant::now();
            let header = ShardHeader {
                games: games.len() as u64,
                ..self.header(index)
            };
            if limits.positions.is_some() {
                // How many games there will be is not known before.
                self.manifest_of(header.first_game + header.games)
                    .write(directory)?;
            }
            shard::write(&directory.join(shard::file_name(index)), &header, &games)?;
            clock.note_writing(began);
            Ok::<_, Error>(())
        };
        let mut waiting = None;
        let mut stopped = false;
        for index in missing {
            let played = counter.summary.games > before.0;
            if played && limits.until.is_some_and(|until| Instant::now() >= until) {
                stopped = true;
                break;
            }
            let positions = limits
                .positions
                .map(|positions| positions.saturating_sub(counter.summary.positions));
            if positions == Some(0) {
                break;
            }
            let last = waiting.take();
            let play = || self.play_games(index, positions, &clock, progress);
            let (written, games) = rayon::join(|| write(last), play);
            written?;
            games.iter().for_each(|game| counter.count(game));
            waiting = Some((index, games));
        }
        write(waiting)?;
        let summary = counter.summary;
        let timing = clock.timing(summary.games - before.0, summary.positions - before.1);
        Ok(RunReport {
            summary,
            timing,
            stopped,
        })
    }

    fn manifest(&self) -> Manifest {
        self.manifest_of(self.config.games)
    }

    fn manifest_of(&self, games: u64) -> Manifest {
        Manifest::new(self.header(0), games)
    }

    /// What is there of a run that ends with so many positions.
    fn counted_shards(&self, directory: &Path, positions: u64) -> Result<Counted<'_, G>, Error> {
        let mut counted = Counted {
            counter: Counter::new(&self.config, &self.game),
            complete: 0,
            games: None,
        };
        let mut last_is_short = false;
        for path in shard::list(directory)? {
            let (index, games) = self.shard_there(&path)?;
            if index != counted.complete || last_is_short {
                let problem = format!(
                    "positions are counted in the order of games, but shard {:06} is not complete",
                    index - 1
                );
                return Err(other_run(&path, &problem));
            }
            let mut sum = counted.counter.summary.positions;
            for (number, game) in games.iter().enumerate() {
                sum += game.record.plies.len() as u64;
                if counted.games.is_none() && sum >= positions {
                    counted.games = Some(index * GAMES_PER_SHARD + number as u64 + 1);
                }
            }
            last_is_short = (games.len() as u64) < self.header(index).games;
            if !last_is_short {
                counted.complete += 1;
                games.iter().for_each(|game| counted.counter.count(game));
            }
        }
        Ok(counted)
    }

    /// The directory's manifest, if it has one; of these settings, but perhaps of another number of
    /// games.
    fn manifest_there(&self, directory: &Path) -> Result<Option<Manifest>, Error> {
        let found = Manifest::read(directory)?;
        if let Some(problem) = found
            .as_ref()
            .and_then(|found| other_settings(&found.run, &self.manifest().run))
        {
            return Err(other_run(&Manifest::path(directory), &problem));
        }
        Ok(found)
    }

    /// The shards that need not be played, counted; every other file of games is an
    /// error, except the last shard of a run that was shorter, which is played anew. A task looks at
    /// its own.
    fn complete_shards(
        &self,
        directory: &Path,
        share: TaskSlice,
        counter: &mut Counter<'_, G>,
    ) -> Result<BTreeSet<u64>, Error> {
        let mut complete = BTreeSet::new();
        let mut paths = Vec::new();
        if share.is_task() {
            let ours = share.parts(self.shards());
            paths.extend(ours.map(|index| directory.join(shard::file_name(index))));
            paths.retain(|path| path.exists());
        } else {
            paths = shard::list(directory)?;
        }
        for path in paths {
            let (index, games) = self.shard_there(&path)?;
            if games.len() as u64 == self.header(index).games {
                games.iter().for_each(|game| counter.count(game));
                complete.insert(index);
            }
        }
        Ok(complete)
    }

    /// Number and games of a shard of this run; it may have fewer games than it should.
    fn shard_there(&self, path: &Path) -> Result<(u64, Vec<PlayedGame<G>>), Error> {
        let bytes = files::read(path, FileKind::Data)?;
        let (found, games) = shard::decode(path, &bytes)?;
        let index = found.first_game / GAMES_PER_SHARD;
        let wanted = self.header(index);
        let problem = difference(&found, &wanted).or_else(|| {
            let name = shard::file_name(index);
            if path.file_name() != Some(name.as_ref()) {
                Some(format!("holds the games that belong into {name}"))
            } else if found.games > wanted.games {
                let asked = self.config.games;
                Some(format!(
                    "the directory holds more than the {asked} games asked for"
                ))
            } else {
                None
            }
        });
        match problem {
            Some(problem) => Err(other_run(path, &problem)),
            None => Ok((index, games)),
        }
    }
}

/// The directory holds something that is not this run's.
fn other_run(path: &Path, problem: &str) -> Error {
    Error::at(path, format!("{problem}; choose another directory"))
}

/// In which setting a shard is not the one wanted; the number of games aside.
fn difference(found: &ShardHeader, wanted: &ShardHeader) -> Option<String> {
    let same = ShardHeader {
        games: found.games,
        ..wanted.clone()
    } == *found;
    other_settings(&found.run, &wanted.run)
        .or_else(|| (!same).then(|| "made with other settings".to_owned()))
}

/// In which setting a run is not the one wanted.
fn other_settings(found: &serde_json::Value, wanted: &serde_json::Value) -> Option<String> {
    let (key, values) = journal::difference(found, wanted)?;
    let said = |value: Option<&serde_json::Value>| {
        value.map_or_else(|| "nothing".to_owned(), ToString::to_string)
    };
    let [found, wanted] = values.map(said);
    Some(format!(
        "made with other settings: '{key}' is {found}, not {wanted}"
    ))
}

/// What is there of a run that ends with a number of positions.
struct Counted<'a, G: Playable> {
    /// What the complete shards hold.
    counter: Counter<'a, G>,
    /// Complete shards, from the first.
    complete: u64,
    /// Games with which the number is reached, if it is.
    games: Option<u64>,
}
