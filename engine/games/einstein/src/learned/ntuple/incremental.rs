//! Incremental sums after moves: a stone is removed from its square once for all its moves, then
//! each move changes the other cells one by one.

use super::{
    cells::{
        ALIVE_START, BOARD_START, DISTANCES_START, MOBILE_START, OWNERS_START, SQUARES,
        SQUARES_START,
    },
    successors::Parent,
};
use crate::{
    MAX_STONES, Standard, evaluators::race_tables::distance, learned::move_logits::SideMove,
};
use alea_core::arrays::map_array;
use alea_learned::tuples::{QuantizedWeights, TupleRef};

#[derive(Clone, Copy, Default)]
struct TupleState {
    row: u32,
    weight: i32,
}

type SymbolChange = (usize, u8);

type RowChange<'a> = (&'a [TupleRef], u32);

const MAX_CHANGED_SYMBOLS: usize = 8;

/// Writes the sum after each move, bias included, for at most `MAX_TUPLES` tuples.
#[inline]
pub(super) fn successors<const MAX_TUPLES: usize>(
    parent: &Parent<'_>,
    quantized_weights: &QuantizedWeights,
    steps: &[SideMove],
    sums: &mut [i32],
) {
    let weights = &quantized_weights.weights[..];
    let kernels = parent.set.kernels();
    let view = kernels.symbols(&parent.flipped);
    let difference = |(cell_index, symbol): SymbolChange| -> RowChange<'_> {
        (
            parent.set.tuples_with(cell_index),
            u32::from(symbol).wrapping_sub(u32::from(view.symbol(cell_index))),
        )
    };
    let mut rows = [0; MAX_TUPLES];
    let rows = &mut rows[..parent.set.tuple_count()];
    parent
        .set
        .rows_from_view(&parent.flipped, view.symbols(), rows);
    let mut current_rows = [TupleState::default(); MAX_TUPLES];
    let mut sum = quantized_weights.bias;
    for (state, &row) in current_rows.iter_mut().zip(&*rows) {
        *state = TupleState {
            row,
            weight: weights[row as usize],
        };
        sum += state.weight;
    }
    let (mut rows_without_stone, mut current) = (current_rows, current_rows);
    let several = kernels.stones || kernels.owners || kernels.mobility;
    let mut up = None;
    let mut sum_without_stone = sum;
    for (&step, out) in steps.iter().zip(sums) {
        let (stone, left) = (usize::from(step.stone), parent.source_of(step));
        if up != Some((stone, left)) {
            for cell_index in up.iter().flat_map(|&(_, left)| cells_of_square(left)) {
                restore_states(
                    parent.set.tuples_with(cell_index),
                    &current_rows,
                    &mut rows_without_stone,
                );
                if several {
                    restore_states(
                        parent.set.tuples_with(cell_index),
                        &current_rows,
                        &mut current,
                    );
                }
            }
            sum_without_stone = sum;
            for cell_index in cells_of_square(left) {
                let difference = difference((cell_index, 0));
                sum_without_stone += apply_change(difference, weights, &mut rows_without_stone);
                if several {
                    restore_states(difference.0, &rows_without_stone, &mut current);
                }
            }
            up = Some((stone, left));
        }
        let to = usize::from(step.square);
        let put = difference((BOARD_START + to, (MAX_STONES + stone + 1) as u8));
        if !several {
            *out = sum_without_stone + sum_change(put, weights, &rows_without_stone);
            continue;
        }
        let mut changes = [(&[][..], 0); MAX_CHANGED_SYMBOLS];
        let mut count = 0;
        let mut add = |change: SymbolChange| {
            changes[count] = difference(change);
            count += 1;
        };
        if kernels.owners {
            add((OWNERS_START + to, view.symbol(OWNERS_START + left)));
        }
        if kernels.mobility {
            add((MOBILE_START + to, view.symbol(MOBILE_START + left)));
        }
        if kernels.stones {
            let own = Standard::GOAL - step.square;
            add((SQUARES_START + MAX_STONES + stone, own));
            add((DISTANCES_START + MAX_STONES + stone, distance(own)));
            if let Some(dead) = parent.capture_of(step).checked_sub(1) {
                add((SQUARES_START + dead, SQUARES as u8));
                add((DISTANCES_START + dead, 0));
                add((ALIVE_START + dead, 0));
            }
        }
        let changes = &changes[..count];
        *out = sum_without_stone;
        for &difference in changes.iter().filter(|difference| difference.1 != 0) {
            *out += apply_change(difference, weights, &mut current);
        }
        *out += sum_change(put, weights, &current);
        for (tuple_refs, _) in changes {
            restore_states(tuple_refs, &rows_without_stone, &mut current);
        }
    }
}

#[inline]
fn cells_of_square(square: usize) -> [usize; 3] {
    map_array([BOARD_START, OWNERS_START, MOBILE_START], |first| {
        first + square
    })
}

#[inline(always)]
fn update_tuple(
    tuple_ref: &TupleRef,
    symbols: u32,
    weights: &[i32],
    state: &TupleState,
) -> TupleState {
    let row = state
        .row
        .wrapping_add(tuple_ref.stride.wrapping_mul(symbols));
    TupleState {
        row,
        weight: weights[row as usize],
    }
}

#[inline(always)]
fn apply_change<const MAX_TUPLES: usize>(
    (tuple_refs, symbols): RowChange<'_>,
    weights: &[i32],
    states: &mut [TupleState; MAX_TUPLES],
) -> i32 {
    let mut sum = 0;
    for tuple_ref in tuple_refs {
        let state = &mut states[usize::from(tuple_ref.tuple) % MAX_TUPLES];
        let after = update_tuple(tuple_ref, symbols, weights, state);
        sum += after.weight - state.weight;
        *state = after;
    }
    sum
}

#[inline(always)]
fn sum_change<const MAX_TUPLES: usize>(
    (tuple_refs, symbols): RowChange<'_>,
    weights: &[i32],
    states: &[TupleState; MAX_TUPLES],
) -> i32 {
    let mut sum = 0;
    for tuple_ref in tuple_refs {
        let state = &states[usize::from(tuple_ref.tuple) % MAX_TUPLES];
        sum += update_tuple(tuple_ref, symbols, weights, state).weight - state.weight;
    }
    sum
}

#[inline(always)]
fn restore_states<const MAX_TUPLES: usize>(
    tuple_refs: &[TupleRef],
    from: &[TupleState; MAX_TUPLES],
    states: &mut [TupleState; MAX_TUPLES],
) {
    for tuple_ref in tuple_refs {
        states[usize::from(tuple_ref.tuple) % MAX_TUPLES] =
            from[usize::from(tuple_ref.tuple) % MAX_TUPLES];
    }
}
