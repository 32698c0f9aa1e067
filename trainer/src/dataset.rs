//! From records to training samples.
//!
//! The position after each valued move is a sample: the search that chose the move valued it with the dice that
//! follow averaged out, which makes a far less noisy target than the value of one roll. Its target mixes that value
//! with the game's result. Games, never positions, are split into training and validation, and a game stays on its
//! side when more are added. Invariant: validation samples are kept in memory and training samples are not; they are
//! read again, part by part, whenever they are needed.

use crate::sample::Sample;
use crate::shard::{self, PlayedGame, ShardError};
use engine::files::FileError;
use engine::game::Game;
use engine::games::einstein::Standard;
use engine::random::{SeedSpace, derive_seed};
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_64;

/// How records become samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TargetMix {
    /// Weight λ of the search value; 1 − λ is that of the result.
    pub search_share: f32,
    /// Share of the games that only validate.
    pub validation_share: f64,
    /// Rules which games validate.
    pub seed: u64,
}

/// Why there are no samples.
#[derive(Debug, thiserror::Error)]
pub enum DatasetError {
    /// A shard cannot be read.
    #[error(transparent)]
    Shard(#[from] ShardError),
    /// A directory cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// There is nothing to learn from.
    #[error("{}: no game records there; make some with `alea selfplay --out {}`", .0.display(), .0.display())]
    Empty(PathBuf),
    /// Games of two variants lie together.
    #[error("{}: games of the variant '{found}' among games of '{first}'; keep them in directories of their own", .path.display())]
    Variant {
        /// The first shard that differs.
        path: PathBuf,
        /// Its variant.
        found: String,
        /// The variant of the shards before it.
        first: String,
    },
    /// One part of the split of a directory is empty.
    #[error("{}: too few games with values: none is left for {part}", path.display())]
    NoSamples {
        /// The directory.
        path: PathBuf,
        /// Training or validation.
        part: &'static str,
    },
    /// Nothing to learn from, or to judge by.
    #[error("there are no {0} samples; both training and validation samples are needed")]
    Missing(&'static str),
    /// A target that is no probability.
    #[error("{set} sample {index} (from 0) has the target {target}; targets are win probabilities in 0 to 1")]
    Target {
        /// Training or validation.
        set: &'static str,
        /// From 0, over all parts.
        index: usize,
        /// What it has.
        target: f32,
    },
    /// A shard that is another than it was.
    #[error("{}: it changed during the training; start again, with a new directory for the model", .0.display())]
    Changed(PathBuf),
}

/// The samples of a training.
#[derive(Debug)]
pub struct Samples {
    source: Source,
    /// Training samples of each part.
    sizes: Vec<usize>,
    validation: Vec<Sample>,
    fingerprint: u64,
}

/// Where training samples come from.
#[derive(Debug)]
enum Source {
    Shards(Vec<PathBuf>, TargetMix),
    Memory(Vec<Vec<Sample>>),
}

/// What is known of a part once it was read.
struct Seen {
    size: usize,
    hash: u64,
}

impl Seen {
    fn new(samples: &[Sample]) -> Self {
        let mut bytes = Vec::with_capacity(samples.len() * 12);
        for sample in samples {
            bytes.extend_from_slice(&sample.position.bits().to_le_bytes());
            bytes.extend_from_slice(&sample.target.to_bits().to_le_bytes());
        }
        Self { size: samples.len(), hash: xxh3_64(&bytes) }
    }
}

impl Samples {
    /// The samples of all shards of a directory, each shard a part. Reads them once, and keeps what validates.
    ///
    /// # Errors
    /// If a shard cannot be read, the shards are of different variants, or training or validation would be empty.
    pub fn open(directory: &Path, mix: &TargetMix) -> Result<Self, DatasetError> {
        let shards = shard::list(directory)?;
        if shards.is_empty() {
            return Err(DatasetError::Empty(directory.to_owned()));
        }
        let parts: Vec<(String, Seen, Vec<Sample>)> = shards
            .par_iter()
            .map(|path| {
                let (variant, training, validation) = split(path, mix)?;
                Ok((variant, Seen::new(&training), validation))
            })
            .collect::<Result<_, ShardError>>()?;
        let first = parts[0].0.clone();
        if let Some((path, (found, ..))) = shards.iter().zip(&parts).find(|(_, (variant, ..))| *variant != first) {
            return Err(DatasetError::Variant { path: path.clone(), found: found.clone(), first });
        }
        let seen: Vec<Seen> = parts.iter().map(|(_, seen, _)| Seen { ..*seen }).collect();
        let validation = parts.into_iter().flat_map(|(.., validation)| validation).collect();
        Self::new(Source::Shards(shards, *mix), &seen, validation).map_err(|error| match error {
            DatasetError::Missing(part) => DatasetError::NoSamples { path: directory.to_owned(), part },
            other => other,
        })
    }

    /// Samples that are in memory, the training samples in parts of any size.
    ///
    /// # Errors
    /// If there are no training or no validation samples, or a target is no probability.
    pub fn in_memory(training: Vec<Vec<Sample>>, validation: Vec<Sample>) -> Result<Self, DatasetError> {
        check("training", training.iter().flatten())?;
        check("validation", validation.iter())?;
        let seen: Vec<Seen> = training.iter().map(|part| Seen::new(part)).collect();
        Self::new(Source::Memory(training), &seen, validation)
    }

    fn new(source: Source, seen: &[Seen], validation: Vec<Sample>) -> Result<Self, DatasetError> {
        let numbers = seen.iter().chain([&Seen::new(&validation)]).flat_map(|seen| [seen.size as u64, seen.hash]).collect::<Vec<_>>();
        let bytes: Vec<u8> = numbers.into_iter().flat_map(u64::to_le_bytes).collect();
        let samples = Self { source, sizes: seen.iter().map(|seen| seen.size).collect(), validation, fingerprint: xxh3_64(&bytes) };
        match (samples.training(), samples.validation.len()) {
            (0, _) => Err(DatasetError::Missing("training")),
            (_, 0) => Err(DatasetError::Missing("validation")),
            _ => Ok(samples),
        }
    }

    /// How many training samples there are.
    #[must_use]
    pub fn training(&self) -> usize {
        self.sizes.iter().sum()
    }

    /// The validation samples, in the order of their games.
    #[must_use]
    pub fn validation(&self) -> &[Sample] {
        &self.validation
    }

    /// A number that differs, but for chance, when any sample, its place or its part differs.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// How many parts the training samples come in.
    #[must_use]
    pub fn parts(&self) -> usize {
        self.sizes.len()
    }

    /// The training samples of a part, in the order of their games.
    ///
    /// # Errors
    /// If its shard cannot be read, or has changed.
    pub fn read(&self, part: usize) -> Result<Vec<Sample>, DatasetError> {
        match &self.source {
            Source::Memory(parts) => Ok(parts[part].clone()),
            Source::Shards(paths, mix) => {
                let (_, training, _) = split(&paths[part], mix)?;
                if training.len() == self.sizes[part] { Ok(training) } else { Err(DatasetError::Changed(paths[part].clone())) }
            }
        }
    }
}

fn check<'a>(set: &'static str, samples: impl Iterator<Item = &'a Sample>) -> Result<(), DatasetError> {
    match samples.enumerate().find(|(_, sample)| !(0.0..=1.0).contains(&sample.target)) {
        Some((index, sample)) => Err(DatasetError::Target { set, index, target: sample.target }),
        None => Ok(()),
    }
}

/// Variant, training and validation samples of a shard.
fn split(path: &Path, mix: &TargetMix) -> Result<(String, Vec<Sample>, Vec<Sample>), ShardError> {
    let (header, games) = shard::read(path)?;
    // What a move does, and who has won, is the same in every variant; only what a roll permits is not. Once a shard: to
    // make rules takes as long as to replay some games.
    let rules = Standard::default();
    let (mut training, mut validation) = (Vec::with_capacity(games.len() * 16), Vec::new());
    for (game, index) in games.iter().zip(header.first_game..) {
        let part = if validates(mix, index) { &mut validation } else { &mut training };
        part.extend(samples_of(&rules, game, mix.search_share));
    }
    Ok((header.variant, training, validation))
}

/// Whether a game only validates; depends on the seed and its index alone, so it stays so when games are added.
fn validates(mix: &TargetMix, game: u64) -> bool {
    let draw = derive_seed(mix.seed, SeedSpace::Training, &[0x5EED, game]);
    ((draw >> 11) as f64 / (1u64 << 53) as f64) < mix.validation_share
}

/// The samples of one game: every position that a valued move led to and that is not over.
fn samples_of<'a>(rules: &'a Standard, game: &'a PlayedGame, search_share: f32) -> impl Iterator<Item = Sample> + 'a {
    let record = &game.record;
    let mut position = record.start;
    record.plies.iter().filter_map(move |ply| {
        position = rules.play(&position, ply.mv);
        let value = ply.value?;
        if rules.winner(&position).is_some() {
            return None;
        }
        // The value is the mover's; the sample is seen by the side that moves next.
        let result = record.payoffs[position.seat()];
        Some(Sample { position, target: search_share * (1.0 - value) + (1.0 - search_share) * result })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::tests::random_samples;

    #[test]
    fn the_fingerprint_sees_every_change() {
        let fingerprint = |training: &[Vec<Sample>], validation: &[Sample]| {
            Samples::in_memory(training.to_vec(), validation.to_vec()).unwrap().fingerprint()
        };
        let (training, validation) = (vec![random_samples(2, 1), random_samples(1, 3)], random_samples(1, 2));
        let expected = fingerprint(&training, &validation);
        assert_eq!(fingerprint(&training, &validation), expected);
        let mut changed = validation.clone();
        changed[3].target += 0.001;
        assert_ne!(fingerprint(&training, &changed), expected);
        let mut moved = training.clone();
        let last = moved[0].pop().unwrap();
        moved[1].insert(0, last);
        assert_ne!(fingerprint(&moved, &validation), expected);
    }

    #[test]
    fn impossible_samples_are_refused() {
        let mut training = vec![random_samples(1, 1), random_samples(2, 1)];
        let index = training[0].len() + 7;
        training[1][7].target = 1.5;
        let refuse = |training: &[Vec<Sample>], validation| Samples::in_memory(training.to_vec(), validation).unwrap_err().to_string();
        let text = refuse(&training, random_samples(1, 2));
        assert!(text.starts_with(&format!("training sample {index} (from 0) has the target 1.5")), "{text}");
        training[1][7].target = 1.0;
        assert!(refuse(&training, Vec::new()).contains("no validation samples"));
        assert!(refuse(&[], random_samples(1, 2)).contains("no training samples"));
    }
}
