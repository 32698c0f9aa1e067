//! Operations on 64 lanes in one vector.
#![allow(unsafe_code)]

use crate::playout::LANES;
use std::arch::x86_64::*;
pub(super) use std::arch::x86_64::{
    _mm512_add_epi8 as add8, _mm512_add_epi64 as add64, _mm512_and_si512 as and,
    _mm512_andnot_si512 as andnot, _mm512_cmpeq_epi8_mask as equal,
    _mm512_cmpgt_epi8_mask as greater, _mm512_maskz_mov_epi8 as masked, _mm512_max_epu8 as max8,
    _mm512_min_epu8 as min8, _mm512_mulhi_epu16 as mulhi16, _mm512_or_si512 as or,
    _mm512_shuffle_epi8 as shuffle, _mm512_slli_epi16 as shl16, _mm512_slli_epi64 as shl64,
    _mm512_sub_epi8 as sub8, _mm512_xor_si512 as xor,
};

pub(super) type Vector = __m512i;
pub(super) type Mask = __mmask64;

memory_operations!("avx512f");

compiled_for! {
    "avx512f,avx512bw"

    pub(super) fn splat(byte: u8) -> Vector {
        _mm512_set1_epi8(byte as i8)
    }

    pub(super) fn splat16(number: u16) -> Vector {
        _mm512_set1_epi16(number as i16)
    }

    pub(super) fn table(entries: &[u8; 16]) -> Vector {
        // SAFETY: 16 bytes are readable; unaligned load.
        _mm512_broadcast_i32x4(unsafe { _mm_loadu_si128(entries.as_ptr().cast()) })
    }

    pub(super) fn or3(a: Vector, b: Vector, c: Vector) -> Vector {
        _mm512_ternarylogic_epi64::<0xFE>(a, b, c)
    }

    pub(super) fn rotate_left<const LEFT: i32, const RIGHT: i32>(a: Vector) -> Vector {
        _mm512_rol_epi64::<LEFT>(a)
    }

    pub(super) fn blend(mask: Mask, inside: Vector, outside: Vector) -> Vector {
        _mm512_mask_mov_epi8(outside, mask, inside)
    }

    pub(super) fn merge(a: Vector, mask: Mask, inside: Vector) -> Vector {
        _mm512_mask_mov_epi8(a, mask, inside)
    }

    pub(super) fn increment(a: Vector, mask: Mask) -> Vector {
        _mm512_mask_add_epi8(a, mask, a, splat(1))
    }

    pub(super) fn either(a: Mask, b: Mask) -> Mask {
        a | b
    }

    pub(super) fn both(a: Mask, b: Mask) -> Mask {
        a & b
    }

    pub(super) fn without(mask: Mask, out: Mask) -> Mask {
        mask & !out
    }

    pub(super) fn mask_of(lanes: u64) -> Mask {
        lanes
    }

    pub(super) fn bits_of(mask: Mask) -> u64 {
        mask
    }
}

pub(super) struct Expansion(Mask);

impl Expansion {
    #[inline]
    pub(super) fn new(lanes: u64) -> Self {
        Self(lanes)
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512vbmi2")]
    pub(super) fn expand(&self, bytes: &[u8; LANES], others: Vector) -> Vector {
        _mm512_mask_expand_epi8(others, self.0, load(bytes))
    }
}
