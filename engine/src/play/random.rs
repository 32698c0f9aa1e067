//! An evaluator with a random value for every position, like the leaves of Rock'n'Roll's MrRandom
//! (Schäfer 2006).
//!
//! The value is a hash of the seed and the position's key, the same on every thread.

use crate::core::{evaluator::Evaluator, game::Game};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Random values, uniform on `(0, 1)`.
#[derive(Clone, Copy, Debug)]
pub struct Random {
    seed: u64,
}

impl Random {
    /// The evaluator with this seed.
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::einstein::{Standard, evaluators::test_support::random_positions};

    #[test]
    fn values_are_reproducible_and_uniform() {
        let game = Standard::default();
        let mut positions = random_positions(&game, 1, 20_000);
        positions.sort_unstable_by_key(|position| position.bits());
        positions.dedup();
        let values: Vec<f32> = positions
            .iter()
            .map(|position| Random::new(4).value(&game, position, &()))
            .collect();
        let again: Vec<f32> = positions
            .iter()
            .rev()
            .map(|position| Random::new(4).value(&game, position, &()))
            .collect();
        assert!(values.iter().eq(again.iter().rev()));
        let mut counts = [0.0_f64; 10];
        for value in &values {
            assert!(*value > 0.0 && *value < 1.0);
            counts[(value * 10.0) as usize] += 1.0;
        }
        let expected = values.len() as f64 / 10.0;
        let chi_squared: f64 = counts
            .iter()
            .map(|count| (count - expected).powi(2) / expected)
            .sum();
        // The 99.99 % quantile with 9 degrees of freedom.
        assert!(chi_squared < 33.7, "{counts:?}");
    }

    #[test]
    fn seeds_are_independent() {
        let game = Standard::default();
        let positions = random_positions(&game, 2, 10_000);
        let covariance: f64 = positions
            .iter()
            .map(|position| {
                let centred = |seed| f64::from(Random::new(seed).value(&game, position, &())) - 0.5;
                centred(1) * centred(2)
            })
            .sum::<f64>()
            / positions.len() as f64;
        // The standard deviation of the covariance is 1/12 / 100; the limit is about five of them.
        assert!(covariance.abs() < 0.0045, "{covariance}");
    }
}
