//! Merges, filters, samples, shuffles and splits game records; games, options and seed determine
//! the result.

use super::{
    ShardReader,
    atomic_dir::AtomicDirectory,
    position_filter::Filter,
    shard_writer::{ShardWriter, WriteSummary},
};
use crate::Error;
use crate::shard::PlayedGame;
use alea_core::random::{RandomStream, SeedSpace, derive_seed};
use alea_play::playable::Playable;
use serde_json::{Value, json};
use std::{collections::HashSet, path::Path};

pub(super) fn describe_command<G>(source: &ShardReader<G>, command: Value) -> Value {
    json!({ "made_by": command, "sources": source.runs })
}

fn create_writer<G: Playable>(
    source: &ShardReader<G>,
    target: &Path,
    command: Value,
) -> Result<ShardWriter<G>, Error> {
    ShardWriter::create(target, source.new_header(describe_command(source, command)))
}

fn copy_games<G: Playable>(
    source: &ShardReader<G>,
    target: &Path,
    command: Value,
    mut keep: impl FnMut(&mut PlayedGame<G>) -> bool,
) -> Result<WriteSummary, Error> {
    let mut output = create_writer(source, target, command)?;
    source.for_each_game(|mut game| match keep(&mut game) {
        true => output.push(game),
        false => Ok(()),
    })?;
    output.finish()
}

/// Copies the games of all shards in order; if `unique`, without exact repeats of earlier ones.
pub fn merge<G: Playable>(
    source: &ShardReader<G>,
    target: &Path,
    unique: bool,
) -> Result<WriteSummary, Error> {
    let command = json!({ "command": "merge", "unique": unique });
    let mut seen = HashSet::new();
    copy_games(source, target, command, |game| {
        !unique || seen.insert(game.fingerprint(&source.rules))
    })
}

/// Copies games without the values and labels that `filter` removes; drops games that keep none.
pub fn filter<G: Playable>(
    source: &ShardReader<G>,
    target: &Path,
    filter: &Filter,
) -> Result<WriteSummary, Error> {
    let command = json!({ "command": "filter", "keep": filter });
    copy_games(source, target, command, |game| {
        filter.apply(&source.rules, game)
    })
}

/// Copies `games` games drawn at random, in their original order.
pub fn sample<G: Playable>(
    source: &ShardReader<G>,
    target: &Path,
    games: u64,
    seed: u64,
) -> Result<WriteSummary, Error> {
    if games > source.games {
        let there = source.games;
        return Err(Error::new(format!(
            "a sample of {games} games cannot be taken from {there}"
        )));
    }
    let command = json!({ "command": "sample", "games": games, "seed": seed });
    let mut random = RandomStream::new(derive_seed(seed, SeedSpace::Records, &[1]));
    let (mut remaining, mut left) = (games, source.games);
    // Algorithm S of Knuth (Fan, Muller and Rezucha 1962).
    copy_games(source, target, command, |_| {
        let is_sampled = (random.below(left.max(1) as usize) as u64) < remaining;
        left = left.saturating_sub(1);
        remaining -= u64::from(is_sampled);
        is_sampled
    })
}

/// Copies games in random order, in about 400 bytes of memory per game.
pub fn shuffle<G: Playable>(
    source: &ShardReader<G>,
    target: &Path,
    seed: u64,
) -> Result<WriteSummary, Error> {
    let mut output = create_writer(
        source,
        target,
        json!({ "command": "shuffle", "seed": seed }),
    )?;
    let mut games = Vec::new();
    source.for_each_game(|game| {
        games.push(game);
        Ok(())
    })?;
    RandomStream::new(derive_seed(seed, SeedSpace::Records, &[2])).shuffle(&mut games);
    games.into_iter().try_for_each(|game| output.push(game))?;
    output.finish()
}

/// Part of a set of games that is split at random.
#[derive(Clone, Debug, PartialEq)]
pub struct SplitPart {
    /// Name of the part, used in its path.
    pub name: String,
    /// Expected number of games, relative to the sum of all parts' weights.
    pub weight: f64,
}

/// Assigns games to parts, all symmetric images of a game to the same one.
pub(super) struct SplitPolicy<'a> {
    parts: &'a [SplitPart],
    sum: f64,
    seed: u64,
    seen: HashSet<u64>,
}

impl<'a> SplitPolicy<'a> {
    /// `also` lists characters that names may contain besides letters and digits.
    pub(super) fn new(parts: &'a [SplitPart], also: &str, seed: u64) -> Result<Self, Error> {
        let plain = |name: &str| {
            let fits = |letter: char| letter.is_alphanumeric() || also.contains(letter);
            !name.is_empty() && name.chars().all(fits)
        };
        let sum: f64 = parts.iter().map(|part| part.weight).sum();
        if !sum.is_finite()
            || parts
                .iter()
                .any(|part| part.weight.is_nan() || part.weight <= 0.0 || !plain(&part.name))
        {
            return Err(Error::new(format!(
                "parts of a split have names of letters, digits and '{also}', and weights above 0"
            )));
        }
        let mut names = HashSet::new();
        if !parts.iter().all(|part| names.insert(&part.name)) {
            return Err(Error::new("two parts of the split have the same name"));
        }
        let seen = HashSet::new();
        Ok(Self {
            parts,
            sum,
            seed,
            seen,
        })
    }

    pub(super) fn fraction(&self, part: &SplitPart) -> f64 {
        part.weight / self.sum
    }

    /// Index of the part, and whether an equal game or a symmetric image came before.
    pub(super) fn assign<G: Playable>(&mut self, rules: &G, game: &PlayedGame<G>) -> (usize, bool) {
        let fingerprint = game.canonical_fingerprint(rules);
        (
            self.part_index(fingerprint),
            !self.seen.insert(fingerprint as u64),
        )
    }

    fn part_index(&self, fingerprint: u128) -> usize {
        let draw = derive_seed(
            self.seed,
            SeedSpace::Records,
            &[3, fingerprint as u64, (fingerprint >> 64) as u64],
        );
        let mut rest = (draw >> 11) as f64 / (1u64 << 53) as f64 * self.sum;
        for (index, part) in self.parts.iter().enumerate() {
            rest -= part.weight;
            if rest < 0.0 {
                return index;
            }
        }
        // Only rounding errors lead here.
        self.parts.len() - 1
    }
}

/// Splits games at random into one directory per part, symmetric images into the same; all
/// directories appear at once.
pub fn split<G: Playable>(
    source: &ShardReader<G>,
    target: &Path,
    parts: &[SplitPart],
    seed: u64,
) -> Result<Vec<WriteSummary>, Error> {
    if parts.len() < 2 {
        return Err(Error::new("a split has two parts or more"));
    }
    let mut policy = SplitPolicy::new(parts, "-_", seed)?;
    let staging = AtomicDirectory::create(target)?;
    let mut outputs = Vec::with_capacity(parts.len());
    let mut duplicates = vec![0; parts.len()];
    for part in parts {
        let command = json!({ "command": "split", "part": part.name, "share": policy.fraction(part), "seed": seed });
        outputs.push(create_writer(
            source,
            &staging.path().join(&part.name),
            command,
        )?);
    }
    source.for_each_game(|game| {
        let (part, repeats) = policy.assign(&source.rules, &game);
        duplicates[part] += u64::from(repeats);
        outputs[part].push(game)
    })?;
    let mut all = Vec::with_capacity(parts.len());
    for ((output, part), duplicates) in outputs.into_iter().zip(parts).zip(duplicates) {
        let directory = target.join(&part.name);
        output.check_not_empty(&directory)?;
        all.push(WriteSummary {
            directory,
            duplicates: Some(duplicates),
            ..output.finish()?
        });
    }
    staging.commit()?;
    Ok(all)
}
