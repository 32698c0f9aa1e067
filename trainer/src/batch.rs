//! Batches as the models take them: rows, dense inputs and targets of some samples, found by all
//! threads.
//!
//! Invariant: a batch depends on its samples alone, not on how many threads prepared it.

use crate::models::fused::{HeadInputs, Inputs, Sparse};
use crate::sample::Sample;
#[cfg(feature = "burn")]
use burn::tensor::{DType, Device, Int, Tensor, TensorData};
use engine::learned::{
    inputs::{DenseInputs, IntegerInputs, Learnable},
    integer::OneHot,
    network::{Head, Heads, PLIES_SCALE},
    tuples::TupleSet,
};
use rayon::prelude::*;

/// Samples that one task of the thread pool prepares.
pub(crate) const TASK: usize = 256;

/// A batch for the network.
#[derive(Clone, Debug, PartialEq)]
pub struct NetworkBatch {
    /// `[batch, active]`.
    pub rows: Vec<i32>,
    /// `[batch, dense]`.
    pub dense: Vec<f32>,
    /// Win probabilities, `[batch]`.
    pub targets: Vec<f32>,
    /// What the loss of each sample counts, `[batch]`; none: all count 1.
    pub weights: Vec<f32>,
    /// What its heads learn.
    pub heads: HeadTargets,
}

impl NetworkBatch {
    /// As the fused step takes it, with what the losses of rolls and of plies count.
    #[must_use]
    pub fn inputs(&self, [rolls_weight, plies_weight]: [f32; 2]) -> Inputs<'_> {
        let HeadTargets {
            outcomes,
            rolls,
            plies,
        } = &self.heads;
        Inputs {
            rows: &self.rows,
            dense: &self.dense,
            targets: &self.targets,
            weights: &self.weights,
            heads: HeadInputs {
                outcomes,
                rolls,
                rolls_weight,
                plies,
                plies_weight,
            },
        }
    }

    /// Rows, dense inputs (if there are any) and targets as tensors, and what samples count.
    #[cfg(feature = "burn")]
    pub(crate) fn tensors(
        &self,
        device: &Device,
    ) -> (Tensor<2, Int>, Option<Tensor<2>>, [Tensor<2>; 2]) {
        let samples = self.targets.len();
        let floats = |values: &[f32]| {
            let shape = [samples, values.len() / samples];
            Tensor::from_data(TensorData::new(values.to_vec(), shape), device)
        };
        let rows = TensorData::new(self.rows.clone(), [samples, self.rows.len() / samples]);
        (
            Tensor::from_data(rows, (device, DType::I32)),
            (!self.dense.is_empty()).then(|| floats(&self.dense)),
            [
                floats(&self.targets),
                match self.weights.is_empty() {
                    true => floats(&vec![1.0; samples]),
                    false => floats(&self.weights),
                },
            ],
        )
    }
}

/// What the heads of a network learn; of a head that is not wanted nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HeadTargets {
    /// Outcomes of chance, from 1, and 0 where the sample teaches nothing of them: `[batch]`.
    pub outcomes: Vec<u8>,
    /// Win probabilities after that outcome, `[batch]`.
    pub rolls: Vec<f32>,
    /// Plies to the end over [`PLIES_SCALE`], below 0 where that is not known: `[batch]`.
    pub plies: Vec<f32>,
}

impl HeadTargets {
    /// The targets of these heads, with this share of the values after the move.
    #[must_use]
    pub fn new<P>(heads: Heads, samples: &[Sample<P>], search_share: f32) -> Self {
        let mut targets = Self::default();
        if heads.contains(Head::Rolls) {
            targets.outcomes = samples
                .iter()
                .map(|sample| sample.continuation.outcome)
                .collect();
            targets.rolls = samples
                .iter()
                .map(|sample| sample.continuation.target(search_share))
                .collect();
        }
        if heads.contains(Head::MovesToGo) {
            targets.plies = samples
                .iter()
                .map(|sample| scaled_plies(sample.continuation.plies).unwrap_or(-1.0))
                .collect();
        }
        targets
    }
}

/// Plies over [`PLIES_SCALE`]; none if they are not known.
pub(crate) fn scaled_plies(plies: u8) -> Option<f32> {
    (plies > 0).then(|| f32::from(plies) / PLIES_SCALE)
}

/// Extracts the network's inputs, those of the one in integers if they are told, and mixes the targets of value and heads with this share of the
/// search values.
#[must_use]
pub fn network_batch<G: Learnable>(
    game: &G,
    features: &G::Dense,
    integers: Option<IntegerInputs<G>>,
    heads: Heads,
    samples: &[Sample<G::Position>],
    search_share: f32,
) -> NetworkBatch {
    let (width, active) = (features.len(), Sparse::of(game, integers).active);
    let mut rows = vec![0i32; samples.len() * active];
    let mut dense = vec![0.0f32; samples.len() * width];
    // A network without dense inputs still needs one (empty) piece of them for each task.
    let mut nothing: Vec<[f32; 0]> = Vec::new();
    let dense_tasks: Vec<&mut [f32]> = if width > 0 {
        dense.chunks_mut(TASK * width).collect()
    } else {
        nothing.resize(samples.len().div_ceil(TASK), []);
        nothing
            .iter_mut()
            .map(|empty| empty.as_mut_slice())
            .collect()
    };
    samples
        .par_chunks(TASK)
        .zip(rows.par_chunks_mut(TASK * active))
        .zip(dense_tasks)
        .for_each(|((samples, rows), dense)| {
            let mut found = vec![0u16; active];
            for (number, sample) in samples.iter().enumerate() {
                let position = &sample.position;
                match integers {
                    Some(inputs) => inputs.fill(position, &mut found),
                    None => game.sparse(position, game.to_move(position), &mut found),
                }
                for (row, &found) in rows[number * active..].iter_mut().zip(&found) {
                    *row = i32::from(found);
                }
                features.fill(
                    game,
                    &sample.position,
                    &mut dense[number * width..][..width],
                );
            }
        });
    let targets = samples
        .iter()
        .map(|sample| sample.target(search_share))
        .collect();
    NetworkBatch {
        rows,
        dense,
        targets,
        weights: weights(samples),
        heads: HeadTargets::new(heads, samples, search_share),
    }
}

/// A batch for the n-tuple network.
#[derive(Clone, Debug, PartialEq)]
pub struct TupleBatch {
    /// `[batch, tuples]`.
    pub rows: Vec<u32>,
    /// Win probabilities, `[batch]`.
    pub targets: Vec<f32>,
    /// What the loss of each sample counts, `[batch]`; none: all count 1.
    pub weights: Vec<f32>,
}

/// Finds the row of each tuple, and mixes targets with this share of the search values.
#[must_use]
pub fn tuple_batch<G: Learnable>(
    set: &TupleSet<G>,
    samples: &[Sample<G::Position>],
    search_share: f32,
) -> TupleBatch {
    let tuples = set.tuples();
    let mut rows = vec![0u32; samples.len() * tuples];
    samples
        .par_chunks(TASK)
        .zip(rows.par_chunks_mut(TASK * tuples))
        .for_each(|(samples, rows)| {
            for (sample, rows) in samples.iter().zip(rows.chunks_exact_mut(tuples)) {
                set.indices(&sample.position, rows);
            }
        });
    TupleBatch {
        rows,
        weights: weights(samples),
        targets: samples
            .iter()
            .map(|sample| sample.target(search_share))
            .collect(),
    }
}

/// What samples count; nothing if all count 1.
fn weights<P>(samples: &[Sample<P>]) -> Vec<f32> {
    let weights = || samples.iter().map(|sample| sample.weight);
    let differ = weights().any(|weight| weight != 1.0);
    if differ {
        weights().collect()
    } else {
        Vec::new()
    }
}

/// Samples of positions without targets, for whoever only wants values.
pub fn untargeted<P: Copy>(positions: &[P]) -> Vec<Sample<P>> {
    positions
        .iter()
        .map(|&position| Sample::exact(position, 0.5))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::tests::{random_samples, with_continuations};
    use engine::games::einstein::{
        Standard,
        inputs::{ACTIVE, DenseFeatures, FeatureGroups, sparse},
    };

    #[test]
    fn batches_are_the_inputs_of_their_samples_whatever_the_number_of_threads() {
        let mut samples = random_samples(60, 3);
        samples
            .iter_mut()
            .for_each(|sample| sample.result = sample.value.round());
        let game = Standard::default();
        let set = TupleSet::named(&game, "stone-pairs").unwrap();
        for groups in [FeatureGroups::ALL, FeatureGroups::NONE] {
            let features = DenseFeatures::new(&game, groups);
            for threads in [1, 3] {
                let pool = rayon::ThreadPoolBuilder::new()
                    .num_threads(threads)
                    .build()
                    .unwrap();
                let (network, tuples) = pool.install(|| {
                    (
                        network_batch(&game, &features, None, Heads::NONE, &samples, 0.6),
                        tuple_batch(&set, &samples, 0.6),
                    )
                });
                assert_eq!(
                    (network.targets.len(), network.dense.len()),
                    (samples.len(), samples.len() * features.len())
                );
                assert_eq!(tuples.targets, network.targets);
                assert_eq!(network.heads, HeadTargets::default());
                for (number, sample) in samples.iter().enumerate() {
                    assert_eq!(network.targets[number], sample.target(0.6));
                    assert_eq!(
                        network.rows[number * ACTIVE..][..ACTIVE],
                        sparse(&sample.position).map(i32::from)
                    );
                    let mut dense = vec![0.0; features.len()];
                    features.fill(&game, &sample.position, &mut dense);
                    assert_eq!(
                        network.dense[number * features.len()..][..features.len()],
                        dense
                    );
                    let mut rows = vec![0; set.tuples()];
                    set.indices(&sample.position, &mut rows);
                    assert_eq!(tuples.rows[number * set.tuples()..][..set.tuples()], rows);
                }
            }
        }
    }

    #[test]
    fn heads_learn_what_came_after_a_sample() {
        let samples = with_continuations(random_samples(10, 3));
        let all = HeadTargets::new(Heads::ALL, &samples, 0.6);
        for (number, sample) in samples.iter().enumerate() {
            let after = sample.continuation;
            assert_eq!(
                (all.outcomes[number], all.rolls[number]),
                (after.outcome, after.target(0.6))
            );
            assert_eq!(
                all.plies[number],
                if after.plies == 0 {
                    -1.0
                } else {
                    f32::from(after.plies) / 16.0
                }
            );
        }
        assert!(
            all.outcomes.contains(&0) && all.outcomes.contains(&6) && all.plies.contains(&-1.0)
        );
        let moves = HeadTargets::new(Heads::NONE.with(Head::MovesToGo), &samples, 0.6);
        assert_eq!(
            (moves.outcomes.len(), moves.rolls.len(), moves.plies),
            (0, 0, all.plies)
        );
    }
}
