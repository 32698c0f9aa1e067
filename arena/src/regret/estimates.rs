//! Means and fractions over decisions, with standard errors. Since the decisions in one position
//! depend on each other, each is a ratio of two sums over positions, with the linearised standard
//! error of a ratio.

use super::{
    choices::{Answer, Choices},
    reference_values::{Labelled, decisions_per_position, merged_outcome_count},
};
use crate::statistics::Estimate;
use alea_einstein::tables::SAME_VALUE_MARGIN;
use alea_play::playable::Playable;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, Default)]
struct Ratio {
    numerator: f64,
    denominator: f64,
    squared_numerator: f64,
    squared_denominator: f64,
    product: f64,
    positions: f64,
}

impl Ratio {
    fn add(&mut self, numerator: f64, denominator: f64) {
        self.numerator += numerator;
        self.denominator += denominator;
        self.squared_numerator += numerator * numerator;
        self.squared_denominator += denominator * denominator;
        self.product += numerator * denominator;
        self.positions += 1.0;
    }

    fn estimate(&self) -> Estimate {
        if self.denominator <= 0.0 {
            return Estimate::default();
        }
        let value = self.numerator / self.denominator;
        let residuals = self.squared_numerator - 2.0 * value * self.product
            + value * value * self.squared_denominator;
        let correction = self.positions / (self.positions - 1.0).max(1.0);
        Estimate {
            value,
            error: (residuals.max(0.0) * correction).sqrt() / self.denominator,
        }
    }
}

/// Regret and related statistics of a contestant's decisions; outcomes of chance count by their
/// probability.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// Number of positions; each has a decision for every outcome of chance.
    pub positions: u64,
    /// Mean loss of win probability per decision; forced moves lose 0.
    pub regret: Estimate,
    /// Part of `regret`'s standard error that comes from inexact reference values.
    pub of_labels: f64,
    /// Mean loss of win probability per decision with several allowed moves.
    pub regret_of_choices: Estimate,
    /// Fraction, 0 to 1, of decisions with several allowed moves.
    pub choices: f64,
    /// Fraction of decisions with several allowed moves that lose at most [`SAME_VALUE_MARGIN`]
    /// plus two standard errors of the reference values.
    pub optimal: Estimate,
    /// Fraction of all decisions that lose more than 0.01 of win probability.
    pub above_1: Estimate,
    /// Fraction of all decisions that lose more than 0.05 of win probability.
    pub above_5: Estimate,
}

/// Errors of an evaluator's win probabilities of positions (not of moves).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ValueErrors {
    /// Root mean square of the evaluator's value minus the reference value.
    pub rmse: Estimate,
    /// Mean of the evaluator's value minus the reference value.
    pub bias: Estimate,
}

/// Bin of an evaluator's calibration: positions to which it gives win probabilities from `from` to
/// `from + 0.05`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Bin {
    /// Lowest win probability of the bin.
    pub from: f64,
    /// Number of positions in the bin.
    pub positions: u64,
    /// Mean win probability by the evaluator, for the side to move.
    pub predicted: f64,
    /// Mean reference win probability, for the side to move.
    pub exact: Estimate,
}

pub(super) const NUM_BINS: usize = 20;

pub(super) struct DecisionSums {
    decisions: f64,
    ratios: [Ratio; 5],
    of_labels: f64,
}

impl DecisionSums {
    pub(super) fn new<G: Playable>(game: &G) -> Self {
        Self {
            decisions: decisions_per_position(game),
            ratios: Default::default(),
            of_labels: 0.0,
        }
    }

    pub(super) fn add<G: Playable>(&mut self, game: &G, labelled: &Labelled<G>, answer: &Answer) {
        let (mut sums, mut real, mut of_labels) = ([0.0; 5], 0.0, 0.0);
        for (number, outcome) in labelled.outcomes(game).iter().enumerate() {
            let weight = merged_outcome_count(outcome, self.decisions);
            let (best, allowed) = (labelled.best_value(outcome), outcome.move_range());
            let is_real = allowed.len() > 1;
            let chosen = match &answer.choices {
                Choices::Uniform => allowed,
                Choices::Moves(moves) => {
                    let index = usize::from(moves[number]);
                    index..index + 1
                }
            };
            let weight_of_one = weight / chosen.len() as f64;
            if is_real {
                real += weight;
            }
            for index in chosen {
                let value = labelled.values[index];
                let error = labelled.loss_error(outcome, index);
                let lost = f64::from(best) - f64::from(value);
                let is_optimal = is_real && best - value <= SAME_VALUE_MARGIN + 2.0 * error;
                let one_if = |is_so: bool| f64::from(u8::from(is_so));
                let parts = [
                    lost,
                    one_if(is_real) * lost,
                    one_if(is_optimal),
                    one_if(lost > 0.01),
                    one_if(lost > 0.05),
                ];
                let sums = sums.iter_mut().zip(parts);
                sums.for_each(|(sum, part)| *sum += weight_of_one * part);
                of_labels += weight_of_one * f64::from(error);
            }
        }
        self.of_labels += of_labels * of_labels;
        let all = self.decisions;
        let of = [all, real, real, all, all];
        for ((ratio, sum), of) in self.ratios.iter_mut().zip(sums).zip(of) {
            ratio.add(sum, of);
        }
    }

    pub(super) fn figures(&self) -> Figures {
        let [all, real, ..] = self.ratios;
        let decisions = all.denominator.max(self.decisions);
        let [regret, regret_of_choices, optimal, above_1, above_5] =
            self.ratios.map(|ratio| ratio.estimate());
        Figures {
            positions: all.positions as u64,
            regret,
            of_labels: self.of_labels.sqrt() / decisions,
            regret_of_choices,
            choices: real.denominator / decisions,
            optimal,
            above_1,
            above_5,
        }
    }
}

#[derive(Default)]
pub(super) struct ValueSums {
    squared: Ratio,
    signed: Ratio,
    predicted: [Ratio; NUM_BINS],
    exact: [Ratio; NUM_BINS],
}

impl ValueSums {
    pub(super) fn add(&mut self, value: f64, exact: f64) {
        let difference = value - exact;
        self.squared.add(difference * difference, 1.0);
        self.signed.add(difference, 1.0);
        let bin = ((value * NUM_BINS as f64) as usize).min(NUM_BINS - 1);
        self.predicted[bin].add(value, 1.0);
        self.exact[bin].add(exact, 1.0);
    }

    pub(super) fn figures(&self) -> Option<ValueErrors> {
        let squared = self.squared.estimate();
        let rmse = squared.value.sqrt();
        let error = if rmse > 0.0 {
            squared.error / (2.0 * rmse)
        } else {
            0.0
        };
        (self.squared.positions > 0.0).then(|| ValueErrors {
            rmse: Estimate { value: rmse, error },
            bias: self.signed.estimate(),
        })
    }

    pub(super) fn bins(&self) -> Vec<Bin> {
        let bin = |index: usize| Bin {
            from: index as f64 / NUM_BINS as f64,
            positions: self.predicted[index].positions as u64,
            predicted: self.predicted[index].estimate().value,
            exact: self.exact[index].estimate(),
        };
        (0..NUM_BINS)
            .map(bin)
            .filter(|bin| bin.positions > 0)
            .collect()
    }
}
