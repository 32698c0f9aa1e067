//! From a raw score to a win probability: a fitted logistic, or Rock'n'Roll's linear scale.
//!
//! The constants of the hand-made evaluators stand beside them and were fitted by `alea calibrate`.

use crate::core::{
    evaluator::{Evaluator, Score, others_alike},
    game::{Game, MAX_SEATS, Payoffs},
};

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
    /// `1/2 + factor · score / 2000`, held inside `(0, 1)`: searching it equals searching raw
    /// scores with a game won counting 1000 and lost -1000, as Rock'n'Roll does, because
    /// expectation and maximum commute with it.
    Raw {
        /// What one unit of score counts on the scale of ±1000.
        factor: f32,
    },
}

impl Calibration {
    /// The logistic with these constants.
    #[must_use]
    pub const fn logistic(slope: f32, offset: f32) -> Self {
        Self::Logistic { slope, offset }
    }

    /// The value of a raw score.
    #[must_use]
    #[inline]
    pub fn value(self, score: f32) -> f32 {
        match self {
            Self::Logistic { slope, offset } => unproven(logistic(slope * score + offset)),
            Self::Raw { factor } => unproven(0.5 + factor * score / 2000.0),
        }
    }

    /// The value of the raw score of a seat that is not on the move.
    #[must_use]
    pub fn waiting(self, score: f32) -> f32 {
        match self {
            Self::Logistic { slope, .. } => Self::logistic(slope, 0.0).value(score),
            Self::Raw { .. } => self.value(score),
        }
    }
}

/// A value held a millionth away from 0 and 1: a sure win always beats a probable one.
#[must_use]
#[inline]
pub fn unproven(value: f32) -> f32 {
    // Comparisons rather than clamp, which also minds its limits: half as many instructions.
    let value = if value < 1e-6 { 1e-6 } else { value };
    if value > 1.0 - 1e-6 {
        1.0 - 1e-6
    } else {
        value
    }
}

/// `1 / (1 + exp(-x))`, within 2e-7.
#[must_use]
#[inline]
pub fn logistic(x: f32) -> f32 {
    1.0 / (1.0 + exponential(-x))
}

/// `exp(x)`, within 2e-7 of it; beyond ±87, where results leave the normal numbers, as at ±87.
///
/// Computed here and not by the system's library, so that every machine gets the same bits: 2^n by
/// the exponent, times a polynomial on [-ln 2 / 2, ln 2 / 2] (Taylor, degree 6).
#[must_use]
#[inline]
pub fn exponential(x: f32) -> f32 {
    let x = if x < -87.0 { -87.0 } else { x };
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
    let exponent = (rounded.to_bits() as i32)
        .wrapping_sub(ROUND.to_bits() as i32)
        .wrapping_add(127);
    f32::from_bits((exponent << 23) as u32) * series
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
    type Cache = ();

    #[inline]
    fn value(&self, game: &G, position: &G::Position, _cache: &()) -> f32 {
        self.calibration.value(self.score.score(game, position))
    }

    fn raw(&self, game: &G, position: &G::Position) -> Option<f32> {
        Some(self.score.score(game, position))
    }

    /// With more than two seats each has the value of its own score.
    fn payoffs(&self, game: &G, position: &G::Position, cache: &()) -> Payoffs {
        let several = game.seats() > 2;
        let scores = several.then(|| self.score.scores(game, position)).flatten();
        let Some(scores) = scores else {
            return others_alike(game, position, self.value(game, position, cache));
        };
        let mut payoffs = [0.0; MAX_SEATS];
        for (payoff, &score) in payoffs[..game.seats()].iter_mut().zip(&scores) {
            *payoff = self.calibration.waiting(score);
        }
        let own = game.to_move(position);
        payoffs[own] = self.calibration.value(scores[own]);
        payoffs
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
            assert!(
                (value - expected).abs() < 1.2e-7,
                "{x}: {value}, {expected}"
            );
            assert!(
                x < -86.0 || (value / expected - 1.0).abs() < 1e-6,
                "{x}: {value}, {expected}"
            );
        }
        assert_eq!((logistic(0.0), logistic(f32::INFINITY)), (0.5, 1.0));
        assert!(logistic(f32::NEG_INFINITY) < 1e-37 && logistic(f32::NAN).is_nan());
    }
}
