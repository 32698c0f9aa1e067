//! Inner loops for networks of any width. 32-bit sums cannot overflow: order does not matter.

use super::{ACTIVATION_MAX, HIDDEN_SCALE, LANES, NetworkWeights, SHIFT};
use alea_core::simd::multiversion;

multiversion! {
    pub(super) fn sum_rows(matrix: &[i16], rows: &[u16], out: &mut [i32]) {
        any => sum_rows_body,
    }
}

multiversion! {
    /// `added` and `removed` have the same length.
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

#[inline(always)]
fn sum_rows_body(matrix: &[i16], rows: &[u16], out: &mut [i32]) {
    let width = out.len();
    for (start, out) in (0..width)
        .step_by(LANES)
        .zip(out.as_chunks_mut::<LANES>().0)
    {
        let mut sums = [0; LANES];
        for row in rows {
            add_scaled(&mut sums, 1, &matrix[usize::from(*row) * width + start..]);
        }
        *out = sums;
    }
}

#[inline(always)]
fn change_rows_body(matrix: &[i16], added: &[u16], removed: &[u16], out: &mut [i32]) {
    let width = out.len();
    for (start, out) in (0..width)
        .step_by(LANES)
        .zip(out.as_chunks_mut::<LANES>().0)
    {
        let mut sums = *out;
        for (added, removed) in added.iter().zip(removed) {
            add_scaled(&mut sums, 1, &matrix[usize::from(*added) * width + start..]);
            add_scaled(
                &mut sums,
                -1,
                &matrix[usize::from(*removed) * width + start..],
            );
        }
        *out = sums;
    }
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
