//! Compares CPU training with burn.

use super::*;
use crate::models::{
    burn_network::NetworkModel,
    burn_operations::{batch_tensors, mean_loss, tensor_values},
};
use ::burn::{
    grad_clipping::GradientClippingConfig,
    optim::{AdamConfig, GradientsParams},
    tensor::{Device, Tensor},
};

fn model(shape: Shape, seed: u64) -> NetworkModel {
    let weights = network(shape, seed).weights;
    NetworkModel::from_weights(shape, &weights, &Device::flex().autodiff())
}

fn burn_logits_and_loss(
    shape: Shape,
    model: &NetworkModel,
    batch: &NetworkBatch,
) -> (Vec<f32>, Tensor<1>) {
    let device = Device::flex().autodiff();
    let (rows, buckets, targets) = batch_tensors(batch, shape.buckets(), &device);
    let logits = model.logits(rows, buckets);
    (
        tensor_values(logits.clone()).unwrap(),
        mean_loss(logits, targets, shape.results()),
    )
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

            let mut network = network(shape, 2);
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
            assert_close(&gradient(&network), &expected, largest);
            let unused = 5 * shape.hidden()[0]..STONE_SQUARES * shape.hidden()[0];
            assert!(gradient(&network)[unused].iter().all(|value| *value == 0.0));
        }
    }
}

#[test]
fn steps_are_those_of_burns_adam_with_clipped_gradients() {
    let mut random = RandomStream::new(3);
    for shape in *SHAPES {
        for max_norm in [1e-3, 1e3] {
            let mut model = model(shape, 4);
            let mut network = network(shape, 4);
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
                network.adam_step(batch.inputs(), rate, max_norm);
                // Where the true gradient is 0, rounding errors determine Adam's first steps.
                let (found, expected) = (network.weights(), model.weights());
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
                    // In deeper networks, rounding may clip a sum in one implementation alone:
                    // start each step anew.
                    let (moments, steps) = network.optimizer_state();
                    network = CpuNetwork::new(shape, expected, moments.to_vec(), steps);
                }
            }
        }
    }
}
