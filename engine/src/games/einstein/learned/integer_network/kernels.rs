//! The arithmetic of an integer network: its definition in plain code, and the choice of
//! instructions at run time.
//!
//! Invariant: sums of the first layer are modulo 2¹⁶ and fit it as a whole, all others cannot
//! overflow; so all instruction sets give the same.

use super::inputs::{JOINED, JOINED_ROWS};
#[cfg(target_arch = "x86_64")]
use super::vectors;
use super::{IntegerWeights, win_probability};
use crate::core::simd::{Instructions, Level, dispatched};
use crate::games::einstein::learned::steps::{Logits, Steps};
use crate::learned::integer::{FULL, SHIFT};

/// Which four neurons of the first layer (from 4 · this on) are at a place after packing: sums of 16
/// bits become bytes two vectors at a time, and in each part of 128 bits those of the first vector
/// come before those of the second.
pub(super) fn packed(instructions: Instructions, place: usize) -> usize {
    let fours = match instructions.level() {
        Level::Portable => return place,
        Level::Avx2 => 32 / 4,
        _ => 64 / 4,
    };
    let (part, of_second, rest) = (place % fours / 4, place / 2 % 2, place % 2);
    place / fours * fours + of_second * fours / 2 + 2 * part + rest
}

/// A cache line, so that no vector is loaded from two of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub(super) struct Line<T: Copy, const COUNT: usize>(pub(super) [T; COUNT]);

/// 32 sums or weights of the first layer.
pub(super) type Line16 = Line<i16, 32>;

/// Weights of the second layer: those of four inputs for each of sixteen neurons.
pub(super) type Line8 = Line<i8, 64>;

pub(super) fn lines<T: Copy, const COUNT: usize>(values: &[T]) -> Vec<Line<T, COUNT>> {
    values
        .as_chunks::<COUNT>()
        .0
        .iter()
        .map(|&line| Line(line))
        .collect()
}

/// The joined rows of either role: `[JOINED_ROWS × width]`.
#[derive(Clone, Debug)]
pub(super) struct Tables {
    /// With the bias.
    pub(super) mover: Vec<Line16>,
    pub(super) other: Vec<Line16>,
}

/// Inputs over which products may be added up in 16 bits before they are widened, where
/// [`Layers::short_sums`] permits it.
pub(super) const SHORT: usize = 16;

/// The layers after the first.
#[derive(Clone, Debug)]
pub(super) struct Layers {
    /// For every four inputs, for every neuron, the four weights; inputs in the order in which
    /// instructions pack them.
    pub(super) hidden: Vec<Line8>,
    /// Whether no sum over [`SHORT`] inputs in that order that belongs to one number of 16 bits can
    /// leave it: two of every four inputs, whose activations are 0 to 127.
    pub(super) short_sums: bool,
    /// The biases, and the output weights, of sixteen neurons a line.
    pub(super) bias: Vec<Line<i32, 16>>,
    pub(super) output: Vec<Line<i32, 16>>,
    pub(super) output_bias: i32,
}

impl Layers {
    /// Those of a network for some instructions.
    pub(super) fn new(weights: &IntegerWeights, instructions: Instructions) -> Self {
        let (first, second) = (weights.bias.len(), weights.hidden_bias.len());
        let fours: Vec<&[i8]> = weights.hidden.chunks_exact(4 * second).collect();
        let packed: Vec<i8> = (0..first / 4)
            .flat_map(|place| fours[packed(instructions, place)])
            .copied()
            .collect();
        let mut hidden = Vec::with_capacity(packed.len());
        for rows in packed.chunks_exact(4 * second) {
            for neuron in 0..second {
                hidden.extend((0..4).map(|input| rows[input * second + neuron]));
            }
        }
        let output: Vec<i32> = weights
            .output
            .iter()
            .map(|&weight| i32::from(weight))
            .collect();
        Self {
            hidden: lines(&hidden),
            short_sums: short_sums_fit(&packed, second),
            bias: lines(&weights.hidden_bias),
            output: lines(&output),
            output_bias: weights.output_bias,
        }
    }
}

/// See [`Layers::short_sums`]: weights of one sign may meet activations of 127, those of the other
/// of 0.
fn short_sums_fit(hidden: &[i8], second: usize) -> bool {
    let most = i32::from(i16::MAX) / 127;
    hidden.chunks_exact(SHORT * second).all(|inputs| {
        (0..2 * second).all(|sum| {
            let (half, neuron) = (sum / second, sum % second);
            let weights = (0..SHORT)
                .filter(|input| input / 2 % 2 == half)
                .map(|input| i32::from(inputs[input * second + neuron]));
            let (mut above, mut below) = (0, 0);
            weights.for_each(|weight| {
                if weight > 0 {
                    above += weight
                } else {
                    below -= weight
                }
            });
            above.max(below) <= most
        })
    })
}

/// Which sums make a position: one of the mover's, one of the other side's.
pub(super) type Pair = [u8; 2];

/// Rows that a move changes unless it captures: those of the stone, and of the expected turns.
pub(super) const CHANGED: usize = 2;

dispatched! {
    /// The logit from the joined rows of the mover and of the other side.
    pub(super) fn logit<const FIRST: usize, const SECOND: usize>(
        tables: &Tables,
        layers: &Layers,
        rows: &[[u16; JOINED]; 2],
    ) -> i32 {
        Avx512Vnni => vectors::vnni::logit::<FIRST, SECOND>,
        Avx512 => vectors::avx512::logit::<FIRST, SECOND>,
        Avx2 => vectors::avx2::logit::<FIRST, SECOND>,
        Portable => plain::logit::<FIRST, SECOND>,
    }
}

dispatched! {
    /// The sum of the joined rows of a side; `out` has a line for every 32 neurons.
    pub(super) fn sum_rows<const FIRST: usize>(
        table: &[Line16],
        rows: &[u16; JOINED],
        out: &mut [Line16],
    ) {
        Avx512Vnni => vectors::vnni::sum_rows::<FIRST>,
        Avx512 => vectors::avx512::sum_rows::<FIRST>,
        Avx2 => vectors::avx2::sum_rows::<FIRST>,
        Portable => plain::sum_rows::<FIRST>,
    }
}

dispatched! {
    /// The sum of the joined rows of a side from that of a side before: some rows gone, others
    /// come.
    pub(super) fn change_rows<const FIRST: usize>(
        table: &[Line16],
        before: &[Line16],
        gone: &[u16; CHANGED],
        come: &[u16; CHANGED],
        out: &mut [Line16],
    ) {
        Avx512Vnni => vectors::vnni::change_rows::<FIRST>,
        Avx512 => vectors::avx512::change_rows::<FIRST>,
        Avx2 => vectors::avx2::change_rows::<FIRST>,
        Portable => plain::change_rows::<FIRST>,
    }
}

dispatched! {
    /// The logits of pairs of sums; behind them `out` means nothing.
    pub(super) fn logits<const FIRST: usize, const SECOND: usize>(
        layers: &Layers,
        movers: &[Line16],
        others: &[Line16],
        pairs: &[Pair],
        out: &mut Logits,
    ) {
        Avx512Vnni => vectors::vnni::logits::<FIRST, SECOND>,
        Avx512 => vectors::avx512::logits::<FIRST, SECOND>,
        Avx2 => vectors::avx2::logits::<FIRST, SECOND>,
        Portable => plain::logits::<FIRST, SECOND>,
    }
}

dispatched! {
    /// [`Steps::one_ply`] of these logits: eight stones to a vector are enough for all.
    pub(super) fn one_ply(steps: &Steps, logits: &mut Logits) -> f32 {
        Avx2 => plain::one_ply,
        Portable => plain::one_ply,
    }
}

/// The definition of each.
mod plain {
    use super::*;

    pub(super) fn logit<const FIRST: usize, const SECOND: usize>(
        tables: &Tables,
        layers: &Layers,
        rows: &[[u16; JOINED]; 2],
    ) -> i32 {
        let (mut mover, mut other) = ([0i16; FIRST], [0i16; FIRST]);
        add_rows(&tables.mover, &rows[0], &mut mover);
        add_rows(&tables.other, &rows[1], &mut other);
        forward::<FIRST, SECOND>(layers, &mover, &other)
    }

    pub(super) fn sum_rows<const FIRST: usize>(
        table: &[Line16],
        rows: &[u16; JOINED],
        out: &mut [Line16],
    ) {
        let mut sums = [0i16; FIRST];
        add_rows(table, rows, &mut sums);
        for (out, sums) in out.iter_mut().zip(sums.as_chunks::<32>().0) {
            out.0 = *sums;
        }
    }

    pub(super) fn change_rows<const FIRST: usize>(
        table: &[Line16],
        before: &[Line16],
        gone: &[u16; CHANGED],
        come: &[u16; CHANGED],
        out: &mut [Line16],
    ) {
        let row = |row: u16| &table[usize::from(row) * (FIRST / 32)..][..FIRST / 32];
        for (line, (out, before)) in out.iter_mut().zip(before).enumerate().take(FIRST / 32) {
            for neuron in 0..32 {
                let all = |rows: &[u16; CHANGED]| {
                    rows.iter()
                        .fold(0i16, |sum, &one| sum.wrapping_add(row(one)[line].0[neuron]))
                };
                out.0[neuron] = before.0[neuron]
                    .wrapping_sub(all(gone))
                    .wrapping_add(all(come));
            }
        }
    }

    pub(super) fn logits<const FIRST: usize, const SECOND: usize>(
        layers: &Layers,
        movers: &[Line16],
        others: &[Line16],
        pairs: &[Pair],
        out: &mut Logits,
    ) {
        for (pair, out) in pairs.iter().zip(out) {
            let [mover, other] = [(movers, pair[0]), (others, pair[1])]
                .map(|(sums, index)| gather::<FIRST>(sums, usize::from(index)));
            *out = forward::<FIRST, SECOND>(layers, &mover, &other);
        }
    }

    #[inline(always)]
    pub(super) fn one_ply(steps: &Steps, logits: &mut Logits) -> f32 {
        steps.one_ply(logits, win_probability)
    }
}

/// The sums with a number.
fn gather<const FIRST: usize>(sums: &[Line16], index: usize) -> [i16; FIRST] {
    std::array::from_fn(|neuron| sums[index * (FIRST / 32) + neuron / 32].0[neuron % 32])
}

fn add_rows<const FIRST: usize>(table: &[Line16], rows: &[u16; JOINED], sums: &mut [i16; FIRST]) {
    for &row in rows {
        let row = &table[usize::from(row) % JOINED_ROWS * (FIRST / 32)..][..FIRST / 32];
        for (sums, line) in sums.as_chunks_mut::<32>().0.iter_mut().zip(row) {
            for (sum, weight) in sums.iter_mut().zip(line.0) {
                *sum = sum.wrapping_add(weight);
            }
        }
    }
}

/// The definition of everything after the two sums.
fn forward<const FIRST: usize, const SECOND: usize>(
    layers: &Layers,
    mover: &[i16; FIRST],
    other: &[i16; FIRST],
) -> i32 {
    let mut first = [0i32; FIRST];
    for neuron in 0..FIRST {
        first[neuron] = i32::from(mover[neuron].wrapping_add(other[neuron]) >> SHIFT).clamp(0, 127);
    }
    let mut second = [0i32; SECOND];
    for (sums, bias) in second.as_chunks_mut::<16>().0.iter_mut().zip(&layers.bias) {
        *sums = bias.0;
    }
    for (inputs, weights) in first
        .as_chunks::<4>()
        .0
        .iter()
        .zip(layers.hidden.chunks_exact(SECOND / 16))
    {
        for (sums, line) in second.as_chunks_mut::<16>().0.iter_mut().zip(weights) {
            for (sum, weights) in sums.iter_mut().zip(line.0.as_chunks::<4>().0) {
                for (input, weight) in inputs.iter().zip(weights) {
                    *sum += input * i32::from(*weight);
                }
            }
        }
    }
    let outputs = second
        .iter()
        .enumerate()
        .map(|(neuron, &sum)| sum.clamp(0, FULL) * layers.output[neuron / 16].0[neuron % 16]);
    layers.output_bias + outputs.sum::<i32>()
}
