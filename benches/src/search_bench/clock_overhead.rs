//! Correction of evaluation times for the time of reading the clock, which is the extra time of an
//! instrumented search.

use engine::search::eval_timer::EvalTimer;
use std::{hint::black_box, sync::OnceLock, time::Instant};

/// Fraction of a clock reading's time that falls into the measured evaluation time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ClockCost(f64);

const BATCH_EVALUATIONS: u32 = 2_000;
const NUM_BATCHES: u32 = 9;

impl ClockCost {
    pub(crate) fn of_leaf_clock() -> Self {
        static FRACTION_INSIDE: OnceLock<ClockCost> = OnceLock::new();
        *FRACTION_INSIDE.get_or_init(|| {
            let mut clock = EvalTimer::new(true);
            let batches = (0..NUM_BATCHES).map(|_| {
                let began = Instant::now();
                for number in 0..BATCH_EVALUATIONS {
                    black_box(clock.measure(|| black_box(number)));
                }
                let inside = clock.take().unwrap_or_default().as_secs_f64();
                (inside, began.elapsed().as_secs_f64())
            });
            let fastest = batches.min_by(|one, other| one.1.total_cmp(&other.1));
            let (inside, total) = fastest.unwrap_or_default();
            Self((inside / total.max(f64::MIN_POSITIVE)).clamp(0.0, 1.0))
        })
    }

    /// Corrected evaluation seconds of a search that takes `plain` seconds without clock readings
    /// and `instrumented` seconds with them, `evaluating` of these measured as evaluation.
    pub(crate) fn evaluation_seconds(self, plain: f64, instrumented: f64, evaluating: f64) -> f64 {
        evaluating - self.0 * (instrumented - plain).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_does_not_count_as_evaluation() {
        assert!((ClockCost(0.5).evaluation_seconds(0.005, 0.007, 0.003) - 0.002).abs() < 1e-12);
        assert!(
            (ClockCost(0.5).evaluation_seconds(0.005, 0.005_02, 0.002_01) - 0.002).abs() < 1e-12
        );
        assert!((ClockCost(0.5).evaluation_seconds(0.005, 0.004, 0.002) - 0.002).abs() < 1e-12);
    }

    #[test]
    fn a_clock_takes_some_time_inside_and_some_outside() {
        let clock_fraction = ClockCost::of_leaf_clock();
        assert!(
            (0.05..0.95).contains(&clock_fraction.0),
            "{clock_fraction:?}"
        );
        assert_eq!(ClockCost::of_leaf_clock(), clock_fraction, "measured once");
    }
}
