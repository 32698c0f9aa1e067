//! The kernels of an integer network for x86-64: AVX2, AVX-512, and AVX-512 with VNNI.
//!
//! One text for all of them, over a few operations on the vectors of each. The products of four activations with the
//! weights of a neuron are added up in 32 bits: by one instruction of VNNI, otherwise by way of two sums of two products in 16
//! bits, which cannot saturate. Several positions are taken through the second layer at a time, so that its weights are
//! loaded once. Invariant: the integers of `kernels.rs`.
#![allow(unsafe_code)]

use super::inputs::{JOINED, JOINED_ROWS};
use super::kernels::{CHANGED, IntegerInstructions, Layers, Line, Line16, Pair, Tables};
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
    /// [`super::kernels::change_rows`], likewise.
    fn change_rows<const FIRST>(table: &[Line16], before: &[Line16], gone: &[u16; CHANGED], come: &[u16; CHANGED], out: &mut [Line16])
}

dispatched! {
    /// [`super::kernels::logits`], likewise.
    fn logits<const FIRST, const SECOND>(layers: &Layers, movers: &[Line16], others: &[Line16], pairs: &[Pair], out: &mut [i32])
}

/// The kernels over the operations of `$operations` and the dot product `$dot`, for `$features`. There are no closures in
/// them: the compiler would not inline those, and hand vectors over in memory.
macro_rules! kernels {
    ($name:ident, $features:literal, $operations:ident, $dot:ident) => {
        mod $name {
            use super::$operations::{self as v, BYTES};
            use super::*;

            /// Vectors that the widest first layer takes.
            const MOST: usize = 512 / BYTES;

            /// Adds rows to sums, or takes them away.
            macro_rules! add_rows {
                ($table:expr, $rows:expr, $sums:expr) => {
                    add_rows!($table, $rows, $sums, add16)
                };
                ($table:expr, $rows:expr, $sums:expr, $add:ident) => {
                    // Of known length, so that no index is checked.
                    let table = &$table[..JOINED_ROWS * (FIRST / 32)];
                    for row in $rows {
                        // A branch: masks would be computed in vectors, and taking numbers out of those costs more.
                        assert!(usize::from(*row) < JOINED_ROWS);
                        let from = usize::from(*row) * (2 * FIRST / BYTES);
                        for at in 0..2 * FIRST / BYTES {
                            $sums[at] = v::$add($sums[at], v::load(table, from + at));
                        }
                    }
                };
            }

            #[target_feature(enable = $features)]
            pub(super) fn sum_rows<const FIRST: usize>(table: &[Line16], rows: &[u16; JOINED], out: &mut [Line16]) {
                let out = &mut out[..FIRST / 32];
                let mut sums = [v::zero(); MOST];
                add_rows!(table, rows, sums);
                for at in 0..2 * FIRST / BYTES {
                    v::store(out, at, sums[at]);
                }
            }

            #[target_feature(enable = $features)]
            pub(super) fn change_rows<const FIRST: usize>(
                table: &[Line16],
                before: &[Line16],
                gone: &[u16; CHANGED],
                come: &[u16; CHANGED],
                out: &mut [Line16],
            ) {
                let (before, out) = (&before[..FIRST / 32], &mut out[..FIRST / 32]);
                let mut sums = [v::zero(); MOST];
                for at in 0..2 * FIRST / BYTES {
                    sums[at] = v::load(before, at);
                }
                add_rows!(table, gone, sums, sub16);
                add_rows!(table, come, sums);
                for at in 0..2 * FIRST / BYTES {
                    v::store(out, at, sums[at]);
                }
            }

            /// What the neurons of the second layer add to the logit, in parts that [`v::total`] adds up, for as many positions
            /// as there are activations; sums are kept in `PARTS`, by input.
            #[inline]
            #[target_feature(enable = $features)]
            fn forward<const FIRST: usize, const SECOND: usize, const COUNT: usize, const PARTS: usize>(
                layers: &Layers,
                activations: &mut [Activations<FIRST>; COUNT],
            ) -> [v::Vector; COUNT] {
                const { assert!(FIRST % (4 * PARTS) == 0 && SECOND * 4 / BYTES <= 4) };
                let vectors = const { SECOND * 4 / BYTES };
                let hidden = &layers.hidden[..FIRST * SECOND / 64];
                let (bias, output) = (&layers.bias[..SECOND / 16], &layers.output[..SECOND / 16]);
                // Else the compiler takes them out of registers, by shuffles, which cost more than loads.
                let activations = std::hint::black_box(activations);
                let mut sums = [[[v::zero(); 4]; PARTS]; COUNT];
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
                            inputs[position] = v::broadcast(i32::from_le_bytes(activations[position].0.as_chunks::<4>().0[four]));
                        }
                        for at in 0..vectors {
                            let weights = v::load(hidden, four * vectors + at);
                            for position in 0..COUNT {
                                sums[position][part][at] = $dot(sums[position][part][at], inputs[position], weights);
                            }
                        }
                    }
                }
                let mut totals = [v::zero(); COUNT];
                for position in 0..COUNT {
                    for at in 0..vectors {
                        for part in 1..PARTS {
                            sums[position][0][at] = v::add32(sums[position][0][at], sums[position][part][at]);
                        }
                    }
                    // Two vectors at a time; an odd one goes with zeros.
                    for at in (0..vectors).step_by(2) {
                        let weights = v::pack(v::load(output, at), if at + 1 < vectors { v::load(output, at + 1) } else { v::zero() });
                        totals[position] = v::add32(totals[position], v::output(sums[position][0][at], sums[position][0][at + 1], weights));
                    }
                }
                totals
            }

            #[target_feature(enable = $features)]
            pub(super) fn logit<const FIRST: usize, const SECOND: usize>(
                tables: &Tables,
                layers: &Layers,
                rows: &[[u16; JOINED]; 2],
            ) -> i32 {
                let mut sums = [v::zero(); MOST];
                add_rows!(tables.mover, &rows[0], sums);
                add_rows!(tables.other, &rows[1], sums);
                let mut activations = [Activations([0; FIRST])];
                for at in 0..FIRST / BYTES {
                    v::store_bytes(&mut activations[0].0, at, v::activations(sums[2 * at], sums[2 * at + 1]));
                }
                let [sums] = forward::<FIRST, SECOND, 1, { v::PARTS }>(layers, &mut activations);
                layers.output_bias + v::total(sums)
            }

            #[target_feature(enable = $features)]
            pub(super) fn logits<const FIRST: usize, const SECOND: usize>(
                layers: &Layers,
                movers: &[Line16],
                others: &[Line16],
                pairs: &[Pair],
                out: &mut [i32],
            ) {
                let mut activations = [const { Activations([0; FIRST]) }; GROUP];
                for (pairs, out) in pairs.chunks(GROUP).zip(out.chunks_mut(GROUP)) {
                    for (pair, activations) in pairs.iter().zip(&mut activations) {
                        let mover = &movers[usize::from(pair[0]) * (FIRST / 32)..][..FIRST / 32];
                        let other = &others[usize::from(pair[1]) * (FIRST / 32)..][..FIRST / 32];
                        for at in 0..FIRST / BYTES {
                            let low = v::add16(v::load(mover, 2 * at), v::load(other, 2 * at));
                            let high = v::add16(v::load(mover, 2 * at + 1), v::load(other, 2 * at + 1));
                            v::store_bytes(&mut activations.0, at, v::activations(low, high));
                        }
                    }
                    // Where fewer are left, what was there before is computed again for nothing.
                    let mut sums = [v::zero(); GROUP];
                    if v::TOGETHER == GROUP && pairs.len() > 2 {
                        sums = forward::<FIRST, SECOND, GROUP, 1>(layers, &mut activations);
                    } else {
                        let (two, others) = activations.split_at_mut(2);
                        if let (Some(two), Some(others)) = (two.first_chunk_mut::<2>(), others.first_chunk_mut::<2>()) {
                            [sums[0], sums[1]] = forward::<FIRST, SECOND, 2, { v::PARTS_OF_TWO }>(layers, two);
                            if pairs.len() > 2 {
                                [sums[2], sums[3]] = forward::<FIRST, SECOND, 2, { v::PARTS_OF_TWO }>(layers, others);
                            }
                        }
                    }
                    for (out, total) in out.iter_mut().zip(v::totals(sums)) {
                        *out = layers.output_bias + total;
                    }
                }
            }
        }
    };
}

/// Positions whose logits are computed together.
const GROUP: usize = 4;

/// Activations of a first layer.
#[repr(C, align(64))]
struct Activations<const FIRST: usize>([u8; FIRST]);

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
    /// Sums of two positions.
    pub(super) const PARTS_OF_TWO: usize = 1;
    /// Sums of a single position.
    pub(super) const PARTS: usize = 2;

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
    pub(super) fn store_bytes(bytes: &mut [u8], at: usize, vector: Vector) {
        let part = &mut bytes[BYTES * at..][..BYTES];
        // SAFETY: there are 32 bytes, and the store asks for no alignment.
        unsafe { _mm256_storeu_si256(part.as_mut_ptr().cast(), vector) }
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
    pub(super) fn sub16(a: Vector, b: Vector) -> Vector {
        _mm256_sub_epi16(a, b)
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

    /// The weights of two vectors of neurons in one, in the order of [`output`].
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn pack(first: Vector, second: Vector) -> Vector {
        _mm256_packs_epi32(first, second)
    }

    /// Sums of two vectors of neurons, clipped, times their weights. Packing clips at 0 and 65,535; all fits 16 bits then.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn output(first: Vector, second: Vector, weights: Vector) -> Vector {
        let clipped = _mm256_min_epu16(_mm256_packus_epi32(first, second), _mm256_set1_epi16(FULL as i16));
        _mm256_madd_epi16(clipped, weights)
    }

    /// The sums of all eight of each.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn totals([a, b, c, d]: [Vector; GROUP]) -> [i32; GROUP] {
        let quarters = _mm256_hadd_epi32(_mm256_hadd_epi32(a, b), _mm256_hadd_epi32(c, d));
        let sums = _mm_add_epi32(_mm256_castsi256_si128(quarters), _mm256_extracti128_si256::<1>(quarters));
        [_mm_extract_epi32::<0>(sums), _mm_extract_epi32::<1>(sums), _mm_extract_epi32::<2>(sums), _mm_extract_epi32::<3>(sums)]
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
    /// Sums of two positions: as many chains of products as four positions have.
    pub(super) const PARTS_OF_TWO: usize = 2;
    /// Sums of a single position: a product is ready when the next three have begun.
    pub(super) const PARTS: usize = 4;

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
    pub(super) fn store_bytes(bytes: &mut [u8], at: usize, vector: Vector) {
        let part = &mut bytes[BYTES * at..][..BYTES];
        // SAFETY: there are 64 bytes, and the store asks for no alignment.
        unsafe { _mm512_storeu_si512(part.as_mut_ptr().cast(), vector) }
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
    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) fn sub16(a: Vector, b: Vector) -> Vector {
        _mm512_sub_epi16(a, b)
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

    /// As in `halves`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) fn pack(first: Vector, second: Vector) -> Vector {
        _mm512_packs_epi32(first, second)
    }

    /// As in `halves`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) fn output(first: Vector, second: Vector, weights: Vector) -> Vector {
        let clipped = _mm512_min_epu16(_mm512_packus_epi32(first, second), _mm512_set1_epi16(FULL as i16));
        _mm512_madd_epi16(clipped, weights)
    }

    /// The sums of all sixteen of each.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) fn totals([a, b, c, d]: [Vector; GROUP]) -> [i32; GROUP] {
        let first = _mm512_add_epi32(_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
        let second = _mm512_add_epi32(_mm512_unpacklo_epi32(c, d), _mm512_unpackhi_epi32(c, d));
        let quarters = _mm512_add_epi32(_mm512_unpacklo_epi64(first, second), _mm512_unpackhi_epi64(first, second));
        let halves = _mm256_add_epi32(_mm512_castsi512_si256(quarters), _mm512_extracti64x4_epi64::<1>(quarters));
        let sums = _mm_add_epi32(_mm256_castsi256_si128(halves), _mm256_extracti128_si256::<1>(halves));
        [_mm_extract_epi32::<0>(sums), _mm_extract_epi32::<1>(sums), _mm_extract_epi32::<2>(sums), _mm_extract_epi32::<3>(sums)]
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn total(sums: Vector) -> i32 {
        _mm512_reduce_add_epi32(sums)
    }
}
