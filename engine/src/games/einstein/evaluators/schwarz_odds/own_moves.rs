//! What the stones of the side to move contribute to the odds of its successors, as far as the
//! enemy does not come into it.
//!
//! Most positions that are searched one after the other differ in the enemy's stones only, so this
//! is kept. Whether a move captures, or is there at all, makes no branch: a processor could not
//! foresee it. Invariant: all follows from the side alone.

use super::{LANES, Table, look_up};
use crate::games::einstein::{
    MAX_STONES, Standard,
    evaluators::race_tables::{distance_index, distance_stride},
    position::Side,
};

/// The moves of one side.
#[derive(Clone, Debug)]
pub struct OwnMoves {
    side: Side,
    /// For each move of each stone the odds but for the enemy's part: infinite if it reaches the
    /// goal, 0 if there is no such move.
    pub(super) hurries: [[f32; 3]; MAX_STONES],
    /// Where each goes, in the enemy's perspective; [`NOWHERE`] if there is no such move.
    pub(super) destinations: [[u8; 3]; MAX_STONES],
    /// For each outcome the first and the last stone it permits; those between them are gone.
    pub(super) permitted: [[u8; 2]; LANES],
    /// The probability of each outcome: 0 for those that are not.
    pub(super) weights: [f32; LANES],
}

/// A square that is on no board, and not [`crate::games::einstein::GONE`].
pub(super) const NOWHERE: u8 = Standard::GOAL.wrapping_sub(crate::games::einstein::GONE) & 31;

/// Stands for a stone that is never there.
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
    /// Makes these the moves of a side, if they are not yet.
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

/// Where the stones of a side stand, so as to find the distances after a move.
pub(super) struct Stones {
    side: Side,
    pub(super) index: usize,
    /// What the stone on each square adds to it.
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

    /// The index of the distances after a stone went to a square, capturing what stood there;
    /// anything for a move that is not there.
    #[inline]
    pub(super) fn index_after(&self, stone: usize, destination: u8) -> usize {
        let moved = self.index - distance_stride(stone, self.side.square(stone))
            + distance_stride(stone, destination);
        moved.wrapping_sub(usize::from(self.strides[usize::from(destination & 31)]))
    }

    /// The index of the distances without the stone on a square.
    #[inline]
    pub(super) fn index_without(&self, square: u8) -> usize {
        self.index - usize::from(self.strides[usize::from(square & 31)])
    }
}
