//! Points that results of a game pay, for games that are played for more than a win.

use serde::{Serialize, Serializer};

/// Name and probability of each result, in the order of [`Points::results`]; a map in JSON.
#[derive(Clone, Debug, PartialEq)]
pub struct ResultProbabilities(pub Vec<(&'static str, f32)>);

impl Serialize for ResultProbabilities {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().copied())
    }
}

/// How points are printed and scaled: payoffs 0 to 1 are `-max` to `max` points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Points {
    /// Unit, such as `points` or `discs`.
    pub unit: &'static str,
    /// Points of payoff 1.
    pub max: f64,
    /// Points of a plain win: those of a win of unstated size, such as by resignation, and the unit
    /// in which errors are graded.
    pub default_win: f64,
    /// Name and points of each result; empty if results are named by their points.
    pub results: &'static [(&'static str, f64)],
}

impl Points {
    /// Points of a payoff, or expected points of an expected payoff.
    #[must_use]
    pub fn from_payoff(&self, payoff: f64) -> f64 {
        (2.0 * payoff - 1.0) * self.max
    }

    /// Difference of points between payoffs that differ by `payoff`.
    #[must_use]
    pub fn difference(&self, payoff: f64) -> f64 {
        2.0 * payoff * self.max
    }

    /// Points of a finished game's payoff, rounded to an integer.
    #[must_use]
    pub fn final_points(&self, payoff: f64) -> f64 {
        self.from_payoff(payoff).round()
    }

    /// Payoff of `points`, from 0 to 1.
    #[must_use]
    pub fn to_payoff(&self, points: f64) -> f64 {
        (points / self.max + 1.0) / 2.0
    }

    /// Names of probabilities in the order of `results`; `None` if results have no names.
    pub fn name_results(
        &self,
        probabilities: impl IntoIterator<Item = f32>,
    ) -> Option<ResultProbabilities> {
        let names = self.results.iter().map(|(name, _)| *name);
        (!self.results.is_empty()).then(|| ResultProbabilities(names.zip(probabilities).collect()))
    }

    /// Name of a finished game's result, such as `win_gammon` or `+12`.
    #[must_use]
    pub fn result_name(&self, payoff: f64) -> String {
        let points = self.final_points(payoff);
        let mut results = self.results.iter();
        let named = results.find(|(_, paid)| *paid == points);
        named.map_or_else(|| format!("{points:+}"), |(name, _)| (*name).to_owned())
    }
}
