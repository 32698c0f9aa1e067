//! Probes the tables: win probabilities of positions before and after the roll, and of moves.

use super::{
    Tables,
    cell_storage::{self, Cells},
    class_index,
};
use crate::{Move, Position, Standard, dice::Die};
use alea_core::oracle::Oracle;

/// Moves whose win probabilities differ by at most this count as equal; about twice
/// [`Oracle::max_error`] of five stones.
pub const SAME_VALUE_MARGIN: f32 = 1e-4;

/// Win probabilities of a position, its moves and its rolls.
#[derive(Clone, Debug, PartialEq)]
pub struct ProbeResult {
    /// Win probability of the side to move, before the roll.
    pub value: f32,
    /// Every move that some face allows, by stone, then direction, with the mover's win
    /// probability.
    pub moves: Vec<(Move, f32)>,
    /// Best moves after each roll, at `face − 1`.
    pub faces: [FaceResult; 6],
}

/// The value of a roll, and its best moves.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FaceResult {
    /// The mover's win probability after the best legal move.
    pub value: f32,
    /// Legal moves with a win probability within [`SAME_VALUE_MARGIN`] of `value`; only certain
    /// wins if `value` is 1.
    pub best: Vec<Move>,
}

const BATCH_SIZE: usize = 32;
/// Pages requested before the first is read: disks answer many requests sooner.
const PAGES_AHEAD: usize = 256;

impl Tables {
    #[inline]
    fn cell(&self, position: &Position) -> Option<&u16> {
        let (class, cell) = self.index.find_cell(position)?;
        let cells = self.cells[class_index(class)]
            .as_ref()
            .map(Cells::as_slice)?;
        Some(&cells[cell])
    }

    /// Win probability of the side to move in an unfinished position, before the roll, in units of
    /// 1/65535; `None` outside the tables.
    #[inline]
    pub fn value_units(&self, position: &Position) -> Option<u16> {
        self.cell(position).copied()
    }

    /// Win probability of the side to move before the roll; `None` as for [`Self::value_units`].
    #[inline]
    pub fn value_of(&self, position: &Position) -> Option<f32> {
        self.value_units(position).map(to_value)
    }

    /// Sets `values[i]` to [`Self::value_of`] `positions[i]`.
    pub fn values(&self, positions: &[Position], values: &mut [Option<f32>]) {
        assert_eq!(positions.len(), values.len(), "a place for each value");
        let cells = positions.iter().map(|position| self.cell(position));
        if positions.len() <= BATCH_SIZE {
            let mut probed = [None; BATCH_SIZE];
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
            let (class, cell) = self.index.find_cell(position)?;
            Some((class_index(class), cell, number))
        });
        let mut found: Vec<(usize, usize, usize)> = found.collect();
        found.sort_unstable();
        for some in found.chunks(PAGES_AHEAD) {
            let cells = |class_index: usize| self.cells[class_index].as_ref();
            for &(class_index, cell, _) in some {
                cells(class_index)
                    .into_iter()
                    .for_each(|cells| cells.prefetch_page(cell));
            }
            for &(class_index, cell, number) in some {
                values[number] = cells(class_index).map(|cells| to_value(cells.as_slice()[cell]));
            }
        }
    }

    /// Win probabilities of an unfinished position, its moves and rolls; `None` outside the tables.
    pub fn probe(&self, game: &Standard, position: &Position) -> Option<ProbeResult> {
        self.probe_within(game, position, 0)
    }

    /// As [`Self::probe`], but also solves up to `limit` positions outside the tables; `None` if
    /// more are needed.
    pub fn probe_within(
        &self,
        game: &Standard,
        position: &Position,
        limit: usize,
    ) -> Option<ProbeResult> {
        let moves = self.solve_moves_within(game, position, limit)?;
        let faces: [FaceResult; 6] = std::array::from_fn(|face| {
            let permitted = game.legal_moves(position, face as u8 + 1);
            let rated = || moves.iter().filter(|(mv, _)| permitted.contains(mv));
            let value = rated().map(|(_, value)| *value).fold(0.0, f32::max);
            let margin = if value == 1.0 { 0.0 } else { SAME_VALUE_MARGIN };
            let best = rated().filter(|(_, other)| *other >= value - margin);
            FaceResult {
                value,
                best: best.map(|(mv, _)| *mv).collect(),
            }
        });
        let mean = || faces.iter().map(|face| face.value).sum::<f32>() / 6.0;
        Some(ProbeResult {
            value: self.value_of(position).unwrap_or_else(mean),
            moves,
            faces,
        })
    }

    /// Whether `game` has these tables' variant and a fair die of six faces.
    #[inline]
    pub fn matches_rules(&self, game: &Standard) -> bool {
        game.variant() == self.variant && game.die() == Die::fair()
    }
}

impl Oracle<Standard> for Tables {
    #[inline]
    fn value(&self, game: &Standard, position: &Position) -> Option<f32> {
        self.value_of(position).filter(|_| self.matches_rules(game))
    }

    #[inline]
    fn may_cover_successors(&self, position: &Position) -> bool {
        position.num_stones() as usize == self.max_stones() + 1
    }

    fn values(&self, game: &Standard, positions: &[Position]) -> Vec<Option<f32>> {
        let mut values = vec![None; positions.len()];
        if self.matches_rules(game) {
            Self::values(self, positions, &mut values);
        }
        values
    }

    fn max_error(&self) -> f32 {
        self.error_bound()
    }
}

#[inline]
fn prefetch(cell: &u16) {
    cell_storage::prefetch(std::slice::from_ref(cell));
}

#[inline]
pub(super) fn to_value(units: u16) -> f32 {
    f32::from(units) / 65535.0
}
