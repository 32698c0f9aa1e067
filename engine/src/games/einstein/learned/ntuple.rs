//! n-tuple networks: a sum of table entries, each picked by a few symbols of the position.
//!
//! The logit is `bias + Σ weights[index of tuple t]`, the value its logistic. The tables of all
//! tuples stand one after the other in one array of weights, those of a phase before those of the
//! next, which is what training updates and model files hold. Sums are made in whole numbers and
//! exact, so that all instructions give the same bits, and so does what is added to the sum of the
//! position before a move. Source: n-tuple networks for games, Lucas 2008 (Othello); for EinStein
//! Chu et al. (TAAI 2017).

mod cell;
mod changes;
mod error;
mod instructions;
mod mobility;
mod plan;
mod set;
mod sets;
mod successors;
mod touched;
#[cfg(target_arch = "x86_64")]
mod vectors;
mod view;
mod whole;

pub use cell::{Cell, UnknownCell};
pub use error::TupleError;
pub use instructions::Instructions;
pub use set::{CUSTOM, MAX_CELLS, MAX_ROWS, MAX_TUPLES, TupleSet};
pub use sets::SET_NAMES;
pub use successors::Successors;
pub use view::View;

use crate::core::evaluator::Evaluator;
use crate::games::einstein::{Move, Position, Standard};
use touched::Touched;
use whole::WholeWeights;

/// An n-tuple network.
#[derive(Clone, Debug, PartialEq)]
pub struct NTuple {
    set: TupleSet,
    /// As they were given: what files hold.
    weights: Vec<f32>,
    bias: f32,
    /// What is computed with.
    whole: WholeWeights,
    touched: Box<Touched>,
}

/// Weights that make no n-tuple network.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum NTupleError {
    /// Not one weight a row.
    #[error("{found} weights for {expected} rows of the tuple set")]
    Length {
        /// Weights given.
        found: usize,
        /// Rows of the set.
        expected: usize,
    },
    /// A weight that is no number or infinite.
    #[error("the weight of row {row} is {weight}; weights must be finite")]
    NotFinite {
        /// The row.
        row: usize,
        /// Its weight.
        weight: f32,
    },
    /// The bias is no number or infinite.
    #[error("the bias is {0}; it must be finite")]
    Bias(f32),
    /// Weights that would need sums of more bits.
    #[error("the log odds may reach {most}; weights must keep them below {limit}")]
    Large {
        /// The largest weight of each table, and the bias, without their signs.
        most: f64,
        /// What they must stay below.
        limit: f64,
    },
}

impl NTuple {
    /// The network of one weight for each row of the set.
    ///
    /// # Errors
    /// If the number of weights is wrong, one is not finite, or they are too large together.
    pub fn new(set: TupleSet, weights: Vec<f32>, bias: f32) -> Result<Self, NTupleError> {
        if weights.len() != set.rows() {
            return Err(NTupleError::Length {
                found: weights.len(),
                expected: set.rows(),
            });
        }
        if let Some(row) = weights.iter().position(|weight| !weight.is_finite()) {
            return Err(NTupleError::NotFinite {
                row,
                weight: weights[row],
            });
        }
        if !bias.is_finite() {
            return Err(NTupleError::Bias(bias));
        }
        let whole = WholeWeights::new(&set, &weights, bias)?;
        Ok(Self {
            touched: Box::new(Touched::new(set.cells())),
            set,
            weights,
            bias,
            whole,
        })
    }

    /// The tuples.
    #[must_use]
    pub fn set(&self) -> &TupleSet {
        &self.set
    }

    /// One weight a row.
    #[must_use]
    pub fn weights(&self) -> &[f32] {
        &self.weights
    }

    /// The log odds when all weights are 0.
    #[must_use]
    pub fn bias(&self) -> f32 {
        self.bias
    }

    /// The same network, computed with certain instructions; all give the same bits.
    ///
    /// # Errors
    /// If this machine lacks them, which are returned.
    pub fn on(self, instructions: Instructions) -> Result<Self, Instructions> {
        Ok(Self {
            set: self.set.on(instructions)?,
            ..self
        })
    }

    /// Log odds of the side to move.
    #[must_use]
    #[inline]
    pub fn logit(&self, position: &Position) -> f32 {
        self.whole.log_odds(self.sum(position))
    }

    /// The sum of a position, bias included, in units of the whole weights.
    #[inline]
    fn sum(&self, position: &Position) -> i32 {
        #[cfg(target_arch = "x86_64")]
        if self.set.instructions() != Instructions::Portable {
            return self.whole.bias + vectors::sum(&self.set, position, &self.whole.weights);
        }
        let mut rows = [0u32; MAX_TUPLES];
        let rows = &mut rows[..self.set.tuples()];
        self.set.indices(position, rows);
        rows.iter().fold(self.whole.bias, |sum, &row| {
            sum + self.whole.weights[row as usize]
        })
    }
}

impl Evaluator<Standard> for NTuple {
    type Cache = Successors;
    const KNOWS_SUCCESSORS: bool = true;

    #[inline]
    fn one_ply(&self, game: &Standard, position: &Position, cache: &mut Successors) -> f32 {
        self.value_successors(game, position, cache)
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
        self.rate_successors(position, moves, scores);
    }

    #[inline]
    fn value(&self, _: &Standard, position: &Position, _: &Successors) -> f32 {
        self.whole.win_probability(self.sum(position))
    }

    fn raw(&self, _: &Standard, position: &Position) -> Option<f32> {
        Some(self.logit(position))
    }
}

#[cfg(test)]
mod tests;
