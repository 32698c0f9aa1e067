//! The fused step against burn's automatic gradient and optimiser, and against itself on other
//! instructions.

use super::*;
use crate::batch::{HeadTargets, NetworkBatch};
use crate::models::network::NetworkModel;
use burn::{
    grad_clipping::GradientClippingConfig,
    optim::{AdamConfig, GradientsParams},
    tensor::{Device, Tensor},
};
use engine::core::random::RandomStream;
use engine::learned::network::{Head, Heads};
use std::sync::LazyLock;

const ACTIVE: usize = 12;
const STONE_SQUARES: usize = 26;
const SPARSE_ROWS: usize = STONE_SQUARES * ACTIVE;
const SPARSE: Sparse = Sparse {
    rows: SPARSE_ROWS,
    active: ACTIVE,
    outcomes: 6,
};

static SHAPES: LazyLock<[Shape; 9]> = LazyLock::new(|| {
    let shape = |hidden: &[usize], buckets| Shape::new(SPARSE, hidden).with_buckets(buckets);
    [
        shape(&[16, 16], 1),
        shape(&[64, 32], 3),
        shape(&[48, 80], 1),
        shape(&[144], 1),
        shape(&[48, 80, 32], 1),
        shape(&[16, 16, 64], 2),
        shape(&[48], 4).with_heads(Heads::ALL),
        shape(&[16, 32], 1).with_heads(Heads::NONE.with(Head::Rolls)),
        shape(&[16, 16, 64], 3).with_heads(Heads::NONE.with(Head::MovesToGo)),
    ]
});

/// What losses of rolls and of plies count.
const WEIGHTS: [f32; 2] = [0.375, 1.5];

fn random_batch(samples: usize, shape: Shape, random: &mut RandomStream) -> NetworkBatch {
    // Few squares, so that samples share rows and some rows are in none.
    let rows = (0..samples * ACTIVE)
        .map(|place| (place % ACTIVE * STONE_SQUARES + random.below(5)) as u16)
        .collect();
    let mut unit =
        |count: usize| -> Vec<f32> { (0..count).map(|_| random.unit() as f32).collect() };
    let targets = unit(samples);
    let mut heads = HeadTargets::default();
    if shape.heads().contains(Head::Rolls) {
        // Some faces are not known, 0, and some lengths.
        heads.rolls = unit(samples);
        heads.outcomes = (0..samples).map(|_| random.below(7) as u8).collect();
    }
    if shape.heads().contains(Head::MovesToGo) {
        let mut length = || match random.below(4) {
            0 => -1.0,
            _ => 2.0 * random.unit() as f32,
        };
        heads.plies = (0..samples).map(|_| length()).collect();
    }
    // In some batches samples count differently.
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
        heads,
    }
}

/// What burn says of a batch, the losses of that, and the one whose gradient is wanted.
fn burn_says(
    shape: Shape,
    model: &NetworkModel,
    batch: &NetworkBatch,
) -> (Outputs, Losses, Tensor<1>) {
    let device = Device::flex().autodiff();
    let (rows, buckets, targets) = batch.tensors(shape.buckets(), &device);
    let said = model.say(rows, buckets);
    let outputs = said.clone().outputs(&batch.heads, &device).unwrap();
    let (loss, losses) = said
        .losses(targets, &batch.heads, WEIGHTS, &device)
        .unwrap();
    (outputs, losses, loss)
}

fn model(shape: Shape, seed: u64) -> NetworkModel {
    NetworkModel::new(
        shape,
        &mut RandomStream::new(seed),
        &Device::flex().autodiff(),
    )
}

fn fused(shape: Shape, model: &NetworkModel) -> FusedNetwork {
    with_weights(shape, model.parameters())
}

fn with_weights(shape: Shape, weights: Vec<f32>) -> FusedNetwork {
    FusedNetwork::new(shape, weights, vec![0.0; 2 * shape.parameters()], 0)
}

/// The place of the output's weights among the tensors.
const OUTPUT: usize = 6;

/// Whether numbers differ by rounding only, where the largest of what was added up is about
/// `scale`.
fn assert_close(found: &[f32], expected: &[f32], scale: f32) {
    assert_eq!(found.len(), expected.len());
    for (place, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert!(
            (found - expected).abs() <= 1e-5 * scale,
            "at {place}: {found} {expected}, the scale is {scale}"
        );
    }
}

#[test]
fn losses_and_gradients_are_burns() {
    let mut random = RandomStream::new(1);
    for shape in *SHAPES {
        let model = model(shape, 2);
        // A single sample, an odd number, and more than one block.
        for samples in [1, 77, BLOCK + 100] {
            let batch = random_batch(samples, shape, &mut random);
            let (expected_outputs, expected_losses, loss) = burn_says(shape, &model, &batch);
            let expected = model.gradients(&loss.backward());

            let mut network = fused(shape, &model);
            let outputs = network.outputs(batch.inputs(WEIGHTS));
            assert_close(&outputs.logits, &expected_outputs.logits, 1.0);
            assert_close(&outputs.rolls, &expected_outputs.rolls, 1.0);
            // What is said of a length that is not known does not matter, but is said.
            assert_close(&outputs.plies, &expected_outputs.plies, 1.0);
            let losses = network.compute_gradient(batch.inputs(WEIGHTS));
            let sums = |losses: Losses| {
                let Losses {
                    value,
                    rolls,
                    moves_to_go,
                } = losses;
                let sums = [value, rolls.sum, moves_to_go.sum];
                (sums, [rolls.samples, moves_to_go.samples])
            };
            let ((sums, counts), (expected_sums, expected_counts)) =
                (sums(losses), sums(expected_losses));
            assert_eq!(counts, expected_counts);
            for (found, expected) in sums.into_iter().zip(expected_sums) {
                assert!(
                    (found - expected).abs() < 1e-5 * samples as f64,
                    "{found} {expected}"
                );
            }
            let largest = expected
                .iter()
                .fold(0.0f32, |largest, value| largest.max(value.abs()));
            assert_close(&network.work[0].gradient, &expected, largest);
            // Rows that no stone stands on have no gradient at all.
            let unused = 5 * shape.hidden()[0]..STONE_SQUARES * shape.hidden()[0];
            assert!(
                network.work[0].gradient[unused]
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
        // Bounds below and above the usual norms.
        for longest in [1e-3, 1e3] {
            let mut model = model(shape, 4);
            let mut network = fused(shape, &model);
            let clipping = GradientClippingConfig::Norm(longest);
            let mut optimiser = AdamConfig::new()
                .with_epsilon(1e-8)
                .with_grad_clipping(Some(clipping))
                .init();
            for step in 1..=12 {
                let batch = random_batch(200, shape, &mut random);
                let gradients = burn_says(shape, &model, &batch).2.backward();
                let rate = 0.01 / f64::from(step);
                model = optimiser.step(
                    rate,
                    model.clone(),
                    GradientsParams::from_grads(gradients, &model),
                );
                network.step(batch.inputs(WEIGHTS), rate, longest);
                // Where a gradient is 0 but for rounding, Adam's first steps have no direction:
                // weights move by 0.03 in all.
                let (found, expected) = (network.weights(), model.parameters());
                let far = found
                    .iter()
                    .zip(&expected)
                    .filter(|(found, expected)| (*found - *expected).abs() > 1e-4)
                    .count();
                assert!(
                    far <= found.len() / 1000,
                    "{far} of {} weights differ for {shape:?}, {longest}, step {step}",
                    found.len()
                );
                if shape.hidden().len() > 2 {
                    // The deeper the network, the more often a sum lies so near a bound that
                    // weights which differ by such steps clip it in one and not in the other, and
                    // part from there: each step starts from the same.
                    let (moments, steps) = network.optimiser();
                    network = FusedNetwork::new(shape, expected, moments.to_vec(), steps);
                }
            }
        }
    }
}

#[test]
fn all_instructions_and_numbers_of_threads_give_the_same_bits() {
    let mut random = RandomStream::new(5);
    for shape in *SHAPES {
        let start = fused(shape, &model(shape, 6));
        let batch = random_batch(3 * BLOCK + 33, shape, &mut random);
        let train = |mut network: FusedNetwork| {
            let losses = [(); 3].map(|()| network.step(batch.inputs(WEIGHTS), 0.001, 0.1));
            let bits: Vec<u32> = network
                .weights()
                .iter()
                .map(|weight| weight.to_bits())
                .collect();
            (losses, bits, network.outputs(batch.inputs(WEIGHTS)))
        };
        let expected = train(start.clone().on(Instructions::PORTABLE));
        assert!(
            expected.0[2].value < expected.0[0].value,
            "it learns: {:?}",
            expected.0
        );
        for instructions in Instructions::available() {
            assert!(
                train(start.clone().on(instructions)) == expected,
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
fn samples_of_a_bucket_together_teach_the_same() {
    let (shape, mut random) = (SHAPES[6], RandomStream::new(11));
    let batch = random_batch(2 * BLOCK, shape, &mut random);
    let mut mixed = fused(shape, &model(shape, 12));
    let mut together = mixed.clone();
    let _ = mixed.compute_gradient(batch.inputs(WEIGHTS));
    let _ = together.compute_gradient(batch.by_bucket().inputs(WEIGHTS));
    let [mixed, together] = [mixed, together].map(|network| network.work[0].gradient.clone());
    assert_close(
        &together,
        &mixed,
        mixed.iter().fold(0.0, |most, value| value.abs().max(most)),
    );
}

#[test]
fn a_batch_of_another_size_leaves_nothing_behind() {
    let (shape, mut random) = (SHAPES[1], RandomStream::new(7));
    let batch = random_batch(40, shape, &mut random);
    let large = random_batch(5 * BLOCK, shape, &mut random);
    let mut used = fused(shape, &model(shape, 8));
    let mut fresh = used.clone();
    let _ = used.compute_gradient(large.inputs(WEIGHTS));
    assert_eq!(
        used.step(batch.inputs(WEIGHTS), 0.01, 1.0),
        fresh.step(batch.inputs(WEIGHTS), 0.01, 1.0)
    );
    assert_eq!(used.weights(), fresh.weights());
    assert_eq!(shape.places()[0].len(), SPARSE_ROWS * shape.hidden()[0]);
}

#[test]
fn a_loss_that_is_no_number_changes_nothing() {
    // Of the value, and of the plies, whose bias is last.
    let (first, last) = (SHAPES[0].places()[OUTPUT].start, SHAPES[6].parameters() - 1);
    for (shape, place, wrong) in [
        (SHAPES[0], first, f32::NAN),
        (SHAPES[6], last, f32::INFINITY),
    ] {
        let mut weights = model(shape, 10).parameters();
        weights[place] = wrong;
        let mut network = with_weights(shape, weights);
        let batch = random_batch(10, shape, &mut RandomStream::new(9));
        let losses = network.step(batch.inputs(WEIGHTS), 0.01, 1.0);
        assert!(!losses.are_finite() && losses.value.is_nan() == wrong.is_nan());
        assert_eq!(network.optimiser().1, 0);
        assert!(network.weights()[0].is_finite());
    }
}
