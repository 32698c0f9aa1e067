//! Evaluators: what a position is worth without search.
//!
//! Every evaluator speaks win probability for the seat to move, before the roll, in `[0, 1]`;
//! expectation over chance only makes sense on that scale. Weights are shared and immutable;
//! whatever is kept up to date from move to move is a cache that the searching thread owns.

use crate::core::{
    chance::expectation,
    game::{Game, MAX_SEATS, Payoffs, payoff_of_each_other},
};
use std::sync::Arc;

/// Rates positions that are not over.
pub trait Evaluator<G: Game>: Send + Sync {
    /// State that is kept up to date along a line of play; `()` for an evaluator that needs none.
    type Cache: Clone + Default + Send;

    /// Whether [`Evaluator::one_ply`] and [`Evaluator::score_successors`] cost less than asking
    /// about each successor in turn: then a search does so, and keeps no caches up to date.
    const BATCHES_SUCCESSORS: bool = false;

    /// The value of a position, one ply deep, for the seat to move: the expectation of the best
    /// successor, the same to the last bit as from the [`Evaluator::value`] of each. The cache, any
    /// that was used with these rules and this evaluator alone, only saves work. Two seats only.
    fn one_ply(&self, game: &G, position: &G::Position, cache: &mut Self::Cache) -> f32 {
        one_ply_serial(self, game, position, cache)
    }

    /// Scores every successor of a position at once: one score a move, for the seat that makes it,
    /// on any scale on which more is better; for a move that wins, no score is more.
    fn score_successors(
        &self,
        game: &G,
        position: &G::Position,
        moves: &[G::Move],
        scores: &mut [f32],
    ) {
        score_successors_serial(self, game, position, moves, scores);
    }

    /// The value of every successor of a position at once: one a move, for the seat that makes it,
    /// the same to the last bit as [`Evaluator::successor`]'s.
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

    /// Fills the cache of the position after a move from that of the one before: to the last bit
    /// what [`Evaluator::refresh`] gives.
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

    /// Win probability of the seat to move, before the roll, in `[0, 1]`.
    fn value(&self, game: &G, position: &G::Position, cache: &Self::Cache) -> f32;

    /// One value a position; `out` is as long as `positions`. Never asked of positions that are
    /// over.
    fn values(&self, game: &G, positions: &[G::Position], out: &mut [f32]) {
        let mut cache = Self::Cache::default();
        for (position, value) in positions.iter().zip(out) {
            self.refresh(game, position, &mut cache);
            *value = self.value(game, position, &cache);
        }
    }

    /// The value of a position, from scratch: for places that are not hot.
    fn value_of(&self, game: &G, position: &G::Position) -> f32 {
        let mut cache = Self::Cache::default();
        self.refresh(game, position, &mut cache);
        self.value(game, position, &cache)
    }

    /// The score for the seat to move before its calibration; `None` where the value is all there
    /// is.
    fn raw(&self, game: &G, position: &G::Position) -> Option<f32> {
        let _ = (game, position);
        None
    }

    /// What a value of this evaluator, or of a search over it, has been worth in whole games;
    /// `None` where nobody fitted that, or it is what they are fitted to. Never asked of values
    /// that are proven or exact.
    fn calibrate_to_results(&self, value: f32) -> Option<f32> {
        let _ = value;
        None
    }

    /// A value for every seat; with more than two seats all others get the same.
    fn payoffs(&self, game: &G, position: &G::Position, cache: &Self::Cache) -> Payoffs {
        symmetric_payoffs(game, position, self.value(game, position, cache))
    }
}

/// Payoffs of which only that of the seat to move is known: all others get the same.
pub fn symmetric_payoffs<G: Game>(game: &G, position: &G::Position, own: f32) -> Payoffs {
    let mut payoffs = [0.0; MAX_SEATS];
    payoffs[..game.seats()].fill(payoff_of_each_other(own, game.seats()));
    payoffs[game.to_move(position)] = own;
    payoffs
}

/// [`Evaluator::one_ply`] from each successor in turn: right for every evaluator.
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

/// [`Evaluator::value_successors`], likewise.
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

/// [`Evaluator::score_successors`], likewise.
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

/// A hand-made score: larger is better for the seat to move, on a scale of its own.
///
/// [`crate::core::calibration::Calibrated`] turns it into an [`Evaluator`]; the raw score stays
/// reachable, because published tables need it.
pub trait Score<G: Game>: Send + Sync {
    /// The raw score, from the view of the seat to move.
    fn score(&self, game: &G, position: &G::Position) -> f32;

    /// The raw score from the view of each seat; `None` if only the seat to move has one, for then
    /// with more than two seats all others are taken to be alike.
    fn scores(&self, game: &G, position: &G::Position) -> Option<[f32; MAX_SEATS]> {
        let _ = (game, position);
        None
    }
}
