//! Rows of n-tuple networks, updated where cells change.

use super::{QuantizedWeights, TupleNetwork, TupleRef};
use crate::{
    inputs::Learnable,
    perspectives::{PerspectiveSums, Perspectives, for_each_change},
};
use alea_core::game::Seat;

/// Symbols of all cells and rows of all tuples (in the first phase) per perspective.
pub type TupleRows = Perspectives<u8, u32>;

impl<G: Learnable> PerspectiveSums<G> for TupleNetwork<G> {
    type Input = u8;
    type Sum = u32;

    #[inline]
    fn game(&self) -> &G {
        self.set.game()
    }

    #[inline]
    fn lens(&self) -> [usize; 2] {
        [self.set.view_len(), self.set.tuple_count()]
    }

    #[inline]
    fn extract(&self, position: &G::Position, seat: Seat, symbols: &mut [u8]) {
        self.set.game().write_symbols(position, seat, symbols);
    }

    #[inline]
    fn sum(&self, symbols: &[u8], rows: &mut [u32]) {
        self.set.rows_in_phase(0, symbols, rows);
    }

    #[inline]
    fn change(&self, old: &[u8], new: &[u8], rows: &mut [u32]) {
        for_each_change(new, old, |cell| {
            self.change_rows(cell, old[cell], new[cell], rows)
        });
    }

    #[inline]
    fn follow_move(
        &self,
        (before, after): (&G::Position, &G::Position),
        seat: Seat,
        old: &[u8],
        symbols: &mut [u8],
        rows: &mut [u32],
    ) {
        let game = self.set.game();
        let is_told = game.symbol_changes(before, after, seat, |cell, symbol| {
            let last = &mut symbols[cell];
            if *last != symbol {
                self.change_rows(cell, *last, symbol, rows);
                *last = symbol;
            }
        });
        if !is_told {
            self.extract(after, seat, symbols);
            self.change(old, symbols, rows);
        }
    }
}

impl<G: Learnable> TupleNetwork<G> {
    #[inline]
    fn change_rows(&self, cell: usize, old: u8, new: u8, rows: &mut [u32]) {
        let change = u32::from(new).wrapping_sub(old.into());
        for &TupleRef { tuple, stride } in self.set.tuples_with(cell) {
            let row = &mut rows[usize::from(tuple)];
            *row = row.wrapping_add(stride.wrapping_mul(change));
        }
    }
}

#[inline]
pub(super) fn sum_of_rows<G: Learnable>(
    network: &TupleNetwork<G>,
    position: &G::Position,
    cache: &TupleRows,
) -> i32 {
    let rows = cache.sums(network.set.game().to_move(position));
    let phase = network.set.phase_offset(position) as usize;
    let QuantizedWeights {
        weights,
        narrow,
        bias,
        ..
    } = &network.quantized;
    match narrow.get(phase..) {
        Some(narrow) if !narrow.is_empty() => {
            let weights = rows.iter().map(|&row| i32::from(narrow[row as usize]));
            bias + weights.sum::<i32>()
        }
        _ => {
            let weights = &weights[phase..];
            let weights = rows.iter().map(|&row| weights[row as usize]);
            bias + weights.sum::<i32>()
        }
    }
}
