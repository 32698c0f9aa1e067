//! Exact endgames: the win probability of every position of few stones, fair die, standard board.
//!
//! [`Tables`] hold a value for each class of positions (so many stones of the mover, so many of the
//! other side), for one variant of the rules. They are made in memory or mapped from files, and
//! never change afterwards. Invariant: 0 and 1 are only said of positions that are lost or won for
//! certain; every other value lies within [`Oracle::error`](crate::core::oracle::Oracle::error) of the
//! truth. The same cells come out on every machine, with any number of threads. The method is
//! retrograde solution by layers of total progress, see `solve.rs`; the index is in `index.rs`.

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

/// Fewest stones in all that tables can be asked for.
pub const MIN_TABLE_STONES: usize = 2;
/// Most stones in all that tables can be asked for.
pub const MAX_TABLE_STONES: usize = 6;

/// Runs a number of independent jobs, each once, in any order and on any threads: the caller owns
/// the threads.
pub type Run<'a> = &'a (dyn Fn(usize, &(dyn Fn(usize) + Sync)) + Sync);

/// Is told how many values have been computed, of how many.
pub type Progress<'a> = &'a (dyn Fn(u64, u64) + Sync);

/// Runs jobs one after the other, on the calling thread.
pub fn on_this_thread(jobs: usize, job: &(dyn Fn(usize) + Sync)) {
    (0..jobs).for_each(job);
}

/// Exact values of all positions of at most some number of stones.
#[derive(Debug)]
pub struct Tables {
    variant: Variant,
    stones: usize,
    index: Index,
    /// By [`class_index`].
    cells: Vec<Option<Cells>>,
}

/// Where a class stands in a list of all.
fn class_index(class: Class) -> usize {
    (class.mover - 1) * patterns::MAX_TABLE_STONES + class.other - 1
}

/// Why there are no tables.
#[derive(Debug, thiserror::Error)]
pub enum TablesError {
    /// Tables of so many stones cannot be.
    #[error(
        "endgame tables are for {MIN_TABLE_STONES} to {MAX_TABLE_STONES} stones in all, not {0}"
    )]
    Stones(usize),
    /// Memory for a class is not to be had.
    #[error("not enough memory for the endgame table {class}: {}", format_bytes(*bytes))]
    Memory {
        /// The class.
        class: Class,
        /// How much it needs.
        bytes: u64,
    },
    /// The disk is too small for the tables.
    #[error(
        "{}: not enough space on the disk, {} needed and {} free; name another directory, or fewer stones",
        directory.display(), format_bytes(*needed), format_bytes(*free)
    )]
    Space {
        /// The directory of the tables.
        directory: PathBuf,
        /// The most bytes that will be in use at a time while they are built, besides those that
        /// are now.
        needed: u64,
        /// Bytes that are free.
        free: u64,
    },
    /// A file could not be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// A file is not what it should be.
    #[error("{}: {problem}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
}

impl Tables {
    /// Tables that know nothing yet.
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

    /// The variant of the rules.
    #[must_use]
    pub fn variant(&self) -> Variant {
        self.variant
    }

    /// Most stones in all that these tables know.
    #[must_use]
    pub fn stones(&self) -> usize {
        self.stones
    }

    /// How far a value may be off. The values of at most five stones, the same on every machine,
    /// were all compared with double precision, both variants (`tests.rs`): at most 3.5·10⁻⁵, root
    /// mean square 6.3·10⁻⁶. From these on an error grows by at most half a unit a ply
    /// (`solve.rs`), and six stones take less than 42 plies to the goal or a capture, as each ply
    /// is a step and no stone has more than seven before its last: together less than 24 units.
    fn error_bound(&self) -> f32 {
        if self.stones <= 5 {
            4e-5
        } else {
            24.0 / 65535.0
        }
    }

    /// The cells of a class; none if it is not there.
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
