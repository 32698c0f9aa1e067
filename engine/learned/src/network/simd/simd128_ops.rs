//! Kernel operations on WebAssembly's 128-bit vectors.
#![allow(unsafe_code)]

use super::{ACTIVATION_MAX, CacheLine, POSITIONS_PER_GROUP, SHIFT};
use std::arch::wasm32::*;
pub(super) use std::arch::wasm32::{
    i16x8_add as add16, i16x8_narrow_i32x4 as pack, i16x8_sub as sub16, i32x4_add as add32,
    i32x4_extadd_pairwise_i16x8 as sum_adjacent_i16, i32x4_splat as broadcast,
};

pub(super) type Vector = v128;
pub(super) const VECTOR_BYTES: usize = 16;
pub(super) const MAX_SECOND_LAYER_VECTORS: usize = 8;
pub(super) const POSITIONS_PER_BATCH: usize = 2;
pub(super) const ACC_CHAINS_FOR_TWO_POSITIONS: usize = 1;
pub(super) const ACC_CHAINS: usize = 1;

common_operations!(["simd128"]);

compiled_for! {
    ["simd128"]

    pub(super) fn zero() -> Vector {
        i32x4_splat(0)
    }

    /// Adds products of bytes by twos, without shuffles, which would need relaxed SIMD: not every
    /// browser has it.
    pub(super) fn maddubs(inputs: Vector, weights: Vector) -> Vector {
        let even = i16x8_mul(
            v128_and(inputs, i16x8_splat(0xFF)),
            i16x8_shr(i16x8_shl(weights, 8), 8),
        );
        i16x8_add(even, i16x8_mul(u16x8_shr(inputs, 8), i16x8_shr(weights, 8)))
    }

    pub(super) fn activations(low: Vector, high: Vector) -> Vector {
        let packed = u8x16_narrow_i16x8(i16x8_shr(low, SHIFT as u32), i16x8_shr(high, SHIFT as u32));
        u8x16_min(packed, u8x16_splat(127))
    }

    pub(super) fn output_products(first: Vector, second: Vector, weights: Vector) -> Vector {
        let clipped = u16x8_min(u16x8_narrow_i32x4(first, second), u16x8_splat(ACTIVATION_MAX as u16));
        i32x4_dot_i16x8(clipped, weights)
    }

    pub(super) fn total(sums: Vector) -> i32 {
        let two = i32x4_add(sums, i32x4_shuffle::<2, 3, 0, 1>(sums, sums));
        i32x4_extract_lane::<0>(two) + i32x4_extract_lane::<1>(two)
    }

    pub(super) fn store_totals(out: &mut [i32; POSITIONS_PER_GROUP], vectors: [Vector; POSITIONS_PER_GROUP], more: i32) {
        *out = vectors.map(|vector| total(vector) + more);
    }
}
