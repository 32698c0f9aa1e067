//! What it is worth to begin: a player against itself from random set-ups, and how often who begins
//! wins.
//!
//! Games are those of the study of set-ups: pairs in which the set-ups change sides and who begins
//! does not, a pair being the unit of intervals. Invariant: results depend on player, rules, seed
//! and number of games alone; all players meet the same set-ups and dice.

use crate::statistics::{Interval, Tally};
use crate::studies::setup_study::games::Seats;
use engine::core::random::{RandomStream, SeedSpace, derive_seed};
use engine::games::einstein::{Standard, setup::SETUPS};
use engine::play::build::PlayerRecipe;
use indicatif::ProgressBar;
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use serde::{Deserialize, Serialize};

/// What beginning is worth to one player.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpeningValue {
    /// The player, in notation.
    pub player: String,
    /// Games played.
    pub games: u64,
    /// Share of games won by who began.
    pub score: f64,
    /// Its 95 % interval.
    pub interval: Interval,
    /// Plies a game.
    pub mean_plies: f64,
}

/// Plays so many pairs (at least 1) of a player against itself, on the threads of the caller's
/// pool.
#[must_use]
pub fn opening_value(
    recipe: &PlayerRecipe<Standard>,
    game: &Standard,
    pairs: u64,
    seed: u64,
    progress: &ProgressBar,
) -> OpeningValue {
    let pair = |seats: &mut Seats, number: u64| {
        let pair_seed = derive_seed(seed, SeedSpace::Arena, &[number]);
        let mut random = RandomStream::new(derive_seed(pair_seed, SeedSpace::Arena, &[0]));
        let outcome = seats.pair([random.below(SETUPS), random.below(SETUPS)], pair_seed);
        progress.inc(1);
        let mut counts = [0; 3];
        counts[usize::from(outcome.first_mover_wins)] = 1;
        (counts, u64::from(outcome.plies))
    };
    let sum = |(left, plies): ([u64; 3], u64), (right, more): ([u64; 3], u64)| {
        (
            std::array::from_fn(|cell| left[cell] + right[cell]),
            plies + more,
        )
    };
    let pairs = pairs.max(1);
    let found = (0..pairs).into_par_iter().map_init(
        || Seats::new(recipe, game),
        |seats, number| pair(seats, number),
    );
    let (counts, plies) = found.reduce(|| ([0; 3], 0), sum);
    let tally = Tally { counts };
    OpeningValue {
        player: recipe.name().to_owned(),
        games: 2 * pairs,
        score: tally.score(),
        interval: tally.interval(),
        mean_plies: plies as f64 / (2 * pairs) as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_players_gain_what_other_programs_found() {
        let game = Standard::default();
        let recipe = PlayerRecipe::parse("random", &game).unwrap();
        let found = opening_value(&recipe, &game, 20_000, 3, &ProgressBar::hidden());
        // 53.15 % and 21.59 plies: `alea bench playouts`, which is held against two other programs.
        assert!(
            (found.score - 0.5315).abs() < 0.012 && (found.mean_plies - 21.59).abs() < 0.1,
            "{found:?}"
        );
        assert!(found.interval.contains(found.score) && found.games == 40_000);
    }

    #[test]
    fn threads_change_nothing() {
        let game = Standard::default();
        let recipe = PlayerRecipe::parse("MrBlack(0)", &game).unwrap();
        let on = |threads: usize| {
            let pool = crate::arena::pool(threads).unwrap();
            pool.install(|| opening_value(&recipe, &game, 500, 7, &ProgressBar::hidden()))
        };
        assert_eq!(on(1), on(3));
    }
}
