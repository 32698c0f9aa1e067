//! Maps raw scores to win probabilities, by constants that `alea calibrate` fits.

use crate::{
    evaluator::{Evaluator, Score, payoffs_from_own},
    game::{Game, MAX_SEATS, Payoffs},
};

/// Maps raw scores to win probabilities in `(0, 1)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Calibration {
    /// `1 / (1 + exp(-(slope · score + offset)))`.
    Logistic {
        /// Log odds per unit of score.
        slope: f32,
        /// Log odds at score 0.
        offset: f32,
    },
    /// `1/2 + factor · score / 2000`, clamped: searches choose as by raw scores where a win is
    /// ±1000 (Rock'n'Roll).
    Raw {
        /// Converts scores to the scale where a win is ±1000.
        factor: f32,
    },
}

impl Calibration {
    /// Creates a [`Calibration::Logistic`].
    pub const fn logistic(slope: f32, offset: f32) -> Self {
        Self::Logistic { slope, offset }
    }

    /// Win probability of the seat to move.
    #[inline]
    pub fn value(self, score: f32) -> f32 {
        match self {
            Self::Logistic { slope, offset } => {
                clamp_to_open_interval(logistic(slope * score + offset))
            }
            Self::Raw { factor } => clamp_to_open_interval(0.5 + factor * score / 2000.0),
        }
    }

    /// Win probability of a seat not to move, by its own score: omits `offset`, the advantage of
    /// moving.
    pub fn opponent_value(self, score: f32) -> f32 {
        match self {
            Self::Logistic { slope, .. } => Self::logistic(slope, 0.0).value(score),
            Self::Raw { .. } => self.value(score),
        }
    }
}

/// Clamps to [1e-6, 1 − 1e-6], so that proven wins beat probable ones.
#[inline]
pub fn clamp_to_open_interval(value: f32) -> f32 {
    let value = if value < 1e-6 { 1e-6 } else { value };
    if value > 1.0 - 1e-6 {
        1.0 - 1e-6
    } else {
        value
    }
}

/// `1 / (1 + exp(-x))` with an absolute error below 2e-7.
#[inline]
pub fn logistic(x: f32) -> f32 {
    1.0 / (1.0 + exponential(-x))
}

/// `exp(x)` with a relative error below 3e-7, x clamped to ±87; equal bits on all machines.
#[inline]
pub fn exponential(x: f32) -> f32 {
    let x = if x < -87.0 { -87.0 } else { x };
    let x = if x > 87.0 { 87.0 } else { x };
    const ROUNDING_MAGIC: f32 = 12_582_912.0;
    let rounded = x * std::f32::consts::LOG2_E + ROUNDING_MAGIC;
    let power = rounded - ROUNDING_MAGIC;
    // ln 2 in two parts, the first short enough for exact products (Cody and Waite 1980).
    let remainder = x - power * 0.693_359_4 - power * -2.121_944_4e-4;
    let square = remainder * remainder;
    let low = (1.0 + remainder) + square * (0.5 + remainder * (1.0 / 6.0));
    let high = (1.0 / 24.0 + remainder * (1.0 / 120.0)) + square * (1.0 / 720.0);
    let series = low + square * square * high;
    let exponent = (rounded.to_bits() as i32)
        .wrapping_sub(ROUNDING_MAGIC.to_bits() as i32)
        .wrapping_add(127);
    f32::from_bits((exponent << 23) as u32) * series
}

/// An [`Evaluator`] from a handcrafted [`Score`].
#[derive(Clone, Debug)]
pub struct Calibrated<S> {
    /// Scores positions.
    pub score: S,
    /// Maps scores to win probabilities.
    pub calibration: Calibration,
}

impl<G: Game, S: Score<G>> Evaluator<G> for Calibrated<S> {
    type Cache = ();

    #[inline]
    fn value(&self, game: &G, position: &G::Position, _cache: &()) -> f32 {
        self.calibration.value(self.score.score(game, position))
    }

    fn raw_score(&self, game: &G, position: &G::Position) -> Option<f32> {
        Some(self.score.score(game, position))
    }

    fn estimates_payoffs(&self) -> bool {
        matches!(self.calibration, Calibration::Logistic { .. })
    }

    fn payoffs(&self, game: &G, position: &G::Position, cache: &()) -> Payoffs {
        let is_multiplayer = game.seats() > 2;
        let scores = is_multiplayer
            .then(|| self.score.scores_by_seat(game, position))
            .flatten();
        let Some(scores) = scores else {
            return payoffs_from_own(game, position, self.value(game, position, cache));
        };
        let mut payoffs = [0.0; MAX_SEATS];
        for (payoff, &score) in payoffs[..game.seats()].iter_mut().zip(&scores) {
            *payoff = self.calibration.opponent_value(score);
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
