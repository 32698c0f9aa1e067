//! Compares weight updates with their definitions.

use super::*;
use crate::batch::TupleBatch;
use alea_core::random::RandomStream;

const ROWS: usize = 44;
const TUPLES: usize = 11;

fn random_batch(samples: usize, seed: u64) -> TupleBatch {
    let mut random = RandomStream::new(seed);
    let rows = (0..samples * TUPLES)
        .map(|index| (index % TUPLES * 4 + random.below(4)) as u32)
        .collect();
    TupleBatch {
        rows,
        targets: (0..samples).map(|_| random.uniform_f64() as f32).collect(),
        weights: (0..samples).map(|_| random.uniform_f64() as f32).collect(),
    }
}

fn random_weights(seed: u64) -> (Vec<f32>, f32) {
    let mut random = RandomStream::new(seed);
    (
        (0..ROWS)
            .map(|_| random.uniform_f64() as f32 - 0.5)
            .collect(),
        random.uniform_f64() as f32,
    )
}

#[test]
#[cfg(feature = "flex")]
fn an_update_of_one_sample_is_a_step_along_the_gradient_of_burn() {
    use crate::models::burn_operations::{cross_entropy, embedding_bag};
    use burn::tensor::{Device, Int, Tensor, TensorData};
    let device = Device::flex().autodiff();
    let rate = 0.25;
    for seed in 0..10 {
        let (weights, bias) = random_weights(seed);
        let batch = random_batch(1, 100 + seed);
        let table: Tensor<2> =
            Tensor::from_data(TensorData::new(weights.clone(), [ROWS, 1]), &device).require_grad();
        let bias_tensor: Tensor<2> = Tensor::from_data([[bias]], &device).require_grad();
        let rows: Vec<i32> = batch.rows.iter().map(|&row| row as i32).collect();
        let rows: Tensor<2, Int> = Tensor::from_data(TensorData::new(rows, [1, TUPLES]), &device);
        let targets: Tensor<2> = Tensor::from_data([[batch.targets[0]]], &device);
        let weights_of: Tensor<2> = Tensor::from_data([[batch.weights[0]]], &device);
        let logits = embedding_bag(table.clone(), rows) + bias_tensor.clone();
        let loss = cross_entropy(logits, [targets, weights_of]);
        let expected_loss: f32 = loss.clone().into_scalar();
        let gradients = loss.backward();
        let expected: Vec<f32> = table
            .grad(&gradients)
            .unwrap()
            .into_data()
            .try_to_vec()
            .unwrap();
        let expected_bias: f32 = bias_tensor.grad(&gradients).unwrap().into_scalar();

        let mut table = interleave::<1>(&weights, bias, &[]);
        let found_loss = update(
            &mut table,
            &batch.rows,
            &batch.targets,
            &batch.weights,
            rate,
            sgd,
        );
        assert!((found_loss - f64::from(expected_loss)).abs() < 1e-6);
        for (row, gradient) in expected.iter().enumerate() {
            assert!(
                (table[row][0] - (weights[row] - rate * gradient)).abs() < 1e-6,
                "row {row}"
            );
        }
        assert!((table[ROWS][0] - (bias - rate * expected_bias)).abs() < 1e-6);
    }
}

#[test]
fn adagrad_and_temporal_coherence_follow_their_formulas() {
    let cell = adagrad([1.0, 0.0], 0.5, 2.0);
    assert_eq!(cell, [-1.0, 0.25]);
    let cell = adagrad(cell, -0.25, 2.0);
    assert!(
        (cell[0] - (-1.0 + 0.5 / 0.3125f32.sqrt())).abs() < 1e-6 && cell[1] == 0.3125,
        "{cell:?}"
    );

    let cell = temporal_coherence([1.0, 0.0, 0.0], 0.5, 2.0);
    assert_eq!(cell, [0.0, 0.5, 0.5]);
    let cell = temporal_coherence(cell, -0.25, 2.0);
    assert_eq!(cell, [0.5, 0.25, 0.75]);
    let cell = temporal_coherence(cell, 0.75, 2.0);
    assert_eq!(cell, [0.0, 1.0, 1.5]);
}

fn plain_updates<const WIDTH: usize>(
    table: &mut [[f32; WIDTH]],
    batch: &TupleBatch,
    rate: f32,
    rule: impl Fn([f32; WIDTH], f32, f32) -> [f32; WIDTH],
) -> f64 {
    let mut loss = 0.0;
    let counts = batch.targets.iter().zip(&batch.weights);
    for (rows, (&target, &weight)) in batch.rows.chunks_exact(TUPLES).zip(counts) {
        let logit: f64 = table[ROWS][0] as f64
            + rows
                .iter()
                .map(|&row| f64::from(table[row as usize][0]))
                .sum::<f64>();
        let value = 1.0 / (1.0 + (-logit).exp());
        let nats = f64::from(target) * value.ln() + f64::from(1.0 - target) * (1.0 - value).ln();
        loss -= f64::from(weight) * nats;
        for row in rows.iter().map(|&row| row as usize).chain([ROWS]) {
            table[row] = rule(table[row], weight * (value as f32 - target), rate);
        }
    }
    loss
}

#[test]
fn vectorized_updates_equal_sequential_ones() {
    fn check<const WIDTH: usize>(
        start: f32,
        rule: impl Fn([f32; WIDTH], f32, f32) -> [f32; WIDTH] + Copy,
    ) {
        let (weights, bias) = random_weights(4);
        let mut batch = random_batch(1000, 5);
        let weights_of = batch.weights.iter_mut().step_by(2);
        weights_of.for_each(|weight| *weight = 1.0);
        let table = interleave::<WIDTH>(&weights, bias, &vec![start; (ROWS + 1) * (WIDTH - 1)]);
        let (mut found, mut expected) = (table.clone(), table);
        let found_loss = update(
            &mut found,
            &batch.rows,
            &batch.targets,
            &batch.weights,
            0.01,
            rule,
        );
        let expected_loss = plain_updates(&mut expected, &batch, 0.01, rule);
        assert!(
            (found_loss - expected_loss).abs() < 1e-3,
            "{found_loss} {expected_loss}"
        );
        for (found, expected) in found.as_flattened().iter().zip(expected.as_flattened()) {
            assert!(
                (found - expected).abs() < 1e-4 * expected.abs().max(1.0),
                "{found} {expected}"
            );
        }
    }
    check(0.0, sgd);
    check(0.1, adagrad);
    check(0.0, temporal_coherence);
}

#[test]
fn interleaving_is_reversible() {
    let (weights, bias) = random_weights(3);
    let memory: Vec<f32> = (0..2 * (ROWS + 1)).map(|number| number as f32).collect();
    let table = interleave::<3>(&weights, bias, &memory);
    assert_eq!(table[ROWS], [bias, 88.0, 89.0]);
    assert_eq!(deinterleave(&table), (weights, bias, memory));
}
