//! Forward and backward pass over a block of samples. Every sum has a fixed order, so all
//! instruction sets give the same bits.

use super::{
    fake_quantization::Activation,
    layout::Shape,
    matrix::{AlignedBuffer, Finish, add_transposed_product, lanes, lanes_mut, set_product},
    simd_vector::{LANES, Lanes, Vector},
};
use crate::models::result_loss::result_loss;
use alea_core::calibration::exponential;
use alea_learned::network::{MAX_HIDDEN, ResultPayoffs};
use std::ops::Range;

const MAX_CHUNK_SAMPLES: usize = 64;

/// Number of 16-column vectors of the first layer summed in one loop over the samples.
const STRIPE: usize = 4;

/// Borrowed inputs and targets of a batch of samples.
#[derive(Clone, Copy, Debug)]
pub struct BatchView<'a> {
    /// Indices of the active first-layer rows, `[samples, active]`.
    pub rows: &'a [u16],
    /// Output bucket of each sample, fastest if sorted; empty if the network has one bucket.
    pub buckets: &'a [u8],
    /// Target value of each sample, for its side to move.
    pub targets: &'a [f32],
    /// Target probability of each result, `[samples, outputs]`; the loss weight of a sample's value
    /// is 1 minus their sum. Empty if the network has one output.
    pub results: &'a [f32],
    /// Loss weight of each sample; empty if all are 1.
    pub weights: &'a [f32],
}

fn range_or_empty<'a, T>(all: &'a [T], range: &Range<usize>) -> &'a [T] {
    all.get(range.clone()).unwrap_or_default()
}

impl<'a> BatchView<'a> {
    pub(super) fn split_blocks(self, size: usize, shape: Shape) -> impl Iterator<Item = Self> + 'a {
        self.split_by(shape, move |rest| rest.targets.len().min(size))
    }

    /// Splits into chunks of one bucket each, with the range of samples in each.
    fn chunks(self, shape: Shape) -> impl Iterator<Item = (Self, Range<usize>)> + 'a {
        let mut end = 0;
        let chunks = self.split_by(shape, |rest| {
            let max_samples = rest.targets.len().min(MAX_CHUNK_SAMPLES);
            let first = rest.buckets.first();
            let others = rest.buckets.iter().take(max_samples);
            let same = others.take_while(|bucket| Some(*bucket) == first).count();
            if first.is_some() { same } else { max_samples }
        });
        chunks.map(move |chunk| {
            let start = end;
            end += chunk.targets.len();
            (chunk, start..end)
        })
    }

    fn split_by(
        self,
        shape: Shape,
        length: impl Fn(&Self) -> usize + 'a,
    ) -> impl Iterator<Item = Self> + 'a {
        let (active, outputs) = (shape.sparse().active, shape.outputs());
        let mut rest = self;
        std::iter::from_fn(move || {
            let count = length(&rest);
            let all = rest.targets.len();
            let part = |range: Range<usize>| Self {
                rows: &rest.rows[range.start * active..range.end * active],
                buckets: range_or_empty(rest.buckets, &range),
                weights: range_or_empty(rest.weights, &range),
                results: range_or_empty(
                    rest.results,
                    &(range.start * outputs..range.end * outputs),
                ),
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
    pub(super) transposed: &'a [Vec<f32>],
}

#[derive(Clone, Debug, Default)]
pub(super) struct Block {
    pub(super) gradient: AlignedBuffer,
    used_rows: Vec<usize>,
    pub(super) loss: f64,
}

impl Block {
    fn clear(&mut self, shape: Shape, rows: &[u16], is_used: &mut Vec<bool>) {
        let num_rows = shape.sparse().rows;
        is_used.clear();
        is_used.resize(num_rows, false);
        for &row in rows {
            is_used[usize::from(row)] = true;
        }
        // Without branches, which would often be mispredicted.
        self.used_rows.resize(num_rows, 0);
        let mut num_used = 0;
        for (row, is_used) in is_used.iter().enumerate() {
            self.used_rows[num_used.min(row)] = row;
            num_used += usize::from(*is_used);
        }
        self.used_rows.truncate(num_used);
        self.gradient.resize(shape.without_rows().parameters());
        self.gradient.fill(0.0);
        self.loss = 0.0;
    }
}

/// Reusable buffers of one thread.
#[derive(Clone, Debug, Default)]
pub(super) struct Workspace {
    is_used: Vec<bool>,
    /// Logits of a chunk, `[samples, outputs]`, later the derivatives of the loss by them.
    logits: Vec<f32>,
    values: [AlignedBuffer; MAX_HIDDEN],
    /// Derivatives of the loss by the pre-activation sums of hidden layers after the first.
    slopes: [AlignedBuffer; MAX_HIDDEN - 1],
    columns: AlignedBuffer,
}

impl Workspace {
    fn resize(&mut self, shape: Shape, samples: usize) {
        for (values, width) in self.values.iter_mut().zip(shape.hidden()) {
            values.resize(samples * width);
        }
        for (slopes, width) in self.slopes.iter_mut().zip(&shape.hidden()[1..]) {
            slopes.resize(samples * width);
        }
    }
}

/// Computes a block's loss and `scale` times its gradient; of the first layer only `slopes`, the
/// derivatives by its sums.
#[inline(always)]
pub(super) fn gradient<V: Vector, const ROWS: usize>(
    weights: Weights<'_>,
    inputs: BatchView<'_>,
    scale: f32,
    workspace: &mut Workspace,
    block: &mut Block,
    slopes: &mut [f32],
) {
    let shape = weights.shape;
    block.clear(shape, inputs.rows, &mut workspace.is_used);
    first_layer::<V>(weights, inputs, workspace);
    for (chunk, samples) in inputs.chunks(shape) {
        let bucket = chunk.bucket();
        forward::<V, ROWS>(weights, bucket, samples.clone(), workspace);
        block.loss += match shape.results() {
            None => weighted_losses(&mut workspace.logits, chunk, scale),
            Some(results) => result_losses(results, &mut workspace.logits, chunk, scale),
        };
        backward::<V, ROWS>(weights, bucket, samples, workspace, block, slopes);
    }
}

#[inline(always)]
pub(super) fn predict_logits<V: Vector, const ROWS: usize>(
    weights: Weights<'_>,
    inputs: BatchView<'_>,
    workspace: &mut Workspace,
) -> Vec<f32> {
    let mut logits = Vec::with_capacity(inputs.targets.len() * weights.shape.outputs());
    first_layer::<V>(weights, inputs, workspace);
    for (chunk, samples) in inputs.chunks(weights.shape) {
        forward::<V, ROWS>(weights, chunk.bucket(), samples, workspace);
        logits.extend_from_slice(&workspace.logits);
    }
    logits
}

#[inline(always)]
fn first_layer<V: Vector>(weights: Weights<'_>, inputs: BatchView<'_>, workspace: &mut Workspace) {
    let shape = weights.shape;
    workspace.resize(shape, inputs.targets.len());
    let tensors = weights.shape.split(weights.all, None);
    let (table, bias) = (lanes(tensors.sparse), lanes(tensors.first_bias));
    let (active, values) = (shape.sparse().active, lanes_mut(&mut workspace.values[0]));
    let mut column = 0;
    while column < bias.len() {
        if column + STRIPE <= bias.len() {
            first_layer_columns::<V, STRIPE>(column, table, bias, inputs.rows, active, values);
            column += STRIPE;
        } else {
            first_layer_columns::<V, 1>(column, table, bias, inputs.rows, active, values);
            column += 1;
        }
    }
}

#[inline(always)]
fn first_layer_columns<V: Vector, const COLUMNS: usize>(
    first: usize,
    table: &[Lanes],
    bias: &[Lanes],
    rows: &[u16],
    active: usize,
    values: &mut [Lanes],
) {
    let width = bias.len();
    let mut start = [V::splat(0.0); COLUMNS];
    for column in 0..COLUMNS {
        start[column] = V::load(&bias[first + column]);
    }
    for sample in 0..values.len() / width {
        let mut sums = start;
        for &row in &rows[sample * active..][..active] {
            let weights = &table[usize::from(row) * width + first..][..COLUMNS];
            for column in 0..COLUMNS {
                sums[column] = sums[column].plus(V::load(&weights[column]));
            }
        }
        let values = &mut values[sample * width + first..][..COLUMNS];
        for column in 0..COLUMNS {
            Activation::First
                .apply(sums[column])
                .store(&mut values[column]);
        }
    }
}

#[derive(Clone, Copy)]
pub(super) struct FirstLayer<'a> {
    pub(super) shape: Shape,
    pub(super) views: &'a [BatchView<'a>],
    pub(super) blocks: &'a [Block],
    pub(super) slopes: &'a [f32],
}

/// Computes 16 columns of the gradient of first-layer rows (`table`) and bias.
#[inline(always)]
pub(super) fn column_gradient<V: Vector>(
    inputs: FirstLayer<'_>,
    column: usize,
    workspace: &mut Workspace,
    table: &mut [f32],
    bias: &mut [f32],
) {
    let shape = inputs.shape;
    let (active, width) = (shape.sparse().active, shape.hidden()[0] / LANES);
    workspace.columns.resize(table.len());
    let (sums, table) = (lanes_mut(&mut workspace.columns), lanes_mut(table));
    let mut slopes = lanes(inputs.slopes).iter().skip(column).step_by(width);
    let mut bias_total = V::splat(0.0);
    table.fill([0.0; LANES]);
    for (view, block) in inputs.views.iter().zip(inputs.blocks) {
        for row in &block.used_rows {
            V::splat(0.0).store(&mut sums[*row]);
        }
        let mut bias_sum = V::splat(0.0);
        for (rows, slope) in view.rows.chunks_exact(active).zip(&mut slopes) {
            let slope = V::load(slope);
            bias_sum = bias_sum.plus(slope);
            for &row in rows {
                slope.add_to(&mut sums[usize::from(row)]);
            }
        }
        for row in &block.used_rows {
            V::load(&sums[*row]).add_to(&mut table[*row]);
        }
        bias_total = bias_total.plus(bias_sum);
    }
    bias_total.store(&mut lanes_mut(bias)[0]);
}

#[inline(always)]
fn forward<V: Vector, const ROWS: usize>(
    weights: Weights<'_>,
    bucket: usize,
    samples: Range<usize>,
    workspace: &mut Workspace,
) {
    let hidden = weights.shape.hidden();
    let tensors = weights.shape.split(weights.all, Some(bucket));
    let last = hidden.len() - 1;
    for number in 1..hidden.len() {
        let (before, after) = workspace.values.split_at_mut(number);
        let tensors = tensors.hidden[number - 1];
        // Clipping keeps NaN, so that the loss shows it.
        let activation = match number == last {
            true => Activation::LastHidden,
            false => Activation::Middle,
        };
        set_product::<V, ROWS>(
            &before[number - 1][of_samples(&samples, hidden[number - 1])],
            lanes(tensors.weights),
            lanes(tensors.bias),
            Finish::Activate(activation),
            lanes_mut(&mut after[0][of_samples(&samples, hidden[number])]),
            hidden[number - 1],
            hidden[number] / LANES,
        );
    }
    workspace.logits.clear();
    let values = lanes(&workspace.values[last][of_samples(&samples, hidden[last])]);
    let (width, rows) = (hidden[last] / LANES, lanes(tensors.output));
    for values in values.chunks_exact(width) {
        for (output, bias) in tensors.output_bias.iter().enumerate() {
            let logit = bias + dot::<V>(values, &rows[output * width..]);
            workspace.logits.push(logit);
        }
    }
}

fn of_samples(samples: &Range<usize>, width: usize) -> Range<usize> {
    samples.start * width..samples.end * width
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

#[inline(always)]
fn result_losses(
    results: &ResultPayoffs,
    logits: &mut [f32],
    chunk: BatchView<'_>,
    scale: f32,
) -> f64 {
    let (outputs, mut loss) = (results.len(), 0.0);
    for (sample, logits) in logits.chunks_exact_mut(outputs).enumerate() {
        let weight = chunk.weights.get(sample).copied().unwrap_or(1.0);
        let (target, probabilities) = (
            chunk.targets[sample],
            &chunk.results[sample * outputs..][..outputs],
        );
        loss +=
            f64::from(weight) * result_loss(results, logits, probabilities, target, scale * weight);
    }
    loss
}

/// Replaces logits by `scale` times the derivative of their losses; returns the losses' sum in
/// nats.
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

/// Backpropagates the derivatives in `workspace.logits` and adds the chunk's gradient to `block`.
#[inline(always)]
fn backward<V: Vector, const ROWS: usize>(
    weights: Weights<'_>,
    bucket: usize,
    samples: Range<usize>,
    workspace: &mut Workspace,
    block: &mut Block,
    first_slopes: &mut [f32],
) {
    let (shape, hidden) = (weights.shape, weights.shape.hidden());
    let tensors = shape.split(weights.all, Some(bucket));
    let gradient = shape
        .without_rows()
        .split_mut(&mut block.gradient, Some(bucket));
    let [second, third] = workspace.slopes.each_mut().map(|slopes| &mut **slopes);
    let mut widths = hidden.iter();
    let mut layers = [first_slopes, second, third].map(|slopes| {
        let width = widths.next().copied().unwrap_or_default();
        &mut slopes[of_samples(&samples, width)]
    });

    let (last, last_width) = (hidden.len() - 1, hidden[hidden.len() - 1] / LANES);
    let values = lanes(&workspace.values[last][of_samples(&samples, hidden[last])]);
    let slopes = lanes_mut(layers[last]);
    let outputs = shape.outputs();
    for output in 0..outputs {
        let derivatives = &workspace.logits[output..];
        let weights = &lanes(tensors.output)[output * last_width..][..last_width];
        let gradient = &mut lanes_mut(gradient.output)[output * last_width..][..last_width];
        match output {
            0 => add_output_gradient::<V, true>(
                derivatives,
                outputs,
                weights,
                values,
                slopes,
                gradient,
            ),
            _ => add_output_gradient::<V, false>(
                derivatives,
                outputs,
                weights,
                values,
                slopes,
                gradient,
            ),
        }
    }
    for derivatives in workspace.logits.chunks_exact(outputs) {
        for (sum, derivative) in gradient.output_bias.iter_mut().zip(derivatives) {
            *sum += derivative;
        }
    }

    for (number, gradient) in (1..hidden.len()).zip(gradient.hidden).rev() {
        let (inner, outer) = (hidden[number - 1], hidden[number]);
        let (before, after) = layers.split_at_mut(number);
        let slopes = &*after[0];
        let values = &workspace.values[number - 1][of_samples(&samples, inner)];
        add_column_sums::<V>(lanes(slopes), lanes_mut(gradient.bias));
        add_transposed_product::<V, ROWS>(
            values,
            lanes(slopes),
            lanes_mut(gradient.weights),
            outer / LANES,
        );
        let transposed = &weights.transposed[number - 1][bucket * inner * outer..][..inner * outer];
        set_product::<V, ROWS>(
            slopes,
            lanes(transposed),
            &[],
            Finish::ZeroWhereClipped(lanes(values)),
            lanes_mut(before[number - 1]),
            outer,
            inner / LANES,
        );
    }
}

/// Adds the gradient of an output's weights; sets `slopes`, the derivatives by the last hidden
/// layer's sums, if the output is the `FIRST`, otherwise adds to them. `derivatives` has one of the
/// output in every `outputs`.
#[inline(always)]
fn add_output_gradient<V: Vector, const FIRST: bool>(
    derivatives: &[f32],
    outputs: usize,
    weights: &[Lanes],
    values: &[Lanes],
    slopes: &mut [Lanes],
    gradient: &mut [Lanes],
) {
    let width = weights.len();
    for (column, (weights, gradient)) in weights.iter().zip(gradient).enumerate() {
        let (weights, mut by_output) = (V::load(weights), V::splat(0.0));
        for sample in 0..values.len() / width {
            let derivative = V::splat(derivatives[sample * outputs]);
            let at = sample * width + column;
            let value = V::load(&values[at]);
            let slope = derivative.times(weights).zero_where_clipped(value);
            if FIRST {
                slope.store(&mut slopes[at]);
            } else {
                slope.add_to(&mut slopes[at]);
            }
            by_output = by_output.plus(derivative.times(value));
        }
        by_output.add_to(gradient);
    }
}

#[inline(always)]
fn add_column_sums<V: Vector>(matrix: &[Lanes], sums: &mut [Lanes]) {
    let width = sums.len();
    for (column, total) in sums.iter_mut().enumerate() {
        let mut sum = V::splat(0.0);
        for row in matrix.iter().skip(column).step_by(width) {
            sum = sum.plus(V::load(row));
        }
        sum.add_to(total);
    }
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
