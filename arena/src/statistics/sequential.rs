//! Sequential probability ratio tests: is the Elo difference `elo1` rather than `elo0`?
//!
//! The log likelihood ratio compares two score distributions, those nearest to the counts (in
//! Kullback–Leibler divergence) under either hypothesis, which fixes the mean (logistic model) or
//! the mean in standard deviations (normalised model). Each is a tilt `p / (1 + x·d)` of the counts
//! (Owen 1988, empirical likelihood). Source of the models: M. Van den Bergh's notes for fishtest.
//!
//! Bounds are narrower for tests evaluated after batches of pairs, by the mean overshoot of a
//! discrete walk (Siegmund 1979; *Sequential Analysis*, 1985).

use super::{PairCounts, Tally, normalized::ELO_PER_DEVIATION, score_of_elo};
use crate::error::Result;
use alea_core::moments::Moments;
use serde::{Deserialize, Serialize};

/// Unit of the Elo differences of a test.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EloModel {
    /// Ordinary Elo: the expected score is a logistic function of the difference.
    #[default]
    Logistic,
    /// Normalised Elo: excess of the score over 1/2 in standard deviations of one game, times 800 /
    /// ln 10. The draw rate hardly affects the length of tests.
    Normalized,
    /// Points per game, in games whose results pay points.
    Points,
}

/// Hypotheses and error probabilities of a sequential test of A's Elo minus B's.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SequentialTest {
    /// Elo difference, or points per game, of the null hypothesis.
    pub elo0: f64,
    /// Elo difference, or points per game, of the alternative hypothesis, above `elo0`.
    pub elo1: f64,
    /// Probability of accepting `elo1` if `elo0` is true.
    pub alpha: f64,
    /// Probability of accepting `elo0` if `elo1` is true.
    pub beta: f64,
    /// Unit of `elo0` and `elo1`.
    pub model: EloModel,
    /// Pairs from one evaluation of the test to the next, for which its bounds are corrected;
    /// `None` evaluates after each pair.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch: Option<u64>,
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Evidence {
    pub(crate) ratio: f64,
    /// Standard deviation of the change of `ratio` by one pair.
    pub(crate) deviation: f64,
}

/// Mean distance by which a random walk crosses a bound, in standard deviations of a step: -ζ(1/2)
/// / √(2π) (Siegmund 1979).
const OVERSHOOT_SIGMAS: f64 = 0.582_597_157_939_010_6;

/// Decision of a sequential test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// `elo1` is accepted.
    Accepted,
    /// `elo0` is accepted.
    Rejected,
    /// Neither is accepted yet; more games are needed.
    Open,
}

impl SequentialTest {
    /// Creates a test that is evaluated after each pair.
    ///
    /// # Errors
    /// If `elo0` is not below `elo1`, or an error probability is not in `(0, 0.5)`.
    pub fn new(elo0: f64, elo1: f64, alpha: f64, beta: f64, model: EloModel) -> Result<Self> {
        if !(elo0.is_finite() && elo1.is_finite() && elo0 < elo1) {
            return Err(
                format!("a sequential test needs elo0 < elo1, not {elo0} and {elo1}").into(),
            );
        }
        let possible = |probability: f64| probability > 0.0 && probability < 0.5;
        if !possible(alpha) || !possible(beta) {
            return Err(format!(
                "the error probabilities of a sequential test lie between 0 and 0.5, not {alpha} and {beta}"
            )
            .into());
        }
        Ok(Self {
            elo0,
            elo1,
            alpha,
            beta,
            model,
            batch: None,
        })
    }

    /// Returns the test with an evaluation after every `pairs` pairs only.
    ///
    /// # Errors
    /// If `pairs` is 0.
    pub fn in_batches(self, pairs: u64) -> Result<Self> {
        if pairs == 0 {
            return Err(
                format!("a batch of a sequential test is 1 pair or more, not {pairs}").into(),
            );
        }
        Ok(Self {
            batch: Some(pairs),
            ..self
        })
    }

    pub(crate) fn is_checked_after(&self, pairs: u64) -> bool {
        self.batch.is_none_or(|batch| pairs.is_multiple_of(batch))
    }

    /// Log likelihood ratios at which `elo0` and `elo1` are accepted (Wald 1945). With batches both
    /// bounds move inwards by the mean overshoot of the ratio, at most until they meet.
    pub(crate) fn bounds(&self, evidence: &Evidence) -> (f64, f64) {
        let lower = (self.beta / (1.0 - self.alpha)).ln();
        let upper = ((1.0 - self.beta) / self.alpha).ln();
        let Some(batch) = self.batch else {
            return (lower, upper);
        };
        let overshoot = OVERSHOOT_SIGMAS * evidence.deviation * (batch as f64).sqrt();
        let nearer = overshoot.min((upper - lower) / 2.0);
        (lower + nearer, upper - nearer)
    }

    /// Evidence of pairs; without half-point results, the cells for them are left out.
    pub(crate) fn pair_evidence(&self, pairs: &PairCounts) -> Evidence {
        match pairs.tally().counts {
            [lost, 0, split, 0, won] => {
                let counts = [lost, split, won];
                self.evidence(&Tally { counts }, 2.0)
            }
            counts => self.evidence(&Tally { counts }, 2.0),
        }
    }

    /// Evidence of pairs' mean scores in games with points, taken as normal; `payoff_of` turns points
    /// per game into a score. Their variance is that of the samples and one more, half the
    /// range of scores from the mean: few samples are alike by chance, and would decide at once.
    pub(crate) fn mean_evidence(
        &self,
        means: &Moments,
        payoff_of: impl Fn(f64) -> f64,
    ) -> Evidence {
        let samples = means.sample_count();
        if samples == 0.0 {
            return Evidence::default();
        }
        let deviation = ((means.squared_deviations() + MAX_VARIANCE) / samples).sqrt();
        let score = |elo: f64| match self.model {
            EloModel::Logistic => score_of_elo(elo),
            EloModel::Normalized => {
                0.5 + elo / ELO_PER_DEVIATION * deviation * std::f64::consts::SQRT_2
            }
            EloModel::Points => payoff_of(elo),
        };
        let (null, alternative) = (score(self.elo0), score(self.elo1));
        let distance = (alternative - null) / deviation;
        let middle = (null + alternative) / 2.0;
        Evidence {
            ratio: samples * distance * (means.mean() - middle) / deviation,
            deviation: distance,
        }
    }

    pub(crate) fn verdict(&self, evidence: &Evidence) -> Verdict {
        let (lower, upper) = self.bounds(evidence);
        if evidence.ratio >= upper {
            Verdict::Accepted
        } else if evidence.ratio <= lower {
            Verdict::Rejected
        } else {
            Verdict::Open
        }
    }

    /// Evidence of samples of 2 games (pairs) or 1 game (games taken as independent).
    pub(crate) fn evidence<const N: usize>(
        &self,
        tally: &Tally<N>,
        games_per_sample: f64,
    ) -> Evidence {
        if tally.samples() == 0.0 {
            return Evidence::default();
        }
        let counts = tally.counts.map(|count| {
            if count == 0 {
                EMPTY_CELL_COUNT
            } else {
                count as f64
            }
        });
        let samples: f64 = counts.iter().sum();
        let observed = counts.map(|count| count / samples);
        let fitted = |elo: f64| match self.model {
            EloModel::Logistic => nearest_with_mean(&observed, score_of_elo(elo)),
            EloModel::Normalized | EloModel::Points => {
                nearest_with_excess(&observed, elo / ELO_PER_DEVIATION * games_per_sample.sqrt())
            }
        };
        let (null, alternative) = (fitted(self.elo0), fitted(self.elo1));
        let log_ratio: [f64; N] = std::array::from_fn(|cell| (alternative[cell] / null[cell]).ln());
        let ratio: f64 = (0..N).map(|cell| counts[cell] * log_ratio[cell]).sum();
        let mean = ratio / samples;
        let variance: f64 = (0..N)
            .map(|cell| observed[cell] * (log_ratio[cell] - mean).powi(2))
            .sum();
        Evidence {
            ratio,
            deviation: (variance * 2.0 / games_per_sample).sqrt(),
        }
    }
}

/// Variance of a score that is 0 or 1 with equal probability.
const MAX_VARIANCE: f64 = 0.25;

const EMPTY_CELL_COUNT: f64 = 1e-3;

const MAX_NEWTON_STEPS: usize = 30;

fn nearest_with_mean<const N: usize>(observed: &[f64; N], mean: f64) -> [f64; N] {
    tilted_to_zero_mean(
        observed,
        &std::array::from_fn(|cell| Tally::<N>::cell_score(cell) - mean),
    )
}

/// The distribution nearest to `observed` whose mean exceeds 1/2 by `excess` standard deviations of
/// its own, by iteration with the standard deviation linearised.
fn nearest_with_excess<const N: usize>(observed: &[f64; N], excess: f64) -> [f64; N] {
    let mut fitted = [1.0 / N as f64; N];
    for _ in 0..100 {
        let mean: f64 = (0..N)
            .map(|cell| fitted[cell] * Tally::<N>::cell_score(cell))
            .sum();
        let variance: f64 = (0..N)
            .map(|cell| fitted[cell] * (Tally::<N>::cell_score(cell) - mean).powi(2))
            .sum();
        let deviation = variance.sqrt().max(1e-9);
        let distances = std::array::from_fn(|cell| {
            let worth = Tally::<N>::cell_score(cell);
            worth - 0.5 - excess * deviation / 2.0 * (1.0 + ((worth - mean) / deviation).powi(2))
        });
        let next = tilted_to_zero_mean(observed, &distances);
        let change = (0..N)
            .map(|cell| (next[cell] - fitted[cell]).abs())
            .fold(0.0, f64::max);
        fitted = next;
        if change < 1e-12 {
            break;
        }
    }
    fitted
}

/// `p_i = observed_i / (1 + x·d_i)` for the distances d, with the only x between the poles for
/// which `Σ p_i·d_i = 0`. If all distances have the same sign, `observed`.
fn tilted_to_zero_mean<const N: usize>(observed: &[f64; N], distances: &[f64; N]) -> [f64; N] {
    let least = distances.iter().copied().fold(f64::INFINITY, f64::min);
    let greatest = distances.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if least >= 0.0 || greatest <= 0.0 {
        return *observed;
    }
    let (mut low, mut high) = (-1.0 / greatest, -1.0 / least);
    let mut x = 0.0;
    for step in 0..MAX_NEWTON_STEPS + 200 {
        let (mut sum, mut slope) = (0.0, 0.0);
        for (fraction, distance) in observed.iter().zip(distances) {
            let term = distance / (1.0 + x * distance);
            sum += fraction * term;
            slope -= fraction * term * term;
        }
        if sum > 0.0 {
            low = x;
        } else {
            high = x;
        }
        let newton = x - sum / slope;
        let next = if step < MAX_NEWTON_STEPS && low < newton && newton < high {
            newton
        } else {
            (low + high) / 2.0
        };
        let change: f64 = next - x;
        x = next;
        if change.abs() <= 1e-14 * x.abs().max(1.0) {
            break;
        }
    }
    std::array::from_fn(|cell| observed[cell] / (1.0 + x * distances[cell]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::tests::close;

    fn test(elo0: f64, elo1: f64, model: EloModel) -> SequentialTest {
        SequentialTest::new(elo0, elo1, 0.05, 0.05, model).unwrap()
    }

    #[test]
    fn bounds_as_published() {
        for (beta, expected) in [(0.05, [-2.94444, 2.94444]), (0.10, [-2.25129, 2.89037])] {
            let test = SequentialTest::new(0.0, 1.0, 0.05, beta, EloModel::Logistic).unwrap();
            let (lower, upper) = test.bounds(&Evidence::default());
            close(lower, expected[0], 5e-6);
            close(upper, expected[1], 5e-6);
        }
    }

    #[test]
    fn likelihood_ratios_of_a_game_without_draws() {
        let pairs = PairCounts::without_draws(180, 430, 240);
        let test = test(0.0, 10.0, EloModel::Logistic);
        close(test.evidence(&pairs.tally(), 2.0).ratio, 2.7872, 5e-5);
        close(test.pair_evidence(&pairs).ratio, 2.7872, 5e-5);
        assert_eq!(pairs.games().counts, [790, 0, 910]);
        close(test.evidence(&pairs.games(), 1.0).ratio, 2.7498, 5e-5);
        let games = Tally { counts: [790, 910] };
        close(test.evidence(&games, 1.0).ratio, 2.7498, 5e-5);
    }

    #[test]
    fn likelihood_ratios_published_by_other_testers() {
        use EloModel::{Logistic, Normalized};
        for (elo0, elo1, model, counts, ratio) in [
            (
                0.0,
                2.0,
                Normalized,
                [365, 16618, 36229, 16974, 390],
                2.2504,
            ),
            (
                -1.75,
                0.25,
                Normalized,
                [127, 4883, 10712, 5150, 104],
                3.0102,
            ),
            (0.0, 2.0, Logistic, [871, 26175, 55983, 26678, 821], -4.9787),
        ] {
            close(
                test(elo0, elo1, model)
                    .evidence(&Tally { counts }, 2.0)
                    .ratio,
                ratio,
                5e-5,
            );
        }
    }

    #[test]
    fn one_sided_matches_are_finite_and_decided() {
        for model in [EloModel::Logistic, EloModel::Normalized] {
            let test = test(0.0, 10.0, model);
            let of_pairs = |counts: [u64; 3]| test.evidence(&Tally { counts }, 2.0).ratio;
            let (won, lost) = (of_pairs([0, 0, 500]), of_pairs([500, 0, 0]));
            assert!(won.is_finite() && lost.is_finite(), "{won} {lost}");
            assert!(won > 0.0 && lost < 0.0, "{won} {lost}");
            assert_eq!(of_pairs([0; 3]), 0.0);
            let counts = [0, 0, 0, 0, 1];
            assert!(test.evidence(&Tally { counts }, 2.0).ratio.is_finite());
        }
        let test = test(0.0, 10.0, EloModel::Logistic);
        for (counts, verdict) in [
            ([0, 0, 500], Verdict::Accepted),
            ([500, 0, 0], Verdict::Rejected),
            ([0; 3], Verdict::Open),
        ] {
            assert_eq!(
                test.verdict(&test.evidence(&Tally { counts }, 2.0)),
                verdict
            );
        }
    }

    #[test]
    fn bounds_of_batches_are_nearer_by_the_overshoot() {
        // Half of the pairs are split, so a pair has the variance 1/8. The ratio changes by
        // 0.014387 / sqrt(1/8) = 0.04069 per pair, since 10 Elo are a score of 0.514387.
        for model in [EloModel::Logistic, EloModel::Normalized] {
            let test = test(0.0, 10.0, model).in_batches(400).unwrap();
            let pairs = test.evidence(
                &Tally {
                    counts: [25_000, 50_000, 25_000],
                },
                2.0,
            );
            let games = test.evidence(
                &Tally {
                    counts: [50_000; 2],
                },
                1.0,
            );
            for evidence in [pairs, games] {
                let (lower, upper) = test.bounds(&evidence);
                close(upper, 2.94444 - 0.5826 * 20.0 * 0.04069, 1e-3);
                close(lower, -upper, 1e-12);
            }
            let (lower, upper) = test.in_batches(40_000).unwrap().bounds(&pairs);
            close(lower, upper, 1e-12);
        }
    }

    #[test]
    fn impossible_tests_are_refused() {
        for [elo0, elo1, alpha, beta] in [
            [1.0, 1.0, 0.05, 0.05],
            [0.0, f64::NAN, 0.05, 0.05],
            [0.0, 1.0, 0.0, 0.05],
            [0.0, 1.0, 0.05, 0.5],
        ] {
            let test = SequentialTest::new(elo0, elo1, alpha, beta, EloModel::Logistic);
            assert!(test.is_err(), "{test:?}");
        }
    }
}
