//! Endgame tablebase by retrograde analysis: win probabilities of all positions with few stones,
//! for a fair die on the standard board.
//!
//! Stored 0 and 1 are certain results; other values are within `Oracle::max_error` of the truth.
//! Tables are identical on every machine.

mod build;
mod cell_storage;
mod external_memory;
mod file;
mod index;
mod kernels;
mod label_patterns;
mod on_demand_solve;
mod probe;
pub mod shared_tables;
mod solve;
mod statistics;
mod visit;

pub use index::Class;
pub use probe::{FaceResult, ProbeResult, SAME_VALUE_MARGIN};
pub use statistics::{ClassStatistics, SelfCapture};

use crate::Variant;
use alea_core::{files::FileError, text::format_bytes};
use cell_storage::Cells;
use index::Index;
use std::path::Path;

/// Minimum stones (both sides together) for which tables can be built.
pub const MIN_TABLE_STONES: usize = 2;
/// Maximum stones (both sides together) for which tables can be built.
pub const MAX_TABLE_STONES: usize = 6;

/// Function `run(jobs, job)`: calls `job(0)` to `job(jobs - 1)`, each once, possibly in parallel.
pub type Run<'a> = &'a (dyn Fn(usize, &(dyn Fn(usize) + Sync)) + Sync);

/// Progress callback: positions solved so far, and in total.
pub type ReportProgress<'a> = &'a (dyn Fn(u64, u64) + Sync);

/// A [`Run`] that calls the jobs in sequence on the calling thread.
pub fn run_sequentially(jobs: usize, job: &(dyn Fn(usize) + Sync)) {
    (0..jobs).for_each(job);
}

/// Win probabilities, before the roll, of all positions with at most [`Self::max_stones`] stones.
#[derive(Debug)]
pub struct Tables {
    variant: Variant,
    stones: usize,
    index: Index,
    /// Cells of each class, by [`class_index`]; `None` if not loaded.
    cells: Vec<Option<Cells>>,
}

fn class_index(class: Class) -> usize {
    (class.mover - 1) * label_patterns::MAX_SIDE_STONES + class.other - 1
}

/// Why tables could not be built or opened, in one line.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct TablesError(String);

impl TablesError {
    fn no_memory(class: Class, bytes: u64) -> Self {
        let needed = format_bytes(bytes);
        Self(format!(
            "not enough memory for the endgame table {class}: {needed}"
        ))
    }

    fn file_error(path: &Path, problem: &str) -> Self {
        Self(format!("{}: {problem}", path.display()))
    }
}

impl From<FileError> for TablesError {
    fn from(error: FileError) -> Self {
        Self(error.to_string())
    }
}

impl Tables {
    fn empty(stones: usize, variant: Variant) -> Result<Self, TablesError> {
        if !(MIN_TABLE_STONES..=MAX_TABLE_STONES).contains(&stones) {
            return Err(TablesError(format!(
                "endgame tables are for {MIN_TABLE_STONES} to {MAX_TABLE_STONES} stones in all, not {stones}"
            )));
        }
        Ok(Self {
            variant,
            stones,
            index: Index::new(stones),
            cells: (0..25).map(|_| None).collect(),
        })
    }

    /// The variant of the rules for which these tables hold.
    pub fn variant(&self) -> Variant {
        self.variant
    }

    /// Maximum stones (both sides together) of positions in these tables.
    pub fn max_stones(&self) -> usize {
        self.stones
    }

    /// Maximal error of a value. With at most five stones, all values were compared with double
    /// precision (`tests.rs`): error at most 3.5·10⁻⁵. With six, fewer than 42 plies to the goal or
    /// a capture add at most half a unit of 1/65535 each (`solve.rs`).
    fn error_bound(&self) -> f32 {
        if self.stones <= 5 {
            4e-5
        } else {
            24.0 / 65535.0
        }
    }

    #[inline]
    fn cells_of(&self, class: Class) -> &[u16] {
        self.cells[class_index(class)]
            .as_ref()
            .map_or(&[], Cells::as_slice)
    }

    fn num_cells(&self, class: Class) -> u64 {
        (self.index.num_blocks(class) * class.cells_per_block()) as u64
    }
}

#[cfg(test)]
mod tests;
