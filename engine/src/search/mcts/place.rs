//! A place of the graph, a position or a move, with all that is stored there; and the moves of a
//! position side by side.
//!
//! Invariant: what is known beside the statistics is looked up only when it is asked for, in
//! another array.

use super::cell::{Cell, Proof};
use crate::core::chance::Bounds;
use crate::search::memory::Memory;
use std::ops::Deref;

/// A head or a move. Its statistics are those of its [`Cell`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'a> {
    cell: &'a Cell,
    proofs: &'a Memory<Proof>,
    index: usize,
}

impl Deref for Place<'_> {
    type Target = Cell;

    #[inline]
    fn deref(&self) -> &Cell {
        self.cell
    }
}

impl<'a> Place<'a> {
    #[inline]
    pub(super) fn new(cell: &'a Cell, proofs: &'a Memory<Proof>, index: usize) -> Self {
        Self {
            cell,
            proofs,
            index,
        }
    }

    #[inline]
    pub(super) fn proof(&self) -> &'a Proof {
        &self.proofs.items()[self.index]
    }

    #[inline]
    pub(super) fn bounds(&self) -> Bounds {
        if self.cell.has_bounds() {
            self.proof().bounds()
        } else {
            Bounds::UNKNOWN
        }
    }

    /// Adds what is proven, and answers whether it is new.
    #[inline]
    pub(super) fn tighten<const SHARED: bool>(&self, bounds: Bounds) -> bool {
        let new = self.proof().tighten::<SHARED>(bounds);
        if new {
            self.cell.set_has_bounds::<SHARED>();
        }
        new
    }

    /// What a prior says of a move.
    #[inline]
    pub(super) fn hint(&self) -> f32 {
        self.proof().hint()
    }

    pub(super) fn set_hint(&self, hint: f32) {
        self.proof().set_hint(hint);
    }
}

/// Some moves of a position, one after the other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edges<'a> {
    cells: &'a [Cell],
    proofs: &'a Memory<Proof>,
    first: usize,
}

impl<'a> Edges<'a> {
    #[inline]
    pub(super) fn new(cells: &'a [Cell], proofs: &'a Memory<Proof>, first: usize) -> Self {
        Self {
            cells,
            proofs,
            first,
        }
    }

    #[inline]
    pub(super) fn cells(&self) -> &'a [Cell] {
        self.cells
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.cells.len()
    }

    #[inline]
    pub(super) fn get(&self, number: usize) -> Place<'a> {
        Place::new(&self.cells[number], self.proofs, self.first + number)
    }

    #[inline]
    pub(super) fn iter(self) -> impl DoubleEndedIterator<Item = Place<'a>> + ExactSizeIterator {
        self.cells
            .iter()
            .enumerate()
            .map(move |(number, cell)| Place::new(cell, self.proofs, self.first + number))
    }
}
