//! SIMD layout of a tuple set: sixteen tuples per block. A step looks up four symbols of each tuple
//! and sums them in pairs of bytes, then of 16 bits: s₀ + r₀ s₁ + r₀ r₁ (s₂ + r₂ s₃), *r* being
//! alphabet sizes; further cells take steps with larger strides.
//!
//! A tuple's base and steps add up to its row without overflow: at most 25 + 26 · 25 in 16 bits,
//! 26⁴ in 32. Unchecked weight loads rely on this: if symbols are in their alphabets, rows are
//! below [`SimdLayout::rows`] ≤ [`MAX_ROWS`], as [`SimdLayout::new`], the only constructor, checks
//! for every cell and table.

use super::cells::{self, CELLS};
use alea_learned::{inputs::Cell, tuples::MAX_ROWS};

pub(super) const LANES: usize = 16;

const CELLS_PER_STEP: usize = 4;

pub(super) const PIECE_BYTES: usize = 16;

/// Four cells of each tuple, and their symbols' factors.
#[derive(Clone, Debug, PartialEq)]
#[repr(C, align(64))]
pub(super) struct LookupStep {
    pub(super) cell_indices: [u8; CELLS_PER_STEP * LANES],
    /// Factors 1, r₀, 1, r₂ of the symbols; 0 for a missing cell.
    pub(super) within_pairs: [i8; CELLS_PER_STEP * LANES],
    /// Factors 1, r₀ r₁ of the sums of pairs.
    pub(super) pairs: [i16; 2 * LANES],
    /// Product of the alphabet sizes in a tuple's earlier steps.
    pub(super) strides: [u32; LANES],
    /// Set of the pieces of 16 symbols that hold the cells.
    pub(super) pieces: u32,
}

#[derive(Clone, Debug, PartialEq)]
#[repr(C, align(64))]
pub(super) struct TupleBlock {
    pub(super) bases: [u32; LANES],
    pub(super) mask: [u32; LANES],
    steps: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct SimdLayout {
    blocks: Vec<TupleBlock>,
    steps: Vec<LookupStep>,
    rows: usize,
    reduced: bool,
}

impl SimdLayout {
    /// Layout of tuples, whose tables start at the rows `bases`; panics if a cell is invalid, the
    /// lengths differ, or a table ends after [`MAX_ROWS`].
    pub(super) fn new(tuples: &[Vec<Cell>], bases: &[u32]) -> Self {
        assert_eq!(tuples.len(), bases.len(), "one table a tuple");
        let cells = || tuples.iter().flatten();
        assert!(cells().all(|cell| cells::is_valid_cell(*cell)), "no cell");
        let end = |(tuple, &base): (&Vec<Cell>, &u32)| {
            let rows = |rows: u64, cell: &Cell| rows.saturating_mul(cell.alphabet_size() as u64);
            tuple.iter().fold(1, rows).saturating_add(base.into())
        };
        let rows = tuples.iter().zip(bases).map(end).max().unwrap_or(0);
        assert!(rows <= MAX_ROWS as u64, "too many rows");
        let mut plan = Self {
            blocks: Vec::new(),
            steps: Vec::new(),
            rows: rows as usize,
            reduced: cells().any(|cell| cells::has_compact_alphabet(*cell)),
        };
        for (tuples, bases) in tuples.chunks(LANES).zip(bases.chunks(LANES)) {
            let count = tuples
                .iter()
                .map(|tuple| tuple.len().div_ceil(CELLS_PER_STEP))
                .max()
                .unwrap_or(1);
            let at = |numbers: &[u32], lane: usize| numbers.get(lane).copied().unwrap_or(0);
            plan.blocks.push(TupleBlock {
                bases: std::array::from_fn(|lane| at(bases, lane)),
                mask: std::array::from_fn(|lane| if lane < tuples.len() { u32::MAX } else { 0 }),
                steps: count,
            });
            plan.steps
                .extend((0..count).map(|step| LookupStep::new(tuples, step)));
        }
        plan
    }

    #[inline]
    pub(super) fn num_rows(&self) -> usize {
        self.rows
    }

    #[inline]
    pub(super) fn has_compact_alphabet(&self) -> bool {
        self.reduced
    }

    #[inline]
    pub(super) fn blocks(&self) -> impl ExactSizeIterator<Item = (&TupleBlock, &[LookupStep])> {
        let mut steps = &self.steps[..];
        self.blocks.iter().map(move |block| {
            let (own, rest) = steps.split_at(block.steps);
            steps = rest;
            (block, own)
        })
    }
}

impl LookupStep {
    fn new(tuples: &[Vec<Cell>], number: usize) -> Self {
        let mut step = Self {
            cell_indices: [0; 64],
            within_pairs: [0; 64],
            pairs: [0; 32],
            strides: [0; LANES],
            pieces: 0,
        };
        for (lane, tuple) in tuples.iter().enumerate() {
            let symbols = |cell: usize| tuple.get(cell).map_or(1, |cell| cell.alphabet_size());
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
                step.pieces |= 1 << (cell.index() / PIECE_BYTES);
            }
        }
        step
    }
}

const _: () = assert!(CELLS == 128 && CELLS / PIECE_BYTES <= u32::BITS as usize);
