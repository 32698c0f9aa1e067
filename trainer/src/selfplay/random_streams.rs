//! Random streams of self-play games.
//!
//! Seeding a Mersenne Twister costs a fifth of a game of the fastest players, so small groups of
//! games share their streams. Invariant: the numbers are a pure function of seed and game index,
//! provided that the games of a group are played in order.

use super::SelfPlayConfig;
use alea_core::random::{RandomStream, SeedSpace, derive_seed};
use alea_play::{game_loop::Exploration, playable::Playable};

/// Number of consecutive games that share their streams; the first index is a multiple of it.
pub(super) const GAMES_PER_STREAM: u64 = 16;

/// Index that derives the seed of chance outcomes from the run's seed.
const CHANCE_STREAM: u64 = 1;

pub(super) struct GameStreams<G: Playable> {
    /// Random numbers for players, starts, players' seeds and exploration.
    pub(super) exploration: Exploration,
    pub(super) luck: G::Chance,
}

impl<G: Playable> GameStreams<G> {
    /// Streams of the group that begins with game `first`; with `retry` > 0, those of a replay of
    /// this game alone.
    pub(super) fn new(config: &SelfPlayConfig, game: &G, first: u64, retry: u64) -> Self {
        let (share_schedule, temperature) =
            (config.exploration_schedule(), config.options.temperature());
        let seed = |indices: &[u64]| {
            let retry = if retry > 0 {
                &[CHANCE_STREAM, retry][..]
            } else {
                &[]
            };
            derive_seed(config.seed, SeedSpace::SelfPlay, &[indices, retry].concat())
        };
        let random = RandomStream::new(seed(&[first][..]));
        Self {
            exploration: Exploration {
                opening_plies: config.opening_plies,
                share: share_schedule,
                temperature,
                random,
            },
            luck: game.chance(seed(&[first, CHANCE_STREAM])),
        }
    }
}
