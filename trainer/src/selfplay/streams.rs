//! The random numbers of a run.
//!
//! Invariant: they are a pure function of the run's seed and the game's number, if the games that
//! share a stream are played in their order. Seeding a Mersenne Twister costs as much as a fifth of
//! a game of the fastest players (312 words of state, twice), hence some games share one; few,
//! because they are played by one thread.

use super::SelfPlayConfig;
use engine::core::random::{RandomStream, SeedSpace, derive_seed};
use engine::play::{game_loop::Exploration, playable::Playable};

/// Games that follow each other and share their streams; the first has a number that this divides.
pub(super) const GAMES_PER_STREAM: u64 = 16;

/// Separates chance from all else.
const CHANCE: u64 = 1;

/// What the games of a group draw from, one after the other.
pub(super) struct Streams<G: Playable> {
    /// Who plays, the start, the players' seeds, and departures from their choices.
    pub(super) exploration: Exploration,
    pub(super) luck: G::Luck,
}

impl<G: Playable> Streams<G> {
    /// The streams of the group that begins with game `first`; or of that game alone, once it had to
    /// be played again so many times.
    pub(super) fn new(config: &SelfPlayConfig, game: &G, first: u64, again: u64) -> Self {
        let (share, temperature) = (config.random_share(), config.options.temperature());
        let seed = |indices: &[u64]| {
            let again = if again > 0 { &[CHANCE, again][..] } else { &[] };
            derive_seed(config.seed, SeedSpace::SelfPlay, &[indices, again].concat())
        };
        let random = RandomStream::new(seed(&[first][..]));
        Self {
            exploration: Exploration {
                opening_plies: config.opening_plies,
                share,
                temperature,
                random,
            },
            luck: game.luck(seed(&[first, CHANCE])),
        }
    }
}
