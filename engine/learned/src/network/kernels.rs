//! Inner loops for networks of any width. 32-bit sums cannot overflow: order does not matter.

use super::{ACTIVATION_MAX, HIDDEN_SCALE, LANES, NetworkWeights, SHIFT};
use alea_core::simd::multiversion;

multiversion! {
    pub(super) fn sum_rows(matrix: &[i16], rows: &[u16], out: &mut [i32]) {
        any => sum_rows_body,
    }
}

multiversion! {
    pub(super) fn change_rows(matrix: &[i16], added: &[u16], removed: &[u16], out: &mut [i32]) {
        any => change_rows_body,
    }
}

multiversion! {
    /// Writes the logit of each output; no layer may be wider than `WIDTH`.
    pub(super) fn forward<const WIDTH: usize>(
        weights: &NetworkWeights,
        bucket: usize,
        sums: &[i32],
        logits: &mut [i32],
    ) {
        any => forward_body::<WIDTH>,
    }
}

type Lanes = [i32; LANES];

#[inline(always)]
fn add_scaled<T: Copy + Into<i32>>(sums: &mut Lanes, factor: i32, row: &[T]) {
    let row = &row[..LANES];
    for lane in 0..LANES {
        sums[lane] += factor * row[lane].into();
    }
}

/// Number of neurons whose sums are in registers together, in wide layers.
const WIDE_BLOCK: usize = 4 * LANES;

#[inline(always)]
fn add_rows<const BLOCK: usize>(
    sums: &mut [i32; BLOCK],
    factor: i32,
    matrix: &[i16],
    rows: &[u16],
    [width, start]: [usize; 2],
) {
    for row in rows {
        let weights = &matrix[usize::from(*row) * width + start..][..BLOCK];
        for lane in 0..BLOCK {
            sums[lane] += factor * i32::from(weights[lane]);
        }
    }
}

#[inline(always)]
fn sum_rows_body(matrix: &[i16], rows: &[u16], out: &mut [i32]) {
    out.fill(0);
    change_rows_body(matrix, rows, &[], out);
}

#[inline(always)]
fn change_rows_body(matrix: &[i16], added: &[u16], removed: &[u16], out: &mut [i32]) {
    let (width, wide) = (out.len(), out.len() / WIDE_BLOCK * WIDE_BLOCK);
    let (blocks, rest) = out.split_at_mut(wide);
    for (index, out) in blocks.as_chunks_mut().0.iter_mut().enumerate() {
        change_block::<WIDE_BLOCK>(matrix, added, removed, [width, index * WIDE_BLOCK], out);
    }
    for (index, out) in rest.as_chunks_mut().0.iter_mut().enumerate() {
        change_block::<LANES>(matrix, added, removed, [width, wide + index * LANES], out);
    }
}

#[inline(always)]
fn change_block<const BLOCK: usize>(
    matrix: &[i16],
    added: &[u16],
    removed: &[u16],
    columns: [usize; 2],
    out: &mut [i32; BLOCK],
) {
    let mut sums = *out;
    add_rows(&mut sums, 1, matrix, added, columns);
    add_rows(&mut sums, -1, matrix, removed, columns);
    *out = sums;
}

#[inline(always)]
fn forward_body<const WIDTH: usize>(
    weights: &NetworkWeights,
    bucket: usize,
    sums: &[i32],
    logits: &mut [i32],
) {
    let mut scratch = [[0; WIDTH]; 2];
    let last = hidden_layers(weights, bucket, sums, &mut scratch);
    for (output, logit) in (bucket * weights.outputs..).zip(logits) {
        let row = &weights.output[output * last.len()..][..last.len()];
        let mut sum = weights.output_bias[output];
        for (value, weight) in last.iter().zip(row) {
            sum += value * i32::from(*weight);
        }
        *logit = sum;
    }
}

#[inline(always)]
fn hidden_layers<'a, const WIDTH: usize>(
    weights: &NetworkWeights,
    bucket: usize,
    sums: &[i32],
    scratch: &'a mut [[i32; WIDTH]; 2],
) -> &'a [i32] {
    let [current, next] = scratch;
    let (mut current, mut next) = (&mut current[..], &mut next[..]);
    let mut width = weights.bias.len();
    for ((value, sum), &bias) in current[..width].iter_mut().zip(sums).zip(&weights.bias) {
        *value = ((sum + i32::from(bias)) >> SHIFT).clamp(0, 127);
    }
    if weights.hidden.is_empty() {
        for value in &mut current[..width] {
            *value *= HIDDEN_SCALE;
        }
    }
    for (index, layer) in weights.hidden.iter().enumerate() {
        if index > 0 {
            for value in &mut current[..width] {
                *value = (*value + HIDDEN_SCALE / 2) / HIDDEN_SCALE;
            }
        }
        let outputs = layer.bias.len() / weights.buckets();
        let next_values = &mut next[..outputs];
        next_values.copy_from_slice(&layer.bias[bucket * outputs..][..outputs]);
        let matrix = &layer.weights[bucket * width * outputs..][..width * outputs];
        add_products(&current[..width], matrix, next_values);
        for value in next_values {
            *value = (*value).clamp(0, ACTIVATION_MAX);
        }
        (current, next) = (next, current);
        width = outputs;
    }
    &current[..width]
}

#[inline(always)]
fn add_products(inputs: &[i32], matrix: &[i8], out: &mut [i32]) {
    let width = out.len();
    for (start, out) in (0..width)
        .step_by(LANES)
        .zip(out.as_chunks_mut::<LANES>().0)
    {
        let mut sums = *out;
        for (input, row) in inputs.iter().zip(matrix.chunks_exact(width)) {
            add_scaled(&mut sums, *input, &row[start..]);
        }
        *out = sums;
    }
}
