//! Running mean and variance.

/// Number, mean and variance of samples.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Moments {
    samples: f64,
    mean: f64,
    squares: f64,
}

impl Moments {
    /// Adds a sample (Welford's recurrence).
    #[inline]
    pub fn add(&mut self, sample: f64) {
        self.samples += 1.0;
        let before = sample - self.mean;
        self.mean += before / self.samples;
        self.squares += before * (sample - self.mean);
    }

    /// Number of samples.
    pub fn sample_count(&self) -> f64 {
        self.samples
    }

    /// The mean; 0 without samples.
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// Sum of the squared deviations from the mean.
    pub fn squared_deviations(&self) -> f64 {
        self.squares.max(0.0)
    }

    /// Sample standard deviation; 0 with fewer than two samples.
    pub fn deviation(&self) -> f64 {
        if self.samples < 2.0 {
            0.0
        } else {
            (self.squares / (self.samples - 1.0)).max(0.0).sqrt()
        }
    }

    /// Standard error of the mean; 0 with fewer than two samples.
    pub fn standard_error(&self) -> f64 {
        self.deviation() / self.samples.max(1.0).sqrt()
    }
}

impl FromIterator<f64> for Moments {
    fn from_iter<I: IntoIterator<Item = f64>>(samples: I) -> Self {
        let mut moments = Self::default();
        samples.into_iter().for_each(|sample| moments.add(sample));
        moments
    }
}
