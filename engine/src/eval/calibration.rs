//! From a raw score to a win probability: a fitted logistic, or Rock'n'Roll's linear scale.
//!
//! The constants of the hand-made evaluators stand beside them and were fitted by `alea calibrate`.

use super::{Evaluator, Score};
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

/// A value held a millionth away from 0 and 1, which stand for games that are over: a sure win always beats a
/// probable one.
#[must_use]
#[inline]
pub fn unproven(value: f32) -> f32 {
    value.clamp(1e-6, 1.0 - 1e-6)
}

/// `1 / (1 + exp(-x))`.
#[must_use]
#[inline]
pub fn logistic(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
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
    fn value(&self, game: &G, position: &G::Position, (): &()) -> f32 {
        self.calibration.value(self.score.score(game, position))
    }
}
