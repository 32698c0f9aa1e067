//! Fair and loaded dice, and rolls as a pure function of seed and die.

pub use alea_core::random::{RandomStream, SeedSpace, derive_seed};
use xxhash_rust::xxh3::xxh3_64;

/// A die with 1–6 faces and the probability of each.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Die {
    faces: u8,
    weights: [f64; 6],
}

fn face_count_error(faces: usize) -> String {
    format!("a die has 1 to 6 faces, not {faces}")
}

impl Die {
    /// The fair die with six faces.
    pub fn fair() -> Self {
        Self {
            faces: 6,
            weights: [1.0 / 6.0; 6],
        }
    }

    /// A fair die with 1–6 faces.
    ///
    /// # Errors
    /// If `faces` is not in 1–6.
    pub fn with_faces(faces: usize) -> Result<Self, String> {
        if !(1..=6).contains(&faces) {
            return Err(face_count_error(faces));
        }
        Self::with_weights(&vec![1.0; faces])
    }

    /// A die with one face per entry of `weights` (1–6 of them), each rolled with probability
    /// proportional to its weight.
    pub fn with_weights(weights: &[f64]) -> Result<Self, String> {
        if !(1..=6).contains(&weights.len()) {
            return Err(face_count_error(weights.len()));
        }
        let sum: f64 = weights.iter().sum();
        if weights
            .iter()
            .any(|weight| !weight.is_finite() || *weight < 0.0)
            || !sum.is_finite()
            || sum <= 0.0
        {
            let problem = "the weights of a die are numbers of at least 0, not all of them 0";
            return Err(problem.to_owned());
        }
        let mut all = [0.0; 6];
        for (slot, weight) in all.iter_mut().zip(weights) {
            *slot = weight / sum;
        }
        Ok(Self {
            faces: weights.len() as u8,
            weights: all,
        })
    }

    /// Number of faces, 1–6.
    #[inline]
    pub fn faces(&self) -> u8 {
        self.faces
    }

    /// Probability of rolling `face`, from 1.
    #[inline]
    pub fn probability(&self, face: u8) -> f64 {
        self.weights[usize::from(face) - 1]
    }

    /// Whether all faces are equally likely.
    pub fn is_fair(&self) -> bool {
        let faces = usize::from(self.faces);
        self.weights[..faces]
            .iter()
            .all(|weight| (weight * faces as f64 - 1.0).abs() < 1e-12)
    }
}

/// Endless sequence of rolls of one die.
///
/// One random 64-bit fraction gives twelve rolls of a fair die, with a bias below 2^-32.
#[derive(Clone, Debug)]
pub struct DiceStream {
    random: RandomStream,
    die: Die,
    fair: bool,
    fraction: u64,
    left: u8,
}

const ROLLS_PER_OUTPUT: u8 = 12;

impl DiceStream {
    /// Rolls of `die`, determined by `seed`.
    pub fn new(seed: u64, die: Die) -> Self {
        Self {
            random: RandomStream::new(seed),
            fair: die.is_fair(),
            die,
            fraction: 0,
            left: 0,
        }
    }

    /// Rolls the die; faces count from 1.
    pub fn roll(&mut self) -> u8 {
        if self.fair {
            if self.left == 0 {
                self.fraction = self.random.next_u64();
                self.left = ROLLS_PER_OUTPUT;
            }
            self.left -= 1;
            let integer_part;
            (self.fraction, integer_part) = self.fraction.carrying_mul(self.die.faces.into(), 0);
            return integer_part as u8 + 1;
        }
        let mut rest = self.random.uniform_f64();
        let mut last_possible = 1;
        for face in 1..=self.die.faces {
            let probability = self.die.probability(face);
            if probability > 0.0 {
                if rest < probability {
                    return face;
                }
                rest -= probability;
                last_possible = face;
            }
        }
        last_possible
    }
}

/// Dice for pairs of games: a seat's k-th roll depends only on seed, seat and k, so with one seed
/// both games give each seat the same rolls.
#[derive(Clone, Debug)]
pub struct DuplicateDice {
    seats: [DiceStream; 2],
}

impl DuplicateDice {
    /// Dice of both seats, determined by `seed`.
    pub fn new(seed: u64, die: Die) -> Self {
        let stream = |seat: u64| {
            DiceStream::new(
                xxh3_64(&[seed.to_le_bytes(), seat.to_le_bytes()].concat()),
                die,
            )
        };
        Self {
            seats: [stream(0), stream(1)],
        }
    }

    /// Rolls for seat 0 or 1; faces count from 1.
    pub fn roll(&mut self, seat: usize) -> u8 {
        self.seats[seat].roll()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluators::test_support::chi_squared;

    #[test]
    fn fair_rolls_are_uniform_and_independent() {
        let mut dice = DiceStream::new(1, Die::fair());
        let mut single = [0u32; 6];
        let mut pairs = [0u32; 36];
        let mut previous = 0;
        let rolls = 1_200_000;
        for index in 0..rolls {
            let face = usize::from(dice.roll()) - 1;
            single[face] += 1;
            if index > 0 {
                pairs[previous * 6 + face] += 1;
            }
            previous = face;
        }
        // 99.99 % quantiles of chi-squared with 5 and 35 degrees of freedom.
        assert!(chi_squared(&single) < 25.7, "{single:?}");
        assert!(chi_squared(&pairs) < 76.0, "{pairs:?}");
    }

    #[test]
    fn the_stream_is_frozen() {
        let mut dice = DiceStream::new(42, Die::fair());
        let rolls: Vec<u8> = (0..24).map(|_| dice.roll()).collect();
        // First output of MT19937-64 for seed 42; its base-6 digits were computed by hand.
        let mut fraction = 13_930_160_852_258_120_406_u64;
        for roll in &rolls[..12] {
            let product = u128::from(fraction) * 6;
            assert_eq!(u128::from(*roll), (product >> 64) + 1);
            fraction = product as u64;
        }
    }

    #[test]
    fn loaded_dice_follow_their_weights_and_never_show_a_face_of_weight_zero() {
        let die = Die::with_weights(&[1.0, 0.0, 3.0, 0.0, 4.0, 0.0])
            .expect("the weights are those of a die");
        let mut dice = DiceStream::new(7, die);
        let mut counts = [0u32; 6];
        for _ in 0..80_000 {
            counts[usize::from(dice.roll()) - 1] += 1;
        }
        for (face, expected) in [(1, 10_000.0), (3, 30_000.0), (5, 40_000.0)] {
            assert!(
                (f64::from(counts[face - 1]) - expected).abs() < 700.0,
                "{counts:?}"
            );
        }
        assert_eq!([counts[1], counts[3], counts[5]], [0, 0, 0]);
    }

    #[test]
    fn the_kth_roll_of_a_seat_ignores_the_other_seat() {
        let mut interleaved = DuplicateDice::new(5, Die::fair());
        let mut one_after_the_other = interleaved.clone();
        let mixed: Vec<[u8; 2]> = (0..50)
            .map(|_| [interleaved.roll(0), interleaved.roll(1)])
            .collect();
        let first: Vec<u8> = (0..50).map(|_| one_after_the_other.roll(0)).collect();
        let second: Vec<u8> = (0..50).map(|_| one_after_the_other.roll(1)).collect();
        let apart = first.into_iter().zip(second).map(|(a, b)| [a, b]);
        assert!(apart.eq(mixed));
    }

    #[test]
    fn impossible_dice_are_refused() {
        assert_eq!(Die::with_faces(0), Err(face_count_error(0)));
        assert_eq!(Die::with_weights(&[1.0; 7]), Err(face_count_error(7)));
        for weights in [[0.0, 0.0], [1.0, -1.0], [f64::NAN, 1.0]] {
            assert!(
                Die::with_weights(&weights)
                    .unwrap_err()
                    .contains("not all of them 0")
            );
        }
    }
}
