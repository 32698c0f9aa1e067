//! Forward and backward pass for a block of samples on one thread, in chunks that stay in the
//! first-level cache. Sums have a fixed order, so all instruction sets give the same bits.

use super::{
    fake_quantization::{activate_first, activate_last_hidden, activate_middle},
    layout::Shape,
    matrix::{add_product, add_transposed_product, lanes, lanes_mut},
    simd_vector::{LANES, Lanes, Vector},
};
use alea_core::calibration::exponential;
use alea_learned::network::MAX_HIDDEN;
use std::ops::Range;

const MAX_CHUNK_SAMPLES: usize = 64;

/// Inputs and targets of samples.
#[derive(Clone, Copy, Debug)]
pub struct BatchView<'a> {
    /// Active first-layer rows, `[samples, active]`.
    pub rows: &'a [u16],
    /// Output bucket of each sample, fastest if sorted; empty if there is one bucket.
    pub buckets: &'a [u8],
    /// Target win probabilities.
    pub targets: &'a [f32],
    /// Loss weights; empty if all are 1.
    pub weights: &'a [f32],
}

fn range_or_empty<'a, T>(all: &'a [T], range: &Range<usize>) -> &'a [T] {
    all.get(range.clone()).unwrap_or_default()
}

impl<'a> BatchView<'a> {
    pub(super) fn split_blocks(self, size: usize, shape: Shape) -> impl Iterator<Item = Self> + 'a {
        self.split_by(shape, move |rest| rest.targets.len().min(size))
    }

    /// Chunks of one bucket each.
    fn chunks(self, shape: Shape) -> impl Iterator<Item = Self> + 'a {
        self.split_by(shape, |rest| {
            let max_samples = rest.targets.len().min(MAX_CHUNK_SAMPLES);
            let first = rest.buckets.first();
            let others = rest.buckets.iter().take(max_samples);
            let same = others.take_while(|bucket| Some(*bucket) == first).count();
            if first.is_some() { same } else { max_samples }
        })
    }

    fn split_by(
        self,
        shape: Shape,
        length: impl Fn(&Self) -> usize + 'a,
    ) -> impl Iterator<Item = Self> + 'a {
        let active = shape.sparse().active;
        let mut rest = self;
        std::iter::from_fn(move || {
            let count = length(&rest);
            let all = rest.targets.len();
            let part = |range: Range<usize>| Self {
                rows: &rest.rows[range.start * active..range.end * active],
                buckets: range_or_empty(rest.buckets, &range),
                weights: range_or_empty(rest.weights, &range),
                targets: &rest.targets[range],
            };
            let piece = part(0..count);
            rest = part(count..all);
            (count > 0).then_some(piece)
        })
    }

    fn bucket(&self) -> usize {
        self.buckets.first().map_or(0, |&bucket| bucket.into())
    }
}

#[derive(Clone, Copy)]
pub(super) struct Weights<'a> {
    pub(super) shape: Shape,
    pub(super) all: &'a [f32],
    /// Transposed weights between hidden layers; unused for predictions.
    pub(super) transposed: &'a [Vec<f32>],
}

#[derive(Clone, Debug, Default)]
pub(super) struct Workspace {
    /// Gradient of all weights, summed over the block.
    pub(super) gradient: Vec<f32>,
    /// Loss in nats, summed over the block.
    pub(super) loss: f64,
    /// Logits of the last chunk, then their derivatives.
    pub(super) logits: Vec<f32>,
    /// Activations of hidden layers for the current chunk.
    values: [Vec<f32>; MAX_HIDDEN],
    /// Derivatives of the loss by hidden sums before activation.
    slopes: [Vec<f32>; MAX_HIDDEN],
}

/// Computes the losses and `scale` times the gradient of a block.
#[inline(always)]
pub(super) fn gradient<V: Vector, const ROWS: usize>(
    weights: Weights<'_>,
    inputs: BatchView<'_>,
    scale: f32,
    workspace: &mut Workspace,
) {
    let shape = weights.shape;
    workspace.gradient.clear();
    workspace.gradient.resize(shape.parameters(), 0.0);
    workspace.loss = 0.0;
    for chunk in inputs.chunks(shape) {
        forward::<V, ROWS>(weights, chunk, workspace);
        workspace.loss += weighted_losses(&mut workspace.logits, chunk, scale);
        backward::<V, ROWS>(weights, chunk, workspace);
    }
}

#[inline(always)]
pub(super) fn predict_logits<V: Vector, const ROWS: usize>(
    weights: Weights<'_>,
    inputs: BatchView<'_>,
    workspace: &mut Workspace,
    logits: &mut Vec<f32>,
) {
    for chunk in inputs.chunks(weights.shape) {
        forward::<V, ROWS>(weights, chunk, workspace);
        logits.extend_from_slice(&workspace.logits);
    }
}

#[inline(always)]
fn forward<V: Vector, const ROWS: usize>(
    weights: Weights<'_>,
    inputs: BatchView<'_>,
    workspace: &mut Workspace,
) {
    let hidden = weights.shape.hidden();
    let bucket = inputs.bucket();
    let tensors = weights.shape.split(weights.all, Some(bucket));
    let samples = inputs.targets.len();
    let (active, first_width) = (weights.shape.sparse().active, hidden[0] / LANES);
    resize(&mut workspace.values[0], samples * hidden[0]);
    let layer = lanes_mut(&mut workspace.values[0]);
    let (table, bias) = (lanes(tensors.sparse), lanes(tensors.first_bias));
    for sample in 0..samples {
        let rows = &inputs.rows[sample * active..][..active];
        let sums = &mut layer[sample * first_width..][..first_width];
        sums.copy_from_slice(bias);
        let (fours, rest) = sums.as_chunks_mut::<4>();
        for (four, sums) in fours.iter_mut().enumerate() {
            sum_rows::<V, 4>(table, rows, first_width, 4 * four, sums);
        }
        let done = 4 * fours.len();
        for (column, sum) in rest.as_chunks_mut().0.iter_mut().enumerate() {
            sum_rows::<V, 1>(table, rows, first_width, done + column, sum);
        }
    }
    activate_first::<V>(layer);
    for number in 1..hidden.len() {
        let (before, after) = workspace.values.split_at_mut(number);
        let (inner, width, tensors) = (
            hidden[number - 1],
            hidden[number] / LANES,
            tensors.hidden[number - 1],
        );
        resize(&mut after[0], samples * hidden[number]);
        let layer = lanes_mut(&mut after[0]);
        for sums in layer.chunks_exact_mut(width) {
            sums.copy_from_slice(lanes(tensors.bias));
        }
        add_product::<V, ROWS>(
            &before[number - 1],
            lanes(tensors.weights),
            layer,
            inner,
            width,
        );
        // Clipping keeps NaN, which so reaches the loss.
        match number + 1 == hidden.len() {
            true => activate_last_hidden::<V>(layer),
            false => activate_middle::<V>(layer),
        }
    }
    let last = hidden.len() - 1;
    workspace.logits.clear();
    for values in lanes(&workspace.values[last]).chunks_exact(hidden[last] / LANES) {
        workspace
            .logits
            .push(tensors.output_bias[0] + dot::<V>(values, lanes(tensors.output)));
    }
}

#[inline(always)]
fn dot<V: Vector>(values: &[Lanes], weights: &[Lanes]) -> f32 {
    let mut sums = V::splat(0.0);
    let weights = &weights[..values.len()];
    for at in 0..values.len() {
        sums = sums.plus(V::load(&values[at]).times(V::load(&weights[at])));
    }
    sums.sum()
}

#[inline(always)]
fn weighted_losses(logits: &mut [f32], chunk: BatchView<'_>, scale: f32) -> f64 {
    if chunk.weights.is_empty() {
        return loss_and_gradients(logits, chunk.targets, scale);
    }
    let samples = logits.chunks_mut(1).zip(chunk.targets.chunks(1));
    let loss = |((logit, target), &weight)| {
        f64::from(weight) * loss_and_gradients(logit, target, scale * weight)
    };
    samples.zip(chunk.weights).map(loss).sum()
}

/// Replaces logits by `scale` times the derivative of their losses; returns the losses' sum.
#[inline(always)]
fn loss_and_gradients(logits: &mut [f32], targets: &[f32], scale: f32) -> f64 {
    let mut loss = 0.0;
    // Σ ln(1 + eˣ) by one logarithm of a product, at most 2^64.
    let mut product = 1.0f64;
    for at in 0..targets.len() {
        let (z, target) = (logits[at], targets[at]);
        let small = exponential(-z.abs());
        loss += f64::from(z.max(0.0) - target * z);
        product *= 1.0 + f64::from(small);
        let value = (if z >= 0.0 { 1.0 } else { small }) / (1.0 + small);
        logits[at] = (value - target) * scale;
    }
    loss + product.ln()
}

/// Adds a chunk's gradient, from the derivatives in `workspace.logits`.
#[inline(always)]
fn backward<V: Vector, const ROWS: usize>(
    weights: Weights<'_>,
    inputs: BatchView<'_>,
    workspace: &mut Workspace,
) {
    let hidden = weights.shape.hidden();
    let bucket = inputs.bucket();
    let tensors = weights.shape.split(weights.all, Some(bucket));
    let samples = inputs.targets.len();
    let gradient = weights
        .shape
        .split_mut(&mut workspace.gradient, Some(bucket));

    let (last, last_width) = (hidden.len() - 1, hidden[hidden.len() - 1] / LANES);
    resize(&mut workspace.slopes[last], samples * hidden[last]);
    let (values, slopes) = (
        lanes(&workspace.values[last]),
        lanes_mut(&mut workspace.slopes[last]),
    );
    for column in 0..last_width {
        let output = V::load(&lanes(tensors.output)[column]);
        let mut by_output = V::splat(0.0);
        for sample in 0..samples {
            let (derivative, at) = (
                V::splat(workspace.logits[sample]),
                sample * last_width + column,
            );
            derivative.times(output).store(&mut slopes[at]);
            by_output = by_output.plus(derivative.times(V::load(&values[at])));
        }
        by_output.add_to(&mut lanes_mut(gradient.output)[column]);
    }
    for derivative in &workspace.logits {
        gradient.output_bias[0] += derivative;
    }

    for (number, gradient) in (1..hidden.len()).zip(gradient.hidden).rev() {
        let (before, after) = workspace.slopes.split_at_mut(number);
        let (width, inputs) = (hidden[number] / LANES, &workspace.values[number - 1]);
        let slopes = lanes_mut(&mut after[0]);
        clear_clipped::<V>(
            lanes(&workspace.values[number]),
            slopes,
            lanes_mut(gradient.bias),
        );
        add_transposed_product::<V, ROWS>(inputs, slopes, lanes_mut(gradient.weights), width);
        resize(&mut before[number - 1], samples * hidden[number - 1]);
        before[number - 1].fill(0.0);
        let matrix = hidden[number - 1] * hidden[number];
        let transposed = lanes(&weights.transposed[number - 1][bucket * matrix..][..matrix]);
        add_product::<V, ROWS>(
            &after[0],
            transposed,
            lanes_mut(&mut before[number - 1]),
            hidden[number],
            hidden[number - 1] / LANES,
        );
    }

    let (active, first_width) = (weights.shape.sparse().active, hidden[0] / LANES);
    let (values, slopes) = (
        lanes(&workspace.values[0]),
        lanes_mut(&mut workspace.slopes[0]),
    );
    let (bias, table) = (lanes_mut(gradient.first_bias), lanes_mut(gradient.sparse));
    for sample in 0..samples {
        let rows = &inputs.rows[sample * active..][..active];
        let values = &values[sample * first_width..][..first_width];
        let slopes = &mut slopes[sample * first_width..][..first_width];
        for column in 0..first_width {
            let unclipped = V::load(&slopes[column]).zero_where_clipped(V::load(&values[column]));
            unclipped.store(&mut slopes[column]);
            unclipped.add_to(&mut bias[column]);
        }
        let (fours, rest) = slopes.as_chunks::<4>();
        for (four, slopes) in fours.iter().enumerate() {
            add_to_rows::<V, 4>(slopes, rows, first_width, 4 * four, table);
        }
        let done = 4 * fours.len();
        for (column, slope) in rest.as_chunks().0.iter().enumerate() {
            add_to_rows::<V, 1>(slope, rows, first_width, done + column, table);
        }
    }
}

/// Adds `COLUMNS` vectors of first-layer rows to `sums`.
#[inline(always)]
fn sum_rows<V: Vector, const COLUMNS: usize>(
    table: &[Lanes],
    rows: &[u16],
    width: usize,
    first: usize,
    sums: &mut [Lanes; COLUMNS],
) {
    let mut totals = [V::splat(0.0); COLUMNS];
    for column in 0..COLUMNS {
        totals[column] = V::load(&sums[column]);
    }
    for &row in rows {
        let weights = &table[usize::from(row) * width + first..][..COLUMNS];
        for column in 0..COLUMNS {
            totals[column] = totals[column].plus(V::load(&weights[column]));
        }
    }
    for column in 0..COLUMNS {
        totals[column].store(&mut sums[column]);
    }
}

/// Adds `COLUMNS` vectors of derivatives to the gradients of first-layer rows.
#[inline(always)]
fn add_to_rows<V: Vector, const COLUMNS: usize>(
    slopes: &[Lanes; COLUMNS],
    rows: &[u16],
    width: usize,
    first: usize,
    table: &mut [Lanes],
) {
    let mut loaded_slopes = [V::splat(0.0); COLUMNS];
    for column in 0..COLUMNS {
        loaded_slopes[column] = V::load(&slopes[column]);
    }
    for &row in rows {
        let sums = &mut table[usize::from(row) * width + first..][..COLUMNS];
        for column in 0..COLUMNS {
            loaded_slopes[column].add_to(&mut sums[column]);
        }
    }
}

/// Sets derivatives of clipped activations to 0; adds the others to the bias's gradient.
#[inline(always)]
fn clear_clipped<V: Vector>(values: &[Lanes], slopes: &mut [Lanes], bias: &mut [Lanes]) {
    let width = bias.len();
    for (column, bias) in bias.iter_mut().enumerate() {
        let mut sum = V::splat(0.0);
        for sample in 0..slopes.len() / width {
            let at = sample * width + column;
            let unclipped = V::load(&slopes[at]).zero_where_clipped(V::load(&values[at]));
            unclipped.store(&mut slopes[at]);
            sum = sum.plus(unclipped);
        }
        sum.add_to(bias);
    }
}

#[inline(always)]
fn resize(values: &mut Vec<f32>, length: usize) {
    values.resize(length, 0.0);
}
