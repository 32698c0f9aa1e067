//! View of n-tuples: a position as an array of small symbols, in the perspective of the side to
//! move.
//!
//! Invariant: whatever the bits of a position, a symbol is below the number of symbols of its cell,
//! so rows of tables need no further checks.

use super::{
    cell::{ALIVE, BOARD, CELLS, DISTANCES, MOBILE, OWNERS, SQUARES, STONE_SQUARES, STONES},
    mobility::Mobility,
};
use crate::games::einstein::{MAX_STONES, Position, Standard, evaluators::race_tables::distance};

/// Symbols of all cells of a position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct View {
    /// By cell index; the length lets an index of seven bits go unchecked.
    symbols: [u8; CELLS],
}

impl View {
    #[inline]
    pub(crate) fn new(position: &Position) -> Self {
        let mut view = Self::plain(position);
        view.reduce(position);
        view
    }

    /// View without the reduced alphabets, whose cells are 0.
    #[inline]
    pub(super) fn plain(position: &Position) -> Self {
        let mut symbols = [0u8; CELLS];
        let sides = [position.mover(), position.other()];
        for stone in 0..STONES {
            let square = sides[stone / MAX_STONES].square(stone % MAX_STONES);
            let seen_by_mover = if stone < MAX_STONES {
                square
            } else {
                Standard::GOAL.wrapping_sub(square)
            };
            symbols[BOARD + usize::from(seen_by_mover & 31)] = stone as u8 + 1;
        }
        // Filled last, so that the square of a gone or invalid stone cannot mark another part of
        // the view.
        for stone in 0..STONES {
            let square = sides[stone / MAX_STONES]
                .square(stone % MAX_STONES)
                .min(SQUARES as u8);
            symbols[STONE_SQUARES + stone] = square;
            symbols[DISTANCES + stone] = distance(square);
            symbols[ALIVE + stone] = u8::from(square != SQUARES as u8);
        }
        Self { symbols }
    }

    /// Fills the cells of the reduced alphabets from the board.
    #[inline]
    fn reduce(&mut self, position: &Position) {
        let mobile = Mobility::new(position.mover().alive(), position.other().alive());
        for square in 0..SQUARES {
            let stone = self.symbols[BOARD + square];
            self.symbols[OWNERS + square] =
                u8::from(stone > 0) + u8::from(stone > MAX_STONES as u8);
            self.symbols[MOBILE + square] = mobile.of(usize::from(stone & 15));
        }
    }

    #[inline(always)]
    pub(super) fn symbol(&self, cell_index: usize) -> u8 {
        self.symbols[cell_index % CELLS]
    }

    #[inline]
    pub(crate) fn symbols(&self) -> &[u8; CELLS] {
        &self.symbols
    }
}
