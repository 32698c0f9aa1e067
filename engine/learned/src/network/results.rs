//! Networks with an output for each result of the game: the softmax of the logits gives the
//! results' probabilities, the value is the expected payoff.

use super::{LOGIT_SCALE, MAX_OUTPUTS};
use crate::ModelError;
use alea_core::{
    calibration::{clamp_to_open_interval, exponential},
    text::joined,
};
use alea_play::playable::Rules;

/// Payoffs of a game's results, in the order in which the game names them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ResultPayoffs {
    /// Name and points of each result.
    results: &'static [(&'static str, f64)],
    /// Payoffs of all results, then zeros.
    payoffs: [f32; MAX_OUTPUTS],
}

impl ResultPayoffs {
    /// Payoffs of the results that `game` names; `None` if it names none or too many.
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

    /// Names of the results, joined by commas.
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

    /// Probabilities by logits in units of 1 / [`LOGIT_SCALE`]: equal bits on all machines.
    #[inline]
    pub fn probabilities(&self, logits: &[i32; MAX_OUTPUTS]) -> [f32; MAX_OUTPUTS] {
        let max = logits[..self.len()].iter().fold(i32::MIN, |a, &b| a.max(b));
        let below_max = logits
            .map(|logit| logit.saturating_sub(max).min(0) as f32 * (1.0 / LOGIT_SCALE as f32));
        self.normalize(below_max.map(exponential))
    }

    /// Probabilities by logits in units of 1.
    #[inline]
    pub fn softmax(&self, logits: &[f32]) -> [f32; MAX_OUTPUTS] {
        let max = logits.iter().fold(f32::NEG_INFINITY, |a, &b| a.max(b));
        let mut terms = [0.0; MAX_OUTPUTS];
        for (term, logit) in terms.iter_mut().zip(logits) {
            *term = exponential(logit - max);
        }
        self.normalize(terms)
    }

    #[inline]
    fn normalize(&self, mut terms: [f32; MAX_OUTPUTS]) -> [f32; MAX_OUTPUTS] {
        terms[self.len()..].fill(0.0);
        let sum: f32 = terms[..self.len()].iter().sum();
        terms.map(|term| term / sum)
    }

    /// Expected payoff, clamped as values are.
    #[inline]
    pub fn expected_payoff(&self, probabilities: &[f32; MAX_OUTPUTS]) -> f32 {
        let terms = probabilities.iter().zip(self.payoffs());
        clamp_to_open_interval(
            terms
                .map(|(probability, payoff)| probability * payoff)
                .sum(),
        )
    }
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
            let found = results.probabilities(&logits);
            let softmax = results.softmax(&[0, 1, 2].map(|result| exact(logits[result]) as f32));
            let total: f64 = terms.iter().sum();
            for result in 0..3 {
                let expected = (terms[result] / total) as f32;
                assert!((found[result] - expected).abs() < 1e-6);
                assert!((softmax[result] - expected).abs() < 1e-5);
            }
            let value = (0.75 * terms[0] + terms[1]) / total;
            let value = value.clamp(1e-6, 1.0 - 1e-6) as f32;
            assert!((results.expected_payoff(&found) - value).abs() < 1e-6);
            assert_eq!(found[3..], [0.0; MAX_OUTPUTS - 3]);
        }
    }

    #[test]
    fn extreme_logits_have_probabilities_of_nearly_0_and_1() {
        let (results, mut logits) = (results(), [i32::MAX; MAX_OUTPUTS]);
        logits[..3].copy_from_slice(&[i32::MIN, i32::MIN, i32::MAX]);
        let found = results.probabilities(&logits);
        assert!(found[0] < 1e-37 && found[2] == 1.0);
        assert_eq!(results.expected_payoff(&found), 1e-6);
    }

    #[test]
    fn results_are_found_by_their_payoffs() {
        let payoffs = [0.75, 1.0, 0.0, 0.750001, 0.5, 0.7];
        let found = payoffs.map(|payoff| results().index_of(payoff));
        assert_eq!(found, [Some(0), Some(1), Some(2), Some(0), None, None]);
    }
}
