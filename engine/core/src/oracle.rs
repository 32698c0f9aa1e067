//! Exact values of some positions, from endgame tables or solvers.

use crate::{chance_bounds::Bounds, game::Game, limits::Limits};
use std::{fmt::Debug, time::Duration};

/// What [`Oracle::root_values`] are for, and the time that they may take.
#[derive(Clone, Copy, Debug)]
pub struct RootRequest<'a> {
    /// Whether all moves need exact values.
    pub all: bool,
    /// Wall time that may pass; `None` for no limit.
    pub budget: Option<Duration>,
    /// Limits of the decision.
    pub limits: &'a Limits,
}

/// Game-theoretic values of some unfinished positions; 0 and 1 are exact.
pub trait Oracle<G: Game>: Send + Sync + Debug {
    /// Win probability of the seat to move, before its chance event; `None` if unknown.
    fn value(&self, game: &G, position: &G::Position) -> Option<f32>;

    /// Value as [`Oracle::value`]; `None` also if `limits` end its computation.
    fn value_within(&self, game: &G, position: &G::Position, limits: &Limits) -> Option<f32> {
        let _ = limits;
        self.value(game, position)
    }

    /// Values as [`Oracle::value`]; tables can read them in disk order.
    fn values(&self, game: &G, positions: &[G::Position]) -> Vec<Option<f32>> {
        let positions = positions.iter();
        positions
            .map(|position| self.value(game, position))
            .collect()
    }

    /// Whether positions one move later may have values although `position` has none.
    fn may_cover_successors(&self, position: &G::Position) -> bool {
        let _ = position;
        true
    }

    /// Tightens the bounds, unknown at first, of the win probability after each move for the seat
    /// that makes it; returns whether any changed.
    fn move_bounds(
        &self,
        game: &G,
        position: &G::Position,
        moves: &[G::Move],
        bounds: &mut [Bounds],
    ) -> bool {
        let _ = (game, position, moves, bounds);
        false
    }

    /// Bounds of the values of `moves` at the root of a search, for the seat that makes them, found at
    /// once: exact of the first best move, or of all. `None` if unknown or if it takes too long.
    fn root_values(
        &self,
        game: &G,
        position: &G::Position,
        moves: &[G::Move],
        request: RootRequest<'_>,
    ) -> Option<Vec<Bounds>> {
        let _ = (game, position, moves, request);
        None
    }

    /// Maximal absolute error of the values.
    fn max_error(&self) -> f32 {
        0.0
    }
}
