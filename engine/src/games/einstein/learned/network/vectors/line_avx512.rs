//! Operations on vectors of a line, 512 bits, as documented in `line_avx2.rs`.
#![allow(unsafe_code)]

use super::{ACTIVATION_MAX, GROUP, Line, SHIFT};
use crate::games::einstein::learned::lane_sums;
use std::arch::x86_64::*;
pub(super) use std::arch::x86_64::{
    _mm512_add_epi16 as add16, _mm512_add_epi32 as add32, _mm512_maddubs_epi16 as products,
    _mm512_packs_epi32 as pack, _mm512_reduce_add_epi32 as total, _mm512_set1_epi32 as broadcast,
    _mm512_setzero_si512 as zero, _mm512_sub_epi16 as sub16,
};

pub(super) type Vector = __m512i;
pub(super) const BYTES: usize = 64;
pub(super) const SECOND_LAYER: usize = 2;
pub(super) const TOGETHER: usize = 4;
/// Accumulators for two positions: as many chains of products as four positions have.
pub(super) const PARTS_OF_TWO: usize = 2;
/// Accumulators for a single position: a product is ready when the next three have begun.
pub(super) const PARTS: usize = 4;

common_operations!("avx2,avx512f,avx512bw");

compiled_for! {
    "avx2,avx512f,avx512bw"

    pub(super) fn widen(numbers: Vector) -> Vector {
        _mm512_madd_epi16(numbers, _mm512_set1_epi16(1))
    }

    pub(super) fn activations(low: Vector, high: Vector) -> Vector {
        let packed = _mm512_packus_epi16(
            _mm512_srai_epi16::<SHIFT>(low),
            _mm512_srai_epi16::<SHIFT>(high),
        );
        _mm512_min_epu8(packed, _mm512_set1_epi8(127))
    }

    pub(super) fn output(first: Vector, second: Vector, weights: Vector) -> Vector {
        let clipped = _mm512_min_epu16(
            _mm512_packus_epi32(first, second),
            _mm512_set1_epi16(ACTIVATION_MAX as i16),
        );
        _mm512_madd_epi16(clipped, weights)
    }

    /// Stores the sum of all sixteen lanes of each vector.
    pub(super) fn store_totals(out: &mut [i32; GROUP], vectors: [Vector; GROUP], more: i32) {
        lane_sums::store(
            out,
            _mm_add_epi32(lane_sums::of_sixteens(vectors), _mm_set1_epi32(more)),
        );
    }
}
