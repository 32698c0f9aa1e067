//! Rows and sums of n-tuples for x86-64 by vectors: AVX2, and AVX-512 with permutations of bytes.
//!
//! The view is made in registers: every stone compared with all squares at once; of two stones on a
//! square, which no game has, the last counts, as in `view.rs`. The symbols of four cells of
//! sixteen tuples are one look-up (AVX-512) or one for each piece of the view (AVX2), their rows
//! two instructions more (`plan.rs`), their weights gathers or loads. Invariant: the rows of
//! [`crate::learned::tuples::GenericKernels`] and the exact sums of their weights.
#![allow(unsafe_code)]

mod avx2;
mod avx2_view;
mod avx512;
mod avx512_successors;
mod avx512_view;

use super::{
    TupleSet,
    cell::{CELLS, DISTANCE_CELLS, OWNER_CELLS, SQUARES},
    mobility::symbols_permitted_by_others,
    successors::Parent,
};
use crate::games::einstein::{
    Position,
    evaluators::race_tables::to_goal,
    learned::steps::{Logits, Step, Steps},
};
use crate::learned::tuples::QuantizedWeights;

// SAFETY, for all that follows. Instructions exist only on a machine that was found to have them,
// and a set's are one of portable, AVX2 and AVX-512 with VBMI (`EinSteinTuples::on`), which has all of
// AVX2's: so vectors may be called where the set has any, and wide ones where `are_wide`. Whatever
// the position, symbols are below their alphabets (`View` of either width), so rows are below
// `Plan::rows`, which is how many weights are handed on; `REDUCED` is what the plan says.

/// The symbols of all cells of a position, by place; none on a machine without AVX2.
#[inline]
pub(super) fn symbols(position: &Position) -> Option<[u8; CELLS]> {
    #[target_feature(enable = "avx2")]
    fn symbols(position: &Position) -> [u8; CELLS] {
        avx2_view::View::new::<true>(position).symbols()
    }
    // SAFETY: it has been found.
    is_x86_feature_detected!("avx2").then(|| unsafe { symbols(position) })
}

/// The sum of the weights of a position's rows; not with portable instructions.
#[inline]
pub(super) fn sum(set: &TupleSet, position: &Position, weights: &[i32]) -> i32 {
    let kernels = set.kernels();
    assert!(kernels.are_vectors());
    let plan = &kernels.plan;
    // Of the position's phase, and as many as its rows may say.
    let weights = &weights[set.offset(position) as usize..][..plan.rows()];
    // SAFETY: as above.
    unsafe {
        match (kernels.are_wide(), plan.is_reduced()) {
            (true, false) => avx512::sum::<false>(plan, position, weights),
            (true, true) => avx512::sum::<true>(plan, position, weights),
            (false, false) => avx2::sum::<false>(plan, position, weights),
            (false, true) => avx2::sum::<true>(plan, position, weights),
        }
    }
}

/// The sums after moves, bias included; only with AVX-512.
#[inline]
pub(super) fn successors(
    parent: &Parent<'_>,
    quantized: &QuantizedWeights,
    moves: &[Step],
    sums: &mut Logits,
) {
    let kernels = parent.set.kernels();
    assert!(kernels.are_wide());
    let (plan, bias) = (&kernels.plan, quantized.bias);
    let offset = parent.set.offset(&parent.flipped) as usize;
    let weights = &quantized.weights[offset..][..plan.rows()];
    use avx512_successors::successors;
    // SAFETY: as above.
    unsafe {
        match (plan.is_reduced(), plan.is_long()) {
            (false, false) => successors::<false, false>(parent, weights, bias, moves, sums),
            (false, true) => successors::<false, true>(parent, weights, bias, moves, sums),
            (true, false) => successors::<true, false>(parent, weights, bias, moves, sums),
            (true, true) => successors::<true, true>(parent, weights, bias, moves, sums),
        }
    }
}

/// [`Steps::one_ply`] of sums with the bias, eight stones to a vector; not with portable
/// instructions.
#[inline]
pub(super) fn one_ply(
    set: &TupleSet,
    quantized: &QuantizedWeights,
    steps: &Steps,
    sums: &mut Logits,
) -> f32 {
    assert!(set.kernels().are_vectors());
    // SAFETY: as above; it is safe code compiled for AVX2.
    unsafe { steps.one_ply_by_eights(sums, |sum| quantized.win_probability(sum)) }
}

/// The rows of a position; not with portable instructions.
#[inline]
pub(super) fn rows(set: &TupleSet, position: &Position, out: &mut [u32]) {
    let kernels = set.kernels();
    assert!(kernels.are_vectors());
    let (plan, first) = (&kernels.plan, set.offset(position));
    // SAFETY: as above; they read no weights.
    unsafe {
        match (kernels.are_wide(), plan.is_reduced()) {
            (true, false) => avx512::rows::<false>(plan, position, first, out),
            (true, true) => avx512::rows::<true>(plan, position, first, out),
            (false, false) => avx2::rows::<false>(plan, position, first, out),
            (false, true) => avx2::rows::<true>(plan, position, first, out),
        }
    }
}

/// For each square the distance to the goal, 0 for [`SQUARES`], which stands for a stone that is
/// gone.
const DISTANCE: [u8; 64] = {
    let mut table = [0; 64];
    let mut square = 0;
    while square < SQUARES {
        table[square] = to_goal(square as u8).0;
        square += 1;
    }
    table
};

/// For each symbol of the board whose stone it is.
const OWNER: [u8; 16] = [0, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 0, 0, 0];

// What is looked up is a symbol of its cell.
const _: () = {
    let mut at = 0;
    while at < DISTANCE.len() {
        assert!((DISTANCE[at] as usize) < DISTANCE_CELLS.symbols);
        assert!((OWNER[at % 16] as usize) < OWNER_CELLS.symbols);
        at += 1;
    }
};

/// For each symbol of the board one bit, set if it is a stone that other numbers than its own
/// permit.
#[inline]
fn permitted_by_other_numbers(position: &Position) -> u16 {
    symbols_permitted_by_others(position.mover().alive(), position.other().alive())
}
