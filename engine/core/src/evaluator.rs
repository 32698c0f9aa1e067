//! Static evaluation: win probabilities of the seat to move before its chance event.

use crate::{
    chance_bounds::expectation,
    game::{Game, MAX_SEATS, Payoffs, mean_other_payoff},
    probcut::ProbcutErrors,
};
use std::sync::Arc;

/// Evaluates unfinished positions without search; threads share it.
pub trait Evaluator<G: Game>: Send + Sync {
    /// Data updated from move to move, such as an NNUE accumulator; `()` for none.
    type Cache: Clone + Default + Send;

    /// Whether valuing all successors together is faster than one at a time, so that searches keep
    /// no caches.
    const BATCHES_SUCCESSORS: bool = false;

    /// Value for the seat to move by a search of one ply, bit for bit the [`expectation`] of
    /// successor values. Two seats only; `cache` is scratch space.
    fn one_ply(&self, game: &G, position: &G::Position, cache: &mut Self::Cache) -> f32 {
        one_ply_serial(self, game, position, cache)
    }

    /// Writes move-ordering scores, higher if better for the seat to move; a winning move gets the
    /// maximal score.
    fn score_successors(
        &self,
        game: &G,
        position: &G::Position,
        moves: &[G::Move],
        scores: &mut [f32],
    ) {
        score_successors_serial(self, game, position, moves, scores);
    }

    /// Writes the [`Evaluator::successor_value`] of each move, bit for bit.
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

    /// Value, for the seat that makes `mv`, of the position after it. `cache` is scratch space.
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

    /// Computes the cache from scratch.
    fn refresh(&self, game: &G, position: &G::Position, cache: &mut Self::Cache) {
        let _ = (game, position, cache);
    }

    /// Computes the `child` cache of the position `after` a move from the `parent` cache of the
    /// position `before`; values are those after a refresh, bit for bit. `parent` may be completed.
    fn update(
        &self,
        game: &G,
        parent: &mut Self::Cache,
        before: &G::Position,
        mv: G::Move,
        after: &G::Position,
        child: &mut Self::Cache,
    ) {
        let _ = (parent, before, mv);
        self.refresh(game, after, child);
    }

    /// Win probability of the seat to move; `cache` is of `position`.
    fn value(&self, game: &G, position: &G::Position, cache: &Self::Cache) -> f32;

    /// Writes the [`Evaluator::value`] of each unfinished position.
    fn values(&self, game: &G, positions: &[G::Position], out: &mut [f32]) {
        let mut cache = Self::Cache::default();
        for (position, value) in positions.iter().zip(out) {
            self.refresh(game, position, &mut cache);
            *value = self.value(game, position, &cache);
        }
    }

    /// As [`Evaluator::value`], computed without a cache.
    fn value_of(&self, game: &G, position: &G::Position) -> f32 {
        let mut cache = Self::Cache::default();
        self.refresh(game, position, &mut cache);
        self.value(game, position, &cache)
    }

    /// Score for the seat to move on the evaluator's own scale; `None` if it has none.
    fn raw_score(&self, game: &G, position: &G::Position) -> Option<f32> {
        let _ = (game, position);
        None
    }

    /// Probability of each result of the game for the seat to move, in the order in which the game
    /// names them; `None` if the evaluator estimates the expected payoff alone.
    fn result_probabilities(&self, game: &G, position: &G::Position) -> Option<Vec<f32>> {
        let _ = (game, position);
        None
    }

    /// Win rate in complete games at an unproven `value` of the evaluator or of a search with it;
    /// `None` if not fitted.
    fn observed_win_rate(&self, value: f32) -> Option<f32> {
        let _ = value;
        None
    }

    /// Whether values estimate the payoff of complete games; else they only order positions.
    fn estimates_payoffs(&self) -> bool {
        true
    }

    /// Errors of shallow searches with this evaluator; `None` if not measured.
    fn probcut_errors(&self) -> Option<&ProbcutErrors> {
        None
    }

    /// Estimated payoffs by seat; by default equal for all seats not to move.
    fn payoffs(&self, game: &G, position: &G::Position, cache: &Self::Cache) -> Payoffs {
        payoffs_from_own(game, position, self.value(game, position, cache))
    }
}

/// Payoffs by seat: `own` for the seat to move, [`mean_other_payoff`] for the others.
pub fn payoffs_from_own<G: Game>(game: &G, position: &G::Position, own: f32) -> Payoffs {
    let mut payoffs = [0.0; MAX_SEATS];
    payoffs[..game.seats()].fill(mean_other_payoff(own, game.seats()));
    payoffs[game.to_move(position)] = own;
    payoffs
}

/// Searches one ply, successor by successor; the default of [`Evaluator::one_ply`].
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

/// Values successors one by one; the default of [`Evaluator::value_successors`].
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

/// Scores moves by their values; the default of [`Evaluator::score_successors`].
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
        parent: &mut E::Cache,
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

    fn raw_score(&self, game: &G, position: &G::Position) -> Option<f32> {
        (**self).raw_score(game, position)
    }

    fn result_probabilities(&self, game: &G, position: &G::Position) -> Option<Vec<f32>> {
        (**self).result_probabilities(game, position)
    }

    fn observed_win_rate(&self, value: f32) -> Option<f32> {
        (**self).observed_win_rate(value)
    }

    fn estimates_payoffs(&self) -> bool {
        (**self).estimates_payoffs()
    }

    #[inline]
    fn probcut_errors(&self) -> Option<&ProbcutErrors> {
        (**self).probcut_errors()
    }

    fn payoffs(&self, game: &G, position: &G::Position, cache: &E::Cache) -> Payoffs {
        (**self).payoffs(game, position, cache)
    }
}

/// A handcrafted score; [`crate::calibration::Calibrated`] makes it an [`Evaluator`].
pub trait Score<G: Game>: Send + Sync {
    /// Score for the seat to move, on any scale.
    fn score(&self, game: &G, position: &G::Position) -> f32;

    /// Scores by seat; `None` if only the seat to move has one.
    fn scores_by_seat(&self, game: &G, position: &G::Position) -> Option<[f32; MAX_SEATS]> {
        let _ = (game, position);
        None
    }
}
