//! Exact knowledge of positions, as a search sees it.
//!
//! A search does not know who answers: a table of endgames, or whatever else knows values.
//! Invariant: an answer is the game-theoretic value up to [`Oracle::error`]; 0 and 1 are only said
//! of positions that are lost or won for certain.

use crate::core::{chance::Bounds, game::Game, limits::Limits};
use std::fmt::Debug;

/// Knows the exact value of some positions.
pub trait Oracle<G: Game>: Send + Sync + Debug {
    /// The win probability of the seat to move, before chance has spoken, with best play; `None` if
    /// it is not known. Only asked of positions that are not over.
    fn value(&self, game: &G, position: &G::Position) -> Option<f32>;

    /// [`Oracle::value`], or `None` where it is not found before these limits end the search: who
    /// has to compute it looks at them about as often as a search does.
    fn value_within(&self, game: &G, position: &G::Position, limits: &Limits) -> Option<f32> {
        let _ = limits;
        self.value(game, position)
    }

    /// [`Oracle::value`] of many positions; who reads them from a disk may do so in its order.
    fn values(&self, game: &G, positions: &[G::Position]) -> Vec<Option<f32>> {
        let positions = positions.iter();
        positions
            .map(|position| self.value(game, position))
            .collect()
    }

    /// Whether it may know positions one move after this one, which it does not know itself.
    fn may_know_successors(&self, position: &G::Position) -> bool {
        let _ = position;
        true
    }

    /// What is known of the moves of a position, for the seat that makes them, nothing of any before;
    /// whether anything is known now. Only asked of positions that are not over.
    fn bounds_of_moves(
        &self,
        game: &G,
        position: &G::Position,
        moves: &[G::Move],
        bounds: &mut [Bounds],
    ) -> bool {
        let _ = (game, position, moves, bounds);
        false
    }

    /// How far an answer may be off.
    fn error(&self) -> f32 {
        0.0
    }
}
