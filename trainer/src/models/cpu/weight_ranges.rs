//! Clamps weights to the engine's integer ranges.

use super::WEIGHTS_PER_TASK;
use super::layout::{Shape, Tensors};
use super::matrix::lanes;
use super::simd_vector::{LANES, Lanes};
use alea_learned::network::{ROW_SCALE, SHIFT, WEIGHT_LIMITS};
use rayon::prelude::*;
use std::ops::Range;

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
    let [row, bias, hidden, hidden_bias, output_limit] = WEIGHT_LIMITS;
    let mut largest = f32::INFINITY;
    if let Some(one_hot_slots) = one_hot_slots {
        largest = clamp_first_layer(sparse, first_bias, one_hot_slots);
    }
    if largest > row {
        (sparse.par_chunks_mut(WEIGHTS_PER_TASK)).for_each(|weights| clamp(weights, row));
    }
    clamp(first_bias, bias);
    for layer in [second, third] {
        clamp(layer.weights, hidden);
        clamp(layer.bias, hidden_bias);
    }
    clamp(output, output_limit);
}

fn clamp(weights: &mut [f32], limit: f32) {
    for weight in weights {
        *weight = weight.clamp(-limit, limit);
    }
}

/// Clips first-layer weights of each neuron so that sums of one row per slot and the bias fit 16
/// bits; returns the largest absolute weight before.
fn clamp_first_layer(rows: &mut [f32], bias: &mut [f32], slots: &[Range<usize>]) -> f32 {
    let width = bias.len();
    // Rounding adds up to half a unit per row and bias, and half a step.
    let room = f32::from(i16::MAX) - 0.5 * (slots.len() + 1) as f32 - (1 << (SHIFT - 1)) as f32;
    let limit = room / ROW_SCALE as f32;
    let extremes: Vec<[Vec<Lanes>; 2]> = (slots.par_iter())
        .map(|slot| {
            column_min_and_max(
                lanes(&rows[slot.start * width..slot.end * width]),
                width / LANES,
            )
        })
        .collect();
    let mut bounds = Vec::with_capacity(width);
    for (neuron, bias) in bias.iter_mut().enumerate() {
        *bias = bias.clamp(-0.5 * limit, 0.5 * limit);
        let of_neuron = |which: usize, sign: f32| {
            let of_slots = extremes.iter().map(|extremes| &extremes[which]);
            of_slots
                .map(|extremes| sign * extremes.as_flattened()[neuron])
                .collect()
        };
        let floor = -clip_level(of_neuron(0, -1.0), limit + *bias);
        let ceiling = clip_level(of_neuron(1, 1.0), limit - *bias);
        bounds.push([floor, ceiling]);
    }
    if bounds.as_flattened().iter().any(|bound| bound.is_finite()) {
        rows.par_chunks_exact_mut(width).for_each(|weights| {
            for (weight, [floor, ceiling]) in weights.iter_mut().zip(&bounds) {
                *weight = weight.max(*floor).min(*ceiling);
            }
        });
    }
    let extremes = extremes.iter().flatten().flatten().flatten();
    extremes.fold(0.0, |largest, weight| weight.abs().max(largest))
}

fn column_min_and_max(rows: &[Lanes], width: usize) -> [Vec<Lanes>; 2] {
    let mut extremes = [Vec::with_capacity(width), Vec::with_capacity(width)];
    for column in 0..width {
        let [mut min, mut max] = [f32::INFINITY, f32::NEG_INFINITY].map(|none| [none; LANES]);
        for row in rows.chunks_exact(width) {
            for lane in 0..LANES {
                let weight = row[column][lane];
                min[lane] = if weight < min[lane] {
                    weight
                } else {
                    min[lane]
                };
                max[lane] = if weight > max[lane] {
                    weight
                } else {
                    max[lane]
                };
            }
        }
        extremes[0].push(min);
        extremes[1].push(max);
    }
    extremes
}

/// Largest clipping level at which `numbers` sum to at most `room`; infinite if they do unclipped.
fn clip_level(mut numbers: Vec<f32>, room: f32) -> f32 {
    if numbers.iter().sum::<f32>() <= room {
        return f32::INFINITY;
    }
    numbers.sort_by(|a, b| b.total_cmp(a));
    let mut remaining_sum: f32 = numbers.iter().sum();
    for (num_clipped, &number) in numbers.iter().enumerate() {
        if num_clipped > 0 && remaining_sum + num_clipped as f32 * number <= room {
            return (room - remaining_sum) / num_clipped as f32;
        }
        remaining_sum -= number;
    }
    room / numbers.len() as f32
}

#[cfg(test)]
mod tests {
    use super::{clamp_first_layer, clip_level};
    use alea_core::random::RandomStream;
    use alea_learned::network::FloatWeights;

    #[test]
    fn overflowing_first_layers_are_clamped() {
        let mut random = RandomStream::new(8);
        let mut uniform = |count: usize, max: f32| -> Vec<f32> {
            let mut number = || (random.uniform_f64() as f32 - 0.5) * 2.0 * max;
            (0..count).map(|_| number()).collect()
        };
        let slots = [vec![0..50, 0..50, 50..60], vec![60..100; 20]].concat();
        let wild = FloatWeights {
            rows: uniform(100 * 64, 2.0),
            bias: uniform(64, 12.0),
            ..FloatWeights::default()
        };
        let fits =
            |weights: &FloatWeights| weights.quantize().unwrap().fits_i16_accumulator(&slots);
        assert!(!fits(&wild));
        let clamp = |weights: &FloatWeights| {
            let mut clamped = weights.clone();
            clamp_first_layer(&mut clamped.rows, &mut clamped.bias, &slots);
            clamped
        };
        let clamped = clamp(&wild);
        assert!(fits(&clamped));
        let mut pairs = clamped.rows.iter().zip(&wild.rows);
        assert!(pairs.all(|(clamped, wild)| clamped == wild || clamped.abs() < wild.abs()));
        let again = clamp(&clamped);
        let mut pairs = again.rows.iter().zip(&clamped.rows);
        assert!(pairs.all(|(again, clamped)| (again - clamped).abs() < 1e-5));
        let mut tame = wild.clone();
        tame.rows.iter_mut().for_each(|weight| *weight /= 10.0);
        tame.bias.fill(0.0);
        assert_eq!(clamp(&tame), tame);
    }

    #[test]
    fn weights_are_clipped_at_the_highest_level_whose_sum_fits() {
        assert_eq!(clip_level(vec![1.0, 2.0, 3.0], 6.0), f32::INFINITY);
        assert_eq!(clip_level(vec![3.0, 1.0, 2.0], 5.0), 2.0);
        assert_eq!(clip_level(vec![3.0, 1.0, 2.0], 4.0), 1.5);
        assert_eq!(clip_level(vec![3.0, 1.0, 2.0], 1.5), 0.5);
        assert_eq!(clip_level(vec![5.0, -1.0], 2.0), 3.0);
    }
}
