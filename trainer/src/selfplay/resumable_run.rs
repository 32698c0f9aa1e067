//! Runs and resumes self-play in a directory of shards, described by its manifest.

use super::{
    RunReport, SelfPlay, SelfPlayConfig,
    summary::{Counter, TimeTotals},
};
use crate::Error;
use crate::manifest::Manifest;
use crate::progress::resume_at;
use crate::shard::{self, GAMES_PER_SHARD, PlayedGame, ShardHeader};
use alea_core::{
    files::{self, FileKind},
    job_array::TaskSlice,
    journal,
};
use alea_play::playable::Playable;
use indicatif::ProgressBar;
use std::{collections::BTreeSet, path::Path, time::Instant};

/// Limits of one call of [`SelfPlay::run`], by default none.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// Maximum number of positions; the run ends with the game that reaches it.
    pub positions: Option<u64>,
    /// Time after which no shard is begun, except the first of the call.
    pub until: Option<Instant>,
    /// Slice of the shards to play; other processes may play the rest in the same directory.
    pub slice: TaskSlice,
}

impl<G: Playable> SelfPlay<G> {
    /// Plays missing shards within the limits; reports on all shards or, for one task of several,
    /// on its slice.
    ///
    /// # Errors
    /// If the directory has other settings, too many games, a damaged shard or another writer; if
    /// positions are limited and an earlier shard is missing; if task results are merged and one is
    /// incomplete; or if writing fails. Complete shards stay unchanged.
    pub fn run(
        &self,
        directory: &Path,
        limits: &Limits,
        progress: &ProgressBar,
    ) -> Result<RunReport, Error> {
        let _lock = files::claim_directory_for_slice(directory, limits.slice)?;
        self.run_locked(directory, limits, progress)
    }

    fn run_locked(
        &self,
        directory: &Path,
        limits: &Limits,
        progress: &ProgressBar,
    ) -> Result<RunReport, Error> {
        progress.set_length(limits.positions.map_or(self.config.games, |positions| {
            self.config.games.min(positions / 17)
        }));
        let mut counter = Counter::new(&self.config, &self.game);
        let Some(positions) = limits.positions else {
            let (slice, manifest) = (limits.slice, self.manifest());
            if slice != TaskSlice::All
                && let Some(found) = self.read_manifest(directory)?
                && found != manifest
            {
                let problem = format!("the run has {} games, not {}", found.games, manifest.games);
                return Err(foreign_directory_error(
                    &Manifest::path(directory),
                    &problem,
                ));
            }
            let own_shards = slice.part_range(self.num_shards());
            if slice.is_task() {
                let game = |shard| self.config.games.min(shard * GAMES_PER_SHARD);
                progress.set_length(game(own_shards.end) - game(own_shards.start));
            }
            let complete = self.complete_shards(directory, slice, &mut counter)?;
            let is_complete = |index| complete.contains(&index);
            if let Some(missing) = slice.missing_tasks(directory, self.num_shards(), is_complete) {
                return Err(Error::new(missing));
            }
            if self.read_manifest(directory)?.as_ref() != Some(&manifest) {
                manifest.write(directory)?;
            }
            let missing = own_shards.filter(|&index| !is_complete(index));
            return self.play_missing(directory, missing, limits, counter, progress);
        };
        let counted = self.count_positions(directory, positions)?;
        if let Some(games) = counted.games {
            // The shards reach the limit, so a run of exactly these games is checked.
            let enough = Self {
                config: SelfPlayConfig {
                    games,
                    ..self.config.clone()
                },
                ..self.clone()
            };
            return enough.run_locked(
                directory,
                &Limits {
                    positions: None,
                    ..*limits
                },
                progress,
            );
        }
        self.read_manifest(directory)?;
        self.play_missing(
            directory,
            counted.complete..self.num_shards(),
            limits,
            counted.counter,
            progress,
        )
    }

    fn play_missing(
        &self,
        directory: &Path,
        missing: impl Iterator<Item = u64>,
        limits: &Limits,
        mut counter: Counter<'_, G>,
        progress: &ProgressBar,
    ) -> Result<RunReport, Error> {
        resume_at(progress, counter.summary.games);
        let clock = TimeTotals::default();
        let before = (counter.summary.games, counter.summary.positions);
        let write = |unwritten: Option<(u64, Vec<PlayedGame<G>>)>| {
            let Some((index, games)) = unwritten else {
                return Ok(());
            };
            let began = Instant::now();
            let header = ShardHeader {
                games: games.len() as u64,
                ..self.shard_header(index)
            };
            if limits.positions.is_some() {
                // The total is not known yet.
                self.manifest_for_games(header.first_game + header.games)
                    .write(directory)?;
            }
            shard::write(&directory.join(shard::file_name(index)), &header, &games)?;
            clock.record_writing(began);
            Ok::<_, Error>(())
        };
        let mut unwritten = None;
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
            let last = unwritten.take();
            let play = || self.play_games(index, positions, &clock, progress);
            let (written, games) = rayon::join(|| write(last), play);
            written?;
            let games = games?;
            games.iter().for_each(|game| counter.count(game));
            unwritten = Some((index, games));
        }
        write(unwritten)?;
        let summary = counter.summary;
        let timing = clock.timing(summary.games - before.0, summary.positions - before.1);
        Ok(RunReport {
            summary,
            timing,
            stopped,
        })
    }

    fn manifest(&self) -> Manifest {
        self.manifest_for_games(self.config.games)
    }

    fn manifest_for_games(&self, games: u64) -> Manifest {
        Manifest::new(self.shard_header(0), games)
    }

    fn count_positions(
        &self,
        directory: &Path,
        positions: u64,
    ) -> Result<CountedShards<'_, G>, Error> {
        let mut counted = CountedShards {
            counter: Counter::new(&self.config, &self.game),
            complete: 0,
            games: None,
        };
        let mut last_is_short = false;
        for path in shard::list(directory)? {
            let (index, games) = self.read_shard(&path)?;
            if index != counted.complete || last_is_short {
                let problem = format!(
                    "positions are counted in the order of games, but shard {:06} is not complete",
                    index - 1
                );
                return Err(foreign_directory_error(&path, &problem));
            }
            let mut sum = counted.counter.summary.positions;
            for (number, game) in games.iter().enumerate() {
                sum += game.record.plies.len() as u64;
                if counted.games.is_none() && sum >= positions {
                    counted.games = Some(index * GAMES_PER_SHARD + number as u64 + 1);
                }
            }
            last_is_short = (games.len() as u64) < self.shard_header(index).games;
            if !last_is_short {
                counted.complete += 1;
                games.iter().for_each(|game| counted.counter.count(game));
            }
        }
        Ok(counted)
    }

    fn read_manifest(&self, directory: &Path) -> Result<Option<Manifest>, Error> {
        let found = Manifest::read(directory)?;
        if let Some(problem) = found
            .as_ref()
            .and_then(|found| settings_difference(&found.run, &self.manifest().run))
        {
            return Err(foreign_directory_error(
                &Manifest::path(directory),
                &problem,
            ));
        }
        Ok(found)
    }

    /// Indices of complete shards, of a task only its own; counts their games.
    fn complete_shards(
        &self,
        directory: &Path,
        slice: TaskSlice,
        counter: &mut Counter<'_, G>,
    ) -> Result<BTreeSet<u64>, Error> {
        let mut complete = BTreeSet::new();
        let mut paths = Vec::new();
        if slice.is_task() {
            let own_shards = slice.part_range(self.num_shards());
            paths.extend(own_shards.map(|index| directory.join(shard::file_name(index))));
            paths.retain(|path| path.exists());
        } else {
            paths = shard::list(directory)?;
        }
        for path in paths {
            let (index, games) = self.read_shard(&path)?;
            if games.len() as u64 == self.shard_header(index).games {
                games.iter().for_each(|game| counter.count(game));
                complete.insert(index);
            }
        }
        Ok(complete)
    }

    fn read_shard(&self, path: &Path) -> Result<(u64, Vec<PlayedGame<G>>), Error> {
        let bytes = files::read(path, FileKind::Data)?;
        let (found, games) = shard::decode(path, &bytes)?;
        let index = found.first_game / GAMES_PER_SHARD;
        let expected = self.shard_header(index);
        let problem = header_difference(&found, &expected).or_else(|| {
            let name = shard::file_name(index);
            if path.file_name() != Some(name.as_ref()) {
                Some(format!("has the games of {name}"))
            } else if found.games > expected.games {
                let requested = self.config.games;
                Some(format!(
                    "the directory holds more than the {requested} games asked for"
                ))
            } else {
                None
            }
        });
        match problem {
            Some(problem) => Err(foreign_directory_error(path, &problem)),
            None => Ok((index, games)),
        }
    }
}

fn foreign_directory_error(path: &Path, problem: &str) -> Error {
    Error::at_path(path, format!("{problem}; choose another directory"))
}

fn header_difference(found: &ShardHeader, expected: &ShardHeader) -> Option<String> {
    let same = ShardHeader {
        games: found.games,
        ..expected.clone()
    } == *found;
    settings_difference(&found.run, &expected.run)
        .or_else(|| (!same).then(|| "made with other settings".to_owned()))
}

fn settings_difference(found: &serde_json::Value, expected: &serde_json::Value) -> Option<String> {
    let (key, values) = journal::first_mismatch(found, expected)?;
    let format_value = |value: Option<&serde_json::Value>| {
        value.map_or_else(|| "nothing".to_owned(), ToString::to_string)
    };
    let [found, expected] = values.map(format_value);
    Some(format!(
        "made with other settings: '{key}' is {found}, not {expected}"
    ))
}

struct CountedShards<'a, G: Playable> {
    counter: Counter<'a, G>,
    complete: u64,
    games: Option<u64>,
}
