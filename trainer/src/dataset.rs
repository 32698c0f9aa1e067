//! From records to training samples.
//!
//! The position after each valued move is a sample: the search that chose the move valued it with the dice that
//! follow averaged out, which makes a far less noisy target than the value of one roll. Its target mixes that value
//! with the game's result. Games, never positions, are split into training and validation, and a game stays on its
//! side when more are added.

use crate::sample::{Sample, SampleSet};
use crate::shard::{self, PlayedGame, ShardError};
use engine::files::FileError;
use engine::game::Game;
use engine::games::einstein::Standard;
use engine::random::{SeedSpace, derive_seed};
use rayon::prelude::*;
use std::path::{Path, PathBuf};

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
    /// One part of the split is empty.
    #[error("{}: {problem}", .path.display())]
    NoSamples {
        /// The directory.
        path: PathBuf,
        /// Which samples are missing, and why.
        problem: String,
    },
}

/// Reads all shards of `directory` into samples, in the order of the games.
///
/// # Errors
/// If a shard cannot be read, the shards are of different variants, or training or validation would be empty.
pub fn load(directory: &Path, mix: &TargetMix) -> Result<SampleSet, DatasetError> {
    let shards = shard::list(directory)?;
    if shards.is_empty() {
        return Err(DatasetError::Empty(directory.to_owned()));
    }
    let parts: Vec<(String, SampleSet)> = shards
        .par_iter()
        .map(|path| {
            let (header, games) = shard::read(path)?;
            let mut samples = SampleSet::default();
            for (index, game) in games.iter().enumerate() {
                let validates = validates(mix, header.first_game + index as u64);
                let part = if validates { &mut samples.validation } else { &mut samples.training };
                part.extend(samples_of(game, mix.search_share));
            }
            Ok((header.variant, samples))
        })
        .collect::<Result<_, ShardError>>()?;
    let mut samples = SampleSet::default();
    let first = parts[0].0.clone();
    for (path, (variant, part)) in shards.into_iter().zip(parts) {
        if variant != first {
            return Err(DatasetError::Variant { path, found: variant, first });
        }
        samples.training.extend(part.training);
        samples.validation.extend(part.validation);
    }
    for (name, part) in [("training", &samples.training), ("validation", &samples.validation)] {
        if part.is_empty() {
            let problem = format!("too few games with values: none is left for {name}");
            return Err(DatasetError::NoSamples { path: directory.to_owned(), problem });
        }
    }
    Ok(samples)
}

/// Whether a game only validates; depends on the seed and its index alone, so it stays so when games are added.
fn validates(mix: &TargetMix, game: u64) -> bool {
    let draw = derive_seed(mix.seed, SeedSpace::Training, &[0x5EED, game]);
    ((draw >> 11) as f64 / (1u64 << 53) as f64) < mix.validation_share
}

/// The samples of one game: every position that a valued move led to and that is not over.
fn samples_of(game: &PlayedGame, search_share: f32) -> impl Iterator<Item = Sample> + '_ {
    // What a move does, and who has won, is the same in every variant; only what a roll permits is not.
    let rules = Standard::default();
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
