//! Conversion of samples to training batches, with the same result on any number of threads.

use crate::models::cpu::BatchView;
use crate::sample::Sample;
use alea_learned::{
    game_parts::GameParts,
    inputs::Learnable,
    named_set::NamedSet,
    network::{MAX_OUTPUTS, ResultPayoffs},
    tuples::TupleSet,
};

pub(crate) const SAMPLES_PER_TASK: usize = 256;

/// Inputs and targets of a batch for the neural network.
#[derive(Clone, Debug, PartialEq)]
pub struct NetworkBatch {
    /// Indices of the active first-layer rows, `[batch, active]`.
    pub rows: Vec<u16>,
    /// Output bucket of each sample; empty if the network has one bucket.
    pub buckets: Vec<u8>,
    /// Target value of each sample, for its side to move.
    pub targets: Vec<f32>,
    /// Target probability of each result, `[batch, outputs]`; the loss weight of a sample's value is
    /// 1 minus their sum. Empty if the network has one output.
    pub results: Vec<f32>,
    /// Loss weight of each sample; empty if all are 1.
    pub weights: Vec<f32>,
}

impl NetworkBatch {
    /// Borrows the batch as input of [`crate::models::cpu`].
    #[must_use]
    pub fn inputs(&self) -> BatchView<'_> {
        BatchView {
            rows: &self.rows,
            buckets: &self.buckets,
            targets: &self.targets,
            results: &self.results,
            weights: &self.weights,
        }
    }

    /// Sorts the samples by output bucket.
    #[must_use]
    pub fn sort_by_bucket(self) -> Self {
        if self.buckets.is_empty() {
            return self;
        }
        let samples = self.buckets.len();
        let mut order: Vec<usize> = (0..samples).collect();
        order.sort_by_key(|&sample| self.buckets[sample]);
        fn reorder<T: Copy>(values: &[T], order: &[usize]) -> Vec<T> {
            // Buckets and loss weights may be empty.
            order
                .iter()
                .filter_map(|&at| values.get(at).copied())
                .collect()
        }
        fn reorder_rows<T: Copy>(matrix: &[T], order: &[usize]) -> Vec<T> {
            let width = matrix.len() / order.len();
            let rows = order.iter().flat_map(|&at| &matrix[at * width..][..width]);
            rows.copied().collect()
        }
        Self {
            rows: reorder_rows(&self.rows, &order),
            buckets: reorder(&self.buckets, &order),
            targets: reorder(&self.targets, &order),
            results: reorder_rows(&self.results, &order),
            weights: reorder(&self.weights, &order),
        }
    }
}

fn map_samples<P, T>(samples: &[Sample<P>], of: impl Fn(&Sample<P>) -> T) -> Vec<T> {
    samples.iter().map(of).collect()
}

/// Input features, output buckets and outputs of a neural network.
#[derive(Clone, Debug)]
pub struct FeatureSpec<G: Learnable> {
    /// Rules of the game.
    pub game: G,
    /// Optional input groups that the network uses.
    pub groups: NamedSet<G::Group>,
    /// Parts of the game with layers of their own after the first, the output buckets.
    pub buckets: GameParts,
    /// Results that have an output each; `None` if the only output is that of a win.
    pub results: Option<ResultPayoffs>,
}

/// Creates a batch for the neural network; search values get weight `lambda`, game results the
/// rest.
#[must_use]
pub fn network_batch<G: Learnable>(
    features: &FeatureSpec<G>,
    samples: &[Sample<G::Position>],
    lambda: f32,
) -> NetworkBatch {
    let FeatureSpec {
        game,
        groups,
        buckets,
        results,
    } = features;
    let active = game.feature_slots(*groups).len();
    let rows = rows_of(samples, active, |position, rows| {
        game.active_features(*groups, position, game.to_move(position), rows);
    });
    let bucket = |sample: &Sample<_>| buckets.index_of(game, &sample.position) as u8;
    let counted = samples
        .iter()
        .take(samples.len() * usize::from(!buckets.is_whole_game()));
    let mut probabilities = Vec::new();
    let target = |sample: &Sample<_>| match results {
        None => sample.target(lambda),
        Some(results) => {
            let (target, of_results) = result_target(results, sample, lambda);
            probabilities.extend_from_slice(&of_results[..results.len()]);
            target
        }
    };
    NetworkBatch {
        rows,
        buckets: counted.map(bucket).collect(),
        targets: samples.iter().map(target).collect(),
        results: probabilities,
        weights: loss_weights(samples),
    }
}

/// Target value of a sample and target probabilities of the results, as in [`NetworkBatch`]. The
/// game's result gets the probability 1 − `lambda`; a payoff that belongs to no result, as of an
/// exact label or a game cut short, is part of the value.
pub(crate) fn result_target<P>(
    results: &ResultPayoffs,
    sample: &Sample<P>,
    lambda: f32,
) -> (f32, [f32; MAX_OUTPUTS]) {
    let mut probabilities = [0.0; MAX_OUTPUTS];
    match results.index_of(sample.result) {
        Some(result) => {
            probabilities[result] = 1.0 - lambda;
            (sample.value, probabilities)
        }
        None => (sample.target(lambda), probabilities),
    }
}

/// Inputs and targets of a batch for the n-tuple network.
#[derive(Clone, Debug, PartialEq)]
pub struct TupleBatch {
    /// Indices of the active weights, `[batch, tuples]`.
    pub rows: Vec<u32>,
    /// Target win probability of each sample, for its side to move.
    pub targets: Vec<f32>,
    /// Loss weight of each sample; empty if all are 1.
    pub weights: Vec<f32>,
}

/// Creates a batch for the n-tuple network; `lambda` as in [`network_batch`].
#[must_use]
pub fn tuple_batch<G: Learnable>(
    set: &TupleSet<G>,
    samples: &[Sample<G::Position>],
    lambda: f32,
) -> TupleBatch {
    TupleBatch {
        rows: rows_of(samples, set.tuple_count(), |position, rows| {
            set.row_indices(position, rows);
        }),
        weights: loss_weights(samples),
        targets: map_samples(samples, |sample| sample.target(lambda)),
    }
}

fn rows_of<P: Sync, T: Copy + Default + Send>(
    samples: &[Sample<P>],
    width: usize,
    find: impl Fn(&P, &mut [T]) + Sync,
) -> Vec<T> {
    let mut rows = vec![T::default(); samples.len() * width];
    let tasks = samples
        .chunks(SAMPLES_PER_TASK)
        .zip(rows.chunks_mut(SAMPLES_PER_TASK * width));
    alea_parallel::map_items_with(
        tasks,
        || (),
        |(), (samples, rows)| {
            for (number, sample) in samples.iter().enumerate() {
                find(&sample.position, &mut rows[number * width..][..width]);
            }
        },
    );
    rows
}

fn loss_weights<P>(samples: &[Sample<P>]) -> Vec<f32> {
    let weights = || samples.iter().map(|sample| sample.weight);
    let differ = weights().any(|weight| weight != 1.0);
    if differ {
        weights().collect()
    } else {
        Vec::new()
    }
}

/// Wraps positions in samples with the dummy target ½, for predictions.
pub fn prediction_samples<P: Copy>(positions: &[P]) -> Vec<Sample<P>> {
    positions
        .iter()
        .map(|&position| Sample::with_target(position, 0.5))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::tests::random_samples;
    use alea_core::game::Game;
    use engine::games::{backgammon::Backgammon, einstein::Standard};

    #[test]
    fn batches_are_the_inputs_of_their_samples_whatever_the_number_of_threads() {
        let mut samples = random_samples(60, 3);
        samples
            .iter_mut()
            .for_each(|sample| sample.result = sample.value.round());
        let game = Standard::default();
        let set = TupleSet::from_name(&game, "stone-pairs").unwrap();
        for (groups, buckets) in [
            (NamedSet::ALL, GameParts::Limits(vec![5, 8])),
            (NamedSet::NONE, GameParts::WHOLE_GAME),
        ] {
            let features = FeatureSpec {
                game: game.clone(),
                groups,
                buckets,
                results: None,
            };
            let active = game.feature_slots(groups).len();
            for threads in [1, 3] {
                let pool = rayon::ThreadPoolBuilder::new()
                    .num_threads(threads)
                    .build()
                    .unwrap();
                let (network, tuples) = pool.install(|| {
                    (
                        network_batch(&features, &samples, 0.6),
                        tuple_batch(&set, &samples, 0.6),
                    )
                });
                assert_eq!(tuples.targets, network.targets);
                let all = samples.len() * usize::from(!features.buckets.is_whole_game());
                assert_eq!(
                    (network.targets.len(), network.buckets.len()),
                    (samples.len(), all)
                );
                for (number, sample) in samples.iter().enumerate() {
                    let position = &sample.position;
                    assert_eq!(network.targets[number], sample.target(0.6));
                    let mut rows = vec![0; active];
                    game.active_features(groups, position, game.to_move(position), &mut rows);
                    assert_eq!(network.rows[number * active..][..active], rows);
                    if let Some(&bucket) = network.buckets.get(number) {
                        let stones = position.num_stones();
                        assert_eq!(bucket, u8::from(stones > 5) + u8::from(stones > 8));
                    }
                    let mut rows = vec![0; set.tuple_count()];
                    set.row_indices(position, &mut rows);
                    assert_eq!(
                        tuples.rows[number * set.tuple_count()..][..set.tuple_count()],
                        rows
                    );
                }
                assert!(network.results.is_empty());
                let together = network.clone().sort_by_bucket();
                assert!(together.buckets.is_sorted());
                let keys = |batch: &NetworkBatch| {
                    let rows = batch.rows.chunks(active).map(<[u16]>::to_vec);
                    let mut keys: Vec<_> = rows
                        .zip(batch.targets.iter().map(|t| t.to_bits()))
                        .collect();
                    keys.sort();
                    keys
                };
                assert_eq!(keys(&together), keys(&network));
            }
        }
    }

    #[test]
    fn results_get_the_probability_that_values_leave() {
        let game = Backgammon;
        let results = ResultPayoffs::for_game(&game);
        let sample = |value, result| Sample {
            result,
            ..Sample::with_target(game.start(0), value)
        };
        let samples = [
            sample(0.5, 5.0 / 6.0),
            sample(0.7, 0.0),
            sample(0.55, 0.55),
            sample(0.4, 0.5),
        ];
        let features = FeatureSpec {
            game,
            groups: NamedSet::NONE,
            buckets: GameParts::WHOLE_GAME,
            results,
        };
        let batch = network_batch(&features, &samples, 0.75);
        let mut expected = vec![0.0; 24];
        (expected[1], expected[6 + 5]) = (0.25, 0.25);
        assert_eq!(batch.results, expected);
        assert_eq!(batch.targets, [0.5, 0.7, 0.55, 0.425]);
        let mut shuffled = batch.clone();
        shuffled.buckets = vec![2, 1, 0, 1];
        let sorted = shuffled.sort_by_bucket();
        assert_eq!(sorted.targets, [0.55, 0.7, 0.425, 0.5]);
        assert_eq!(
            (sorted.results[6 + 5], sorted.results[18 + 1]),
            (0.25, 0.25)
        );
    }
}
