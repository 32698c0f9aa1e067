//! Loads training samples from shards. A hash equal for symmetric images assigns each game to
//! training or validation, so adding games moves no others.

mod shard_samples;

pub use shard_samples::UsedLabel;

use crate::config::TargetConfig;
use crate::data::{different_game_error, statistics::duplicates};
use crate::sample::{Sample, SampleStore};
use crate::{Error, shard};
use alea_learned::inputs::Learnable;
use alea_play::playable::Playable;
use shard_samples::{ShardSamples, load_shard};
use std::{
    ops::Range,
    path::{Path, PathBuf},
    sync::atomic::{AtomicUsize, Ordering},
};
use xxhash_rust::xxh3::xxh3_64;

/// Options that select the positions that become samples, and their targets.
#[derive(Clone, Debug, PartialEq)]
pub struct SampleOptions {
    /// Name of the label whose values replace search values.
    pub label: Option<String>,
    /// Whether exact (tablebase) labels replace both search value and game result.
    pub exact: bool,
    /// Standard error of a label's value that halves the loss weight; 0: all weights are 1.
    pub error_scale: f32,
    /// Whether targets are game results alone, so that positions need no search value or label.
    pub results_only: bool,
    /// Expected fraction of games used for validation.
    pub validation_fraction: f64,
    /// Seed of the assignment of games to training or validation.
    pub seed: u64,
    /// Maximum number of training samples kept in memory; more are read from disk in every epoch.
    pub in_memory_limit: usize,
}

impl SampleOptions {
    /// Creates options from a training configuration, with no training samples kept in memory.
    #[must_use]
    pub fn new(target: &TargetConfig, validation_fraction: f64, seed: u64) -> Self {
        let label = Some(target.label.clone()).filter(|label| !label.is_empty());
        Self {
            label,
            exact: target.exact,
            error_scale: target.resolved_error_scale(),
            results_only: target.uses_results_only(),
            ..Self::without_labels(validation_fraction, seed)
        }
    }

    /// Creates options that ignore labels, with no training samples kept in memory.
    #[must_use]
    pub fn without_labels(validation_fraction: f64, seed: u64) -> Self {
        Self {
            label: None,
            exact: false,
            error_scale: 0.0,
            results_only: false,
            validation_fraction,
            seed,
            in_memory_limit: 0,
        }
    }

    /// Sets the maximum number of training samples kept in memory.
    #[must_use]
    pub fn with_memory_limit(self, in_memory_limit: usize) -> Self {
        Self {
            in_memory_limit,
            ..self
        }
    }

    fn has_weights(&self) -> bool {
        self.error_scale > 0.0 && self.label.is_some()
    }
}

/// Training samples, grouped in parts of one shard each, and validation samples.
#[derive(Debug)]
pub struct Samples<G: Playable> {
    rule_sets: RuleSets<G>,
    source: SampleStorage<G::Position>,
    /// Index of each part's first training sample, then the total number.
    part_starts: Vec<usize>,
    validation: Vec<Sample<G::Position>>,
    fingerprint: u64,
    labels: Vec<UsedLabel>,
    held_out: usize,
    duplicate_games: u64,
}

#[derive(Debug)]
struct RuleSets<G> {
    games: Vec<G>,
    /// Index into `games` by shard; empty if all shards share one.
    by_shard: Vec<usize>,
}

impl<G> RuleSets<G> {
    fn rules_of(&self, shard: usize) -> &G {
        &self.games[self.by_shard.get(shard).copied().unwrap_or(0)]
    }
}

impl<G: Learnable> RuleSets<G> {
    fn load(shards: &[PathBuf]) -> Result<Self, Error> {
        let rules = |path: &PathBuf| {
            // `training_rules` drops the rules of chance, on which features do not depend.
            let rules = shard::read_header::<G>(path)?.parse_rules::<G>();
            Ok::<_, Error>(
                rules
                    .map_err(Error::with_prefix(path.display()))?
                    .training_rules(),
            )
        };
        let first = rules(&shards[0])?;
        if first.map_text().is_none() {
            let (games, by_shard) = (vec![first], Vec::new());
            return Ok(Self { games, by_shard });
        }
        let all = alea_parallel::try_map(shards.len(), |index| rules(&shards[index]))?;
        let (mut games, mut maps) = (Vec::new(), Vec::new());
        let mut by_shard = Vec::new();
        for game in all {
            let map = game.map_text();
            let existing = maps.iter().position(|existing| *existing == map);
            by_shard.push(existing.unwrap_or(maps.len()));
            if existing.is_none() {
                maps.push(map);
                games.push(game);
            }
        }
        let games = G::for_joint_training(games);
        Ok(Self { games, by_shard })
    }
}

#[derive(Debug)]
enum SampleStorage<P> {
    Shards(Vec<ShardFile>, SampleOptions),
    Memory(SampleStore<P>),
}

#[derive(Debug)]
struct ShardFile {
    path: PathBuf,
    checksum: u64,
    is_validation: Vec<bool>,
}

struct PartSummary {
    size: usize,
    hash: u64,
}

impl PartSummary {
    fn new<G: Playable>(game: &G, samples: &[Sample<G::Position>]) -> Self {
        let mut bytes = Vec::with_capacity(size_of_val(samples));
        for sample in samples {
            game.encode(&sample.position, &mut bytes);
            bytes.extend_from_slice(&sample.value.to_le_bytes());
            bytes.extend_from_slice(&sample.result.to_le_bytes());
            if sample.weight != 1.0 {
                bytes.extend_from_slice(&sample.weight.to_le_bytes());
            }
        }
        Self {
            size: samples.len(),
            hash: xxh3_64(&bytes),
        }
    }
}

impl<G: Learnable> Samples<G> {
    /// Reads and checks all shards; each becomes a part of the training samples.
    ///
    /// # Errors
    /// If a directory has no shards, a shard cannot be read, shards have different games, none has
    /// the requested label, or training or validation would be empty.
    pub fn open<P: AsRef<Path>>(directories: &[P], options: &SampleOptions) -> Result<Self, Error> {
        let mut shards = Vec::new();
        for directory in directories {
            let own = shard::list(directory.as_ref())?;
            if own.is_empty() {
                let directory_name = directory.as_ref().display();
                return Err(Error::with_prefix(&directory_name)(format!(
                    "no game records there; create some with `alea selfplay --out {directory_name}`"
                )));
            }
            shards.extend(own);
        }
        let rule_sets = RuleSets::<G>::load(&shards)?;
        let game = &rule_sets.games[0];
        let sources = || {
            directories
                .iter()
                .map(|path| path.as_ref().display().to_string())
                .collect::<Vec<_>>()
                .join(", ")
        };
        let limit = options.in_memory_limit.min(u32::MAX as usize);
        let read_before = AtomicUsize::new(0);
        let read = |number: usize| {
            let part = load_shard(rule_sets.rules_of(number), &shards[number], options, None)?;
            let summaries = PartSummary::new(game, &part.training);
            let before = read_before.fetch_add(summaries.size, Ordering::Relaxed);
            let fits = before + summaries.size <= limit;
            let held =
                fits.then(|| SampleStore::from_samples(&part.training, options.has_weights()));
            let training = Vec::new();
            Ok::<_, Error>(((summaries, held), ShardSamples { training, ..part }))
        };
        let parts = alea_parallel::try_map(shards.len(), read)?;
        let (training, mut parts): (Vec<_>, Vec<ShardSamples<_>>) = parts.into_iter().unzip();
        let (summaries, held): (Vec<PartSummary>, Vec<Option<SampleStore<_>>>) =
            training.into_iter().unzip();
        let first = &parts[0].game;
        let is_other = |part: &ShardSamples<_>| game.map_text().is_none() && part.game != *first;
        if let Some(other) = parts.iter().position(is_other) {
            return Err(different_game_error(
                &shards[other],
                &parts[other].game,
                first,
            ));
        }
        let held_out = parts.iter().map(|part| part.held_out).sum();
        let fingerprints = parts
            .iter_mut()
            .map(|part| std::mem::take(&mut part.fingerprints));
        let duplicate_games = duplicates(fingerprints.collect::<Vec<_>>().concat());
        let labels = merge_labels(parts.iter().flat_map(|part| &part.labels));
        let is_there = |requested: &&String| {
            labels
                .iter()
                .any(|existing| existing.label.name == **requested)
        };
        if let Some(label) = options
            .label
            .as_ref()
            .filter(|requested| !is_there(requested))
        {
            return Err(Error::with_prefix(sources())(format!(
                "target.label = '{label}', but no shard has a label of that name; there {}",
                describe_labels(&labels)
            )));
        }
        let source = if read_before.into_inner() <= limit {
            SampleStorage::Memory(SampleStore::concat(held.into_iter().flatten().collect()))
        } else {
            let shard = |(path, part): (_, &mut ShardSamples<_>)| ShardFile {
                path,
                checksum: part.checksum,
                is_validation: std::mem::take(&mut part.is_validation),
            };
            let shards = shards.into_iter().zip(&mut parts).map(shard);
            SampleStorage::Shards(shards.collect(), options.clone())
        };
        let validation = parts.into_iter().flat_map(|part| part.validation).collect();
        let alike = match duplicate_games {
            0 => String::new(),
            some => {
                format!(" ({some} repeat others up to symmetry, and all of a kind are together)")
            }
        };
        let samples = Self::new(rule_sets, source, &summaries, validation).map_err(|part| {
            let (values, hint) = match options.results_only {
                true => ("", ""),
                false => (
                    " with values",
                    "; target.search_share = 0.0 learns from results alone",
                ),
            };
            Error::with_prefix(sources())(format!(
                "too few games{values}: none is left for {part}{alike}{hint}"
            ))
        })?;
        Ok(Self {
            labels: labels
                .into_iter()
                .filter(|label| label.samples > 0)
                .collect(),
            held_out,
            duplicate_games,
            ..samples
        })
    }
}

impl<G: Playable> Samples<G> {
    /// Creates samples from `training`, one list per part, and `validation`.
    pub fn in_memory(
        game: &G,
        training: Vec<Vec<Sample<G::Position>>>,
        validation: Vec<Sample<G::Position>>,
    ) -> Result<Self, Error> {
        check("training", training.iter().flatten())?;
        check("validation", validation.iter())?;
        let summaries: Vec<PartSummary> = training
            .iter()
            .map(|part| PartSummary::new(game, part))
            .collect();
        let rule_sets = RuleSets {
            games: vec![game.clone()],
            by_shard: Vec::new(),
        };
        let weighted = training.iter().flatten().any(|sample| sample.weight != 1.0);
        let held = |part: &Vec<_>| SampleStore::from_samples(part, weighted);
        let parts = training.iter().map(held).collect();
        let source = SampleStorage::Memory(SampleStore::concat(parts));
        Self::new(rule_sets, source, &summaries, validation).map_err(empty_set_error)
    }

    /// Fails with `"training"` or `"validation"`, whichever is empty.
    fn new(
        rule_sets: RuleSets<G>,
        source: SampleStorage<G::Position>,
        summaries: &[PartSummary],
        validation: Vec<Sample<G::Position>>,
    ) -> Result<Self, &'static str> {
        let numbers = summaries
            .iter()
            .chain([&PartSummary::new(&rule_sets.games[0], &validation)])
            .flat_map(|summaries| [summaries.size as u64, summaries.hash])
            .collect::<Vec<_>>();
        let bytes: Vec<u8> = numbers.into_iter().flat_map(u64::to_le_bytes).collect();
        let mut part_starts = vec![0];
        part_starts.extend(summaries.iter().scan(0, |end, summaries| {
            *end += summaries.size;
            Some(*end)
        }));
        let samples = Self {
            rule_sets,
            source,
            part_starts,
            validation,
            fingerprint: xxh3_64(&bytes),
            labels: Vec::new(),
            held_out: 0,
            duplicate_games: 0,
        };
        match (samples.num_training(), samples.validation.len()) {
            (0, _) => Err("training"),
            (_, 0) => Err("validation"),
            _ => Ok(samples),
        }
    }

    /// Rules of the samples; if there are several maps, their features fit all maps.
    #[must_use]
    pub fn game(&self) -> &G {
        &self.rule_sets.games[0]
    }

    /// Number of training samples.
    #[must_use]
    pub fn num_training(&self) -> usize {
        self.part_starts[self.num_parts()]
    }

    /// Validation samples in game order.
    #[must_use]
    pub fn validation(&self) -> &[Sample<G::Position>] {
        &self.validation
    }

    /// Hash of all samples in order; a checkpoint is resumed only with equal samples.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// Labels that replaced search value or result of at least one sample.
    #[must_use]
    pub fn used_labels(&self) -> &[UsedLabel] {
        &self.labels
    }

    /// Number of positions left out because benchmarks use them.
    #[must_use]
    pub fn num_held_out(&self) -> usize {
        self.held_out
    }

    /// Number of games that repeat an earlier one or a symmetric image of it.
    #[must_use]
    pub fn duplicate_games(&self) -> u64 {
        self.duplicate_games
    }

    /// Whether samples may have loss weights other than 1.
    #[must_use]
    pub fn has_weights(&self) -> bool {
        match &self.source {
            SampleStorage::Shards(_, options) => options.has_weights(),
            SampleStorage::Memory(held) => held.has_weights(),
        }
    }

    /// Number of parts of the training samples, one per shard.
    #[must_use]
    pub fn num_parts(&self) -> usize {
        self.part_starts.len() - 1
    }

    pub(crate) fn store(&self) -> Option<&SampleStore<G::Position>> {
        match &self.source {
            SampleStorage::Shards(..) => None,
            SampleStorage::Memory(held) => Some(held),
        }
    }

    pub(crate) fn part_range(&self, part: usize) -> Range<usize> {
        self.part_starts[part]..self.part_starts[part + 1]
    }

    /// Returns the training samples of one part in game order, from memory or disk.
    pub fn read_part(&self, part: usize) -> Result<Vec<Sample<G::Position>>, Error> {
        match &self.source {
            SampleStorage::Memory(held) => {
                Ok(self.part_range(part).map(|index| held.get(index)).collect())
            }
            SampleStorage::Shards(shards, options) => {
                let ShardFile {
                    path,
                    checksum,
                    is_validation,
                } = &shards[part];
                let read = load_shard(
                    self.rule_sets.rules_of(part),
                    path,
                    options,
                    Some(is_validation),
                )?;
                if read.checksum == *checksum {
                    Ok(read.training)
                } else {
                    Err(Error::at_path(
                        path,
                        "it changed during the training; start again in another model directory",
                    ))
                }
            }
        }
    }
}

pub(crate) fn empty_set_error(part: &str) -> Error {
    Error::new(format!(
        "there are no {part} samples; both training and validation samples are needed"
    ))
}

fn check<'a, P: 'a>(set: &str, samples: impl Iterator<Item = &'a Sample<P>>) -> Result<(), Error> {
    for (index, sample) in samples.enumerate() {
        let mut targets = [sample.value, sample.result].into_iter();
        if let Some(target) = targets.find(|target| !(0.0..=1.0).contains(target)) {
            return Err(Error::new(format!(
                "{set} sample {index} (from 0) has the target {target}; targets are win probabilities in 0 to 1"
            )));
        }
    }
    Ok(())
}

fn merge_labels<'a>(labels: impl Iterator<Item = &'a UsedLabel>) -> Vec<UsedLabel> {
    let mut all: Vec<UsedLabel> = Vec::new();
    for used in labels {
        match all.iter_mut().find(|existing| existing.label == used.label) {
            Some(existing) => existing.samples += used.samples,
            None => all.push(used.clone()),
        }
    }
    all
}

fn describe_labels(labels: &[UsedLabel]) -> String {
    let mut list_names: Vec<&str> = labels
        .iter()
        .map(|existing| existing.label.name.as_str())
        .collect();
    list_names.sort_unstable();
    list_names.dedup();
    match list_names[..] {
        [] => "are no labels; `alea data relabel` makes them".to_owned(),
        [name] => format!("is '{name}'"),
        _ => format!("are '{}'", list_names.join("', '")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::tests::random_samples;
    use engine::games::einstein::{Position, Standard};

    #[test]
    fn the_fingerprint_sees_every_change() {
        let fingerprint = |training: &[Vec<Sample<Position>>], validation: &[Sample<Position>]| {
            Samples::in_memory(&Standard::default(), training.to_vec(), validation.to_vec())
                .unwrap()
                .fingerprint()
        };
        let (training, validation) = (
            vec![random_samples(2, 1), random_samples(1, 3)],
            random_samples(1, 2),
        );
        let expected = fingerprint(&training, &validation);
        assert_eq!(fingerprint(&training, &validation), expected);
        let changes: [fn(&mut Sample<Position>); 3] = [
            |sample| sample.value += 0.001,
            |sample| sample.result = 0.5,
            |sample| sample.weight = 0.5,
        ];
        for change in changes {
            let mut changed = validation.clone();
            change(&mut changed[3]);
            assert_ne!(fingerprint(&training, &changed), expected);
        }
        let mut moved = training.clone();
        let last = moved[0].pop().unwrap();
        moved[1].insert(0, last);
        assert_ne!(fingerprint(&moved, &validation), expected);
    }

    #[test]
    fn impossible_samples_are_refused() {
        let mut training = vec![random_samples(1, 1), random_samples(2, 1)];
        let index = training[0].len() + 7;
        training[1][7].value = 1.5;
        let refuse = |training: &[Vec<Sample<Position>>], validation| {
            Samples::in_memory(&Standard::default(), training.to_vec(), validation)
                .unwrap_err()
                .to_string()
        };
        let text = refuse(&training, random_samples(1, 2));
        assert!(
            text.starts_with(&format!(
                "training sample {index} (from 0) has the target 1.5"
            )),
            "{text}"
        );
        training[1][7].value = 1.0;
        training[1][7].result = f32::NAN;
        assert!(refuse(&training, random_samples(1, 2)).contains("has the target NaN"));
        training[1][7].result = 1.0;
        assert!(refuse(&training, Vec::new()).contains("no validation samples"));
        assert!(refuse(&[], random_samples(1, 2)).contains("no training samples"));
    }
}
