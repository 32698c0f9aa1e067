//! Networks with an output for each result of the game: the softmax of the logits gives the
//! results' probabilities, the value is the expected payoff. Equal bits on all instruction sets.

use super::{LOGIT_SCALE, MAX_OUTPUTS};
use crate::ModelError;
use alea_core::{
    calibration::{clamp_to_open_interval, exponential},
    simd::{Instructions, multiversion},
    text::joined,
};
use alea_play::playable::Rules;

/// Payoffs of a game's results, in the order in which the game names them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ResultPayoffs {
    results: &'static [(&'static str, f64)],
    payoffs: [f32; MAX_OUTPUTS],
}

/// Probability of each result for the seat to move, then zeros.
pub type ResultProbabilities = [f32; MAX_OUTPUTS];

impl ResultPayoffs {
    /// Payoffs of the results that `game` names; `None` if it names none or more than
    /// [`MAX_OUTPUTS`].
    pub fn for_game<G: Rules>(game: &G) -> Option<Self> {
        let points = game.points()?;
        let results = points.results;
        let mut payoffs = [0.0; MAX_OUTPUTS];
        for (payoff, &(_, paid)) in payoffs.get_mut(..results.len())?.iter_mut().zip(results) {
            *payoff = points.to_payoff(paid) as f32;
        }
        (!results.is_empty()).then_some(Self { results, payoffs })
    }

    pub(super) fn for_outputs<G: Rules>(game: &G, outputs: usize) -> Result<Self, ModelError> {
        let results = Self::for_game(game);
        let fitting = results.filter(|results| results.len() == outputs);
        fitting.ok_or_else(|| {
            let count = results.map_or_else(
                || "no results with names".to_owned(),
                |results| format!("{} results", results.len()),
            );
            let game = game.notation();
            ModelError(format!("{outputs} outputs, but {game} has {count}"))
        })
    }

    /// Number of results.
    #[allow(clippy::len_without_is_empty, reason = "there is a result")]
    #[inline]
    pub fn len(&self) -> usize {
        self.results.len()
    }

    /// Name of each result.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.results.iter().map(|(name, _)| *name)
    }

    pub(crate) fn name_list(&self) -> String {
        joined(self.names(), ",")
    }

    /// Payoff of each result.
    #[inline]
    pub fn payoffs(&self) -> &[f32] {
        &self.payoffs[..self.len()]
    }

    /// Index of the result with a finished game's payoff; `None` if no result pays it.
    pub fn index_of(&self, payoff: f32) -> Option<usize> {
        const TOLERANCE: f32 = 1e-5;
        let mut payoffs = self.payoffs().iter();
        payoffs.position(|paid| (paid - payoff).abs() < TOLERANCE)
    }

    /// Converts a seat's probabilities of the results to those of its only opponent; a result
    /// without an opposite one is left out.
    #[must_use]
    pub fn for_opponent(&self, probabilities: &ResultProbabilities) -> ResultProbabilities {
        let mut opposite = [0.0; MAX_OUTPUTS];
        for (payoff, probability) in self.payoffs().iter().zip(probabilities) {
            if let Some(result) = self.index_of(1.0 - payoff) {
                opposite[result] = *probability;
            }
        }
        opposite
    }

    /// Probability of each result, then zeros, by logits in units of 1 / [`LOGIT_SCALE`].
    #[inline]
    pub fn probabilities(
        &self,
        instructions: Instructions,
        logits: &[i32; MAX_OUTPUTS],
    ) -> ResultProbabilities {
        probabilities(instructions, self.len(), logits)
    }

    /// Expected payoff by logits in units of 1 / [`LOGIT_SCALE`], clamped to between 0 and 1, both
    /// excluded.
    #[inline]
    pub fn expected_payoff(&self, instructions: Instructions, logits: &[i32; MAX_OUTPUTS]) -> f32 {
        expected_payoff(instructions, self, logits)
    }

    /// Probability of each result, then zeros, by logits in units of 1.
    #[inline(always)]
    pub fn softmax(&self, logits: &[f32]) -> ResultProbabilities {
        let mut all = [f32::NEG_INFINITY; MAX_OUTPUTS];
        all[..self.len()].copy_from_slice(&logits[..self.len()]);
        let max = all.iter().fold(f32::NEG_INFINITY, |a, &b| a.max(b));
        normalize(terms(self.len(), all.map(|logit| logit - max)))
    }
}

multiversion! {
    fn probabilities(len: usize, logits: &[i32; MAX_OUTPUTS]) -> [f32; MAX_OUTPUTS] {
        any => probabilities_body,
    }
}

#[inline(always)]
fn probabilities_body(len: usize, logits: &[i32; MAX_OUTPUTS]) -> [f32; MAX_OUTPUTS] {
    normalize(terms(len, below_max(len, logits)))
}

multiversion! {
    fn expected_payoff(results: &ResultPayoffs, logits: &[i32; MAX_OUTPUTS]) -> f32 {
        any => expected_payoff_body,
    }
}

#[inline(always)]
fn expected_payoff_body(results: &ResultPayoffs, logits: &[i32; MAX_OUTPUTS]) -> f32 {
    let terms = terms(results.len(), below_max(results.len(), logits));
    let mut products = terms;
    for (product, payoff) in products.iter_mut().zip(results.payoffs) {
        *product *= payoff;
    }
    clamp_to_open_interval(sum_in_pairs(products) / sum_in_pairs(terms))
}

/// Differences of the logits from the largest, in units of 1.
#[inline(always)]
fn below_max(len: usize, logits: &[i32; MAX_OUTPUTS]) -> [f32; MAX_OUTPUTS] {
    let max = logits[..len].iter().fold(i32::MIN, |a, &b| a.max(b));
    let mut differences = [0.0; MAX_OUTPUTS];
    for (difference, logit) in differences.iter_mut().zip(logits) {
        *difference = logit.saturating_sub(max) as f32 * (1.0 / LOGIT_SCALE as f32);
    }
    differences
}

/// Terms of the softmax, zeros after the first `len`.
#[inline(always)]
fn terms(len: usize, below_max: [f32; MAX_OUTPUTS]) -> [f32; MAX_OUTPUTS] {
    let mut terms = [0.0; MAX_OUTPUTS];
    for index in 0..MAX_OUTPUTS {
        let term = exponential(below_max[index]);
        terms[index] = if index < len { term } else { 0.0 };
    }
    terms
}

#[inline(always)]
fn normalize(mut terms: [f32; MAX_OUTPUTS]) -> [f32; MAX_OUTPUTS] {
    let sum = sum_in_pairs(terms);
    terms.iter_mut().for_each(|term| *term /= sum);
    terms
}

/// Sum in a fixed order of pairs: 8 + 8, 4 + 4, 2 + 2, 1 + 1.
#[inline(always)]
fn sum_in_pairs(mut numbers: [f32; MAX_OUTPUTS]) -> f32 {
    let mut half = MAX_OUTPUTS / 2;
    while half > 0 {
        for index in 0..half {
            numbers[index] += numbers[index + half];
        }
        half /= 2;
    }
    numbers[0]
}

#[cfg(test)]
mod tests {
    use super::*;
    use alea_core::random::RandomStream;

    const RESULTS: &[(&str, f64)] = &[("win", 1.0), ("win_double", 2.0), ("loss", -2.0)];

    fn results() -> ResultPayoffs {
        let mut payoffs = [0.0; MAX_OUTPUTS];
        payoffs[..3].copy_from_slice(&[0.75, 1.0, 0.0]);
        ResultPayoffs {
            results: RESULTS,
            payoffs,
        }
    }

    #[test]
    fn probabilities_are_the_softmax_of_the_logits() {
        let (results, mut random) = (results(), RandomStream::new(1));
        for _ in 0..1000 {
            let mut logits = [0; MAX_OUTPUTS];
            logits[..3].fill_with(|| random.next_u64() as i32 / 16);
            let exact = |logit: i32| f64::from(logit) / f64::from(LOGIT_SCALE);
            let terms = [0, 1, 2].map(|result| exact(logits[result]).exp());
            let found = results.probabilities(Instructions::PORTABLE, &logits);
            let softmax = results.softmax(&[0, 1, 2].map(|result| exact(logits[result]) as f32));
            let total: f64 = terms.iter().sum();
            for result in 0..3 {
                let expected = (terms[result] / total) as f32;
                assert!((found[result] - expected).abs() < 1e-6);
                assert!((softmax[result] - expected).abs() < 1e-5);
            }
            let value = (0.75 * terms[0] + terms[1]) / total;
            let value = value.clamp(1e-6, 1.0 - 1e-6) as f32;
            for instructions in Instructions::available() {
                assert_eq!(results.probabilities(instructions, &logits), found);
                let expected = results.expected_payoff(Instructions::PORTABLE, &logits);
                assert_eq!(results.expected_payoff(instructions, &logits), expected);
                assert!((expected - value).abs() < 1e-6);
            }
            assert_eq!(found[3..], [0.0; MAX_OUTPUTS - 3]);
        }
    }

    #[test]
    fn extreme_logits_have_probabilities_of_nearly_0_and_1() {
        let (results, mut logits) = (results(), [i32::MAX; MAX_OUTPUTS]);
        logits[..3].copy_from_slice(&[i32::MIN, i32::MIN, i32::MAX]);
        let instructions = Instructions::detect();
        let found = results.probabilities(instructions, &logits);
        assert!(found[0] < 1e-37 && found[2] == 1.0);
        assert_eq!(results.expected_payoff(instructions, &logits), 1e-6);
    }

    #[test]
    fn the_opponent_has_the_opposite_results() {
        let mut results = results();
        results.payoffs[..3].copy_from_slice(&[0.75, 1.0, 0.25]);
        let mut probabilities = [0.0; MAX_OUTPUTS];
        probabilities[..3].copy_from_slice(&[0.5, 0.2, 0.3]);
        let opposite = results.for_opponent(&probabilities);
        assert_eq!(opposite[..4], [0.3, 0.0, 0.5, 0.0]);
    }

    #[test]
    fn results_are_found_by_their_payoffs() {
        let payoffs = [0.75, 1.0, 0.0, 0.750001, 0.5, 0.7];
        let found = payoffs.map(|payoff| results().index_of(payoff));
        assert_eq!(found, [Some(0), Some(1), Some(2), Some(0), None, None]);
    }
}
