//! Batched evaluation of all successors: the first layer of each adds the mover's accumulator after
//! the move and the enemy's, complete or without the captured stone.

use super::{
    SimdNetwork,
    features::{MAX_CROSS_FEATURES, NUM_FUSED, TURNS_SLOT, active_fused_rows, turns_row},
};
use crate::{
    GONE, MAX_STONES, Move, Position, Standard,
    evaluators::race_tables::{distance_index, distance_index_term},
    learned::move_logits::{LOST_LOGIT, Logits, MAX_STEPS, NonGoalMoves, SideMove, SideMoves},
    position::Side,
};
use alea_core::{
    arrays::{build_array, map_array},
    simd::multiversion,
};
use alea_learned::network::{
    simd_layers::{AccumulatorIndices, CacheLine, I16Line, RowChanges, ZERO_ACCUMULATOR},
    win_probability,
};

/// Cache of a side's moves and of its accumulators after them; allocates once.
#[derive(Clone, Debug, Default)]
pub struct Successors {
    steps: SideMoves,
    /// The enemy's accumulators, then the mover's after each move, then, with cross-side features,
    /// the successors' sums.
    sums: Vec<I16Line>,
}

const NUM_ENEMY_ACCUMULATORS: usize = 1 + MAX_STONES;

impl SimdNetwork {
    #[inline]
    pub(super) fn active_rows(&self, side: Side) -> [u16; NUM_FUSED] {
        active_fused_rows(self.classes, side)
    }

    #[inline]
    pub(super) fn value_successors(
        &self,
        game: &Standard,
        position: &Position,
        own: &mut Successors,
    ) -> f32 {
        let mover = position.mover();
        if !own.steps.is_for(mover) {
            self.rebuild(game, mover, own);
        }
        let steps = own.steps.as_slice();
        let lines = self.layers.lines();
        let (enemies, others) = own.sums.split_at_mut(NUM_ENEMY_ACCUMULATORS * lines);
        let (others, mover_sums) = others.split_at_mut(MAX_STEPS * lines);
        let targets = own.steps.destination_set();
        let mut logits =
            self.successor_logits(position, steps, targets, enemies, others, mover_sums);
        one_ply(self.instructions, &own.steps, &mut logits)
    }

    #[inline]
    pub(super) fn score_successors(
        &self,
        position: &Position,
        moves: &[Move],
        count: impl Fn(i32) -> f32,
        scores: &mut [f32],
    ) {
        match self.layers.lines() {
            2 => self.score_by_lines::<2>(position, moves, count, scores),
            4 => self.score_by_lines::<4>(position, moves, count, scores),
            8 => self.score_by_lines::<8>(position, moves, count, scores),
            _ => self.score_by_lines::<16>(position, moves, count, scores),
        }
    }

    #[inline]
    fn score_by_lines<const LINES: usize>(
        &self,
        position: &Position,
        moves: &[Move],
        count: impl Fn(i32) -> f32,
        scores: &mut [f32],
    ) {
        let mover = position.mover();
        let listed = NonGoalMoves::new(position, moves, scores);
        let steps = listed.as_slice();
        let mut others = [[CacheLine([0; 32]); LINES]; MAX_STEPS];
        let mut rows = [[0; NUM_FUSED]; MAX_STEPS];
        for (step, rows) in steps.iter().zip(&mut rows) {
            *rows = self.active_rows(step.apply_to(mover));
        }
        let rows = &rows[..steps.len()];
        self.layers
            .sum_rows(&self.tables.other, rows, others.as_flattened_mut());
        let mut enemies = [[CacheLine([0; 32]); LINES]; NUM_ENEMY_ACCUMULATORS];
        let (enemies, others) = (enemies.as_flattened_mut(), others.as_flattened());
        let targets = listed.destination_set();
        let logits = match self.both {
            None => self.successor_logits(position, steps, targets, enemies, others, &mut []),
            Some(_) => {
                let mover_sums = &mut [[CacheLine([0; 32]); LINES]; MAX_STEPS];
                let mover_sums = mover_sums.as_flattened_mut();
                self.successor_logits(position, steps, targets, enemies, others, mover_sums)
            }
        };
        listed.score(&logits, count, scores);
    }

    /// The enemy's logit after each move; `others` are the mover's accumulators after the moves.
    #[inline]
    fn successor_logits(
        &self,
        position: &Position,
        steps: &[SideMove],
        targets: u32,
        enemies: &mut [I16Line],
        others: &[I16Line],
        mover_sums: &mut [I16Line],
    ) -> Logits {
        let enemy = position.other();
        let mut pairs = [[0; 2]; MAX_STEPS];
        let captured = self.assign_accumulators(enemy, steps, targets, enemies, &mut pairs);
        let pairs = &pairs[..steps.len()];
        let mut logits = Logits::default();
        let stones = position.num_stones() as usize % self.buckets.len();
        let [fewer, all] = map_array([stones.saturating_sub(1), stones], |left| {
            self.buckets[left]
        });
        let own_pairs: [AccumulatorIndices; MAX_STEPS] = build_array(|step| [step as u8, 0]);
        let (movers, others, summed) = match &self.both {
            None => (&*enemies, others, pairs),
            Some(both) => {
                let lines = self.layers.lines();
                let outs = mover_sums.chunks_exact_mut(lines);
                for ((step, pair), out) in steps.iter().zip(pairs).zip(outs) {
                    let sums =
                        map_array([(&*enemies, pair[0]), (others, pair[1])], |(sums, at)| {
                            &sums[usize::from(at) * lines..][..lines]
                        });
                    let (after, other) = (
                        enemy.without_stone_on(step.square),
                        step.apply_to(position.mover()),
                    );
                    let mut rows = [0; MAX_CROSS_FEATURES];
                    let rows = both.active_rows(after, other, &mut rows);
                    self.layers.add_rows(&sums, &both.table, rows, out);
                }
                (
                    &*mover_sums,
                    &ZERO_ACCUMULATOR[..],
                    &own_pairs[..steps.len()],
                )
            }
        };
        let compute = |bucket: u8, logits: &mut Logits| {
            let bucket = usize::from(bucket);
            self.layers.logits(bucket, movers, others, summed, logits);
        };
        compute(all, &mut logits);
        if fewer != all {
            // Captures, also of own stones, may change the output bucket.
            let own = position.mover().occupied_squares();
            let captures = |(step, pair): (&SideMove, &AccumulatorIndices)| {
                pair[0] != 0 || own >> (Standard::GOAL - step.square) & 1 != 0
            };
            let mut smaller_bucket_logits = Logits::default();
            compute(fewer, &mut smaller_bucket_logits);
            for (step_index, step) in steps.iter().zip(pairs).enumerate() {
                if captures(step) {
                    logits[step_index] = smaller_bucket_logits[step_index];
                }
            }
        }
        if captured && enemy.num_stones() == 1 {
            for (logit, _) in logits
                .iter_mut()
                .zip(pairs)
                .filter(|(_, pair)| pair[0] != 0)
            {
                *logit = LOST_LOGIT;
            }
        }
        logits
    }

    /// Computes the enemy's accumulators and each move's pair; returns whether a move captures an
    /// enemy stone.
    #[inline]
    fn assign_accumulators(
        &self,
        enemy: Side,
        steps: &[SideMove],
        targets: u32,
        enemies: &mut [I16Line],
        pairs: &mut [AccumulatorIndices; MAX_STEPS],
    ) -> bool {
        *pairs = const { capture_free_pairs() };
        let mut rows = [[0; NUM_FUSED]; NUM_ENEMY_ACCUMULATORS];
        rows[0] = self.active_rows(enemy);
        let mut count = 1;
        // No step goes to 31, the square of gone stones.
        let mut captured = (0..MAX_STONES).fold(0u8, |set, stone| {
            set | ((targets >> enemy.square(stone) & 1) as u8) << stone
        });
        while captured != 0 {
            let victim = captured.trailing_zeros() as usize;
            captured &= captured - 1;
            let square = enemy.square(victim);
            for at in 0..steps.len().min(MAX_STEPS) {
                // Masked, since a branch would be unpredictable.
                let (pair, step) = (&mut pairs[at], steps[at]);
                let is_captured = u8::from(step.square == square).wrapping_neg();
                pair[0] = pair[0] & !is_captured | count as u8 & is_captured;
            }
            rows[count % NUM_ENEMY_ACCUMULATORS] =
                self.active_rows(enemy.with_stone_on(victim, GONE));
            count += 1;
        }
        self.layers
            .sum_rows(&self.tables.mover, &rows[..count], enemies);
        count > 1
    }

    fn rebuild(&self, game: &Standard, side: Side, own: &mut Successors) {
        let lines = self.layers.lines();
        own.steps.rebuild(game, side);
        let positions = if self.both.is_some() { MAX_STEPS } else { 0 };
        let all = (NUM_ENEMY_ACCUMULATORS + MAX_STEPS + positions) * lines;
        own.sums.resize(all, CacheLine([0; 32]));
        // The enemy's buffer holds the side's accumulator before its moves.
        let (before, sums) = own.sums.split_at_mut(NUM_ENEMY_ACCUMULATORS * lines);
        let rows = self.active_rows(side);
        let table = &self.tables.other;
        self.layers
            .sum_rows(table, std::slice::from_ref(&rows), before);
        let (occupied, distances) = (side.occupied_squares(), distance_index(side));
        let steps = own.steps.as_slice();
        let mut changes = [RowChanges {
            removed: [0; 2],
            added: [0; 2],
        }; MAX_STEPS];
        for (step, changes) in steps.iter().zip(&mut changes) {
            let (stone, to) = (
                usize::from(step.stone) % MAX_STONES,
                Standard::GOAL - step.square,
            );
            let from = side.square(stone);
            let moved = rows[stone] - u16::from(from) + u16::from(to);
            let turns = turns_row(
                self.classes,
                distances - distance_index_term(stone, from) + distance_index_term(stone, to),
            );
            *changes = RowChanges {
                removed: [rows[stone], rows[TURNS_SLOT]],
                added: [moved, turns],
            };
        }
        let changes = &changes[..steps.len()];
        self.layers.change_rows(table, before, changes, sums);
        for (step, out) in steps.iter().zip(sums.chunks_exact_mut(lines)) {
            if occupied >> (Standard::GOAL - step.square) & 1 != 0 {
                let rows = [self.active_rows(step.apply_to(side))];
                self.layers.sum_rows(table, &rows, out);
            }
        }
    }
}

multiversion! {
    fn one_ply(steps: &SideMoves, logits: &mut Logits) -> f32 {
        Avx2 => one_ply_by_logits,
        Portable => one_ply_by_logits,
    }
}

#[inline(always)]
fn one_ply_by_logits(steps: &SideMoves, logits: &mut Logits) -> f32 {
    steps.one_ply(logits, win_probability)
}

const fn capture_free_pairs() -> [AccumulatorIndices; MAX_STEPS] {
    let mut pairs = [[0; 2]; MAX_STEPS];
    let mut index = 0;
    while index < MAX_STEPS {
        pairs[index][1] = index as u8;
        index += 1;
    }
    pairs
}
