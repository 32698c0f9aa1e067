//! Which set-ups are good: a player against itself from all 720 set-ups against all, or each
//! against some others.
//!
//! Source: the study of set-ups of Rock'n'Roll (Schäfer 2006). Games come in pairs in which the two
//! set-ups change sides (`games.rs`); a pair is the unit of all intervals, which are about a draw
//! of opponents as much as about dice. Invariant: results depend on player, rules, seed and sizes
//! alone, not on threads or interruptions.

mod classes;
pub mod design;
pub mod draw;
pub(crate) mod games;
mod mix;
pub mod result;

use crate::arena::pool;
use crate::error::Result;
use design::pairings;
use engine::core::{
    journal::{Journal, Wording},
    random::{SeedSpace, derive_seed},
};
use engine::games::einstein::Standard;
use engine::play::{build::PlayerRecipe, playable::Playable};
use games::Seats;
use indicatif::ProgressBar;
use rayon::iter::{IntoParallelIterator, ParallelIterator};
pub use result::StudyResult;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{Mutex, PoisonError},
};

/// How a study is done.
#[derive(Clone)]
pub struct Settings {
    /// The rules.
    pub game: Standard,
    /// Pairs of games for each two set-ups that meet, at least 1.
    pub pairs: u32,
    /// Opponents of each set-up, 1 to 719.
    pub opponents: usize,
    /// Rules all luck, and who meets whom.
    pub seed: u64,
    /// Worker threads; 0 = as many as the machine has cores.
    pub threads: usize,
    /// Where finished chunks are kept.
    pub state: Option<PathBuf>,
}

/// Pairings that are played and kept together.
const CHUNK: usize = 48;

/// What came of one chunk of pairings.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Chunk {
    /// For each pairing the pairs of which the first set-up won one game, and both.
    pub(crate) counts: Vec<[u32; 2]>,
    /// Pairs of which who began won no, one, and both games.
    pub(crate) first_mover: [u64; 3],
    /// Plies of all games.
    pub(crate) plies: u64,
}

/// Does a study, or what is left of it.
///
/// # Errors
/// If threads cannot be started or the state file cannot be used.
pub fn run(
    recipe: &PlayerRecipe<Standard>,
    settings: &Settings,
    progress: &ProgressBar,
) -> Result<StudyResult> {
    let pairings = pairings(settings.opponents, settings.seed);
    let chunks: Vec<&[[usize; 2]]> = pairings.chunks(CHUNK).collect();
    let (journal, known) = match &settings.state {
        Some(path) => {
            let wording = Wording {
                work: "study",
                part: "chunk",
            };
            let number = |line: &(u64, Chunk)| line.0;
            let identity = identity(recipe, settings);
            let (journal, known) = Journal::open(path, wording, &identity, number)?;
            (Some(journal), known)
        }
        None => (None, BTreeMap::new()),
    };
    for (number, chunk) in known.values() {
        let fits = chunks
            .get(*number as usize)
            .is_some_and(|pairings| pairings.len() == chunk.counts.len());
        if !fits {
            return Err(format!(
                "chunk {number} of the state file does not fit the study; remove the file"
            )
            .into());
        }
    }
    let pool = pool(settings.threads)?;
    let wanted: Vec<usize> = (0..chunks.len())
        .filter(|&number| !known.contains_key(&(number as u64)))
        .collect();
    progress.set_length(pairings.len() as u64);
    let left = wanted.iter().map(|&number| chunks[number].len());
    progress.set_position((pairings.len() - left.sum::<usize>()) as u64);
    let found = Mutex::new((known, journal));
    pool.install(|| {
        wanted.into_par_iter().try_for_each_init(
            || Seats::new(recipe, &settings.game),
            |seats, number| {
                let line = (number as u64, play(seats, chunks[number], settings));
                progress.inc(chunks[number].len() as u64);
                let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(journal) = &mut found.1 {
                    journal.add(&line)?;
                }
                found.0.insert(line.0, line);
                Result::<()>::Ok(())
            },
        )
    })?;
    progress.finish_and_clear();
    let (known, _) = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(StudyResult::of(
        recipe.name(),
        settings,
        &pairings,
        known.values().map(|(_, chunk)| chunk),
    ))
}

/// Plays the pairings of a chunk; the seed of a pair depends on the two set-ups and its number.
fn play(seats: &mut Seats, pairings: &[[usize; 2]], settings: &Settings) -> Chunk {
    let mut chunk = Chunk::default();
    for &[first, second] in pairings {
        let mut counts = [0; 2];
        for number in 0..settings.pairs.max(1) {
            let indices = [first as u64, second as u64, u64::from(number)];
            let outcome = seats.pair(
                [first, second],
                derive_seed(settings.seed, SeedSpace::Arena, &indices),
            );
            if outcome.wins > 0 {
                counts[usize::from(outcome.wins) - 1] += 1;
            }
            chunk.first_mover[usize::from(outcome.first_mover_wins)] += 1;
            chunk.plies += u64::from(outcome.plies);
        }
        chunk.counts.push(counts);
    }
    chunk
}

/// Everything the results depend on.
fn identity(recipe: &PlayerRecipe<Standard>, settings: &Settings) -> serde_json::Value {
    json!({
        "format": "alea-setups-3",
        "player": recipe.name(),
        "seed": settings.seed,
        "pairs": settings.pairs,
        "opponents": settings.opponents,
        "game": settings.game.notation(),
    })
}

#[cfg(test)]
mod tests;
