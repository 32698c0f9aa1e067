//! What the stones of the side to move contribute to the odds of its successors, as far as the enemy does not come into
//! it.
//!
//! Most positions that are searched one after the other differ in the enemy's stones only, so this is kept. Invariant:
//! it follows from the side alone.

use super::{LANES, Table, best_of, look_up};
use crate::eval::race_tables::{distance, distance_index, distance_place, distance_unit};
use crate::games::einstein::position::Side;
use crate::games::einstein::{GONE, MAX_STONES, Standard};

/// The moves of one side.
#[derive(Clone, Debug)]
pub struct OwnMoves {
    side: Side,
    alive: u8,
    /// How many moves there are.
    pub(super) successors: u32,
    /// How many of them reach the goal.
    pub(super) arrivals: u32,
    index: usize,
    /// The squares it stands on, one bit a square.
    taken: u32,
    /// The squares its stones can go to, in the enemy's perspective, one bit a square.
    reach: u32,
    /// For each stone the odds, but for the enemy's part, after the best of its moves that does not capture an enemy:
    /// infinite if it reaches the goal, 0 for a stone that is gone.
    pub(super) best: [f32; LANES],
    /// The same for each outcome, and its weight: 0 for those that are not.
    pub(super) best_of_outcomes: [f32; LANES],
    pub(super) weights: [f32; LANES],
}

impl Default for OwnMoves {
    fn default() -> Self {
        Self {
            side: Side::EMPTY,
            alive: 0,
            successors: 0,
            arrivals: 0,
            index: 0,
            taken: 0,
            reach: 0,
            best: [0.0; LANES],
            best_of_outcomes: [0.0; LANES],
            weights: [0.0; LANES],
        }
    }
}

impl OwnMoves {
    /// Enough of a side for [`OwnMoves::hurry_after`].
    #[inline]
    pub(super) fn nothing_but(side: Side) -> Self {
        Self { side, index: distance_index(side), taken: side.squares_taken(), ..Self::default() }
    }

    /// Makes these the moves of a side, if they are not yet.
    #[inline]
    pub(super) fn become_those_of(&mut self, game: &Standard, hurries: &Table, side: Side) {
        if self.side != side {
            self.refill(game, hurries, side);
        }
    }

    /// A closer stone never makes the race longer (play on as if it were not closer), and every stone can come closer, so
    /// a stone's best move takes one off its distance, unless it has to capture for it: a single look-up.
    fn refill(&mut self, game: &Standard, hurries: &Table, side: Side) {
        (self.side, self.alive, self.index, self.taken) = (side, side.alive(), distance_index(side), side.squares_taken());
        (self.successors, self.arrivals, self.reach) = (0, 0, 0);
        for stone in 0..MAX_STONES {
            let square = side.square(stone);
            self.reach |= Standard::destinations_seen_by_enemy(square);
            self.successors += u32::from(Standard::mobility_from(square));
            self.best[stone] = if square == GONE {
                0.0
            } else if distance(square) == 1 {
                self.arrivals += 1;
                f32::INFINITY
            } else if Standard::destinations(square) & self.taken == 0 {
                look_up(hurries, self.index - distance_unit(stone))
            } else {
                let mut best = 0.0;
                for destination in bits(Standard::destinations(square)) {
                    let hurry = self.hurry_after(hurries, stone, destination);
                    best = if hurry > best { hurry } else { best };
                }
                best
            };
        }
        (self.best_of_outcomes, self.weights) = ([0.0; LANES], [0.0; LANES]);
        for (lane, outcome) in game.outcomes_by_stone(self.alive).iter().enumerate() {
            self.best_of_outcomes[lane] = best_of(&self.best, outcome);
            self.weights[lane] = outcome.weight;
        }
    }

    /// What the turns then needed are against the enemy after a stone went to a square that is not the goal.
    #[inline]
    pub(super) fn hurry_after(&self, hurries: &Table, stone: usize, destination: u8) -> f32 {
        let mut index = self.index - distance_place(stone, self.side.square(stone)) + distance_place(stone, destination);
        if self.taken >> destination & 1 == 1
            && let Some(captured) = self.side.stone_on(destination)
        {
            index -= distance_place(captured, destination);
        }
        look_up(hurries, index)
    }

    /// One bit a living stone.
    #[inline]
    pub(super) fn alive(&self) -> u8 {
        self.alive
    }

    /// The squares that any stone can go to, in the enemy's perspective, one bit a square.
    #[inline]
    pub(super) fn reach(&self) -> u32 {
        self.reach
    }

    /// The squares that a stone can go to, in the enemy's perspective, one bit a square.
    #[inline]
    pub(super) fn seen_by_enemy(&self, stone: usize) -> u32 {
        Standard::destinations_seen_by_enemy(self.side.square(stone))
    }

    /// The squares that a stone can go to, in its own perspective.
    #[inline]
    pub(super) fn destinations(&self, stone: usize) -> impl Iterator<Item = u8> {
        bits(Standard::destinations(self.side.square(stone)))
    }

    /// How many moves, but for those that reach the goal, go to one of some squares of the enemy's perspective.
    #[cold]
    pub(super) fn captures_of(&self, squares: u32) -> u32 {
        // The goal is the enemy's home corner.
        (0..MAX_STONES).map(|stone| (self.seen_by_enemy(stone) & squares & !1).count_ones()).sum()
    }
}

/// The numbers of the bits that are set.
#[inline]
fn bits(mut set: u32) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        let bit = set.trailing_zeros() as u8;
        (set != 0).then(|| {
            set &= set - 1;
            bit
        })
    })
}
