use super::*;
use crate::batch::NetworkBatch;
use crate::models::{
    network::NetworkModel,
    tensors::{cross_entropy, tensor_values},
};
use alea_core::random::RandomStream;
use burn::{
    grad_clipping::GradientClippingConfig,
    optim::{AdamConfig, GradientsParams},
    tensor::{Device, Tensor},
};
use std::sync::LazyLock;

const ACTIVE: usize = 12;
const STONE_SQUARES: usize = 26;
const SPARSE_ROWS: usize = STONE_SQUARES * ACTIVE;
const SPARSE: SparseInputs = SparseInputs {
    rows: SPARSE_ROWS,
    active: ACTIVE,
};

static SHAPES: LazyLock<[Shape; 7]> = LazyLock::new(|| {
    let shape = |hidden: &[usize], buckets| Shape::new(SPARSE, hidden).with_buckets(buckets);
    [
        shape(&[16, 16], 1),
        shape(&[64, 32], 3),
        shape(&[48, 80], 1),
        shape(&[144], 1),
        shape(&[48, 80, 32], 1),
        shape(&[16, 16, 64], 2),
        shape(&[48], 4),
    ]
});

fn random_batch(samples: usize, shape: Shape, random: &mut RandomStream) -> NetworkBatch {
    // Few squares, so that samples share rows and some rows are unused.
    let rows = (0..samples * ACTIVE)
        .map(|index| (index % ACTIVE * STONE_SQUARES + random.below(5)) as u16)
        .collect();
    let mut unit =
        |count: usize| -> Vec<f32> { (0..count).map(|_| random.unit() as f32).collect() };
    let targets = unit(samples);
    // Only batches of odd size have loss weights.
    let weights = match samples % 2 {
        1 => (0..samples).map(|_| random.unit() as f32).collect(),
        _ => Vec::new(),
    };
    let of_several = samples * usize::from(shape.buckets() > 1);
    NetworkBatch {
        rows,
        buckets: (0..of_several)
            .map(|_| random.below(shape.buckets()) as u8)
            .collect(),
        targets,
        weights,
    }
}

fn burn_logits_and_loss(
    shape: Shape,
    model: &NetworkModel,
    batch: &NetworkBatch,
) -> (Vec<f32>, Tensor<1>) {
    let device = Device::flex().autodiff();
    let (rows, buckets, targets) = batch.tensors(shape.buckets(), &device);
    let logits = model.logits(rows, buckets);
    (
        tensor_values(logits.clone()).unwrap(),
        cross_entropy(logits, targets),
    )
}

fn model(shape: Shape, seed: u64) -> NetworkModel {
    NetworkModel::new(
        shape,
        &mut RandomStream::new(seed),
        &Device::flex().autodiff(),
    )
}

fn cpu(shape: Shape, model: &NetworkModel) -> CpuNetwork {
    with_weights(shape, model.parameters())
}

fn with_weights(shape: Shape, weights: Vec<f32>) -> CpuNetwork {
    CpuNetwork::new(shape, weights, vec![0.0; 2 * shape.parameters()], 0)
}

/// Of the output weights.
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
fn losses_and_gradients_are_burns() {
    let mut random = RandomStream::new(1);
    for shape in *SHAPES {
        let model = model(shape, 2);
        for samples in [1, 77, BLOCK_SIZE + 100] {
            let batch = random_batch(samples, shape, &mut random);
            let (expected_logits, loss) = burn_logits_and_loss(shape, &model, &batch);
            let expected_loss: f32 = loss.clone().into_scalar();
            let expected = model.gradients(&loss.backward());

            let mut network = cpu(shape, &model);
            assert_close(
                &network.predict_logits(batch.inputs()),
                &expected_logits,
                1.0,
            );
            let loss = network.compute_gradient(batch.inputs()) / samples as f64;
            assert!(
                (loss - f64::from(expected_loss)).abs() < 1e-5,
                "{loss} {expected_loss}"
            );
            let largest = expected
                .iter()
                .fold(0.0f32, |largest, value| largest.max(value.abs()));
            assert_close(&network.workspace[0].gradient, &expected, largest);
            let unused = 5 * shape.hidden()[0]..STONE_SQUARES * shape.hidden()[0];
            assert!(
                network.workspace[0].gradient[unused]
                    .iter()
                    .all(|value| *value == 0.0)
            );
        }
    }
}

#[test]
fn steps_are_those_of_burns_adam_with_clipped_gradients() {
    let mut random = RandomStream::new(3);
    for shape in *SHAPES {
        for max_norm in [1e-3, 1e3] {
            let mut model = model(shape, 4);
            let mut network = cpu(shape, &model);
            let clipping = GradientClippingConfig::Norm(max_norm);
            let mut optimizer = AdamConfig::new()
                .with_epsilon(1e-8)
                .with_grad_clipping(Some(clipping))
                .init();
            for step in 1..=12 {
                let batch = random_batch(200, shape, &mut random);
                let gradients = burn_logits_and_loss(shape, &model, &batch).1.backward();
                let rate = 0.01 / f64::from(step);
                model = optimizer.step(
                    rate,
                    model.clone(),
                    GradientsParams::from_grads(gradients, &model),
                );
                network.step(batch.inputs(), rate, max_norm);
                // Where the true gradient is 0, rounding errors determine Adam's first steps, of up
                // to 0.03.
                let (found, expected) = (network.weights(), model.parameters());
                let far = found
                    .iter()
                    .zip(&expected)
                    .filter(|(found, expected)| (*found - *expected).abs() > 1e-4)
                    .count();
                assert!(
                    far <= found.len() / 1000,
                    "{far} of {} weights differ for {shape:?}, {max_norm}, step {step}",
                    found.len()
                );
                if shape.hidden().len() > 2 {
                    // In deeper networks, rounding may clip a sum in one implementation alone, so
                    // each step starts from equal weights.
                    let (moments, steps) = network.optimizer();
                    network = CpuNetwork::new(shape, expected, moments.to_vec(), steps);
                }
            }
        }
    }
}

#[test]
fn all_instructions_and_numbers_of_threads_give_the_same_bits() {
    let mut random = RandomStream::new(5);
    for shape in *SHAPES {
        let start = cpu(shape, &model(shape, 6));
        let batch = random_batch(3 * BLOCK_SIZE + 33, shape, &mut random);
        let train = |mut network: CpuNetwork| {
            let losses = [(); 3].map(|()| network.step(batch.inputs(), 0.001, 0.1));
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
    let mut mixed = cpu(shape, &model(shape, 12));
    let mut together = mixed.clone();
    let _ = mixed.compute_gradient(batch.inputs());
    let _ = together.compute_gradient(batch.sort_by_bucket().inputs());
    let [mixed, together] = [mixed, together].map(|network| network.workspace[0].gradient.clone());
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
    let mut used = cpu(shape, &model(shape, 8));
    let mut fresh = used.clone();
    let _ = used.compute_gradient(large.inputs());
    assert_eq!(
        used.step(batch.inputs(), 0.01, 1.0),
        fresh.step(batch.inputs(), 0.01, 1.0)
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
        let mut weights = model(shape, 10).parameters();
        weights[index] = wrong;
        let mut network = with_weights(shape, weights);
        let batch = random_batch(10, shape, &mut RandomStream::new(9));
        assert!(!network.step(batch.inputs(), 0.01, 1.0).is_finite());
        assert_eq!(network.optimizer().1, 0);
        assert!(network.weights()[0].is_finite());
    }
}
