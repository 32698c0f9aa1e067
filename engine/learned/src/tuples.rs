//! n-tuple networks (Lucas 2008, Othello): each tuple of view cells has a table of weights, indexed
//! by the cells' symbols.
//!
//! The logit is `bias + Σ_t weights[row of tuple t]`. All tables form one array of rows, repeated
//! for each phase of the remaining game. Sums are integers: all kernels and incremental updates
//! give the same bits.

mod incremental;
mod quantized;
mod set;

pub use incremental::TupleRows;
pub use quantized::QuantizedWeights;
pub use set::{CUSTOM_NAME, MAX_CELLS, MAX_ROWS, MAX_TUPLES, TupleRef, TupleSet, tuple_text};

use super::{
    ModelError,
    inputs::{Cell, Learnable},
};
use alea_core::{
    calibration::logistic,
    evaluator::{Evaluator, one_ply_serial, score_successors_serial, value_successors_serial},
    probcut::ProbcutErrors,
};
use std::fmt::Debug;

/// Inference of a game's n-tuple networks; rows and sums equal those of [`GenericTupleKernels`].
pub trait TupleKernels<G: Learnable<Tuples = Self>>:
    Clone + Debug + Send + Sync + Sized + 'static
{
    /// Rows and sums of a position, updated from move to move.
    type Cache: Clone + Default + Send;

    /// Whether to value successors together ([`Evaluator::BATCHES_SUCCESSORS`]).
    const BATCHES_SUCCESSORS: bool = false;

    /// Prepares kernels for the cells of each tuple.
    fn new(tuples: &[Vec<Cell>]) -> Self;

    /// Writes each tuple's row in the array of all tables.
    #[inline]
    fn row_indices(set: &TupleSet<G>, position: &G::Position, out: &mut [u32]) {
        set.rows_generic(position, out);
    }

    /// Quantized bias plus the position's weights.
    #[inline]
    fn sum(network: &TupleNetwork<G>, position: &G::Position) -> i32 {
        sum_by_rows(network, position)
    }

    /// Computes the cache from scratch, as [`Evaluator::refresh`].
    fn refresh(_: &TupleNetwork<G>, _: &G::Position, _: &mut Self::Cache) {}

    /// Computes the cache after a move from that before it, as [`Evaluator::update`].
    fn update(
        _: &TupleNetwork<G>,
        _parent: &mut Self::Cache,
        _before: &G::Position,
        _after: &G::Position,
        _child: &mut Self::Cache,
    ) {
    }

    /// Sum as [`Self::sum`]; `cache` is of `position`.
    #[inline]
    fn cached_sum(network: &TupleNetwork<G>, position: &G::Position, cache: &Self::Cache) -> i32 {
        let _ = cache;
        Self::sum(network, position)
    }

    /// Value for the seat to move by a search of one ply, as [`Evaluator::one_ply`].
    fn one_ply(
        network: &TupleNetwork<G>,
        game: &G,
        position: &G::Position,
        cache: &mut Self::Cache,
    ) -> f32 {
        one_ply_serial(network, game, position, cache)
    }

    /// Writes scores as [`Evaluator::score_successors`]: log odds if batched, else win
    /// probabilities.
    fn score_successors(
        network: &TupleNetwork<G>,
        game: &G,
        position: &G::Position,
        moves: &[G::Move],
        scores: &mut [f32],
    ) {
        score_successors_serial(network, game, position, moves, scores);
    }
}

/// Quantized bias plus the weights of [`TupleKernels::row_indices`].
#[inline]
pub fn sum_by_rows<G: Learnable>(network: &TupleNetwork<G>, position: &G::Position) -> i32 {
    let mut rows = [0u32; MAX_TUPLES];
    let rows = &mut rows[..network.tuple_set().tuple_count()];
    G::Tuples::row_indices(network.tuple_set(), position, rows);
    let quantized = network.quantized_weights();
    let mut sum = quantized.bias;
    for &row in &*rows {
        sum += quantized.weights[row as usize];
    }
    sum
}

/// Inference for any game, always from scratch.
#[derive(Clone, Copy, Debug, Default)]
pub struct GenericTupleKernels;

impl<G: Learnable<Tuples = Self>> TupleKernels<G> for GenericTupleKernels {
    type Cache = ();

    fn new(_: &[Vec<Cell>]) -> Self {
        Self
    }
}

/// Inference by updates from move to move, faster where moves change few symbols.
#[derive(Clone, Copy, Debug, Default)]
pub struct IncrementalTupleKernels;

impl<G: Learnable<Tuples = Self>> TupleKernels<G> for IncrementalTupleKernels {
    type Cache = TupleRows;

    fn new(_: &[Vec<Cell>]) -> Self {
        Self
    }

    fn refresh(network: &TupleNetwork<G>, position: &G::Position, cache: &mut TupleRows) {
        cache.refresh(network, position);
    }

    fn update(
        network: &TupleNetwork<G>,
        parent: &mut TupleRows,
        before: &G::Position,
        after: &G::Position,
        child: &mut TupleRows,
    ) {
        child.update(network, parent, before, after);
    }

    #[inline]
    fn cached_sum(network: &TupleNetwork<G>, position: &G::Position, cache: &TupleRows) -> i32 {
        incremental::sum_of_rows(network, position, cache)
    }
}

pub(crate) const MAX_FILE_BITS: u32 = 20;

/// An n-tuple network, ready for evaluation.
#[derive(Clone, Debug)]
pub struct TupleNetwork<G: Learnable> {
    set: TupleSet<G>,
    weights: Vec<f32>,
    bias: f32,
    quantized: QuantizedWeights,
    /// Binary logarithm of the integer for 1.0, if weights are 16-bit integers in files.
    file_bits: Option<u32>,
    pub(crate) probcut_errors: Option<ProbcutErrors>,
}

impl<G: Learnable> PartialEq for TupleNetwork<G> {
    fn eq(&self, other: &Self) -> bool {
        let key = |one: &Self| (one.bias, one.file_bits);
        (&self.set, &self.weights, key(self)) == (&other.set, &other.weights, key(other))
            && self.probcut_errors == other.probcut_errors
    }
}

impl<G: Learnable> TupleNetwork<G> {
    /// A network with a weight per row; an error if one is not finite or sums get too large.
    pub fn new(set: TupleSet<G>, weights: Vec<f32>, bias: f32) -> Result<Self, ModelError> {
        Self::with_file_bits(set, weights, bias, None)
    }

    fn with_file_bits(
        set: TupleSet<G>,
        weights: Vec<f32>,
        bias: f32,
        file_bits: Option<u32>,
    ) -> Result<Self, ModelError> {
        if weights.len() != set.row_count() {
            let (found, expected) = (weights.len(), set.row_count());
            return Err(ModelError(format!(
                "{found} weights for {expected} rows of the tuple set"
            )));
        }
        if let Some(row) = weights.iter().position(|weight| !weight.is_finite()) {
            let weight = weights[row];
            return Err(ModelError(format!(
                "the weight of row {row} is {weight}; weights must be finite"
            )));
        }
        if !bias.is_finite() {
            return Err(ModelError(format!("the bias is {bias}; it must be finite")));
        }
        let quantized = QuantizedWeights::new(&set, &weights, bias, file_bits)?;
        Ok(Self {
            set,
            weights,
            bias,
            quantized,
            file_bits,
            probcut_errors: None,
        })
    }

    /// Rounds weights to multiples of a power of two that are 16-bit integers in files.
    pub fn rounded_to_i16(self) -> Result<Self, ModelError> {
        let max = self
            .weights
            .iter()
            .fold(0.0f32, |max, weight| max.max(weight.abs()));
        let fits = |bits: &u32| max * (1u32 << bits) as f32 <= f32::from(i16::MAX);
        let Some(bits) = (0..=MAX_FILE_BITS).rev().find(fits) else {
            return Err(ModelError(format!(
                "a weight of {max} is too large for 16 bits"
            )));
        };
        let scale = (1u32 << bits) as f32;
        let rounded = self
            .weights
            .iter()
            .map(|weight| (weight * scale).round() / scale);
        let errors = self.probcut_errors;
        let rounded = rounded.collect();
        Self::with_file_bits(self.set, rounded, self.bias, Some(bits)).map(|network| Self {
            probcut_errors: errors,
            ..network
        })
    }

    pub(crate) fn from_i16(
        set: TupleSet<G>,
        weights: &[i16],
        bias: f32,
        bits: u32,
    ) -> Result<Self, ModelError> {
        let scale = (1u32 << bits) as f32;
        let weights = weights.iter().map(|&weight| f32::from(weight) / scale);
        Self::with_file_bits(set, weights.collect(), bias, Some(bits))
    }

    /// The network with log odds `factor` times as large, rounded to 16 bits.
    pub fn with_scaled_log_odds(self, factor: f32) -> Result<Self, ModelError> {
        let errors = self.probcut_errors.map(|errors| errors.scaled(factor));
        let weights = self.weights.iter().map(|weight| weight * factor);
        let network = Self::new(self.set, weights.collect(), self.bias * factor)?;
        Self {
            probcut_errors: errors,
            ..network
        }
        .rounded_to_i16()
    }

    /// Binary logarithm of the integer for 1.0, if weights are 16-bit integers in files.
    pub fn file_bits(&self) -> Option<u32> {
        self.file_bits
    }

    /// Maximal error of the log odds by rounding to 16 bits.
    pub fn rounding_error(&self) -> f64 {
        let half_step = |bits: u32| 0.5 / f64::from(1u32 << bits);
        self.file_bits.map_or(0.0, half_step) * (self.set.tuple_count() + 1) as f64
    }

    /// The tuple set.
    #[inline]
    pub fn tuple_set(&self) -> &TupleSet<G> {
        &self.set
    }

    /// Weights by row, before quantization.
    pub fn weights(&self) -> &[f32] {
        &self.weights
    }

    /// Log odds of a position whose weights are all zero.
    pub fn bias(&self) -> f32 {
        self.bias
    }

    /// Quantized weights.
    #[inline]
    pub fn quantized_weights(&self) -> &QuantizedWeights {
        &self.quantized
    }

    /// Log odds of the side to move.
    #[inline]
    pub fn logit(&self, position: &G::Position) -> f32 {
        self.quantized.log_odds(G::Tuples::sum(self, position))
    }
}

impl<G: Learnable> Evaluator<G> for TupleNetwork<G> {
    type Cache = <G::Tuples as TupleKernels<G>>::Cache;
    const BATCHES_SUCCESSORS: bool = <G::Tuples as TupleKernels<G>>::BATCHES_SUCCESSORS;

    #[inline]
    fn one_ply(&self, game: &G, position: &G::Position, cache: &mut Self::Cache) -> f32 {
        G::Tuples::one_ply(self, game, position, cache)
    }

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
        if !Self::BATCHES_SUCCESSORS {
            return value_successors_serial(self, game, position, moves, cache, values);
        }
        G::Tuples::score_successors(self, game, position, moves, values);
        for value in values {
            *value = 1.0 - logistic(-*value);
        }
    }

    fn refresh(&self, _: &G, position: &G::Position, cache: &mut Self::Cache) {
        G::Tuples::refresh(self, position, cache);
    }

    fn update(
        &self,
        _: &G,
        parent: &mut Self::Cache,
        before: &G::Position,
        _: G::Move,
        after: &G::Position,
        child: &mut Self::Cache,
    ) {
        G::Tuples::update(self, parent, before, after, child);
    }

    #[inline]
    fn value(&self, _: &G, position: &G::Position, cache: &Self::Cache) -> f32 {
        let sum = G::Tuples::cached_sum(self, position, cache);
        self.quantized.win_probability(sum)
    }

    fn raw_score(&self, _: &G, position: &G::Position) -> Option<f32> {
        Some(self.logit(position))
    }

    #[inline]
    fn probcut_errors(&self) -> Option<&ProbcutErrors> {
        self.probcut_errors.as_ref()
    }
}
