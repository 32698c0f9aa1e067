//! Adam with clipped gradients (Kingma and Ba 2015), equal in every bit for a tensor and its
//! chunks.

use super::simd_vector::{LANES, Lanes, Vector};

/// Decay of mean gradients and mean squares; `EPSILON` keeps divisors above 0.
const DECAY_RATES: [f32; 2] = [0.9, 0.999];
const EPSILON: f32 = 1e-8;

#[derive(Clone, Copy)]
pub(super) struct StepParams {
    learning_rate: f32,
    correction: f32,
    epsilon: f32,
}

impl StepParams {
    /// `step` counts from 1.
    pub(super) fn new(learning_rate: f64, step: u64) -> Self {
        let step = step.min(i32::MAX as u64) as i32;
        let root = (1.0 - DECAY_RATES[1].powi(step)).sqrt();
        Self {
            learning_rate: learning_rate as f32,
            correction: root / (1.0 - DECAY_RATES[0].powi(step)),
            epsilon: EPSILON * root,
        }
    }
}

/// Part of a tensor that begins at a multiple of [`LANES`].
pub(super) struct AdamChunk<'a> {
    pub(super) weights: &'a mut [f32],
    pub(super) gradient: &'a [f32],
    pub(super) means: &'a mut [f32],
    pub(super) squares: &'a mut [f32],
}

pub(super) fn clip_factor(norm: f32, max_norm: f32) -> f32 {
    (max_norm / (norm + f32::MIN_POSITIVE)).min(1.0)
}

#[inline(always)]
pub(super) fn step<V: Vector>(chunk: AdamChunk<'_>, params: StepParams, factor: f32) {
    let (weights, last_weights) = chunk.weights.as_chunks_mut();
    let (gradients, last_gradients) = chunk.gradient.as_chunks();
    let (means, last_means) = chunk.means.as_chunks_mut();
    let (squares, last_squares) = chunk.squares.as_chunks_mut();
    for at in 0..gradients.len() {
        let (weights, gradient) = (&mut weights[at], &gradients[at]);
        let (mean, square) = (&mut means[at], &mut squares[at]);
        step_lanes::<V>(weights, gradient, mean, square, params, factor);
    }
    let rest = [&*last_weights, last_gradients, last_means, last_squares];
    let [mut weights, gradients, mut means, mut squares] = rest.map(|rest| {
        let mut lanes = [0.0; LANES];
        lanes[..rest.len()].copy_from_slice(rest);
        lanes
    });
    step_lanes::<V>(
        &mut weights,
        &gradients,
        &mut means,
        &mut squares,
        params,
        factor,
    );
    let count = last_weights.len();
    last_weights.copy_from_slice(&weights[..count]);
    last_means.copy_from_slice(&means[..count]);
    last_squares.copy_from_slice(&squares[..count]);
}

#[inline(always)]
fn step_lanes<V: Vector>(
    weights: &mut Lanes,
    gradients: &Lanes,
    means: &mut Lanes,
    squares: &mut Lanes,
    params: StepParams,
    factor: f32,
) {
    let gradient = V::load(gradients).times(V::splat(factor));
    let mean = moving_average(V::load(means), gradient, DECAY_RATES[0]);
    let square = moving_average(V::load(squares), gradient.times(gradient), DECAY_RATES[1]);
    mean.store(means);
    square.store(squares);
    let change = mean
        .times(V::splat(params.correction))
        .divided_by(square.sqrt().plus(V::splat(params.epsilon)))
        .times(V::splat(params.learning_rate));
    V::load(weights).minus(change).store(weights);
}

#[inline(always)]
fn moving_average<V: Vector>(mean: V, number: V, decay: f32) -> V {
    mean.times(V::splat(decay))
        .plus(number.times(V::splat(1.0 - decay)))
}

#[inline(always)]
pub(super) fn norm(values: &[f32]) -> f32 {
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

#[inline(always)]
pub(super) fn add<V: Vector>(sum: &mut [f32], addend: &[f32]) {
    let ((sums, last_sums), (addends, last)) = (sum.as_chunks_mut(), addend.as_chunks());
    for at in 0..sums.len() {
        V::load(&addends[at]).add_to(&mut sums[at]);
    }
    for (sum, addend) in last_sums.iter_mut().zip(last) {
        *sum += addend;
    }
}
