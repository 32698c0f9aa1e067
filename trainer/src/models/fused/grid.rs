//! The network as the engine has it in integers ([`engine::learned::integer`]): weights on their
//! grids, and activations that are rounded.
//!
//! Numbers are in units of 1.0 but for the first layer, whose weights and sums are whole numbers of
//! 1 / [`ROW_SCALE`], below 2²⁴ and so exact. Gradients pass through roundings as if there were none
//! (Bengio, Léonard and Courville 2013), so the loss is always that of the network that is exported.
//! Invariant: weights that were held once a step can be exported.

use super::layout::{Shape, Tensors};
use super::vector::{Lanes, Vector};
use engine::learned::integer::{
    FULL, HIDDEN_SCALE, LIMITS, OUTPUT_SCALE, ROW_SCALE, hold_first_layer,
};
use std::ops::Range;

/// Sums of the first layer a step of its activations.
pub(crate) const STEP: f32 = (ROW_SCALE / 127) as f32;

/// What is added to the bias of the first layer: half a step, because steps are rounded down, and
/// half a unit, so that no sum lies on a bound.
pub(crate) const HALVES: f32 = STEP / 2.0 + 0.5;

/// Added and taken away again, it leaves the nearest whole number, of two the even one; good up to
/// 2²².
const WHOLE: f32 = 12_582_912.0;

/// The weights as the forward pass takes them.
pub(super) fn on_grid(shape: Shape, weights: &[f32]) -> Vec<f32> {
    let mut all = weights.to_vec();
    let Tensors {
        sparse,
        first_bias,
        hidden: [second, _],
        output,
        ..
    } = shape.split_mut(&mut all);
    for (tensor, scale, unit, more) in [
        (sparse, ROW_SCALE, 1, 0.0),
        (first_bias, ROW_SCALE, 1, HALVES),
        (second.weights, HIDDEN_SCALE, HIDDEN_SCALE, 0.0),
        (second.bias, FULL, FULL, 0.0),
        (output, OUTPUT_SCALE, OUTPUT_SCALE, 0.0),
    ] {
        for weight in tensor {
            *weight = ((*weight * scale as f32 + WHOLE) - WHOLE) / unit as f32 + more;
        }
    }
    all
}

/// Holds weights where they can be exported, sums of the first layer over these runs of rows
/// included.
pub(crate) fn hold(shape: Shape, runs: &[Range<usize>], weights: &mut [f32]) {
    let Tensors {
        sparse,
        first_bias,
        hidden: [second, _],
        output,
        ..
    } = shape.split_mut(weights);
    hold_first_layer(sparse, first_bias, runs);
    let tensors = [sparse, first_bias, second.weights, second.bias, output];
    for (tensor, limit) in tensors.into_iter().zip(LIMITS) {
        for weight in tensor {
            *weight = weight.clamp(-limit, limit);
        }
    }
}

/// Activations of the first layer from its sums. What is above 0 but on the lowest step stays a
/// trace above it, for gradients pass there.
#[inline(always)]
pub(super) fn activate_first<V: Vector>(layer: &mut [Lanes]) {
    for sums in layer {
        let sum = V::load(sums);
        let steps = sum.times(V::splat(1.0 / STEP)).minus(V::splat(0.5));
        rounded(steps)
            .over(V::splat(127.0))
            .plus(sum.times(V::splat(1e-15)))
            .clipped()
            .store(sums);
    }
}

/// Activations of the second layer from its sums.
#[inline(always)]
pub(super) fn activate_second<V: Vector>(layer: &mut [Lanes]) {
    let full = V::splat(FULL as f32);
    for sums in layer {
        rounded(V::load(sums).times(full))
            .over(full)
            .clipped()
            .store(sums);
    }
}

#[inline(always)]
fn rounded<V: Vector>(numbers: V) -> V {
    numbers.plus(V::splat(WHOLE)).minus(V::splat(WHOLE))
}
