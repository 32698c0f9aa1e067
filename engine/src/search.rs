//! Search over any [`crate::game::Game`]: what every search reports, and the searches themselves.
//!
//! Invariant: nothing below this module names a game, a die or a stone.

use std::time::Duration;

/// What a search cost.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SearchStats {
    /// Positions visited: every position reached by a move, leaves and finished games included.
    pub nodes: u64,
    /// Positions an evaluator (or a playout) was asked about.
    pub evaluations: u64,
    /// Positions whose value, or a bound that sufficed, stood in the table.
    pub table_cuts: u64,
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
        self.table_cuts += other.table_cuts;
        self.time += other.time;
        self.evaluation_time = match (self.evaluation_time, other.evaluation_time) {
            (Some(own), Some(others)) => Some(own + others),
            (own, others) => own.or(others),
        };
    }
}
