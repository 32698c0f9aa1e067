//! The moves of a side to move, and what they make of a position one ply deep.
//!
//! For evaluators that value all successors of a position at once in whole numbers: each finds the logits of the steps, all
//! else is here. A position is worth Σ w · max over the moves that an outcome permits; the best is taken among integers
//! before they become values, which needs a way to values that never falls. Invariant: the bits of successors valued one
//! by one; what is kept of a side only saves work.

use super::OnePly;
use crate::game::MAX_OUTCOMES;
use crate::games::einstein::position::Side;
use crate::games::einstein::{GONE, MAX_STONES, Move, Position, Standard};

/// Most moves there are.
pub(super) const MOST: usize = 3 * MAX_STONES;

/// A place for each outcome, or each stone, and some to spare.
const LANES: usize = 8;

/// Stands for a stone that is never there.
const NOBODY: u8 = LANES as u8 - 1;

const _: () = assert!(MAX_OUTCOMES <= LANES && MAX_STONES < LANES);

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
    /// A side after its step.
    #[inline]
    pub(super) fn made_by(self, side: Side) -> Side {
        let destination = Standard::GOAL - self.square;
        side.without(destination).with(usize::from(self.stone), destination)
    }
}

/// The moves of one side, and the outcomes that permit them.
#[derive(Clone, Debug)]
pub(super) struct Steps {
    side: Side,
    steps: [Step; MOST],
    count: usize,
    /// The stones that may reach the goal, one bit each, and how many moves do.
    arriving: u8,
    arrivals: u32,
    /// For each outcome the first and the last stone it permits; those between them are gone.
    permitted: [[u8; 2]; LANES],
    /// The probability of each outcome: 0 for those that are not.
    weights: [f32; LANES],
}

impl Default for Steps {
    fn default() -> Self {
        Self {
            side: Side::EMPTY,
            steps: [Step::default(); MOST],
            count: 0,
            arriving: 0,
            arrivals: 0,
            permitted: [[NOBODY; 2]; LANES],
            weights: [0.0; LANES],
        }
    }
}

impl Steps {
    /// Whether these are the moves of a side.
    #[inline]
    pub(super) fn belong_to(&self, side: Side) -> bool {
        self.side == side
    }

    /// The moves that do not reach the goal, those of a stone one after the other.
    #[inline]
    pub(super) fn list(&self) -> &[Step] {
        &self.steps[..self.count]
    }

    /// Makes them those of a side.
    pub(super) fn refill(&mut self, game: &Standard, side: Side) {
        *self = Self { side, ..Self::default() };
        for stone in 0..MAX_STONES {
            for destination in Standard::destinations(side.square(stone)) {
                if destination == GONE {
                    continue;
                }
                if destination == Standard::GOAL {
                    self.arriving |= 1 << stone;
                    self.arrivals += 1;
                    continue;
                }
                self.steps[self.count] = Step { stone: stone as u8, square: Standard::GOAL - destination };
                self.count += 1;
            }
        }
        for (lane, outcome) in game.outcomes_by_stone(side.alive()).iter().enumerate() {
            self.permitted[lane] = [outcome.start as u8, outcome.end as u8 - 1];
            self.weights[lane] = outcome.weight;
        }
    }

    /// The position one ply deep, from the enemy's logit after each step, [`LOST`] where it has no stone left, and from
    /// what a logit is worth to the enemy.
    #[inline]
    pub(super) fn one_ply(&self, logits: &[i32], worth: impl Fn(i32) -> f32) -> OnePly {
        let mut evaluated = self.count as u32;
        // The worst for the enemy is the best.
        let mut of_stones = [i32::MAX; LANES];
        for (step, &logit) in self.list().iter().zip(logits) {
            let best = &mut of_stones[usize::from(step.stone) % LANES];
            *best = logit.min(*best);
            evaluated -= u32::from(logit == LOST);
        }
        for (stone, best) in of_stones.iter_mut().enumerate().take(MAX_STONES) {
            *best = if self.arriving >> stone & 1 == 1 { LOST } else { *best };
        }
        let best = self.permitted.map(|[first, last]| of_stones[usize::from(first) % LANES].min(of_stones[usize::from(last) % LANES]));
        let values = best.map(|logit| {
            let value = 1.0 - worth(logit);
            if logit == LOST { 1.0 } else { value }
        });
        // In the order of the outcomes, as one by one.
        let mut value = 0.0;
        for (weight, best) in self.weights.iter().zip(values) {
            value += weight * best;
        }
        OnePly { value: f32::min(value, 1.0), successors: self.count as u32 + self.arrivals, evaluated }
    }
}

/// Moves of a position that were listed by somebody else, without those that reach the goal.
pub(super) struct Listed {
    steps: [Step; MOST],
    /// Where in the list each of them is.
    places: [u8; MOST],
    count: usize,
}

impl Listed {
    /// Scores the moves that reach the goal, and keeps the others.
    #[inline]
    pub(super) fn new(position: &Position, moves: &[Move], scores: &mut [f32]) -> Self {
        let mut listed = Self { steps: [Step::default(); MOST], places: [0; MOST], count: 0 };
        for (place, (&mv, score)) in moves.iter().zip(scores).enumerate() {
            let destination = Standard::destination(position, mv);
            if destination == Standard::GOAL {
                *score = f32::INFINITY;
                continue;
            }
            listed.steps[listed.count] = Step { stone: mv.stone() as u8, square: Standard::GOAL - destination };
            listed.places[listed.count] = place as u8;
            listed.count += 1;
        }
        listed
    }

    /// The moves that do not reach the goal.
    #[inline]
    pub(super) fn list(&self) -> &[Step] {
        &self.steps[..self.count]
    }

    /// Scores them, from the enemy's logits and what a logit counts for the enemy.
    #[inline]
    pub(super) fn score(&self, logits: &[i32], count: impl Fn(i32) -> f32, scores: &mut [f32]) {
        for (&place, &logit) in self.places[..self.count].iter().zip(logits) {
            scores[usize::from(place)] = if logit == LOST { f32::INFINITY } else { -count(logit) };
        }
    }
}
