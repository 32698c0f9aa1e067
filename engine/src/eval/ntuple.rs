//! n-tuple networks: a sum of table entries, each picked by a few symbols of the position.
//!
//! The logit is `bias + Σ weights[index of tuple t]`, the value its logistic. The tables of all tuples stand one after
//! the other in one array of weights, which is what training updates and model files hold.
//! Invariant: [`TupleSet::indices`] is the only place that turns positions into rows; training uses it too, and
//! [`TupleSet::description`] says canonically what it computes. See [`TupleSet::named`] for the sets there are.
//! Source: n-tuple networks for games, Lucas 2008 (Othello); for EinStein Chu et al. (TAAI 2017).

mod sets;
mod view;

pub use sets::{SET_NAMES, UnknownSet};
pub use view::{Cell, View};

use crate::eval::Evaluator;
use crate::eval::calibration::logistic;
use crate::games::einstein::{Position, Standard};

/// Most tuples a set has; bounds the stack space of an evaluation.
pub const MAX_TUPLES: usize = 256;

/// Most cells a tuple has.
pub const MAX_CELLS: usize = 12;

/// A named list of tuples with the layout of their tables.
#[derive(Clone, Debug, PartialEq)]
pub struct TupleSet {
    name: &'static str,
    /// The cells of each tuple, shorter tuples first.
    tuples: Vec<Vec<Cell>>,
    /// The first row of each tuple's table.
    bases: Vec<u32>,
    /// For the cells of all tuples, one after the other: the place in the view, and what one step of its symbol adds
    /// to the row.
    terms: Vec<Term>,
    /// Runs of tuples of the same length: how many cells, how many tuples.
    runs: Vec<(usize, usize)>,
    rows: usize,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Term {
    stride: u32,
    cell: u32,
}

impl TupleSet {
    /// One of the sets this build knows; sizes are in the description of each name in [`SET_NAMES`].
    ///
    /// # Errors
    /// If there is no such set; the error lists those there are.
    pub fn named(name: &str) -> Result<Self, UnknownSet> {
        sets::named(name)
    }

    /// A set of these tuples; they are sorted by length, which otherwise keeps their order.
    ///
    /// # Panics
    /// If there are more than [`MAX_TUPLES`], one has no cell or more than [`MAX_CELLS`], or the rows exceed `u32`.
    fn new(name: &'static str, mut tuples: Vec<Vec<Cell>>) -> Self {
        assert!(tuples.len() <= MAX_TUPLES, "at most {MAX_TUPLES} tuples");
        tuples.sort_by_key(Vec::len);
        let mut bases = Vec::new();
        let mut terms = Vec::new();
        let mut runs: Vec<(usize, usize)> = Vec::new();
        let mut rows = 0u64;
        for tuple in &tuples {
            assert!((1..=MAX_CELLS).contains(&tuple.len()), "a tuple has 1 to {MAX_CELLS} cells");
            bases.push(rows as u32);
            let mut stride = 1u64;
            for cell in tuple {
                terms.push(Term { stride: stride as u32, cell: cell.place() as u32 });
                stride *= cell.symbols() as u64;
            }
            rows += stride;
            assert!(rows <= u64::from(u32::MAX), "rows are counted in 32 bits");
            match runs.last_mut() {
                Some((length, count)) if *length == tuple.len() => *count += 1,
                _ => runs.push((tuple.len(), 1)),
            }
        }
        Self { name, tuples, bases, terms, runs, rows: rows as usize }
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// How many rows all tables have together: the number of weights.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// How many tuples there are: one row of each is on in every position.
    #[must_use]
    pub fn tuples(&self) -> usize {
        self.tuples.len()
    }

    /// The cells of each tuple, in the order of their tables.
    #[must_use]
    pub fn cells(&self) -> &[Vec<Cell>] {
        &self.tuples
    }

    /// The row of each tuple, counted over all tables.
    ///
    /// # Panics
    /// If `out` is not [`Self::tuples`] long.
    #[inline]
    pub fn indices(&self, position: &Position, out: &mut [u32]) {
        assert_eq!(out.len(), self.tuples.len(), "one row for each tuple");
        out.copy_from_slice(&self.bases);
        let view = View::new(position);
        let (mut terms, mut out) = (&self.terms[..], out);
        for &(length, count) in &self.runs {
            let (these_terms, rest) = terms.split_at(length * count);
            let (these, later) = out.split_at_mut(count);
            // Known lengths let the compiler unroll the inner loop.
            match length {
                1 => add_terms::<1>(&view, these_terms, these),
                2 => add_terms::<2>(&view, these_terms, these),
                3 => add_terms::<3>(&view, these_terms, these),
                4 => add_terms::<4>(&view, these_terms, these),
                6 => add_terms::<6>(&view, these_terms, these),
                _ => {
                    for (terms, row) in these_terms.chunks_exact(length).zip(these) {
                        *row += row_offset(&view, terms);
                    }
                }
            }
            (terms, out) = (rest, later);
        }
    }

    /// The canonical text that says what [`Self::indices`] computes; its hash is the feature hash of a model.
    #[must_use]
    pub fn description(&self) -> String {
        let tuples: Vec<String> =
            self.tuples.iter().map(|tuple| tuple.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")).collect();
        format!("ntuple v1: {}; set {}: {}", View::DESCRIPTION, self.name, tuples.join(", "))
    }
}

#[inline]
fn add_terms<const CELLS: usize>(view: &View, terms: &[Term], rows: &mut [u32]) {
    let (terms, _) = terms.as_chunks::<CELLS>();
    for (terms, row) in terms.iter().zip(rows) {
        *row += row_offset(view, terms);
    }
}

#[inline(always)]
fn row_offset(view: &View, terms: &[Term]) -> u32 {
    terms.iter().map(|term| term.stride * u32::from(view.symbol(term.cell as usize))).sum()
}

/// An n-tuple network.
#[derive(Clone, Debug, PartialEq)]
pub struct NTuple {
    set: TupleSet,
    weights: Vec<f32>,
    bias: f32,
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
}

impl NTuple {
    /// The network of one weight for each row of the set.
    ///
    /// # Errors
    /// If the number of weights is wrong or one is not finite.
    pub fn new(set: TupleSet, weights: Vec<f32>, bias: f32) -> Result<Self, NTupleError> {
        if weights.len() != set.rows() {
            return Err(NTupleError::Length { found: weights.len(), expected: set.rows() });
        }
        if let Some(row) = weights.iter().position(|weight| !weight.is_finite()) {
            return Err(NTupleError::NotFinite { row, weight: weights[row] });
        }
        if !bias.is_finite() {
            return Err(NTupleError::Bias(bias));
        }
        Ok(Self { set, weights, bias })
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

    /// Log odds of the side to move.
    #[must_use]
    #[inline]
    pub fn logit(&self, position: &Position) -> f32 {
        let mut rows = [0u32; MAX_TUPLES];
        let rows = &mut rows[..self.set.tuples()];
        self.set.indices(position, rows);
        // Four partial sums, so that one addition need not wait for another; the order is fixed.
        let mut sums = [0.0f32; 4];
        let (quads, rest) = rows.as_chunks::<4>();
        for quad in quads {
            for (sum, row) in sums.iter_mut().zip(quad) {
                *sum += self.weights[*row as usize];
            }
        }
        for (sum, row) in sums.iter_mut().zip(rest) {
            *sum += self.weights[*row as usize];
        }
        self.bias + ((sums[0] + sums[1]) + (sums[2] + sums[3]))
    }
}

impl Evaluator<Standard> for NTuple {
    type Cache = ();

    #[inline]
    fn value(&self, _: &Standard, position: &Position, (): &()) -> f32 {
        logistic(self.logit(position))
    }
}

#[cfg(test)]
mod tests;
