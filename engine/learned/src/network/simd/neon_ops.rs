//! Kernel operations on the 128-bit vectors that every 64-bit ARM processor has.
#![allow(unsafe_code)]

use super::{ACTIVATION_MAX, CacheLine, POSITIONS_PER_GROUP, SHIFT};
use std::arch::aarch64::*;
pub(super) use std::arch::aarch64::{
    vaddq_s32 as add32, vaddvq_s32 as total, vdupq_n_s32 as broadcast,
};

pub(super) type Vector = int32x4_t;
pub(super) const VECTOR_BYTES: usize = 16;
pub(super) const MAX_SECOND_LAYER_VECTORS: usize = 8;
pub(super) const POSITIONS_PER_BATCH: usize = 2;
pub(super) const ACC_CHAINS_FOR_TWO_POSITIONS: usize = 1;
pub(super) const ACC_CHAINS: usize = 2;

common_operations!(["neon"]);

compiled_for! {
    ["neon"]

    pub(super) fn zero() -> Vector {
        vdupq_n_s32(0)
    }

    pub(super) fn add16(a: Vector, b: Vector) -> Vector {
        vreinterpretq_s32_s16(vaddq_s16(vreinterpretq_s16_s32(a), vreinterpretq_s16_s32(b)))
    }

    pub(super) fn sub16(a: Vector, b: Vector) -> Vector {
        vreinterpretq_s32_s16(vsubq_s16(vreinterpretq_s16_s32(a), vreinterpretq_s16_s32(b)))
    }

    pub(super) fn sum_adjacent_i16(numbers: Vector) -> Vector {
        vpaddlq_s16(vreinterpretq_s16_s32(numbers))
    }

    /// Adds products of bytes by twos; inputs are at most 127.
    pub(super) fn maddubs(inputs: Vector, weights: Vector) -> Vector {
        let (inputs, weights) = (vreinterpretq_s8_s32(inputs), vreinterpretq_s8_s32(weights));
        let low = vmull_s8(vget_low_s8(inputs), vget_low_s8(weights));
        vreinterpretq_s32_s16(vpaddq_s16(low, vmull_high_s8(inputs, weights)))
    }

    pub(super) fn pack(a: Vector, b: Vector) -> Vector {
        vreinterpretq_s32_s16(vcombine_s16(vqmovn_s32(a), vqmovn_s32(b)))
    }

    pub(super) fn activations(low: Vector, high: Vector) -> Vector {
        const ROUND_DOWN: i32 = SHIFT as i32;
        let packed = vcombine_u8(
            vqshrun_n_s16::<ROUND_DOWN>(vreinterpretq_s16_s32(low)),
            vqshrun_n_s16::<ROUND_DOWN>(vreinterpretq_s16_s32(high)),
        );
        vreinterpretq_s32_u8(vminq_u8(packed, vdupq_n_u8(127)))
    }

    pub(super) fn output_products(first: Vector, second: Vector, weights: Vector) -> Vector {
        let weights = vreinterpretq_s16_s32(weights);
        let limit = vdupq_n_s32(ACTIVATION_MAX);
        let first = vreinterpret_s16_u16(vqmovun_s32(vminq_s32(first, limit)));
        let second = vreinterpret_s16_u16(vqmovun_s32(vminq_s32(second, limit)));
        vmlal_s16(vmull_s16(first, vget_low_s16(weights)), second, vget_high_s16(weights))
    }

    pub(super) fn store_totals(out: &mut [i32; POSITIONS_PER_GROUP], vectors: [Vector; POSITIONS_PER_GROUP], more: i32) {
        for position in 0..POSITIONS_PER_GROUP {
            out[position] = total(vectors[position]) + more;
        }
    }
}
