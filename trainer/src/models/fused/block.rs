//! Forward and backward through the network for some samples, on one thread.
//!
//! Samples go through in chunks whose values stay in the first-level cache. Invariant: every sum
//! has one order, that of samples, inputs or lanes, so all instruction sets give the same bits.

use super::heads::{self, HeadInputs, HeadWork};
use super::layout::Shape;
use super::matrix::{
    LANES, Lanes, add, add_product, add_transposed_product, each, lanes, lanes_mut,
};
use crate::models::heads::{Losses, Outputs};
use engine::core::calibration::exponential;
use engine::learned::network::MAX_HIDDEN;

/// Samples that go through the layers together.
const CHUNK: usize = 64;

/// What the network learns from: one row number for each cell, dense inputs and a target a sample.
#[derive(Clone, Copy, Debug)]
pub struct Inputs<'a> {
    /// `[samples, active]`.
    pub rows: &'a [i32],
    /// `[samples, dense]`.
    pub dense: &'a [f32],
    /// Win probabilities, `[samples]`.
    pub targets: &'a [f32],
    /// What the heads learn.
    pub heads: HeadInputs<'a>,
}

impl<'a> Inputs<'a> {
    /// The samples in pieces of `size` and a shorter last one.
    pub(super) fn pieces(self, size: usize, shape: Shape) -> impl Iterator<Item = Self> + 'a {
        let (active, dense) = (shape.sparse().active, shape.dense());
        (0..self.targets.len().div_ceil(size)).map(move |number| {
            let range = number * size..((number + 1) * size).min(self.targets.len());
            Self {
                rows: &self.rows[range.start * active..range.end * active],
                dense: &self.dense[range.start * dense..range.end * dense],
                heads: self.heads.piece(&range),
                targets: &self.targets[range],
            }
        })
    }
}

/// The weights of a step, all threads'.
#[derive(Clone, Copy)]
pub(super) struct Weights<'a> {
    pub(super) shape: Shape,
    pub(super) all: &'a [f32],
    /// Those between each hidden layer and the next, transposed; only needed for gradients.
    pub(super) transposed: &'a [Vec<f32>],
}

/// What one thread needs for a block, and its results.
#[derive(Clone, Debug, Default)]
pub(super) struct Work {
    /// Of all weights, summed over the samples of the block.
    pub(super) gradient: Vec<f32>,
    /// Summed over the samples of the block.
    pub(super) loss: Losses,
    /// Of the last samples that went forward.
    pub(super) logits: Vec<f32>,
    /// What the heads said of them.
    pub(super) heads: HeadWork,
    /// Of each hidden layer, clipped.
    values: [Vec<f32>; MAX_HIDDEN],
    /// The derivatives of the loss by the sums of each hidden layer.
    slopes: [Vec<f32>; MAX_HIDDEN],
}

/// The gradient of `scale` times the loss of a block, and its loss, into `work`.
#[inline(always)]
pub(super) fn gradient<const ROWS: usize>(
    weights: Weights<'_>,
    inputs: Inputs<'_>,
    scale: f32,
    work: &mut Work,
) {
    let shape = weights.shape;
    work.gradient.clear();
    work.gradient.resize(shape.parameters(), 0.0);
    work.loss = Losses::default();
    for chunk in inputs.pieces(CHUNK, shape) {
        forward::<ROWS>(weights, chunk, work);
        work.loss.value += losses(&mut work.logits, chunk.targets, scale);
        heads::losses(&mut work.heads, chunk.heads, scale, &mut work.loss);
        backward::<ROWS>(weights, chunk, work);
    }
}

/// What the network says of samples, in their order, behind what `outputs` has.
#[inline(always)]
pub(super) fn outputs<const ROWS: usize>(
    weights: Weights<'_>,
    inputs: Inputs<'_>,
    work: &mut Work,
    outputs: &mut Outputs,
) {
    for chunk in inputs.pieces(CHUNK, weights.shape) {
        forward::<ROWS>(weights, chunk, work);
        outputs.logits.extend_from_slice(&work.logits);
        outputs.rolls.extend_from_slice(&work.heads.rolls);
        outputs.plies.extend_from_slice(&work.heads.plies);
    }
}

#[inline(always)]
fn forward<const ROWS: usize>(weights: Weights<'_>, inputs: Inputs<'_>, work: &mut Work) {
    let hidden = weights.shape.hidden();
    let tensors = weights.shape.split(weights.all);
    let samples = inputs.targets.len();
    let first_width = hidden[0] / LANES;
    resize(&mut work.values[0], samples * hidden[0]);
    let layer = lanes_mut(&mut work.values[0]);
    let (table, bias) = (lanes(tensors.sparse), lanes(tensors.first_bias));
    for (rows, sums) in inputs
        .rows
        .chunks_exact(weights.shape.sparse().active)
        .zip(layer.chunks_exact_mut(first_width))
    {
        for (column, sum) in sums.iter_mut().enumerate() {
            let mut total = bias[column];
            for &row in rows {
                add(&mut total, &table[row as usize * first_width + column]);
            }
            *sum = total;
        }
    }
    add_product::<ROWS>(
        inputs.dense,
        lanes(tensors.dense),
        layer,
        weights.shape.dense(),
        first_width,
    );
    clip(layer);
    for number in 1..hidden.len() {
        let (before, after) = work.values.split_at_mut(number);
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
        add_product::<ROWS>(
            &before[number - 1],
            lanes(tensors.weights),
            layer,
            inner,
            width,
        );
        clip(layer);
    }
    let last = hidden.len() - 1;
    work.logits.clear();
    for values in lanes(&work.values[last]).chunks_exact(hidden[last] / LANES) {
        work.logits
            .push(tensors.output_bias[0] + dot(values, lanes(tensors.output)));
    }
    heads::forward(
        &tensors,
        inputs.heads,
        lanes(&work.values[last]),
        hidden[last] / LANES,
        &mut work.heads,
    );
}

/// Σ values · weights, by lane and then over lanes.
#[inline(always)]
pub(super) fn dot(values: &[Lanes], weights: &[Lanes]) -> f32 {
    let mut sums = [0.0; LANES];
    for (values, weights) in values.iter().zip(weights) {
        for lane in 0..LANES {
            sums[lane] += values[lane] * weights[lane];
        }
    }
    sum_of(&sums)
}

/// Turns logits into `scale` times the derivative of the loss by them; the sum of the losses.
#[inline(always)]
fn losses(logits: &mut [f32], targets: &[f32], scale: f32) -> f64 {
    let mut loss = 0.0;
    // Σ ln(1 + e) is the logarithm of the product: at most 2^64, and one logarithm instead of 64.
    let mut product = 1.0f64;
    for (logit, &target) in logits.iter_mut().zip(targets) {
        let z = *logit;
        let small = exponential(-z.abs());
        loss += f64::from(z.max(0.0) - target * z);
        product *= 1.0 + f64::from(small);
        let value = (if z >= 0.0 { 1.0 } else { small }) / (1.0 + small);
        *logit = (value - target) * scale;
    }
    loss + product.ln()
}

/// Adds the gradient of the samples that went forward, whose `logits` have become derivatives.
#[inline(always)]
fn backward<const ROWS: usize>(weights: Weights<'_>, inputs: Inputs<'_>, work: &mut Work) {
    let hidden = weights.shape.hidden();
    let tensors = weights.shape.split(weights.all);
    let samples = inputs.targets.len();
    let mut gradient = weights.shape.split_mut(&mut work.gradient);

    let (last, last_width) = (hidden.len() - 1, hidden[hidden.len() - 1] / LANES);
    resize(&mut work.slopes[last], samples * hidden[last]);
    let (values, slopes) = (lanes(&work.values[last]), lanes_mut(&mut work.slopes[last]));
    for column in 0..last_width {
        let output = lanes(tensors.output)[column];
        let mut by_output = [0.0; LANES];
        for (sample, &derivative) in work.logits.iter().enumerate() {
            let value = &values[sample * last_width + column];
            slopes[sample * last_width + column] = each(|lane| derivative * output[lane]);
            add(&mut by_output, &each(|lane| derivative * value[lane]));
        }
        add(&mut lanes_mut(gradient.output)[column], &by_output);
    }
    for derivative in &work.logits {
        gradient.output_bias[0] += derivative;
    }
    heads::backward(
        &tensors,
        &mut gradient,
        &work.heads,
        inputs.heads,
        values,
        slopes,
        last_width,
    );

    for (number, gradient) in (1..hidden.len()).zip(gradient.hidden).rev() {
        let (before, after) = work.slopes.split_at_mut(number);
        let (width, inputs) = (hidden[number] / LANES, &work.values[number - 1]);
        let slopes = lanes_mut(&mut after[0]);
        close(
            lanes(&work.values[number]),
            slopes,
            lanes_mut(gradient.bias),
        );
        add_transposed_product::<ROWS>(inputs, slopes, lanes_mut(gradient.weights), width);
        resize(&mut before[number - 1], samples * hidden[number - 1]);
        before[number - 1].fill(0.0);
        let transposed = lanes(&weights.transposed[number - 1]);
        add_product::<ROWS>(
            &after[0],
            transposed,
            lanes_mut(&mut before[number - 1]),
            hidden[number],
            hidden[number - 1] / LANES,
        );
    }

    let first_width = hidden[0] / LANES;
    let (values, slopes) = (lanes(&work.values[0]), lanes_mut(&mut work.slopes[0]));
    let (bias, table) = (lanes_mut(gradient.first_bias), lanes_mut(gradient.sparse));
    let rows = inputs.rows.chunks_exact(weights.shape.sparse().active);
    for ((rows, values), slopes) in rows
        .zip(values.chunks_exact(first_width))
        .zip(slopes.chunks_exact_mut(first_width))
    {
        for ((slope, value), bias) in slopes.iter_mut().zip(values).zip(bias.iter_mut()) {
            *slope = each(|lane| if_open(value[lane], slope[lane]));
            add(bias, slope);
        }
        for &row in rows {
            for (weight, slope) in table[row as usize * first_width..][..first_width]
                .iter_mut()
                .zip(&*slopes)
            {
                add(weight, slope);
            }
        }
    }
    add_transposed_product::<ROWS>(inputs.dense, slopes, lanes_mut(gradient.dense), first_width);
}

/// Clears the slopes of sums that were clipped, given the clipped values, and adds what is left to
/// the bias' gradient.
#[inline(always)]
fn close(values: &[Lanes], slopes: &mut [Lanes], bias: &mut [Lanes]) {
    let width = bias.len();
    for (column, bias) in bias.iter_mut().enumerate() {
        let mut sum = [0.0; LANES];
        for (values, slopes) in values
            .chunks_exact(width)
            .zip(slopes.chunks_exact_mut(width))
        {
            let (value, slope) = (&values[column], &mut slopes[column]);
            *slope = each(|lane| if_open(value[lane], slope[lane]));
            add(&mut sum, slope);
        }
        add(bias, &sum);
    }
}

/// The slope of a sum whose clipped value is given: beyond the bounds nothing follows it.
#[inline(always)]
fn if_open(value: f32, slope: f32) -> f32 {
    // Lanes have no branches: the bits are kept or cleared.
    let keep = u32::from((value > 0.0) & (value < 1.0)).wrapping_neg();
    f32::from_bits(slope.to_bits() & keep)
}

#[inline(always)]
fn clip(layer: &mut [Lanes]) {
    for value in layer.as_flattened_mut() {
        // A value that is no number stays so, and is noticed in the loss.
        let low = if *value < 0.0 { 0.0 } else { *value };
        *value = if low > 1.0 { 1.0 } else { low };
    }
}

/// In pairs: 8 and 8, 4 and 4, and so on.
#[inline(always)]
fn sum_of(lanes: &Lanes) -> f32 {
    let mut sums = *lanes;
    for half in [8, 4, 2, 1] {
        for lane in 0..half {
            sums[lane] += sums[lane + half];
        }
    }
    sums[0]
}

#[inline(always)]
fn resize(values: &mut Vec<f32>, length: usize) {
    values.resize(length, 0.0);
}
