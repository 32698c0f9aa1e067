//! The inner loops of a network, compiled for several instruction sets and chosen at run time.
//!
//! Each loop is written once, in a form that the compiler turns into vector instructions, and
//! instantiated for every level of [`Instructions`]. Invariant: all of them give the same bits. Integer
//! sums do not depend on order; every floating-point sum has its order written out (partial sums by
//! lane or by input modulo 4, joined pairwise), and Rust never contracts a multiplication and an
//! addition into one rounding.
//!
//! [`Instructions`]: crate::core::simd::Instructions

use super::{LANES, MAX_WIDTH, NetworkWeights, SPARSE_SCALE};
use crate::core::simd::dispatched;

dispatched! {
    /// `out` = the sum of the given rows of `matrix`, each as long as `out`.
    pub(super) fn sum_rows(matrix: &[i32], rows: &[u16], out: &mut [i32]) {
        any => sum_rows_body,
    }
}

dispatched! {
    /// `out` = `base` + the `added` rows − the `removed` rows of `matrix`.
    pub(super) fn change_rows(
        matrix: &[i32],
        base: &[i32],
        added: &[u16],
        removed: &[u16],
        out: &mut [i32],
    ) {
        any => change_rows_body,
    }
}

dispatched! {
    /// `out` = the last hidden layer from the sums over the stones and the dense inputs.
    pub(super) fn last_layer(
        weights: &NetworkWeights<i32>,
        sums: &[i32],
        dense: &[f32],
        out: &mut [f32],
    ) {
        any => last_layer_body,
    }
}

dispatched! {
    /// The logit from the sums over the stones and the dense inputs; no layer is wider than
    /// `WIDTH`.
    pub(super) fn forward<const WIDTH: usize>(
        weights: &NetworkWeights<i32>,
        sums: &[i32],
        dense: &[f32],
    ) -> f32 {
        any => forward_body::<WIDTH>,
    }
}

/// One vector of neurons. Loops over lanes are straight code after unrolling, which compiles to
/// vector instructions.
type Lanes<T> = [T; LANES];

/// `sums[lane] += input · row[lane]`; `row` begins at these lanes.
#[inline(always)]
fn add_scaled(sums: &mut Lanes<f32>, input: f32, row: &[f32]) {
    let row = &row[..LANES];
    for lane in 0..LANES {
        sums[lane] += input * row[lane];
    }
}

/// Whether to add or to take away.
#[derive(Clone, Copy)]
enum Sign {
    Plus,
    Minus,
}

/// Adds the lanes from `start` on of a row of `matrix`. Sums cannot overflow, so wrapping is only
/// the faster way.
#[inline(always)]
fn add_row(
    sums: &mut Lanes<i32>,
    matrix: &[i32],
    width: usize,
    row: u16,
    start: usize,
    sign: Sign,
) {
    let from = usize::from(row) * width + start;
    let row = &matrix[from..from + LANES];
    for lane in 0..LANES {
        sums[lane] = match sign {
            Sign::Plus => sums[lane].wrapping_add(row[lane]),
            Sign::Minus => sums[lane].wrapping_sub(row[lane]),
        };
    }
}

#[inline(always)]
fn sum_rows_body(matrix: &[i32], rows: &[u16], out: &mut [i32]) {
    let width = out.len();
    for (start, out) in (0..width)
        .step_by(LANES)
        .zip(out.as_chunks_mut::<LANES>().0)
    {
        let mut sums = [0i32; LANES];
        for row in rows {
            add_row(&mut sums, matrix, width, *row, start, Sign::Plus);
        }
        *out = sums;
    }
}

#[inline(always)]
fn change_rows_body(matrix: &[i32], base: &[i32], added: &[u16], removed: &[u16], out: &mut [i32]) {
    let width = out.len();
    let chunks = base
        .as_chunks::<LANES>()
        .0
        .iter()
        .zip(out.as_chunks_mut::<LANES>().0);
    for (start, (base, out)) in (0..width).step_by(LANES).zip(chunks) {
        let mut sums = *base;
        for (added, removed) in added.iter().zip(removed) {
            add_row(&mut sums, matrix, width, *added, start, Sign::Plus);
            add_row(&mut sums, matrix, width, *removed, start, Sign::Minus);
        }
        *out = sums;
    }
}

#[inline(always)]
fn forward_body<const WIDTH: usize>(
    weights: &NetworkWeights<i32>,
    sums: &[i32],
    dense: &[f32],
) -> f32 {
    let mut scratch = [[0.0f32; WIDTH]; 2];
    weights.output_bias
        + dot(
            hidden_layers(weights, sums, dense, &mut scratch),
            &weights.output,
        )
}

#[inline(always)]
fn last_layer_body(weights: &NetworkWeights<i32>, sums: &[i32], dense: &[f32], out: &mut [f32]) {
    let mut scratch = [[0.0f32; MAX_WIDTH]; 2];
    out.copy_from_slice(hidden_layers(weights, sums, dense, &mut scratch));
}

/// The last hidden layer, in one of the two rooms.
#[inline(always)]
fn hidden_layers<'a, const WIDTH: usize>(
    weights: &NetworkWeights<i32>,
    sums: &[i32],
    dense: &[f32],
    scratch: &'a mut [[f32; WIDTH]; 2],
) -> &'a [f32] {
    let [current, next] = scratch;
    let (mut current, mut next) = (&mut current[..], &mut next[..]);
    let mut width = weights.bias.len();
    // 1. The first layer starts from the stones' sums, out of fixed point, and the bias.
    const UNIT: f32 = 1.0 / SPARSE_SCALE as f32;
    for ((start, sum), bias) in current[..width].iter_mut().zip(sums).zip(&weights.bias) {
        *start = *sum as f32 * UNIT + bias;
    }
    add_products(dense, &weights.dense, &mut current[..width]);
    clip(&mut current[..width]);
    // 2. Further hidden layers.
    for layer in &weights.hidden {
        let outputs = layer.bias.len();
        next[..outputs].copy_from_slice(&layer.bias);
        add_products(&current[..width], &layer.weights, &mut next[..outputs]);
        clip(&mut next[..outputs]);
        // Only the references change places.
        (current, next) = (next, current);
        width = outputs;
    }
    &current[..width]
}

/// `out[j] += Σ_i inputs[i] · matrix[i][j]`: four partial sums for each neuron, by i modulo 4, so
/// that an addition need not wait for the one before it; they are joined as (0 + 1) + (2 + 3).
/// Inputs left over go to partial sum 0. The four are variables of their own because an array of
/// arrays was not kept in registers (eight times slower).
#[inline(always)]
fn add_products(inputs: &[f32], matrix: &[f32], out: &mut [f32]) {
    let width = out.len();
    let (quads, rest) = inputs.as_chunks::<4>();
    for (start, out) in (0..width)
        .step_by(LANES)
        .zip(out.as_chunks_mut::<LANES>().0)
    {
        let (mut a, mut b, mut c, mut d) = (
            [0.0f32; LANES],
            [0.0f32; LANES],
            [0.0f32; LANES],
            [0.0f32; LANES],
        );
        let rows = matrix.chunks_exact(4 * width);
        for (quad, rows) in quads.iter().zip(rows) {
            add_scaled(&mut a, quad[0], &rows[start..]);
            add_scaled(&mut b, quad[1], &rows[width + start..]);
            add_scaled(&mut c, quad[2], &rows[2 * width + start..]);
            add_scaled(&mut d, quad[3], &rows[3 * width + start..]);
        }
        for (input, row) in rest
            .iter()
            .zip(matrix[4 * quads.len() * width..].chunks_exact(width))
        {
            add_scaled(&mut a, *input, &row[start..]);
        }
        for lane in 0..LANES {
            out[lane] += (a[lane] + b[lane]) + (c[lane] + d[lane]);
        }
    }
}

/// Every number to the nearest in `[0, 1]`. Written as comparisons because `max` and `min` leave
/// the sign of zero open.
#[inline(always)]
fn clip(values: &mut [f32]) {
    for value in values {
        let positive = if *value > 0.0 { *value } else { 0.0 };
        *value = if positive < 1.0 { positive } else { 1.0 };
    }
}

/// Σ a · b: sixteen partial sums by index modulo 16, joined pairwise from the outside halves
/// inwards.
#[inline(always)]
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0f32; LANES];
    for (a, b) in a
        .as_chunks::<LANES>()
        .0
        .iter()
        .zip(b.as_chunks::<LANES>().0)
    {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane];
        }
    }
    let mut half = LANES / 2;
    while half > 0 {
        for lane in 0..half {
            sums[lane] += sums[lane + half];
        }
        half /= 2;
    }
    sums[0]
}
