//! Loss of networks with an output for each result of the game.

use alea_learned::network::ResultPayoffs;

/// Loss weights below this are rounding errors of weights that sum to 1.
const MIN_WEIGHT: f32 = 1e-6;

/// Minimum of the expected payoff and of its difference from 1, so that losses stay finite.
pub(crate) const MIN_VALUE: f32 = 1e-6;

/// Expected payoff by logits in units of 1.
pub(crate) fn expected_payoff(results: &ResultPayoffs, logits: &[f32]) -> f32 {
    let softmax = results.softmax(logits).into_iter();
    softmax
        .zip(results.payoffs())
        .map(|(probability, payoff)| probability * payoff)
        .sum()
}

/// Replaces logits by `scale` times the derivatives of their loss; returns the loss in nats: the
/// cross-entropy of the results' target `probabilities` with the softmax and, with weight
/// 1 − Σ `probabilities`, of the `target` value with the expected payoff.
#[inline(always)]
pub(crate) fn result_loss(
    results: &ResultPayoffs,
    logits: &mut [f32],
    probabilities: &[f32],
    target: f32,
    scale: f32,
) -> f64 {
    let softmax = results.softmax(logits);
    let (mut weight, mut value, mut rest, mut loss) = (0.0, 0.0, 0.0, 0.0);
    for (result, payoff) in results.payoffs().iter().enumerate() {
        weight += probabilities[result];
        value += softmax[result] * payoff;
        rest += softmax[result] * (1.0 - payoff);
        if probabilities[result] != 0.0 {
            loss -= f64::from(probabilities[result]) * f64::from(softmax[result]).ln();
        }
    }
    // NaN stays, so that the loss shows it.
    let at_least_min = |value: f32| if value < MIN_VALUE { MIN_VALUE } else { value };
    let (value, rest) = (at_least_min(value), at_least_min(rest));
    let (weight_of_value, mut slope) = (1.0 - weight, 0.0);
    if weight_of_value > MIN_WEIGHT {
        let terms = [(target, value), (1.0 - target, rest)];
        let terms = terms.map(|(target, value)| f64::from(target) * f64::from(value).ln());
        loss -= f64::from(weight_of_value) * (terms[0] + terms[1]);
        slope = weight_of_value * (value - target) / (value * rest);
    }
    for (result, payoff) in results.payoffs().iter().enumerate() {
        let by_value = slope * (payoff - value);
        let derivative = softmax[result] * (weight + by_value) - probabilities[result];
        logits[result] = derivative * scale;
    }
    loss
}

#[cfg(test)]
mod tests {
    use super::*;
    use alea_core::random::RandomStream;
    use engine::games::backgammon::Backgammon;

    fn defined_loss(logits: &[f64], probabilities: &[f32], target: f32) -> f64 {
        let payoffs = [4.0, 5.0, 6.0, 2.0, 1.0, 0.0].map(|sixths| sixths / 6.0);
        let total: f64 = logits.iter().map(|logit| logit.exp()).sum();
        let softmax: Vec<f64> = logits.iter().map(|logit| logit.exp() / total).collect();
        let value: f64 = softmax
            .iter()
            .zip(payoffs)
            .map(|(p, payoff)| p * payoff)
            .sum();
        let terms = probabilities.iter().zip(&softmax);
        let of_results: f64 = terms.map(|(&target, p)| f64::from(target) * p.ln()).sum();
        let weight = 1.0 - f64::from(probabilities.iter().sum::<f32>());
        let target = f64::from(target);
        -of_results - weight * (target * value.ln() + (1.0 - target) * (1.0 - value).ln())
    }

    #[test]
    fn losses_and_derivatives_are_those_of_the_definition() {
        let results = ResultPayoffs::for_game(&Backgammon).unwrap();
        let mut random = RandomStream::new(1);
        let mut unit = || random.uniform_f64() as f32;
        for round in 0..200 {
            let logits: Vec<f64> = (0..6).map(|_| f64::from(6.0 * unit() - 3.0)).collect();
            let mut probabilities: Vec<f32> = (0..6).map(|_| unit() * 2.0 / 6.0).collect();
            let weight: f32 = probabilities.iter().sum();
            if round % 3 == 0 || weight > 1.0 {
                probabilities
                    .iter_mut()
                    .for_each(|probability| *probability /= weight);
            }
            let target = unit();
            let mut found: Vec<f32> = logits.iter().map(|&logit| logit as f32).collect();
            let loss = result_loss(&results, &mut found, &probabilities, target, 0.5);
            let expected = defined_loss(&logits, &probabilities, target);
            assert!((loss - expected).abs() < 1e-5, "{loss} {expected}");
            for (result, found) in found.into_iter().enumerate() {
                let moved = |step: f64| {
                    let mut logits = logits.clone();
                    logits[result] += step;
                    defined_loss(&logits, &probabilities, target)
                };
                let expected = 0.5 * (moved(1e-4) - moved(-1e-4)) / 2e-4;
                assert!(
                    (f64::from(found) - expected).abs() < 1e-5,
                    "{found} {expected}"
                );
            }
        }
    }

    #[test]
    fn losses_are_finite_for_finite_logits_alone() {
        let results = ResultPayoffs::for_game(&Backgammon).unwrap();
        for (extreme, finite) in [(200.0, true), (f32::NAN, false), (f32::INFINITY, false)] {
            for probabilities in [[0.0; 6], [0.0, 0.0, 0.0, 1.0, 0.0, 0.0]] {
                let mut logits = [0.0, 0.0, extreme, 0.0, 0.0, -200.0];
                let loss = result_loss(&results, &mut logits, &probabilities, 0.0, 1.0);
                assert_eq!(loss.is_finite(), finite, "{loss}");
                assert!(!finite || logits.iter().all(|derivative| derivative.is_finite()));
            }
        }
    }
}
