//! Moves of a side, and the expectation over one ply from the logits after them.
//!
//! For integer evaluators of all successors: each computes the logits of the steps, all else is
//! here. A position's value is Σ w · max over the moves that an outcome allows; the best move of a
//! stone is taken among integers before conversion to values, which has to be monotone. Invariant:
//! the bits of single evaluations; the cache of a side changes no value.

use crate::core::arrays::each;
use crate::games::einstein::{
    GONE, MAX_OUTCOMES, MAX_STONES, Move, Position, Standard, position::Side,
};

pub(super) const MAX_STEPS: usize = 3 * MAX_STONES;

/// Lanes for stones, with some to spare.
const LANES: usize = 8;

const DIRECTIONS: usize = MAX_STEPS / MAX_STONES;

/// Room for the logits of all steps, and more: a mask bounds every index, and vectors may end
/// behind the last.
const ROOM: usize = 32;

/// Index of a missing step.
const NO_STEP: usize = ROOM - 1;

/// The enemy's logit after each step, in the order of the steps; entries behind them are arbitrary.
pub(super) type Logits = [i32; ROOM];

/// Index of a stone that does not exist.
const NOBODY: u8 = LANES as u8 - 1;

const _: () = assert!(MAX_STONES < LANES && MAX_STEPS < ROOM);

/// Logit of a position that is lost for the side to move, below that of any evaluator.
pub(super) const LOST: i32 = i32::MIN;

/// Move that does not reach the goal.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Step {
    pub(super) stone: u8,
    /// Target square in the enemy's perspective.
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

/// Moves of one side with the outcomes that allow them.
#[derive(Clone, Debug)]
pub(super) struct Steps {
    side: Side,
    steps: [Step; MAX_STEPS],
    count: usize,
    /// Target squares, one bit each, in the enemy's perspective.
    targets: u32,
    /// Steps of each stone.
    of_stones: [[u8; DIRECTIONS]; LANES],
    /// For each stone [`LOST`] if it may reach the goal.
    arrivals: [i32; LANES],
    /// For each outcome the first and the last allowed stone; those between them are gone.
    permitted: [[u8; 2]; MAX_OUTCOMES],
    /// Probability of each outcome; 0 for unused ones.
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

    /// Moves that do not reach the goal, grouped by stone.
    #[inline]
    pub(super) fn list(&self) -> &[Step] {
        &self.steps[..self.count]
    }

    /// Target squares, one bit each, in the enemy's perspective.
    #[inline]
    pub(super) fn targets(&self) -> u32 {
        self.targets
    }

    /// Refills the cache for a side.
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

    /// Expectation over one ply from the enemy's logit after each step ([`LOST`] where it has no
    /// stone left) and the value of a logit for the enemy.
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
        // Values of stones rather than of outcomes, which would have to be gathered first. A loop,
        // as a map would not be vectorised.
        let mut values = [0.0; LANES];
        for (stone, value) in values.iter_mut().enumerate() {
            let worth = 1.0 - worth(of_stones[stone]);
            *value = if of_stones[stone] == LOST { 1.0 } else { worth };
        }
        // Sums in the order of outcomes, as single evaluation does.
        let mut value = 0.0;
        for outcome in 0..MAX_OUTCOMES {
            let permitted = self.permitted[outcome];
            let [first, last] = each(permitted, |stone| values[usize::from(stone) % LANES]);
            value += self.weights[outcome] * if first > last { first } else { last };
        }
        f32::min(value, 1.0)
    }
}

/// Moves from a caller's list without those that reach the goal.
pub(super) struct Listed {
    steps: [Step; MAX_STEPS],
    /// Index of each in the list.
    squares: [u8; MAX_STEPS],
    count: usize,
}

impl Listed {
    /// Scores the moves that reach the goal and stores the others.
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

    /// Target squares, one bit each, in the enemy's perspective.
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

    /// Scores the stored moves by a function of the enemy's logits.
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
