//! Operations on vectors of a quarter of a line, 128 bits, of WebAssembly.
//!
//! Invariant: the operations of `halves.rs`, where they are explained, on all lanes.
#![allow(unsafe_code)]

use super::{FULL, GROUP, Line, SHIFT};
use std::arch::wasm32::*;

pub(super) type Vector = v128;
pub(super) const BYTES: usize = 16;
/// Vectors that the widest second layer takes.
pub(super) const SECOND_LAYER: usize = 8;
/// Positions taken through the second layer together.
pub(super) const TOGETHER: usize = 2;
/// Sums of two positions.
pub(super) const PARTS_OF_TWO: usize = 1;
/// Sums of a single position.
pub(super) const PARTS: usize = 1;

compiled_for! {
    "simd128"

    pub(super) fn load<T: Copy, const COUNT: usize>(lines: &[Line<T, COUNT>], at: usize) -> Vector {
        const { assert!(size_of::<T>() * COUNT == 64) };
        let line = &raw const lines[at / 4];
        // SAFETY: a line has 64 bytes; this reads one of its quarters.
        unsafe { v128_load(line.cast::<Vector>().add(at % 4)) }
    }

    pub(super) fn store<T: Copy, const COUNT: usize>(
        lines: &mut [Line<T, COUNT>],
        at: usize,
        vector: Vector,
    ) {
        const { assert!(size_of::<T>() * COUNT == 64) };
        let line = &raw mut lines[at / 4];
        // SAFETY: as above, written; elements are integers, so any bits will do.
        unsafe { v128_store(line.cast::<Vector>().add(at % 4), vector) }
    }

    pub(super) fn store_bytes(bytes: &mut [u8], at: usize, vector: Vector) {
        let part = &mut bytes[BYTES * at..][..BYTES];
        // SAFETY: there are 16 bytes, and the store asks for no alignment.
        unsafe { v128_store(part.as_mut_ptr().cast(), vector) }
    }

    pub(super) fn zero() -> Vector {
        i32x4_splat(0)
    }

    pub(super) fn add16(a: Vector, b: Vector) -> Vector {
        i16x8_add(a, b)
    }

    pub(super) fn sub16(a: Vector, b: Vector) -> Vector {
        i16x8_sub(a, b)
    }

    pub(super) fn add32(a: Vector, b: Vector) -> Vector {
        i32x4_add(a, b)
    }

    pub(super) fn broadcast(four: i32) -> Vector {
        i32x4_splat(four)
    }

    /// Every other one in numbers of 16 bits. Products of bytes, put in pairs by shuffles, would become an
    /// instruction of relaxed vectors (LLVM 22), which not every browser has.
    pub(super) fn products(inputs: Vector, weights: Vector) -> Vector {
        let even = i16x8_mul(
            v128_and(inputs, i16x8_splat(0xFF)),
            i16x8_shr(i16x8_shl(weights, 8), 8),
        );
        i16x8_add(even, i16x8_mul(u16x8_shr(inputs, 8), i16x8_shr(weights, 8)))
    }

    pub(super) fn widen(numbers: Vector) -> Vector {
        i32x4_extadd_pairwise_i16x8(numbers)
    }

    /// In order: packing has no parts here.
    pub(super) fn activations(low: Vector, high: Vector) -> Vector {
        let packed = u8x16_narrow_i16x8(i16x8_shr(low, SHIFT as u32), i16x8_shr(high, SHIFT as u32));
        u8x16_min(packed, u8x16_splat(127))
    }

    pub(super) fn pack(first: Vector, second: Vector) -> Vector {
        i16x8_narrow_i32x4(first, second)
    }

    pub(super) fn output(first: Vector, second: Vector, weights: Vector) -> Vector {
        let clipped = u16x8_min(u16x8_narrow_i32x4(first, second), u16x8_splat(FULL as u16));
        i32x4_dot_i16x8(clipped, weights)
    }

    pub(super) fn total(sums: Vector) -> i32 {
        let two = i32x4_add(sums, i32x4_shuffle::<2, 3, 0, 1>(sums, sums));
        i32x4_extract_lane::<0>(two) + i32x4_extract_lane::<1>(two)
    }

    pub(super) fn store_totals(out: &mut [i32; GROUP], vectors: [Vector; GROUP], more: i32) {
        *out = vectors.map(|vector| total(vector) + more);
    }
}
