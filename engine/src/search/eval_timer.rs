//! Measuring what share of a search goes into evaluating leaves, at the cost of a foreseen branch
//! an evaluation when nobody asks.

use super::SearchStats;
use crate::core::clock::Instant;
use std::{mem, time::Duration};

/// Reads the clock before and after every evaluation, once it is switched on.
#[derive(Clone, Copy, Debug, Default)]
pub struct EvalTimer {
    spent: Option<Duration>,
}

impl EvalTimer {
    /// A clock that is switched on or not.
    #[must_use]
    pub fn new(on: bool) -> Self {
        let spent = on.then_some(Duration::ZERO);
        Self { spent }
    }

    /// Runs one evaluation.
    #[inline]
    pub fn evaluation<R>(&mut self, evaluate: impl FnOnce() -> R) -> R {
        let began = self.spent.map(|_| Instant::now());
        let result = evaluate();
        let (Some(spent), Some(began)) = (&mut self.spent, began) else {
            return result;
        };
        // Otherwise a compiler may move what it knows to have no effects past the second look at
        // the clock.
        let result = std::hint::black_box(result);
        *spent += began.elapsed();
        result
    }

    /// Time spent evaluating since the last call, if it was taken.
    pub fn take(&mut self) -> Option<Duration> {
        self.spent.as_mut().map(mem::take)
    }

    /// The same with what else has been spent since.
    pub(super) fn take_with(&mut self, stats: &mut SearchStats) -> SearchStats {
        SearchStats {
            evaluation_time: self.take(),
            ..mem::take(stats)
        }
    }
}
