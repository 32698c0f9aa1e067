//! Normalised Elo: the excess of the score over 1/2 in standard deviations of one game, times 800 /
//! ln 10. It determines how many games a test needs, whatever the fraction of split pairs. Source:
//! M. Van den Bergh's notes for fishtest.

use super::{Interval, QUANTILE_95, Tally};

pub(super) const ELO_PER_DEVIATION: f64 = 800.0 / std::f64::consts::LN_10;

impl<const N: usize> Tally<N> {
    /// Normalised Elo of the mean score of samples with `games` games each (2 for pairs). The
    /// variance of equal samples is taken as the largest possible.
    #[must_use]
    pub fn normalized_elo(&self, games: f64) -> f64 {
        (self.bounded_score() - 0.5) / (games * self.positive_variance()).sqrt() * ELO_PER_DEVIATION
    }

    /// 95 % interval of [`Self::normalized_elo`], with the standard deviation taken as exact.
    #[must_use]
    pub fn normalized_elo_interval(&self, games: f64) -> Interval {
        Interval::from_center(
            self.normalized_elo(games),
            QUANTILE_95 * ELO_PER_DEVIATION / (games * self.samples().max(1.0)).sqrt(),
        )
    }

    pub(crate) fn bounded_score(&self) -> f64 {
        self.clamp_off_ends(self.score())
    }

    /// Variance of samples' scores; if all are equal, the largest possible at this mean.
    pub(crate) fn positive_variance(&self) -> f64 {
        let variance = self.variance();
        let score = self.bounded_score();
        if variance > 0.0 {
            variance
        } else {
            score * (1.0 - score)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::tests::close;

    #[test]
    fn elo_of_pairs_of_published_matches() {
        for (counts, normalized, plain) in [
            (
                [485, 1923, 2942, 1937, 594],
                [1.68, 7.10, 12.53],
                [1.21, 5.11, 9.02],
            ),
            (
                [261, 739, 2683, 737, 253],
                [-8.13, -1.09, 5.96],
                [-5.00, -0.67, 3.66],
            ),
            (
                [63, 252, 385, 250, 74],
                [-10.31, 4.74, 19.79],
                [-7.38, 3.39, 14.17],
            ),
            (
                [527, 1007, 1932, 933, 511],
                [-11.63, -4.76, 2.11],
                [-9.16, -3.75, 1.66],
            ),
            (
                [175, 305, 694, 291, 157],
                [-18.91, -6.96, 5.00],
                [-14.57, -5.36, 3.85],
            ),
        ] {
            let tally = Tally { counts };
            let (own, elo) = (tally.normalized_elo_interval(2.0), tally.elo_interval());
            let own = [own.lower, tally.normalized_elo(2.0), own.upper];
            let elo = [elo.lower, tally.elo(), elo.upper];
            for index in 0..3 {
                close(own[index], normalized[index], 0.01);
                close(elo[index], plain[index], 0.01);
            }
        }
    }

    #[test]
    fn a_standard_deviation_by_hand() {
        let actual = Tally { counts: [1, 3] }.normalized_elo(1.0);
        close(actual, 0.25 / (3.0_f64 / 16.0).sqrt() * 347.4356, 1e-3);
    }

    #[test]
    fn one_sided_and_empty_matches_are_finite() {
        for counts in [
            [0, 0, 0],
            [0, 0, 1],
            [1, 0, 0],
            [0, 9, 0],
            [0, 0, 1_000_000],
            [50, 0, 0],
        ] {
            let tally = Tally { counts };
            let value = tally.normalized_elo(2.0);
            let interval = tally.normalized_elo_interval(2.0);
            assert!(
                value.is_finite() && interval.lower.is_finite() && interval.contains(value),
                "{counts:?}"
            );
            assert_eq!(value.abs() < 1e-9, counts[0] == counts[2], "{counts:?}");
        }
    }
}
