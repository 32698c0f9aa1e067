//! Operations on vectors of half a line, 256 bits.
//!
//! Invariant: each acts on all lanes; `line_avx512.rs` has the same for complete lines.
#![allow(unsafe_code)]

use super::{ACTIVATION_MAX, GROUP, Line, SHIFT};
use crate::games::einstein::learned::lane_sums;
use std::arch::x86_64::*;
pub(super) use std::arch::x86_64::{
    _mm256_add_epi16 as add16,
    _mm256_add_epi32 as add32,
    // Activations times weights, summed in pairs: at most 2 · 127 · 128, within 16 bits.
    _mm256_maddubs_epi16 as products,
    // Weights of two vectors of neurons in one, in the order of [`output`].
    _mm256_packs_epi32 as pack,
    _mm256_set1_epi32 as broadcast,
    _mm256_setzero_si256 as zero,
    _mm256_sub_epi16 as sub16,
};

pub(super) type Vector = __m256i;
pub(super) const BYTES: usize = 32;
/// Vectors of the widest second layer.
pub(super) const SECOND_LAYER: usize = 4;
/// Positions in the second layer together: 8 sums, 2 inputs, weights and products fill 16
/// registers.
pub(super) const TOGETHER: usize = 2;
/// Accumulators for two positions.
pub(super) const PARTS_OF_TWO: usize = 1;
/// Accumulators for a single position.
pub(super) const PARTS: usize = 2;

pub(super) use lane_sums::of_eight as total;

common_operations!("avx2");

compiled_for! {
    "avx2"

    /// Numbers of 16 bits, summed in pairs.
    pub(super) fn widen(numbers: Vector) -> Vector {
        _mm256_madd_epi16(numbers, _mm256_set1_epi16(1))
    }

    /// Sums of the first layer as activations, in packed order.
    pub(super) fn activations(low: Vector, high: Vector) -> Vector {
        const DOWN: i32 = SHIFT as i32;
        let packed = _mm256_packus_epi16(
            _mm256_srai_epi16::<DOWN>(low),
            _mm256_srai_epi16::<DOWN>(high),
        );
        _mm256_min_epu8(packed, _mm256_set1_epi8(127))
    }

    /// Sums of two vectors of neurons, clipped, times their weights. Packing clips at 0 and 65,535,
    /// which makes everything fit 16 bits.
    pub(super) fn output(first: Vector, second: Vector, weights: Vector) -> Vector {
        let clipped = _mm256_min_epu16(
            _mm256_packus_epi32(first, second),
            _mm256_set1_epi16(ACTIVATION_MAX as i16),
        );
        _mm256_madd_epi16(clipped, weights)
    }

    /// Stores the sum of all eight lanes of each vector.
    pub(super) fn store_totals(out: &mut [i32; GROUP], vectors: [Vector; GROUP], more: i32) {
        lane_sums::store(
            out,
            _mm_add_epi32(lane_sums::of_eights(vectors), _mm_set1_epi32(more)),
        );
    }
}
