//! Search over any [`crate::core::game::Game`]: what every search reports, and the searches themselves.
//!
//! Invariant: nothing below this module names a game, a die or a stone.

pub mod best_reply;
pub mod deepening;
pub mod eval_timer;
pub mod expectiminimax;
pub mod limits;
pub mod max_n;
pub mod mcts;
mod memory;
pub mod minimax;
pub mod ordering;
pub mod outcomes;
mod parallel;
pub mod playout;
pub mod rollout;
pub mod star;
pub(crate) mod stopwatch;
pub mod table;

use crate::core::{
    chance::Bounds,
    evaluator::Evaluator,
    game::{Game, Payoffs, Seat},
};
use limits::Limits;
use std::time::Duration;

/// What a transposition table did for a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TableStats {
    /// Positions asked for.
    pub probes: u64,
    /// Positions found, at any depth.
    pub hits: u64,
    /// Positions whose value, or a bound that sufficed, was found: they needed no search.
    pub cuts: u64,
    /// Results kept.
    pub stores: u64,
    /// Results kept in the place of another position's.
    pub replacements: u64,
}

impl TableStats {
    fn add(&mut self, other: &Self) {
        self.probes += other.probes;
        self.hits += other.hits;
        self.cuts += other.cuts;
        self.stores += other.stores;
        self.replacements += other.replacements;
    }
}

/// What a search cost.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SearchStats {
    /// Positions visited: every position reached by a move, leaves and finished games included.
    pub nodes: u64,
    /// Positions an evaluator (or a playout) was asked about.
    pub evaluations: u64,
    /// What the transposition table did.
    pub table: TableStats,
    /// Plies of the last complete iteration; 0 from searches that know no depth.
    pub depth: u32,
    /// Wall time; zero unless taken.
    pub time: Duration,
    /// The part of `time` spent evaluating leaves; only known to an instrumented search.
    pub evaluation_time: Option<Duration>,
}

impl SearchStats {
    /// Adds the cost of another search.
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

/// What a search says of a position that it could not search.
const UNKNOWN_VALUE: f32 = 0.5;

/// Receives the values of all moves at a finished depth and the cost so far, and returns whether the
/// search goes on.
pub type DepthObserver<'a> = dyn FnMut(&[(f32, Option<Payoffs>)], SearchStats) -> bool + 'a;

/// A search that values moves by looking ahead.
///
/// Values are win probabilities of the seat to move. With more than two seats a search is paranoid,
/// all others play as one party against the seat at the root, unless it says otherwise.
pub trait Search<G: Game>: Send {
    /// The rules that are searched.
    fn game(&self) -> &G;

    /// Forgets everything learned so far.
    fn forget(&mut self);

    /// Sets what ends the searches to come besides their own limits.
    fn set_limits(&mut self, limits: &Limits);

    /// Whether the last search was stopped by [`Search::set_limits`] before it was done: values
    /// that it had not found by then are one half.
    fn is_stopped(&self) -> bool;

    /// The value of making `mv` in `position`, for the seat that makes it. Exact if it is above
    /// `alpha`; otherwise the upper bound returned is at most `alpha`.
    fn move_value(&mut self, position: &G::Position, mv: G::Move, alpha: f32) -> Bounds;

    /// The best of some moves, at least one, and its value; of equally good ones the first.
    fn best_move(&mut self, position: &G::Position, legal: &[G::Move]) -> (G::Move, f32) {
        // Below every value, so that the first move is valued exactly.
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

    /// The value of each of some moves.
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

    /// The same, and what each move brings every seat, where the search tells that.
    fn move_payoffs(
        &mut self,
        position: &G::Position,
        moves: &[G::Move],
    ) -> Vec<(f32, Option<Payoffs>)> {
        let values = self.move_values(position, moves).into_iter();
        values.map(|value| (value, None)).collect()
    }

    /// As [`Search::move_payoffs`]; a search that deepens also reports each depth that is followed
    /// by a deeper one, and ends once `observer` returns false.
    fn move_payoffs_observed(
        &mut self,
        position: &G::Position,
        moves: &[G::Move],
        _observer: &mut DepthObserver<'_>,
    ) -> Vec<(f32, Option<Payoffs>)> {
        self.move_payoffs(position, moves)
    }

    /// The value of a position that is not over, before chance has spoken, for the seat to move; as
    /// deep as moves are valued, the moves of this position included.
    fn value(&mut self, position: &G::Position) -> f32;

    /// What has been spent since the last call.
    fn take_stats(&mut self) -> SearchStats;
}

/// The party to move, seen from the seat at the root: that seat, or all the others together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Parties {
    root: Seat,
}

impl Parties {
    /// Whether two positions have the same party to move.
    #[inline]
    fn same<G: Game>(self, game: &G, one: &G::Position, other: &G::Position) -> bool {
        (game.to_move(one) == self.root) == (game.to_move(other) == self.root)
    }

    /// The key of a position: with more than two seats a value also depends on who is at the root.
    #[inline]
    fn key<G: Game>(self, game: &G, position: &G::Position) -> u64 {
        let key = game.key(position);
        if game.seats() == 2 {
            key
        } else {
            key ^ (self.root as u64 + 1).wrapping_mul(0xD6E8_FEB8_6659_FD93)
        }
    }

    /// What an evaluator says of a position, for the party to move.
    #[inline]
    fn evaluate<G: Game, E: Evaluator<G>>(
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

    /// What an evaluator says of a position from scratch, for the party to move.
    fn evaluate_anew<G: Game, E: Evaluator<G>>(
        self,
        game: &G,
        evaluator: &E,
        position: &G::Position,
    ) -> f32 {
        let mut cache = E::Cache::default();
        evaluator.refresh(game, position, &mut cache);
        self.value(game, position, &evaluator.payoffs(game, position, &cache))
    }

    /// What payoffs are worth to the party to move at `position`.
    #[inline]
    fn value<G: Game>(self, game: &G, position: &G::Position, payoffs: &Payoffs) -> f32 {
        if game.to_move(position) == self.root {
            payoffs[self.root]
        } else {
            1.0 - payoffs[self.root]
        }
    }
}
