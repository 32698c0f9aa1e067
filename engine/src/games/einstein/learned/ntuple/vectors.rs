//! Rows and sums of n-tuples for x86-64 by vectors: AVX2, and AVX-512 with permutations of bytes.
//!
//! The view is made in registers: every stone compared with all squares at once; of two stones on a
//! square, which no game has, the last counts, as in `view.rs`. The symbols of four cells of
//! sixteen tuples are one look-up (AVX-512) or one for each piece of the view (AVX2), their rows
//! two instructions more (`plan.rs`), their weights gathers or loads. Invariant: the rows of
//! [`crate::learned::tuples::Plain`] and the exact sums of their weights.
#![allow(unsafe_code)]

mod avx2;
mod avx512;
mod avx512_successors;

use super::TupleSet;
use super::cell::SQUARES;
use super::mobility::permitted_by_others;
use super::successors::Parent;
use crate::games::einstein::evaluators::race_tables::to_goal;
use crate::games::einstein::learned::steps::{Logits, Step, Steps};
use crate::games::einstein::{MAX_STONES, Position};
use crate::learned::tuples::WholeWeights;

/// The sum of the weights of a position's rows; never with portable instructions.
#[inline]
pub(super) fn sum(set: &TupleSet, position: &Position, weights: &[i32]) -> i32 {
    // Of the position's phase, and as many as its rows may say.
    let weights = &weights[set.offset(position) as usize..][..set.rows_of_a_phase()];
    // SAFETY: a set only holds instructions that were found on this machine; and there is a weight
    // for each row of a phase.
    unsafe {
        match (set.kernels().are_wide(), set.kernels().reduced) {
            (true, false) => avx512::sum::<false>(&set.kernels().plan, position, weights),
            (true, true) => avx512::sum::<true>(&set.kernels().plan, position, weights),
            (false, false) => avx2::sum::<false>(&set.kernels().plan, position, weights),
            (false, true) => avx2::sum::<true>(&set.kernels().plan, position, weights),
        }
    }
}

/// The sums after moves, bias included; only with AVX-512.
#[inline]
pub(super) fn successors(
    parent: &Parent<'_>,
    whole: &WholeWeights,
    moves: &[Step],
    sums: &mut Logits,
) {
    let set = parent.set;
    assert!(set.kernels().are_wide());
    let weights = &whole.weights[set.offset(&parent.turned) as usize..][..set.rows_of_a_phase()];
    // SAFETY: as above.
    unsafe {
        match (set.kernels().reduced, set.kernels().plan.is_long()) {
            (false, false) => avx512_successors::successors::<false, false>(
                parent, weights, whole.bias, moves, sums,
            ),
            (false, true) => avx512_successors::successors::<false, true>(
                parent, weights, whole.bias, moves, sums,
            ),
            (true, false) => avx512_successors::successors::<true, false>(
                parent, weights, whole.bias, moves, sums,
            ),
            (true, true) => avx512_successors::successors::<true, true>(
                parent, weights, whole.bias, moves, sums,
            ),
        }
    }
}

/// [`Steps::one_ply`] of sums with the bias, eight stones to a vector; never with portable
/// instructions.
#[inline]
pub(super) fn one_ply(
    set: &TupleSet,
    whole: &WholeWeights,
    steps: &Steps,
    sums: &mut Logits,
) -> f32 {
    assert!(set.kernels().are_vectors());
    // SAFETY: as above; what has wider vectors has these.
    unsafe { steps.one_ply_by_eights(sums, |sum| whole.win_probability(sum)) }
}

/// The rows of a position; never with portable instructions.
#[inline]
pub(super) fn rows(set: &TupleSet, position: &Position, out: &mut [u32]) {
    let first = set.offset(position);
    // SAFETY: as above.
    unsafe {
        match (set.kernels().are_wide(), set.kernels().reduced) {
            (true, false) => avx512::rows::<false>(&set.kernels().plan, position, first, out),
            (true, true) => avx512::rows::<true>(&set.kernels().plan, position, first, out),
            (false, false) => avx2::rows::<false>(&set.kernels().plan, position, first, out),
            (false, true) => avx2::rows::<true>(&set.kernels().plan, position, first, out),
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

/// For each symbol of the board one bit, set if it is a stone that other numbers than its own
/// permit.
#[inline]
fn permitted_by_other_numbers(position: &Position) -> u16 {
    let [mover, other] = [position.mover(), position.other()]
        .map(|side| u16::from(permitted_by_others(side.alive())));
    mover << 1 | other << (1 + MAX_STONES)
}
