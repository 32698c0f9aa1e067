//! What is learned from: positions before chance has spoken, each with what search and the game say of it.
//!
//! Both parts are kept until an epoch mixes them, for its share may be another than that of the
//! epoch before. Invariant: both lie in `[0, 1]` and are seen by the side to move; no position is
//! over; positions of one game are all in training or all in validation, which is the business of
//! whoever splits.

/// One position, and the two parts of its target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample<P> {
    /// Before chance has spoken, not over.
    pub position: P,
    /// Win probability of the side to move as a search or a label has it, in `[0, 1]`.
    pub value: f32,
    /// What the side to move got in the end, 1 for a win, 0 for a loss, a half for a draw; of an
    /// exact value the value once more.
    pub result: f32,
    /// What its loss counts, in `(0, 1]`; see [`weight`].
    pub weight: f32,
}

/// What a sample counts whose value has this standard error, beside one whose value has none. If all
/// else that a model misses of a position, the next ones of its kind and the limits of its form, has
/// the variance `scale`², these are weights by inverse variance, with which means vary least.
#[must_use]
pub fn weight(error: f32, scale: f32) -> f32 {
    if error > 0.0 && scale > 0.0 {
        (1.0 + (error / scale).powi(2)).recip()
    } else {
        1.0
    }
}

/// `search_share` of a value, and a result for the rest.
#[inline]
fn mixed(value: f32, result: f32, search_share: f32) -> f32 {
    // Parts that are equal are not mixed, which might round.
    if value == result {
        value
    } else {
        search_share * value + (1.0 - search_share) * result
    }
}

impl<P> Sample<P> {
    /// A position whose target is this win probability of the side to move, whatever the share.
    #[must_use]
    pub fn exact(position: P, value: f32) -> Self {
        Self {
            position,
            value,
            result: value,
            weight: 1.0,
        }
    }

    /// The win probability to be learned: `search_share` of the value, and the result for the rest.
    #[must_use]
    #[inline]
    pub fn target(&self, search_share: f32) -> f32 {
        mixed(self.value, self.result, search_share)
    }
}

/// Samples that are held in memory, a position and 8 bytes each; what they count takes 4 more, only
/// if that is wanted.
#[derive(Debug)]
pub(crate) struct Held<P> {
    samples: Vec<(P, [f32; 2])>,
    weights: Option<Vec<f32>>,
}

const _: () = assert!(size_of::<(u64, [f32; 2])>() == 16);

impl<P: Copy> Held<P> {
    pub(crate) fn new(capacity: usize, weighed: bool) -> Self {
        Self {
            samples: Vec::with_capacity(capacity),
            weights: weighed.then(|| Vec::with_capacity(capacity)),
        }
    }

    pub(crate) fn of(samples: &[Sample<P>], weighed: bool) -> Self {
        let mut held = Self::new(samples.len(), weighed);
        samples.iter().for_each(|&sample| held.push(sample));
        held
    }

    /// One after the other.
    pub(crate) fn together(parts: Vec<Self>) -> Self {
        let weighed = parts.iter().any(|part| part.weights.is_some());
        let mut all = Self::new(parts.iter().map(Self::len).sum(), weighed);
        for mut part in parts {
            all.samples.append(&mut part.samples);
            if let (Some(all), Some(weights)) = (&mut all.weights, &mut part.weights) {
                all.append(weights);
            }
        }
        all
    }

    pub(crate) fn len(&self) -> usize {
        self.samples.len()
    }

    /// Whether what samples count is held.
    pub(crate) fn are_weighed(&self) -> bool {
        self.weights.is_some()
    }

    pub(crate) fn push(&mut self, sample: Sample<P>) {
        self.samples
            .push((sample.position, [sample.value, sample.result]));
        if let Some(weights) = &mut self.weights {
            weights.push(sample.weight);
        }
    }

    #[inline]
    pub(crate) fn get(&self, place: usize) -> Sample<P> {
        let weight = self.weights.as_ref().map(|all| all[place]);
        Self::whole(self.samples[place], weight)
    }

    /// Takes a sample out; the last one takes its place.
    #[inline]
    pub(crate) fn swap_remove(&mut self, place: usize) -> Sample<P> {
        let weight = self.weights.as_mut().map(|all| all.swap_remove(place));
        Self::whole(self.samples.swap_remove(place), weight)
    }

    fn whole((position, [value, result]): (P, [f32; 2]), weight: Option<f32>) -> Sample<P> {
        Sample {
            position,
            value,
            result,
            weight: weight.unwrap_or(1.0),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use engine::core::game::Game;
    use engine::games::einstein::{
        Position, Standard,
        dice::{DiceStream, Die, RandomStream},
    };

    /// All positions of `games` random games, with a smooth target that a small model can learn:
    /// which side's stones are further on.
    pub(crate) fn random_samples(games: usize, seed: u64) -> Vec<Sample<Position>> {
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
        let best = |squares: [u8; 6]| {
            squares
                .into_iter()
                .filter(|&square| square < 25)
                .map(|square| square % 5 + square / 5)
                .max()
                .unwrap_or(0)
        };
        let lead = f32::from(best(position.mover().squares()))
            - f32::from(best(position.other().squares()));
        1.0 / (1.0 + (-0.5 * lead).exp())
    }

    #[test]
    fn what_is_less_certain_counts_less() {
        for (error, scale, expected) in [
            (0.0, 0.05, 1.0),
            (0.05, 0.05, 0.5),
            (0.1, 0.05, 0.2),
            (0.1, 0.0, 1.0),
        ] {
            assert!((weight(error, scale) - expected).abs() < 1e-6);
        }
    }

    #[test]
    fn targets_are_mixed_as_the_share_says_and_exact_ones_never() {
        let position = random_samples(1, 1)[0].position;
        let sample = Sample {
            result: 1.0,
            ..Sample::exact(position, 0.25)
        };
        assert_eq!(
            [0.0, 0.5, 1.0].map(|share| sample.target(share)),
            [1.0, 0.625, 0.25]
        );
        for value in [0.0, 0.1, 0.3, 0.7, 0.99999, 1.0] {
            assert!(
                [0.0, 0.1, 0.3, 0.7, 1.0]
                    .iter()
                    .all(|&share| Sample::exact(position, value).target(share) == value)
            );
        }
    }
}
