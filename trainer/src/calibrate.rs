//! Fits a logistic from raw scores to win probabilities by Newton's method on the cross-entropy, and
//! compares the probabilities of results with their frequencies.

use crate::shard::PlayedGame;
use alea_learned::network::ResultPayoffs;
use alea_play::playable::Playable;
use serde::{Deserialize, Serialize};

/// Logistic `1 / (1 + exp(-(slope · score + offset)))`, fitted to game results.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LogisticFit {
    /// Log odds per unit of score.
    pub slope: f64,
    /// Log odds at score 0.
    pub offset: f64,
    /// Standard errors of slope and offset under the assumption of independent samples.
    pub standard_errors: [f64; 2],
    /// Mean cross-entropy of the fit, in nats.
    pub loss: f64,
}

/// Positions before each ply, each with the final payoff of its side to move.
#[must_use]
pub fn positions_with_results<G: Playable>(
    rules: &G,
    games: &[PlayedGame<G>],
) -> Vec<(G::Position, f32)> {
    let mut positions_with_results = Vec::new();
    for PlayedGame { record, .. } in games {
        let positions = record.positions(rules).take(record.plies.len());
        positions_with_results.extend(positions.map(|position| {
            let payoff = record.payoffs[rules.to_move(&position)];
            (position, payoff)
        }));
    }
    positions_with_results
}

/// Mean cross-entropy, in nats, of pairs of a probability and a result in `[0, 1]`.
#[must_use]
pub fn cross_entropy(samples: impl Iterator<Item = (f64, f32)>) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    for (probability, result) in samples {
        let (probability, result) = (probability.clamp(1e-12, 1.0 - 1e-12), f64::from(result));
        // Without a draw, one of the two terms is exactly 0.
        sum -= result * probability.ln() + (1.0 - result) * (1.0 - probability).ln();
        count += 1.0;
    }
    sum / count
}

/// How often an evaluator expects a result of the game, and how often it occurs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ResultFrequency {
    /// Name of the game's result.
    pub name: &'static str,
    /// Mean probability.
    pub predicted: f64,
    /// Fraction of positions whose game had the result.
    pub observed: f64,
}

/// Frequencies of all `results`, and the mean cross-entropy in nats. A sample is the evaluator's
/// probability of each result in a position, and the payoff of its game; samples whose payoff
/// belongs to no result are left out.
#[must_use]
pub fn result_frequencies(
    results: &ResultPayoffs,
    samples: &[(Vec<f32>, f32)],
) -> (Vec<ResultFrequency>, f64) {
    let (mut sums, mut loss, mut count) = (vec![[0.0; 2]; results.len()], 0.0, 0.0);
    for (probabilities, payoff) in samples {
        let Some(result) = results.index_of(*payoff) else {
            continue;
        };
        count += 1.0;
        sums[result][1] += 1.0;
        for (sum, &probability) in sums.iter_mut().zip(probabilities) {
            sum[0] += f64::from(probability);
        }
        loss -= f64::from(probabilities[result]).max(1e-12).ln();
    }
    let frequency = |(name, sum): (_, [f64; 2])| {
        let [predicted, observed] = sum.map(|sum| sum / count);
        ResultFrequency {
            name,
            predicted,
            observed,
        }
    };
    let frequencies = results.names().zip(sums).map(frequency).collect();
    (frequencies, loss / count)
}

pub(crate) fn logit_loss(logit: f64, result: f64) -> f64 {
    logit.max(0.0) - result * logit + (-logit.abs()).exp().ln_1p()
}

const MAX_NEWTON_STEPS: usize = 100;

/// Fits a logistic to pairs of score and result; `None` if no finite optimum exists, as for equal
/// results or for scores that separate them.
#[must_use]
pub fn fit_logistic(samples: &[(f32, f32)]) -> Option<LogisticFit> {
    let count = samples.len() as f64;
    let mean = samples
        .iter()
        .map(|&(score, _)| f64::from(score))
        .sum::<f64>()
        / count;
    let deviation = (samples
        .iter()
        .map(|&(score, _)| (f64::from(score) - mean).powi(2))
        .sum::<f64>()
        / count)
        .sqrt();
    if !deviation.is_finite() || deviation < 1e-12 {
        return None;
    }
    let (mut slope, mut offset) = (0.0, 0.0);
    for _ in 0..MAX_NEWTON_STEPS {
        let (mut gradient, mut curvature) = ([0.0; 2], [0.0; 3]);
        for &(score, result) in samples {
            let x = (f64::from(score) - mean) / deviation;
            let probability = 1.0 / (1.0 + (-(slope * x + offset)).exp());
            let error = probability - f64::from(result);
            let weight = probability * (1.0 - probability);
            gradient[0] += error * x;
            gradient[1] += error;
            curvature[0] += weight * x * x;
            curvature[1] += weight * x;
            curvature[2] += weight;
        }
        let determinant = curvature[0] * curvature[2] - curvature[1] * curvature[1];
        if !determinant.is_finite() || determinant <= 1e-9 {
            return None;
        }
        let step = [
            (curvature[2] * gradient[0] - curvature[1] * gradient[1]) / determinant,
            (curvature[0] * gradient[1] - curvature[1] * gradient[0]) / determinant,
        ];
        slope -= step[0];
        offset -= step[1];
        if step[0].abs() + step[1].abs() < 1e-10 {
            let fit = |score: f32| {
                1.0 / (1.0 + (-(slope * (f64::from(score) - mean) / deviation + offset)).exp())
            };
            let slope_error = (curvature[2] / determinant).sqrt() / deviation;
            let shift = mean / deviation;
            let variance =
                (curvature[0] + 2.0 * shift * curvature[1] + shift * shift * curvature[2])
                    / determinant;
            return Some(LogisticFit {
                slope: slope / deviation,
                offset: offset - slope * shift,
                standard_errors: [slope_error, variance.sqrt()],
                loss: cross_entropy(samples.iter().map(|&(score, result)| (fit(score), result))),
            });
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use alea_core::random::RandomStream;
    use engine::games::backgammon::Backgammon;

    #[test]
    fn a_given_logistic_is_recovered() {
        let mut random = RandomStream::new(1);
        let samples: Vec<(f32, f32)> = (0..200_000)
            .map(|_| {
                let score = (random.uniform_f64() * 10.0 - 3.0) as f32;
                let probability = 1.0 / (1.0 + (-(0.7 * f64::from(score) - 0.4)).exp());
                (
                    score,
                    f32::from(u8::from(random.uniform_f64() < probability)),
                )
            })
            .collect();
        let fit = fit_logistic(&samples).unwrap();
        assert!(
            (fit.slope - 0.7).abs() < 4.0 * fit.standard_errors[0]
                && fit.standard_errors[0] < 0.005,
            "{fit:?}"
        );
        assert!(
            (fit.offset + 0.4).abs() < 4.0 * fit.standard_errors[1]
                && fit.standard_errors[1] < 0.01,
            "{fit:?}"
        );
    }

    #[test]
    fn frequencies_of_results_are_their_means() {
        let results = ResultPayoffs::for_game(&Backgammon).unwrap();
        let sample = |win: f32, payoff| (vec![win, 0.0, 0.0, 1.0 - win, 0.0, 0.0], payoff);
        let samples = [
            sample(0.25, 1.0 / 3.0),
            sample(0.75, 2.0 / 3.0),
            sample(0.5, 0.5),
            sample(0.5, 2.0 / 3.0),
        ];
        let (frequencies, loss) = result_frequencies(&results, &samples);
        let [win, gammon, .., loss_of_one] = &frequencies[..4] else {
            panic!("six results");
        };
        assert_eq!((win.name, gammon.name), ("win", "win_gammon"));
        assert_eq!((win.predicted, win.observed), (0.5, 2.0 / 3.0));
        assert_eq!(
            (loss_of_one.predicted, loss_of_one.observed),
            (0.5, 1.0 / 3.0)
        );
        assert_eq!((gammon.predicted, gammon.observed), (0.0, 0.0));
        let expected = -(2.0 * 0.75f64.ln() + 0.5f64.ln()) / 3.0;
        assert!((loss - expected).abs() < 1e-9);
    }

    #[test]
    fn two_scores_are_fitted_exactly() {
        let samples = [
            (0.0, 1.0),
            (0.0, 0.0),
            (0.0, 0.0),
            (0.0, 0.0),
            (1.0, 1.0),
            (1.0, 1.0),
            (1.0, 1.0),
            (1.0, 0.0),
        ];
        let fit = fit_logistic(&samples).unwrap();
        assert!(
            (fit.offset + 3.0_f64.ln()).abs() < 1e-8
                && (fit.slope - 2.0 * 3.0_f64.ln()).abs() < 1e-8,
            "{fit:?}"
        );
    }

    #[test]
    fn without_an_optimum_there_is_no_fit() {
        assert_eq!(fit_logistic(&[]), None);
        assert_eq!(fit_logistic(&[(1.0, 1.0), (1.0, 0.0)]), None);
        assert_eq!(fit_logistic(&[(0.0, 0.0), (1.0, 1.0)]), None);
    }
}
