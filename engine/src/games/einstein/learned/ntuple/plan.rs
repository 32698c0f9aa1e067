//! The layout of a set of tuples for vectors: sixteen tuples at a time.
//!
//! Four cells of each of sixteen tuples make a step: a byte looked up in the view for each,
//! multiplied and added up in pairs of bytes, then in pairs of 16 bits: s₀ + r₀ s₁ + r₀ r₁ (s₂ + r₂
//! s₃), r being numbers of symbols. Further cells are further steps, multiplied by what came before
//! them. Invariants: base and steps of a tuple add up to its row, and no part of the sum overflows:
//! at most 25 + 26 · 25 in 16 bits, 26⁴ in 32. Whatever the symbols are, if each is below the
//! number of symbols of its cell, every row is below [`Plan::rows`], which is at most [`MAX_ROWS`]:
//! [`Plan::new`] has looked at every cell and every table, nothing else makes a plan, and nobody
//! changes one. Weights are read without further checks because of that.

use super::cell::{self, CELLS};
use crate::learned::{inputs::Cell, tuples::MAX_ROWS};

/// Tuples of a block, one a lane.
pub(super) const LANES: usize = 16;

/// Cells of each tuple in a step.
const CELLS_PER_STEP: usize = 4;

/// Bytes of a view that are looked up at a time.
pub(super) const PIECE: usize = 16;

/// The places of the view for four cells of sixteen tuples, and what their symbols count.
#[derive(Clone, Debug, PartialEq)]
#[repr(C, align(64))]
pub(super) struct Step {
    pub(super) cell_indices: [u8; CELLS_PER_STEP * LANES],
    /// 1, r₀, 1, r₂ of each tuple; 0 where it has no cell.
    pub(super) within_pairs: [i8; CELLS_PER_STEP * LANES],
    /// 1, r₀ r₁ of each.
    pub(super) pairs: [i16; 2 * LANES],
    /// The symbols of all cells before, multiplied.
    pub(super) strides: [u32; LANES],
    /// The pieces of the view that are looked at, a bit each.
    pub(super) pieces: u32,
}

/// Sixteen tuples.
#[derive(Clone, Debug, PartialEq)]
#[repr(C, align(64))]
pub(super) struct Block {
    /// The first rows of their tables.
    pub(super) bases: [u32; LANES],
    /// All bits of a lane are set if it has a tuple.
    pub(super) mask: [u32; LANES],
    /// How many steps they take, of which there is at least one.
    pub(super) steps: usize,
    /// The number of the first of them.
    first: usize,
}

/// All tuples of a set.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Plan {
    blocks: Vec<Block>,
    /// Of the first block, of the second, …
    steps: Vec<Step>,
    rows: usize,
    reduced: bool,
}

impl Plan {
    /// Of tuples whose tables begin at these rows.
    ///
    /// # Panics
    /// If a cell is none of a view, there is not one base for each tuple, or a table ends behind
    /// [`MAX_ROWS`].
    pub(super) fn new(tuples: &[Vec<Cell>], bases: &[u32]) -> Self {
        assert_eq!(tuples.len(), bases.len(), "one table a tuple");
        let cells = || tuples.iter().flatten();
        assert!(cells().all(|cell| cell::is_of_a_view(*cell)), "no cell");
        let end = |(tuple, &base): (&Vec<Cell>, &u32)| {
            let rows = |rows: u64, cell: &Cell| rows.saturating_mul(cell.symbols() as u64);
            tuple.iter().fold(1, rows).saturating_add(base.into())
        };
        let rows = tuples.iter().zip(bases).map(end).max().unwrap_or(0);
        assert!(rows <= MAX_ROWS as u64, "too many rows");
        let mut plan = Self {
            blocks: Vec::new(),
            steps: Vec::new(),
            rows: rows as usize,
            reduced: cells().any(|cell| cell::is_reduced(*cell)),
        };
        for (tuples, bases) in tuples.chunks(LANES).zip(bases.chunks(LANES)) {
            let count = tuples
                .iter()
                .map(|tuple| tuple.len().div_ceil(CELLS_PER_STEP))
                .max()
                .unwrap_or(1);
            let at = |numbers: &[u32], lane: usize| numbers.get(lane).copied().unwrap_or(0);
            plan.blocks.push(Block {
                bases: std::array::from_fn(|lane| at(bases, lane)),
                mask: std::array::from_fn(|lane| if lane < tuples.len() { u32::MAX } else { 0 }),
                steps: count,
                first: plan.steps.len(),
            });
            plan.steps
                .extend((0..count).map(|step| Step::new(tuples, step)));
        }
        plan
    }

    /// All rows that positions may lead to are below this.
    #[inline]
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    #[inline]
    pub(super) fn is_reduced(&self) -> bool {
        self.reduced
    }

    /// All blocks, and the steps of each.
    #[inline]
    pub(super) fn blocks(&self) -> impl ExactSizeIterator<Item = (&Block, &[Step])> {
        let mut steps = &self.steps[..];
        self.blocks.iter().map(move |block| {
            let (own, rest) = steps.split_at(block.steps);
            steps = rest;
            (block, own)
        })
    }

    /// Whether any block takes more than one step: a tuple has more than four cells.
    #[inline]
    pub(super) fn is_long(&self) -> bool {
        self.steps.len() > self.blocks.len()
    }

    /// A block by its number, and its steps.
    #[inline]
    pub(super) fn block(&self, number: usize) -> (&Block, &[Step]) {
        let block = &self.blocks[number];
        (block, &self.steps[block.first..][..block.steps])
    }
}

impl Step {
    fn new(tuples: &[Vec<Cell>], number: usize) -> Self {
        let mut step = Self {
            cell_indices: [0; 64],
            within_pairs: [0; 64],
            pairs: [0; 32],
            strides: [0; LANES],
            pieces: 0,
        };
        for (lane, tuple) in tuples.iter().enumerate() {
            let symbols = |cell: usize| tuple.get(cell).map_or(1, |cell| cell.symbols());
            let first = number * CELLS_PER_STEP;
            step.strides[lane] = (0..first).map(|cell| symbols(cell) as u32).product();
            step.pairs[2 * lane..][..2]
                .copy_from_slice(&[1, (symbols(first) * symbols(first + 1)) as i16]);
            for (slot_in_step, cell) in tuple.iter().skip(first).take(CELLS_PER_STEP).enumerate() {
                step.cell_indices[CELLS_PER_STEP * lane + slot_in_step] = cell.index() as u8;
                step.within_pairs[CELLS_PER_STEP * lane + slot_in_step] = if slot_in_step % 2 == 0 {
                    1
                } else {
                    symbols(first + slot_in_step - 1) as i8
                };
                step.pieces |= 1 << (cell.index() / PIECE);
            }
        }
        step
    }
}

const _: () = assert!(CELLS == 128 && CELLS / PIECE <= u32::BITS as usize);
