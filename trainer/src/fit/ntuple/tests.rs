//! The online updates against their definitions.

use super::*;
use burn::tensor::TensorData;
use engine::random::RandomStream;

const ROWS: usize = 20;
const TUPLES: usize = 3;

fn random_batch(samples: usize, seed: u64) -> TupleBatch {
    let mut random = RandomStream::new(seed);
    let rows = (0..samples * TUPLES).map(|_| random.below(ROWS) as u32).collect();
    TupleBatch { rows, targets: (0..samples).map(|_| random.unit() as f32).collect() }
}

fn random_weights(seed: u64) -> (Vec<f32>, f32) {
    let mut random = RandomStream::new(seed);
    ((0..ROWS).map(|_| random.unit() as f32 - 0.5).collect(), random.unit() as f32)
}

#[test]
fn an_update_of_one_sample_is_a_step_along_the_gradient_of_burn() {
    let device = Device::flex().autodiff();
    let rate = 0.25;
    for seed in 0..10 {
        let (weights, bias) = random_weights(seed);
        let batch = random_batch(1, 100 + seed);
        let table: Tensor<2> = Tensor::from_data(TensorData::new(weights.clone(), [ROWS, 1]), &device).require_grad();
        let bias_tensor: Tensor<2> = Tensor::from_data([[bias]], &device).require_grad();
        let (rows, targets) = tensors(&batch, TUPLES, &device);
        let loss = cross_entropy(crate::models::bag::bag(table.clone(), rows) + bias_tensor.clone(), targets);
        let expected_loss: f32 = loss.clone().into_scalar();
        let gradients = loss.backward();
        let expected: Vec<f32> = table.grad(&gradients).unwrap().into_data().try_to_vec().unwrap();
        let expected_bias: f32 = bias_tensor.grad(&gradients).unwrap().into_scalar();

        let mut cells = interleave::<1>(&weights, bias, &[]);
        let found_loss = update(&mut cells, &batch, TUPLES, rate, &sgd);
        assert!((found_loss - f64::from(expected_loss)).abs() < 1e-6);
        for (row, gradient) in expected.iter().enumerate() {
            assert!((cells[row][0] - (weights[row] - rate * gradient)).abs() < 1e-6, "row {row}");
        }
        assert!((cells[ROWS][0] - (bias - rate * expected_bias)).abs() < 1e-6);
    }
}

#[test]
fn adagrad_and_temporal_coherence_follow_their_formulas() {
    // Errors 0.5, then -0.25, worked out by hand with rate 2.
    let mut cell = [1.0, 0.0];
    adagrad(&mut cell, 0.5, 2.0);
    assert_eq!(cell, [-1.0, 0.25]);
    adagrad(&mut cell, -0.25, 2.0);
    assert!((cell[0] - (-1.0 + 0.5 / 0.3125f32.sqrt())).abs() < 1e-6 && cell[1] == 0.3125, "{cell:?}");

    let mut cell = [1.0, 0.0, 0.0];
    temporal_coherence(&mut cell, 0.5, 2.0);
    assert_eq!(cell, [0.0, 0.5, 0.5]);
    temporal_coherence(&mut cell, -0.25, 2.0);
    assert_eq!(cell, [0.5, 0.25, 0.75]);
    temporal_coherence(&mut cell, 0.75, 2.0);
    // Coherence 1/3.
    assert_eq!(cell, [0.0, 1.0, 1.5]);
}

#[test]
fn cells_come_apart_as_they_were_put_together() {
    let (weights, bias) = random_weights(3);
    let memory: Vec<f32> = (0..2 * (ROWS + 1)).map(|number| number as f32).collect();
    let cells = interleave::<3>(&weights, bias, &memory);
    assert_eq!(cells[ROWS], [bias, 40.0, 41.0]);
    let (mut found, mut found_bias, mut found_memory) = (vec![0.0; ROWS], 0.0, vec![0.0; memory.len()]);
    separate(&cells, &mut found, &mut found_bias, &mut found_memory);
    assert_eq!((found, found_bias, found_memory), (weights, bias, memory));
}
