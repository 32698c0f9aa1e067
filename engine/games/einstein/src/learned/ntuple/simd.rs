//! Table rows and weight sums of n-tuples by AVX2. If two stones share a square, the last counts,
//! as in `Symbols`.
#![allow(unsafe_code)]

mod avx2;
mod avx2_symbols;

use super::{
    TupleSet,
    cells::{CELLS, DISTANCE_CELLS, OWNER_CELLS, SQUARES},
    mobility::movable_symbols,
};
use crate::{
    Position,
    evaluators::race_tables::distances_to_goal,
    learned::move_logits::{Logits, SideMoves},
};
use alea_learned::tuples::QuantizedWeights;

// SAFETY, for this file: `Instructions` exist only for detected features, and a set's are portable
// or AVX2: so AVX2 functions may be called if `uses_simd`. For any position symbols are in their
// alphabets (`SymbolVectors`), so rows are below `SimdLayout::rows`, the number of weights passed
// on; `COMPACT` is `SimdLayout::has_compact_alphabet`.

/// A position's symbols; `None` without AVX2.
#[inline]
pub(super) fn symbols(position: &Position) -> Option<[u8; CELLS]> {
    #[target_feature(enable = "avx2")]
    fn symbols(position: &Position) -> [u8; CELLS] {
        avx2_symbols::SymbolVectors::new::<true>(position).symbols()
    }
    // SAFETY: AVX2 was detected.
    is_x86_feature_detected!("avx2").then(|| unsafe { symbols(position) })
}

#[inline]
pub(super) fn weight_sum(set: &TupleSet, position: &Position, weights: &[i32]) -> i32 {
    let kernels = set.kernels();
    assert!(kernels.uses_simd());
    let plan = &kernels.plan;
    let weights = &weights[set.phase_offset(position) as usize..][..plan.num_rows()];
    // SAFETY: see the top of this file.
    unsafe {
        match plan.has_compact_alphabet() {
            false => avx2::weight_sum::<false>(plan, position, weights),
            true => avx2::weight_sum::<true>(plan, position, weights),
        }
    }
}

/// [`SideMoves::one_ply`] of sums with the bias; panics without AVX2.
#[inline]
pub(super) fn one_ply(
    set: &TupleSet,
    quantized: &QuantizedWeights,
    steps: &SideMoves,
    sums: &mut Logits,
) -> f32 {
    assert!(set.kernels().uses_simd());
    // SAFETY: see the top of this file; `one_ply_by_eights` is safe code compiled for AVX2.
    unsafe { steps.one_ply_by_eights(sums, |sum| quantized.win_probability(sum)) }
}

#[inline]
pub(super) fn table_rows(set: &TupleSet, position: &Position, out: &mut [u32]) {
    let kernels = set.kernels();
    assert!(kernels.uses_simd());
    let (plan, first) = (&kernels.plan, set.phase_offset(position));
    // SAFETY: see the top of this file; no weights are read.
    unsafe {
        match plan.has_compact_alphabet() {
            false => avx2::table_rows::<false>(plan, position, first, out),
            true => avx2::table_rows::<true>(plan, position, first, out),
        }
    }
}

/// By square; 0 for [`SQUARES`], the square of gone stones.
const GOAL_DISTANCE: [u8; 64] = {
    let mut table = [0; 64];
    let mut square = 0;
    while square < SQUARES {
        table[square] = distances_to_goal(square as u8).0;
        square += 1;
    }
    table
};

const SYMBOL_OWNER: [u8; 16] = [0, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 0, 0, 0];

const _: () = {
    let mut at = 0;
    while at < GOAL_DISTANCE.len() {
        assert!((GOAL_DISTANCE[at] as usize) < DISTANCE_CELLS.symbols);
        assert!((SYMBOL_OWNER[at % 16] as usize) < OWNER_CELLS.symbols);
        at += 1;
    }
};

#[inline]
fn allowed_by_other_numbers(position: &Position) -> u16 {
    movable_symbols(position.mover().living_set(), position.other().living_set())
}
