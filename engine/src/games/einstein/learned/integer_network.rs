//! A small network in integers, made for the leaves of a search.
//!
//! [`crate::learned::integer`] has the formula. Invariant: all sums are exact, so every instruction
//! set gives the same integers, in any order; two products of an activation and a weight of the
//! second layer, at most 2 · 127 · 128 = 32,512, fit the 16 bits that x86 has for them. What is other
//! than in NNUE (Nasu 2018): all inputs belong to one side ([`inputs`]), so nothing is followed from
//! move to move but the two sums, which all successors share.

pub mod inputs;
mod kernels;
mod successors;
#[cfg(target_arch = "x86_64")]
mod vectors;

pub use successors::Successors;

use self::{
    inputs::{SideGroups, TurnClasses, join, joined_rows},
    kernels::{Layers, Tables},
};
use crate::core::{
    calibration::{logistic, unproven},
    evaluator::Evaluator,
    simd::Instructions,
};
use crate::games::einstein::{Move, Position, Standard, learned::MODEL_GAME};
use crate::learned::integer::{self, IntegerError, IntegerModel, LOGIT_SCALE};
use std::sync::Arc;

/// All weights: the mover's rows, then the other's.
pub type IntegerWeights = integer::IntegerWeights<SideGroups>;

/// Runs an expression with the widths of a network as constants.
macro_rules! with_shape {
    ($network:expr, $first:ident, $second:ident => $body:expr) => {
        match $network.weights.shape() {
            [64, 16] => with_shape!(@ 64, 16, $first, $second, $body),
            [64, 32] => with_shape!(@ 64, 32, $first, $second, $body),
            [128, 32] => with_shape!(@ 128, 32, $first, $second, $body),
            _ => with_shape!(@ 256, 32, $first, $second, $body),
        }
    };
    (@ $one:literal, $two:literal, $first:ident, $second:ident, $body:expr) => {{
        const $first: usize = $one;
        const $second: usize = $two;
        $body
    }};
}

/// An integer network ready to evaluate. Immutable and shared.
#[derive(Clone, Debug)]
pub struct IntegerNetwork {
    weights: IntegerWeights,
    tables: Tables,
    layers: Layers,
    classes: Arc<TurnClasses>,
    instructions: Instructions,
}

impl IntegerNetwork {
    /// The same network on other instructions than the best this machine has; values do not change.
    #[must_use]
    pub fn on(self, instructions: Instructions) -> Self {
        Self {
            layers: Layers::new(&self.weights, instructions),
            instructions,
            ..self
        }
    }

    /// The instructions in use.
    #[must_use]
    pub fn instructions(&self) -> Instructions {
        self.instructions
    }

    /// Log odds of the side to move, in units of 1 / [`LOGIT_SCALE`].
    #[must_use]
    #[inline]
    pub fn logit(&self, position: &Position) -> i32 {
        let rows = [
            joined_rows(&self.classes, position.mover()),
            joined_rows(&self.classes, position.other()),
        ];
        with_shape!(self, FIRST, SECOND => kernels::logit::<FIRST, SECOND>(self.instructions, &self.tables, &self.layers, &rows))
    }
}

/// Log odds in floating point, a little coarser than the integers, so that the logistic is monotone
/// also when rounded: the best of several moves may be taken among integers.
#[must_use]
#[inline]
pub fn log_odds(logit: i32) -> f32 {
    const COARSER: u32 = 5;
    (logit >> COARSER) as f32 * ((1 << COARSER) as f32 / LOGIT_SCALE as f32)
}

#[inline]
fn win_probability(logit: i32) -> f32 {
    unproven(logistic(log_odds(logit)))
}

impl IntegerModel<Standard> for IntegerNetwork {
    type Inputs = SideGroups;

    fn new(weights: IntegerWeights) -> Result<Self, IntegerError> {
        weights.check()?;
        let [first, _] = weights.shape();
        let (mover, other) = weights.rows.split_at(weights.inputs.rows() * first);
        let table = |rows: &[i16], bias: Option<&[i16]>| {
            kernels::lines(&join(weights.inputs, first, rows, bias))
        };
        let tables = Tables {
            mover: table(mover, Some(&weights.bias)),
            other: table(other, None),
        };
        let instructions = Instructions::detect();
        let layers = Layers::new(&weights, instructions);
        Ok(Self {
            weights,
            tables,
            layers,
            classes: TurnClasses::shared(),
            instructions,
        })
    }

    fn weights(&self) -> &IntegerWeights {
        &self.weights
    }

    fn game(&self) -> String {
        MODEL_GAME.to_owned()
    }
}

impl PartialEq for IntegerNetwork {
    /// Equal weights; what they run on does not matter.
    fn eq(&self, other: &Self) -> bool {
        self.weights == other.weights
    }
}

impl Evaluator<Standard> for IntegerNetwork {
    type Cache = Successors;
    const KNOWS_SUCCESSORS: bool = true;

    #[inline]
    fn one_ply(&self, game: &Standard, position: &Position, cache: &mut Successors) -> f32 {
        with_shape!(self, FIRST, SECOND => self.value_successors::<FIRST, SECOND>(game, position, cache))
    }

    /// Log odds for the side that moves.
    #[inline]
    fn score_successors(
        &self,
        _: &Standard,
        position: &Position,
        moves: &[Move],
        scores: &mut [f32],
    ) {
        with_shape!(self, FIRST, SECOND => self.rate_successors::<FIRST, SECOND, { FIRST / 32 }>(position, moves, |logit| logit as f32, scores));
    }

    #[inline]
    fn value_successors(
        &self,
        _: &Standard,
        position: &Position,
        moves: &[Move],
        _: &mut Successors,
        values: &mut [f32],
    ) {
        let lost = |logit| win_probability(logit) - 1.0;
        with_shape!(self, FIRST, SECOND => self.rate_successors::<FIRST, SECOND, { FIRST / 32 }>(position, moves, lost, values));
        // What wins has no bound.
        values.iter_mut().for_each(|value| *value = value.min(1.0));
    }

    #[inline]
    fn value(&self, _: &Standard, position: &Position, _: &Successors) -> f32 {
        win_probability(self.logit(position))
    }

    fn raw(&self, _: &Standard, position: &Position) -> Option<f32> {
        Some(log_odds(self.logit(position)))
    }
}

#[cfg(test)]
pub(crate) mod tests;
