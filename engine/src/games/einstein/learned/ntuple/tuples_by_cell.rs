//! Index from cells to the tuples that contain them, with the strides of their rows.
//!
//! Invariant: the row of a tuple is its base plus, over its references, Σ stride · symbol.

use super::cell::{ALIVE, BOARD, CELLS, DISTANCES, MOBILE, OWNERS, SQUARES, STONE_SQUARES, STONES};
use crate::learned::{inputs::Cell, tuples::MAX_TUPLES};

/// Reference of a cell to a tuple.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TupleRef {
    /// Change of the row when the symbol rises by one.
    pub(super) stride: u32,
    pub(super) tuple: u8,
}

/// A set of tuples, one bit each.
pub(super) type Tuples = [u64; MAX_TUPLES / 64];

/// Tuples of all cells, and of the cells that a move changes together.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TuplesByCell {
    tuple_refs: Vec<TupleRef>,
    /// First reference of each cell of the view, and the end of the last.
    starts: [u16; CELLS + 1],
    /// By square: tuples that depend on its content.
    pub(super) of_square: [Tuples; 32],
    /// By stone: tuples that depend on its square, while it lives.
    pub(super) of_stone: [Tuples; 16],
    /// By stone, from 1: tuples that depend on its capture; none for 0.
    pub(super) of_loss: [Tuples; 16],
    /// Whether there are cells of stones, of owners, of mobility.
    pub(super) stones: bool,
    pub(super) owners: bool,
    pub(super) mobility: bool,
}

impl TuplesByCell {
    pub(super) fn new(tuples: &[Vec<Cell>]) -> Self {
        let mut lists = vec![Vec::new(); CELLS];
        for (tuple, cells) in (0..=u8::MAX).zip(tuples) {
            let mut stride = 1;
            for cell in cells {
                lists[cell.index()].push(TupleRef { stride, tuple });
                stride *= cell.symbols() as u32;
            }
        }
        let mut starts = [0; CELLS + 1];
        for cell_index in 0..CELLS {
            starts[cell_index + 1] = starts[cell_index] + lists[cell_index].len() as u16;
        }
        let any = |first: usize, count: usize| {
            lists[first..first + count]
                .iter()
                .any(|list| !list.is_empty())
        };
        let together = |places: &[usize]| {
            let mut together = Tuples::default();
            for tuple_ref in places.iter().flat_map(|&cell_index| &lists[cell_index]) {
                together[usize::from(tuple_ref.tuple / 64)] |= 1 << (tuple_ref.tuple % 64);
            }
            together
        };
        let (mut of_square, mut of_stone, mut of_loss) = (
            [Tuples::default(); 32],
            [Tuples::default(); 16],
            [Tuples::default(); 16],
        );
        for (square, tuples) in of_square.iter_mut().enumerate().take(SQUARES) {
            *tuples = together(&[BOARD + square, OWNERS + square, MOBILE + square]);
        }
        for stone in 0..STONES {
            of_stone[stone] = together(&[STONE_SQUARES + stone, DISTANCES + stone]);
            of_loss[stone + 1] =
                together(&[STONE_SQUARES + stone, DISTANCES + stone, ALIVE + stone]);
        }
        Self {
            stones: any(STONE_SQUARES, 3 * STONES),
            owners: any(OWNERS, SQUARES),
            mobility: any(MOBILE, SQUARES),
            tuple_refs: lists.concat(),
            starts,
            of_square,
            of_stone,
            of_loss,
        }
    }

    /// References of a cell.
    #[inline]
    pub(super) fn at(&self, cell_index: usize) -> &[TupleRef] {
        let cell_index = cell_index % CELLS;
        &self.tuple_refs
            [usize::from(self.starts[cell_index])..usize::from(self.starts[cell_index + 1])]
    }
}

const _: () = assert!(DISTANCES == STONE_SQUARES + STONES && ALIVE == DISTANCES + STONES);
