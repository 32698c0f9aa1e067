//! Statistics of EinStein games between uniformly random players, from random set-ups.
//!
//! Slow but simple: the reference for faster playouts ([`playout_speed::compare`]).

pub mod playout_speed;
use arena::error::Result;
use arena::matches::pool;
use engine::core::random::{RandomStream, SeedSpace, derive_seed};
use engine::games::einstein::{BLUE, RED, Standard, dice::DiceStream};
use rayon::prelude::*;
use serde::Serialize;
use std::time::Instant;

/// Games played with one random stream, because seeding takes as long as a few games.
const BLOCK_GAMES: u64 = 256;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RandomPlayCounts {
    pub games: u64,
    pub first_mover_wins: u64,
    pub plies: u64,
    pub squared_plies: u64,
    /// Number of moves that the roll allowed, summed over all plies.
    pub legal_moves: u64,
    pub longest: u64,
}

#[derive(Debug, Serialize)]
pub struct RandomPlayReport {
    pub counts: RandomPlayCounts,
    #[serde(rename = "first_mover_share")]
    pub first_mover_score: f64,
    pub first_mover_error: f64,
    pub mean_plies: f64,
    pub mean_plies_error: f64,
    pub moves_per_turn: f64,
    pub games_per_second: f64,
    pub wall_seconds: f64,
}

/// Plays `max(games, 1)` random games on `threads` threads (0 = all cores); Red begins every other
/// game.
pub fn random_play(
    game: &Standard,
    games: u64,
    seed: u64,
    threads: usize,
) -> Result<RandomPlayReport> {
    let games = games.max(1);
    let pool = pool(threads)?;
    let began = Instant::now();
    let blocks = games.div_ceil(BLOCK_GAMES);
    let counts = pool.install(|| {
        let block = |block: u64| {
            play_block(
                game,
                derive_seed(seed, SeedSpace::Playouts, &[block]),
                BLOCK_GAMES.min(games - block * BLOCK_GAMES),
            )
        };
        (0..blocks)
            .into_par_iter()
            .map(block)
            .reduce(RandomPlayCounts::default, RandomPlayCounts::add)
    });
    let wall = began.elapsed().as_secs_f64();
    let n = games as f64;
    let (first_mover_wins, mean) = (counts.first_mover_wins as f64 / n, counts.plies as f64 / n);
    Ok(RandomPlayReport {
        counts,
        first_mover_score: first_mover_wins,
        first_mover_error: (first_mover_wins * (1.0 - first_mover_wins) / n).sqrt(),
        mean_plies: mean,
        mean_plies_error: ((counts.squared_plies as f64 / n - mean * mean).max(0.0) / n).sqrt(),
        moves_per_turn: counts.legal_moves as f64 / counts.plies as f64,
        games_per_second: n / wall.max(1e-9),
        wall_seconds: wall,
    })
}

pub fn play_block(game: &Standard, seed: u64, games: u64) -> RandomPlayCounts {
    let mut random = RandomStream::new(seed);
    let mut dice = DiceStream::new(random.next_u64(), game.die());
    let mut counts = RandomPlayCounts {
        games,
        ..RandomPlayCounts::default()
    };
    for number in 0..games {
        let first = if number % 2 == 0 { RED } else { BLUE };
        let mut position = game.random_start(&mut random, first);
        let mut plies = 0;
        let winner = loop {
            if let Some(winner) = game.winner(&position) {
                break winner;
            }
            let legal = game.legal_moves(&position, dice.roll());
            counts.legal_moves += legal.len() as u64;
            position =
                engine::core::game::Game::play(game, &position, legal[random.below(legal.len())]);
            plies += 1;
        };
        counts.first_mover_wins += u64::from(winner == first);
        counts.plies += plies;
        counts.squared_plies += plies * plies;
        counts.longest = counts.longest.max(plies);
    }
    counts
}

impl RandomPlayCounts {
    fn add(self, other: Self) -> Self {
        Self {
            games: self.games + other.games,
            first_mover_wins: self.first_mover_wins + other.first_mover_wins,
            plies: self.plies + other.plies,
            squared_plies: self.squared_plies + other.squared_plies,
            legal_moves: self.legal_moves + other.legal_moves,
            longest: self.longest.max(other.longest),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_play_has_the_statistics_two_other_programs_found() {
        let report = random_play(&Standard::default(), 40_000, 1, 0).unwrap();
        assert_eq!(report.counts.games, 40_000);
        let reference_error = 0.005 / 2.0;
        let sigma = report.first_mover_error.hypot(reference_error);
        assert!(
            (report.first_mover_score - 0.534).abs() < 4.0 * sigma,
            "{report:?}"
        );
        assert!(
            (report.mean_plies - 21.6).abs() < 4.0 * report.mean_plies_error + 0.05,
            "{report:?}"
        );
        assert!((report.moves_per_turn - 3.11).abs() < 0.02, "{report:?}");
        // Without captures, no side needs more than 19 turns; the longest of 40,000 games has about
        // 43 plies.
        assert!((38..=55).contains(&report.counts.longest), "{report:?}");
    }

    #[test]
    fn counts_do_not_depend_on_threads() {
        let counts = |games, seed, threads| {
            let report = random_play(&Standard::default(), games, seed, threads);
            report.unwrap().counts
        };
        for threads in [2, 3] {
            assert_eq!(counts(1_000, 5, 1), counts(1_000, 5, threads));
        }
        assert_ne!(counts(1_000, 5, 1), counts(1_000, 6, 1));
        assert_eq!(counts(0, 5, 1).games, 1);
    }
}
