//! The fused step against burn's automatic gradient and optimiser, and against itself on other
//! instructions.

use super::*;
use crate::batch::{HeadTargets, NetworkBatch};
use crate::models::{
    cross_entropy,
    heads::{plies_loss, roll_loss},
    network::NetworkModel,
};
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
        .map(|place| (place % ACTIVE * STONE_SQUARES + random.below(5)) as i32)
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

/// The weighted loss of a batch by burn, and the means of the losses of value, rolls and plies.
fn burn_loss(
    shape: Shape,
    model: &NetworkModel,
    batch: &NetworkBatch,
) -> (Tensor<1>, [f64; 3], Outputs) {
    let device = Device::flex().autodiff();
    let samples = batch.targets.len() as f64;
    let (rows, buckets, targets) = batch.tensors(shape.buckets(), &device);
    let said = model.say(rows, buckets);
    let numbers = |tensor: Tensor<2>| tensor.into_data().iter::<f32>().collect::<Vec<f32>>();
    let number = |tensor: &Tensor<1>| f64::from(tensor.clone().into_scalar::<f32>());
    let mut outputs = Outputs::from(numbers(said.logits.clone()));
    let mut loss = cross_entropy(said.logits, targets);
    let mut means = [number(&loss), 0.0, 0.0];
    if let Some(rolls) = said.rolls {
        let of = |(face, logits): (&u8, &[f32])| {
            if *face > 0 {
                logits[usize::from(*face) - 1]
            } else {
                0.0
            }
        };
        outputs.rolls = batch
            .heads
            .outcomes
            .iter()
            .zip(numbers(rolls.clone()).chunks(6))
            .map(of)
            .collect();
        let sum = roll_loss(rolls, &batch.heads, &device);
        means[1] = number(&sum) / samples;
        loss = loss + sum * (f64::from(WEIGHTS[0]) / samples);
    }
    if let Some(plies) = said.plies {
        outputs.plies = numbers(plies.clone());
        let sum = plies_loss(plies, &batch.heads, &device);
        means[2] = number(&sum) / samples;
        loss = loss + sum * (f64::from(WEIGHTS[1]) / samples);
    }
    (loss, means, outputs)
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
            let (loss, expected_losses, expected_outputs) = burn_loss(shape, &model, &batch);
            let expected = model.gradients(&loss.backward());

            let mut network = fused(shape, &model);
            let outputs = network.outputs(batch.inputs(WEIGHTS));
            assert_close(&outputs.logits, &expected_outputs.logits, 1.0);
            assert_close(&outputs.rolls, &expected_outputs.rolls, 1.0);
            // What is said of a length that is not known does not matter, but is said.
            assert_close(&outputs.plies, &expected_outputs.plies, 1.0);
            let Losses {
                value,
                rolls,
                moves_to_go,
            } = network.compute_gradient(batch.inputs(WEIGHTS));
            for (found, expected) in [value, rolls.sum, moves_to_go.sum]
                .into_iter()
                .zip(expected_losses)
            {
                assert!(
                    (found / samples as f64 - expected).abs() < 1e-5,
                    "{found} {expected}"
                );
            }
            let HeadTargets {
                outcomes, plies, ..
            } = &batch.heads;
            let faces = outcomes.iter().filter(|face| **face > 0).count();
            let lengths = plies.iter().filter(|plies| **plies >= 0.0).count();
            assert_eq!(
                (rolls.samples, moves_to_go.samples),
                (faces as u64, lengths as u64)
            );
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
                let gradients = burn_loss(shape, &model, &batch).0.backward();
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
    let (shape, mut random) = (SHAPES[0], RandomStream::new(9));
    let mut weights = model(shape, 10).parameters();
    weights[shape.places()[OUTPUT].start] = f32::NAN;
    let mut network = with_weights(shape, weights);
    let batch = random_batch(10, shape, &mut random);
    assert!(
        network
            .step(batch.inputs(WEIGHTS), 0.01, 1.0)
            .value
            .is_nan()
    );
    assert_eq!(network.optimiser().1, 0);
    assert!(network.weights()[0].is_finite());
}

#[test]
fn a_loss_of_a_head_that_is_no_number_changes_nothing() {
    let shape = SHAPES[6];
    let mut weights = model(shape, 10).parameters();
    // The bias of the plies is last.
    *weights.last_mut().unwrap() = f32::INFINITY;
    let mut network = with_weights(shape, weights);
    let losses = network.step(
        random_batch(10, shape, &mut RandomStream::new(9)).inputs(WEIGHTS),
        0.01,
        1.0,
    );
    assert!(losses.value.is_finite() && !losses.are_finite());
    assert_eq!(network.optimiser().1, 0);
}

#[test]
fn heads_share_the_hidden_layers_and_learn_what_they_are_told() {
    // Every sample after face 2 is won and after any other lost; 12 plies are to go. The value is
    // told 0.3.
    let shape = Shape::new(SPARSE, &[16]).with_heads(Heads::ALL);
    let mut network = fused(shape, &model(shape, 3));
    let mut batch = random_batch(600, shape, &mut RandomStream::new(4));
    batch.targets.fill(0.3);
    batch.heads.plies.fill(0.75);
    batch.heads.rolls = batch
        .heads
        .outcomes
        .iter()
        .map(|&face| f32::from(u8::from(face == 2)))
        .collect();
    let first = network.step(batch.inputs(WEIGHTS), 0.02, 1.0);
    for _ in 0..300 {
        let _ = network.step(batch.inputs(WEIGHTS), 0.02, 1.0);
    }
    let last = network.step(batch.inputs(WEIGHTS), 0.02, 1.0);
    assert!(
        last.rolls.mean() < 0.02 * first.rolls.mean() && last.moves_to_go.mean() < 1e-3,
        "{first:?} {last:?}"
    );
    let outputs = network.outputs(batch.inputs(WEIGHTS));
    for ((&roll, &face), &plies) in outputs
        .rolls
        .iter()
        .zip(&batch.heads.outcomes)
        .zip(&outputs.plies)
    {
        assert!(match face {
            0 => roll == 0.0,
            2 => roll > 3.0,
            _ => roll < -3.0,
        });
        assert!((plies - 0.75).abs() < 0.1, "{plies}");
    }
    assert!(
        outputs
            .logits
            .iter()
            .all(|logit| (1.0 / (1.0 + (-logit).exp()) - 0.3).abs() < 0.05)
    );
}
