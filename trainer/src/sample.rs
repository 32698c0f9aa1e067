//! Training samples: positions before a chance event, with search value and game result.

/// Position with search value and game result, which its target mixes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample<P> {
    /// Non-terminal position before its chance event.
    pub position: P,
    /// Win probability of the side to move by a search or label, in `[0, 1]`.
    pub value: f32,
    /// Final payoff of the side to move, in `[0, 1]`; equals `value` if that is exact.
    pub result: f32,
    /// Loss weight, in `(0, 1]`; see [`loss_weight`].
    pub weight: f32,
}

/// Loss weight of a sample whose value has standard error `error`: 1 / (1 + (`error` / `scale`)²);
/// 1 if `scale` is 0.
#[must_use]
pub fn loss_weight(error: f32, scale: f32) -> f32 {
    if error > 0.0 && scale > 0.0 {
        (1.0 + (error / scale).powi(2)).recip()
    } else {
        1.0
    }
}

#[inline]
fn blend(value: f32, result: f32, lambda: f32) -> f32 {
    // Avoids rounding errors.
    if value == result {
        value
    } else {
        lambda * value + (1.0 - lambda) * result
    }
}

impl<P> Sample<P> {
    /// Creates a sample of loss weight 1 whose target is `value` for any λ.
    #[must_use]
    pub fn with_target(position: P, value: f32) -> Self {
        Self {
            position,
            value,
            result: value,
            weight: 1.0,
        }
    }

    /// Target win probability of the side to move: `lambda` · `value` + (1 − `lambda`) · `result`.
    #[must_use]
    #[inline]
    pub fn target(&self, lambda: f32) -> f32 {
        blend(self.value, self.result, lambda)
    }
}

/// Samples stored in 8 bytes each besides the position, or 12 with loss weights.
#[derive(Debug)]
pub(crate) struct SampleStore<P> {
    samples: Vec<(P, [f32; 2])>,
    weights: Option<Vec<f32>>,
}

const _: () = assert!(size_of::<(u64, [f32; 2])>() == 16);

impl<P: Copy> SampleStore<P> {
    pub(crate) fn new(capacity: usize, weighted: bool) -> Self {
        Self {
            samples: Vec::with_capacity(capacity),
            weights: weighted.then(|| Vec::with_capacity(capacity)),
        }
    }

    pub(crate) fn from_samples(samples: &[Sample<P>], weighted: bool) -> Self {
        let mut store = Self::new(samples.len(), weighted);
        samples.iter().for_each(|&sample| store.push(sample));
        store
    }

    pub(crate) fn concat(parts: Vec<Self>) -> Self {
        let weighted = parts.iter().any(|part| part.weights.is_some());
        let mut all = Self::new(parts.iter().map(Self::len).sum(), weighted);
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

    pub(crate) fn has_weights(&self) -> bool {
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
    pub(crate) fn get(&self, index: usize) -> Sample<P> {
        let weight = self.weights.as_ref().map(|all| all[index]);
        Self::unpack(self.samples[index], weight)
    }

    /// Removes a sample; the last sample moves to its index.
    #[inline]
    pub(crate) fn swap_remove(&mut self, index: usize) -> Sample<P> {
        let weight = self.weights.as_mut().map(|all| all.swap_remove(index));
        Self::unpack(self.samples.swap_remove(index), weight)
    }

    fn unpack((position, [value, result]): (P, [f32; 2]), weight: Option<f32>) -> Sample<P> {
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
    use alea_core::game::Game;
    use engine::games::einstein::{
        Position, Standard,
        dice::{DiceStream, Die, RandomStream},
    };

    /// Positions of random games; the target rises with the lead of the mover's leading stone.
    pub(crate) fn random_samples(games: usize, seed: u64) -> Vec<Sample<Position>> {
        let game = Standard::default();
        let mut random = RandomStream::new(seed);
        let mut dice = DiceStream::new(seed, Die::fair());
        let mut samples = Vec::new();
        for index in 0..games {
            let mut position = game.random_start(&mut random, index % 2);
            while game.winner(&position).is_none() {
                samples.push(Sample::with_target(position, progress_target(&position)));
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
    fn weights_decrease_with_the_error() {
        for (error, scale, expected) in [
            (0.0, 0.05, 1.0),
            (0.05, 0.05, 0.5),
            (0.1, 0.05, 0.2),
            (0.1, 0.0, 1.0),
        ] {
            assert!((loss_weight(error, scale) - expected).abs() < 1e-6);
        }
    }

    #[test]
    fn targets_are_blended_and_exact_ones_never() {
        let position = random_samples(1, 1)[0].position;
        let sample = Sample {
            result: 1.0,
            ..Sample::with_target(position, 0.25)
        };
        assert_eq!(
            [0.0, 0.5, 1.0].map(|lambda| sample.target(lambda)),
            [1.0, 0.625, 0.25]
        );
        for value in [0.0, 0.1, 0.3, 0.7, 0.99999, 1.0] {
            assert!(
                [0.0, 0.1, 0.3, 0.7, 1.0]
                    .iter()
                    .all(|&lambda| Sample::with_target(position, value).target(lambda) == value)
            );
        }
    }
}
