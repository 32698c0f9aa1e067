//! Reads shards of one game, with common indices of players and labels.

use super::shards_of;
use crate::Error;
use crate::manifest::Manifest;
use crate::shard::{self, Label, MAX_LABELS_PER_SHARD, PlayedGame, ShardHeader};
use alea_play::playable::Playable;
use std::{
    collections::HashSet,
    path::{Path, PathBuf},
};
use xxhash_rust::xxh3::xxh3_128;

const HEADERS_PER_BATCH: usize = 256;

const MAX_LISTED_RUNS: usize = 100;

const SHARDS_PER_BATCH: usize = 16;

pub(crate) fn different_game_error(path: &Path, found: &str, first: &str) -> Error {
    Error::at_path(
        path,
        format!(
            "games of '{found}' among games of '{first}'; keep them in directories of their own"
        ),
    )
}

pub(super) fn intern_player(
    name: &str,
    players: &mut Vec<String>,
    path: &Path,
) -> Result<u8, Error> {
    let existing = players.iter().position(|player| player == name);
    let index = existing.unwrap_or_else(|| {
        players.push(name.to_owned());
        players.len() - 1
    });
    let index = u8::try_from(index).ok().filter(|&index| index < u8::MAX);
    index.ok_or_else(|| Error::at_path(path, "with it there are more than 255 players"))
}

/// Reads shards of one game, with at most 255 players and 16 labels.
#[derive(Debug)]
pub struct ShardReader<G> {
    shards: Vec<ShardEntry>,
    /// Distinct notations of the players, to which games refer by index.
    pub players: Vec<String>,
    /// Labels of all shards, each name with one source.
    pub labels: Vec<Label>,
    /// Whether games may have thinking times.
    pub times: bool,
    /// Rules of the games.
    pub rules: G,
    /// Descriptions of the first 100 distinct runs that produced games; `{"more": N}` counts
    /// others.
    pub runs: Vec<serde_json::Value>,
    /// Number of distinct runs that produced the games.
    pub run_count: usize,
    /// Number of games in all shards.
    pub games: u64,
    /// Number of games that did not end by the rules.
    pub ended_early: u64,
}

#[derive(Debug)]
struct ShardEntry {
    path: PathBuf,
    players: Vec<u8>,
    /// Index into [`ShardReader::labels`] by index in the shard.
    labels: Vec<usize>,
    games: u64,
}

impl<G: Playable> ShardReader<G> {
    /// Reads the headers of all shards in `paths`, which are files or directories.
    pub fn open(paths: &[PathBuf]) -> Result<Self, Error> {
        Self::read_headers(paths, false)
    }

    /// Does the same as [`Self::open`] and compares directories with their manifests.
    ///
    /// # Errors
    /// Those of [`ShardReader::open`], or if shards are missing or belong to another run.
    pub fn open_complete(paths: &[PathBuf]) -> Result<Self, Error> {
        Self::read_headers(paths, true)
    }

    fn read_headers(paths: &[PathBuf], complete: bool) -> Result<Self, Error> {
        let (mut source, mut problems, mut runs) = (None, Vec::new(), HashSet::new());
        for path in paths {
            let is_run = complete && path.is_dir();
            let manifest = is_run.then(|| Manifest::read(path)).transpose();
            let shards = shards_of(std::slice::from_ref(path));
            let (manifest, shards) = match manifest.and_then(|manifest| Ok((manifest, shards?))) {
                Ok((manifest, shards)) => (manifest.flatten(), shards),
                Err(problem) => {
                    problems.push(problem);
                    continue;
                }
            };
            let promised = manifest.as_ref().map_or(0, |manifest| manifest.shards);
            let there: HashSet<&PathBuf> = shards.iter().collect();
            for path in (0..promised).map(|index| path.join(shard::file_name(index))) {
                if !there.contains(&path) {
                    let problem = format!("missing, one of {promised} shards of its run");
                    problems.push(Error::at_path(path, problem));
                }
            }
            for some in shards.chunks(HEADERS_PER_BATCH) {
                let headers =
                    alea_parallel::map(some.len(), |index| shard::read_header::<G>(&some[index]));
                for (path, header) in some.iter().zip(headers) {
                    let added = header.and_then(|header| {
                        if manifest.as_ref().is_some_and(|run| !run.matches(&header)) {
                            let problem = "of another run than the manifest";
                            return Err(Error::at_path(path, problem));
                        }
                        let source = match &mut source {
                            Some(source) => source,
                            None => source
                                .insert(Self::empty(header.parse_rules().map_err(Error::new)?)),
                        };
                        if runs.insert(xxh3_128(header.run.to_string().as_bytes()))
                            && source.runs.len() < MAX_LISTED_RUNS
                        {
                            source.runs.push(header.run.clone());
                        }
                        source.add_shard(path.clone(), header)
                    });
                    problems.extend(added.err());
                }
            }
        }
        Error::from_problems(problems)?;
        let mut source = source.ok_or_else(|| Error::new("no records are named"))?;
        source.run_count = runs.len();
        let more = runs.len() - source.runs.len();
        if more > 0 {
            source.runs.push(serde_json::json!({ "more": more }));
        }
        Ok(source)
    }

    fn empty(rules: G) -> Self {
        Self {
            shards: Vec::new(),
            players: Vec::new(),
            labels: Vec::new(),
            times: false,
            rules,
            runs: Vec::new(),
            run_count: 0,
            games: 0,
            ended_early: 0,
        }
    }

    fn add_shard(&mut self, path: PathBuf, header: ShardHeader) -> Result<(), Error> {
        let expected = ShardHeader::new(&self.rules, serde_json::Value::Null);
        if (&header.game, &header.map) != (&expected.game, &expected.map) {
            return Err(different_game_error(&path, &header.game, &expected.game));
        }
        self.times |= header.times;
        let players = header.players.iter();
        let players = players.map(|player| intern_player(player, &mut self.players, &path));
        let players = players.collect::<Result<_, _>>()?;
        let labels = header
            .labels
            .into_iter()
            .map(|label| self.intern_label(label, &path))
            .collect::<Result<_, _>>()?;
        self.games += header.games;
        self.ended_early += header.ended_early;
        self.shards.push(ShardEntry {
            path,
            players,
            labels,
            games: header.games,
        });
        Ok(())
    }

    fn intern_label(&mut self, label: Label, path: &Path) -> Result<usize, Error> {
        let Some(index) = self
            .labels
            .iter()
            .position(|there| there.name == label.name)
        else {
            if self.labels.len() == MAX_LABELS_PER_SHARD {
                return Err(Error::at_path(
                    path,
                    format!("with it there are more than {MAX_LABELS_PER_SHARD} labels"),
                ));
            }
            self.labels.push(label);
            return Ok(self.labels.len() - 1);
        };
        let there = &mut self.labels[index];
        let errors = there.errors || label.errors;
        if (&there.by, &there.models) == (&label.by, &label.models) {
            there.errors = errors;
            return Ok(index);
        }
        let maker = |label: &Label| {
            let models: Vec<&str> = label.models.values().map(String::as_str).collect();
            if models.is_empty() {
                label.by.clone()
            } else {
                format!("{} ({})", label.by, models.join(", "))
            }
        };
        Err(Error::at_path(
            path,
            format!(
                "its label '{}' is by {}, and that of the records before by {}; relabel one of them",
                label.name,
                maker(&label),
                maker(there)
            ),
        ))
    }

    /// Creates a header for new shards of these games; `run` describes their origin.
    #[must_use]
    pub fn new_header(&self, run: serde_json::Value) -> ShardHeader {
        ShardHeader {
            players: self.players.clone(),
            times: self.times,
            labels: self.labels.clone(),
            ..ShardHeader::new(&self.rules, run)
        }
    }

    /// Index of the player with notation `name`.
    pub fn player_index(&self, name: &str) -> Result<u8, Error> {
        let number = self.players.iter().position(|player| player == name);
        let number = number.and_then(|number| u8::try_from(number).ok());
        number.ok_or_else(|| {
            let there = self.players.join(", ");
            Error::new(format!(
                "no player of these records is '{name}'; there are {there}"
            ))
        })
    }

    /// Paths of the shards in order.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.shards.iter().map(|entry| entry.path.as_path())
    }

    /// Passes all games to `each` in order, with this reader's indices of players and labels.
    pub fn for_each_game(
        &self,
        mut each: impl FnMut(PlayedGame<G>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut problems = Vec::new();
        for some in self.shards.chunks(SHARDS_PER_BATCH) {
            for games in alea_parallel::map(some.len(), |index| self.read_shard(&some[index])) {
                match games {
                    Ok(games) if problems.is_empty() => {
                        games.into_iter().try_for_each(&mut each)?;
                    }
                    games => problems.extend(games.err()),
                }
            }
        }
        Error::from_problems(problems)
    }

    /// Reads the games `from..to`, with this reader's indices of players and labels.
    pub fn read_games(&self, from: u64, to: u64) -> Result<Vec<PlayedGame<G>>, Error> {
        let mut games = Vec::new();
        let mut first = 0;
        for entry in &self.shards {
            let after = first + entry.games;
            if first < to && from < after {
                let (skipped, count) =
                    (from.saturating_sub(first), to.min(after) - from.max(first));
                games.extend(
                    self.read_shard(entry)?
                        .into_iter()
                        .skip(skipped as usize)
                        .take(count as usize),
                );
            }
            first = after;
        }
        Ok(games)
    }

    fn read_shard(&self, entry: &ShardEntry) -> Result<Vec<PlayedGame<G>>, Error> {
        let changed = || Error::at_path(&entry.path, "changed while it was read");
        let (header, mut games) = shard::read(&entry.path)?;
        if header.games != entry.games || header.labels.len() != entry.labels.len() {
            return Err(changed());
        }
        let same_labels = entry.labels.len() == self.labels.len() && entry.labels.is_sorted();
        for game in &mut games {
            for player in &mut game.players {
                *player = *entry
                    .players
                    .get(usize::from(*player))
                    .ok_or_else(changed)?;
            }
            if !same_labels && !game.labels.is_empty() {
                let mut labels = vec![vec![None; game.record.plies.len()]; self.labels.len()];
                for (&index, values) in entry.labels.iter().zip(std::mem::take(&mut game.labels)) {
                    labels[index] = values;
                }
                game.labels = labels;
            }
        }
        Ok(games)
    }
}
