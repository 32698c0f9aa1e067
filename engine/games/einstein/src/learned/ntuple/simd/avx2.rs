//! Table rows and weight sums of n-tuples by AVX2.

use super::super::tuple_blocks::{LANES, LookupStep, SimdLayout};
use super::avx2_symbols::SymbolVectors;
use crate::Position;
use std::arch::x86_64::*;

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn load<T: Copy>(numbers: &[T], part: usize) -> __m256i {
    assert!(32 * (part + 1) <= size_of_val(numbers));
    // SAFETY: the bytes are in bounds (asserted); unaligned load.
    unsafe { _mm256_loadu_si256(numbers.as_ptr().cast::<__m256i>().add(part)) }
}

/// For eight tuples, the step's symbols as one number, without the stride.
#[inline]
#[target_feature(enable = "avx2")]
fn combine_four_cells(view: &SymbolVectors, step: &LookupStep, half: usize) -> __m256i {
    let cell_indices = load(&step.cell_indices, half);
    let mut symbols = _mm256_setzero_si256();
    for (number, &piece) in view.pieces().iter().enumerate() {
        if step.pieces >> number & 1 == 1 {
            // Indices outside this piece become 0x80 or more, which gives 0.
            let within = _mm256_sub_epi8(cell_indices, _mm256_set1_epi8(16 * number as i8));
            let found =
                _mm256_shuffle_epi8(piece, _mm256_adds_epu8(within, _mm256_set1_epi8(0x70)));
            symbols = _mm256_or_si256(symbols, found);
        }
    }
    let pairs = _mm256_maddubs_epi16(symbols, load(&step.within_pairs, half));
    _mm256_madd_epi16(pairs, load(&step.pairs, half))
}

#[inline]
#[target_feature(enable = "avx2")]
fn half_block_rows(
    view: &SymbolVectors,
    bases: &[u32; LANES],
    steps: &[LookupStep],
    half: usize,
) -> __m256i {
    let mut rows = _mm256_add_epi32(load(bases, half), combine_four_cells(view, &steps[0], half));
    for step in &steps[1..] {
        rows = _mm256_add_epi32(
            rows,
            _mm256_mullo_epi32(
                combine_four_cells(view, step, half),
                load(&step.strides, half),
            ),
        );
    }
    rows
}

/// # Safety
/// `weights` has [`SimdLayout::rows`] entries, and `COMPACT` is [`SimdLayout::has_compact_alphabet`].
#[target_feature(enable = "avx2")]
pub(super) unsafe fn weight_sum<const COMPACT: bool>(
    plan: &SimdLayout,
    position: &Position,
    weights: &[i32],
) -> i32 {
    let view = SymbolVectors::new::<COMPACT>(position);
    let mut sums = [_mm256_setzero_si256(); 2];
    for (block, own) in plan.blocks() {
        for (half, sum) in sums.iter_mut().enumerate() {
            let rows = half_block_rows(&view, &block.bases, own, half);
            let mask = load(&block.mask, half);
            // SAFETY: only masked lanes, which have a tuple, are read: their symbols are in their
            // alphabets, so rows are below `SimdLayout::rows`, the number of weights, and, below
            // 2²⁶, non-negative offsets.
            let found = unsafe {
                _mm256_mask_i32gather_epi32::<4>(
                    _mm256_setzero_si256(),
                    weights.as_ptr(),
                    rows,
                    mask,
                )
            };
            *sum = _mm256_add_epi32(*sum, found);
        }
    }
    let mut lanes = [0; 8];
    // SAFETY: eight numbers of four bytes are a vector; unaligned store.
    unsafe {
        _mm256_storeu_si256(
            lanes.as_mut_ptr().cast(),
            _mm256_add_epi32(sums[0], sums[1]),
        )
    };
    lanes.iter().sum()
}

#[target_feature(enable = "avx2")]
pub(super) fn table_rows<const COMPACT: bool>(
    plan: &SimdLayout,
    position: &Position,
    first: u32,
    out: &mut [u32],
) {
    let view = SymbolVectors::new::<COMPACT>(position);
    for (number, (block, own)) in plan.blocks().enumerate() {
        let mut found = [0u32; LANES];
        for (half, found) in found.as_chunks_mut::<8>().0.iter_mut().enumerate() {
            let rows = half_block_rows(&view, &block.bases, own, half);
            let rows = _mm256_add_epi32(rows, _mm256_set1_epi32(first as i32));
            // SAFETY: eight numbers of four bytes are a vector; unaligned store.
            unsafe { _mm256_storeu_si256(found.as_mut_ptr().cast(), rows) };
        }
        let out = &mut out[number * LANES..];
        let count = out.len().min(LANES);
        out[..count].copy_from_slice(&found[..count]);
    }
}
