//! The moves of a side to move, and what they make of a position one ply deep.
//!
//! For evaluators that value all successors of a position at once in whole numbers: each finds the
//! logits of the steps, all else is here. A position is worth Σ w · max over the moves that an
//! outcome permits; of the moves of a stone the best is taken among integers before they become
//! values, which needs a way to values that never falls. Invariant: the bits of successors valued
//! one by one; what is kept of a side only saves work.

use crate::core::arrays::each;
use crate::games::einstein::{
    GONE, MAX_OUTCOMES, MAX_STONES, Move, Position, Standard, position::Side,
};

pub(super) const MAX_STEPS: usize = 3 * MAX_STONES;

/// A place for each stone, and some to spare.
const LANES: usize = 8;

const DIRECTIONS: usize = MAX_STEPS / MAX_STONES;

/// Room for the logits of all steps, and more: a mask bounds every index, and vectors may end
/// behind the last.
const ROOM: usize = 32;

/// Stands for a step that there is not.
const NO_STEP: usize = ROOM - 1;

/// The enemy's logit after each step, in the order of the steps; what is behind them means nothing.
pub(super) type Logits = [i32; ROOM];

/// Stands for a stone that is never there.
const NOBODY: u8 = LANES as u8 - 1;

const _: () = assert!(MAX_STONES < LANES && MAX_STEPS < ROOM);

/// The logit of a position that is lost for the side to move; no evaluator has one as low.
pub(super) const LOST: i32 = i32::MIN;

/// A move that does not reach the goal.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Step {
    pub(super) stone: u8,
    /// Where it goes, in the enemy's perspective.
    pub(super) square: u8,
}

impl Step {
    #[inline]
    pub(super) fn applied_to(self, side: Side) -> Side {
        let destination = Standard::GOAL - self.square;
        side.without(destination)
            .with(usize::from(self.stone), destination)
    }
}

/// The moves of one side, and the outcomes that permit them.
#[derive(Clone, Debug)]
pub(super) struct Steps {
    side: Side,
    steps: [Step; MAX_STEPS],
    count: usize,
    /// The squares they go to, one bit each, in the enemy's perspective.
    targets: u32,
    /// For each stone which of the steps are its own.
    of_stones: [[u8; DIRECTIONS]; LANES],
    /// For each stone [`LOST`] if it may reach the goal.
    arrivals: [i32; LANES],
    /// For each outcome the first and the last stone it permits; those between them are gone.
    permitted: [[u8; 2]; MAX_OUTCOMES],
    /// The probability of each outcome: 0 for those that are not.
    weights: [f32; MAX_OUTCOMES],
}

impl Default for Steps {
    fn default() -> Self {
        Self {
            side: Side::EMPTY,
            steps: [Step::default(); MAX_STEPS],
            count: 0,
            targets: 0,
            of_stones: [[NO_STEP as u8; DIRECTIONS]; LANES],
            arrivals: [i32::MAX; LANES],
            permitted: [[NOBODY; 2]; MAX_OUTCOMES],
            weights: [0.0; MAX_OUTCOMES],
        }
    }
}

impl Steps {
    #[inline]
    pub(super) fn belong_to(&self, side: Side) -> bool {
        self.side == side
    }

    /// The moves that do not reach the goal, those of a stone one after the other.
    #[inline]
    pub(super) fn list(&self) -> &[Step] {
        &self.steps[..self.count]
    }

    /// The squares they go to, one bit each, in the enemy's perspective.
    #[inline]
    pub(super) fn targets(&self) -> u32 {
        self.targets
    }

    /// Makes them those of a side.
    pub(super) fn refill(&mut self, game: &Standard, side: Side) {
        *self = Self {
            side,
            ..Self::default()
        };
        for stone in 0..MAX_STONES {
            for (direction, destination) in Standard::destinations(side.square(stone))
                .into_iter()
                .enumerate()
            {
                if destination == GONE {
                    continue;
                }
                if destination == Standard::GOAL {
                    self.arrivals[stone] = LOST;
                    continue;
                }
                self.of_stones[stone][direction] = self.count as u8;
                let square = Standard::GOAL - destination;
                self.steps[self.count] = Step {
                    stone: stone as u8,
                    square,
                };
                self.targets |= 1 << square;
                self.count += 1;
            }
        }
        for (lane, outcome) in game.outcomes_by_stone(side.alive()).iter().enumerate() {
            self.permitted[lane] = [outcome.start as u8, outcome.end as u8 - 1];
            self.weights[lane] = outcome.weight;
        }
    }

    /// [`Self::one_ply`] with eight stones to a vector.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    pub(super) fn one_ply_by_eights(&self, logits: &mut Logits, worth: impl Fn(i32) -> f32) -> f32 {
        self.one_ply(logits, worth)
    }

    /// The position one ply deep, from the enemy's logit after each step, [`LOST`] for those
    /// that leave it no stone, and from what a logit is worth to the enemy.
    #[inline(always)]
    pub(super) fn one_ply(&self, logits: &mut Logits, worth: impl Fn(i32) -> f32) -> f32 {
        logits[NO_STEP] = i32::MAX;
        let mut of_stones = [i32::MAX; LANES];
        for (stone, best) in of_stones.iter_mut().enumerate() {
            // The worst for the enemy is the best.
            let steps = self.of_stones[stone];
            let [one, another, third] = each(steps, |step| logits[usize::from(step) % ROOM]);
            *best = one.min(another).min(third).min(self.arrivals[stone]);
        }
        // What stones are worth, and not outcomes: these would have to be brought together first,
        // and wait for that. A loop and no map, which would not become vector instructions.
        let mut values = [0.0; LANES];
        for (stone, value) in values.iter_mut().enumerate() {
            let worth = 1.0 - worth(of_stones[stone]);
            *value = if of_stones[stone] == LOST { 1.0 } else { worth };
        }
        // In the order of the outcomes, as one by one.
        let mut value = 0.0;
        for outcome in 0..MAX_OUTCOMES {
            let permitted = self.permitted[outcome];
            let [first, last] = each(permitted, |stone| values[usize::from(stone) % LANES]);
            value += self.weights[outcome] * if first > last { first } else { last };
        }
        f32::min(value, 1.0)
    }
}

/// Moves of a position that were listed by somebody else, without those that reach the goal.
pub(super) struct Listed {
    steps: [Step; MAX_STEPS],
    /// Where in the list each of them is.
    squares: [u8; MAX_STEPS],
    count: usize,
}

impl Listed {
    /// Scores the moves that reach the goal, and keeps the others.
    #[inline]
    pub(super) fn new(position: &Position, moves: &[Move], scores: &mut [f32]) -> Self {
        let mut listed = Self {
            steps: [Step::default(); MAX_STEPS],
            squares: [0; MAX_STEPS],
            count: 0,
        };
        for (index, (&mv, score)) in moves.iter().zip(scores).enumerate() {
            let destination = Standard::destination(position, mv);
            if destination == Standard::GOAL {
                *score = f32::INFINITY;
                continue;
            }
            listed.steps[listed.count] = Step {
                stone: mv.stone() as u8,
                square: Standard::GOAL - destination,
            };
            listed.squares[listed.count] = index as u8;
            listed.count += 1;
        }
        listed
    }

    /// The squares they go to, one bit each, in the enemy's perspective.
    #[inline]
    pub(super) fn targets(&self) -> u32 {
        self.list()
            .iter()
            .fold(0, |targets, step| targets | 1 << (step.square & 31))
    }

    #[inline]
    pub(super) fn list(&self) -> &[Step] {
        &self.steps[..self.count]
    }

    /// Scores them, from the enemy's logits and what a logit counts for the enemy.
    #[inline]
    pub(super) fn score(&self, logits: &[i32], count: impl Fn(i32) -> f32, scores: &mut [f32]) {
        for (&index, &logit) in self.squares[..self.count].iter().zip(logits) {
            scores[usize::from(index)] = if logit == LOST {
                f32::INFINITY
            } else {
                -count(logit)
            };
        }
    }
}
