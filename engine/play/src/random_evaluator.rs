//! Evaluator with random values, like the leaves of Rock'n'Roll's MrRandom (Schäfer 2006).

use alea_core::{evaluator::Evaluator, game::Game};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Evaluator whose values are uniform on `(0, 1)`, a hash of seed and position.
#[derive(Clone, Copy, Debug)]
pub struct Random {
    seed: u64,
}

impl Random {
    /// An evaluator; equal seeds give equal values.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { seed }
    }
}

impl<G: Game> Evaluator<G> for Random {
    type Cache = ();

    #[inline]
    fn value(&self, game: &G, position: &G::Position, (): &()) -> f32 {
        let hash = xxh3_64_with_seed(&game.key(position).to_le_bytes(), self.seed);
        // An odd multiple of 2^-24, exact in 24 bits: neither 0 nor 1.
        ((hash >> 41) as f32 + 0.5) / (1u32 << 23) as f32
    }

    fn estimates_payoffs(&self) -> bool {
        false
    }
}
