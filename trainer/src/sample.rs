//! What is learned from: positions before the roll, each with what search and the game say of it.
//!
//! Both parts are kept until an epoch mixes them, for its share may be another than that of the epoch before.
//! Invariant: both lie in `[0, 1]` and are seen by the side to move; no position is over; positions of one game
//! are all in training or all in validation, which is the business of whoever splits. A sample takes 16 bytes.

use engine::games::einstein::Position;

/// One position, and the two parts of its target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Before the roll, not over.
    pub position: Position,
    /// Win probability of the side to move as a search or a label has it, in `[0, 1]`.
    pub value: f32,
    /// What the side to move got in the end, 1 for a win and 0 for a loss; of an exact value the value once more.
    pub result: f32,
}

const _: () = assert!(size_of::<Sample>() == 16);

impl Sample {
    /// A position whose target is this win probability of the side to move, whatever the share.
    #[must_use]
    pub fn exact(position: Position, value: f32) -> Self {
        Self { position, value, result: value }
    }

    /// The win probability to be learned: `search_share` of the value, and the result for the rest.
    #[must_use]
    #[inline]
    pub fn target(&self, search_share: f32) -> f32 {
        // Parts that are equal are not mixed, which might round.
        if self.value == self.result { self.value } else { search_share * self.value + (1.0 - search_share) * self.result }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use engine::dice::{DiceStream, Die, RandomStream};
    use engine::game::Game;
    use engine::games::einstein::Standard;

    /// All positions of `games` random games, with a smooth target that a small model can learn: which side's
    /// stones are further on.
    pub(crate) fn random_samples(games: usize, seed: u64) -> Vec<Sample> {
        let game = Standard::default();
        let mut random = RandomStream::new(seed);
        let mut dice = DiceStream::new(seed, Die::fair());
        let mut samples = Vec::new();
        for index in 0..games {
            let mut position = game.random_start(&mut random, index % 2);
            while game.winner(&position).is_none() {
                samples.push(Sample::exact(position, progress_target(&position)));
                let legal = game.legal_moves(&position, dice.roll());
                position = game.play(&position, legal[random.below(legal.len())]);
            }
        }
        samples
    }

    fn progress_target(position: &Position) -> f32 {
        let best =
            |squares: [u8; 6]| squares.into_iter().filter(|&square| square < 25).map(|square| square % 5 + square / 5).max().unwrap_or(0);
        let lead = f32::from(best(position.mover().squares())) - f32::from(best(position.other().squares()));
        1.0 / (1.0 + (-0.5 * lead).exp())
    }

    #[test]
    fn targets_are_mixed_as_the_share_says_and_exact_ones_never() {
        let position = random_samples(1, 1)[0].position;
        let sample = Sample { position, value: 0.25, result: 1.0 };
        assert_eq!([0.0, 0.5, 1.0].map(|share| sample.target(share)), [1.0, 0.625, 0.25]);
        for value in [0.0, 0.1, 0.3, 0.7, 0.99999, 1.0] {
            assert!([0.0, 0.1, 0.3, 0.7, 1.0].iter().all(|&share| Sample::exact(position, value).target(share) == value));
        }
    }
}
