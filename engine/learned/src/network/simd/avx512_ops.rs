//! Kernel operations on 512-bit vectors.
#![allow(unsafe_code)]

use super::{ACTIVATION_MAX, CacheLine, POSITIONS_PER_GROUP, SHIFT, horizontal_sums};
use std::arch::x86_64::*;
pub(super) use std::arch::x86_64::{
    _mm512_add_epi16 as add16, _mm512_add_epi32 as add32, _mm512_maddubs_epi16 as maddubs,
    _mm512_packs_epi32 as pack, _mm512_reduce_add_epi32 as total, _mm512_set1_epi32 as broadcast,
    _mm512_setzero_si512 as zero, _mm512_sub_epi16 as sub16,
};

pub(super) type Vector = __m512i;
pub(super) const VECTOR_BYTES: usize = 64;
pub(super) const MAX_SECOND_LAYER_VECTORS: usize = 2;
pub(super) const POSITIONS_PER_BATCH: usize = 4;
pub(super) const ACC_CHAINS_FOR_TWO_POSITIONS: usize = 2;
/// Number of independent sums, which hide the latency of products.
pub(super) const ACC_CHAINS: usize = 4;

common_operations!(["avx2,avx512f,avx512bw"]);

compiled_for! {
    ["avx2,avx512f,avx512bw"]

    pub(super) fn sum_adjacent_i16(numbers: Vector) -> Vector {
        _mm512_madd_epi16(numbers, _mm512_set1_epi16(1))
    }

    pub(super) fn activations(low: Vector, high: Vector) -> Vector {
        let packed = _mm512_packus_epi16(
            _mm512_srai_epi16::<SHIFT>(low),
            _mm512_srai_epi16::<SHIFT>(high),
        );
        _mm512_min_epu8(packed, _mm512_set1_epi8(127))
    }

    pub(super) fn output_products(first: Vector, second: Vector, weights: Vector) -> Vector {
        let clipped = _mm512_min_epu16(
            _mm512_packus_epi32(first, second),
            _mm512_set1_epi16(ACTIVATION_MAX as i16),
        );
        _mm512_madd_epi16(clipped, weights)
    }

    pub(super) fn store_totals(out: &mut [i32; POSITIONS_PER_GROUP], vectors: [Vector; POSITIONS_PER_GROUP], more: i32) {
        horizontal_sums::store_totals(
            out,
            _mm_add_epi32(horizontal_sums::sums_of_sixteens(vectors), _mm_set1_epi32(more)),
        );
    }
}
