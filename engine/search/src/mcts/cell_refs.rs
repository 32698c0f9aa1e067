//! References to a cell ([`CellRef`]) and to adjacent edges of a node ([`EdgeSlice`]).

use super::cell::{Cell, ColdCell};
use crate::shared_array::SharedArray;
use alea_core::chance_bounds::Bounds;
use std::ops::Deref;

#[derive(Clone, Copy, Debug)]
pub(super) struct CellRef<'a> {
    cell: &'a Cell,
    cold_cells: &'a SharedArray<ColdCell>,
    index: usize,
}

impl Deref for CellRef<'_> {
    type Target = Cell;

    #[inline]
    fn deref(&self) -> &Cell {
        self.cell
    }
}

impl<'a> CellRef<'a> {
    #[inline]
    pub(super) fn new(cell: &'a Cell, cold_cells: &'a SharedArray<ColdCell>, index: usize) -> Self {
        Self {
            cell,
            cold_cells,
            index,
        }
    }

    #[inline]
    pub(super) fn cold_cell(&self) -> &'a ColdCell {
        &self.cold_cells.items()[self.index]
    }

    #[inline]
    pub(super) fn bounds(&self) -> Bounds {
        if self.cell.has_bounds() {
            self.cold_cell().bounds()
        } else {
            Bounds::UNKNOWN
        }
    }

    #[inline]
    pub(super) fn tighten<const SHARED: bool>(&self, bounds: Bounds) -> bool {
        let new = self.cold_cell().tighten::<SHARED>(bounds);
        if new {
            self.cell.set_has_bounds::<SHARED>();
        }
        new
    }

    #[inline]
    pub(super) fn prior(&self) -> f32 {
        self.cold_cell().prior()
    }

    pub(super) fn set_prior(&self, prior: f32) {
        self.cold_cell().set_prior(prior);
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct EdgeSlice<'a> {
    cells: &'a [Cell],
    cold_cells: &'a SharedArray<ColdCell>,
    first: usize,
}

impl<'a> EdgeSlice<'a> {
    #[inline]
    pub(super) fn new(
        cells: &'a [Cell],
        cold_cells: &'a SharedArray<ColdCell>,
        first: usize,
    ) -> Self {
        Self {
            cells,
            cold_cells,
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
    pub(super) fn get(&self, number: usize) -> CellRef<'a> {
        CellRef::new(&self.cells[number], self.cold_cells, self.first + number)
    }

    #[inline]
    pub(super) fn iter(self) -> impl DoubleEndedIterator<Item = CellRef<'a>> + ExactSizeIterator {
        self.cells
            .iter()
            .enumerate()
            .map(move |(number, cell)| CellRef::new(cell, self.cold_cells, self.first + number))
    }
}
