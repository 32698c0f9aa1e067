//! Statistics of matches: score, Elo, likelihood of superiority, with intervals.
//!
//! A sample is a pair of games with the same dice and sides swapped, whose results depend on each
//! other, so variances are those of pairs' mean scores. Sources: formulas of testers of chess
//! engines; for scores of 0 and 1 the "rule of three" (Hanley and Lippman-Hand 1983).

pub mod multiple_comparisons;
pub mod next_pairing;
mod normalized;
pub mod ratings;
pub mod sequential;
pub mod sequential_simulation;

use alea_core::moments::Moments;
use serde::{Deserialize, Serialize};

/// 97.5 % quantile of the standard normal distribution.
pub const QUANTILE_95: f64 = 1.959_963_984_540_054;

/// 97.5 % quantile of Student's t distribution with `degrees` degrees of freedom, by an expansion
/// (Fisher and Cornish 1960); from 9 degrees on within 0.005.
#[must_use]
pub fn t_quantile_95(degrees: f64) -> f64 {
    QUANTILE_95 + 2.372_271 / degrees + 2.822_499 / degrees.powi(2)
}

/// Lower bound, with 95 % confidence, of the probability of a result that all of `samples` samples
/// had.
#[must_use]
pub fn fraction_if_all_equal(samples: f64) -> f64 {
    0.05_f64.powf(1.0 / samples)
}

/// A 95 % confidence interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// Lower end.
    pub lower: f64,
    /// Upper end.
    pub upper: f64,
}

impl Interval {
    /// The interval `middle - half_width` to `middle + half_width`.
    #[must_use]
    pub fn from_center(middle: f64, half_width: f64) -> Self {
        Self {
            lower: middle - half_width,
            upper: middle + half_width,
        }
    }

    /// 95 % interval of a mean by the normal approximation, which may exceed `[0, 1]`; with fewer
    /// than two samples `[0, 1]`.
    pub(crate) fn of_mean(moments: &Moments) -> Self {
        match moments.sample_count() {
            2.0.. => Self::from_center(moments.mean(), QUANTILE_95 * moments.standard_error()),
            _ => Self::UNKNOWN,
        }
    }

    const UNKNOWN: Self = Self {
        lower: 0.0,
        upper: 1.0,
    };

    /// Half of `upper - lower`.
    #[must_use]
    pub fn half_width(&self) -> f64 {
        (self.upper - self.lower) / 2.0
    }

    #[cfg(test)]
    pub(crate) fn contains(&self, value: f64) -> bool {
        self.lower <= value && value <= self.upper
    }

    /// Applies an increasing function to both ends.
    #[must_use]
    pub fn map_ends(self, function: impl Fn(f64) -> f64) -> Self {
        Self {
            lower: function(self.lower),
            upper: function(self.upper),
        }
    }
}

/// Histogram of samples' scores: entry `i` counts those of score `i / (N - 1)`. `N` is 2 for games
/// without draws, 3 for games with draws or pairs without, 5 for pairs with draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tally<const N: usize> {
    /// Numbers of samples, the lowest score first.
    pub counts: [u64; N],
}

impl<const N: usize> Tally<N> {
    /// Number of samples in the histogram.
    #[must_use]
    pub fn samples(&self) -> f64 {
        self.counts.iter().map(|&count| count as f64).sum()
    }

    /// Score, 0 to 1, of the samples in entry `cell`.
    #[must_use]
    pub fn cell_score(cell: usize) -> f64 {
        cell as f64 / (N - 1) as f64
    }

    /// Mean score, 0 to 1; 1/2 without samples.
    #[must_use]
    pub fn score(&self) -> f64 {
        self.mean(Self::cell_score).unwrap_or(0.5)
    }

    pub(crate) fn variance(&self) -> f64 {
        let score = self.score();
        let squared = |cell| (Self::cell_score(cell) - score).powi(2);
        self.mean(squared).unwrap_or(0.0)
    }

    fn mean(&self, score: impl Fn(usize) -> f64) -> Option<f64> {
        let samples = self.samples();
        let cells = self.counts.iter().enumerate();
        let sum: f64 = cells.map(|(cell, &count)| score(cell) * count as f64).sum();
        (samples > 0.0).then(|| sum / samples)
    }

    pub(crate) fn standard_error(&self) -> f64 {
        (self.variance() / self.samples().max(1.0)).sqrt()
    }

    /// 95 % interval of the mean score by the normal approximation, clamped to `[0, 1]`. If all `n`
    /// samples are equal, their result is taken to have probability `0.05^(1/n)` or more.
    #[must_use]
    pub fn interval(&self) -> Interval {
        let samples = self.samples();
        if samples == 0.0 {
            return Interval::UNKNOWN;
        }
        let score = self.score();
        if self.counts.iter().filter(|&&count| count > 0).count() == 1 {
            let fraction = fraction_if_all_equal(samples);
            return Interval {
                lower: fraction * score,
                upper: (fraction * score + 1.0 - fraction).min(1.0),
            };
        }
        Interval::from_center(score, QUANTILE_95 * self.standard_error())
            .map_ends(|end| end.clamp(0.0, 1.0))
    }

    /// Elo difference at the mean score, clamped to `[1/(4n), 1 - 1/(4n)]` with `n` samples.
    #[must_use]
    pub fn elo(&self) -> f64 {
        elo_of_score(self.bounded_score())
    }

    /// 95 % interval of the mean score in Elo, with both ends clamped as in [`Self::elo`].
    #[must_use]
    pub fn elo_interval(&self) -> Interval {
        self.interval()
            .map_ends(|score| elo_of_score(self.clamp_off_ends(score)))
    }

    /// Probability that the true score is above 1/2, by the normal approximation; the variance of
    /// equal samples is taken as 1/4.
    #[must_use]
    pub fn superiority(&self) -> f64 {
        let samples = self.samples();
        if samples == 0.0 {
            return 0.5;
        }
        let variance = self.variance();
        let variance = if variance > 0.0 { variance } else { 0.25 };
        normal_cdf((self.score() - 0.5) / (variance / samples).sqrt())
    }

    fn clamp_off_ends(&self, score: f64) -> f64 {
        let edge = 0.25 / self.samples().max(1.0);
        score.clamp(edge, 1.0 - edge)
    }
}

/// Numbers of pairs of games by one contestant's points in the pair: 1 for a win, 1/2 for a draw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PairCounts {
    /// Pairs with 0 points: both games lost.
    pub lost: u64,
    /// Pairs with 1/2 point: a loss and a draw.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub half: u64,
    /// Pairs with 1 point: a win and a loss, or two draws.
    pub split: u64,
    /// Pairs with 3/2 points: a win and a draw.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub three_halves: u64,
    /// Pairs with 2 points: both games won.
    pub won: u64,
    /// Drawn games (not pairs).
    #[serde(default, skip_serializing_if = "is_zero")]
    pub draws: u64,
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature that serde calls"
)]
pub(crate) fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl PairCounts {
    #[cfg(test)]
    pub(crate) fn without_draws(lost: u64, split: u64, won: u64) -> Self {
        Self {
            lost,
            split,
            won,
            ..Self::default()
        }
    }

    /// Counts a pair by the contestant's scores in its two games: more than 1/2 is a win, less a
    /// loss.
    pub fn add(&mut self, scores: [f64; 2]) {
        let half_points = scores.map(|score| 1 + u64::from(score > 0.5) - u64::from(score < 0.5));
        match half_points[0] + half_points[1] {
            0 => self.lost += 1,
            1 => self.half += 1,
            2 => self.split += 1,
            3 => self.three_halves += 1,
            _ => self.won += 1,
        }
        self.draws += half_points.iter().filter(|&&half| half == 1).count() as u64;
    }

    /// Number of pairs counted.
    #[must_use]
    pub fn pairs(&self) -> u64 {
        self.tally().counts.iter().sum()
    }

    /// Number of games won by the contestant.
    #[must_use]
    pub fn wins(&self) -> u64 {
        let half_points = self.half + 2 * self.split + 3 * self.three_halves + 4 * self.won;
        half_points.saturating_sub(self.draws) / 2
    }

    #[cfg(test)]
    pub(crate) fn swap_sides(&self) -> Self {
        Self {
            lost: self.won,
            half: self.three_halves,
            split: self.split,
            three_halves: self.half,
            won: self.lost,
            draws: self.draws,
        }
    }

    /// Histogram of pairs by points (pentanomial).
    #[must_use]
    pub fn tally(&self) -> Tally<5> {
        Tally {
            counts: [
                self.lost,
                self.half,
                self.split,
                self.three_halves,
                self.won,
            ],
        }
    }

    /// Histogram of lost, drawn and won games, taken as independent (trinomial).
    #[must_use]
    pub fn games(&self) -> Tally<3> {
        let wins = self.wins();
        Tally {
            counts: [
                (2 * self.pairs()).saturating_sub(self.draws + wins),
                self.draws,
                wins,
            ],
        }
    }
}

/// A measured number with its standard error; both 0 without samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// Measured number.
    pub value: f64,
    /// Standard error of `value`.
    pub error: f64,
}

impl Estimate {
    /// 95 % interval by the normal approximation.
    #[must_use]
    pub fn interval(&self) -> Interval {
        Interval::from_center(self.value, QUANTILE_95 * self.error)
    }
}

impl std::fmt::Display for Estimate {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (value, error) = (100.0 * self.value, 100.0 * QUANTILE_95 * self.error);
        match error {
            0.0 => write!(formatter, "{value:.3} %"),
            _ => write!(formatter, "{value:.2} % ± {error:.2}"),
        }
    }
}

/// Dot product of two vectors of equal length.
#[must_use]
pub fn dot(left: &[f64], right: &[f64]) -> f64 {
    left.iter().zip(right).map(|(one, other)| one * other).sum()
}

pub(crate) fn elo_of_score(score: f64) -> f64 {
    // -400 · log10((1 - score) / score) gives -0 for 1/2.
    400.0 * (score / (1.0 - score)).log10()
}

/// Expected score, 0 to 1, of the side whose rating is higher by `elo`.
#[must_use]
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10_f64.powf(-elo / 400.0))
}

/// Standard normal distribution function; absolute error below 1e-12.
pub(crate) fn normal_cdf(x: f64) -> f64 {
    if x < 0.0 {
        return 1.0 - normal_cdf(-x);
    }
    let density = (-0.5 * x * x).exp() / (2.0 * std::f64::consts::PI).sqrt();
    if x < 4.0 {
        // Φ(x) = 1/2 + φ(x) · Σ x^(2k+1) / (1 · 3 · … · (2k+1)), all terms positive.
        let (mut term, mut sum, mut odd) = (x, x, 1.0);
        while term > 1e-17 * sum {
            odd += 2.0;
            term *= x * x / odd;
            sum += term;
        }
        return 0.5 + density * sum;
    }
    // Mills' ratio as the continued fraction x + 1/(x + 2/(x + 3/…)).
    let fraction = (1..=60)
        .rev()
        .fold(x, |rest, numerator| x + f64::from(numerator) / rest);
    1.0 - density / fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    pub(super) fn close(actual: f64, expected: f64, tolerance: f64) {
        assert!(
            (actual - expected).abs() <= tolerance,
            "{actual}, expected {expected}"
        );
    }

    #[test]
    fn moments_by_hand() {
        let moments: Moments = [1.0, 2.0, 4.0, 5.0].into_iter().collect();
        assert_eq!(moments.mean(), 3.0);
        let error = (10.0_f64 / 12.0).sqrt();
        close(moments.deviation(), 2.0 * error, 1e-12);
        close(moments.standard_error(), error, 1e-12);
        close(
            Interval::of_mean(&moments).half_width(),
            1.959_964 * error,
            1e-6,
        );
    }

    #[test]
    fn few_samples_are_finite() {
        assert_eq!(Moments::default().standard_error(), 0.0);
        let one: Moments = [0.7].into_iter().collect();
        assert_eq!(
            (one.mean(), one.deviation(), Interval::of_mean(&one).upper),
            (0.7, 0.0, 1.0)
        );
    }

    #[test]
    fn normal_distribution_has_its_tabled_values() {
        for (x, below) in [
            (0.0, 0.5),
            (1.0, 0.841_344_746_068_543),
            (1.959_963_984_540_054, 0.975),
            (3.0, 0.998_650_101_968_370),
        ] {
            close(normal_cdf(x), below, 1e-12);
            close(normal_cdf(-x), 1.0 - below, 1e-12);
        }
        close(1.0 - normal_cdf(5.0), 2.866_515_719e-7, 1e-13);
        close(normal_cdf(4.0 - 1e-9), normal_cdf(4.0), 1e-12);
        assert_eq!(normal_cdf(60.0), 1.0);
    }

    #[test]
    fn t_distribution_has_its_tabled_values() {
        for (degrees, quantile) in [(9.0, 2.262_157), (19.0, 2.093_024), (99.0, 1.984_217)] {
            close(t_quantile_95(degrees), quantile, 5e-3);
        }
    }

    #[test]
    fn elo_of_a_published_match() {
        let tally = Tally {
            counts: [96, 111, 136],
        };
        close(tally.elo(), 40.70, 0.005);
        close(tally.elo_interval().half_width(), 30.43, 0.005);
        close(tally.superiority(), 0.9960, 0.00005);
    }

    #[test]
    fn score_and_error_by_hand() {
        let mut counts = PairCounts::default();
        for scores in [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]] {
            counts.add(scores);
        }
        assert_eq!((counts.pairs(), counts.wins(), counts.draws), (4, 4, 0));
        let tally = counts.tally();
        close(tally.score(), 0.5, 1e-15);
        close(tally.standard_error(), (1.0_f64 / 32.0).sqrt(), 1e-15);
        close(tally.interval().half_width(), 1.959_964 * 0.176_776_7, 1e-6);
        close(tally.superiority(), 0.5, 1e-12);
        let three = Tally { counts: [1, 2, 1] };
        assert_eq!(
            (tally.variance(), tally.interval(), tally.elo_interval()),
            (three.variance(), three.interval(), three.elo_interval())
        );
    }

    #[test]
    fn draws_are_half_a_point() {
        let mut counts = PairCounts::default();
        for scores in [[1.0, 0.5], [0.5, 0.5], [0.0, 0.5], [1.0, 0.0]] {
            counts.add(scores);
        }
        assert_eq!(counts.tally().counts, [0, 1, 2, 1, 0]);
        assert_eq!(counts.games().counts, [2, 4, 2]);
        assert_eq!((counts.wins(), counts.draws), (2, 4));
        close(counts.tally().score(), 0.5, 1e-15);
        close(counts.tally().variance(), 1.0 / 32.0, 1e-15);
        let flipped = counts.swap_sides();
        assert_eq!(
            (flipped.tally().counts, flipped.wins()),
            ([0, 1, 2, 1, 0], 2)
        );
    }

    #[test]
    fn elo_and_score_are_inverse() {
        close(score_of_elo(400.0), 10.0 / 11.0, 1e-12);
        close(elo_of_score(score_of_elo(-123.4)), -123.4, 1e-9);
    }

    #[test]
    fn one_sided_and_empty_matches_are_finite() {
        for counts in [
            [0, 0, 0],
            [0, 0, 1],
            [0, 0, 10],
            [7, 0, 0],
            [0, 5, 0],
            [0, 0, 1_000_000],
        ] {
            let tally = Tally { counts };
            let (interval, elo) = (tally.interval(), tally.elo_interval());
            for figure in [
                tally.score(),
                tally.standard_error(),
                tally.elo(),
                elo.lower,
                elo.upper,
                tally.superiority(),
            ] {
                assert!(figure.is_finite(), "{counts:?}");
            }
            assert!(
                interval.contains(tally.score()) && interval.lower >= 0.0 && interval.upper <= 1.0,
                "{counts:?}"
            );
            assert!(elo.contains(tally.elo()), "{counts:?}");
        }
        let all_won = Tally { counts: [0, 0, 10] };
        close(all_won.interval().lower, 0.7411, 1e-4);
        assert_eq!(all_won.interval().upper, 1.0);
        assert!(all_won.superiority() > 0.99 && all_won.elo() > 600.0);
        close(
            Tally { counts: [0, 10, 0] }.interval().half_width(),
            0.1294,
            1e-4,
        );
    }
}
