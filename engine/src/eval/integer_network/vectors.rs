//! The kernels of an integer network for x86-64: AVX2, AVX-512, and AVX-512 with VNNI.
//!
//! One text for all of them, over a few operations on the vectors of each. The products of four activations with the
//! weights of a neuron are added up in 32 bits: by one instruction of VNNI, otherwise by way of two sums of two products in 16
//! bits, which cannot saturate. Several positions are taken through the second layer at a time, so that its weights are
//! loaded once. Invariant: the integers of `kernels.rs`.
#![allow(unsafe_code)]

use super::inputs::{JOINED, JOINED_ROWS};
use super::kernels::{IntegerInstructions, Layers, Line, Line16, Pair, Tables};
use super::{FULL, SHIFT};

/// Defines a function that goes on with the one of its name for the instruction set in use.
macro_rules! dispatched {
    ($(#[$documentation:meta])* fn $name:ident<$(const $constant:ident),*>($($argument:ident: $type:ty),*) $(-> $result:ty)?) => {
        $(#[$documentation])*
        #[inline]
        pub(super) fn $name<$(const $constant: usize),*>(set: IntegerInstructions, $($argument: $type),*) $(-> $result)? {
            debug_assert!(set.is_available());
            // SAFETY: a network only holds instruction sets of which `is_available` said that the processor has them
            // (`IntegerNetwork::on`, `IntegerInstructions::detect`); the functions themselves are safe code.
            unsafe {
                match set {
                    IntegerInstructions::Portable | IntegerInstructions::Avx2 => avx2::$name::<$($constant),*>($($argument),*),
                    IntegerInstructions::Avx512 => avx512::$name::<$($constant),*>($($argument),*),
                    IntegerInstructions::Avx512Vnni => vnni::$name::<$($constant),*>($($argument),*),
                }
            }
        }
    };
}

dispatched! {
    /// [`super::kernels::logit`] on any set but the portable one.
    fn logit<const FIRST, const SECOND>(tables: &Tables, layers: &Layers, rows: &[[u16; JOINED]; 2]) -> i32
}

dispatched! {
    /// [`super::kernels::sum_rows`], likewise.
    fn sum_rows<const FIRST>(table: &[Line16], rows: &[u16; JOINED], out: &mut [Line16])
}

dispatched! {
    /// [`super::kernels::logits`], likewise.
    fn logits<const FIRST, const SECOND>(layers: &Layers, movers: &[Line16], others: &[Line16], pairs: &[Pair], out: &mut [i32])
}

/// The kernels over the operations of `$operations` and the dot product `$dot`, for `$features`.
macro_rules! kernels {
    ($name:ident, $features:literal, $operations:ident, $dot:ident) => {
        mod $name {
            use super::$operations::{self as v, BYTES, Vector};
            use super::*;

            /// Sums a vector has in 16 bits, and vectors of these that become one of activations.
            const SUMS: usize = BYTES / 2;
            /// Neurons a vector has in 32 bits.
            const NEURONS: usize = BYTES / 4;

            /// Vector `at` of the sum of some rows.
            #[inline]
            #[target_feature(enable = $features)]
            fn sum<const FIRST: usize>(table: &[Line16], rows: &[u16; JOINED], at: usize) -> Vector {
                // Of known length, so that no index is checked.
                let table = &table[..JOINED_ROWS * (FIRST / 32)];
                let part = |row: u16| v::load(table, (usize::from(row) % JOINED_ROWS) * (2 * FIRST / BYTES) + at);
                // Two chains of additions.
                let (mut even, mut odd) = (part(rows[0]), part(rows[1]));
                for pair in rows[2..].as_chunks::<2>().0 {
                    even = v::add16(even, part(pair[0]));
                    odd = v::add16(odd, part(pair[1]));
                }
                v::add16(even, odd)
            }

            #[target_feature(enable = $features)]
            pub(super) fn sum_rows<const FIRST: usize>(table: &[Line16], rows: &[u16; JOINED], out: &mut [Line16]) {
                let out = &mut out[..FIRST / 32];
                for at in 0..FIRST / SUMS {
                    v::store(out, at, sum::<FIRST>(table, rows, at));
                }
            }

            /// The activations of the first layer from its sums.
            #[inline]
            #[target_feature(enable = $features)]
            fn activate<const FIRST: usize>(out: &mut [Line<u8, 64>; 4], sums: impl Fn(usize) -> Vector) {
                for at in 0..FIRST / BYTES {
                    v::store(&mut out[..], at, v::activations(sums(2 * at), sums(2 * at + 1)));
                }
            }

            /// The logits of as many positions as there are activations; sums are kept in `PARTS`, by input.
            #[inline]
            #[target_feature(enable = $features)]
            fn forward<const FIRST: usize, const SECOND: usize, const COUNT: usize, const PARTS: usize>(
                layers: &Layers,
                activations: &mut [[Line<u8, 64>; 4]; COUNT],
            ) -> [i32; COUNT] {
                const { assert!(FIRST % (4 * PARTS) == 0 && SECOND / NEURONS <= 4 && FIRST <= 256) };
                let vectors = SECOND / NEURONS;
                let hidden = &layers.hidden[..FIRST * SECOND / 64];
                let (bias, output) = (&layers.bias[..SECOND / 16], &layers.output[..SECOND / 16]);
                // Else the compiler takes them out of registers, by shuffles, which cost more than loads.
                let activations = std::hint::black_box(activations);
                let mut sums = [[[v::zero(); 4]; PARTS]; COUNT];
                for sums in &mut sums {
                    for at in 0..vectors {
                        sums[0][at] = v::load(bias, at);
                    }
                }
                for quad in 0..FIRST / 4 / PARTS {
                    for part in 0..PARTS {
                        let four = PARTS * quad + part;
                        let inputs: [Vector; COUNT] = std::array::from_fn(|position| {
                            let bytes = activations[position][four / 16].0.as_chunks::<4>().0[four % 16];
                            v::broadcast(i32::from_le_bytes(bytes))
                        });
                        for at in 0..vectors {
                            let weights = v::load(hidden, four * vectors + at);
                            for position in 0..COUNT {
                                sums[position][part][at] = $dot(sums[position][part][at], inputs[position], weights);
                            }
                        }
                    }
                }
                let outputs = sums.map(|parts| {
                    let mut total = v::zero();
                    for at in 0..vectors {
                        let sum = parts.iter().skip(1).fold(parts[0][at], |sum, part| v::add32(sum, part[at]));
                        total = v::add32(total, v::output(sum, v::load(output, at)));
                    }
                    total
                });
                outputs.map(|total| layers.output_bias + v::total(total))
            }

            #[target_feature(enable = $features)]
            pub(super) fn logit<const FIRST: usize, const SECOND: usize>(
                tables: &Tables,
                layers: &Layers,
                rows: &[[u16; JOINED]; 2],
            ) -> i32 {
                let mut activations = [[Line([0u8; 64]); 4]; 1];
                activate::<FIRST>(&mut activations[0], |at| {
                    v::add16(sum::<FIRST>(&tables.mover, &rows[0], at), sum::<FIRST>(&tables.other, &rows[1], at))
                });
                forward::<FIRST, SECOND, 1, 4>(layers, &mut activations)[0]
            }

            #[target_feature(enable = $features)]
            pub(super) fn logits<const FIRST: usize, const SECOND: usize>(
                layers: &Layers,
                movers: &[Line16],
                others: &[Line16],
                pairs: &[Pair],
                out: &mut [i32],
            ) {
                let (groups, rest) = pairs.as_chunks::<{ v::TOGETHER }>();
                let (out, last) = out.split_at_mut(groups.len() * v::TOGETHER);
                for (pairs, out) in groups.iter().zip(out.as_chunks_mut::<{ v::TOGETHER }>().0) {
                    *out = some::<FIRST, SECOND, { v::TOGETHER }, 1>(layers, movers, others, pairs);
                }
                for (pair, out) in rest.iter().zip(last) {
                    [*out] = some::<FIRST, SECOND, 1, 4>(layers, movers, others, &[*pair]);
                }
            }

            #[inline]
            #[target_feature(enable = $features)]
            fn some<const FIRST: usize, const SECOND: usize, const COUNT: usize, const PARTS: usize>(
                layers: &Layers,
                movers: &[Line16],
                others: &[Line16],
                pairs: &[Pair; COUNT],
            ) -> [i32; COUNT] {
                let mut activations = [[Line([0u8; 64]); 4]; COUNT];
                for (pair, activations) in pairs.iter().zip(&mut activations) {
                    let [mover, other] = [(movers, pair[0]), (others, pair[1])]
                        .map(|(sums, index)| &sums[usize::from(index) * (FIRST / 32)..][..FIRST / 32]);
                    activate::<FIRST>(activations, |at| v::add16(v::load(mover, at), v::load(other, at)));
                }
                forward::<FIRST, SECOND, COUNT, PARTS>(layers, &mut activations)
            }
        }
    };
}

kernels!(avx2, "avx2", halves, dot_in_halves);
kernels!(avx512, "avx512f,avx512bw", whole, dot_in_whole);
kernels!(vnni, "avx512f,avx512bw,avx512vnni", whole, dot_in_fours);

use std::arch::x86_64::*;

/// Adds to each neuron's sum four activations times their weights.
#[inline]
#[target_feature(enable = "avx2")]
fn dot_in_halves(sum: __m256i, inputs: __m256i, weights: __m256i) -> __m256i {
    _mm256_add_epi32(sum, _mm256_madd_epi16(_mm256_maddubs_epi16(inputs, weights), _mm256_set1_epi16(1)))
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn dot_in_whole(sum: __m512i, inputs: __m512i, weights: __m512i) -> __m512i {
    _mm512_add_epi32(sum, _mm512_madd_epi16(_mm512_maddubs_epi16(inputs, weights), _mm512_set1_epi16(1)))
}

#[inline]
#[target_feature(enable = "avx512f,avx512vnni")]
fn dot_in_fours(sum: __m512i, inputs: __m512i, weights: __m512i) -> __m512i {
    _mm512_dpbusd_epi32(sum, inputs, weights)
}

/// Operations on vectors of half a line.
mod halves {
    use super::*;

    pub(super) type Vector = __m256i;
    pub(super) const BYTES: usize = 32;
    /// Positions taken through the second layer together: 8 sums, 2 inputs, weights and products fill 16 registers.
    pub(super) const TOGETHER: usize = 2;

    /// Half `at` of some lines.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn load<T: Copy, const COUNT: usize>(lines: &[Line<T, COUNT>], at: usize) -> Vector {
        const { assert!(size_of::<T>() * COUNT == 64) };
        let line = &raw const lines[at / 2];
        // SAFETY: a line has 64 bytes and is aligned to as many; this reads its first or its last 32.
        unsafe { _mm256_load_si256(line.cast::<Vector>().add(at % 2)) }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn store<T: Copy, const COUNT: usize>(lines: &mut [Line<T, COUNT>], at: usize, vector: Vector) {
        const { assert!(size_of::<T>() * COUNT == 64) };
        let line = &raw mut lines[at / 2];
        // SAFETY: as above, written; elements are integers, so any bits will do.
        unsafe { _mm256_store_si256(line.cast::<Vector>().add(at % 2), vector) }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn zero() -> Vector {
        _mm256_setzero_si256()
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn add16(a: Vector, b: Vector) -> Vector {
        _mm256_add_epi16(a, b)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn add32(a: Vector, b: Vector) -> Vector {
        _mm256_add_epi32(a, b)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn broadcast(four: i32) -> Vector {
        _mm256_set1_epi32(four)
    }

    /// Sums of the first layer as activations, in order.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn activations(low: Vector, high: Vector) -> Vector {
        const DOWN: i32 = SHIFT as i32;
        let packed = _mm256_packus_epi16(_mm256_srai_epi16::<DOWN>(low), _mm256_srai_epi16::<DOWN>(high));
        // Packing works in 128-bit halves.
        _mm256_min_epu8(_mm256_permute4x64_epi64::<0b11_01_10_00>(packed), _mm256_set1_epi8(127))
    }

    /// Sums of the second layer, clipped, times the weights of the output. Both fit 16 bits, so one instruction multiplies.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn output(sums: Vector, weights: Vector) -> Vector {
        let clipped = _mm256_min_epi32(_mm256_max_epi32(sums, zero()), _mm256_set1_epi32(FULL));
        _mm256_madd_epi16(clipped, weights)
    }

    /// The sum of all eight.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn total(sums: Vector) -> i32 {
        let four = _mm_add_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256::<1>(sums));
        let two = _mm_add_epi32(four, _mm_shuffle_epi32::<0b01_00_11_10>(four));
        _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32::<0b10_11_00_01>(two)))
    }
}

/// Operations on vectors of a line.
mod whole {
    use super::*;

    pub(super) type Vector = __m512i;
    pub(super) const BYTES: usize = 64;
    /// Positions taken through the second layer together.
    pub(super) const TOGETHER: usize = 4;

    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn load<T: Copy, const COUNT: usize>(lines: &[Line<T, COUNT>], at: usize) -> Vector {
        const { assert!(size_of::<T>() * COUNT == 64) };
        // SAFETY: a line has 64 bytes and is aligned to as many.
        unsafe { _mm512_load_si512((&raw const lines[at]).cast()) }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn store<T: Copy, const COUNT: usize>(lines: &mut [Line<T, COUNT>], at: usize, vector: Vector) {
        const { assert!(size_of::<T>() * COUNT == 64) };
        // SAFETY: as above, written; elements are integers, so any bits will do.
        unsafe { _mm512_store_si512((&raw mut lines[at]).cast(), vector) }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn zero() -> Vector {
        _mm512_setzero_si512()
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) fn add16(a: Vector, b: Vector) -> Vector {
        _mm512_add_epi16(a, b)
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn add32(a: Vector, b: Vector) -> Vector {
        _mm512_add_epi32(a, b)
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn broadcast(four: i32) -> Vector {
        _mm512_set1_epi32(four)
    }

    /// As in `halves`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) fn activations(low: Vector, high: Vector) -> Vector {
        let packed = _mm512_packus_epi16(_mm512_srai_epi16::<SHIFT>(low), _mm512_srai_epi16::<SHIFT>(high));
        // Packing works in 128-bit quarters.
        let order = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
        _mm512_min_epu8(_mm512_permutexvar_epi64(order, packed), _mm512_set1_epi8(127))
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) fn output(sums: Vector, weights: Vector) -> Vector {
        let clipped = _mm512_min_epi32(_mm512_max_epi32(sums, zero()), _mm512_set1_epi32(FULL));
        _mm512_madd_epi16(clipped, weights)
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn total(sums: Vector) -> i32 {
        _mm512_reduce_add_epi32(sums)
    }
}
