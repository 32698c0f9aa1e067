//! The arithmetic of an integer network: its definition in plain code, and the choice of
//! instructions at run time.
//!
//! Invariant: sums of the first layer are modulo 2¹⁶ and fit it as a whole, all others cannot
//! overflow; so all instruction sets give the same.

use super::inputs::{JOINED, JOINED_ROWS};
use super::{FULL, IntegerWeights, SHIFT, win_probability};
use crate::core::evaluator::OnePly;
use crate::games::einstein::learned::steps::{Logits, Steps};

/// Instructions that there are kernels for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IntegerInstructions {
    /// What every machine has: the definition.
    Portable,
    /// x86-64 with 256-bit vectors.
    Avx2,
    /// x86-64 with 512-bit vectors of bytes.
    Avx512,
    /// The same with products of bytes added up in fours.
    Avx512Vnni,
}

impl IntegerInstructions {
    /// All of them, the fastest last.
    pub const ALL: [Self; 4] = [Self::Portable, Self::Avx2, Self::Avx512, Self::Avx512Vnni];

    /// The fastest this machine has.
    #[must_use]
    pub fn detect() -> Self {
        Self::ALL
            .into_iter()
            .rev()
            .find(|set| set.is_available())
            .unwrap_or(Self::Portable)
    }

    /// Whether this machine has it.
    #[must_use]
    pub fn is_available(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        let wide = || {
            std::arch::is_x86_feature_detected!("avx2")
                && std::arch::is_x86_feature_detected!("avx512f")
                && std::arch::is_x86_feature_detected!("avx512bw")
        };
        match self {
            Self::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => std::arch::is_x86_feature_detected!("avx2"),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => wide(),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512Vnni => wide() && std::arch::is_x86_feature_detected!("avx512vnni"),
            #[cfg(not(target_arch = "x86_64"))]
            Self::Avx2 | Self::Avx512 | Self::Avx512Vnni => false,
        }
    }

    /// Which four neurons of the first layer (from 4 · this on) are at a place after packing: sums
    /// of 16 bits become bytes two vectors at a time, and in each part of 128 bits those of the
    /// first vector come before those of the second.
    pub(super) const fn packed(self, place: usize) -> usize {
        let fours = match self {
            Self::Portable => return place,
            Self::Avx2 => 32 / 4,
            Self::Avx512 | Self::Avx512Vnni => 64 / 4,
        };
        let (part, of_second, rest) = (place % fours / 4, place / 2 % 2, place % 2);
        place / fours * fours + of_second * fours / 2 + 2 * part + rest
    }

    /// The name, for tables of measurements.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
            Self::Avx512Vnni => "avx512-vnni",
        }
    }
}

/// A cache line, so that no vector is loaded from two of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub(super) struct Line<T: Copy, const COUNT: usize>(pub(super) [T; COUNT]);

/// 32 sums or weights of the first layer.
pub(super) type Line16 = Line<i16, 32>;

/// Weights of the second layer: those of four inputs for each of sixteen neurons.
pub(super) type Line8 = Line<i8, 64>;

/// Cuts a table into lines.
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
    pub(super) fn new(weights: &IntegerWeights, instructions: IntegerInstructions) -> Self {
        let (first, second) = (weights.bias.len(), weights.hidden_bias.len());
        let fours: Vec<&[i8]> = weights.hidden.chunks_exact(4 * second).collect();
        let packed: Vec<i8> = (0..first / 4)
            .flat_map(|place| fours[instructions.packed(place)])
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

/// The logit from the joined rows of the mover and of the other side.
#[inline]
pub(super) fn logit<const FIRST: usize, const SECOND: usize>(
    set: IntegerInstructions,
    tables: &Tables,
    layers: &Layers,
    rows: &[[u16; JOINED]; 2],
) -> i32 {
    #[cfg(target_arch = "x86_64")]
    if set != IntegerInstructions::Portable {
        return super::vectors::logit::<FIRST, SECOND>(set, tables, layers, rows);
    }
    let _ = set;
    let (mut mover, mut other) = ([0i16; FIRST], [0i16; FIRST]);
    add_rows(&tables.mover, &rows[0], &mut mover);
    add_rows(&tables.other, &rows[1], &mut other);
    forward::<FIRST, SECOND>(layers, &mover, &other)
}

/// The sum of the joined rows of a side; `out` has a line for every 32 neurons.
#[inline]
pub(super) fn sum_rows<const FIRST: usize>(
    set: IntegerInstructions,
    table: &[Line16],
    rows: &[u16; JOINED],
    out: &mut [Line16],
) {
    #[cfg(target_arch = "x86_64")]
    if set != IntegerInstructions::Portable {
        return super::vectors::sum_rows::<FIRST>(set, table, rows, out);
    }
    let _ = set;
    let mut sums = [0i16; FIRST];
    add_rows(table, rows, &mut sums);
    for (out, sums) in out.iter_mut().zip(sums.as_chunks::<32>().0) {
        out.0 = *sums;
    }
}

/// Rows that a move changes unless it captures: those of the stone, and of the expected turns.
pub(super) const CHANGED: usize = 2;

/// The sum of the joined rows of a side from that of a side before: some rows gone, others come.
#[inline]
pub(super) fn change_rows<const FIRST: usize>(
    set: IntegerInstructions,
    table: &[Line16],
    before: &[Line16],
    gone: &[u16; CHANGED],
    come: &[u16; CHANGED],
    out: &mut [Line16],
) {
    #[cfg(target_arch = "x86_64")]
    if set != IntegerInstructions::Portable {
        return super::vectors::change_rows::<FIRST>(set, table, before, gone, come, out);
    }
    let _ = set;
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

/// The logits of pairs of sums; behind them `out` means nothing.
#[inline]
pub(super) fn logits<const FIRST: usize, const SECOND: usize>(
    set: IntegerInstructions,
    layers: &Layers,
    movers: &[Line16],
    others: &[Line16],
    pairs: &[Pair],
    out: &mut Logits,
) {
    #[cfg(target_arch = "x86_64")]
    if set != IntegerInstructions::Portable {
        return super::vectors::logits::<FIRST, SECOND>(set, layers, movers, others, pairs, out);
    }
    let _ = set;
    for (pair, out) in pairs.iter().zip(out) {
        let [mover, other] = [(movers, pair[0]), (others, pair[1])]
            .map(|(sums, index)| gather::<FIRST>(sums, usize::from(index)));
        *out = forward::<FIRST, SECOND>(layers, &mover, &other);
    }
}

/// [`Steps::one_ply`] of these logits.
#[inline]
pub(super) fn one_ply(
    set: IntegerInstructions,
    steps: &Steps,
    logits: &mut Logits,
    lost: u32,
) -> OnePly {
    #[cfg(target_arch = "x86_64")]
    if set != IntegerInstructions::Portable {
        return super::vectors::one_ply(set, steps, logits, lost);
    }
    let _ = set;
    steps.one_ply(logits, lost, win_probability)
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
