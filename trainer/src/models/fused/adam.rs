//! Adam on all weights of a step, with the gradient of each tensor shortened before (Kingma and Ba
//! 2015).
//!
//! Weights that no sample of the batch used have a gradient of 0, and their moments decay and move
//! them at every step as Adam defines it: nothing is put off. That is some per cent of a step at
//! the usual batch size.

use super::matrix::LANES;

/// Decay of the mean of gradients and of the mean of their squares, and what keeps divisors from 0.
const BETA: [f32; 2] = [0.9, 0.999];
const EPSILON: f32 = 1e-8;

/// What is the same for all weights of a step.
#[derive(Clone, Copy)]
pub(super) struct Rates {
    learning_rate: f32,
    /// Makes up for moments that start at 0.
    correction: f32,
    epsilon: f32,
}

impl Rates {
    /// Those of step number `step`, from 1.
    pub(super) fn new(learning_rate: f64, step: u64) -> Self {
        let step = step.min(i32::MAX as u64) as i32;
        let root = (1.0 - BETA[1].powi(step)).sqrt();
        Self {
            learning_rate: learning_rate as f32,
            correction: root / (1.0 - BETA[0].powi(step)),
            epsilon: EPSILON * root,
        }
    }
}

/// One tensor, its gradient, and its moments.
pub(super) struct Tensor<'a> {
    pub(super) weights: &'a mut [f32],
    pub(super) gradient: &'a [f32],
    pub(super) means: &'a mut [f32],
    pub(super) squares: &'a mut [f32],
}

/// Shortens the gradient to the Euclidean norm `longest`, and steps.
#[inline(always)]
pub(super) fn step(tensor: Tensor<'_>, rates: Rates, longest: f32) {
    let factor = (longest / (norm(tensor.gradient) + f32::MIN_POSITIVE)).min(1.0);
    let moments = tensor.means.iter_mut().zip(tensor.squares);
    for ((weight, &gradient), (mean, square)) in
        tensor.weights.iter_mut().zip(tensor.gradient).zip(moments)
    {
        let gradient = gradient * factor;
        *mean = *mean * BETA[0] + gradient * (1.0 - BETA[0]);
        *square = *square * BETA[1] + gradient * gradient * (1.0 - BETA[1]);
        *weight -= *mean * rates.correction / (square.sqrt() + rates.epsilon) * rates.learning_rate;
    }
}

/// The Euclidean norm, from partial sums by lane.
#[inline(always)]
fn norm(values: &[f32]) -> f32 {
    let mut sums = [0.0f64; LANES];
    let (chunks, rest) = values.as_chunks::<LANES>();
    for chunk in chunks {
        for lane in 0..LANES {
            sums[lane] += f64::from(chunk[lane]) * f64::from(chunk[lane]);
        }
    }
    for (sum, value) in sums.iter_mut().zip(rest) {
        *sum += f64::from(*value) * f64::from(*value);
    }
    sums.iter().sum::<f64>().sqrt() as f32
}

/// `sum += addend`.
#[inline(always)]
pub(super) fn add(sum: &mut [f32], addend: &[f32]) {
    for (sum, addend) in sum.iter_mut().zip(addend) {
        *sum += addend;
    }
}
