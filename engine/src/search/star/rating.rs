//! How good moves look before they are searched.

use super::{Scratch, Star};
use crate::core::{evaluator::Evaluator, game::Game};

/// History counters are halved when one reaches this.
const HISTORY_LIMIT: f32 = 1e6;

/// From this depth on moves are ordered by an evaluator that has to be asked about each successor
/// in turn.
const SLOW_EVALUATOR_FROM: u32 = 3;

impl<G: Game, E: Evaluator<G>> Star<G, E> {
    /// Fills the ratings: how good each move looks before it is searched.
    #[inline]
    pub(super) fn rate(
        &mut self,
        position: &G::Position,
        depth: u32,
        ply: usize,
        this: &mut Scratch<G>,
    ) {
        let ordering = self.options.ordering;
        let count = this.moves.len();
        this.ratings.clear();
        this.ratings.resize(count, 0.0);
        if ordering.evaluator && self.batches() {
            let (game, evaluator) = (&self.game, &self.evaluator);
            self.eval_timer.evaluation(|| {
                evaluator.score_successors(game, position, &this.moves, &mut this.ratings)
            });
            return;
        }
        if ordering.evaluator && depth >= SLOW_EVALUATOR_FROM {
            let horizon = self.horizon;
            for (mv, rating) in this.moves.iter().zip(&mut this.ratings) {
                *rating = self
                    .after(position, *mv, 0, ply, f32::NEG_INFINITY, f32::INFINITY)
                    .lower;
            }
            // A guess about the order makes nothing depend on the depth.
            self.horizon = horizon;
            return;
        }
        for (&mv, rating) in this.moves.iter().zip(&mut this.ratings) {
            if ordering.tactics {
                *rating += f32::from(self.game.urgency(position, mv)) * 2.0 * HISTORY_LIMIT;
            }
            if ordering.history {
                *rating += self.history[self.game.move_kind(position, mv)];
            }
        }
    }

    /// Takes note that a move made a node fail high.
    pub(super) fn reward(&mut self, position: &G::Position, mv: G::Move, depth: u32) {
        let counter = &mut self.history[self.game.move_kind(position, mv)];
        *counter += (depth * depth) as f32;
        if *counter > HISTORY_LIMIT {
            for counter in &mut self.history {
                *counter /= 2.0;
            }
        }
    }
}
