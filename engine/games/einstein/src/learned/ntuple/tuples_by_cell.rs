//! Index from cells to the tuples that contain them. A tuple's row is its base plus Σ stride ·
//! symbol over its cells.

use super::cells::{
    ALIVE_START, BOARD_START, CELLS, DISTANCES_START, MOBILE_START, OWNERS_START, SQUARES,
    SQUARES_START, STONES,
};
use alea_learned::{inputs::Cell, tuples::MAX_TUPLES};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TupleRef {
    /// Change of the row when the cell's symbol grows by 1.
    pub(super) stride: u32,
    pub(super) tuple: u8,
}

pub(super) type TupleBits = [u64; MAX_TUPLES / 64];

#[derive(Clone, Debug, PartialEq)]
pub(super) struct TuplesByCell {
    tuple_refs: Vec<TupleRef>,
    /// Start of each cell's references, and the end.
    starts: [u16; CELLS + 1],
    /// Tuples that depend on a square's content.
    pub(super) tuples_of_square: [TupleBits; 32],
    /// Tuples that depend on a stone's square while it lives.
    pub(super) tuples_of_stone: [TupleBits; 16],
    /// By stone, from 1: tuples that its capture changes; none for 0.
    pub(super) tuples_of_loss: [TupleBits; 16],
    /// Whether any tuple has square, distance or alive cells.
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
                stride *= cell.alphabet_size() as u32;
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
        let together = |cell_indices: &[usize]| {
            let mut together = TupleBits::default();
            for tuple_ref in cell_indices
                .iter()
                .flat_map(|&cell_index| &lists[cell_index])
            {
                together[usize::from(tuple_ref.tuple / 64)] |= 1 << (tuple_ref.tuple % 64);
            }
            together
        };
        let (mut tuples_of_square, mut tuples_of_stone, mut tuples_of_loss) = (
            [TupleBits::default(); 32],
            [TupleBits::default(); 16],
            [TupleBits::default(); 16],
        );
        for (square, tuples) in tuples_of_square.iter_mut().enumerate().take(SQUARES) {
            *tuples = together(&[
                BOARD_START + square,
                OWNERS_START + square,
                MOBILE_START + square,
            ]);
        }
        for stone in 0..STONES {
            tuples_of_stone[stone] = together(&[SQUARES_START + stone, DISTANCES_START + stone]);
            tuples_of_loss[stone + 1] = together(&[
                SQUARES_START + stone,
                DISTANCES_START + stone,
                ALIVE_START + stone,
            ]);
        }
        Self {
            stones: any(SQUARES_START, 3 * STONES),
            owners: any(OWNERS_START, SQUARES),
            mobility: any(MOBILE_START, SQUARES),
            tuple_refs: lists.concat(),
            starts,
            tuples_of_square,
            tuples_of_stone,
            tuples_of_loss,
        }
    }

    #[inline]
    pub(super) fn references_of(&self, cell_index: usize) -> &[TupleRef] {
        let cell_index = cell_index % CELLS;
        &self.tuple_refs
            [usize::from(self.starts[cell_index])..usize::from(self.starts[cell_index + 1])]
    }
}

const _: () =
    assert!(DISTANCES_START == SQUARES_START + STONES && ALIVE_START == DISTANCES_START + STONES);
