//! Table rows and weight sums of n-tuples by AVX-512 with VBMI.

use super::super::tuple_blocks::{LANES, LookupStep, SimdLayout, TupleBlock};
use super::avx512_symbols::SymbolVectors;
use crate::Position;
use std::arch::x86_64::*;

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(super) fn load<T: Copy>(numbers: &[T]) -> __m512i {
    assert!(size_of_val(numbers) >= 64);
    // SAFETY: the bytes are in bounds (asserted); unaligned load.
    unsafe { _mm512_loadu_si512(numbers.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(super) fn to_numbers(vector: __m512i) -> [u32; LANES] {
    let mut numbers = [0; LANES];
    // SAFETY: sixteen numbers of four bytes are a vector; unaligned store.
    unsafe { _mm512_storeu_si512(numbers.as_mut_ptr().cast(), vector) };
    numbers
}

/// For sixteen tuples, the step's symbols as one number, without the stride.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(super) fn combine_four_cells<const COMPACT: bool>(
    view: &SymbolVectors<COMPACT>,
    step: &LookupStep,
) -> __m512i {
    let symbols = view.gather(load(&step.cell_indices));
    _mm512_madd_epi16(
        _mm512_maddubs_epi16(symbols, load(&step.within_pairs)),
        load(&step.pairs),
    )
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn block_rows<const COMPACT: bool>(
    view: &SymbolVectors<COMPACT>,
    bases: &[u32; LANES],
    steps: &[LookupStep],
) -> __m512i {
    let mut rows = _mm512_add_epi32(load(bases), combine_four_cells(view, &steps[0]));
    for step in &steps[1..] {
        rows = _mm512_add_epi32(
            rows,
            _mm512_mullo_epi32(combine_four_cells(view, step), load(&step.strides)),
        );
    }
    rows
}

/// # Safety
/// `weights` has [`SimdLayout::rows`] entries, and `COMPACT` is [`SimdLayout::has_compact_alphabet`].
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(super) unsafe fn weight_sum<const COMPACT: bool>(
    plan: &SimdLayout,
    position: &Position,
    weights: &[i32],
) -> i32 {
    let view = SymbolVectors::<COMPACT>::new(position);
    let mut sums = _mm512_setzero_si512();
    for (one, own) in plan.blocks() {
        // SAFETY: symbols are in their alphabets, so the rows of lanes with a tuple are below
        // `SimdLayout::rows`, the number of weights.
        sums = _mm512_add_epi32(sums, unsafe {
            block_weights(one, block_rows(&view, &one.bases, own), weights)
        });
    }
    _mm512_reduce_add_epi32(sums)
}

/// Weights by lane, 0 without a tuple.
///
/// # Safety
/// In each lane with a tuple, the row is below the number of weights.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
unsafe fn block_weights(block: &TupleBlock, rows: __m512i, weights: &[i32]) -> __m512i {
    let below = |row: &u32| (*row as usize) < weights.len();
    debug_assert!(to_numbers(rows).iter().all(below));
    // SAFETY: only masked lanes, which have a tuple, are read, and the caller has a weight for
    // each. Rows, below 2²⁶, are non-negative offsets.
    unsafe {
        _mm512_mask_i32gather_epi32::<4>(
            _mm512_setzero_si512(),
            nonzero_lanes(load(&block.mask)),
            rows,
            weights.as_ptr(),
        )
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(super) fn nonzero_lanes(lanes: __m512i) -> __mmask16 {
    _mm512_test_epi32_mask(lanes, lanes)
}

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(super) fn table_rows<const COMPACT: bool>(
    plan: &SimdLayout,
    position: &Position,
    first: u32,
    out: &mut [u32],
) {
    let view = SymbolVectors::<COMPACT>::new(position);
    for (number, (one, own)) in plan.blocks().enumerate() {
        let rows = _mm512_add_epi32(
            block_rows(&view, &one.bases, own),
            _mm512_set1_epi32(first as i32),
        );
        let out = &mut out[number * LANES..];
        let count = out.len().min(LANES);
        out[..count].copy_from_slice(&to_numbers(rows)[..count]);
    }
}
