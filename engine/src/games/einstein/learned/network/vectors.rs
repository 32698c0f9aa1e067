//! Network kernels for x86-64 (AVX2, AVX-512, AVX-512 with VNNI) and for WebAssembly, from one text
//! over a few operations of each.
//!
//! The products of four activations with the weights of a neuron are summed in 32 bits: by one
//! instruction of VNNI, otherwise through sums of two products in 16 bits, which cannot saturate,
//! or of eight, where the weights allow it (`Layers::short_sums`). Otherwise several positions pass
//! through the second layer at a time, so that its weights are loaded once. Invariant: the integers
//! of the generic forward pass.
#![allow(unsafe_code)]

/// Functions compiled for some features and inlined into their callers.
macro_rules! compiled_for {
    ($features:literal $($function:item)*) => {
        $(#[inline] #[target_feature(enable = $features)] $function)*
    };
}

/// Operations common to all vectors, `BYTES` of the 64 bytes of a line each.
macro_rules! common_operations {
    ($features:literal) => {
        compiled_for! {
            $features

            /// Vector `at` of some lines. Indexed by line: with another form of check the compiler
            /// keeps it in loops, which took 1.6 times as long in WebAssembly.
            #[allow(clippy::modulo_one, reason = "a line may be one vector")]
            pub(super) fn load<T: Copy, const COUNT: usize>(
                lines: &[Line<T, COUNT>],
                at: usize,
            ) -> Vector {
                const { assert!(size_of::<T>() * COUNT == 64) };
                let line = &raw const lines[at / (64 / BYTES)];
                // SAFETY: a line has 64 bytes and is aligned to as many; this reads one of the
                // vectors in it.
                unsafe { line.cast::<Vector>().add(at % (64 / BYTES)).read() }
            }

            #[allow(clippy::modulo_one, reason = "a line may be one vector")]
            pub(super) fn store<T: Copy, const COUNT: usize>(
                lines: &mut [Line<T, COUNT>],
                at: usize,
                vector: Vector,
            ) {
                const { assert!(size_of::<T>() * COUNT == 64) };
                let line = &raw mut lines[at / (64 / BYTES)];
                // SAFETY: as above, written; elements are integers, so any bits will do.
                unsafe { line.cast::<Vector>().add(at % (64 / BYTES)).write(vector) }
            }

            pub(super) fn store_bytes(bytes: &mut [u8], at: usize, vector: Vector) {
                let part = &mut bytes[BYTES * at..][..BYTES];
                // SAFETY: there is room for the vector, and the store asks for no alignment.
                unsafe { part.as_mut_ptr().cast::<Vector>().write_unaligned(vector) }
            }

            /// Adds to each neuron's sum four activations times their weights.
            pub(super) fn dot(sum: Vector, inputs: Vector, weights: Vector) -> Vector {
                add32(sum, widen(products(inputs, weights)))
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
mod line_avx2;
#[cfg(target_arch = "x86_64")]
mod line_avx512;
#[cfg(target_arch = "wasm32")]
mod line_simd128;

use super::{
    inputs::{JOINED, JOINED_ROWS},
    kernels::{CHANGED, Layers, Line, Line16, Pair, SHORT, Tables},
};
use crate::games::einstein::learned::steps::Logits;
use crate::learned::network::{ACTIVATION_MAX, SHIFT};

/// Kernels over the operations of `$operations` and the dot product `$dot`, for `$features`.
/// Closures would not be inlined and would pass vectors through memory.
macro_rules! kernels {
    ($name:ident, $features:literal, $operations:ident, $dot:path, $short_sums:literal) => {
        pub(super) mod $name {
            use super::$operations::{self as v, BYTES};
            use super::*;

            /// Vectors of the widest first layer.
            const MAX_VECTORS: usize = 1024 / BYTES;

            /// Adds rows to sums, or subtracts them.
            macro_rules! add_rows {
                ($table:expr, $rows:expr, $sums:expr) => {
                    add_rows!($table, $rows, $sums, add16)
                };
                ($table:expr, $rows:expr, $sums:expr, $add:ident) => {
                    // Of known length, so that no index is checked.
                    let table = &$table[..JOINED_ROWS * (FIRST / 32)];
                    for row in $rows {
                        // A branch: masks would be computed in vectors, and extracting numbers from
                        // those costs more.
                        assert!(usize::from(*row) < JOINED_ROWS);
                        let from = usize::from(*row) * (2 * FIRST / BYTES);
                        for at in 0..2 * FIRST / BYTES {
                            $sums[at] = v::$add($sums[at], v::load(table, from + at));
                        }
                    }
                };
            }

            #[target_feature(enable = $features)]
            pub(in super::super) fn sum_rows<const FIRST: usize>(
                table: &[Line16],
                rows: &[u16; JOINED],
                out: &mut [Line16],
            ) {
                let out = &mut out[..FIRST / 32];
                let mut sums = [v::zero(); MAX_VECTORS];
                add_rows!(table, rows, sums);
                for at in 0..2 * FIRST / BYTES {
                    v::store(out, at, sums[at]);
                }
            }

            #[target_feature(enable = $features)]
            pub(in super::super) fn change_rows<const FIRST: usize>(
                table: &[Line16],
                before: &[Line16],
                gone: &[u16; CHANGED],
                come: &[u16; CHANGED],
                out: &mut [Line16],
            ) {
                let (before, out) = (&before[..FIRST / 32], &mut out[..FIRST / 32]);
                let mut sums = [v::zero(); MAX_VECTORS];
                for at in 0..2 * FIRST / BYTES {
                    sums[at] = v::load(before, at);
                }
                add_rows!(table, gone, sums, sub16);
                add_rows!(table, come, sums);
                for at in 0..2 * FIRST / BYTES {
                    v::store(out, at, sums[at]);
                }
            }

            /// The second layer's contribution to the logit, in parts for [`v::total`], for as many
            /// positions as there are activations; `PARTS` accumulators, by input.
            #[inline]
            #[target_feature(enable = $features)]
            fn forward<
                const FIRST: usize,
                const SECOND: usize,
                const COUNT: usize,
                const PARTS: usize,
            >(
                layers: &Layers,
                activations: &mut [Activations<FIRST>; COUNT],
            ) -> [v::Vector; COUNT] {
                const { assert!(FIRST % (4 * PARTS) == 0 && SECOND * 4 / BYTES <= v::SECOND_LAYER) };
                let vectors = const { SECOND * 4 / BYTES };
                let hidden = &layers.hidden[..FIRST * SECOND / 64];
                let bias = &layers.bias[..SECOND / 16];
                // Otherwise the compiler extracts them from registers by shuffles, which cost more
                // than loads.
                let activations = std::hint::black_box(activations);
                let mut sums = [[[v::zero(); v::SECOND_LAYER]; PARTS]; COUNT];
                for position in 0..COUNT {
                    for at in 0..vectors {
                        sums[position][0][at] = v::load(bias, at);
                    }
                }
                for step in 0..FIRST / (4 * PARTS) {
                    for part in 0..PARTS {
                        let four = PARTS * step + part;
                        let mut inputs = [v::zero(); COUNT];
                        for position in 0..COUNT {
                            inputs[position] = v::broadcast(i32::from_le_bytes(
                                activations[position].0.as_chunks::<4>().0[four],
                            ));
                        }
                        for at in 0..vectors {
                            let weights = v::load(hidden, four * vectors + at);
                            for position in 0..COUNT {
                                sums[position][part][at] =
                                    $dot(sums[position][part][at], inputs[position], weights);
                            }
                        }
                    }
                }
                let mut totals = [v::zero(); COUNT];
                for position in 0..COUNT {
                    for at in 0..vectors {
                        for part in 1..PARTS {
                            sums[position][0][at] =
                                v::add32(sums[position][0][at], sums[position][part][at]);
                        }
                    }
                    totals[position] = outputs::<SECOND>(layers, &sums[position][0]);
                }
                totals
            }

            /// [`forward`] of one position for layers with [`Layers::short_sums`]: products are
            /// summed in 16 bits over sixteen inputs.
            #[inline]
            #[target_feature(enable = $features)]
            fn forward_by_short_sums<const FIRST: usize, const SECOND: usize>(
                layers: &Layers,
                activations: &mut Activations<FIRST>,
            ) -> v::Vector {
                let vectors = const { SECOND * 4 / BYTES };
                let hidden = &layers.hidden[..FIRST * SECOND / 64];
                let bias = &layers.bias[..SECOND / 16];
                // As above.
                let activations = std::hint::black_box(activations);
                let mut sums = [v::zero(); v::SECOND_LAYER];
                for at in 0..vectors {
                    sums[at] = v::load(bias, at);
                }
                for step in 0..FIRST / SHORT {
                    let mut inputs = [v::zero(); SHORT / 4];
                    for four in 0..SHORT / 4 {
                        inputs[four] = v::broadcast(i32::from_le_bytes(
                            activations.0.as_chunks::<4>().0[step * (SHORT / 4) + four],
                        ));
                    }
                    for at in 0..vectors {
                        let mut products = v::zero();
                        for four in 0..SHORT / 4 {
                            let weights =
                                v::load(hidden, (step * (SHORT / 4) + four) * vectors + at);
                            products = v::add16(products, v::products(inputs[four], weights));
                        }
                        sums[at] = v::add32(sums[at], v::widen(products));
                    }
                }
                outputs::<SECOND>(layers, &sums)
            }

            /// Contribution of neurons with these sums to the logit, in parts for [`v::total`].
            #[inline]
            #[target_feature(enable = $features)]
            fn outputs<const SECOND: usize>(
                layers: &Layers,
                sums: &[v::Vector; v::SECOND_LAYER],
            ) -> v::Vector {
                let vectors = const { SECOND * 4 / BYTES };
                let output = &layers.output[..SECOND / 16];
                let mut total = v::zero();
                // Two vectors at a time; an odd one goes with zeros.
                for at in (0..vectors).step_by(2) {
                    let weights = v::pack(
                        v::load(output, at),
                        if at + 1 < vectors {
                            v::load(output, at + 1)
                        } else {
                            v::zero()
                        },
                    );
                    total = v::add32(total, v::output(sums[at], sums[at + 1], weights));
                }
                total
            }

            #[target_feature(enable = $features)]
            pub(in super::super) fn logit<const FIRST: usize, const SECOND: usize>(
                tables: &Tables,
                layers: &Layers,
                rows: &[[u16; JOINED]; 2],
            ) -> i32 {
                let mut sums = [v::zero(); MAX_VECTORS];
                add_rows!(tables.mover, &rows[0], sums);
                add_rows!(tables.other, &rows[1], sums);
                let mut activations = [Activations([0; FIRST])];
                for at in 0..FIRST / BYTES {
                    v::store_bytes(
                        &mut activations[0].0,
                        at,
                        v::activations(sums[2 * at], sums[2 * at + 1]),
                    );
                }
                let [activations] = &mut activations;
                let sums = if $short_sums && layers.short_sums {
                    forward_by_short_sums::<FIRST, SECOND>(layers, activations)
                } else {
                    forward::<FIRST, SECOND, 1, { v::PARTS }>(
                        layers,
                        std::array::from_mut(activations),
                    )[0]
                };
                layers.output_bias + v::total(sums)
            }

            #[target_feature(enable = $features)]
            pub(in super::super) fn logits<const FIRST: usize, const SECOND: usize>(
                layers: &Layers,
                movers: &[Line16],
                others: &[Line16],
                pairs: &[Pair],
                out: &mut Logits,
            ) {
                // The next positions' activations are computed before these are used, since loads
                // wait long for a recent store.
                let [these, next] = &mut [const { [const { Activations([0; FIRST]) }; GROUP] }; 2];
                let (mut these, mut next) = (these, next);
                let mut rest = pairs.chunks(GROUP);
                let mut pairs = rest.next().unwrap_or_default();
                activate(movers, others, pairs, these);
                for out in out.as_chunks_mut::<GROUP>().0 {
                    let following = rest.next().unwrap_or_default();
                    activate(movers, others, following, next);
                    let mut sums = [v::zero(); GROUP];
                    if $short_sums && layers.short_sums {
                        for position in 0..pairs.len() {
                            sums[position] = forward_by_short_sums::<FIRST, SECOND>(
                                layers,
                                &mut these[position],
                            );
                        }
                    } else if v::TOGETHER == GROUP {
                        match pairs.len() {
                            1 => forward_into::<FIRST, SECOND, 1, { v::PARTS }>(
                                layers, these, &mut sums,
                            ),
                            2 => forward_into::<FIRST, SECOND, 2, { v::PARTS_OF_TWO }>(
                                layers, these, &mut sums,
                            ),
                            3 => forward_into::<FIRST, SECOND, 3, 1>(layers, these, &mut sums),
                            _ => forward_into::<FIRST, SECOND, GROUP, 1>(layers, these, &mut sums),
                        }
                    } else {
                        // A single rest repeats an earlier position.
                        for two in 0..pairs.len().div_ceil(2) {
                            let (activations, sums) = (&mut these[2 * two..], &mut sums[2 * two..]);
                            forward_into::<FIRST, SECOND, 2, { v::PARTS_OF_TWO }>(
                                layers,
                                activations,
                                sums,
                            );
                        }
                    }
                    v::store_totals(out, sums, layers.output_bias);
                    if following.is_empty() {
                        break;
                    }
                    std::mem::swap(&mut these, &mut next);
                    pairs = following;
                }
            }

            #[inline]
            #[target_feature(enable = $features)]
            fn activate<const FIRST: usize>(
                movers: &[Line16],
                others: &[Line16],
                pairs: &[Pair],
                all: &mut [Activations<FIRST>; GROUP],
            ) {
                for number in 0..pairs.len().min(GROUP) {
                    let (pair, activations) = (pairs[number], &mut all[number]);
                    let mover = &movers[usize::from(pair[0]) * (FIRST / 32)..][..FIRST / 32];
                    let other = &others[usize::from(pair[1]) * (FIRST / 32)..][..FIRST / 32];
                    for at in 0..FIRST / BYTES {
                        let low = v::add16(v::load(mover, 2 * at), v::load(other, 2 * at));
                        let high = v::add16(v::load(mover, 2 * at + 1), v::load(other, 2 * at + 1));
                        v::store_bytes(&mut activations.0, at, v::activations(low, high));
                    }
                }
            }

            /// [`forward`] of the first few of some positions.
            #[inline]
            #[target_feature(enable = $features)]
            fn forward_into<
                const FIRST: usize,
                const SECOND: usize,
                const COUNT: usize,
                const PARTS: usize,
            >(
                layers: &Layers,
                activations: &mut [Activations<FIRST>],
                sums: &mut [v::Vector],
            ) {
                if let (Some(activations), Some(sums)) =
                    (activations.first_chunk_mut(), sums.first_chunk_mut())
                {
                    *sums = forward::<FIRST, SECOND, COUNT, PARTS>(layers, activations);
                }
            }
        }
    };
}

/// Positions whose logits are computed together.
const GROUP: usize = 4;

#[repr(C, align(64))]
struct Activations<const FIRST: usize>([u8; FIRST]);

#[cfg(target_arch = "wasm32")]
kernels!(simd128, "simd128", line_simd128, line_simd128::dot, true);
#[cfg(target_arch = "x86_64")]
kernels!(avx2, "avx2", line_avx2, line_avx2::dot, true);
#[cfg(target_arch = "x86_64")]
kernels!(
    avx512,
    "avx2,avx512f,avx512bw",
    line_avx512,
    line_avx512::dot,
    true
);
#[cfg(target_arch = "x86_64")]
kernels!(
    vnni,
    "avx2,avx512f,avx512bw,avx512vnni",
    line_avx512,
    std::arch::x86_64::_mm512_dpbusd_epi32,
    false
);
