//! Cached contribution of the side to move to the odds of its successors, independent of the
//! enemy's stones.
//!
//! Most positions of a search differ from the one before in the enemy's stones only. Captures and
//! missing moves make no branch, which no processor would predict. Invariant: the cache follows
//! from the side alone.

use super::{LANES, Table, look_up};
use crate::games::einstein::{
    MAX_STONES, Standard,
    evaluators::race_tables::{distance_index, distance_stride},
    position::Side,
};

/// Moves of one side.
#[derive(Clone, Debug)]
pub struct OwnMoves {
    side: Side,
    /// For each move of each stone the odds without the enemy's factor: infinite if it reaches the
    /// goal, 0 for a missing move.
    pub(super) hurries: [[f32; 3]; MAX_STONES],
    /// Target squares in the enemy's perspective; [`NOWHERE`] for a missing move.
    pub(super) destinations: [[u8; 3]; MAX_STONES],
    /// For each outcome the first and the last stone that it allows; those between them are gone.
    pub(super) permitted: [[u8; 2]; LANES],
    /// Probability of each outcome; 0 for unused lanes.
    pub(super) weights: [f32; LANES],
}

/// A square on no board that differs from [`crate::games::einstein::GONE`].
pub(super) const NOWHERE: u8 = Standard::GOAL.wrapping_sub(crate::games::einstein::GONE) & 31;

/// Index of a stone that does not exist.
const NOBODY: u8 = LANES as u8 - 1;

impl Default for OwnMoves {
    fn default() -> Self {
        Self {
            side: Side::EMPTY,
            hurries: [[0.0; 3]; MAX_STONES],
            destinations: [[NOWHERE; 3]; MAX_STONES],
            permitted: [[NOBODY; 2]; LANES],
            weights: [0.0; LANES],
        }
    }
}

impl OwnMoves {
    /// Updates the cache for a side, unless it holds that side already.
    #[inline]
    pub(super) fn become_those_of(&mut self, game: &Standard, hurries: &Table, side: Side) {
        if self.side != side {
            self.refill(game, hurries, side);
        }
    }

    fn refill(&mut self, game: &Standard, hurries: &Table, side: Side) {
        self.side = side;
        let own = Stones::of(side);
        for stone in 0..MAX_STONES {
            for (direction, destination) in Standard::destinations(side.square(stone))
                .into_iter()
                .enumerate()
            {
                let flipped = Standard::GOAL.wrapping_sub(destination) & 31;
                let hurry = look_up(hurries, own.index_after(stone, destination));
                let hurry = if flipped == NOWHERE { 0.0 } else { hurry };
                self.hurries[stone][direction] = if destination == Standard::GOAL {
                    f32::INFINITY
                } else {
                    hurry
                };
                self.destinations[stone][direction] = flipped;
            }
        }
        (self.permitted, self.weights) = ([[NOBODY; 2]; LANES], [0.0; LANES]);
        for (lane, outcome) in game.outcomes_by_stone(side.alive()).iter().enumerate() {
            self.permitted[lane] = [outcome.start as u8, outcome.end as u8 - 1];
            self.weights[lane] = outcome.weight;
        }
    }
}

/// Squares of a side's stones with their strides, for distances after a move.
pub(super) struct Stones {
    side: Side,
    pub(super) index: usize,
    /// Stride of the stone on each square.
    strides: [u16; 32],
}

impl Stones {
    #[inline]
    pub(super) fn of(side: Side) -> Self {
        let mut strides = [0; 32];
        for stone in 0..MAX_STONES {
            let square = side.square(stone);
            strides[usize::from(square & 31)] = distance_stride(stone, square) as u16;
        }
        Self {
            side,
            index: distance_index(side),
            strides,
        }
    }

    /// Index of the distances after a stone moved to a square and captured its occupant; arbitrary
    /// for a missing move.
    #[inline]
    pub(super) fn index_after(&self, stone: usize, destination: u8) -> usize {
        let moved = self.index - distance_stride(stone, self.side.square(stone))
            + distance_stride(stone, destination);
        moved.wrapping_sub(usize::from(self.strides[usize::from(destination & 31)]))
    }

    /// Index of the distances without the stone on a square.
    #[inline]
    pub(super) fn index_without(&self, square: u8) -> usize {
        self.index - usize::from(self.strides[usize::from(square & 31)])
    }
}
