//! Incremental sums after moves, tuple by tuple, in plain code: the definition, and the fast path
//! without wide vectors.
//!
//! A stone is first removed from its square, which its moves have in common; each move then changes
//! the other cells one after the other. Invariant: after each change the rows and weights are those
//! of the view with all changes so far, except after the last one, which no change follows.

use super::{
    cell::{ALIVE, BOARD, DISTANCES, MOBILE, OWNERS, SQUARES, STONE_SQUARES},
    successors::Parent,
    tuples_by_cell::TupleRef,
    view::View,
};
use crate::core::arrays::each;
use crate::games::einstein::{
    MAX_STONES, Standard, evaluators::race_tables::distance, learned::steps::Step,
};
use crate::learned::tuples::QuantizedWeights;

/// Row of a tuple, over all tables and phases, and its weight.
#[derive(Clone, Copy, Default)]
struct Held {
    row: u32,
    weight: i32,
}

/// Changed cell and its new symbol.
type Change = (usize, u8);

/// Tuples of a changed cell, and the symbol's difference.
type Difference<'a> = (&'a [TupleRef], u32);

/// Maximum changes of putting down a stone.
const MAX_CHANGES: usize = 8;

/// All sums after steps, bias included; `MAX_TUPLES` is at least the number of tuples.
#[inline]
pub(super) fn successors<const MAX_TUPLES: usize>(
    parent: &Parent<'_>,
    quantized_weights: &QuantizedWeights,
    steps: &[Step],
    sums: &mut [i32],
) {
    let weights = &quantized_weights.weights[..];
    let tuples_by_cell = parent.tuples_by_cell;
    let view = if tuples_by_cell.owners || tuples_by_cell.mobility {
        View::new(&parent.flipped)
    } else {
        View::plain(&parent.flipped)
    };
    let difference = |(cell_index, symbol): Change| -> Difference<'_> {
        (
            tuples_by_cell.at(cell_index),
            u32::from(symbol).wrapping_sub(u32::from(view.symbol(cell_index))),
        )
    };
    let mut rows = [0; MAX_TUPLES];
    let rows = &mut rows[..parent.set.tuples()];
    parent.set.row_indices(&parent.flipped, rows);
    let mut current_rows = [Held::default(); MAX_TUPLES];
    let mut sum = quantized_weights.bias;
    for (held, &row) in current_rows.iter_mut().zip(&*rows) {
        *held = Held {
            row,
            weight: weights[row as usize],
        };
        sum += held.weight;
    }
    // State with the moving stone removed, and while it is put down.
    let (mut lifted, mut current) = (current_rows, current_rows);
    let several = tuples_by_cell.stones || tuples_by_cell.owners || tuples_by_cell.mobility;
    let mut up = None;
    let mut sum_lifted = sum;
    for (&step, out) in steps.iter().zip(sums) {
        let (stone, left) = (usize::from(step.stone), parent.left_by(step));
        if up != Some((stone, left)) {
            for cell_index in up.iter().flat_map(|&(_, left)| square(left)) {
                restore(tuples_by_cell.at(cell_index), &current_rows, &mut lifted);
                if several {
                    restore(tuples_by_cell.at(cell_index), &current_rows, &mut current);
                }
            }
            sum_lifted = sum;
            for cell_index in square(left) {
                let difference = difference((cell_index, 0));
                sum_lifted += change(difference, weights, &mut lifted);
                if several {
                    restore(difference.0, &lifted, &mut current);
                }
            }
            up = Some((stone, left));
        }
        let to = usize::from(step.square);
        let put = difference((BOARD + to, (MAX_STONES + stone + 1) as u8));
        if !several {
            *out = sum_lifted + look(put, weights, &lifted);
            continue;
        }
        let mut changes = [(&[][..], 0); MAX_CHANGES];
        let mut count = 0;
        let mut add = |change: Change| {
            changes[count] = difference(change);
            count += 1;
        };
        if tuples_by_cell.owners {
            add((OWNERS + to, view.symbol(OWNERS + left)));
        }
        if tuples_by_cell.mobility {
            add((MOBILE + to, view.symbol(MOBILE + left)));
        }
        if tuples_by_cell.stones {
            let own = Standard::GOAL - step.square;
            add((STONE_SQUARES + MAX_STONES + stone, own));
            add((DISTANCES + MAX_STONES + stone, distance(own)));
            if let Some(dead) = parent.captured_by(step).checked_sub(1) {
                add((STONE_SQUARES + dead, SQUARES as u8));
                add((DISTANCES + dead, 0));
                add((ALIVE + dead, 0));
            }
        }
        let changes = &changes[..count];
        *out = sum_lifted;
        for &difference in changes.iter().filter(|difference| difference.1 != 0) {
            *out += change(difference, weights, &mut current);
        }
        *out += look(put, weights, &current);
        for (tuple_refs, _) in changes {
            restore(tuple_refs, &lifted, &mut current);
        }
    }
}

/// Cells of the view that depend on a square.
#[inline]
fn square(square: usize) -> [usize; 3] {
    each([BOARD, OWNERS, MOBILE], |first| first + square)
}

#[inline(always)]
fn after(tuple_ref: &TupleRef, symbols: u32, weights: &[i32], held: &Held) -> Held {
    let row = held
        .row
        .wrapping_add(tuple_ref.stride.wrapping_mul(symbols));
    Held {
        row,
        weight: weights[row as usize],
    }
}

/// Applies a change; returns the change of the sum.
#[inline(always)]
fn change<const MAX_TUPLES: usize>(
    (tuple_refs, symbols): Difference<'_>,
    weights: &[i32],
    held: &mut [Held; MAX_TUPLES],
) -> i32 {
    let mut sum = 0;
    for tuple_ref in tuple_refs {
        let held = &mut held[usize::from(tuple_ref.tuple) % MAX_TUPLES];
        let after = after(tuple_ref, symbols, weights, held);
        sum += after.weight - held.weight;
        *held = after;
    }
    sum
}

/// Change of the sum that a change would cause.
#[inline(always)]
fn look<const MAX_TUPLES: usize>(
    (tuple_refs, symbols): Difference<'_>,
    weights: &[i32],
    held: &[Held; MAX_TUPLES],
) -> i32 {
    let mut sum = 0;
    for tuple_ref in tuple_refs {
        let held = &held[usize::from(tuple_ref.tuple) % MAX_TUPLES];
        sum += after(tuple_ref, symbols, weights, held).weight - held.weight;
    }
    sum
}

/// Restores tuples to their earlier state.
#[inline(always)]
fn restore<const MAX_TUPLES: usize>(
    tuple_refs: &[TupleRef],
    from: &[Held; MAX_TUPLES],
    held: &mut [Held; MAX_TUPLES],
) {
    for tuple_ref in tuple_refs {
        held[usize::from(tuple_ref.tuple) % MAX_TUPLES] =
            from[usize::from(tuple_ref.tuple) % MAX_TUPLES];
    }
}
