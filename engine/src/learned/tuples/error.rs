//! What makes no set of tuples, each as one line.

use super::set::{MAX_CELLS, MAX_ROWS, MAX_TUPLES};

/// Why there is no such set of tuples.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TupleError {
    /// A name that is no tuple set's.
    #[error("'{name}' is no tuple set; there are {known}")]
    UnknownSet {
        /// What was asked for.
        name: String,
        /// The names there are.
        known: String,
    },
    /// A text that names no cell.
    #[error("'{cell}' is no cell; there are {known}")]
    UnknownCell {
        /// The text.
        cell: String,
        /// The names there are.
        known: String,
    },
    /// None, or too many.
    #[error("{0} tuples; a set has 1 to {MAX_TUPLES}")]
    Tuples(usize),
    /// A tuple without cells, or with too many.
    #[error("tuple {tuple} has {cells} cells; a tuple has 1 to {MAX_CELLS}")]
    Cells {
        /// Its number, from 1.
        tuple: usize,
        /// How many it has.
        cells: usize,
    },
    /// A cell that says nothing new.
    #[error("the tuple '{tuple}' has {cell} twice")]
    CellTwice {
        /// Its text.
        tuple: String,
        /// The cell.
        cell: String,
    },
    /// A tuple that says nothing new.
    #[error("the tuple '{0}' is there twice, if its cells are taken in some order")]
    TupleTwice(String),
    /// Tables that are too large.
    #[error("{0} rows in all tables and phases; there may be {MAX_ROWS}")]
    Rows(u64),
    /// Phases that are none.
    #[error("phases {phases:?}: numbers of {remaining} must ascend, from {first} to {last}")]
    Phases {
        /// What was asked for.
        phases: Vec<u8>,
        /// What is counted.
        remaining: &'static str,
        /// The least that may end a phase.
        first: usize,
        /// The most that may.
        last: usize,
    },
}
