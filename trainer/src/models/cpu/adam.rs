//! Adam (Kingma and Ba 2015) with clipped gradients.

use super::simd_vector::{LANES, Lanes, Vector};

/// Decay of Adam's mean gradient and mean squared gradient per step.
const DECAY_RATES: [f32; 2] = [0.9, 0.999];
const EPSILON: f32 = 1e-8;

#[derive(Clone, Copy)]
pub(super) struct StepParams {
    learning_rate: f32,
    correction: f32,
    epsilon: f32,
}

impl StepParams {
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

pub(super) struct AdamChunk<'a> {
    pub(super) weights: &'a mut [f32],
    pub(super) means: &'a mut [f32],
    pub(super) squares: &'a mut [f32],
    pub(super) gradient: TensorGradient<'a>,
    pub(super) first_row: usize,
}

/// Gradient of a tensor, stored by columns of vectors; zeros fill the last vector.
#[derive(Clone, Copy)]
pub(super) struct TensorGradient<'a> {
    lanes: &'a [Lanes],
    rows: usize,
    columns: usize,
}

impl<'a> TensorGradient<'a> {
    pub(super) fn new(lanes: &'a [Lanes], columns: usize) -> Self {
        let rows = lanes.len() / columns;
        Self {
            lanes,
            rows,
            columns,
        }
    }

    #[inline(always)]
    fn at(self, row: usize, column: usize) -> &'a Lanes {
        &self.lanes[column * self.rows + row]
    }
}

pub(super) fn clip_factor(norm: f32, max_norm: f32) -> f32 {
    (max_norm / (norm + f32::MIN_POSITIVE)).min(1.0)
}

#[inline(always)]
pub(super) fn step<V: Vector>(chunk: AdamChunk<'_>, params: StepParams, factor: f32) {
    let (weights, last_weights) = chunk.weights.as_chunks_mut();
    let (means, last_means) = chunk.means.as_chunks_mut();
    let (squares, last_squares) = chunk.squares.as_chunks_mut();
    let (gradient, columns) = (chunk.gradient, chunk.gradient.columns);
    for row in 0..weights.len() / columns {
        for column in 0..columns {
            let at = row * columns + column;
            step_lanes::<V>(
                &mut weights[at],
                gradient.at(chunk.first_row + row, column),
                &mut means[at],
                &mut squares[at],
                params,
                factor,
            );
        }
    }
    if last_weights.is_empty() {
        return;
    }
    let rest = [&*last_weights, last_means, last_squares];
    let [mut last, mut mean, mut square] = rest.map(|rest| {
        let mut lanes = [0.0; LANES];
        lanes[..rest.len()].copy_from_slice(rest);
        lanes
    });
    let gradient = gradient.at(chunk.first_row + weights.len(), 0);
    step_lanes::<V>(&mut last, gradient, &mut mean, &mut square, params, factor);
    let count = last_weights.len();
    last_weights.copy_from_slice(&last[..count]);
    last_means.copy_from_slice(&mean[..count]);
    last_squares.copy_from_slice(&square[..count]);
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
pub(super) fn norm(gradient: TensorGradient<'_>) -> f32 {
    let mut sums = [0.0f64; LANES];
    for row in 0..gradient.rows {
        for column in 0..gradient.columns {
            let chunk = gradient.at(row, column);
            for lane in 0..LANES {
                sums[lane] += f64::from(chunk[lane]) * f64::from(chunk[lane]);
            }
        }
    }
    sums.iter().sum::<f64>().sqrt() as f32
}
