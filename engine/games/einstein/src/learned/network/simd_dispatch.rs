//! Network weights in SIMD layout, and run-time dispatch to kernels. Complete first-layer sums fit
//! 16 bits (partial ones wrap).

use super::features::NUM_FUSED;
#[cfg(any(
    target_arch = "x86_64",
    all(target_arch = "wasm32", target_feature = "simd128")
))]
use super::simd;
use crate::learned::move_logits::{Logits, SideMoves};
use alea_core::simd::{Instructions, SimdLevel, multiversion};
use alea_learned::network::{NetworkWeights, win_probability};

/// The group of four first-layer neurons at `index` after packing two vectors of 16-bit sums to
/// bytes, which interleaves 128-bit lanes.
pub(super) fn packed_order(instructions: Instructions, index: usize) -> usize {
    let fours = match instructions.level() {
        SimdLevel::Portable => return index,
        #[cfg(target_arch = "wasm32")]
        SimdLevel::Simd128 => return index,
        SimdLevel::Avx2 => 32 / 4,
        _ => 64 / 4,
    };
    let (part, of_second, rest) = (index % fours / 4, index / 2 % 2, index % 2);
    index / fours * fours + of_second * fours / 2 + 2 * part + rest
}

/// Numbers aligned so that no vector load crosses two cache lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub(super) struct CacheLine<T: Copy, const COUNT: usize>(pub(super) [T; COUNT]);

pub(super) type I16Line = CacheLine<i16, 32>;

/// Weights from four inputs to each of sixteen neurons.
pub(super) type I8Line = CacheLine<i8, 64>;

pub(super) fn to_cache_lines<T: Copy, const COUNT: usize>(
    values: &[T],
) -> Vec<CacheLine<T, COUNT>> {
    values
        .as_chunks::<COUNT>()
        .0
        .iter()
        .map(|&line| CacheLine(line))
        .collect()
}

/// First-layer weights of the mover (with the bias) and of the other side, `[FUSED_TABLE_ROWS ×
/// width]`: a row is the sum of those of features that are always active together.
#[derive(Clone, Debug)]
pub(super) struct Tables {
    pub(super) mover: Vec<I16Line>,
    pub(super) other: Vec<I16Line>,
}

/// Inputs between widenings: two 16-bit sums of eight products each.
pub(super) const I16_SUM_INPUTS: usize = 16;

#[derive(Clone, Debug)]
#[cfg_attr(
    not(any(
        target_arch = "x86_64",
        all(target_arch = "wasm32", target_feature = "simd128")
    )),
    expect(dead_code, reason = "only vectors read them, and there are none")
)]
pub(super) struct Layers {
    /// Weights from every four inputs, in packed order, to every neuron.
    pub(super) hidden: Vec<I8Line>,
    /// Whether 16-bit sums over [`I16_SUM_INPUTS`] inputs cannot overflow.
    pub(super) i16_sums_fit: bool,
    pub(super) bias: Vec<CacheLine<i32, 16>>,
    pub(super) output: Vec<CacheLine<i32, 16>>,
    pub(super) output_bias: i32,
}

impl Layers {
    pub(super) fn for_buckets(weights: &NetworkWeights, instructions: Instructions) -> Vec<Self> {
        let (first, buckets) = (weights.bias.len(), weights.buckets());
        let layer = &weights.hidden[0];
        let second = layer.bias.len() / buckets;
        let bucket = |number: usize| {
            let hidden = &layer.weights[number * first * second..][..first * second];
            let fours: Vec<&[i8]> = hidden.chunks_exact(4 * second).collect();
            let packed: Vec<i8> = (0..first / 4)
                .flat_map(|index| fours[packed_order(instructions, index)])
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
                hidden: to_cache_lines(&hidden),
                i16_sums_fit: do_i16_sums_fit(&packed, second),
                bias: to_cache_lines(&layer.bias[number * second..][..second]),
                output: to_cache_lines(&output),
                output_bias: weights.output_bias[number],
            }
        };
        (0..buckets).map(bucket).collect()
    }
}

/// Takes the worst case: activations of 127 for weights of one sign, 0 for the other. A 16-bit sum
/// has two of every four inputs.
fn do_i16_sums_fit(hidden: &[i8], second: usize) -> bool {
    let max_weight = i32::from(i16::MAX) / 127;
    hidden.chunks_exact(I16_SUM_INPUTS * second).all(|inputs| {
        (0..2 * second).all(|sum| {
            let (half, neuron) = (sum / second, sum % second);
            let weights = (0..I16_SUM_INPUTS)
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

pub(super) type AccumulatorIndices = [u8; 2];

/// Rows changed by a move without capture: the stone's and the expected turns'.
pub(super) const NUM_CHANGED_ROWS: usize = 2;

macro_rules! dispatch_simd {
    ($(#[$meta:meta])* $visibility:vis fn $name:ident<$(const $width:ident: $kind:ty),+>
        ($($argument:ident: $type:ty),* $(,)?) $(-> $result:ty)?;
    ) => {
        multiversion! {
            $(#[$meta])*
            $visibility fn $name<$(const $width: $kind),+>($($argument: $type),*) $(-> $result)? {
                Avx512Vnni => simd::vnni::$name::<$($width),+>,
                Avx512 => simd::avx512::$name::<$($width),+>,
                Avx2 => simd::avx2::$name::<$($width),+>,
                Simd128 => simd::simd128::$name::<$($width),+>,
            }
        }
    };
}

dispatch_simd! {
    pub(super) fn logit<const FIRST: usize, const SECOND: usize>(
        tables: &Tables,
        layers: &Layers,
        rows: &[[u16; NUM_FUSED]; 2],
    ) -> i32;
}

dispatch_simd! {
    pub(super) fn sum_rows<const FIRST: usize>(
        table: &[I16Line],
        rows: &[u16; NUM_FUSED],
        out: &mut [I16Line],
    );
}

dispatch_simd! {
    /// `out` = `before` − `gone` + `come`.
    pub(super) fn change_rows<const FIRST: usize>(
        table: &[I16Line],
        before: &[I16Line],
        gone: &[u16; NUM_CHANGED_ROWS],
        come: &[u16; NUM_CHANGED_ROWS],
        out: &mut [I16Line],
    );
}

dispatch_simd! {
    /// Logits of pairs of accumulators; the rest of `out` is arbitrary.
    pub(super) fn logits<const FIRST: usize, const SECOND: usize>(
        layers: &Layers,
        movers: &[I16Line],
        others: &[I16Line],
        pairs: &[AccumulatorIndices],
        out: &mut Logits,
    );
}

multiversion! {
    pub(super) fn add_accumulators(
        sums: [&[I16Line]; 2],
        table: &[I16Line],
        rows: &[u16],
        out: &mut [I16Line],
    ) {
        any => add_accumulators_body,
    }
}

#[inline(always)]
fn add_accumulators_body(
    sums: [&[I16Line]; 2],
    table: &[I16Line],
    rows: &[u16],
    out: &mut [I16Line],
) {
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

multiversion! {
    pub(super) fn one_ply(steps: &SideMoves, logits: &mut Logits) -> f32 {
        Avx2 => one_ply_by_logits,
        Portable => one_ply_by_logits,
    }
}

#[inline(always)]
fn one_ply_by_logits(steps: &SideMoves, logits: &mut Logits) -> f32 {
    steps.one_ply(logits, win_probability)
}
