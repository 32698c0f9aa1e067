//! Probes: the value of a position, of its moves, and of each face of the die.
//!
//! Invariant: the value of a position is for the side to move before the roll, the value of a move
//! for the side that makes it. A move that ends the game is worth exactly 1; no side loses by its
//! own move.

use super::{
    Tables, class_index,
    memory::{self, Cells},
};
use crate::core::oracle::Oracle;
use crate::games::einstein::{Move, Position, Standard, dice::Die};

/// Maximum difference of values that count as equal: twice their error (see [`Oracle::error`]),
/// rounded up.
pub const SAME_VALUE: f32 = 1e-4;

/// Values of a position from the tables.
#[derive(Clone, Debug, PartialEq)]
pub struct Probe {
    /// Win probability of the side to move, before the roll.
    pub value: f32,
    /// Every move of any face, in list order, with its value for the side that makes it.
    pub moves: Vec<(Move, f32)>,
    /// Best moves of each face, from 1.
    pub faces: [Face; 6],
}

/// Best moves of a rolled face.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Face {
    /// Value of the best move.
    pub value: f32,
    /// Moves of equal value, up to [`SAME_VALUE`], in list order; only certain wins equal a certain
    /// win.
    pub best: Vec<Move>,
}

/// Probes that [`Tables::values`] has in flight.
const BATCH: usize = 32;
/// Pages of files requested before the first is read: a disk answers many requests at once sooner.
const READ_AHEAD: usize = 256;

impl Tables {
    /// Cell of an unfinished position; `None` beyond the tables.
    #[inline]
    fn cell(&self, position: &Position) -> Option<&u16> {
        let (class, cell) = self.index.find(position)?;
        let cells = self.cells[class_index(class)]
            .as_ref()
            .map(Cells::as_slice)?;
        Some(&cells[cell])
    }

    /// Stored value, in units of 1/65535, of an unfinished position; `None` beyond the tables.
    #[must_use]
    #[inline]
    pub fn units(&self, position: &Position) -> Option<u16> {
        self.cell(position).copied()
    }

    /// Win probability of the side to move, before the roll, of an unfinished position; `None`
    /// beyond the tables.
    #[must_use]
    #[inline]
    pub fn value_of(&self, position: &Position) -> Option<f32> {
        self.units(position).map(to_value)
    }

    /// Values of many unfinished positions, several probes at a time; larger batches in the order
    /// of memory and disk.
    ///
    /// # Panics
    ///
    /// If `values` has another length than `positions`.
    pub fn values(&self, positions: &[Position], values: &mut [Option<f32>]) {
        assert_eq!(positions.len(), values.len(), "a place for each value");
        let cells = positions.iter().map(|position| self.cell(position));
        if positions.len() <= BATCH {
            let mut probed = [None; BATCH];
            for (class_index, cell) in probed.iter_mut().zip(cells) {
                *class_index = cell;
                cell.into_iter().for_each(prefetch);
            }
            for (value, class_index) in values.iter_mut().zip(probed) {
                *value = class_index.map(|&units| to_value(units));
            }
            return;
        }
        values.fill(None);
        let found = positions.iter().zip(0..).filter_map(|(position, number)| {
            let (class, cell) = self.index.find(position)?;
            Some((class_index(class), cell, number))
        });
        let mut found: Vec<(usize, usize, usize)> = found.collect();
        found.sort_unstable();
        for some in found.chunks(READ_AHEAD) {
            let cells = |class_index: usize| self.cells[class_index].as_ref();
            for &(class_index, cell, _) in some {
                cells(class_index)
                    .into_iter()
                    .for_each(|cells| cells.will_need(cell));
            }
            for &(class_index, cell, number) in some {
                values[number] = cells(class_index).map(|cells| to_value(cells.as_slice()[cell]));
            }
        }
    }

    /// Value, moves and best moves of an unfinished position; `None` beyond the tables.
    ///
    /// # Panics
    ///
    /// As [`Self::moves_within`].
    #[must_use]
    pub fn probe(&self, game: &Standard, position: &Position) -> Option<Probe> {
        self.probe_within(game, position, 0)
    }

    /// Value, moves and best moves of an unfinished position, solving at most `limit` positions
    /// beyond the tables; `None` beyond the limit.
    ///
    /// # Panics
    ///
    /// As [`Self::moves_within`].
    #[must_use]
    pub fn probe_within(
        &self,
        game: &Standard,
        position: &Position,
        limit: usize,
    ) -> Option<Probe> {
        let moves = self.moves_within(game, position, limit)?;
        let faces: [Face; 6] = std::array::from_fn(|face| {
            let permitted = game.legal_moves(position, face as u8 + 1);
            let rated = || moves.iter().filter(|(mv, _)| permitted.contains(mv));
            let value = rated().map(|(_, value)| *value).fold(0.0, f32::max);
            let margin = if value == 1.0 { 0.0 } else { SAME_VALUE };
            let best = rated().filter(|(_, other)| *other >= value - margin);
            Face {
                value,
                best: best.map(|(mv, _)| *mv).collect(),
            }
        });
        let mean = || faces.iter().map(|face| face.value).sum::<f32>() / 6.0;
        Some(Probe {
            value: self.value_of(position).unwrap_or_else(mean),
            moves,
            faces,
        })
    }

    /// Whether these tables are those of a game: its variant, with a fair die of six faces.
    #[must_use]
    #[inline]
    pub fn answers(&self, game: &Standard) -> bool {
        game.variant() == self.variant && game.die() == Die::fair()
    }
}

impl Oracle<Standard> for Tables {
    #[inline]
    fn value(&self, game: &Standard, position: &Position) -> Option<f32> {
        // Most positions of a search are beyond the tables, so this comes first.
        self.value_of(position).filter(|_| self.answers(game))
    }

    /// A move captures one stone at most.
    #[inline]
    fn may_know_successors(&self, position: &Position) -> bool {
        position.stones() as usize == self.stones() + 1
    }

    fn values(&self, game: &Standard, positions: &[Position]) -> Vec<Option<f32>> {
        let mut values = vec![None; positions.len()];
        if self.answers(game) {
            Self::values(self, positions, &mut values);
        }
        values
    }

    fn error(&self) -> f32 {
        self.error_bound()
    }
}

/// Asks for the cache line of a cell.
#[inline]
fn prefetch(cell: &u16) {
    memory::prefetch(std::slice::from_ref(cell));
}

/// A probability from units of 1/65535.
#[inline]
pub(super) fn to_value(units: u16) -> f32 {
    f32::from(units) / 65535.0
}
