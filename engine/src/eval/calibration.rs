//! From a raw score to a win probability: a fitted logistic, or Rock'n'Roll's linear scale.
//!
//! The constants of the hand-made evaluators stand beside them and were fitted by `alea calibrate`.

use super::{Evaluator, GROUPS, OnePly, Score};
use crate::game::Game;

/// How a raw score becomes a value in `[0, 1]`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Calibration {
    /// `1 / (1 + exp(-(slope · score + offset)))`: a win probability.
    Logistic {
        /// Change of the log odds a unit of score.
        slope: f32,
        /// Log odds at score 0; above 0 because it is an advantage to be on the move.
        offset: f32,
    },
    /// `1/2 + factor · score / 2000`, held inside `(0, 1)`: searching it equals searching raw scores with a game
    /// won counting 1000 and lost -1000, as Rock'n'Roll does, because expectation and maximum commute with it.
    Raw {
        /// What one unit of score counts on the scale of ±1000.
        factor: f32,
    },
}

impl Calibration {
    /// The value of a raw score.
    #[must_use]
    #[inline]
    pub fn value(self, score: f32) -> f32 {
        match self {
            Self::Logistic { slope, offset } => unproven(logistic(slope * score + offset)),
            Self::Raw { factor } => unproven(0.5 + factor * score / 2000.0),
        }
    }
}

impl Calibration {
    /// From scores of successors, for the seat that moves to them, to their values for that seat: 1 minus the
    /// [`Calibration::value`] that the other seat gives them, and 1 for an infinite score.
    #[inline]
    fn values_of_successors(self, scores: &mut [f32; GROUPS]) {
        match self {
            Self::Logistic { slope, offset } => logistic_of_successors(slope, offset, scores),
            Self::Raw { .. } => {
                for score in scores {
                    *score = if *score == f32::INFINITY { 1.0 } else { 1.0 - self.value(-*score) };
                }
            }
        }
    }
}

/// Not inlined, so that it stays a loop that compilers turn into vector code.
#[inline(never)]
fn logistic_of_successors(slope: f32, offset: f32, scores: &mut [f32; GROUPS]) {
    for score in scores {
        let value = 1.0 - unproven(logistic(offset - slope * *score));
        *score = if *score == f32::INFINITY { 1.0 } else { value };
    }
}

/// A value held a millionth away from 0 and 1, which stand for games that are over: a sure win always beats a
/// probable one.
#[must_use]
#[inline]
pub fn unproven(value: f32) -> f32 {
    // Comparisons rather than clamp, which also minds its limits: half as many instructions.
    let value = if value < 1e-6 { 1e-6 } else { value };
    if value > 1.0 - 1e-6 { 1.0 - 1e-6 } else { value }
}

/// `1 / (1 + exp(-x))`, within 2e-7.
///
/// The exponential is computed here and not by the system's library, so that every machine gets the same bits, alone or
/// many at a time: 2^n by the exponent, times a polynomial on [-ln 2 / 2, ln 2 / 2] (Taylor, degree 6).
#[must_use]
#[inline]
pub fn logistic(x: f32) -> f32 {
    // Beyond ±87 the exponential leaves the normal numbers, and the result is 0 or 1 to the last digit long before.
    let x = if x > 87.0 { -87.0 } else { -x };
    let x = if x > 87.0 { 87.0 } else { x };
    // Adding and taking away 1.5 · 2^23 rounds to a whole number.
    const ROUND: f32 = 12_582_912.0;
    let rounded = x * std::f32::consts::LOG2_E + ROUND;
    let power = rounded - ROUND;
    // ln 2 in two parts, the first short enough that the product is exact (Cody and Waite 1980).
    let rest = x - power * 0.693_359_4 - power * -2.121_944_4e-4;
    // Pairs first (Estrin 1960): the terms do not wait for each other.
    let square = rest * rest;
    let low = (1.0 + rest) + square * (0.5 + rest * (1.0 / 6.0));
    let high = (1.0 / 24.0 + rest * (1.0 / 120.0)) + square * (1.0 / 720.0);
    let series = low + square * square * high;
    let exponent = (rounded.to_bits() as i32).wrapping_sub(ROUND.to_bits() as i32).wrapping_add(127);
    1.0 / (1.0 + f32::from_bits((exponent << 23) as u32) * series)
}

/// A score with its calibration is an evaluator.
#[derive(Clone, Debug)]
pub struct Calibrated<S> {
    /// The raw score.
    pub score: S,
    /// Its way to a win probability.
    pub calibration: Calibration,
}

impl<G: Game, S: Score<G>> Evaluator<G> for Calibrated<S> {
    type Cache = S::Cache;
    const KNOWS_SUCCESSORS: bool = S::KNOWS_SUCCESSORS;

    #[inline]
    fn one_ply(&self, game: &G, position: &G::Position, cache: &mut S::Cache) -> OnePly {
        let best = self.score.best_scores(game, position, cache);
        let mut values = best.scores;
        self.calibration.values_of_successors(&mut values);
        let mut sum = 0.0;
        for outcome in best.outcomes {
            let mut best = values[usize::from(outcome.start)];
            for &value in &values[usize::from(outcome.start) + 1..usize::from(outcome.end)] {
                best = if value > best { value } else { best };
            }
            sum += outcome.weight * best;
        }
        OnePly { value: f32::min(sum, 1.0), successors: best.successors, evaluated: best.evaluated }
    }

    #[inline]
    fn score_successors(&self, game: &G, position: &G::Position, moves: &[G::Move], scores: &mut [f32]) {
        self.score.score_successors(game, position, moves, scores);
    }

    #[inline]
    fn value(&self, game: &G, position: &G::Position, _cache: &S::Cache) -> f32 {
        self.calibration.value(self.score.score(game, position))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_logistic_is_that_of_the_library_in_double_precision() {
        for step in -40_000..=40_000 {
            let x = step as f32 / 400.0;
            let expected = 1.0 / (1.0 + (-f64::from(x)).exp());
            let value = f64::from(logistic(x));
            assert!((value - expected).abs() < 1.2e-7, "{x}: {value}, {expected}");
            assert!(x < -86.0 || (value / expected - 1.0).abs() < 1e-6, "{x}: {value}, {expected}");
        }
        assert_eq!((logistic(0.0), logistic(f32::INFINITY)), (0.5, 1.0));
        assert!(logistic(f32::NEG_INFINITY) < 1e-37 && logistic(f32::NAN).is_nan());
    }
}
