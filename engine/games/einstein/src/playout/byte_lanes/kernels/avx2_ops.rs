//! Operations on 64 lanes in two vectors.
#![allow(unsafe_code)]

use super::{operations::BYTE_OF_LANE, sixteen_from};
use crate::playout::LANES;
use std::arch::x86_64::*;

operations_by_part! {
    "avx2,popcnt", [__m256i; 2];
    and(a, b) = _mm256_and_si256(a, b);
    or(a, b) = _mm256_or_si256(a, b);
    xor(a, b) = _mm256_xor_si256(a, b);
    andnot(out, a) = _mm256_andnot_si256(out, a);
    add8(a, b) = _mm256_add_epi8(a, b);
    sub8(a, b) = _mm256_sub_epi8(a, b);
    max8(a, b) = _mm256_max_epu8(a, b);
    min8(a, b) = _mm256_min_epu8(a, b);
    equal(a, b) = _mm256_cmpeq_epi8(a, b);
    greater(a, b) = _mm256_cmpgt_epi8(a, b);
    blend(mask, inside, outside) = _mm256_blendv_epi8(outside, inside, mask);
    shuffle(entries, indices) = _mm256_shuffle_epi8(entries, indices);
    mulhi16(a, b) = _mm256_mulhi_epu16(a, b);
    add64(a, b) = _mm256_add_epi64(a, b);
    <const COUNT> shl16(a) = _mm256_slli_epi16::<COUNT>(a);
    <const COUNT> shl64(a) = _mm256_slli_epi64::<COUNT>(a);
    <const COUNT> shr64(a) = _mm256_srli_epi64::<COUNT>(a);
}

compiled_for! {
    "avx2"

    pub(super) fn splat(byte: u8) -> Vector {
        [_mm256_set1_epi8(byte as i8); 2]
    }

    pub(super) fn splat16(number: u16) -> Vector {
        [_mm256_set1_epi16(number as i16); 2]
    }

    pub(super) fn table(entries: &[u8; 16]) -> Vector {
        [_mm256_broadcastsi128_si256(load16(entries)); 2]
    }

    fn load16(bytes: &[u8; 16]) -> __m128i {
        // SAFETY: 16 bytes are readable; unaligned load.
        unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
    }

    fn load_sixteens(bytes: &[u8; LANES], starts: [usize; 4]) -> Vector {
        let [a, b, c, d] = starts.map(|start| load16(sixteen_from(bytes, start)));
        [_mm256_set_m128i(b, a), _mm256_set_m128i(d, c)]
    }

    pub(super) fn bits_of(mask: Mask) -> u64 {
        let [low, high] = mask.map(|half| u64::from(_mm256_movemask_epi8(half) as u32));
        low | high << 32
    }
}
