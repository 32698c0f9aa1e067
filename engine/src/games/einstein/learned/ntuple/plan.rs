//! Layout of a tuple set for vectors: sixteen tuples at a time.
//!
//! Four cells of each of sixteen tuples make a step: a byte looked up in the view for each,
//! multiplied and summed in pairs of bytes, then in pairs of 16 bits: s₀ + r₀ s₁ + r₀ r₁ (s₂ + r₂
//! s₃), r being numbers of symbols. Further cells are further steps, multiplied by the symbols
//! before them.
//!
//! Invariants: base and steps of a tuple add up to its row, and no part of the sum overflows: at
//! most 25 + 26 · 25 in 16 bits, 26⁴ in 32. With every symbol below the number of symbols of its
//! cell, every row is below [`Plan::rows`], at most [`MAX_ROWS`]: [`Plan::new`], the only
//! constructor, checks every cell and table, and plans are immutable. Weights are therefore read
//! without further checks.

use super::cell::{self, CELLS};
use crate::learned::{inputs::Cell, tuples::MAX_ROWS};

/// Tuples of a block, one a lane.
pub(super) const LANES: usize = 16;

/// Cells of each tuple in a step.
const CELLS_PER_STEP: usize = 4;

/// Bytes of a view in one look-up.
pub(super) const PIECE: usize = 16;

/// Cell indices of sixteen tuples with four cells each, and the factors of their symbols.
#[derive(Clone, Debug, PartialEq)]
#[repr(C, align(64))]
pub(super) struct Step {
    pub(super) cell_indices: [u8; CELLS_PER_STEP * LANES],
    /// 1, r₀, 1, r₂ of each tuple; 0 where it has no cell.
    pub(super) within_pairs: [i8; CELLS_PER_STEP * LANES],
    /// 1, r₀ r₁ of each.
    pub(super) pairs: [i16; 2 * LANES],
    /// Product of the numbers of symbols of all cells before.
    pub(super) strides: [u32; LANES],
    /// Pieces of the view that are read, a bit each.
    pub(super) pieces: u32,
}

/// Block of sixteen tuples.
#[derive(Clone, Debug, PartialEq)]
#[repr(C, align(64))]
pub(super) struct Block {
    /// First rows of their tables.
    pub(super) bases: [u32; LANES],
    /// All bits of a lane are set if it has a tuple.
    pub(super) mask: [u32; LANES],
    /// Number of steps, at least one.
    pub(super) steps: usize,
    /// Index of the first step.
    first: usize,
}

/// All tuples of a set.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Plan {
    blocks: Vec<Block>,
    /// Steps of the first block, of the second, …
    steps: Vec<Step>,
    rows: usize,
    reduced: bool,
}

impl Plan {
    /// Plan of tuples whose tables begin at these rows.
    ///
    /// # Panics
    ///
    /// If a cell is not of the view, the number of bases differs from that of tuples, or a table
    /// ends behind [`MAX_ROWS`].
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

    /// Bound of all rows of any position.
    #[inline]
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    #[inline]
    pub(super) fn is_reduced(&self) -> bool {
        self.reduced
    }

    /// All blocks with their steps.
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

    /// Block and steps by index.
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
