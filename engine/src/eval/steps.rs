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

/// Ways a stone may go.
const DIRECTIONS: usize = MOST / MAX_STONES;

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
    /// For each step its place among three rows of stones.
    places: [u8; MOST],
    /// For each stone [`LOST`] if it may reach the goal, and how many moves do.
    arrivals_first: [i32; LANES],
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
            places: [0; MOST],
            arrivals_first: [i32::MAX; LANES],
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
            for (direction, destination) in Standard::destinations(side.square(stone)).into_iter().enumerate() {
                if destination == GONE {
                    continue;
                }
                if destination == Standard::GOAL {
                    self.arrivals_first[stone] = LOST;
                    self.arrivals += 1;
                    continue;
                }
                self.places[self.count] = (LANES * direction + stone) as u8;
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
        // Each in a place of its own, so that none waits for the one before it.
        let mut places = [[i32::MAX; LANES]; DIRECTIONS];
        for (&place, &logit) in self.places[..self.count].iter().zip(logits) {
            places.as_flattened_mut()[usize::from(place) % (LANES * DIRECTIONS)] = logit;
            evaluated -= u32::from(logit == LOST);
        }
        // The worst for the enemy is the best.
        let mut of_stones = self.arrivals_first;
        for row in &places {
            for (best, &logit) in of_stones.iter_mut().zip(row) {
                *best = logit.min(*best);
            }
        }
        let best = self.permitted.map(|[first, last]| of_stones[usize::from(first) % LANES].min(of_stones[usize::from(last) % LANES]));
        // A loop and no map, which would not become vector instructions.
        let mut values = [0.0; LANES];
        for (value, &logit) in values.iter_mut().zip(&best) {
            let worth = 1.0 - worth(logit);
            *value = if logit == LOST { 1.0 } else { worth };
        }
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
