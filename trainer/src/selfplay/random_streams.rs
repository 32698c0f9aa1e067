//! Random streams of self-play games, shared by groups: seeding a Mersenne Twister for each game
//! costs a fifth of a fast player's time.

use super::SelfPlayConfig;
use alea_core::random::{RandomStream, SeedSpace, derive_seed};
use alea_play::{game_loop::Exploration, playable::Playable};

/// Number of consecutive games that share streams; the first index is a multiple of it.
pub(super) const GAMES_PER_STREAM: u64 = 16;

const CHANCE_STREAM: u64 = 1;

pub(super) struct GameStreams<G: Playable> {
    pub(super) exploration: Exploration,
    pub(super) luck: G::Chance,
}

impl<G: Playable> GameStreams<G> {
    /// Creates the streams of the group from game `first` on; `retry` > 0 replays this game alone.
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
