//! Searches for any [`alea_core::game::Game`], and statistics of searches.

mod abdada;
pub mod alpha_beta;
pub mod best_reply;
pub mod deepening;
pub mod eval_timer;
pub mod expectiminimax;
pub mod filtered_star;
pub mod limits;
pub mod max_n;
pub mod mcts;
pub mod ordering;
pub mod plain_minimax;
pub mod playout_policies;
pub mod rollout;
mod shared_array;
pub mod star;
pub mod star_by_outcome;
pub mod stopwatch;
pub mod table;
mod window;

use alea_core::{
    chance_bounds::Bounds,
    evaluator::Evaluator,
    game::{Game, Payoffs, Seat},
};
use limits::Limits;
use std::time::Duration;

/// Counts of accesses to a transposition table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TableStats {
    /// Number of probes.
    pub probes: u64,
    /// Probes that found the position (of successors: at a usable depth).
    pub hits: u64,
    /// Probes that made a search unnecessary.
    pub cuts: u64,
    /// Results stored or rejected.
    pub stores: u64,
    /// Stored results that replaced another position's.
    pub replacements: u64,
}

impl TableStats {
    #[inline]
    fn add(&mut self, other: &Self) {
        self.probes += other.probes;
        self.hits += other.hits;
        self.cuts += other.cuts;
        self.stores += other.stores;
        self.replacements += other.replacements;
    }
}

/// Cost of one or more searches.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SearchStats {
    /// Positions reached by a move, with leaves and finished games.
    pub nodes: u64,
    /// Evaluated positions and playouts.
    pub evaluations: u64,
    /// Transposition table accesses.
    pub table: TableStats,
    /// Depth in plies of the last complete iteration; 0 if the search has no depth.
    pub depth: u32,
    /// Wall time; zero unless measured.
    pub time: Duration,
    /// Time spent evaluating leaves, summed over all threads; `None` unless measured.
    pub evaluation_time: Option<Duration>,
}

impl SearchStats {
    /// Adds the cost of another search; depths take the maximum.
    #[inline]
    pub fn add(&mut self, other: &Self) {
        self.nodes += other.nodes;
        self.evaluations += other.evaluations;
        self.table.add(&other.table);
        self.depth = self.depth.max(other.depth);
        self.time += other.time;
        self.evaluation_time = match (self.evaluation_time, other.evaluation_time) {
            (Some(own), Some(others)) => Some(own + others),
            (own, others) => own.or(others),
        };
    }
}

const UNKNOWN_VALUE: f32 = 0.5;

/// Callback after each finished depth, with values of all moves (payoffs of all seats if known) and
/// the cost so far; returns whether the search goes on.
pub type DepthObserver<'a> = dyn FnMut(&[(f32, Option<Payoffs>)], SearchStats) -> bool + 'a;

/// Values moves by looking ahead, as win probabilities of the seat that makes them.
///
/// With more than two seats searches are paranoid by default: all others play as one side against
/// the root seat.
pub trait Search<G: Game>: Send {
    /// Rules of the searched game.
    fn game(&self) -> &G;

    /// Clears tables, history counters and the game's clock, for a new game.
    fn clear(&mut self);

    /// Sets limits of later searches; a time replaces the limits of the search's options except of
    /// depth.
    fn set_limits(&mut self, limits: &Limits);

    /// Whether [`Limits::stop`] ended the last search; moves without a value then have ½.
    fn is_stopped(&self) -> bool;

    /// Bounds of `mv` for the seat that makes it: exact above `alpha`, otherwise an upper bound of
    /// at most `alpha`.
    fn move_value(&mut self, position: &G::Position, mv: G::Move, alpha: f32) -> Bounds;

    /// The best of `legal` moves (at least one) and its value; ties go to the first.
    fn best_move(&mut self, position: &G::Position, legal: &[G::Move]) -> (G::Move, f32) {
        let (mut best, mut value) = (legal[0], -1.0);
        for &mv in legal {
            let bounds = self.move_value(position, mv, value);
            if self.is_stopped() {
                break;
            }
            if bounds.lower > value {
                (best, value) = (mv, bounds.lower);
            }
        }
        (best, if value < 0.0 { UNKNOWN_VALUE } else { value })
    }

    /// Each move's value for the seat that makes it.
    fn move_values(&mut self, position: &G::Position, moves: &[G::Move]) -> Vec<f32> {
        let value = |&mv| {
            let value = self.move_value(position, mv, f32::NEG_INFINITY).lower;
            if self.is_stopped() {
                UNKNOWN_VALUE
            } else {
                value
            }
        };
        moves.iter().map(value).collect()
    }

    /// [`Search::move_values`], with the payoffs of all seats if the search computes them.
    fn move_payoffs(
        &mut self,
        position: &G::Position,
        moves: &[G::Move],
    ) -> Vec<(f32, Option<Payoffs>)> {
        let values = self.move_values(position, moves).into_iter();
        values.map(|value| (value, None)).collect()
    }

    /// [`Search::move_payoffs`] that calls `observer` after every finished depth except the last,
    /// and ends when that returns false.
    fn move_payoffs_observed(
        &mut self,
        position: &G::Position,
        moves: &[G::Move],
        _observer: &mut DepthObserver<'_>,
    ) -> Vec<(f32, Option<Payoffs>)> {
        self.move_payoffs(position, moves)
    }

    /// Win probability of the seat to move in an unfinished position before its chance event; the
    /// move from there is the first ply.
    fn value(&mut self, position: &G::Position) -> f32;

    /// Cost since the previous `take_stats`.
    fn take_stats(&mut self) -> SearchStats;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct RootVersusRest {
    root: Seat,
}

impl RootVersusRest {
    #[inline]
    fn is_same_side<G: Game>(self, game: &G, one: &G::Position, other: &G::Position) -> bool {
        (game.to_move(one) == self.root) == (game.to_move(other) == self.root)
    }

    #[inline]
    fn key<G: Game>(self, game: &G, position: &G::Position) -> u64 {
        let key = game.key(position);
        if game.seats() == 2 {
            key
        } else {
            key ^ (self.root as u64 + 1).wrapping_mul(0xD6E8_FEB8_6659_FD93)
        }
    }

    #[inline]
    fn value_for_mover<G: Game, E: Evaluator<G>>(
        self,
        game: &G,
        evaluator: &E,
        position: &G::Position,
        cache: &E::Cache,
    ) -> f32 {
        if game.seats() == 2 {
            evaluator.value(game, position, cache)
        } else {
            self.value(game, position, &evaluator.payoffs(game, position, cache))
        }
    }

    fn evaluate_from_scratch<G: Game, E: Evaluator<G>>(
        self,
        game: &G,
        evaluator: &E,
        position: &G::Position,
    ) -> f32 {
        let mut cache = E::Cache::default();
        evaluator.refresh(game, position, &mut cache);
        self.value(game, position, &evaluator.payoffs(game, position, &cache))
    }

    #[inline]
    fn value<G: Game>(self, game: &G, position: &G::Position, payoffs: &Payoffs) -> f32 {
        if game.to_move(position) == self.root {
            payoffs[self.root]
        } else {
            1.0 - payoffs[self.root]
        }
    }
}
