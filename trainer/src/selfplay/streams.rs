//! The random numbers of a run.
//!
//! Invariant: they are a pure function of the run's seed and the game's number, if the games that
//! share a stream are played in their order. Seeding a Mersenne Twister costs as much as a fifth of
//! a game of the fastest players (312 words of state, twice), hence some games share one; few,
//! because they are played by one thread.

use super::SelfPlayConfig;
use engine::core::random::{RandomStream, SeedSpace, derive_seed};
use engine::games::einstein::dice::{DiceStream, Die};
use engine::play::game_loop::Exploration;

/// Games that follow each other and share their streams; the first has a number that this divides.
pub(super) const GAMES_PER_STREAM: u64 = 16;

/// Separates the dice from all else.
const DICE: u64 = 1;

/// What the games of a group draw from, one after the other.
pub(super) struct Streams {
    /// Who plays, the start, the players' seeds, and departures from their choices.
    pub(super) exploration: Exploration,
    pub(super) dice: DiceStream,
}

impl Streams {
    /// The streams of the group that begins with game `first`.
    pub(super) fn new(config: &SelfPlayConfig, die: Die, first: u64) -> Self {
        let (share, temperature) = (config.random_share(), config.options.temperature());
        let random = RandomStream::new(derive_seed(config.seed, SeedSpace::SelfPlay, &[first]));
        Self {
            exploration: Exploration {
                opening_plies: config.opening_plies,
                share,
                temperature,
                random,
            },
            dice: DiceStream::new(
                derive_seed(config.seed, SeedSpace::SelfPlay, &[first, DICE]),
                die,
            ),
        }
    }
}
