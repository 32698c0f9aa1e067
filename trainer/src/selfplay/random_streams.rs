//! Random streams of self-play games. Seeding a Mersenne Twister costs a fifth of a fast player's
//! game, so groups of games share streams and are played in order.

use super::SelfPlayConfig;
use alea_core::random::{RandomStream, SeedSpace, derive_seed};
use alea_play::{game_loop::Exploration, playable::Playable};

/// Consecutive games that share streams; the first index is a multiple of it.
pub(super) const GAMES_PER_STREAM: u64 = 16;

/// Index among the random streams of a run's seed.
const CHANCE_STREAM: u64 = 1;

pub(super) struct GameStreams<G: Playable> {
    /// Draws players, starts, players' seeds and random moves.
    pub(super) exploration: Exploration,
    pub(super) luck: G::Chance,
}

impl<G: Playable> GameStreams<G> {
    /// Streams for the group from game `first` on; with `retry` > 0, for a replay of it alone.
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
                random_move_probability: share_schedule,
                temperature,
                random,
            },
            luck: game.chance(seed(&[first, CHANCE_STREAM])),
        }
    }
}
