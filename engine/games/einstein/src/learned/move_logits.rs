//! The moves of a side, and a position's one-ply value from its successors' logits. A stone's best
//! move is selected by integer logit, so conversion to values must be monotone.

use crate::{GONE, MAX_OUTCOMES, MAX_STONES, Move, Position, Standard, position::Side};
use alea_core::arrays::map_array;

pub(super) const MAX_STEPS: usize = 3 * MAX_STONES;

const LANES: usize = 8;

const NUM_DIRECTIONS: usize = MAX_STEPS / MAX_STONES;

/// Capacity of [`Logits`]: a power of two, so that a mask bounds every index; vectors may exceed
/// the last logit.
const LOGITS_CAPACITY: usize = 32;

const NO_MOVE: usize = LOGITS_CAPACITY - 1;

/// The enemy's logit after each move of a list; arbitrary beyond.
pub(super) type Logits = [i32; LOGITS_CAPACITY];

const NO_STONE: u8 = LANES as u8 - 1;

const _: () = assert!(MAX_STONES < LANES && MAX_STEPS < LOGITS_CAPACITY);

/// Logit of an enemy that has lost; logits of evaluators are larger.
pub(super) const LOST_LOGIT: i32 = i32::MIN;

/// A move that does not reach the goal.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SideMove {
    pub(super) stone: u8,
    pub(super) square: u8,
}

impl SideMove {
    #[inline]
    pub(super) fn apply_to(self, side: Side) -> Side {
        let destination = Standard::GOAL - self.square;
        side.without_stone_on(destination)
            .with_stone_on(usize::from(self.stone), destination)
    }
}

/// One side's moves that do not reach the goal, and its outcomes of a roll.
#[derive(Clone, Debug)]
pub(super) struct SideMoves {
    side: Side,
    steps: [SideMove; MAX_STEPS],
    count: usize,
    targets: u32,
    /// Index in `steps` of each stone's move in each direction, or [`NO_MOVE`].
    moves_by_stone: [[u8; NUM_DIRECTIONS]; LANES],
    goal_logits: [i32; LANES],
    allowed: [[u8; 2]; MAX_OUTCOMES],
    weights: [f32; MAX_OUTCOMES],
}

impl Default for SideMoves {
    fn default() -> Self {
        Self {
            side: Side::EMPTY,
            steps: [SideMove::default(); MAX_STEPS],
            count: 0,
            targets: 0,
            moves_by_stone: [[NO_MOVE as u8; NUM_DIRECTIONS]; LANES],
            goal_logits: [i32::MAX; LANES],
            allowed: [[NO_STONE; 2]; MAX_OUTCOMES],
            weights: [0.0; MAX_OUTCOMES],
        }
    }
}

impl SideMoves {
    #[inline]
    pub(super) fn is_for(&self, side: Side) -> bool {
        self.side == side
    }

    #[inline]
    pub(super) fn as_slice(&self) -> &[SideMove] {
        &self.steps[..self.count]
    }

    #[inline]
    pub(super) fn destination_set(&self) -> u32 {
        self.targets
    }

    pub(super) fn rebuild(&mut self, game: &Standard, side: Side) {
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
                    self.goal_logits[stone] = LOST_LOGIT;
                    continue;
                }
                self.moves_by_stone[stone][direction] = self.count as u8;
                let square = Standard::GOAL - destination;
                self.steps[self.count] = SideMove {
                    stone: stone as u8,
                    square,
                };
                self.targets |= 1 << square;
                self.count += 1;
            }
        }
        for (lane, outcome) in game.stone_outcomes(side.living_set()).iter().enumerate() {
            self.allowed[lane] = [outcome.start as u8, outcome.end as u8 - 1];
            self.weights[lane] = outcome.weight;
        }
    }

    /// The mover's win probability before the roll, from the enemy's logit after each move; `worth`
    /// converts logits to the enemy's win probability.
    #[inline(always)]
    pub(super) fn one_ply(&self, logits: &mut Logits, worth: impl Fn(i32) -> f32) -> f32 {
        logits[NO_MOVE] = i32::MAX;
        let mut best_logits = [i32::MAX; LANES];
        for (stone, best) in best_logits.iter_mut().enumerate() {
            let steps = self.moves_by_stone[stone];
            let [one, another, third] =
                map_array(steps, |step| logits[usize::from(step) % LOGITS_CAPACITY]);
            *best = one.min(another).min(third).min(self.goal_logits[stone]);
        }
        // Values by outcome would have to be gathered; a `map` is not vectorised.
        let mut values = [0.0; LANES];
        for (stone, value) in values.iter_mut().enumerate() {
            let worth = 1.0 - worth(best_logits[stone]);
            *value = if best_logits[stone] == LOST_LOGIT {
                1.0
            } else {
                worth
            };
        }
        // In the order of outcomes, as one by one.
        let mut value = 0.0;
        for outcome in 0..MAX_OUTCOMES {
            let allowed = self.allowed[outcome];
            let [first, last] = map_array(allowed, |stone| values[usize::from(stone) % LANES]);
            value += self.weights[outcome] * if first > last { first } else { last };
        }
        f32::min(value, 1.0)
    }
}

pub(super) struct NonGoalMoves {
    steps: [SideMove; MAX_STEPS],
    indices: [u8; MAX_STEPS],
    count: usize,
}

impl NonGoalMoves {
    /// Collects the moves that do not reach the goal; sets the scores of the others to infinity.
    #[inline]
    pub(super) fn new(position: &Position, moves: &[Move], scores: &mut [f32]) -> Self {
        let mut listed = Self {
            steps: [SideMove::default(); MAX_STEPS],
            indices: [0; MAX_STEPS],
            count: 0,
        };
        for (index, (&mv, score)) in moves.iter().zip(scores).enumerate() {
            let destination = Standard::destination(position, mv);
            if destination == Standard::GOAL {
                *score = f32::INFINITY;
                continue;
            }
            listed.steps[listed.count] = SideMove {
                stone: mv.stone() as u8,
                square: Standard::GOAL - destination,
            };
            listed.indices[listed.count] = index as u8;
            listed.count += 1;
        }
        listed
    }

    #[inline]
    pub(super) fn destination_set(&self) -> u32 {
        self.as_slice()
            .iter()
            .fold(0, |targets, step| targets | 1 << (step.square & 31))
    }

    #[inline]
    pub(super) fn as_slice(&self) -> &[SideMove] {
        &self.steps[..self.count]
    }

    /// Sets each score to `-count(logit)` of the enemy's logit after the move; infinity for wins.
    #[inline]
    pub(super) fn score(&self, logits: &[i32], count: impl Fn(i32) -> f32, scores: &mut [f32]) {
        for (&index, &logit) in self.indices[..self.count].iter().zip(logits) {
            scores[usize::from(index)] = if logit == LOST_LOGIT {
                f32::INFINITY
            } else {
                -count(logit)
            };
        }
    }
}
