//! What of Havannah is learned: the cells as three symbols.

use super::{Havannah, Position};
use crate::core::game::Seat;
use crate::learned::inputs::{Cell, CellGroup, Learnable, NoDense, NoInteger};
use crate::learned::tuples::Plain;

const fn cells(base: usize) -> [CellGroup; 1] {
    let meaning = "board, letter by letter (0 empty, 1 mover, 2 other)";
    [CellGroup::only(
        'b',
        super::shape::cells_of(base),
        3,
        meaning,
    )]
}

/// By base, from 3 on.
static CELLS: [[CellGroup; 1]; 8] = [
    cells(3),
    cells(4),
    cells(5),
    cells(6),
    cells(7),
    cells(8),
    cells(9),
    cells(10),
];

impl Learnable for Havannah {
    type Tuples = Plain;
    type Dense = NoDense;
    type Integer = NoInteger;

    fn cells(&self) -> &[CellGroup] {
        &CELLS[self.base() - 3]
    }

    fn look(&self, position: &Position, seat: Seat, symbols: &mut [u8]) {
        for (symbol, &colour) in symbols.iter_mut().zip(&position.colours) {
            // White and Black are 1 and 2; seen by Black they are exchanged.
            *symbol = if seat == 0 { colour } else { (3 - colour) % 3 };
        }
    }

    fn cell_image(&self, cell: Cell, symmetry: usize) -> Cell {
        self.cells()[0].cell(usize::from(self.shape.images[symmetry][cell.place()]))
    }
}
