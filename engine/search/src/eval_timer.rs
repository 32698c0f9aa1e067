//! Time of leaf evaluations; switched off, measuring costs a predictable branch per evaluation.

use super::SearchStats;
use alea_core::monotonic_clock::Instant;
use std::{mem, time::Duration};

/// Sum of the time of leaf evaluations.
#[derive(Clone, Copy, Debug, Default)]
pub struct EvalTimer {
    spent: Option<Duration>,
}

impl EvalTimer {
    /// A timer that measures nothing unless `on`.
    pub fn new(on: bool) -> Self {
        let spent = on.then_some(Duration::ZERO);
        Self { spent }
    }

    /// Calls `evaluate` and adds its time.
    #[inline]
    pub fn measure<R>(&mut self, evaluate: impl FnOnce() -> R) -> R {
        let began = self.spent.map(|_| Instant::now());
        let result = evaluate();
        let (Some(spent), Some(began)) = (&mut self.spent, began) else {
            return result;
        };
        // Keeps pure code before the second clock reading.
        let result = std::hint::black_box(result);
        *spent += began.elapsed();
        result
    }

    /// Time measured since the previous `take`; `None` if switched off.
    pub fn take(&mut self) -> Option<Duration> {
        self.spent.as_mut().map(mem::take)
    }

    pub(super) fn take_stats(&mut self, stats: &mut SearchStats) -> SearchStats {
        SearchStats {
            evaluation_time: self.take(),
            ..mem::take(stats)
        }
    }
}
