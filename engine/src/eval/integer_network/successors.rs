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
use crate::eval::steps::{LOST, Listed, MOST, Step, Steps};
use crate::games::einstein::position::Side;
use crate::games::einstein::{GONE, MAX_STONES, Move, Position, Standard};

/// What the stones of a side to move contribute to its successors. Empty until first asked; from then on nothing is
/// allocated.
#[derive(Clone, Debug, Default)]
pub struct Successors {
    steps: Steps,
    /// For each step the sums of the side after it; in front of them room for those of the enemy.
    sums: Vec<Line16>,
}

/// Sums of the enemy as it stands, and without each of its stones.
const ENEMIES: usize = 1 + MAX_STONES;

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
        if !own.steps.belong_to(mover) {
            self.refill::<FIRST>(game, mover, own);
        }
        let steps = own.steps.list();
        let (enemies, others) = own.sums.split_at_mut(ENEMIES * (FIRST / 32));
        let mut pairs = [[0; 2]; MOST];
        let captured = self.pair_up::<FIRST>(enemy, steps, enemies, &mut pairs);
        let pairs = &pairs[..steps.len()];
        let mut logits = [0; MOST];
        let logits = &mut logits[..steps.len()];
        kernels::logits::<FIRST, SECOND>(self.instructions, &self.layers, enemies, others, pairs, logits);
        if captured && enemy.count() == 1 {
            lose(logits, pairs);
        }
        own.steps.one_ply(logits, win_probability)
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
        let listed = Listed::new(position, moves, scores);
        let steps = listed.list();
        let mut others = [[Line([0; 32]); LINES]; MOST];
        for (step, out) in steps.iter().zip(&mut others) {
            kernels::sum_rows::<FIRST>(self.instructions, &self.tables.other, &self.rows(step.made_by(mover)), out);
        }
        let mut enemies = [[Line([0; 32]); LINES]; ENEMIES];
        let enemies = enemies.as_flattened_mut();
        let mut pairs = [[0; 2]; MOST];
        let captured = self.pair_up::<FIRST>(enemy, steps, enemies, &mut pairs);
        let pairs = &pairs[..steps.len()];
        let mut logits = [0; MOST];
        let logits = &mut logits[..steps.len()];
        kernels::logits::<FIRST, SECOND>(self.instructions, &self.layers, enemies, others.as_flattened(), pairs, logits);
        if captured && enemy.count() == 1 {
            lose(logits, pairs);
        }
        listed.score(logits, |logit| logit as f32, scores);
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
        own.steps.refill(game, side);
        own.sums.resize((ENEMIES + MOST) * lines, Line([0; 32]));
        // Where those of the enemy will be there is room for the sums of the side before it moves.
        let (before, sums) = own.sums.split_at_mut(ENEMIES * lines);
        let rows = self.rows(side);
        let (instructions, table) = (self.instructions, &self.tables.other);
        kernels::sum_rows::<FIRST>(instructions, table, &rows, before);
        for (step, out) in own.steps.list().iter().zip(sums.chunks_exact_mut(lines)) {
            let after = step.made_by(side);
            if after.alive() == side.alive() {
                let stone = usize::from(step.stone) % MAX_STONES;
                let moved = rows[stone] - u16::from(side.square(stone)) + u16::from(after.square(stone));
                let (gone, come) = ([rows[stone], rows[TURNS_ROW]], [moved, turns_row(&self.classes, after)]);
                kernels::change_rows::<FIRST>(instructions, table, before, &gone, &come, out);
            } else {
                kernels::sum_rows::<FIRST>(instructions, table, &self.rows(after), out);
            }
        }
    }
}

/// The enemy has lost where it has lost its last stone.
#[inline]
fn lose(logits: &mut [i32], pairs: &[Pair]) {
    for (logit, _) in logits.iter_mut().zip(pairs).filter(|(_, pair)| pair[0] != 0) {
        *logit = LOST;
    }
}
