//! Batches: the order of an epoch, and the next batch prepared while the last one is being learned.
//!
//! Invariant: what is in a batch depends on the seed, the epoch and the batch's number alone, never on how many
//! threads prepared it or how far they ran ahead.

use crate::sample::Sample;
use engine::eval::features::{ACTIVE, DenseFeatures, sparse};
use engine::eval::integer_network::inputs::SideGroups;
use engine::eval::ntuple::TupleSet;
use engine::games::einstein::symmetry::{SYMMETRIES, symmetric};
use engine::games::einstein::{Position, Standard};
use engine::random::{RandomStream, SeedSpace, derive_seed};
use rayon::prelude::*;
use std::sync::mpsc::sync_channel;

/// Batches that may wait for the learner.
const AHEAD: usize = 2;

/// Samples that one task of the thread pool prepares.
const TASK: usize = 256;

/// Streams of the training seed space: the first index of a derived seed.
const ORDER: u64 = 1;
const SYMMETRY: u64 = 2;

/// One pass over samples.
#[derive(Clone, Debug)]
pub(super) struct Pass<'a> {
    samples: &'a [Sample],
    /// The order; `None`: as they come.
    order: Option<Vec<u32>>,
    /// Seed and epoch of the symmetries; `None`: as they are.
    symmetries: Option<(u64, u64)>,
    batch: usize,
}

impl<'a> Pass<'a> {
    /// All samples in a random order, in random symmetries if asked for.
    pub(super) fn training(samples: &'a [Sample], batch: usize, seed: u64, epoch: usize, symmetries: bool) -> Self {
        let epoch = epoch as u64;
        let mut order: Vec<u32> = (0..samples.len() as u32).collect();
        RandomStream::new(derive_seed(seed, SeedSpace::Training, &[ORDER, epoch])).shuffle(&mut order);
        Self { samples, order: Some(order), symmetries: symmetries.then_some((seed, epoch)), batch }
    }

    /// All samples once, as they are.
    pub(super) fn validation(samples: &'a [Sample], batch: usize) -> Self {
        Self { samples, order: None, symmetries: None, batch }
    }

    /// How many batches there are.
    pub(super) fn batches(&self) -> usize {
        self.samples.len().div_ceil(self.batch)
    }

    /// The samples of a batch in their order and symmetry.
    fn chosen(&self, number: usize) -> Vec<Sample> {
        let range = number * self.batch..((number + 1) * self.batch).min(self.samples.len());
        let mut random = self
            .symmetries
            .map(|(seed, epoch)| RandomStream::new(derive_seed(seed, SeedSpace::Training, &[SYMMETRY, epoch, number as u64])));
        let pick = |place: usize| match &self.order {
            Some(order) => self.samples[order[place] as usize],
            None => self.samples[place],
        };
        let turn = |sample: Sample| match &mut random {
            Some(random) => Sample { position: symmetric(&sample.position, random.below(SYMMETRIES)), ..sample },
            None => sample,
        };
        range.map(pick).map(turn).collect()
    }

    /// Prepares batches on another thread and gives them to `learn` in order, until one fails.
    pub(super) fn each<B: Send, E>(
        &self,
        prepare: impl Fn(&[Sample]) -> B + Sync,
        mut learn: impl FnMut(usize, B) -> Result<(), E>,
    ) -> Result<(), E> {
        std::thread::scope(|scope| {
            let (sender, receiver) = sync_channel(AHEAD);
            let prepare = &prepare;
            scope.spawn(move || {
                for number in 0..self.batches() {
                    // A learner that failed has hung up.
                    if sender.send(prepare(&self.chosen(number))).is_err() {
                        break;
                    }
                }
            });
            receiver.into_iter().enumerate().try_for_each(|(number, batch)| learn(number, batch))
        })
    }
}

/// A batch for the network.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct NetworkBatch {
    /// `[batch, 12]`.
    pub(super) rows: Vec<i32>,
    /// `[batch, dense]`.
    pub(super) dense: Vec<f32>,
    pub(super) targets: Vec<f32>,
}

/// Extracts the network's inputs.
pub(super) fn network_batch(game: &Standard, features: &DenseFeatures, samples: &[Sample]) -> NetworkBatch {
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
    NetworkBatch { rows, dense, targets: samples.iter().map(|sample| sample.target).collect() }
}

/// A batch for the integer network.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct IntegerBatch {
    /// `[batch, active]`.
    pub(super) rows: Vec<i32>,
    pub(super) targets: Vec<f32>,
}

/// Finds the rows that are on.
pub(super) fn integer_batch(groups: SideGroups, samples: &[Sample]) -> IntegerBatch {
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
    IntegerBatch { rows, targets: samples.iter().map(|sample| sample.target).collect() }
}

/// A batch for the n-tuple network.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TupleBatch {
    /// `[batch, tuples]`.
    pub(super) rows: Vec<u32>,
    pub(super) targets: Vec<f32>,
}

/// Finds the row of each tuple.
pub(super) fn tuple_batch(set: &TupleSet, samples: &[Sample]) -> TupleBatch {
    let tuples = set.tuples();
    let mut rows = vec![0u32; samples.len() * tuples];
    samples.par_chunks(TASK).zip(rows.par_chunks_mut(TASK * tuples)).for_each(|(samples, rows)| {
        for (sample, rows) in samples.iter().zip(rows.chunks_exact_mut(tuples)) {
            set.indices(&sample.position, rows);
        }
    });
    TupleBatch { rows, targets: samples.iter().map(|sample| sample.target).collect() }
}

/// Samples of positions without targets, for whoever only wants values.
pub(super) fn untargeted(positions: &[Position]) -> Vec<Sample> {
    positions.iter().map(|&position| Sample { position, target: 0.5 }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::tests::random_samples;
    use engine::eval::features::FeatureGroups;
    use std::collections::HashSet;

    fn collect(pass: &Pass<'_>) -> Vec<Sample> {
        let mut all = Vec::new();
        let result: Result<(), ()> = pass.each(<[Sample]>::to_vec, |number, batch| {
            assert_eq!(number, all.len() / 100);
            all.extend(batch);
            Ok(())
        });
        result.unwrap();
        all
    }

    #[test]
    fn an_epoch_shows_every_sample_once_in_a_new_order_and_symmetry() {
        let samples = random_samples(30, 1);
        let first = collect(&Pass::training(&samples, 100, 7, 1, false));
        let second = collect(&Pass::training(&samples, 100, 7, 2, false));
        assert_eq!(first.len(), samples.len());
        assert_ne!(first, second);
        let set = |samples: &[Sample]| -> HashSet<Position> { samples.iter().map(|sample| sample.position).collect() };
        assert_eq!(set(&first), set(&samples));
        let turned = collect(&Pass::training(&samples, 100, 7, 1, true));
        let (mut same, mut related) = (0, 0);
        for (plain, turned) in first.iter().zip(&turned) {
            assert_eq!(plain.target, turned.target);
            same += usize::from(plain == turned);
            related += usize::from((0..SYMMETRIES).any(|symmetry| symmetric(&plain.position, symmetry) == turned.position));
        }
        assert_eq!(related, first.len());
        assert!(same < first.len() / 3, "{same} of {} were not turned", first.len());
        assert_eq!(collect(&Pass::validation(&samples, 100)), samples);
    }

    #[test]
    fn batches_do_not_depend_on_the_number_of_threads() {
        let samples = random_samples(60, 3);
        let game = Standard::default();
        let features = DenseFeatures::new(&game, FeatureGroups::ALL);
        let epoch = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut batches = Vec::new();
            let pass = Pass::training(&samples, 300, 5, 1, true);
            let result: Result<(), ()> = pass.each(
                |samples| pool.install(|| network_batch(&game, &features, samples)),
                |_, batch| {
                    batches.push(batch);
                    Ok(())
                },
            );
            result.unwrap();
            batches
        };
        assert_eq!(epoch(1), epoch(3));
    }

    #[test]
    fn a_failed_learner_stops_the_epoch() {
        let samples = random_samples(30, 1);
        let mut seen = 0;
        let result = Pass::validation(&samples, 10).each(
            |samples| samples.len(),
            |number, _| {
                seen += 1;
                if number == 1 { Err("enough") } else { Ok(()) }
            },
        );
        assert_eq!((result, seen), (Err("enough"), 2));
    }

    #[test]
    fn a_network_without_dense_inputs_has_rows_alone() {
        let samples = random_samples(20, 1);
        let game = Standard::default();
        let batch = network_batch(&game, &DenseFeatures::new(&game, FeatureGroups::NONE), &samples);
        assert_eq!((batch.rows.len(), batch.dense.len()), (samples.len() * ACTIVE, 0));
        for (sample, rows) in samples.iter().zip(batch.rows.chunks_exact(ACTIVE)) {
            assert_eq!(rows, sparse(&sample.position).map(i32::from));
        }
    }
}
