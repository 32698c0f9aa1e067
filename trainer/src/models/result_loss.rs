//! Loss of networks with an output for each result of the game.

use alea_learned::network::ResultPayoffs;

/// Loss weights below are rounding errors of weights that sum to 1.
const MIN_WEIGHT: f32 = 1e-6;

/// Least expected payoff, and least difference from 1, so that losses stay finite.
pub(crate) const MIN_VALUE: f32 = 1e-6;

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
