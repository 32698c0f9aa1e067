//! Rows of an n-tuple network's tables for each perspective, updated from move to move: changed
//! cells change the rows of the tuples that have them.

use super::{TupleNetwork, TupleRef};
use crate::inputs::Learnable;

/// Symbols of all cells and rows of all tuples (of the first phase) by perspective. Reuse does not
/// allocate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TupleRows {
    symbols: Vec<u8>,
    rows: Vec<u32>,
}

impl TupleRows {
    fn write_symbols<G: Learnable>(&mut self, network: &TupleNetwork<G>, position: &G::Position) {
        let (game, cells) = (network.set.game(), network.set.view_len());
        self.symbols.resize(game.seats() * cells, 0);
        self.rows
            .resize(game.seats() * network.set.tuple_count(), 0);
        for (seat, symbols) in self.symbols.chunks_exact_mut(cells).enumerate() {
            game.write_symbols(position, seat, symbols);
        }
    }

    pub(super) fn refresh<G: Learnable>(
        &mut self,
        network: &TupleNetwork<G>,
        position: &G::Position,
    ) {
        self.write_symbols(network, position);
        let views = self.symbols.chunks_exact(network.set.view_len());
        let rows = self.rows.chunks_exact_mut(network.set.tuple_count());
        for (view, rows) in views.zip(rows) {
            network.set.rows_in_phase(0, view, rows);
        }
    }

    pub(super) fn update<G: Learnable>(
        &mut self,
        network: &TupleNetwork<G>,
        parent: &Self,
        after: &G::Position,
    ) {
        self.write_symbols(network, after);
        if (parent.symbols.len(), parent.rows.len()) != (self.symbols.len(), self.rows.len()) {
            return self.refresh(network, after);
        }
        self.rows.copy_from_slice(&parent.rows);
        let cells = network.set.view_len();
        let rows = self.rows.chunks_exact_mut(network.set.tuple_count());
        let views = self.symbols.chunks_exact(cells);
        for ((new, old), rows) in views.zip(parent.symbols.chunks_exact(cells)).zip(rows) {
            for_each_change(new, old, |cell| {
                let change = u32::from(new[cell]).wrapping_sub(old[cell].into());
                for &TupleRef { tuple, stride } in network.set.tuples_with(cell) {
                    let row = &mut rows[usize::from(tuple)];
                    *row = row.wrapping_add(stride.wrapping_mul(change));
                }
            });
        }
    }

    /// Quantized bias plus the weights of the rows from the perspective of the seat to move.
    #[inline]
    pub(super) fn sum<G: Learnable>(
        &self,
        network: &TupleNetwork<G>,
        position: &G::Position,
    ) -> i32 {
        let tuples = network.set.tuple_count();
        let rows = &self.rows[network.set.game().to_move(position) * tuples..][..tuples];
        let phase = network.set.phase_offset(position) as usize;
        let weights = &network.quantized.weights[phase..];
        let weights = rows.iter().map(|row| weights[*row as usize]);
        weights.fold(network.quantized.bias, |sum, weight| sum + weight)
    }
}

/// Calls `visit` with the index of each number that differs; equal blocks are passed over at once.
#[inline]
pub(crate) fn for_each_change<T: Copy + PartialEq>(
    new: &[T],
    old: &[T],
    mut visit: impl FnMut(usize),
) {
    const BLOCK: usize = 16;
    let blocks = new.chunks(BLOCK).zip(old.chunks(BLOCK));
    for (start, (new, old)) in (0..).step_by(BLOCK).zip(blocks) {
        if new != old {
            for (index, (new, old)) in new.iter().zip(old).enumerate() {
                if new != old {
                    visit(start + index);
                }
            }
        }
    }
}
