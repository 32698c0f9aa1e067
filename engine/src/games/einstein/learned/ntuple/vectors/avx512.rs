//! Rows and sums of n-tuples by AVX-512 with permutations of bytes.

use super::super::plan::{Block, LANES, Plan, Step};
use super::avx512_view::View;
use crate::games::einstein::Position;
use std::arch::x86_64::*;

/// 64 bytes of an array of numbers.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(super) fn load<T: Copy>(numbers: &[T]) -> __m512i {
    assert!(size_of_val(numbers) >= 64);
    // SAFETY: so many bytes are there; the load needs no alignment, and any bits are a vector.
    unsafe { _mm512_loadu_si512(numbers.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(super) fn numbers(vector: __m512i) -> [u32; LANES] {
    let mut numbers = [0; LANES];
    // SAFETY: sixteen numbers of four bytes are a vector; the store needs no alignment.
    unsafe { _mm512_storeu_si512(numbers.as_mut_ptr().cast(), vector) };
    numbers
}

/// What the symbols of sixteen tuples add to their rows, before the step's strides.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(super) fn quads<const REDUCED: bool>(view: &View<REDUCED>, step: &Step) -> __m512i {
    let symbols = view.at(load(&step.cell_indices));
    _mm512_madd_epi16(
        _mm512_maddubs_epi16(symbols, load(&step.within_pairs)),
        load(&step.pairs),
    )
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn block<const REDUCED: bool>(
    view: &View<REDUCED>,
    bases: &[u32; LANES],
    steps: &[Step],
) -> __m512i {
    let mut rows = _mm512_add_epi32(load(bases), quads(view, &steps[0]));
    for step in &steps[1..] {
        rows = _mm512_add_epi32(
            rows,
            _mm512_mullo_epi32(quads(view, step), load(&step.strides)),
        );
    }
    rows
}

/// # Safety
/// There are [`Plan::rows`] weights, and `REDUCED` is what the plan says.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(super) unsafe fn sum<const REDUCED: bool>(
    plan: &Plan,
    position: &Position,
    weights: &[i32],
) -> i32 {
    let view = View::<REDUCED>::new(position);
    let mut sums = _mm512_setzero_si512();
    for (one, own) in plan.blocks() {
        // SAFETY: the symbols are a view's, each below the number of symbols of its cell, so the rows
        // of lanes that have a tuple are below `Plan::rows`: the caller has a weight for each.
        sums = _mm512_add_epi32(sums, unsafe {
            block_weights(one, block(&view, &one.bases, own), weights)
        });
    }
    _mm512_reduce_add_epi32(sums)
}

/// The weights of a block's tuples, given their rows; 0 in the lanes that have no tuple.
///
/// # Safety
/// They are rows of a plan, and there is a weight for each in a lane that has a tuple.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
unsafe fn block_weights(block: &Block, rows: __m512i, weights: &[i32]) -> __m512i {
    let below = |row: &u32| (*row as usize) < weights.len();
    debug_assert!(numbers(rows).iter().all(below));
    // SAFETY: only the lanes of the mask are read, which have a tuple: the caller has a weight for the
    // row of each. Rows of a plan are below 2²⁶, and no negative offset.
    unsafe {
        _mm512_mask_i32gather_epi32::<4>(
            _mm512_setzero_si512(),
            lanes_of(load(&block.mask)),
            rows,
            weights.as_ptr(),
        )
    }
}

/// The lanes with all bits set.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(super) fn lanes_of(lanes: __m512i) -> __mmask16 {
    _mm512_test_epi32_mask(lanes, lanes)
}

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(super) fn rows<const REDUCED: bool>(
    plan: &Plan,
    position: &Position,
    first: u32,
    out: &mut [u32],
) {
    let view = View::<REDUCED>::new(position);
    for (number, (one, own)) in plan.blocks().enumerate() {
        let rows = _mm512_add_epi32(
            block(&view, &one.bases, own),
            _mm512_set1_epi32(first as i32),
        );
        let out = &mut out[number * LANES..];
        let count = out.len().min(LANES);
        out[..count].copy_from_slice(&numbers(rows)[..count]);
    }
}
