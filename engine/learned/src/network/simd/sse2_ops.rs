//! Kernel operations on the 128-bit vectors that every x86-64 processor has.
#![allow(unsafe_code)]

use super::{ACTIVATION_MAX, CacheLine, POSITIONS_PER_GROUP, SHIFT};
use std::arch::x86_64::*;
pub(super) use std::arch::x86_64::{
    _mm_add_epi16 as add16, _mm_add_epi32 as add32, _mm_packs_epi32 as pack,
    _mm_set1_epi32 as broadcast, _mm_setzero_si128 as zero, _mm_sub_epi16 as sub16,
};

pub(super) type Vector = __m128i;
pub(super) const VECTOR_BYTES: usize = 16;
pub(super) const MAX_SECOND_LAYER_VECTORS: usize = 8;
pub(super) const POSITIONS_PER_BATCH: usize = 2;
pub(super) const ACC_CHAINS_FOR_TWO_POSITIONS: usize = 1;
pub(super) const ACC_CHAINS: usize = 1;

common_operations!(["sse2"]);

compiled_for! {
    ["sse2"]

    pub(super) fn sum_adjacent_i16(numbers: Vector) -> Vector {
        _mm_madd_epi16(numbers, _mm_set1_epi16(1))
    }

    pub(super) fn maddubs(inputs: Vector, weights: Vector) -> Vector {
        let even = _mm_mullo_epi16(
            _mm_and_si128(inputs, _mm_set1_epi16(0xFF)),
            _mm_srai_epi16::<8>(_mm_slli_epi16::<8>(weights)),
        );
        let odd = _mm_mullo_epi16(_mm_srli_epi16::<8>(inputs), _mm_srai_epi16::<8>(weights));
        _mm_add_epi16(even, odd)
    }

    pub(super) fn activations(low: Vector, high: Vector) -> Vector {
        const ROUND_DOWN: i32 = SHIFT as i32;
        let packed = _mm_packus_epi16(
            _mm_srai_epi16::<ROUND_DOWN>(low),
            _mm_srai_epi16::<ROUND_DOWN>(high),
        );
        _mm_min_epu8(packed, _mm_set1_epi8(127))
    }

    /// Products of clipped sums with output weights; packing clips at the limits of 16 bits.
    pub(super) fn output_products(first: Vector, second: Vector, weights: Vector) -> Vector {
        let clipped = _mm_min_epi16(
            _mm_max_epi16(_mm_packs_epi32(first, second), _mm_setzero_si128()),
            _mm_set1_epi16(ACTIVATION_MAX as i16),
        );
        _mm_madd_epi16(clipped, weights)
    }

    pub(super) fn total(sums: Vector) -> i32 {
        let two = _mm_add_epi32(sums, _mm_shuffle_epi32::<0b01_00_11_10>(sums));
        _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32::<0b10_11_00_01>(two)))
    }

    pub(super) fn store_totals(out: &mut [i32; POSITIONS_PER_GROUP], vectors: [Vector; POSITIONS_PER_GROUP], more: i32) {
        for position in 0..POSITIONS_PER_GROUP {
            out[position] = total(vectors[position]) + more;
        }
    }
}
