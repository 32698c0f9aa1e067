//! n-tuple networks: a sum of table entries, each picked by a few symbols of the position.
//!
//! The logit is `bias + Σ weights[index of tuple t]`, the value its logistic. The tables of all
//! tuples stand one after the other in one array of weights, those of a phase before those of the
//! next, which is what training updates and model files hold. Sums are made in whole numbers and
//! exact, so that all kernels give the same bits, and so does what is added to the sum of the
//! position before a move. Source: n-tuple networks for games, Lucas 2008 (Othello); for EinStein
//! Chu et al. (TAAI 2017).

mod quantized;
mod set;

pub(crate) use quantized::QuantizedWeights;
pub use set::{CUSTOM, MAX_CELLS, MAX_ROWS, MAX_TUPLES, TupleError, TupleSet, tuple_text};

use super::inputs::{Cell, Learnable};
use crate::core::{
    calibration::logistic,
    evaluator::{Evaluator, one_by_one, score_one_by_one, value_one_by_one},
};
use std::fmt::Debug;

/// How the tuples of a game are looked up and added up: by [`Plain`] or faster. Invariant: the rows
/// that [`Plain`] finds, and the exact sums of their weights.
pub trait TupleKernels<G: Learnable<Tuples = Self>>:
    Clone + Debug + Send + Sync + Sized + 'static
{
    /// What a search keeps from position to position.
    type Cache: Clone + Default + Send;

    /// As [`Evaluator::KNOWS_SUCCESSORS`].
    const KNOWS_SUCCESSORS: bool = false;

    /// What is needed of these tuples, whose tables begin at these rows.
    fn new(tuples: &[Vec<Cell>], bases: &[u32]) -> Self;

    /// The row of each tuple, counted over all tables.
    #[inline]
    fn rows(set: &TupleSet<G>, position: &G::Position, out: &mut [u32]) {
        set.look_up_plainly(position, out);
    }

    /// The sum of a position, bias included, in units of the whole weights.
    #[inline]
    fn sum(network: &TupleNetwork<G>, position: &G::Position) -> i32 {
        sum_by_rows(network, position)
    }

    /// As [`Evaluator::one_ply`].
    fn one_ply(
        network: &TupleNetwork<G>,
        game: &G,
        position: &G::Position,
        cache: &mut Self::Cache,
    ) -> f32 {
        one_by_one(network, game, position, cache)
    }

    /// As [`Evaluator::score_successors`]: log odds, but values where successors are not known.
    fn score_successors(
        network: &TupleNetwork<G>,
        game: &G,
        position: &G::Position,
        moves: &[G::Move],
        scores: &mut [f32],
    ) {
        score_one_by_one(network, game, position, moves, scores);
    }
}

/// [`TupleKernels::sum`] from the row of each tuple: right for every game.
#[inline]
pub(crate) fn sum_by_rows<G: Learnable>(network: &TupleNetwork<G>, position: &G::Position) -> i32 {
    let mut rows = [0u32; MAX_TUPLES];
    let rows = &mut rows[..network.set().tuples()];
    G::Tuples::rows(network.set(), position, rows);
    let whole = network.whole();
    rows.iter()
        .fold(whole.bias, |sum, &row| sum + whole.weights[row as usize])
}

/// Tuples of any game, by its view.
#[derive(Clone, Copy, Debug, Default)]
pub struct Plain;

impl<G: Learnable<Tuples = Self>> TupleKernels<G> for Plain {
    type Cache = ();

    fn new(_: &[Vec<Cell>], _: &[u32]) -> Self {
        Self
    }
}

/// An n-tuple network.
#[derive(Clone, Debug)]
pub struct TupleNetwork<G: Learnable> {
    set: TupleSet<G>,
    /// As they were given: what files hold.
    weights: Vec<f32>,
    bias: f32,
    /// What is computed with.
    whole: QuantizedWeights,
}

impl<G: Learnable> PartialEq for TupleNetwork<G> {
    fn eq(&self, other: &Self) -> bool {
        (&self.set, &self.weights, self.bias) == (&other.set, &other.weights, other.bias)
    }
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
    /// Weights that would need sums of more bits: the largest of each table, and the bias, without
    /// their signs, add up to so much.
    #[error("the log odds may reach {0}; weights must keep them below {most}", most = quantized::LARGEST)]
    Large(f64),
}

impl<G: Learnable> TupleNetwork<G> {
    /// The network of one weight for each row of the set.
    ///
    /// # Errors
    /// If the number of weights is wrong, one is not finite, or they are too large together.
    pub fn new(set: TupleSet<G>, weights: Vec<f32>, bias: f32) -> Result<Self, NTupleError> {
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
        let whole = QuantizedWeights::new(&set, &weights, bias)?;
        Ok(Self {
            set,
            weights,
            bias,
            whole,
        })
    }

    /// The tuples.
    #[inline]
    pub fn set(&self) -> &TupleSet<G> {
        &self.set
    }

    /// One weight a row.
    pub fn weights(&self) -> &[f32] {
        &self.weights
    }

    /// The log odds when all weights are 0.
    pub fn bias(&self) -> f32 {
        self.bias
    }

    /// What is computed with.
    #[inline]
    pub(crate) fn whole(&self) -> &QuantizedWeights {
        &self.whole
    }

    /// The same network, computed with other kernels of the game.
    pub(crate) fn with_kernels(self, kernels: G::Tuples) -> Self {
        Self {
            set: self.set.with_kernels(kernels),
            ..self
        }
    }

    /// Log odds of the side to move.
    #[must_use]
    #[inline]
    pub fn logit(&self, position: &G::Position) -> f32 {
        self.whole.log_odds(G::Tuples::sum(self, position))
    }
}

impl<G: Learnable> Evaluator<G> for TupleNetwork<G> {
    type Cache = <G::Tuples as TupleKernels<G>>::Cache;
    const KNOWS_SUCCESSORS: bool = <G::Tuples as TupleKernels<G>>::KNOWS_SUCCESSORS;

    #[inline]
    fn one_ply(&self, game: &G, position: &G::Position, cache: &mut Self::Cache) -> f32 {
        G::Tuples::one_ply(self, game, position, cache)
    }

    /// Log odds for the side that moves.
    #[inline]
    fn score_successors(
        &self,
        game: &G,
        position: &G::Position,
        moves: &[G::Move],
        scores: &mut [f32],
    ) {
        G::Tuples::score_successors(self, game, position, moves, scores);
    }

    #[inline]
    fn value_successors(
        &self,
        game: &G,
        position: &G::Position,
        moves: &[G::Move],
        cache: &mut Self::Cache,
        values: &mut [f32],
    ) {
        if !Self::KNOWS_SUCCESSORS {
            return value_one_by_one(self, game, position, moves, cache, values);
        }
        G::Tuples::score_successors(self, game, position, moves, values);
        for value in values {
            *value = 1.0 - logistic(-*value);
        }
    }

    #[inline]
    fn value(&self, _: &G, position: &G::Position, _: &Self::Cache) -> f32 {
        self.whole.win_probability(G::Tuples::sum(self, position))
    }

    fn raw(&self, _: &G, position: &G::Position) -> Option<f32> {
        Some(self.logit(position))
    }
}
