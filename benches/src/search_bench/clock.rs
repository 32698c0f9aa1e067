//! What reading the clock takes, so that it is not taken for evaluating.
//!
//! A fast evaluation takes less time than two readings of the clock. What both take is measured once on evaluations of
//! nothing, and subtracted for every evaluation of an instrumented search.

use super::cost::Instrumented;
use engine::search::meter::{LeafClock, Meter};
use std::hint::black_box;
use std::sync::OnceLock;
use std::time::Instant;

/// What timing one evaluation adds, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClockCost {
    /// To the time taken for evaluating.
    pub inside: f64,
    /// To the time of the search.
    pub whole: f64,
}

/// Evaluations of nothing in one batch, and batches: the cheapest counts, for others were interrupted.
const BATCH: u32 = 2_000;
const BATCHES: u32 = 9;

impl ClockCost {
    /// That of the engine's own meter; measured at the first call.
    #[must_use]
    pub fn of_leaf_clock() -> Self {
        static COST: OnceLock<ClockCost> = OnceLock::new();
        *COST.get_or_init(|| {
            let mut clock = LeafClock::default();
            Self::measured(|batch| {
                (0..batch).for_each(|number| {
                    black_box(clock.evaluation(|| black_box(number)));
                });
                clock.take().unwrap_or_default().as_secs_f64()
            })
        })
    }

    /// That of any clock: `evaluate` evaluates nothing so many times and says how many seconds it took for evaluating.
    #[must_use]
    pub fn measured(mut evaluate: impl FnMut(u32) -> f64) -> Self {
        let batch = |_| {
            let began = Instant::now();
            let inside = evaluate(BATCH);
            Self { inside: inside / f64::from(BATCH), whole: began.elapsed().as_secs_f64() / f64::from(BATCH) }
        };
        let cheaper = |one: Self, other: Self| if other.whole < one.whole { other } else { one };
        (0..BATCHES).map(batch).reduce(cheaper).unwrap_or(Self { inside: 0.0, whole: 0.0 })
    }

    /// Times of an instrumented search without those of its clock.
    #[must_use]
    pub fn subtracted_from(&self, seconds: f64, evaluation_seconds: f64, evaluations: u64) -> Instrumented {
        let inside = self.inside * evaluations as f64;
        // A search may time several evaluations at once; then the clock was read more rarely, and counts for little.
        if evaluation_seconds < 0.5 * inside {
            return Instrumented { seconds, evaluation_seconds };
        }
        Instrumented { seconds: seconds - self.whole * evaluations as f64, evaluation_seconds: evaluation_seconds - inside }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_is_subtracted_once_for_every_evaluation() {
        let clock = ClockCost { inside: 1e-6, whole: 2e-6 };
        let near = |found: Instrumented, seconds: f64, evaluation_seconds: f64| {
            assert!((found.seconds - seconds).abs() < 1e-12 && (found.evaluation_seconds - evaluation_seconds).abs() < 1e-12, "{found:?}");
        };
        // 1000 evaluations of 2 µs in a search of 5 ms.
        near(clock.subtracted_from(0.007, 0.003, 1000), 0.005, 0.002);
        // The same, timed by the hundred.
        near(clock.subtracted_from(0.005_02, 0.000_21, 1000), 0.005_02, 0.000_21);
    }

    #[test]
    fn a_clock_takes_some_time_and_most_of_it_outside() {
        let ClockCost { inside, whole } = ClockCost::of_leaf_clock();
        assert!(inside > 0.0 && whole > inside && whole < 1e-5, "{inside} {whole}");
        assert_eq!(ClockCost::of_leaf_clock(), ClockCost { inside, whole }, "measured once");
    }
}
