//! Compares CPU training with burn, and instruction sets with each other.

use super::*;
use crate::batch::NetworkBatch;
use alea_core::random::RandomStream;
use alea_learned::network::ResultPayoffs;
use engine::games::backgammon::Backgammon;
use std::sync::LazyLock;

const ACTIVE: usize = 12;
const STONE_SQUARES: usize = 26;
const SPARSE_ROWS: usize = STONE_SQUARES * ACTIVE;
const SPARSE: SparseInputs = SparseInputs {
    rows: SPARSE_ROWS,
    active: ACTIVE,
};

static RESULTS: LazyLock<Option<ResultPayoffs>> =
    LazyLock::new(|| ResultPayoffs::for_game(&Backgammon));

static SHAPES: LazyLock<[Shape; 9]> = LazyLock::new(|| {
    let shape = |hidden: &[usize], buckets| Shape::new(SPARSE, hidden).with_buckets(buckets);
    [
        shape(&[16, 16], 1),
        shape(&[64, 32], 3),
        shape(&[48, 80], 1),
        shape(&[144], 1),
        shape(&[48, 80, 32], 1),
        shape(&[16, 16, 64], 2),
        shape(&[48], 4),
        shape(&[32, 48], 1).with_results(*RESULTS),
        shape(&[16, 32, 16], 3).with_results(*RESULTS),
    ]
});

fn random_batch(samples: usize, shape: Shape, random: &mut RandomStream) -> NetworkBatch {
    let rows = (0..samples * ACTIVE)
        .map(|index| (index % ACTIVE * STONE_SQUARES + random.below(5)) as u16)
        .collect();
    let mut unit =
        |count: usize| -> Vec<f32> { (0..count).map(|_| random.uniform_f64() as f32).collect() };
    let targets = unit(samples);
    let weights = match samples % 2 {
        1 => (0..samples).map(|_| random.uniform_f64() as f32).collect(),
        _ => Vec::new(),
    };
    let mut results = Vec::new();
    if let Some(payoffs) = shape.results() {
        for sample in 0..samples {
            // Alternately a result, no result, and all results with or without a value.
            let (lambda, mut row) = (random.uniform_f64() as f32, vec![0.0; payoffs.len()]);
            match sample % 4 {
                0 => row[random.below(payoffs.len())] = 1.0 - lambda,
                1 => {}
                kind => {
                    row.fill_with(|| random.uniform_f64() as f32);
                    let sum = row.iter().sum::<f32>() * if kind == 2 { 1.0 } else { 1.0 + lambda };
                    row.iter_mut().for_each(|probability| *probability /= sum);
                }
            }
            results.extend(row);
        }
    }
    let of_several = samples * usize::from(shape.buckets() > 1);
    NetworkBatch {
        rows,
        buckets: (0..of_several)
            .map(|_| random.below(shape.buckets()) as u8)
            .collect(),
        targets,
        results,
        weights,
    }
}

fn network(shape: Shape, seed: u64) -> CpuNetwork {
    let weights = shape.initial_weights(&mut RandomStream::new(seed));
    CpuNetwork::from_weights(shape, weights)
}

fn gradient(network: &CpuNetwork) -> Vec<f32> {
    let (rows, width) = (SPARSE_ROWS, network.shape.hidden()[0]);
    let mut gradient = network.gradient[..network.shape.parameters()].to_vec();
    for (at, weight) in gradient[..rows * width].iter_mut().enumerate() {
        let (row, column) = (at / width, at % width);
        *weight = network.gradient[(column / LANES * rows + row) * LANES + column % LANES];
    }
    gradient
}

const OUTPUT: usize = 6;

fn assert_close(found: &[f32], expected: &[f32], scale: f32) {
    assert_eq!(found.len(), expected.len());
    for (index, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert!(
            (found - expected).abs() <= 1e-5 * scale,
            "at {index}: {found} {expected}, the scale is {scale}"
        );
    }
}

#[test]
fn all_instructions_and_numbers_of_threads_give_the_same_bits() {
    let mut random = RandomStream::new(5);
    for shape in *SHAPES {
        let start = network(shape, 6);
        let batch = random_batch(3 * BLOCK_SIZE + 33, shape, &mut random);
        let train = |mut network: CpuNetwork| {
            let losses = [(); 3].map(|()| network.adam_step(batch.inputs(), 0.001, 0.1));
            let bits: Vec<u32> = network
                .weights()
                .iter()
                .map(|weight| weight.to_bits())
                .collect();
            (losses, bits, network.predict_logits(batch.inputs()))
        };
        let expected = train(start.clone().with_instructions(Instructions::PORTABLE));
        assert!(expected.0[2] < expected.0[0], "it learns: {:?}", expected.0);
        for instructions in Instructions::available() {
            assert!(
                train(start.clone().with_instructions(instructions)) == expected,
                "{instructions:?}"
            );
        }
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            assert!(
                pool.install(|| train(start.clone())) == expected,
                "{threads} threads"
            );
        }
    }
}

#[test]
fn sorting_by_bucket_changes_no_gradient() {
    let (shape, mut random) = (SHAPES[6], RandomStream::new(11));
    let batch = random_batch(2 * BLOCK_SIZE, shape, &mut random);
    let mut mixed = network(shape, 12);
    let mut together = mixed.clone();
    let _ = mixed.compute_gradient(batch.inputs());
    let _ = together.compute_gradient(batch.sort_by_bucket().inputs());
    let [mixed, together] = [mixed, together].map(|network| gradient(&network));
    assert_close(
        &together,
        &mixed,
        mixed
            .iter()
            .fold(0.0, |max_value, value| value.abs().max(max_value)),
    );
}

#[test]
fn a_batch_of_another_size_leaves_nothing_behind() {
    let (shape, mut random) = (SHAPES[1], RandomStream::new(7));
    let batch = random_batch(40, shape, &mut random);
    let large = random_batch(5 * BLOCK_SIZE, shape, &mut random);
    let mut used = network(shape, 8);
    let mut fresh = used.clone();
    let _ = used.compute_gradient(large.inputs());
    assert_eq!(
        used.adam_step(batch.inputs(), 0.01, 1.0),
        fresh.adam_step(batch.inputs(), 0.01, 1.0)
    );
    assert_eq!(used.weights(), fresh.weights());
    assert_eq!(
        shape.tensor_ranges()[0].len(),
        SPARSE_ROWS * shape.hidden()[0]
    );
}

#[test]
fn a_loss_that_is_no_number_changes_nothing() {
    let shape = SHAPES[0];
    let (first, last) = (shape.tensor_ranges()[OUTPUT].start, shape.parameters() - 1);
    for (index, wrong) in [(first, f32::NAN), (last, f32::INFINITY)] {
        let mut weights = network(shape, 10).weights;
        weights[index] = wrong;
        let mut network = CpuNetwork::from_weights(shape, weights);
        let batch = random_batch(10, shape, &mut RandomStream::new(9));
        assert!(!network.adam_step(batch.inputs(), 0.01, 1.0).is_finite());
        assert_eq!(network.optimizer_state().1, 0);
        assert!(network.weights()[0].is_finite());
    }
}

#[cfg(feature = "flex")]
mod burn;
