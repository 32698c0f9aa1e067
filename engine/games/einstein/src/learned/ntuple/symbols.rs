//! Inputs of n-tuples: each cell's symbol in the mover's perspective, never outside the cell's
//! alphabet, whatever the position's bits.

use super::{
    cells::{
        ALIVE_START, BOARD_START, CELLS, DISTANCES_START, MOBILE_START, OWNERS_START, SQUARES,
        SQUARES_START, STONES,
    },
    mobility::Mobility,
};
use crate::{MAX_STONES, Position, Standard, evaluators::race_tables::distance};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Symbols {
    symbols: [u8; CELLS],
}

impl Symbols {
    #[inline]
    pub(crate) fn new(position: &Position) -> Self {
        let mut view = Self::without_compact(position);
        view.fill_compact(position);
        view
    }

    /// Symbols of `position`, with 0 in the cells of compact alphabets.
    #[inline]
    pub(super) fn without_compact(position: &Position) -> Self {
        let mut symbols = [0u8; CELLS];
        let sides = [position.mover(), position.other()];
        for stone in 0..STONES {
            let square = sides[stone / MAX_STONES].square(stone % MAX_STONES);
            let seen_by_mover = if stone < MAX_STONES {
                square
            } else {
                Standard::GOAL.wrapping_sub(square)
            };
            symbols[BOARD_START + usize::from(seen_by_mover & 31)] = stone as u8 + 1;
        }
        // Filled last: on the board, gone or invalid squares may write to these cells.
        for stone in 0..STONES {
            let square = sides[stone / MAX_STONES]
                .square(stone % MAX_STONES)
                .min(SQUARES as u8);
            symbols[SQUARES_START + stone] = square;
            symbols[DISTANCES_START + stone] = distance(square);
            symbols[ALIVE_START + stone] = u8::from(square != SQUARES as u8);
        }
        Self { symbols }
    }

    #[inline]
    fn fill_compact(&mut self, position: &Position) {
        let mobile = Mobility::new(position.mover().living_set(), position.other().living_set());
        for square in 0..SQUARES {
            let stone = self.symbols[BOARD_START + square];
            self.symbols[OWNERS_START + square] =
                u8::from(stone > 0) + u8::from(stone > MAX_STONES as u8);
            self.symbols[MOBILE_START + square] = mobile.symbol_of(usize::from(stone & 15));
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
