//! Means of pairs whose scores are real numbers: results from which luck has been taken.
//!
//! Such a score may lie outside `[0, 1]`; its mean is an estimate of the same share of games won,
//! with less spread. Invariant: finite for any number of samples.

use super::{Interval, QUANTILE_95};

/// Number, mean and spread of samples.
#[derive(Clone, Copy, Default)]
pub(crate) struct Moments {
    samples: f64,
    mean: f64,
    squares: f64,
}

impl Moments {
    /// One more sample (Welford's recurrence, which loses no digits).
    pub(crate) fn add(&mut self, sample: f64) {
        self.samples += 1.0;
        let before = sample - self.mean;
        self.mean += before / self.samples;
        self.squares += before * (sample - self.mean);
    }

    /// The mean; 0 without samples.
    pub(crate) fn mean(&self) -> f64 {
        self.mean
    }

    /// Standard deviation of one sample; 0 with fewer than two.
    pub(crate) fn deviation(&self) -> f64 {
        if self.samples < 2.0 {
            0.0
        } else {
            (self.squares / (self.samples - 1.0)).max(0.0).sqrt()
        }
    }

    /// Standard error of the mean; 0 with fewer than two samples.
    pub(crate) fn standard_error(&self) -> f64 {
        self.deviation() / self.samples.max(1.0).sqrt()
    }

    /// The 95 % interval of the mean, by the normal law; with fewer than two samples `[0, 1]`.
    pub(crate) fn interval(&self) -> Interval {
        if self.samples < 2.0 {
            return Interval {
                lower: 0.0,
                upper: 1.0,
            };
        }
        Interval::around(self.mean, QUANTILE_95 * self.standard_error())
    }
}

impl FromIterator<f64> for Moments {
    fn from_iter<I: IntoIterator<Item = f64>>(samples: I) -> Self {
        let mut moments = Self::default();
        samples.into_iter().for_each(|sample| moments.add(sample));
        moments
    }
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
        close(moments.interval().half_width(), 1.959_964 * error, 1e-6);
    }

    #[test]
    fn few_samples_are_finite() {
        assert_eq!(Moments::default().standard_error(), 0.0);
        let one: Moments = [0.7].into_iter().collect();
        assert_eq!(
            (one.mean(), one.deviation(), one.interval().upper),
            (0.7, 0.0, 1.0)
        );
    }
}
