//! Asking the tables: the value of a position, of every move, and what each face of the die
//! permits.
//!
//! Invariant: a value is that of the side to move before the roll; the value of a move is that of
//! the side that makes it. A move after which the game is over is worth exactly 1; nobody loses by
//! a move of their own.

use super::{
    Tables,
    memory::{Cells, prefetch},
    place,
};
use crate::core::{game::Game, oracle::Oracle};
use crate::games::einstein::{Move, Position, Standard, dice::Die};

/// Values of moves closer than this, twice what they may err (see [`Oracle::error`]) or a little
/// more, count as equal.
pub const SAME_VALUE: f32 = 1e-4;

/// What the tables say of a position.
#[derive(Clone, Debug, PartialEq)]
pub struct Probe {
    /// Win probability of the side to move, before the roll.
    pub value: f32,
    /// Every move that some face permits, in list order, and its value for the side that makes it.
    pub moves: Vec<(Move, f32)>,
    /// For each face, from 1, what it permits.
    pub faces: [Face; 6],
}

/// What a rolled face permits.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Face {
    /// The value of the best permitted move.
    pub value: f32,
    /// The permitted moves that are as good, up to [`SAME_VALUE`], in list order; a certain win is
    /// only equalled by others.
    pub best: Vec<Move>,
}

/// How many probes [`Tables::values`] has in flight.
const BATCH: usize = 32;

impl Tables {
    /// Where a position that is not over stands; `None` if the tables do not reach so far.
    #[inline]
    fn cell(&self, position: &Position) -> Option<(&[u16], usize)> {
        let (class, cell) = self.index.find(position)?;
        let cells = self.cells[place(class)].as_ref().map(Cells::as_slice)?;
        Some((cells, cell))
    }

    /// The stored value, in units of 1/65535, of a position that is not over; `None` if the tables
    /// do not reach so far.
    #[must_use]
    #[inline]
    pub fn units(&self, position: &Position) -> Option<u16> {
        self.cell(position).map(|(cells, at)| cells[at])
    }

    /// The win probability of the side to move, before the roll, of a position that is not over;
    /// `None` if the tables do not reach so far.
    #[must_use]
    #[inline]
    pub fn value_of(&self, position: &Position) -> Option<f32> {
        self.units(position).map(to_value)
    }

    /// The values of many positions that are not over; several are fetched from memory at the same
    /// time.
    ///
    /// # Panics
    /// If there is not a place in `values` for each position.
    pub fn values(&self, positions: &[Position], values: &mut [Option<f32>]) {
        assert_eq!(positions.len(), values.len(), "a place for each value");
        for (positions, values) in positions.chunks(BATCH).zip(values.chunks_mut(BATCH)) {
            let mut places = [None; BATCH];
            for (place, position) in places.iter_mut().zip(positions) {
                *place = self.cell(position);
                if let Some((cells, at)) = *place {
                    prefetch(&cells[at..=at]);
                }
            }
            for (value, place) in values.iter_mut().zip(places) {
                *value = place.map(|(cells, at)| to_value(cells[at]));
            }
        }
    }

    /// Value, moves and best moves of a position that is not over; `None` if the tables do not
    /// reach so far.
    ///
    /// # Panics
    /// If `game` is not the game of these tables, which [`Self::answers`] says.
    #[must_use]
    pub fn probe(&self, game: &Standard, position: &Position) -> Option<Probe> {
        assert!(
            self.answers(game),
            "tables of one variant do not know another"
        );
        let value = self.value_of(position)?;
        let rate = |&mv: &Move| {
            let after = game.play(position, mv);
            let over = game.payoff(&after, position.seat());
            let value = over.or_else(|| Some(1.0 - self.value_of(&after)?))?;
            Some((mv, value))
        };
        let moves: Vec<_> = game
            .all_moves(position)
            .iter()
            .map(rate)
            .collect::<Option<_>>()?;
        let faces = std::array::from_fn(|face| {
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
        Some(Probe {
            value,
            moves,
            faces,
        })
    }

    /// Whether these tables are those of a game: its variant, and a fair die with six faces.
    #[must_use]
    #[inline]
    pub fn answers(&self, game: &Standard) -> bool {
        game.variant() == self.variant && game.die() == Die::fair()
    }
}

impl Oracle<Standard> for Tables {
    #[inline]
    fn value(&self, game: &Standard, position: &Position) -> Option<f32> {
        // Most positions of a search are out of reach, so that comes first.
        self.value_of(position).filter(|_| self.answers(game))
    }

    /// A move captures one stone at most.
    #[inline]
    fn may_know_successors(&self, position: &Position) -> bool {
        position.stones() as usize == self.stones() + 1
    }

    fn error(&self) -> f32 {
        self.error_bound()
    }

    #[inline]
    fn prefetch(&self, position: &Position) {
        if let Some((cells, at)) = self.cell(position) {
            prefetch(&cells[at..=at]);
        }
    }
}

/// A probability from units of 1/65535.
#[inline]
pub(super) fn to_value(units: u16) -> f32 {
    f32::from(units) / 65535.0
}
