//! What makes no set of tuples, each as one line.

use super::cell::UnknownCell;
use super::set::{MAX_CELLS, MAX_ROWS, MAX_TUPLES};
use super::sets::SET_NAMES;

/// Why there is no such set of tuples.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TupleError {
    /// A name that is no tuple set's.
    #[error("'{0}' is no tuple set; there are {list}", list = SET_NAMES.join(", "))]
    UnknownSet(String),
    /// A text that names no cell.
    #[error(transparent)]
    UnknownCell(#[from] UnknownCell),
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
    #[error("phases {0:?}: numbers of stones must ascend, from 2 to 11")]
    Phases(Vec<u8>),
}
