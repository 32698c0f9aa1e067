//! Endgame tables: the exact win probability of every position of few stones, with a fair die on
//! the standard board.
//!
//! [`Tables`] hold a value for each position of each class (stones of the mover, stones of the
//! other side), for one variant of the rules, in memory or mapped from files. Invariant: 0 and 1
//! are certain losses and wins; every other value lies within
//! [`Oracle::error`](crate::core::oracle::Oracle::error) of the truth. The cells are the same on
//! every machine, with any number of threads.
//!
//! Tables are solved backwards by layers of total progress (`solve.rs`); the index is in
//! `index.rs`.

mod beyond;
mod build;
mod file;
mod index;
mod kernels;
mod memory;
mod patterns;
mod probe;
pub mod shared;
mod solve;
mod statistics;
mod stream;
mod walk;

pub use index::Class;
pub use probe::{Face, Probe, SAME_VALUE};
pub use statistics::{ClassStatistics, SelfCapture};

use crate::core::{files::FileError, text::format_bytes};
use crate::games::einstein::Variant;
use index::Index;
use memory::Cells;
use std::path::PathBuf;

/// Minimum stones of tables, both sides together.
pub const MIN_TABLE_STONES: usize = 2;
/// Maximum stones of tables, both sides together.
pub const MAX_TABLE_STONES: usize = 6;

/// Runs a number of independent jobs, each once, in any order and on the caller's threads.
pub type Run<'a> = &'a (dyn Fn(usize, &(dyn Fn(usize) + Sync)) + Sync);

/// Callback with the number of computed values, and of all.
pub type Progress<'a> = &'a (dyn Fn(u64, u64) + Sync);

/// Runs jobs in order on the calling thread.
pub fn on_this_thread(jobs: usize, job: &(dyn Fn(usize) + Sync)) {
    (0..jobs).for_each(job);
}

/// Exact values of all positions of at most some number of stones.
#[derive(Debug)]
pub struct Tables {
    variant: Variant,
    stones: usize,
    index: Index,
    /// Indexed by [`class_index`].
    cells: Vec<Option<Cells>>,
}

/// Index of a class in a list of all.
fn class_index(class: Class) -> usize {
    (class.mover - 1) * patterns::MAX_TABLE_STONES + class.other - 1
}

/// Error of opening or building tables.
#[derive(Debug, thiserror::Error)]
pub enum TablesError {
    /// Unsupported number of stones.
    #[error(
        "endgame tables are for {MIN_TABLE_STONES} to {MAX_TABLE_STONES} stones in all, not {0}"
    )]
    Stones(usize),
    /// Not enough memory for a class.
    #[error("not enough memory for the endgame table {class}: {}", format_bytes(*bytes))]
    Memory {
        /// Class of the table.
        class: Class,
        /// Bytes that it needs.
        bytes: u64,
    },
    /// Not enough space on the disk.
    #[error(
        "{}: not enough space on the disk, {} needed and {} free; name another directory, or fewer stones",
        directory.display(), format_bytes(*needed), format_bytes(*free)
    )]
    Space {
        /// Directory of the tables.
        directory: PathBuf,
        /// Additional bytes in use at most while the tables are built.
        needed: u64,
        /// Free bytes.
        free: u64,
    },
    /// Failure of reading or writing a file.
    #[error(transparent)]
    File(#[from] FileError),
    /// File with wrong content.
    #[error("{}: {problem}", path.display())]
    Damaged {
        /// Path of the file.
        path: PathBuf,
        /// Description of the problem.
        problem: String,
    },
}

impl Tables {
    /// Tables without any class.
    fn empty(stones: usize, variant: Variant) -> Result<Self, TablesError> {
        if !(MIN_TABLE_STONES..=MAX_TABLE_STONES).contains(&stones) {
            return Err(TablesError::Stones(stones));
        }
        Ok(Self {
            variant,
            stones,
            index: Index::new(stones),
            cells: (0..25).map(|_| None).collect(),
        })
    }

    /// Variant of the rules.
    #[must_use]
    pub fn variant(&self) -> Variant {
        self.variant
    }

    /// Maximum stones, both sides together.
    #[must_use]
    pub fn stones(&self) -> usize {
        self.stones
    }

    /// Maximum error of a value. The values of at most five stones, the same on every machine, were
    /// all compared with double precision, both variants (`tests.rs`): at most 3.5·10⁻⁵, root mean
    /// square 6.3·10⁻⁶. With more stones the error grows by at most half a unit a ply (`solve.rs`),
    /// and six stones take less than 42 plies to the goal or a capture, as each ply is a step and
    /// no stone has more than seven before its last: together less than 24 units.
    fn error_bound(&self) -> f32 {
        if self.stones <= 5 {
            4e-5
        } else {
            24.0 / 65535.0
        }
    }

    /// Cells of a class; empty if it is missing.
    #[inline]
    fn slice(&self, class: Class) -> &[u16] {
        self.cells[class_index(class)]
            .as_ref()
            .map_or(&[], Cells::as_slice)
    }

    fn size(&self, class: Class) -> u64 {
        (self.index.blocks(class) * class.block()) as u64
    }
}

#[cfg(test)]
mod tests;
