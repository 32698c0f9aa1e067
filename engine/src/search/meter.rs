//! Measuring what share of a search goes into evaluating leaves, at no cost when nobody asks.
//!
//! Searches are generic over a [`Meter`]; with [`Off`] the calls vanish.

use std::time::{Duration, Instant};

/// Watches the evaluations of a search.
pub trait Meter: Default + Send {
    /// Runs one evaluation.
    fn evaluation<R>(&mut self, evaluate: impl FnOnce() -> R) -> R;

    /// Time spent evaluating since the last call, if it was taken.
    fn take(&mut self) -> Option<Duration>;
}

/// Measures nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Off;

impl Meter for Off {
    #[inline]
    fn evaluation<R>(&mut self, evaluate: impl FnOnce() -> R) -> R {
        evaluate()
    }

    fn take(&mut self) -> Option<Duration> {
        None
    }
}

/// Reads the clock before and after every evaluation.
#[derive(Clone, Copy, Debug, Default)]
pub struct LeafClock {
    spent: Duration,
}

impl Meter for LeafClock {
    fn evaluation<R>(&mut self, evaluate: impl FnOnce() -> R) -> R {
        let began = Instant::now();
        // Otherwise a compiler may move what it knows to have no effects past the second look at
        // the clock.
        let result = std::hint::black_box(evaluate());
        self.spent += began.elapsed();
        result
    }

    fn take(&mut self) -> Option<Duration> {
        Some(std::mem::take(&mut self.spent))
    }
}
