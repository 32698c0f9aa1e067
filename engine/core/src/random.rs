//! Seeds and random streams, equal on every machine.

use rand_mt::Mt64;
use xxhash_rust::xxh3::xxh3_64;

/// Purposes of random numbers; each has its own seeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum SeedSpace {
    /// Games for training data.
    SelfPlay = 1,
    /// Order and symmetries of training samples, initial weights.
    Training = 2,
    /// Matches and tournaments.
    Arena = 3,
    /// Games for the calibration of evaluators.
    Calibration = 4,
    /// Random choices of a player.
    Player = 5,
    /// Statistics of random play.
    Playouts = 6,
    /// Matches that decide on a model's promotion.
    Gate = 7,
    /// Measurements of regret: sampled positions, the measured players, and rollouts.
    Regret = 8,
    /// Splitting, shuffling and sampling of game records.
    Records = 10,
}

/// Hash of the user's seed, a purpose and indices: the seed of one item, such as a game.
pub fn derive_seed(seed: u64, space: SeedSpace, indices: &[u64]) -> u64 {
    let mut bytes = Vec::with_capacity(16 + 8 * indices.len());
    bytes.extend_from_slice(&seed.to_le_bytes());
    bytes.extend_from_slice(&(space as u64).to_le_bytes());
    for index in indices {
        bytes.extend_from_slice(&index.to_le_bytes());
    }
    xxh3_64(&bytes)
}

/// 2⁶⁴ over the golden ratio; its multiples are spread evenly.
pub const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// A bijective mixer: the finalizer of SplitMix64 (Steele, Lea and Flood 2014).
#[inline]
pub fn mix64(mut word: u64) -> u64 {
    word = (word ^ word >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    word = (word ^ word >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ word >> 31
}

/// A stream of the 64-bit Mersenne Twister (Matsumoto and Nishimura 1998).
#[derive(Clone, Debug)]
pub struct RandomStream {
    generator: Mt64,
}

impl RandomStream {
    /// A stream that starts from `seed`.
    pub fn new(seed: u64) -> Self {
        Self {
            generator: Mt64::new(seed),
        }
    }

    /// The next 64 random bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        self.generator.next_u64()
    }

    /// A random integer below `bound` ≥ 1, with a bias of at most `bound / 2^64`.
    #[inline]
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next_u64()) * bound as u128) >> 64) as usize
    }

    /// A number in `[0, 1)` of 53 random bits.
    pub fn uniform_f64(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Shuffles uniformly (Fisher–Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seed_spaces_are_disjoint() {
        assert_ne!(
            derive_seed(1, SeedSpace::SelfPlay, &[0]),
            derive_seed(1, SeedSpace::Arena, &[0])
        );
        assert_ne!(
            derive_seed(1, SeedSpace::Arena, &[0]),
            derive_seed(1, SeedSpace::Arena, &[0, 0])
        );
    }
}
