//! Sequential tests that end a match early.
//!
//! A test takes pairs in the order of their numbers: the order of finishing would favour short
//! games and depend on threads.

use super::{PairResult, Repeats};
use crate::statistics::{
    Interval, PairCounts,
    sequential::{SequentialTest, Verdict},
};
use alea_core::moments::Moments;
use alea_play::points::Points;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Rule that ends a match once its sequential test has a verdict.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StoppingRule {
    /// Sequential test of A's Elo minus B's.
    pub test: SequentialTest,
    /// Tests single games (trinomial) instead of pairs (pentanomial); approximate, since the games
    /// of a pair share their luck.
    pub single_games: bool,
}

/// State of a match's sequential test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SequentialResult {
    /// Hypotheses and error probabilities.
    #[serde(flatten)]
    pub test: SequentialTest,
    /// True if the test counts single games instead of pairs.
    pub single_games: bool,
    /// Log likelihood ratio of `elo1` to `elo0`.
    pub log_likelihood_ratio: f64,
    /// Log likelihood ratio at or below which `elo0` is accepted.
    pub lower: f64,
    /// Log likelihood ratio at or above which `elo1` is accepted.
    pub upper: f64,
    /// Accepted hypothesis, if any.
    pub verdict: Verdict,
}

impl StoppingRule {
    /// State of the test after `pairs`; in games with points by pairs' mean scores.
    #[must_use]
    pub fn evaluate(&self, pairs: &PairSamples) -> SequentialResult {
        let evidence = if let Some(points) = pairs.points {
            (self.test).mean_evidence(&pairs.means, |value| points.to_payoff(value))
        } else if self.single_games {
            self.test.evidence(&pairs.counts.games(), 1.0)
        } else {
            self.test.pair_evidence(&pairs.counts)
        };
        let (lower, upper) = self.test.bounds(&evidence);
        SequentialResult {
            test: self.test,
            single_games: self.single_games,
            log_likelihood_ratio: evidence.ratio,
            lower,
            upper,
            verdict: self.test.verdict(&evidence),
        }
    }
}

/// Samples of a match, one for each pair of games: counts by wins and losses, and mean scores.
#[derive(Clone, Debug, Default)]
pub struct PairSamples {
    /// Numbers of pairs by games won and lost.
    pub counts: PairCounts,
    /// Moments of pairs' mean scores.
    pub means: Moments,
    /// Points that results pay, if the game has them.
    pub points: Option<Points>,
}

impl PairSamples {
    /// Creates without samples; `points` are those of the game.
    #[must_use]
    pub fn new(points: Option<Points>) -> Self {
        Self {
            points,
            ..Self::default()
        }
    }

    /// Adds a pair by the contestant's scores in its two games.
    pub fn add(&mut self, scores: [f64; 2]) {
        self.counts.add(scores);
        self.means.add((scores[0] + scores[1]) / 2.0);
    }

    /// Mean score with its standard error and 95 % interval.
    #[must_use]
    pub fn score(&self) -> (f64, f64, Interval) {
        let tally = self.counts.tally();
        match self.points {
            None => (tally.score(), tally.standard_error(), tally.interval()),
            Some(_) => {
                let interval = Interval::of_mean(&self.means);
                let interval = interval.map_ends(|end| end.clamp(0.0, 1.0));
                (self.means.mean(), self.means.standard_error(), interval)
            }
        }
    }
}

pub(super) struct OrderedTest {
    rule: StoppingRule,
    waiting: BTreeMap<u64, ([f64; 2], Option<[u64; 2]>)>,
    next: u64,
    samples: PairSamples,
    repeats: Repeats,
    pub(super) end: Option<u64>,
}

impl OrderedTest {
    pub(super) fn new(rule: StoppingRule, points: Option<Points>) -> Self {
        Self {
            rule,
            waiting: BTreeMap::new(),
            next: 0,
            samples: PairSamples::new(points),
            repeats: Repeats::default(),
            end: None,
        }
    }

    pub(super) fn add(&mut self, result: &PairResult) {
        if self.end.is_some() {
            return;
        }
        self.waiting
            .insert(result.pair, (result.scores, result.games));
        while let Some((scores, games)) = self.waiting.remove(&self.next) {
            self.next += 1;
            if self.repeats.add_if_new(games) {
                self.samples.add(scores);
            }
            if self.rule.test.is_checked_after(self.next)
                && self.rule.evaluate(&self.samples).verdict != Verdict::Open
            {
                self.end = Some(self.next);
                break;
            }
        }
    }

    pub(super) fn result(&self) -> SequentialResult {
        self.rule.evaluate(&self.samples)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::sequential::EloModel;
    use alea_core::random::RandomStream;

    #[test]
    fn the_end_does_not_depend_on_the_order_of_arrival() {
        let test = SequentialTest::new(0.0, 40.0, 0.05, 0.05, EloModel::Logistic).unwrap();
        the_end_is_the_first_look_that_decides(test, 1);
        the_end_is_the_first_look_that_decides(test.in_batches(70).unwrap(), 70);
    }

    fn the_end_is_the_first_look_that_decides(test: SequentialTest, batch: usize) {
        let rule = StoppingRule {
            test,
            single_games: false,
        };
        let mut random = RandomStream::new(3);
        let results: Vec<PairResult> = (0..2000)
            .map(|pair| PairResult {
                pair,
                scores: [
                    random.below(3) as f64 / 2.0,
                    (random.uniform_f64() + 0.1).round(),
                ],
                ..PairResult::default()
            })
            .collect();
        let in_order = |order: &[usize]| {
            let mut pairs = OrderedTest::new(rule, None);
            order.iter().for_each(|&pair| pairs.add(&results[pair]));
            (pairs.end, pairs.result())
        };
        let mut order: Vec<usize> = (0..2000).collect();
        let expected = in_order(&order);
        let end = expected.0.expect("2000 pairs decide it") as usize;
        let mut samples = PairSamples::default();
        let first = results.chunks(batch).position(|batch| {
            batch.iter().for_each(|result| samples.add(result.scores));
            rule.evaluate(&samples).verdict != Verdict::Open
        });
        assert_eq!(first.map(|first| (first + 1) * batch), Some(end));
        for _ in 0..5 {
            random.shuffle(&mut order);
            assert_eq!(in_order(&order), expected);
        }
    }
}
