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
    /// What came after it, for heads of a network that learn that.
    pub continuation: Continuation,
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

/// How the game went on from a position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Continuation {
    /// Win probability of the side to move once chance had spoken and it had moved, as a search, a
    /// label or tables have it; where nothing says more, the result.
    pub value: f32,
    /// What the side to move got in the end.
    pub result: f32,
    /// The outcome of chance, from 1; 0 if it is not known, or the move says nothing of what the
    /// outcome is worth.
    pub outcome: u8,
    /// Plies to the end of the game, the one that follows included, 255 at most; 0 if that is not
    /// known.
    pub plies: u8,
    /// Whether the value is exact, so that the result adds nothing.
    pub exact: bool,
}

impl Continuation {
    /// Nobody knows, or nobody asks.
    pub const UNKNOWN: Self = Self {
        value: 0.0,
        result: 0.0,
        outcome: 0,
        plies: 0,
        exact: false,
    };

    /// The win probability after the outcome to be learned: of the value after the move
    /// `search_share`, and the result for the rest.
    #[must_use]
    #[inline]
    pub fn target(&self, search_share: f32) -> f32 {
        if self.exact {
            self.value
        } else {
            mixed(self.value, self.result, search_share)
        }
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
            continuation: Continuation::UNKNOWN,
        }
    }

    /// The same, counting in full and without what came after it.
    pub(crate) fn plain(&self) -> Self
    where
        P: Copy,
    {
        Self {
            weight: 1.0,
            continuation: Continuation::UNKNOWN,
            ..*self
        }
    }

    /// The win probability to be learned: `search_share` of the value, and the result for the rest.
    #[must_use]
    #[inline]
    pub fn target(&self, search_share: f32) -> f32 {
        mixed(self.value, self.result, search_share)
    }
}

/// Samples that are held in memory, a position and 8 bytes each; what they count and what came after
/// them takes 16 more only if that is wanted.
#[derive(Debug)]
pub(crate) struct Held<P> {
    samples: Vec<(P, [f32; 2])>,
    more: Option<Vec<(f32, Continuation)>>,
}

const _: () = assert!(size_of::<(u64, [f32; 2])>() == 16 && size_of::<Continuation>() == 12);

impl<P: Copy> Held<P> {
    pub(crate) fn new(capacity: usize, more: bool) -> Self {
        Self {
            samples: Vec::with_capacity(capacity),
            more: more.then(|| Vec::with_capacity(capacity)),
        }
    }

    pub(crate) fn of(samples: &[Sample<P>], more: bool) -> Self {
        let mut held = Self::new(samples.len(), more);
        samples.iter().for_each(|&sample| held.push(sample));
        held
    }

    /// One after the other.
    pub(crate) fn together(parts: Vec<Self>) -> Self {
        let more = parts.iter().any(|part| part.more.is_some());
        let mut all = Self::new(parts.iter().map(Self::len).sum(), more);
        for mut part in parts {
            all.samples.append(&mut part.samples);
            if let (Some(all), Some(more)) = (&mut all.more, &mut part.more) {
                all.append(more);
            }
        }
        all
    }

    pub(crate) fn len(&self) -> usize {
        self.samples.len()
    }

    /// Whether what samples count and what came after them is held.
    pub(crate) fn knows_more(&self) -> bool {
        self.more.is_some()
    }

    /// Whether it is known of any sample what came after it.
    pub(crate) fn knows_continuations(&self) -> bool {
        let mut more = self.more.iter().flatten();
        more.any(|(_, continuation)| *continuation != Continuation::UNKNOWN)
    }

    pub(crate) fn push(&mut self, sample: Sample<P>) {
        self.samples
            .push((sample.position, [sample.value, sample.result]));
        if let Some(more) = &mut self.more {
            more.push((sample.weight, sample.continuation));
        }
    }

    #[inline]
    pub(crate) fn get(&self, place: usize) -> Sample<P> {
        let more = self.more.as_ref().map(|all| all[place]);
        Self::whole(self.samples[place], more)
    }

    /// Takes a sample out; the last one takes its place.
    #[inline]
    pub(crate) fn swap_remove(&mut self, place: usize) -> Sample<P> {
        let more = self.more.as_mut().map(|all| all.swap_remove(place));
        Self::whole(self.samples.swap_remove(place), more)
    }

    fn whole(
        (position, [value, result]): (P, [f32; 2]),
        more: Option<(f32, Continuation)>,
    ) -> Sample<P> {
        let (weight, continuation) = more.unwrap_or((1.0, Continuation::UNKNOWN));
        Sample {
            position,
            value,
            result,
            weight,
            continuation,
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

    /// The same samples, each with a roll that is worth the more the higher its face, on the mean
    /// what the position is worth, and with a number of plies to go that falls with the sum of
    /// distances.
    pub(crate) fn with_continuations(mut samples: Vec<Sample<Position>>) -> Vec<Sample<Position>> {
        let mut random = RandomStream::new(samples.len() as u64);
        for sample in &mut samples {
            let outcome = random.below(6) as u8 + 1;
            let room = sample.value.min(1.0 - sample.value);
            let value = sample.value + room * (f32::from(outcome) - 3.5) / 5.0;
            let result = f32::from(u8::from(random.unit() < f64::from(value)));
            let stones = sample.position.mover().count() + sample.position.other().count();
            // Some teach nothing of rolls, and some nothing of length.
            let known = random.below(10) > 0;
            let (outcome, plies) = (
                if known { outcome } else { 0 },
                if random.below(8) > 0 {
                    2 * stones as u8
                } else {
                    0
                },
            );
            sample.continuation = Continuation {
                value,
                result,
                outcome,
                plies,
                exact: random.below(4) == 0,
            };
        }
        samples
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
        let after = Continuation {
            value: 0.25,
            result: 1.0,
            outcome: 3,
            plies: 4,
            exact: false,
        };
        assert_eq!(
            [0.0, 0.5, 1.0].map(|share| after.target(share)),
            [1.0, 0.625, 0.25]
        );
        let exact = Continuation {
            exact: true,
            ..after
        };
        assert_eq!(exact.target(0.5), 0.25);
    }
}
