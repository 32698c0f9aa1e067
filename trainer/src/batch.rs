//! Batches as the models take them: rows, dense inputs and targets of some samples, found by all threads.
//!
//! Invariant: a batch depends on its samples alone, not on how many threads prepared it.

use crate::sample::Sample;
use engine::eval::features::{ACTIVE, DenseFeatures, sparse};
use engine::eval::integer_network::inputs::SideGroups;
use engine::eval::ntuple::TupleSet;
use engine::games::einstein::{Position, Standard};
use rayon::prelude::*;

/// Samples that one task of the thread pool prepares.
const TASK: usize = 256;

/// A batch for the network.
#[derive(Clone, Debug, PartialEq)]
pub struct NetworkBatch {
    /// `[batch, 12]`.
    pub rows: Vec<i32>,
    /// `[batch, dense]`.
    pub dense: Vec<f32>,
    /// Win probabilities, `[batch]`.
    pub targets: Vec<f32>,
}

/// Extracts the network's inputs, and mixes targets with this share of the search values.
#[must_use]
pub fn network_batch(game: &Standard, features: &DenseFeatures, samples: &[Sample], search_share: f32) -> NetworkBatch {
    let width = features.len();
    let mut rows = vec![0i32; samples.len() * ACTIVE];
    let mut dense = vec![0.0f32; samples.len() * width];
    // A network without dense inputs still needs one (empty) piece of them for each task.
    let mut nothing: Vec<[f32; 0]> = Vec::new();
    let dense_tasks: Vec<&mut [f32]> = if width > 0 {
        dense.chunks_mut(TASK * width).collect()
    } else {
        nothing.resize(samples.len().div_ceil(TASK), []);
        nothing.iter_mut().map(|empty| empty.as_mut_slice()).collect()
    };
    samples.par_chunks(TASK).zip(rows.par_chunks_mut(TASK * ACTIVE)).zip(dense_tasks).for_each(|((samples, rows), dense)| {
        for (number, sample) in samples.iter().enumerate() {
            for (row, found) in rows[number * ACTIVE..].iter_mut().zip(sparse(&sample.position)) {
                *row = i32::from(found);
            }
            features.fill(game, &sample.position, &mut dense[number * width..][..width]);
        }
    });
    NetworkBatch { rows, dense, targets: samples.iter().map(|sample| sample.target(search_share)).collect() }
}

/// A batch for the integer network.
#[derive(Clone, Debug, PartialEq)]
pub struct IntegerBatch {
    /// `[batch, active]`.
    pub rows: Vec<i32>,
    /// Win probabilities, `[batch]`.
    pub targets: Vec<f32>,
}

/// Finds the rows that are on, and mixes targets with this share of the search values.
#[must_use]
pub fn integer_batch(groups: SideGroups, samples: &[Sample], search_share: f32) -> IntegerBatch {
    let active = 2 * groups.active();
    let mut rows = vec![0i32; samples.len() * active];
    samples.par_chunks(TASK).zip(rows.par_chunks_mut(TASK * active)).for_each(|(samples, rows)| {
        let mut found = vec![0u16; active];
        for (sample, rows) in samples.iter().zip(rows.chunks_exact_mut(active)) {
            groups.fill(&sample.position, &mut found);
            for (row, found) in rows.iter_mut().zip(&found) {
                *row = i32::from(*found);
            }
        }
    });
    IntegerBatch { rows, targets: samples.iter().map(|sample| sample.target(search_share)).collect() }
}

/// A batch for the n-tuple network.
#[derive(Clone, Debug, PartialEq)]
pub struct TupleBatch {
    /// `[batch, tuples]`.
    pub rows: Vec<u32>,
    /// Win probabilities, `[batch]`.
    pub targets: Vec<f32>,
}

/// Finds the row of each tuple, and mixes targets with this share of the search values.
#[must_use]
pub fn tuple_batch(set: &TupleSet, samples: &[Sample], search_share: f32) -> TupleBatch {
    let tuples = set.tuples();
    let mut rows = vec![0u32; samples.len() * tuples];
    samples.par_chunks(TASK).zip(rows.par_chunks_mut(TASK * tuples)).for_each(|(samples, rows)| {
        for (sample, rows) in samples.iter().zip(rows.chunks_exact_mut(tuples)) {
            set.indices(&sample.position, rows);
        }
    });
    TupleBatch { rows, targets: samples.iter().map(|sample| sample.target(search_share)).collect() }
}

/// Samples of positions without targets, for whoever only wants values.
#[must_use]
pub fn untargeted(positions: &[Position]) -> Vec<Sample> {
    positions.iter().map(|&position| Sample::exact(position, 0.5)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::tests::random_samples;
    use engine::eval::features::FeatureGroups;

    #[test]
    fn batches_are_the_inputs_of_their_samples_whatever_the_number_of_threads() {
        let mut samples = random_samples(60, 3);
        samples.iter_mut().for_each(|sample| sample.result = sample.value.round());
        let game = Standard::default();
        let set = TupleSet::named("stone-pairs").unwrap();
        for groups in [FeatureGroups::ALL, FeatureGroups::NONE] {
            let features = DenseFeatures::new(&game, groups);
            for threads in [1, 3] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let (network, tuples) = pool.install(|| (network_batch(&game, &features, &samples, 0.6), tuple_batch(&set, &samples, 0.6)));
                assert_eq!((network.targets.len(), network.dense.len()), (samples.len(), samples.len() * features.len()));
                assert_eq!(tuples.targets, network.targets);
                for (number, sample) in samples.iter().enumerate() {
                    assert_eq!(network.targets[number], sample.target(0.6));
                    assert_eq!(network.rows[number * ACTIVE..][..ACTIVE], sparse(&sample.position).map(i32::from));
                    let mut dense = vec![0.0; features.len()];
                    features.fill(&game, &sample.position, &mut dense);
                    assert_eq!(network.dense[number * features.len()..][..features.len()], dense);
                    let mut rows = vec![0; set.tuples()];
                    set.indices(&sample.position, &mut rows);
                    assert_eq!(tuples.rows[number * set.tuples()..][..set.tuples()], rows);
                }
            }
        }
    }
}
