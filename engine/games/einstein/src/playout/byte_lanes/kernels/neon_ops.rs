//! Operations on 64 lanes in four vectors.
#![allow(unsafe_code)]

use super::{operations::BYTE_OF_LANE, sixteen_from};
use crate::playout::LANES;
use std::arch::aarch64::*;

operations_by_part! {
    "neon", [uint8x16_t; 4];
    and(a, b) = vandq_u8(a, b);
    or(a, b) = vorrq_u8(a, b);
    xor(a, b) = veorq_u8(a, b);
    andnot(out, a) = vbicq_u8(a, out);
    add8(a, b) = vaddq_u8(a, b);
    sub8(a, b) = vsubq_u8(a, b);
    max8(a, b) = vmaxq_u8(a, b);
    min8(a, b) = vminq_u8(a, b);
    equal(a, b) = vceqq_u8(a, b);
    greater(a, b) = vcgtq_s8(vreinterpretq_s8_u8(a), vreinterpretq_s8_u8(b));
    blend(mask, inside, outside) = vbslq_u8(mask, inside, outside);
    // Ignores bits 4–6 of indices, as x86 does.
    shuffle(entries, indices) = vqtbl1q_u8(entries, vandq_u8(indices, vdupq_n_u8(0x8F)));
    mulhi16(a, b) = {
        let (a, b) = (vreinterpretq_u16_u8(a), vreinterpretq_u16_u8(b));
        let low = vmull_u16(vget_low_u16(a), vget_low_u16(b));
        let (low, high) = (vreinterpretq_u16_u32(low), vreinterpretq_u16_u32(vmull_high_u16(a, b)));
        vreinterpretq_u8_u16(vuzp2q_u16(low, high))
    };
    add64(a, b) = {
        vreinterpretq_u8_u64(vaddq_u64(vreinterpretq_u64_u8(a), vreinterpretq_u64_u8(b)))
    };
    <const COUNT> shl16(a) = {
        vreinterpretq_u8_u16(vshlq_n_u16::<COUNT>(vreinterpretq_u16_u8(a)))
    };
    <const COUNT> shl64(a) = {
        vreinterpretq_u8_u64(vshlq_n_u64::<COUNT>(vreinterpretq_u64_u8(a)))
    };
    <const COUNT> shr64(a) = {
        vreinterpretq_u8_u64(vshrq_n_u64::<COUNT>(vreinterpretq_u64_u8(a)))
    };
}

compiled_for! {
    "neon"

    pub(super) fn splat(byte: u8) -> Vector {
        [vdupq_n_u8(byte); 4]
    }

    pub(super) fn splat16(number: u16) -> Vector {
        [vreinterpretq_u8_u16(vdupq_n_u16(number)); 4]
    }

    pub(super) fn table(entries: &[u8; 16]) -> Vector {
        [load16(entries); 4]
    }

    fn load16(bytes: &[u8; 16]) -> uint8x16_t {
        // SAFETY: 16 bytes are readable; unaligned load.
        unsafe { vld1q_u8(bytes.as_ptr()) }
    }

    fn load_sixteens(bytes: &[u8; LANES], starts: [usize; 4]) -> Vector {
        starts.map(|start| load16(sixteen_from(bytes, start)))
    }

    pub(super) fn bits_of(mask: Mask) -> u64 {
        let bits = vreinterpretq_u8_u64(vdupq_n_u64(0x8040_2010_0804_0201));
        let [a, b, c, d] = mask.map(|part| vandq_u8(part, bits));
        let eights = vpaddq_u8(vpaddq_u8(a, b), vpaddq_u8(c, d));
        vgetq_lane_u64::<0>(vreinterpretq_u64_u8(vpaddq_u8(eights, eights)))
    }
}
