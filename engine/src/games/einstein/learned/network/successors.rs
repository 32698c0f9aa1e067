//! Batched evaluation of all successors of a position.
//!
//! A successor is one of the vectors of the side that moved (its stones after a move) and one of
//! the enemy's (its stones, or all but the captured one), so each vector is computed once and
//! successors are pairs. Most positions of a search differ from the one before in the enemy's
//! stones only, so the mover's vectors are cached. Invariant: batched values have the bits of
//! single ones; the cache changes no value.

use super::{
    Fast, NOTHING,
    inputs::{JOINED, TURNS_ROW, joined_rows, turns_row},
    kernels::{self, Line, Line16, Pair},
};
use crate::core::arrays::{by_index, each};
use crate::games::einstein::{
    GONE, MAX_STONES, Move, Position, Standard,
    evaluators::race_tables::{distance_index, distance_stride},
    learned::steps::{LOST, Listed, Logits, MAX_STEPS, Step, Steps},
    position::Side,
};

/// Cached vectors of a side to move; allocated on first use.
#[derive(Clone, Debug, Default)]
pub struct Successors {
    steps: Steps,
    /// For each step the sums of the side after it; in front room for the enemy's, and behind, with
    /// features of both sides, for those of each position.
    sums: Vec<Line16>,
}

/// Sums of the enemy: unchanged, and without each of its stones.
const ENEMIES: usize = 1 + MAX_STONES;

impl Fast {
    #[inline]
    fn rows(&self, side: Side) -> [u16; JOINED] {
        joined_rows(self.classes, side)
    }

    /// Value of [`crate::core::evaluator::Evaluator::one_ply`].
    #[inline]
    pub(super) fn value_successors<const FIRST: usize, const SECOND: usize>(
        &self,
        game: &Standard,
        position: &Position,
        own: &mut Successors,
    ) -> f32 {
        let mover = position.mover();
        if !own.steps.belong_to(mover) {
            self.refill::<FIRST>(game, mover, own);
        }
        let steps = own.steps.list();
        let (enemies, others) = own.sums.split_at_mut(ENEMIES * (FIRST / 32));
        let (others, mover_sums) = others.split_at_mut(MAX_STEPS * (FIRST / 32));
        let targets = own.steps.targets();
        let mut logits =
            self.logits::<FIRST, SECOND>(position, steps, targets, enemies, others, mover_sums);
        kernels::one_ply(self.instructions, &own.steps, &mut logits)
    }

    /// Scores of [`crate::core::evaluator::Evaluator::score_successors`], by a function of the
    /// enemy's logit.
    #[inline]
    pub(super) fn rate_successors<const FIRST: usize, const SECOND: usize, const LINES: usize>(
        &self,
        position: &Position,
        moves: &[Move],
        count: impl Fn(i32) -> f32,
        scores: &mut [f32],
    ) {
        let mover = position.mover();
        let listed = Listed::new(position, moves, scores);
        let steps = listed.list();
        let mut others = [[Line([0; 32]); LINES]; MAX_STEPS];
        for (step, out) in steps.iter().zip(&mut others) {
            kernels::sum_rows::<FIRST>(
                self.instructions,
                &self.tables.other,
                &self.rows(step.applied_to(mover)),
                out,
            );
        }
        let mut enemies = [[Line([0; 32]); LINES]; ENEMIES];
        let (enemies, others) = (enemies.as_flattened_mut(), others.as_flattened());
        let targets = listed.targets();
        let logits = match self.both {
            None => {
                self.logits::<FIRST, SECOND>(position, steps, targets, enemies, others, &mut [])
            }
            Some(_) => {
                let mover_sums = &mut [[Line([0; 32]); LINES]; MAX_STEPS];
                let mover_sums = mover_sums.as_flattened_mut();
                self.logits::<FIRST, SECOND>(position, steps, targets, enemies, others, mover_sums)
            }
        };
        listed.score(&logits, count, scores);
    }

    /// The enemy's logit after each step, from the sums of the side after it; `enemies` has room
    /// for the enemy's, `mover_sums` for those of each position with features of both sides.
    #[inline]
    fn logits<const FIRST: usize, const SECOND: usize>(
        &self,
        position: &Position,
        steps: &[Step],
        targets: u32,
        enemies: &mut [Line16],
        others: &[Line16],
        mover_sums: &mut [Line16],
    ) -> Logits {
        let enemy = position.other();
        let mut pairs = [[0; 2]; MAX_STEPS];
        let captured = self.pair_up::<FIRST>(enemy, steps, targets, enemies, &mut pairs);
        let pairs = &pairs[..steps.len()];
        let mut logits = Logits::default();
        let stones = position.stones() as usize % self.buckets.len();
        let [fewer, all] = each([stones.saturating_sub(1), stones], |left| {
            self.buckets[left]
        });
        let own_pairs: [Pair; MAX_STEPS] = by_index(|step| [step as u8, 0]);
        let (movers, others, summed) = match &self.both {
            None => (&*enemies, others, pairs),
            Some(both) => {
                let lines = FIRST / 32;
                let outs = mover_sums.chunks_exact_mut(lines);
                for ((step, pair), out) in steps.iter().zip(pairs).zip(outs) {
                    let sums = each([(&*enemies, pair[0]), (others, pair[1])], |(sums, at)| {
                        &sums[usize::from(at) * lines..][..lines]
                    });
                    let sides = (
                        enemy.without(step.square),
                        step.applied_to(position.mover()),
                    );
                    both.add_up(self.instructions, sides, sums, out);
                }
                (&*mover_sums, &NOTHING[..], &own_pairs[..steps.len()])
            }
        };
        let compute = |bucket: u8, logits: &mut Logits| {
            let layers = &self.layers[usize::from(bucket)];
            let set = self.instructions;
            kernels::logits::<FIRST, SECOND>(set, layers, movers, others, summed, logits);
        };
        compute(all, &mut logits);
        if fewer != all {
            // Captures of either side lead to the next bucket.
            let own = position.mover().occupied_squares();
            let captures = |(step, pair): (&Step, &Pair)| {
                pair[0] != 0 || own >> (Standard::GOAL - step.square) & 1 != 0
            };
            let mut few = Logits::default();
            compute(fewer, &mut few);
            for (step_index, each) in steps.iter().zip(pairs).enumerate() {
                if captures(each) {
                    logits[step_index] = few[step_index];
                }
            }
        }
        if captured && enemy.count() == 1 {
            // A side without stones has lost.
            for (logit, _) in logits
                .iter_mut()
                .zip(pairs)
                .filter(|(_, pair)| pair[0] != 0)
            {
                *logit = LOST;
            }
        }
        logits
    }

    /// Computes the needed sums of the enemy and pairs each step with one; returns whether any step
    /// captures.
    #[inline]
    fn pair_up<const FIRST: usize>(
        &self,
        enemy: Side,
        steps: &[Step],
        targets: u32,
        enemies: &mut [Line16],
        pairs: &mut [Pair; MAX_STEPS],
    ) -> bool {
        let lines = FIRST / 32;
        *pairs = const { pairs_without_captures() };
        kernels::sum_rows::<FIRST>(
            self.instructions,
            &self.tables.mover,
            &self.rows(enemy),
            &mut enemies[..lines],
        );
        // No step goes to the marks of gone stones.
        let mut captured = (0..MAX_STONES).fold(0u8, |set, stone| {
            set | ((targets >> enemy.square(stone) & 1) as u8) << stone
        });
        let captures = captured != 0;
        while captured != 0 {
            let victim = captured.trailing_zeros() as usize;
            captured &= captured - 1;
            let square = enemy.square(victim);
            for at in 0..steps.len().min(MAX_STEPS) {
                // By a mask, as no processor predicts it.
                let (pair, step) = (&mut pairs[at], steps[at]);
                let is_captured = u8::from(step.square == square).wrapping_neg();
                pair[0] = pair[0] & !is_captured | (victim as u8 + 1) & is_captured;
            }
            let out = &mut enemies[(victim + 1) * lines..][..lines];
            kernels::sum_rows::<FIRST>(
                self.instructions,
                &self.tables.mover,
                &self.rows(enemy.with(victim, GONE)),
                out,
            );
        }
        captures
    }

    /// Refills the cache for a side.
    fn refill<const FIRST: usize>(&self, game: &Standard, side: Side, own: &mut Successors) {
        let lines = FIRST / 32;
        own.steps.refill(game, side);
        let positions = if self.both.is_some() { MAX_STEPS } else { 0 };
        let all = (ENEMIES + MAX_STEPS + positions) * lines;
        own.sums.resize(all, Line([0; 32]));
        // The enemy's room holds the sums of the side before its move for now.
        let (before, sums) = own.sums.split_at_mut(ENEMIES * lines);
        let rows = self.rows(side);
        let (instructions, table) = (self.instructions, &self.tables.other);
        kernels::sum_rows::<FIRST>(instructions, table, &rows, before);
        let (occupied, distances) = (side.occupied_squares(), distance_index(side));
        for (step, out) in own.steps.list().iter().zip(sums.chunks_exact_mut(lines)) {
            let (stone, to) = (
                usize::from(step.stone) % MAX_STONES,
                Standard::GOAL - step.square,
            );
            if occupied >> to & 1 == 0 {
                let from = side.square(stone);
                let moved = rows[stone] - u16::from(from) + u16::from(to);
                let turns = turns_row(
                    self.classes,
                    distances - distance_stride(stone, from) + distance_stride(stone, to),
                );
                kernels::change_rows::<FIRST>(
                    instructions,
                    table,
                    before,
                    &[rows[stone], rows[TURNS_ROW]],
                    &[moved, turns],
                    out,
                );
            } else {
                kernels::sum_rows::<FIRST>(
                    instructions,
                    table,
                    &self.rows(step.applied_to(side)),
                    out,
                );
            }
        }
    }
}

/// Pairs with the unchanged enemy after every step.
const fn pairs_without_captures() -> [Pair; MAX_STEPS] {
    let mut pairs = [[0; 2]; MAX_STEPS];
    let mut index = 0;
    while index < MAX_STEPS {
        pairs[index][1] = index as u8;
        index += 1;
    }
    pairs
}
