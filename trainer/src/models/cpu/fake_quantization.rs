//! Fake quantization: training rounds weights and activations as the engine does
//! ([`alea_learned::network`]), and gradients pass unchanged (Bengio, Léonard and Courville 2013),
//! so the loss is the exported network's. First-layer weights and sums are integers in units of 1 /
//! [`ROW_SCALE`], exact below 2²⁴; all else is in units of 1.0.

use super::WEIGHTS_PER_TASK;
use super::layout::{Shape, Tensors};
use super::simd_vector::{Lanes, Vector};
use alea_learned::network::{
    ACTIVATION_MAX, HIDDEN_SCALE, OUTPUT_SCALE, ROW_SCALE, WEIGHT_LIMITS, clamp_first_layer,
};
use rayon::prelude::*;
use std::ops::Range;

pub(crate) const SUM_UNITS_PER_ACTIVATION_STEP: f32 = (ROW_SCALE / 127) as f32;

/// Added to the first layer's bias: half a step, since activations are rounded down, and half a
/// unit, so that no sum lies between two steps.
pub(crate) const HIDDEN1_ROUNDING_OFFSET: f32 = SUM_UNITS_PER_ACTIVATION_STEP / 2.0 + 0.5;

/// Added to sums of middle hidden layers, in steps: half a step and half a unit, as for the first.
pub(crate) const MIDDLE_ROUNDING_OFFSET: f32 = 0.5 + 0.5 / HIDDEN_SCALE as f32;

/// Adding and subtracting it rounds to integers, ties to even, up to 2²².
const ROUNDING_MAGIC: f32 = 12_582_912.0;

/// Rounds weights as the engine does.
pub(super) fn fake_quantize(shape: Shape, weights: &[f32]) -> Vec<f32> {
    let mut all = weights.to_vec();
    let Tensors {
        sparse,
        first_bias,
        hidden: [second, third],
        output,
        ..
    } = shape.split_mut(&mut all, None);
    for (tensor, scale, unit, offset) in [
        (sparse, ROW_SCALE, 1, 0.0),
        (first_bias, ROW_SCALE, 1, HIDDEN1_ROUNDING_OFFSET),
        (second.weights, HIDDEN_SCALE, HIDDEN_SCALE, 0.0),
        (second.bias, ACTIVATION_MAX, ACTIVATION_MAX, 0.0),
        (third.weights, HIDDEN_SCALE, HIDDEN_SCALE, 0.0),
        (third.bias, ACTIVATION_MAX, ACTIVATION_MAX, 0.0),
        (output, OUTPUT_SCALE, OUTPUT_SCALE, 0.0),
    ] {
        tensor.par_chunks_mut(WEIGHTS_PER_TASK).for_each(|weights| {
            for weight in weights {
                *weight = ((*weight * scale as f32 + ROUNDING_MAGIC) - ROUNDING_MAGIC)
                    / unit as f32
                    + offset;
            }
        });
    }
    all
}

/// See [`super::CpuNetwork::clamp_to_range`].
pub(crate) fn clamp_to_range(
    shape: Shape,
    one_hot_slots: Option<&[Range<usize>]>,
    weights: &mut [f32],
) {
    let Tensors {
        sparse,
        first_bias,
        hidden: [second, third],
        output,
        ..
    } = shape.split_mut(weights, None);
    if let Some(one_hot_slots) = one_hot_slots {
        clamp_first_layer(sparse, first_bias, one_hot_slots);
    }
    let [row, bias, hidden, hidden_bias, output_limit] = WEIGHT_LIMITS;
    for (tensor, limit) in [
        (sparse, row),
        (first_bias, bias),
        (second.weights, hidden),
        (second.bias, hidden_bias),
        (third.weights, hidden),
        (third.bias, hidden_bias),
        (output, output_limit),
    ] {
        tensor.par_chunks_mut(WEIGHTS_PER_TASK).for_each(|weights| {
            for weight in weights {
                *weight = weight.clamp(-limit, limit);
            }
        });
    }
}

/// `clip(scale · sum + offset)`, rounded down to steps of 1 / 127. Positive sums below the first
/// step stay slightly above 0, so that gradients pass.
#[inline(always)]
fn activate_in_steps<V: Vector>(layer: &mut [Lanes], scale: f32, offset: f32) {
    for sums in layer {
        let steps = V::load(sums).times(V::splat(scale)).plus(V::splat(offset));
        round_lanes(steps.minus(V::splat(0.5)))
            .divided_by(V::splat(127.0))
            .plus(steps.times(V::splat(1e-14)))
            .clamp_to_unit()
            .store(sums);
    }
}

#[inline(always)]
pub(super) fn activate_first<V: Vector>(layer: &mut [Lanes]) {
    activate_in_steps::<V>(layer, 1.0 / SUM_UNITS_PER_ACTIVATION_STEP, 0.0);
}

#[inline(always)]
pub(super) fn activate_middle<V: Vector>(layer: &mut [Lanes]) {
    activate_in_steps::<V>(layer, 127.0, MIDDLE_ROUNDING_OFFSET);
}

/// Rounds to the nearest step, unlike earlier layers.
#[inline(always)]
pub(super) fn activate_last_hidden<V: Vector>(layer: &mut [Lanes]) {
    let full = V::splat(ACTIVATION_MAX as f32);
    for sums in layer {
        round_lanes(V::load(sums).times(full))
            .divided_by(full)
            .clamp_to_unit()
            .store(sums);
    }
}

#[inline(always)]
fn round_lanes<V: Vector>(numbers: V) -> V {
    numbers
        .plus(V::splat(ROUNDING_MAGIC))
        .minus(V::splat(ROUNDING_MAGIC))
}
