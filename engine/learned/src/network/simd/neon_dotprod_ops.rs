//! ARM's dot product of bytes, for the kernels over NEON.
#![allow(unsafe_code)]

use super::neon_ops::Vector;
use std::arch::asm;

/// Adds products of bytes by fours; inputs are at most 127.
// The standard library's function is unstable.
#[inline]
#[target_feature(enable = "neon,dotprod")]
pub(super) fn dot(sum: Vector, inputs: Vector, weights: Vector) -> Vector {
    let result;
    // SAFETY: the instruction is there, by the function's features, and only changes its register.
    unsafe {
        asm!(
            "sdot {sum:v}.4s, {inputs:v}.16b, {weights:v}.16b",
            sum = inlateout(vreg) sum => result,
            inputs = in(vreg) inputs,
            weights = in(vreg) weights,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    result
}
