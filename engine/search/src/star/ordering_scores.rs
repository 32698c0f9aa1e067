//! Move-ordering scores, by the evaluator or by move class and history.

use super::{Scratch, Star};
use crate::ordering::{HISTORY_LIMIT, raise_history};
use alea_core::{evaluator::Evaluator, search_game::SearchGame};

const MIN_DEPTH_FOR_SERIAL_SCORES: u32 = 3;

impl<G: SearchGame, E: Evaluator<G>> Star<G, E> {
    #[inline]
    pub(super) fn score_moves(
        &mut self,
        position: &G::Position,
        depth: u32,
        ply: usize,
        buffers: &mut Scratch<G>,
    ) {
        let ordering = self.options.ordering;
        let count = buffers.moves.len();
        buffers.scores.clear();
        buffers.scores.resize(count, 0.0);
        if ordering.evaluator && self.batches_successors() {
            let (game, evaluator) = (&self.game, &self.evaluator);
            self.eval_timer.measure(|| {
                evaluator.score_successors(game, position, &buffers.moves, &mut buffers.scores)
            });
            return;
        }
        if ordering.evaluator && depth >= MIN_DEPTH_FOR_SERIAL_SCORES {
            let depth_dependent = self.depth_dependent;
            for (mv, score) in buffers.moves.iter().zip(&mut buffers.scores) {
                *score = self
                    .search_child(position, *mv, 0, ply, f32::NEG_INFINITY, f32::INFINITY)
                    .lower;
            }
            self.depth_dependent = depth_dependent;
            return;
        }
        for (&mv, score) in buffers.moves.iter().zip(&mut buffers.scores) {
            if ordering.tactics {
                *score += f32::from(self.game.move_class(position, mv)) * 2.0 * HISTORY_LIMIT;
            }
            if ordering.history {
                *score += self.history[self.game.history_index(position, mv)];
            }
        }
    }

    pub(super) fn update_history(&mut self, position: &G::Position, mv: G::Move, depth: u32) {
        let index = self.game.history_index(position, mv);
        raise_history(&mut self.history, index, depth);
    }
}
