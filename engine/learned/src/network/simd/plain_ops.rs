//! Kernel operations as loops, for processors without their own.
#![allow(unsafe_code)]

use super::{ACTIVATION_MAX, CacheLine, POSITIONS_PER_GROUP, SHIFT};
use std::array::from_fn;

/// Vector of 16 bytes, in the order of memory.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub(super) struct Vector([i32; 4]);

pub(super) const VECTOR_BYTES: usize = 16;
pub(super) const MAX_SECOND_LAYER_VECTORS: usize = 8;
pub(super) const POSITIONS_PER_BATCH: usize = 2;
pub(super) const ACC_CHAINS_FOR_TWO_POSITIONS: usize = 1;
pub(super) const ACC_CHAINS: usize = 1;

common_operations!([]);

fn to_bytes(vector: Vector) -> [u8; 16] {
    let words = vector.0.map(i32::to_ne_bytes);
    from_fn(|at| words[at / 4][at % 4])
}

fn from_bytes(bytes: [u8; 16]) -> Vector {
    Vector(from_fn(|at| {
        i32::from_ne_bytes(from_fn(|byte| bytes[4 * at + byte]))
    }))
}

fn to_i16(vector: Vector) -> [i16; 8] {
    let bytes = to_bytes(vector);
    from_fn(|at| i16::from_ne_bytes([bytes[2 * at], bytes[2 * at + 1]]))
}

fn from_i16(numbers: [i16; 8]) -> Vector {
    let bytes = numbers.map(i16::to_ne_bytes);
    from_bytes(from_fn(|at| bytes[at / 2][at % 2]))
}

compiled_for! {
    []

    pub(super) fn zero() -> Vector {
        Vector([0; 4])
    }

    /// Repeats four bytes in memory order, given as a little-endian number.
    pub(super) fn broadcast(four: i32) -> Vector {
        Vector([i32::from_ne_bytes(four.to_le_bytes()); 4])
    }

    pub(super) fn add16(a: Vector, b: Vector) -> Vector {
        let (a, b) = (to_i16(a), to_i16(b));
        from_i16(from_fn(|at| a[at].wrapping_add(b[at])))
    }

    pub(super) fn sub16(a: Vector, b: Vector) -> Vector {
        let (a, b) = (to_i16(a), to_i16(b));
        from_i16(from_fn(|at| a[at].wrapping_sub(b[at])))
    }

    pub(super) fn add32(a: Vector, b: Vector) -> Vector {
        Vector(from_fn(|at| a.0[at].wrapping_add(b.0[at])))
    }

    pub(super) fn sum_adjacent_i16(numbers: Vector) -> Vector {
        let numbers = to_i16(numbers).map(i32::from);
        Vector(from_fn(|at| numbers[2 * at] + numbers[2 * at + 1]))
    }

    pub(super) fn maddubs(inputs: Vector, weights: Vector) -> Vector {
        let (inputs, weights) = (to_bytes(inputs), to_bytes(weights));
        let product = |at: usize| i16::from(inputs[at]) * i16::from(weights[at] as i8);
        from_i16(from_fn(|at| product(2 * at) + product(2 * at + 1)))
    }

    pub(super) fn pack(a: Vector, b: Vector) -> Vector {
        let both = [a.0, b.0];
        let clip = |number: i32| number.clamp(i16::MIN.into(), i16::MAX.into()) as i16;
        from_i16(from_fn(|at| clip(both[at / 4][at % 4])))
    }

    pub(super) fn activations(low: Vector, high: Vector) -> Vector {
        let both = [to_i16(low), to_i16(high)];
        from_bytes(from_fn(|at| (both[at / 8][at % 8] >> SHIFT).clamp(0, 127) as u8))
    }

    pub(super) fn output_products(first: Vector, second: Vector, weights: Vector) -> Vector {
        let (both, weights) = ([first.0, second.0], to_i16(weights));
        let product = |at: usize| both[at / 4][at % 4].clamp(0, ACTIVATION_MAX) * i32::from(weights[at]);
        Vector(from_fn(|at| product(at).wrapping_add(product(at + 4))))
    }

    pub(super) fn total(sums: Vector) -> i32 {
        sums.0.into_iter().fold(0, i32::wrapping_add)
    }

    pub(super) fn store_totals(out: &mut [i32; POSITIONS_PER_GROUP], vectors: [Vector; POSITIONS_PER_GROUP], more: i32) {
        *out = vectors.map(|vector| total(vector).wrapping_add(more));
    }
}
