//! Fake quantization: training rounds weights and activations as the engine does
//! ([`alea_learned::network`]), and gradients pass unchanged (Bengio, Léonard and Courville 2013).
//! First-layer weights and sums are integers in units of 1 / [`ROW_SCALE`]; all else is in units of
//! 1.

use super::WEIGHTS_PER_TASK;
use super::layout::Shape;
use super::matrix::AlignedBuffer;
use super::simd_vector::Vector;
use alea_learned::network::{ACTIVATION_MAX, HIDDEN_SCALE, OUTPUT_SCALE, ROW_SCALE};
use rayon::prelude::*;

pub(crate) const SUM_UNITS_PER_ACTIVATION_STEP: f32 = (ROW_SCALE / 127) as f32;

/// Offset of the first layer's bias: half a step, so that rounding down rounds to the nearest
/// step, and half a unit, so that no sum is exactly a multiple of a step.
pub(crate) const HIDDEN1_ROUNDING_OFFSET: f32 = SUM_UNITS_PER_ACTIVATION_STEP / 2.0 + 0.5;

/// Offset of sums of middle hidden layers, in activation steps: half a step and half a unit.
pub(crate) const MIDDLE_ROUNDING_OFFSET: f32 = 0.5 + 0.5 / HIDDEN_SCALE as f32;

/// Number whose addition and subtraction rounds to integers, ties to even, up to 2²².
const ROUNDING_MAGIC: f32 = 12_582_912.0;

pub(super) fn fake_quantize(shape: Shape, weights: &[f32], rounded: &mut AlignedBuffer) {
    rounded.resize(weights.len());
    let units = [
        (ROW_SCALE, 1, 0.0),
        (ROW_SCALE, 1, HIDDEN1_ROUNDING_OFFSET),
        (HIDDEN_SCALE, HIDDEN_SCALE, 0.0),
        (ACTIVATION_MAX, ACTIVATION_MAX, 0.0),
        (HIDDEN_SCALE, HIDDEN_SCALE, 0.0),
        (ACTIVATION_MAX, ACTIVATION_MAX, 0.0),
        (OUTPUT_SCALE, OUTPUT_SCALE, 0.0),
    ];
    let ranges = shape.tensor_ranges();
    // Output biases are not rounded.
    let last = shape.parameters() - shape.buckets() * shape.outputs();
    rounded[last..].copy_from_slice(&weights[last..]);
    for (range, (scale, unit, offset)) in ranges.into_iter().zip(units) {
        let pieces = rounded[range.clone()].par_chunks_mut(WEIGHTS_PER_TASK);
        let weights = weights[range].par_chunks(WEIGHTS_PER_TASK);
        pieces.zip(weights).for_each(|(rounded, weights)| {
            for (rounded, weight) in rounded.iter_mut().zip(weights) {
                let whole = (weight * scale as f32 + ROUNDING_MAGIC) - ROUNDING_MAGIC;
                let units = if unit == 1 {
                    whole
                } else {
                    whole / unit as f32
                };
                *rounded = units + offset;
            }
        });
    }
}

#[derive(Clone, Copy)]
pub(super) enum Activation {
    First,
    Middle,
    LastHidden,
}

impl Activation {
    #[inline(always)]
    pub(super) fn apply<V: Vector>(self, sums: V) -> V {
        let full = V::splat(ACTIVATION_MAX as f32);
        match self {
            Self::First => clip_in_steps(sums, 1.0 / SUM_UNITS_PER_ACTIVATION_STEP, 0.0),
            Self::Middle => clip_in_steps(sums, 127.0, MIDDLE_ROUNDING_OFFSET),
            // Rounds to the nearest step, unlike earlier layers.
            Self::LastHidden => round_lanes(sums.times(full))
                .divided_by(full)
                .clamp_to_unit(),
        }
    }
}

/// `clip(scale · sum + offset)` rounded down to steps of 1 / 127, but slightly above 0 for positive
/// sums below the first step, so that gradients pass.
#[inline(always)]
fn clip_in_steps<V: Vector>(sums: V, scale: f32, offset: f32) -> V {
    let steps = sums.times(V::splat(scale)).plus(V::splat(offset));
    round_lanes(steps.minus(V::splat(0.5)))
        .divided_by(V::splat(127.0))
        .plus(steps.times(V::splat(1e-14)))
        .clamp_to_unit()
}

#[inline(always)]
fn round_lanes<V: Vector>(numbers: V) -> V {
    numbers
        .plus(V::splat(ROUNDING_MAGIC))
        .minus(V::splat(ROUNDING_MAGIC))
}
