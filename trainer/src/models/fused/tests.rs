//! The fused step against burn's automatic gradient and optimiser, and against itself on other instructions.

use super::layout::TENSORS;
use super::*;
use crate::models::cross_entropy;
use crate::models::network::NetworkModel;
use burn::grad_clipping::GradientClippingConfig;
use burn::optim::{AdamConfig, GradientsParams};
use burn::tensor::{DType, Device, Int, Tensor, TensorData};
use engine::eval::features::{ACTIVE, SPARSE_ROWS, STONE_SQUARES};
use engine::random::RandomStream;

const SHAPES: [Shape; 7] = [
    Shape::new(0, &[16, 16]),
    Shape::new(22, &[64, 32]),
    Shape::new(5, &[48, 80]),
    Shape::new(22, &[32]),
    Shape::new(0, &[144]),
    Shape::new(5, &[48, 80, 32]),
    Shape::new(0, &[16, 16, 64]),
];

struct Batch {
    rows: Vec<i32>,
    dense: Vec<f32>,
    targets: Vec<f32>,
}

impl Batch {
    fn random(samples: usize, dense: usize, random: &mut RandomStream) -> Self {
        // Few squares, so that samples share rows and some rows are in none.
        let rows = (0..samples * ACTIVE).map(|place| (place % ACTIVE * STONE_SQUARES + random.below(5)) as i32).collect();
        let mut unit = |count: usize| (0..count).map(|_| random.unit() as f32).collect();
        Self { rows, dense: unit(samples * dense), targets: unit(samples) }
    }

    fn inputs(&self) -> Inputs<'_> {
        Inputs { rows: &self.rows, dense: &self.dense, targets: &self.targets }
    }

    fn tensors(&self, dense: usize, device: &Device) -> (Tensor<2, Int>, Option<Tensor<2>>, Tensor<2>) {
        let samples = self.targets.len();
        let rows = Tensor::from_data(TensorData::new(self.rows.clone(), [samples, ACTIVE]), (device, DType::I32));
        let features = (dense > 0).then(|| Tensor::from_data(TensorData::new(self.dense.clone(), [samples, dense]), device));
        (rows, features, Tensor::from_data(TensorData::new(self.targets.clone(), [samples, 1]), device))
    }
}

fn model(shape: Shape, seed: u64) -> NetworkModel {
    NetworkModel::new(shape, &mut RandomStream::new(seed), &Device::flex().autodiff())
}

fn fused(shape: Shape, model: &NetworkModel) -> FusedNetwork {
    FusedNetwork::new(shape, model.parameters(), vec![0.0; 2 * shape.parameters()], 0)
}

/// Whether numbers differ by rounding only, where the largest of what was added up is about `scale`.
fn assert_close(found: &[f32], expected: &[f32], scale: f32) {
    assert_eq!(found.len(), expected.len());
    for (place, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert!((found - expected).abs() <= 1e-5 * scale, "at {place}: {found} {expected}, the scale is {scale}");
    }
}

#[test]
fn losses_and_gradients_are_burns() {
    let mut random = RandomStream::new(1);
    for shape in SHAPES {
        let model = model(shape, 2);
        // A single sample, an odd number, and more than one block.
        for samples in [1, 77, BLOCK + 100] {
            let batch = Batch::random(samples, shape.dense(), &mut random);
            let (rows, features, targets) = batch.tensors(shape.dense(), &Device::flex().autodiff());
            let logits = model.forward(rows, features);
            let expected_logits: Vec<f32> = logits.clone().into_data().iter::<f32>().collect();
            let loss = cross_entropy(logits, targets);
            let expected_loss: f32 = loss.clone().into_scalar();
            let expected = model.gradients(&loss.backward());

            let mut network = fused(shape, &model);
            assert_close(&network.logits(batch.inputs()), &expected_logits, 1.0);
            let loss = network.compute_gradient(batch.inputs()) / samples as f64;
            assert!((loss - f64::from(expected_loss)).abs() < 1e-5, "{loss} {expected_loss}");
            let largest = expected.iter().fold(0.0f32, |largest, value| largest.max(value.abs()));
            assert_close(&network.work[0].gradient, &expected, largest);
            // Rows that no stone stands on have no gradient at all.
            let unused = 5 * shape.hidden()[0]..STONE_SQUARES * shape.hidden()[0];
            assert!(network.work[0].gradient[unused].iter().all(|value| *value == 0.0));
        }
    }
}

#[test]
fn steps_are_those_of_burns_adam_with_clipped_gradients() {
    let mut random = RandomStream::new(3);
    for shape in SHAPES {
        // Bounds below and above the usual norms.
        for longest in [1e-3, 1e3] {
            let mut model = model(shape, 4);
            let mut network = fused(shape, &model);
            let clipping = GradientClippingConfig::Norm(longest);
            let mut optimiser = AdamConfig::new().with_epsilon(1e-8).with_grad_clipping(Some(clipping)).init();
            for step in 1..=12 {
                let batch = Batch::random(200, shape.dense(), &mut random);
                let (rows, features, targets) = batch.tensors(shape.dense(), &Device::flex().autodiff());
                let gradients = cross_entropy(model.forward(rows, features), targets).backward();
                let rate = 0.01 / f64::from(step);
                model = optimiser.step(rate, model.clone(), GradientsParams::from_grads(gradients, &model));
                network.step(batch.inputs(), rate, longest);
                // Where a gradient is 0 but for rounding, Adam's first steps have no direction: weights move by 0.03 in all.
                let (found, expected) = (network.weights(), model.parameters());
                let far = found.iter().zip(&expected).filter(|(found, expected)| (*found - *expected).abs() > 1e-4).count();
                assert!(far <= found.len() / 1000, "{far} of {} weights differ for {shape:?}, {longest}, step {step}", found.len());
                if shape.hidden().len() > 2 {
                    // The deeper the network, the more often a sum lies so near a bound that weights which differ by such
                    // steps clip it in one and not in the other, and part from there: each step starts from the same.
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
    for shape in SHAPES {
        let start = fused(shape, &model(shape, 6));
        let batch = Batch::random(3 * BLOCK + 33, shape.dense(), &mut random);
        let train = |mut network: FusedNetwork| {
            let losses = [(); 3].map(|()| network.step(batch.inputs(), 0.001, 0.1));
            let bits: Vec<u32> = network.weights().iter().map(|weight| weight.to_bits()).collect();
            (losses, bits, network.logits(batch.inputs()))
        };
        let expected = train(start.clone().on(InstructionSet::Portable).unwrap());
        assert!(expected.0[2] < expected.0[0], "it learns: {:?}", expected.0);
        for instructions in InstructionSet::ALL {
            let Some(network) = start.clone().on(instructions) else { continue };
            assert!(train(network) == expected, "{instructions:?}");
        }
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            assert!(pool.install(|| train(start.clone())) == expected, "{threads} threads");
        }
    }
}

#[test]
fn a_batch_of_another_size_leaves_nothing_behind() {
    let (shape, mut random) = (SHAPES[1], RandomStream::new(7));
    let batch = Batch::random(40, shape.dense(), &mut random);
    let large = Batch::random(5 * BLOCK, shape.dense(), &mut random);
    let mut used = fused(shape, &model(shape, 8));
    let mut fresh = used.clone();
    let _ = used.compute_gradient(large.inputs());
    assert_eq!(used.step(batch.inputs(), 0.01, 1.0), fresh.step(batch.inputs(), 0.01, 1.0));
    assert_eq!(used.weights(), fresh.weights());
    assert_eq!(used.tensors().map(<[f32]>::len).collect::<Vec<_>>()[0], SPARSE_ROWS * shape.hidden()[0]);
}

#[test]
fn a_loss_that_is_no_number_changes_nothing() {
    let (shape, mut random) = (SHAPES[0], RandomStream::new(9));
    let mut weights = model(shape, 10).parameters();
    weights[shape.places()[TENSORS - 2].start] = f32::NAN;
    let mut network = FusedNetwork::new(shape, weights, vec![0.0; 2 * shape.parameters()], 0);
    let batch = Batch::random(10, 0, &mut random);
    assert!(network.step(batch.inputs(), 0.01, 1.0).is_nan());
    assert_eq!(network.optimiser().1, 0);
    assert!(network.weights()[0].is_finite());
}
