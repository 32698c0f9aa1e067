//! Network kernels, compiled for each instruction set. Products are added in 32 bits by fours
//! (VNNI, ARM dotprod), or in 16 bits by two, or by eight if the weights allow it
//! (`Layers::i16_sums_fit`).
#![allow(unsafe_code)]

macro_rules! compiled_for {
    ([] $($function:item)*) => {
        $(#[inline(always)] $function)*
    };
    ([$features:literal] $($function:item)*) => {
        $(#[inline] #[target_feature(enable = $features)] $function)*
    };
}

macro_rules! common_operations {
    ([$($features:literal)?]) => {
        compiled_for! {
            [$($features)?]

            /// Loads the vector at index `at`; going by lines takes bounds checks out of loops.
            #[allow(clippy::modulo_one, reason = "a line may be one vector")]
            pub(super) fn load<T: Copy, const COUNT: usize>(
                lines: &[CacheLine<T, COUNT>],
                at: usize,
            ) -> Vector {
                const { assert!(size_of::<T>() * COUNT == 64) };
                let line = &raw const lines[at / (64 / VECTOR_BYTES)];
                // SAFETY: lines have 64 bytes and are aligned to as many; this reads one vector of
                // one.
                unsafe { line.cast::<Vector>().add(at % (64 / VECTOR_BYTES)).read() }
            }

            #[allow(clippy::modulo_one, reason = "a line may be one vector")]
            pub(super) fn store<T: Copy, const COUNT: usize>(
                lines: &mut [CacheLine<T, COUNT>],
                at: usize,
                vector: Vector,
            ) {
                const { assert!(size_of::<T>() * COUNT == 64) };
                let line = &raw mut lines[at / (64 / VECTOR_BYTES)];
                // SAFETY: lines have 64 bytes and are aligned to as many; this writes one vector of
                // integers.
                unsafe { line.cast::<Vector>().add(at % (64 / VECTOR_BYTES)).write(vector) }
            }

            pub(super) fn store_bytes(bytes: &mut [u8], at: usize, vector: Vector) {
                let part = &mut bytes[VECTOR_BYTES * at..][..VECTOR_BYTES];
                // SAFETY: the vector fits; unaligned store.
                unsafe { part.as_mut_ptr().cast::<Vector>().write_unaligned(vector) }
            }

            pub(super) fn dot(sum: Vector, inputs: Vector, weights: Vector) -> Vector {
                add32(sum, sum_adjacent_i16(maddubs(inputs, weights)))
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
mod avx2_ops;
#[cfg(target_arch = "x86_64")]
mod avx512_ops;
#[cfg(target_arch = "x86_64")]
mod horizontal_sums;
#[cfg(target_arch = "aarch64")]
mod neon_dotprod_ops;
#[cfg(target_arch = "aarch64")]
mod neon_ops;
#[cfg(any(test, not(any(target_arch = "x86_64", target_arch = "aarch64"))))]
mod plain_ops;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd128_ops;
#[cfg(target_arch = "x86_64")]
mod sse2_ops;

use super::{
    ACTIVATION_MAX, SHIFT,
    simd_layers::{AccumulatorIndices, CacheLine, I16_SUM_INPUTS, I16Line, Layers, RowChanges},
};

/// Defines the kernels of one instruction set, without closures, which would pass vectors in
/// memory.
macro_rules! kernels {
    ($name:ident, [$($features:literal)?], $operations:ident, $dot:path, $i16_sums_fit:literal) => {
        pub(super) mod $name {
            use super::$operations::{self as v, VECTOR_BYTES};
            use super::*;

            const MAX_VECTORS: usize = 1024 / VECTOR_BYTES;

            macro_rules! add_rows {
                ($table:expr, $rows:expr, $sums:expr, $add:ident) => {
                    for row in $rows {
                        // A bounds check by branch; masks would be computed in vectors.
                        let start = usize::from(*row) * (FIRST_WIDTH / 32);
                        let row = &$table[start..start + FIRST_WIDTH / 32];
                        for at in 0..2 * FIRST_WIDTH / VECTOR_BYTES {
                            $sums[at] = v::$add($sums[at], v::load(row, at));
                        }
                    }
                };
            }

            $(#[target_feature(enable = $features)])?
            pub(in super::super) fn sum_rows<const FIRST_WIDTH: usize, const COUNT: usize>(
                table: &[I16Line],
                rows: &[[u16; COUNT]],
                out: &mut [I16Line],
            ) {
                for (rows, out) in rows.iter().zip(out.chunks_exact_mut(FIRST_WIDTH / 32)) {
                    let mut sums = [v::zero(); MAX_VECTORS];
                    add_rows!(table, rows, sums, add16);
                    for at in 0..2 * FIRST_WIDTH / VECTOR_BYTES {
                        v::store(out, at, sums[at]);
                    }
                }
            }

            $(#[target_feature(enable = $features)])?
            pub(in super::super) fn change_rows<const FIRST_WIDTH: usize, const COUNT: usize>(
                table: &[I16Line],
                before: &[I16Line],
                changes: &[RowChanges<COUNT>],
                out: &mut [I16Line],
            ) {
                let before = &before[..FIRST_WIDTH / 32];
                for (changes, out) in changes.iter().zip(out.chunks_exact_mut(FIRST_WIDTH / 32)) {
                    let mut sums = [v::zero(); MAX_VECTORS];
                    for at in 0..2 * FIRST_WIDTH / VECTOR_BYTES {
                        sums[at] = v::load(before, at);
                    }
                    add_rows!(table, &changes.removed, sums, sub16);
                    add_rows!(table, &changes.added, sums, add16);
                    for at in 0..2 * FIRST_WIDTH / VECTOR_BYTES {
                        v::store(out, at, sums[at]);
                    }
                }
            }

            /// Terms of each position's first logit; [`v::total`] adds up the lanes.
            #[inline]
            $(#[target_feature(enable = $features)])?
            fn forward<
                const FIRST_WIDTH: usize,
                const SECOND_WIDTH: usize,
                const COUNT: usize,
                const ACC_CHAINS: usize,
            >(
                layers: &Layers,
                activations: &mut [Activations<FIRST_WIDTH>; COUNT],
            ) -> [v::Vector; COUNT] {
                let sums = second_layer_sums::<FIRST_WIDTH, SECOND_WIDTH, COUNT, ACC_CHAINS>(
                    layers,
                    activations,
                );
                let mut totals = [v::zero(); COUNT];
                for position in 0..COUNT {
                    totals[position] = output_terms::<SECOND_WIDTH>(&layers.output, &sums[position]);
                }
                totals
            }

            /// Second-layer sums of each position. Each dot product uses `ACC_CHAINS` independent
            /// sums.
            #[inline]
            $(#[target_feature(enable = $features)])?
            fn second_layer_sums<
                const FIRST_WIDTH: usize,
                const SECOND_WIDTH: usize,
                const COUNT: usize,
                const ACC_CHAINS: usize,
            >(
                layers: &Layers,
                activations: &mut [Activations<FIRST_WIDTH>; COUNT],
            ) -> [[v::Vector; v::MAX_SECOND_LAYER_VECTORS]; COUNT] {
                const {
                    assert!(
                        FIRST_WIDTH % (4 * ACC_CHAINS) == 0
                            && SECOND_WIDTH * 4 / VECTOR_BYTES <= v::MAX_SECOND_LAYER_VECTORS
                    )
                };
                let vectors = const { SECOND_WIDTH * 4 / VECTOR_BYTES };
                let hidden = &layers.hidden[..FIRST_WIDTH * SECOND_WIDTH / 64];
                let bias = &layers.bias[..SECOND_WIDTH / 16];
                // Loaded from memory: extracting elements from registers costs more.
                let activations = std::hint::black_box(activations);
                let mut sums = [[[v::zero(); v::MAX_SECOND_LAYER_VECTORS]; ACC_CHAINS]; COUNT];
                for position in 0..COUNT {
                    for at in 0..vectors {
                        sums[position][0][at] = v::load(bias, at);
                    }
                }
                for step in 0..FIRST_WIDTH / (4 * ACC_CHAINS) {
                    for part in 0..ACC_CHAINS {
                        let four = ACC_CHAINS * step + part;
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
                let mut totals = [[v::zero(); v::MAX_SECOND_LAYER_VECTORS]; COUNT];
                for position in 0..COUNT {
                    for at in 0..vectors {
                        for part in 1..ACC_CHAINS {
                            sums[position][0][at] =
                                v::add32(sums[position][0][at], sums[position][part][at]);
                        }
                    }
                    totals[position] = sums[position][0];
                }
                totals
            }

            #[inline]
            $(#[target_feature(enable = $features)])?
            fn forward_by_i16_sums<const FIRST_WIDTH: usize, const SECOND_WIDTH: usize>(
                layers: &Layers,
                activations: &mut Activations<FIRST_WIDTH>,
            ) -> v::Vector {
                let sums = second_layer_i16_sums::<FIRST_WIDTH, SECOND_WIDTH>(layers, activations);
                output_terms::<SECOND_WIDTH>(&layers.output, &sums)
            }

            #[inline]
            $(#[target_feature(enable = $features)])?
            fn second_layer_i16_sums<const FIRST_WIDTH: usize, const SECOND_WIDTH: usize>(
                layers: &Layers,
                activations: &mut Activations<FIRST_WIDTH>,
            ) -> [v::Vector; v::MAX_SECOND_LAYER_VECTORS] {
                let vectors = const { SECOND_WIDTH * 4 / VECTOR_BYTES };
                let hidden = &layers.hidden[..FIRST_WIDTH * SECOND_WIDTH / 64];
                let bias = &layers.bias[..SECOND_WIDTH / 16];
                let activations = std::hint::black_box(activations);
                let mut sums = [v::zero(); v::MAX_SECOND_LAYER_VECTORS];
                for at in 0..vectors {
                    sums[at] = v::load(bias, at);
                }
                for step in 0..FIRST_WIDTH / I16_SUM_INPUTS {
                    let mut inputs = [v::zero(); I16_SUM_INPUTS / 4];
                    for four in 0..I16_SUM_INPUTS / 4 {
                        inputs[four] = v::broadcast(i32::from_le_bytes(
                            activations.0.as_chunks::<4>().0[step * (I16_SUM_INPUTS / 4) + four],
                        ));
                    }
                    for at in 0..vectors {
                        let mut products = v::zero();
                        for four in 0..I16_SUM_INPUTS / 4 {
                            let weights = v::load(
                                hidden,
                                (step * (I16_SUM_INPUTS / 4) + four) * vectors + at,
                            );
                            products = v::add16(products, v::maddubs(inputs[four], weights));
                        }
                        sums[at] = v::add32(sums[at], v::sum_adjacent_i16(products));
                    }
                }
                sums
            }

            /// Terms of the logit of the first output in `output` from second-layer sums;
            /// [`v::total`] adds up the lanes.
            #[inline]
            $(#[target_feature(enable = $features)])?
            fn output_terms<const SECOND_WIDTH: usize>(
                output: &[CacheLine<i32, 16>],
                sums: &[v::Vector; v::MAX_SECOND_LAYER_VECTORS],
            ) -> v::Vector {
                let vectors = const { SECOND_WIDTH * 4 / VECTOR_BYTES };
                let output = &output[..SECOND_WIDTH / 16];
                let mut total = v::zero();
                for at in (0..vectors).step_by(2) {
                    let weights = v::pack(
                        v::load(output, at),
                        if at + 1 < vectors {
                            v::load(output, at + 1)
                        } else {
                            v::zero()
                        },
                    );
                    total = v::add32(total, v::output_products(sums[at], sums[at + 1], weights));
                }
                total
            }

            $(#[target_feature(enable = $features)])?
            pub(in super::super) fn logit<
                const FIRST_WIDTH: usize,
                const SECOND_WIDTH: usize,
                const COUNT: usize,
            >(
                layers: &Layers,
                tables: &[&[I16Line]; 3],
                rows: &[[u16; COUNT]; 2],
                more_rows: &[u16],
            ) -> i32 {
                let mut sums = [v::zero(); MAX_VECTORS];
                add_rows!(tables[0], &rows[0], sums, add16);
                add_rows!(tables[1], &rows[1], sums, add16);
                add_rows!(tables[2], more_rows, sums, add16);
                let mut activations = [Activations([0; FIRST_WIDTH])];
                for at in 0..FIRST_WIDTH / VECTOR_BYTES {
                    v::store_bytes(
                        &mut activations[0].0,
                        at,
                        v::activations(sums[2 * at], sums[2 * at + 1]),
                    );
                }
                let [activations] = &mut activations;
                let sums = if $i16_sums_fit && layers.i16_sums_fit {
                    forward_by_i16_sums::<FIRST_WIDTH, SECOND_WIDTH>(layers, activations)
                } else {
                    forward::<FIRST_WIDTH, SECOND_WIDTH, 1, { v::ACC_CHAINS }>(
                        layers,
                        std::array::from_mut(activations),
                    )[0]
                };
                layers.output_bias[0] + v::total(sums)
            }

            $(#[target_feature(enable = $features)])?
            pub(in super::super) fn logits<const FIRST_WIDTH: usize, const SECOND_WIDTH: usize>(
                layers: &Layers,
                movers: &[I16Line],
                others: &[I16Line],
                pairs: &[AccumulatorIndices],
                out: &mut [i32],
            ) {
                // Stores the next activations before loading these: loads wait for recent stores.
                let [these, next] =
                    &mut [const { [const { Activations([0; FIRST_WIDTH]) }; POSITIONS_PER_GROUP] }; 2];
                let (mut these, mut next) = (these, next);
                let mut rest = pairs.chunks(POSITIONS_PER_GROUP);
                let mut pairs = rest.next().unwrap_or_default();
                fill_activations(movers, others, pairs, these);
                for out in out.as_chunks_mut::<POSITIONS_PER_GROUP>().0 {
                    let following = rest.next().unwrap_or_default();
                    fill_activations(movers, others, following, next);
                    let mut sums = [v::zero(); POSITIONS_PER_GROUP];
                    if $i16_sums_fit && layers.i16_sums_fit {
                        for position in 0..pairs.len() {
                            sums[position] =
                                forward_by_i16_sums::<FIRST_WIDTH, SECOND_WIDTH>(layers, &mut these[position]);
                        }
                    } else if v::POSITIONS_PER_BATCH == POSITIONS_PER_GROUP {
                        match pairs.len() {
                            1 => forward_into::<FIRST_WIDTH, SECOND_WIDTH, 1, { v::ACC_CHAINS }>(
                                layers, these, &mut sums,
                            ),
                            2 => forward_into::<FIRST_WIDTH, SECOND_WIDTH, 2, { v::ACC_CHAINS_FOR_TWO_POSITIONS }>(
                                layers, these, &mut sums,
                            ),
                            3 => forward_into::<FIRST_WIDTH, SECOND_WIDTH, 3, 1>(layers, these, &mut sums),
                            _ => forward_into::<FIRST_WIDTH, SECOND_WIDTH, POSITIONS_PER_GROUP, 1>(
                                layers, these, &mut sums,
                            ),
                        }
                    } else {
                        // An odd last position is paired with old activations.
                        for two in 0..pairs.len().div_ceil(2) {
                            let (activations, sums) = (&mut these[2 * two..], &mut sums[2 * two..]);
                            forward_into::<FIRST_WIDTH, SECOND_WIDTH, 2, { v::ACC_CHAINS_FOR_TWO_POSITIONS }>(
                                layers,
                                activations,
                                sums,
                            );
                        }
                    }
                    v::store_totals(out, sums, layers.output_bias[0]);
                    if following.is_empty() {
                        break;
                    }
                    std::mem::swap(&mut these, &mut next);
                    pairs = following;
                }
            }

            $(#[target_feature(enable = $features)])?
            pub(in super::super) fn output_logits<const FIRST_WIDTH: usize, const SECOND_WIDTH: usize>(
                layers: &Layers,
                sums: &[I16Line],
                out: &mut [i32],
            ) {
                let mut activations = [Activations([0; FIRST_WIDTH])];
                for at in 0..FIRST_WIDTH / VECTOR_BYTES {
                    let [low, high] = [v::load(sums, 2 * at), v::load(sums, 2 * at + 1)];
                    v::store_bytes(&mut activations[0].0, at, v::activations(low, high));
                }
                let sums = if $i16_sums_fit && layers.i16_sums_fit {
                    second_layer_i16_sums::<FIRST_WIDTH, SECOND_WIDTH>(layers, &mut activations[0])
                } else {
                    second_layer_sums::<FIRST_WIDTH, SECOND_WIDTH, 1, { v::ACC_CHAINS }>(
                        layers,
                        &mut activations,
                    )[0]
                };
                let outputs = layers.output.chunks_exact(SECOND_WIDTH / 16);
                for ((logit, output), bias) in out.iter_mut().zip(outputs).zip(layers.output_bias) {
                    *logit = bias + v::total(output_terms::<SECOND_WIDTH>(output, &sums));
                }
            }

            #[inline]
            $(#[target_feature(enable = $features)])?
            fn fill_activations<const FIRST_WIDTH: usize>(
                movers: &[I16Line],
                others: &[I16Line],
                pairs: &[AccumulatorIndices],
                all: &mut [Activations<FIRST_WIDTH>; POSITIONS_PER_GROUP],
            ) {
                for number in 0..pairs.len().min(POSITIONS_PER_GROUP) {
                    let (pair, activations) = (pairs[number], &mut all[number]);
                    let mover = &movers[usize::from(pair[0]) * (FIRST_WIDTH / 32)..][..FIRST_WIDTH / 32];
                    let other = &others[usize::from(pair[1]) * (FIRST_WIDTH / 32)..][..FIRST_WIDTH / 32];
                    for at in 0..FIRST_WIDTH / VECTOR_BYTES {
                        let low = v::add16(v::load(mover, 2 * at), v::load(other, 2 * at));
                        let high = v::add16(v::load(mover, 2 * at + 1), v::load(other, 2 * at + 1));
                        v::store_bytes(&mut activations.0, at, v::activations(low, high));
                    }
                }
            }

            #[inline]
            $(#[target_feature(enable = $features)])?
            fn forward_into<
                const FIRST_WIDTH: usize,
                const SECOND_WIDTH: usize,
                const COUNT: usize,
                const ACC_CHAINS: usize,
            >(
                layers: &Layers,
                activations: &mut [Activations<FIRST_WIDTH>],
                sums: &mut [v::Vector],
            ) {
                if let (Some(activations), Some(sums)) =
                    (activations.first_chunk_mut(), sums.first_chunk_mut())
                {
                    *sums = forward::<FIRST_WIDTH, SECOND_WIDTH, COUNT, ACC_CHAINS>(layers, activations);
                }
            }
        }
    };
}

const POSITIONS_PER_GROUP: usize = 4;

#[repr(C, align(64))]
struct Activations<const FIRST_WIDTH: usize>([u8; FIRST_WIDTH]);

#[cfg(target_arch = "x86_64")]
kernels!(baseline, ["sse2"], sse2_ops, sse2_ops::dot, true);
#[cfg(target_arch = "aarch64")]
kernels!(baseline, ["neon"], neon_ops, neon_ops::dot, true);
#[cfg(target_arch = "aarch64")]
kernels!(
    neon_dotprod,
    ["neon,dotprod"],
    neon_ops,
    neon_dotprod_ops::dot,
    false
);
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
kernels!(baseline, [], plain_ops, plain_ops::dot, true);
#[cfg(test)]
kernels!(plain, [], plain_ops, plain_ops::dot, true);
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
kernels!(simd128, ["simd128"], simd128_ops, simd128_ops::dot, true);
#[cfg(target_arch = "x86_64")]
kernels!(avx2, ["avx2"], avx2_ops, avx2_ops::dot, true);
#[cfg(target_arch = "x86_64")]
kernels!(
    avx512,
    ["avx2,avx512f,avx512bw"],
    avx512_ops,
    avx512_ops::dot,
    true
);
#[cfg(target_arch = "x86_64")]
kernels!(
    vnni,
    ["avx2,avx512f,avx512bw,avx512vnni"],
    avx512_ops,
    std::arch::x86_64::_mm512_dpbusd_epi32,
    false
);
