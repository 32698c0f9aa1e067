//! Data of the fast network kernels, and their dispatch by instruction set.
//!
//! Invariant: sums of the first layer are modulo 2¹⁶ and fit in the end, all others cannot
//! overflow, so all instruction sets give the same integers. Without vectors
//! [`Network::logit_from_scratch`](crate::learned::network::Network::logit_from_scratch) computes.

use super::inputs::JOINED;
#[cfg(any(
    target_arch = "x86_64",
    all(target_arch = "wasm32", target_feature = "simd128")
))]
use super::vectors;
use crate::core::simd::{Instructions, Level, dispatched};
use crate::games::einstein::learned::steps::{Logits, Steps};
use crate::learned::network::{NetworkWeights, win_probability};

/// First of the four neurons of the first layer (in units of 4) at an index after packing: sums of
/// 16 bits become bytes two vectors at a time, and in each part of 128 bits those of the first
/// vector come before those of the second.
pub(super) fn packed(instructions: Instructions, index: usize) -> usize {
    let fours = match instructions.level() {
        Level::Portable => return index,
        #[cfg(target_arch = "wasm32")]
        Level::Simd128 => return index,
        Level::Avx2 => 32 / 4,
        _ => 64 / 4,
    };
    let (part, of_second, rest) = (index % fours / 4, index / 2 % 2, index % 2);
    index / fours * fours + of_second * fours / 2 + 2 * part + rest
}

/// Cache line, so that no vector crosses two of them.
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

/// Fused rows of either role: `[JOINED_ROWS × width]`.
#[derive(Clone, Debug)]
pub(super) struct Tables {
    /// With the bias.
    pub(super) mover: Vec<Line16>,
    pub(super) other: Vec<Line16>,
}

/// Inputs over which products may be summed in 16 bits before widening, where
/// [`Layers::short_sums`] allows it.
pub(super) const SHORT: usize = 16;

/// Layers after the first.
#[derive(Clone, Debug)]
#[cfg_attr(
    not(any(
        target_arch = "x86_64",
        all(target_arch = "wasm32", target_feature = "simd128")
    )),
    expect(dead_code, reason = "only vectors read them, and there are none")
)]
pub(super) struct Layers {
    /// For every four inputs and every neuron the four weights; inputs in packed order.
    pub(super) hidden: Vec<Line8>,
    /// Whether no 16-bit sum over [`SHORT`] inputs in that order can overflow: two of every four
    /// inputs, with activations of 0 to 127.
    pub(super) short_sums: bool,
    /// Biases, and output weights, of sixteen neurons a line.
    pub(super) bias: Vec<Line<i32, 16>>,
    pub(super) output: Vec<Line<i32, 16>>,
    pub(super) output_bias: i32,
}

impl Layers {
    /// Layers of each bucket of a network of two layers, for some instructions.
    pub(super) fn of(weights: &NetworkWeights, instructions: Instructions) -> Vec<Self> {
        let (first, buckets) = (weights.bias.len(), weights.buckets());
        let layer = &weights.hidden[0];
        let second = layer.bias.len() / buckets;
        let bucket = |number: usize| {
            let hidden = &layer.weights[number * first * second..][..first * second];
            let fours: Vec<&[i8]> = hidden.chunks_exact(4 * second).collect();
            let packed: Vec<i8> = (0..first / 4)
                .flat_map(|index| fours[packed(instructions, index)])
                .copied()
                .collect();
            let mut hidden = Vec::with_capacity(packed.len());
            for rows in packed.chunks_exact(4 * second) {
                for neuron in 0..second {
                    hidden.extend((0..4).map(|input| rows[input * second + neuron]));
                }
            }
            let output = weights.output[number * second..][..second].iter();
            let output: Vec<i32> = output.map(|&weight| i32::from(weight)).collect();
            Self {
                hidden: lines(&hidden),
                short_sums: short_sums_fit(&packed, second),
                bias: lines(&layer.bias[number * second..][..second]),
                output: lines(&output),
                output_bias: weights.output_bias[number],
            }
        };
        (0..buckets).map(bucket).collect()
    }
}

/// Worst case of [`Layers::short_sums`]: weights of one sign with activations of 127, those of the
/// other with 0.
fn short_sums_fit(hidden: &[i8], second: usize) -> bool {
    let max_weight = i32::from(i16::MAX) / 127;
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
            above.max(below) <= max_weight
        })
    })
}

/// Indices of a position's sums: one of the mover's, one of the other side's.
pub(super) type Pair = [u8; 2];

/// Rows that a move without capture changes: those of the stone, and of the expected turns.
pub(super) const CHANGED: usize = 2;

/// Defines a loop under the same name in the module of each vector width.
macro_rules! by_vectors {
    ($(#[$meta:meta])* $visibility:vis fn $name:ident<$(const $width:ident: $kind:ty),+>
        ($($argument:ident: $type:ty),* $(,)?) $(-> $result:ty)?;
    ) => {
        dispatched! {
            $(#[$meta])*
            $visibility fn $name<$(const $width: $kind),+>($($argument: $type),*) $(-> $result)? {
                Avx512Vnni => vectors::vnni::$name::<$($width),+>,
                Avx512 => vectors::avx512::$name::<$($width),+>,
                Avx2 => vectors::avx2::$name::<$($width),+>,
                Simd128 => vectors::simd128::$name::<$($width),+>,
            }
        }
    };
}

by_vectors! {
    /// Logit from the fused rows of the mover and of the other side.
    pub(super) fn logit<const FIRST: usize, const SECOND: usize>(
        tables: &Tables,
        layers: &Layers,
        rows: &[[u16; JOINED]; 2],
    ) -> i32;
}

by_vectors! {
    /// Sum of the fused rows of a side; `out` has a line for every 32 neurons.
    pub(super) fn sum_rows<const FIRST: usize>(
        table: &[Line16],
        rows: &[u16; JOINED],
        out: &mut [Line16],
    );
}

by_vectors! {
    /// Sum of the fused rows of a side from an earlier one: some rows removed, others added.
    pub(super) fn change_rows<const FIRST: usize>(
        table: &[Line16],
        before: &[Line16],
        gone: &[u16; CHANGED],
        come: &[u16; CHANGED],
        out: &mut [Line16],
    );
}

by_vectors! {
    /// Logits of pairs of sums; entries behind them are arbitrary.
    pub(super) fn logits<const FIRST: usize, const SECOND: usize>(
        layers: &Layers,
        movers: &[Line16],
        others: &[Line16],
        pairs: &[Pair],
        out: &mut Logits,
    );
}

dispatched! {
    /// `out` = two sums plus rows of a table, all of equal length.
    pub(super) fn add_up(
        sums: [&[Line16]; 2],
        table: &[Line16],
        rows: &[u16],
        out: &mut [Line16],
    ) {
        any => add_up_body,
    }
}

#[inline(always)]
fn add_up_body(sums: [&[Line16]; 2], table: &[Line16], rows: &[u16], out: &mut [Line16]) {
    let lines = out.len();
    for (line, out) in out.iter_mut().enumerate() {
        let [mut sum, other] = [sums[0][line].0, sums[1][line].0];
        let mut add = |addend: &[i16; 32]| {
            for neuron in 0..32 {
                sum[neuron] = sum[neuron].wrapping_add(addend[neuron]);
            }
        };
        add(&other);
        for row in rows {
            add(&table[usize::from(*row) * lines + line].0);
        }
        out.0 = sum;
    }
}

dispatched! {
    /// [`Steps::one_ply`] of these logits, with eight stones to a vector.
    pub(super) fn one_ply(steps: &Steps, logits: &mut Logits) -> f32 {
        Avx2 => one_ply_by_logits,
        Portable => one_ply_by_logits,
    }
}

#[inline(always)]
fn one_ply_by_logits(steps: &Steps, logits: &mut Logits) -> f32 {
    steps.one_ply(logits, win_probability)
}
