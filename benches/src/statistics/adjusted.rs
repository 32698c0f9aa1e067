//! Means of pairs whose scores are real numbers: results from which luck has been taken.
//!
//! Such a score may lie outside `[0, 1]`; its mean is an estimate of the same share of games won,
//! with less spread. Invariant: finite for any number of samples.

use super::{Interval, QUANTILE_95};
use engine::core::moments::Moments;

/// The 95 % interval of a mean, by the normal law; with fewer than two samples `[0, 1]`.
pub(crate) fn interval(moments: &Moments) -> Interval {
    if moments.samples() < 2.0 {
        return Interval {
            lower: 0.0,
            upper: 1.0,
        };
    }
    Interval::around(moments.mean(), QUANTILE_95 * moments.standard_error())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::tests::close;

    #[test]
    fn moments_by_hand() {
        let moments: Moments = [1.0, 2.0, 4.0, 5.0].into_iter().collect();
        assert_eq!(moments.mean(), 3.0);
        let error = (10.0_f64 / 12.0).sqrt();
        close(moments.deviation(), 2.0 * error, 1e-12);
        close(moments.standard_error(), error, 1e-12);
        close(interval(&moments).half_width(), 1.959_964 * error, 1e-6);
    }

    #[test]
    fn few_samples_are_finite() {
        assert_eq!(Moments::default().standard_error(), 0.0);
        let one: Moments = [0.7].into_iter().collect();
        assert_eq!(
            (one.mean(), one.deviation(), interval(&one).upper),
            (0.7, 0.0, 1.0)
        );
    }
}
