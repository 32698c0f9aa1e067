//! What of Reversi is learned: squares, and tuples of rows, columns, diagonals and corners.
//!
//! Invariant: a square is seen as empty, the seer's or the other side's, so both sides see alike.
//! Every tuple stands in a set with all its images.

use super::bits::{COLUMNS, image, squares_of};
use super::{Position, Reversi};
use crate::core::game::Seat;
use crate::learned::inputs::{Cell, CellGroup, Learnable, NamedTuples, NoDense, NoInteger};
use crate::learned::tuples::Plain;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

const fn squares(size: usize) -> [CellGroup; 1] {
    [CellGroup {
        letter: 's',
        start: 0,
        count: size * size,
        symbols: 3,
        meaning: "squares along the rows: 0 empty, 1 own, 2 enemy",
        late: false,
    }]
}

static CELLS: [[CellGroup; 1]; 3] = [squares(4), squares(6), squares(8)];

static SETS: [NamedTuples<Reversi>; 1] = [NamedTuples {
    name: "lines-1",
    tuples: lines_and_corners,
}];

/// Rows, columns, diagonals of at least four squares, and in each corner the blocks of 3×3 and 2×5
/// squares (on 4×4 of 2×4).
fn lines_and_corners(game: &Reversi) -> Vec<Vec<Cell>> {
    let size = game.size();
    let square = |row: usize, column: usize| 1_u64 << (COLUMNS * row + column);
    let block = |rows: usize, columns: usize| {
        let all = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
        all.fold(0, |set, (row, column)| set | square(row, column))
    };
    let row = |row: usize| (0..size).fold(0, |set, column| set | square(row, column));
    let diagonal = |length: usize| (0..length).fold(0, |set, at| set | square(at, length - 1 - at));
    let half = (0..size / 2).map(row);
    let shapes = half
        .chain((4..=size).map(diagonal))
        .chain([block(3, 3), block(2, size.min(5))]);
    let images = shapes.flat_map(|shape| (0..8).map(move |symmetry| image(shape, symmetry, size)));
    let sets: BTreeSet<u64> = images.collect();
    let cells = |set| squares_of(set).map(|square| cell(game, square)).collect();
    sets.into_iter().map(cells).collect()
}

fn cell(game: &Reversi, square: usize) -> Cell {
    game.cells()[0].cell(square / COLUMNS * game.size() + square % COLUMNS)
}

impl Learnable for Reversi {
    type Tuples = Plain;
    type Dense = NoDense;
    type Integer = NoInteger;

    fn cells(&self) -> &[CellGroup] {
        &CELLS[self.size() / 2 - 2]
    }

    #[inline]
    fn look(&self, position: &Position, seat: Seat, symbols: &mut [u8]) {
        let (mut own, mut enemy) = (position.discs(seat), position.discs(1 - seat));
        for row in symbols.chunks_mut(self.size()) {
            for (column, symbol) in row.iter_mut().enumerate() {
                *symbol = (own >> column & 1) as u8 + 2 * (enemy >> column & 1) as u8;
            }
            (own, enemy) = (own >> COLUMNS, enemy >> COLUMNS);
        }
    }

    fn remaining_range(&self) -> RangeInclusive<usize> {
        // Whoever can move has a disc and sees one of the other side.
        1..=self.size() * self.size() - 2
    }

    fn tuple_sets(&self) -> &'static [NamedTuples<Self>] {
        &SETS
    }

    fn cell_image(&self, cell: Cell, symmetry: usize) -> Cell {
        // Where the image of a disc on some square lies where the cell is, that square is meant.
        let place = cell.place();
        let square = place / self.size() * COLUMNS + place % self.size();
        let from = squares_of(self.squares())
            .find(|&from| image(1 << from, symmetry, self.size()) == 1 << square)
            .unwrap_or(square);
        self::cell(self, from)
    }
}
