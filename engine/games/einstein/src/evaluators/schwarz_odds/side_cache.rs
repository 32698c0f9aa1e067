//! Cache of sides' moves and of their factors of the odds: most successive positions of a search
//! differ only in the enemy's stones.

use super::{LANES, Table, look_up};
use crate::{
    MAX_STONES, Standard,
    evaluators::race_tables::{distance_index, distance_index_term},
    position::Side,
};

#[derive(Clone, Debug)]
pub(super) struct SideMoveCache {
    side: Side,
    /// The side's factor of the odds by stone and direction: infinite on the goal, 0 for a missing
    /// move.
    pub(super) factors_after_move: [[f32; 3]; MAX_STONES],
    /// Destinations by stone and direction, in the enemy's perspective; [`OFF_BOARD`] for a missing
    /// move.
    pub(super) destinations: [[u8; 3]; MAX_STONES],
    pub(super) allowed: [[u8; 2]; LANES],
    pub(super) weights: [f32; LANES],
}

/// Destination of a missing move, different from [`crate::GONE`].
pub(super) const OFF_BOARD: u8 = Standard::GOAL.wrapping_sub(crate::GONE) & 31;

const NO_STONE: u8 = LANES as u8 - 1;

impl Default for SideMoveCache {
    fn default() -> Self {
        Self {
            side: Side::EMPTY,
            factors_after_move: [[0.0; 3]; MAX_STONES],
            destinations: [[OFF_BOARD; 3]; MAX_STONES],
            allowed: [[NO_STONE; 2]; LANES],
            weights: [0.0; LANES],
        }
    }
}

const NUM_SIDES: usize = 16;

#[derive(Clone, Debug, Default)]
pub struct SideMoveCaches([SideMoveCache; NUM_SIDES]);

impl SideMoveCaches {
    #[inline]
    pub(super) fn moves_of(
        &mut self,
        game: &Standard,
        factors_after_move: &Table,
        side: Side,
    ) -> &SideMoveCache {
        let cache = &mut self.0[side.hash() as usize % NUM_SIDES];
        if cache.side != side {
            cache.rebuild(game, factors_after_move, side);
        }
        cache
    }
}

impl SideMoveCache {
    fn rebuild(&mut self, game: &Standard, factors_after_move: &Table, side: Side) {
        self.side = side;
        let own = DistanceIndexer::new(side);
        for stone in 0..MAX_STONES {
            for (direction, destination) in Standard::destinations(side.square(stone))
                .into_iter()
                .enumerate()
            {
                let flipped = Standard::GOAL.wrapping_sub(destination) & 31;
                let hurry = look_up(factors_after_move, own.index_after(stone, destination));
                let hurry = if flipped == OFF_BOARD { 0.0 } else { hurry };
                self.factors_after_move[stone][direction] = if destination == Standard::GOAL {
                    f32::INFINITY
                } else {
                    hurry
                };
                self.destinations[stone][direction] = flipped;
            }
        }
        (self.allowed, self.weights) = ([[NO_STONE; 2]; LANES], [0.0; LANES]);
        for (lane, outcome) in game.stone_outcomes(side.living_set()).iter().enumerate() {
            self.allowed[lane] = [outcome.start as u8, outcome.end as u8 - 1];
            self.weights[lane] = outcome.weight;
        }
    }
}

pub(super) struct DistanceIndexer {
    side: Side,
    pub(super) index: usize,
    strides: [u16; 32],
}

impl DistanceIndexer {
    #[inline]
    pub(super) fn new(side: Side) -> Self {
        let mut strides = [0; 32];
        for stone in 0..MAX_STONES {
            let square = side.square(stone);
            strides[usize::from(square & 31)] = distance_index_term(stone, square) as u16;
        }
        Self {
            side,
            index: distance_index(side),
            strides,
        }
    }

    /// The side's distance index after a move, which may capture an own stone; arbitrary for a
    /// missing move.
    #[inline]
    pub(super) fn index_after(&self, stone: usize, destination: u8) -> usize {
        let moved = self.index - distance_index_term(stone, self.side.square(stone))
            + distance_index_term(stone, destination);
        moved.wrapping_sub(usize::from(self.strides[usize::from(destination & 31)]))
    }

    #[inline]
    pub(super) fn index_after_capture(&self, square: u8) -> usize {
        self.index - usize::from(self.strides[usize::from(square & 31)])
    }
}
