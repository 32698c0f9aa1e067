//! Kernel operations on 256-bit vectors.
#![allow(unsafe_code)]

use super::{ACTIVATION_MAX, CacheLine, POSITIONS_PER_GROUP, SHIFT, horizontal_sums};
use std::arch::x86_64::*;
pub(super) use std::arch::x86_64::{
    _mm256_add_epi16 as add16,
    _mm256_add_epi32 as add32,
    // Two products, at most 2 · 127 · 128, fit 16 bits.
    _mm256_maddubs_epi16 as maddubs,
    _mm256_packs_epi32 as pack,
    _mm256_set1_epi32 as broadcast,
    _mm256_setzero_si256 as zero,
    _mm256_sub_epi16 as sub16,
};

pub(super) type Vector = __m256i;
pub(super) const VECTOR_BYTES: usize = 32;
pub(super) const MAX_SECOND_LAYER_VECTORS: usize = 4;
/// Positions evaluated together: 8 sums, 2 inputs, weights and products fill the 16 registers.
pub(super) const POSITIONS_PER_BATCH: usize = 2;
pub(super) const ACC_CHAINS_FOR_TWO_POSITIONS: usize = 1;
pub(super) const ACC_CHAINS: usize = 2;

pub(super) use horizontal_sums::sum_of_eight as total;

common_operations!(["avx2"]);

compiled_for! {
    ["avx2"]

    pub(super) fn sum_adjacent_i16(numbers: Vector) -> Vector {
        _mm256_madd_epi16(numbers, _mm256_set1_epi16(1))
    }

    pub(super) fn activations(low: Vector, high: Vector) -> Vector {
        const ROUND_DOWN: i32 = SHIFT as i32;
        let packed = _mm256_packus_epi16(
            _mm256_srai_epi16::<ROUND_DOWN>(low),
            _mm256_srai_epi16::<ROUND_DOWN>(high),
        );
        _mm256_min_epu8(packed, _mm256_set1_epi8(127))
    }

    /// Products of clipped sums with output weights; packing clips at 0 and 65,535.
    pub(super) fn output_products(first: Vector, second: Vector, weights: Vector) -> Vector {
        let clipped = _mm256_min_epu16(
            _mm256_packus_epi32(first, second),
            _mm256_set1_epi16(ACTIVATION_MAX as i16),
        );
        _mm256_madd_epi16(clipped, weights)
    }

    pub(super) fn store_totals(out: &mut [i32; POSITIONS_PER_GROUP], vectors: [Vector; POSITIONS_PER_GROUP], more: i32) {
        horizontal_sums::store_totals(
            out,
            _mm_add_epi32(horizontal_sums::sums_of_eights(vectors), _mm_set1_epi32(more)),
        );
    }
}
