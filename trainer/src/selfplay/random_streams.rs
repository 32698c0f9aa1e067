//! Random streams of a run.
//!
//! Invariant: they are a pure function of the seed and the game's index, provided that the games
//! of a group are played in order. Seeding a Mersenne Twister costs a fifth of a game of the
//! fastest players, so small groups of games share their streams.

use super::SelfPlayConfig;
use engine::core::random::{RandomStream, SeedSpace, derive_seed};
use engine::play::{game_loop::Exploration, playable::Playable};

/// Consecutive games that share their streams; the first index is a multiple of this.
pub(super) const GAMES_PER_STREAM: u64 = 16;

/// Seed index of chance.
const CHANCE_STREAM: u64 = 1;

/// Random streams of a group of games.
pub(super) struct GameStreams<G: Playable> {
    /// Choice of players, starts, players' seeds and exploration.
    pub(super) exploration: Exploration,
    pub(super) luck: G::Chance,
}

impl<G: Playable> GameStreams<G> {
    /// Streams of the group that begins with game `first`, or of this game alone in retry `retry`
    /// > 0.
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
