//! Evaluators: static values of positions, without search.
//!
//! Values are win probabilities of the seat to move, before its chance event; expectations need
//! this scale. Weights are immutable and shared; incremental state is a cache of the searching
//! thread.

use crate::core::{
    chance::expectation,
    game::{Game, MAX_SEATS, Payoffs, payoff_of_each_other},
};
use std::sync::Arc;

/// Values positions that are not over.
pub trait Evaluator<G: Game>: Send + Sync {
    /// Incremental state along a line of play; `()` for none.
    type Cache: Clone + Default + Send;

    /// Whether [`Evaluator::one_ply`] and [`Evaluator::score_successors`] are faster than single
    /// successors; searches then use them, without caches.
    const BATCHES_SUCCESSORS: bool = false;

    /// The expectation over one ply for the seat to move, equal to the bit to that of the
    /// [`Evaluator::value`] of each successor. The cache only saves work. Two seats only.
    fn one_ply(&self, game: &G, position: &G::Position, cache: &mut Self::Cache) -> f32 {
        one_ply_serial(self, game, position, cache)
    }

    /// Scores of all successors for the seat that makes the moves, on any scale; a winning move has
    /// the maximal score.
    fn score_successors(
        &self,
        game: &G,
        position: &G::Position,
        moves: &[G::Move],
        scores: &mut [f32],
    ) {
        score_successors_serial(self, game, position, moves, scores);
    }

    /// Values of all successors for the seat that makes the moves, equal to the bit to
    /// [`Evaluator::successor_value`].
    fn value_successors(
        &self,
        game: &G,
        position: &G::Position,
        moves: &[G::Move],
        cache: &mut Self::Cache,
        values: &mut [f32],
    ) {
        value_successors_serial(self, game, position, moves, cache, values);
    }

    /// The value of a move for the seat that makes it, from scratch.
    fn successor_value(
        &self,
        game: &G,
        position: &G::Position,
        mv: G::Move,
        cache: &mut Self::Cache,
    ) -> f32 {
        let next = game.play(position, mv);
        let seat = game.to_move(position);
        game.payoff(&next, seat).unwrap_or_else(|| {
            self.refresh(game, &next, cache);
            self.payoffs(game, &next, cache)[seat]
        })
    }

    /// Fills the cache from scratch.
    fn refresh(&self, game: &G, position: &G::Position, cache: &mut Self::Cache) {
        let _ = (game, position, cache);
    }

    /// Fills the cache of the position after a move from that of the position before, equal to the
    /// bit to [`Evaluator::refresh`].
    fn update(
        &self,
        game: &G,
        parent: &Self::Cache,
        before: &G::Position,
        mv: G::Move,
        after: &G::Position,
        child: &mut Self::Cache,
    ) {
        let _ = (parent, before, mv);
        self.refresh(game, after, child);
    }

    /// Win probability of the seat to move.
    fn value(&self, game: &G, position: &G::Position, cache: &Self::Cache) -> f32;

    /// Values of positions that are not over, into `out` of the same length.
    fn values(&self, game: &G, positions: &[G::Position], out: &mut [f32]) {
        let mut cache = Self::Cache::default();
        for (position, value) in positions.iter().zip(out) {
            self.refresh(game, position, &mut cache);
            *value = self.value(game, position, &cache);
        }
    }

    /// The value of a position, from scratch.
    fn value_of(&self, game: &G, position: &G::Position) -> f32 {
        let mut cache = Self::Cache::default();
        self.refresh(game, position, &mut cache);
        self.value(game, position, &cache)
    }

    /// The score for the seat to move before its calibration; `None` without one.
    fn raw(&self, game: &G, position: &G::Position) -> Option<f32> {
        let _ = (game, position);
        None
    }

    /// The win rate in complete games of such values, of this evaluator or a search with it; `None`
    /// if not fitted. Not for proven or exact values.
    fn calibrate_to_results(&self, value: f32) -> Option<f32> {
        let _ = value;
        None
    }

    /// Payoffs of all seats; with more than two, equal ones for all others.
    fn payoffs(&self, game: &G, position: &G::Position, cache: &Self::Cache) -> Payoffs {
        symmetric_payoffs(game, position, self.value(game, position, cache))
    }
}

/// Payoffs from the payoff of the seat to move: equal ones for all others.
pub fn symmetric_payoffs<G: Game>(game: &G, position: &G::Position, own: f32) -> Payoffs {
    let mut payoffs = [0.0; MAX_SEATS];
    payoffs[..game.seats()].fill(payoff_of_each_other(own, game.seats()));
    payoffs[game.to_move(position)] = own;
    payoffs
}

/// [`Evaluator::one_ply`] by single successors.
pub fn one_ply_serial<G: Game, E: Evaluator<G> + ?Sized>(
    evaluator: &E,
    game: &G,
    position: &G::Position,
    cache: &mut E::Cache,
) -> f32 {
    let mut moves = G::Moves::default();
    game.moves(position, &mut moves);
    let outcomes = game.outcomes(position, &moves);
    let values: Vec<f32> = moves
        .iter()
        .map(|&mv| evaluator.successor_value(game, position, mv, cache))
        .collect();
    expectation(&outcomes, &values)
}

/// [`Evaluator::value_successors`] by single successors.
pub fn value_successors_serial<G: Game, E: Evaluator<G> + ?Sized>(
    evaluator: &E,
    game: &G,
    position: &G::Position,
    moves: &[G::Move],
    cache: &mut E::Cache,
    values: &mut [f32],
) {
    for (value, &mv) in values.iter_mut().zip(moves) {
        *value = evaluator.successor_value(game, position, mv, cache);
    }
}

/// [`Evaluator::score_successors`] by single successors.
pub fn score_successors_serial<G: Game, E: Evaluator<G> + ?Sized>(
    evaluator: &E,
    game: &G,
    position: &G::Position,
    moves: &[G::Move],
    scores: &mut [f32],
) {
    value_successors_serial(
        evaluator,
        game,
        position,
        moves,
        &mut E::Cache::default(),
        scores,
    );
}

impl<G: Game, E: Evaluator<G>> Evaluator<G> for Arc<E> {
    type Cache = E::Cache;
    const BATCHES_SUCCESSORS: bool = E::BATCHES_SUCCESSORS;

    #[inline]
    fn one_ply(&self, game: &G, position: &G::Position, cache: &mut E::Cache) -> f32 {
        (**self).one_ply(game, position, cache)
    }

    #[inline]
    fn score_successors(
        &self,
        game: &G,
        position: &G::Position,
        moves: &[G::Move],
        scores: &mut [f32],
    ) {
        (**self).score_successors(game, position, moves, scores);
    }

    fn value_successors(
        &self,
        game: &G,
        position: &G::Position,
        moves: &[G::Move],
        cache: &mut E::Cache,
        values: &mut [f32],
    ) {
        (**self).value_successors(game, position, moves, cache, values);
    }

    fn refresh(&self, game: &G, position: &G::Position, cache: &mut E::Cache) {
        (**self).refresh(game, position, cache);
    }

    fn update(
        &self,
        game: &G,
        parent: &E::Cache,
        before: &G::Position,
        mv: G::Move,
        after: &G::Position,
        child: &mut E::Cache,
    ) {
        (**self).update(game, parent, before, mv, after, child);
    }

    fn value(&self, game: &G, position: &G::Position, cache: &E::Cache) -> f32 {
        (**self).value(game, position, cache)
    }

    fn values(&self, game: &G, positions: &[G::Position], out: &mut [f32]) {
        (**self).values(game, positions, out);
    }

    fn value_of(&self, game: &G, position: &G::Position) -> f32 {
        (**self).value_of(game, position)
    }

    fn raw(&self, game: &G, position: &G::Position) -> Option<f32> {
        (**self).raw(game, position)
    }

    fn calibrate_to_results(&self, value: f32) -> Option<f32> {
        (**self).calibrate_to_results(value)
    }

    fn payoffs(&self, game: &G, position: &G::Position, cache: &E::Cache) -> Payoffs {
        (**self).payoffs(game, position, cache)
    }
}

/// A hand-made score for the seat to move, on its own scale;
/// [`crate::core::calibration::Calibrated`] makes it an [`Evaluator`].
pub trait Score<G: Game>: Send + Sync {
    /// The raw score, from the view of the seat to move.
    fn score(&self, game: &G, position: &G::Position) -> f32;

    /// The raw scores of all seats; `None` if only the seat to move has one.
    fn scores(&self, game: &G, position: &G::Position) -> Option<[f32; MAX_SEATS]> {
        let _ = (game, position);
        None
    }
}
