//! All successors of a position at once.
//!
//! A successor is one of the vectors of the side that moved (its stones after a move) and one of the enemy's (its stones,
//! or all but the one captured), so both are made once and the successors are pairs. Most positions that are searched one
//! after the other differ in the enemy's stones only, so what belongs to the side to move is kept. Invariant: a position
//! valued one ply deep as a whole has the bits of its successors valued one by one; the cache only saves work.

use super::inputs::{JOINED, TURNS_ROW, joined_rows, turns_row};
use super::kernels::{self, Line, Line16, Pair};
use super::{IntegerNetwork, win_probability};
use crate::eval::OnePly;
use crate::game::MAX_OUTCOMES;
use crate::games::einstein::position::Side;
use crate::games::einstein::{GONE, MAX_STONES, Move, Position, Standard};

/// Most moves there are.
const MOST: usize = 3 * MAX_STONES;

/// A place for each outcome, or each stone, and some to spare.
const LANES: usize = 8;

/// Stands for a stone that is never there.
const NOBODY: u8 = LANES as u8 - 1;

const _: () = assert!(MAX_OUTCOMES <= LANES && MAX_STONES < LANES);

/// The logit of a position that is lost for the side to move.
const LOST: i32 = i32::MIN;

/// A move that does not reach the goal.
#[derive(Clone, Copy, Debug, Default)]
struct Step {
    stone: u8,
    /// Where it goes, in the enemy's perspective.
    square: u8,
}

/// What the stones of a side to move contribute to its successors. Empty until first asked; from then on nothing is
/// allocated.
#[derive(Clone, Debug)]
pub struct Successors {
    side: Side,
    /// The moves that do not reach the goal, and how many.
    steps: [Step; MOST],
    count: usize,
    /// The stones that may reach the goal, one bit each, and how many moves do.
    arriving: u8,
    arrivals: u32,
    /// For each outcome the first and the last stone it permits; those between them are gone.
    permitted: [[u8; 2]; LANES],
    /// The probability of each outcome: 0 for those that are not.
    weights: [f32; LANES],
    /// For each step the sums of the side after it; in front of them room for those of the enemy.
    sums: Vec<Line16>,
}

/// Sums of the enemy as it stands, and without each of its stones.
const ENEMIES: usize = 1 + MAX_STONES;

impl Default for Successors {
    fn default() -> Self {
        Self {
            side: Side::EMPTY,
            steps: [Step::default(); MOST],
            count: 0,
            arriving: 0,
            arrivals: 0,
            permitted: [[NOBODY; 2]; LANES],
            weights: [0.0; LANES],
            sums: Vec::new(),
        }
    }
}

impl IntegerNetwork {
    /// The joined rows of a side.
    #[inline]
    fn rows(&self, side: Side) -> [u16; JOINED] {
        joined_rows(&self.classes, side)
    }

    /// See [`crate::eval::Evaluator::one_ply`].
    #[inline]
    pub(super) fn value_successors<const FIRST: usize, const SECOND: usize>(
        &self,
        game: &Standard,
        position: &Position,
        own: &mut Successors,
    ) -> OnePly {
        let (mover, enemy) = (position.mover(), position.other());
        if own.side != mover {
            self.refill::<FIRST>(game, mover, own);
        }
        let count = own.count;
        let (enemies, others) = own.sums.split_at_mut(ENEMIES * (FIRST / 32));
        let mut pairs = [[0; 2]; MOST];
        let captured = self.pair_up::<FIRST>(enemy, &own.steps[..count], enemies, &mut pairs);
        let mut logits = [0; MOST];
        kernels::logits::<FIRST, SECOND>(self.instructions, &self.layers, enemies, others, &pairs[..count], &mut logits[..count]);
        let mut evaluated = count as u32;
        if captured && enemy.count() == 1 {
            for (logit, pair) in logits.iter_mut().zip(&pairs[..count]).filter(|(_, pair)| pair[0] != 0) {
                debug_assert!(usize::from(pair[0]) < ENEMIES);
                (*logit, evaluated) = (LOST, evaluated - 1);
            }
        }
        // The worst for the enemy is the best.
        let mut of_stones = [i32::MAX; LANES];
        for (step, &logit) in own.steps[..count].iter().zip(&logits) {
            let best = &mut of_stones[usize::from(step.stone) % LANES];
            *best = logit.min(*best);
        }
        for (stone, best) in of_stones.iter_mut().enumerate().take(MAX_STONES) {
            *best = if own.arriving >> stone & 1 == 1 { LOST } else { *best };
        }
        let best = own.permitted.map(|[first, last]| of_stones[usize::from(first) % LANES].min(of_stones[usize::from(last) % LANES]));
        // A loop and no map, which would not become vector instructions.
        let mut values = [0.0; LANES];
        for (value, best) in values.iter_mut().zip(best) {
            *value = value_of_move(best);
        }
        // In the order of the outcomes, as one by one.
        let mut value = 0.0;
        for (weight, best) in own.weights.iter().zip(values) {
            value += weight * best;
        }
        OnePly { value: f32::min(value, 1.0), successors: count as u32 + own.arrivals, evaluated }
    }

    /// See [`crate::eval::Evaluator::score_successors`].
    #[inline]
    pub(super) fn rate_successors<const FIRST: usize, const SECOND: usize, const LINES: usize>(
        &self,
        position: &Position,
        moves: &[Move],
        scores: &mut [f32],
    ) {
        let (mover, enemy) = (position.mover(), position.other());
        let (mut steps, mut places) = ([Step::default(); MOST], [0u8; MOST]);
        let mut count = 0;
        let mut others = [[Line([0; 32]); LINES]; MOST];
        for (place, (&mv, score)) in moves.iter().zip(scores.iter_mut()).enumerate() {
            let destination = Standard::destination(position, mv);
            if destination == Standard::GOAL {
                *score = f32::INFINITY;
                continue;
            }
            (steps[count], places[count]) = (Step { stone: mv.stone() as u8, square: Standard::GOAL - destination }, place as u8);
            let out = &mut others[count];
            let after = mover.without(destination).with(mv.stone(), destination);
            kernels::sum_rows::<FIRST>(self.instructions, &self.tables.other, &self.rows(after), out);
            count += 1;
        }
        let mut enemies = [[Line([0; 32]); LINES]; ENEMIES];
        let enemies = enemies.as_flattened_mut();
        let mut pairs = [[0; 2]; MOST];
        let captured = self.pair_up::<FIRST>(enemy, &steps[..count], enemies, &mut pairs);
        let mut logits = [0; MOST];
        let others = others.as_flattened();
        kernels::logits::<FIRST, SECOND>(self.instructions, &self.layers, enemies, others, &pairs[..count], &mut logits[..count]);
        let last = captured && enemy.count() == 1;
        for ((&place, &logit), pair) in places[..count].iter().zip(&logits).zip(&pairs) {
            scores[usize::from(place)] = if last && pair[0] != 0 { f32::INFINITY } else { -(logit as f32) };
        }
    }

    /// Makes the enemy's sums, as far as they are needed, and pairs each step with the one it leaves. Whether any captures.
    #[inline]
    fn pair_up<const FIRST: usize>(&self, enemy: Side, steps: &[Step], enemies: &mut [Line16], pairs: &mut [Pair; MOST]) -> bool {
        let lines = FIRST / 32;
        let mut victims = [0u8; 32];
        for stone in 0..MAX_STONES {
            victims[usize::from(enemy.square(stone) & 31)] = stone as u8 + 1;
        }
        // Where stones that are gone left their mark no step goes.
        let mut captured = 0u8;
        for (index, (step, pair)) in steps.iter().zip(pairs).enumerate() {
            let victim = victims[usize::from(step.square & 31)];
            *pair = [victim, index as u8];
            captured |= 1 << victim;
        }
        kernels::sum_rows::<FIRST>(self.instructions, &self.tables.mover, &self.rows(enemy), &mut enemies[..lines]);
        let mut rest = captured & !1;
        while rest != 0 {
            let victim = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            let without = enemy.with(victim - 1, GONE);
            let out = &mut enemies[victim * lines..][..lines];
            kernels::sum_rows::<FIRST>(self.instructions, &self.tables.mover, &self.rows(without), out);
        }
        captured & !1 != 0
    }

    /// Makes the cache that of a side.
    fn refill<const FIRST: usize>(&self, game: &Standard, side: Side, own: &mut Successors) {
        let lines = FIRST / 32;
        own.side = side;
        own.sums.resize((ENEMIES + MOST) * lines, Line([0; 32]));
        (own.count, own.arriving, own.arrivals) = (0, 0, 0);
        // Where those of the enemy will be there is room for the sums of the side before it moves.
        let (before, sums) = own.sums.split_at_mut(ENEMIES * lines);
        let rows = self.rows(side);
        kernels::sum_rows::<FIRST>(self.instructions, &self.tables.other, &rows, before);
        for stone in 0..MAX_STONES {
            let square = side.square(stone);
            for destination in Standard::destinations(square) {
                if destination == GONE {
                    continue;
                }
                if destination == Standard::GOAL {
                    own.arriving |= 1 << stone;
                    own.arrivals += 1;
                    continue;
                }
                let out = &mut sums[own.count * lines..][..lines];
                let after = side.without(destination).with(stone, destination);
                if after.alive() == side.alive() {
                    let come = [rows[stone] + u16::from(destination) - u16::from(square), turns_row(&self.classes, after)];
                    kernels::change_rows::<FIRST>(
                        self.instructions,
                        &self.tables.other,
                        before,
                        &[rows[stone], rows[TURNS_ROW]],
                        &come,
                        out,
                    );
                } else {
                    kernels::sum_rows::<FIRST>(self.instructions, &self.tables.other, &self.rows(after), out);
                }
                own.steps[own.count] = Step { stone: stone as u8, square: Standard::GOAL - destination };
                own.count += 1;
            }
        }
        (own.permitted, own.weights) = ([[NOBODY; 2]; LANES], [0.0; LANES]);
        for (lane, outcome) in game.outcomes_by_stone(side.alive()).iter().enumerate() {
            own.permitted[lane] = [outcome.start as u8, outcome.end as u8 - 1];
            own.weights[lane] = outcome.weight;
        }
    }
}

/// The value of a move to the side that makes it, from the other side's logit then.
#[inline]
fn value_of_move(logit: i32) -> f32 {
    let value = 1.0 - win_probability(logit);
    if logit == LOST { 1.0 } else { value }
}
