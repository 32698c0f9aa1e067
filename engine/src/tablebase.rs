//! Exact endgames: the win probability of every position of few stones, fair die, standard board.
//!
//! [`Tables`] hold a value for each class of positions (so many stones of the mover, so many of the other side), for one
//! variant of the rules. They are made in memory or mapped from files, and never change afterwards. Invariant: 0 and 1
//! are only said of positions that are lost or won for certain; every other value lies within [`Oracle::error`] of the
//! truth. The same cells come out on every machine, with any number of threads. The method is retrograde solution by
//! layers of total progress, see `solve.rs`; the index is in `index.rs`.

mod index;
mod kernels;
mod memory;
mod patterns;
mod probe;
mod solve;
mod walk;

pub use index::Class;
pub use probe::{Face, Probe, SAME_VALUE};

use crate::games::einstein::Variant;
use index::Index;
use kernels::Instructions;
use memory::{Blocks, Cells};
use solve::{Solver, Target};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Fewest stones in all that tables can be asked for.
pub const FEWEST_STONES: usize = 2;
/// Most stones in all that tables can be asked for.
pub const MOST_STONES: usize = 6;

/// Runs a number of independent jobs, each once, in any order and on any threads: the caller owns the threads.
pub type Run<'a> = &'a dyn Fn(usize, &(dyn Fn(usize) + Sync));

/// Is told how many values have been computed, of how many.
pub type Progress<'a> = &'a (dyn Fn(u64, u64) + Sync);

/// Runs jobs one after the other, on the calling thread.
pub fn on_this_thread(jobs: usize, job: &(dyn Fn(usize) + Sync)) {
    (0..jobs).for_each(job);
}

/// About how many jobs a layer of a class is cut into.
const JOBS: usize = 64;

/// Exact values of all positions of at most some number of stones.
#[derive(Debug)]
pub struct Tables {
    variant: Variant,
    stones: usize,
    index: Index,
    /// By [`place`].
    cells: Vec<Option<Cells>>,
}

/// Where a class stands in a list of all.
fn place(class: Class) -> usize {
    (class.mover - 1) * patterns::MOST_STONES + class.other - 1
}

/// Why there are no tables.
#[derive(Debug, thiserror::Error)]
pub enum TablesError {
    /// Memory for a class is not to be had.
    #[error("not enough memory for the endgame table {class}: {bytes} bytes")]
    Memory {
        /// The class.
        class: Class,
        /// How much it needs.
        bytes: u64,
    },
}

impl Tables {
    /// Computes all classes of at most `stones` stones in memory.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn in_memory(stones: usize, variant: Variant, run: Run<'_>, progress: Progress<'_>) -> Result<Arc<Self>, TablesError> {
        let instructions = Instructions::available().pop().unwrap_or(Instructions::Portable);
        Self::solved(stones, variant, instructions, run, progress).map(Arc::new)
    }

    fn solved(
        stones: usize,
        variant: Variant,
        instructions: Instructions,
        run: Run<'_>,
        progress: Progress<'_>,
    ) -> Result<Self, TablesError> {
        let mut tables = Self { variant, stones, index: Index::new(stones), cells: (0..25).map(|_| None).collect() };
        let all: u64 = Class::up_to(stones).into_iter().map(|class| tables.size(class)).sum();
        let done = AtomicU64::new(0);
        for class in Class::up_to(stones).into_iter().filter(|class| class.mover <= class.other) {
            let solved = {
                let finished = |class: Class| tables.cells[place(class)].as_ref().map_or(&[][..], Cells::as_slice);
                let pair = Pair::new(&tables.index, class)?;
                let solver = Solver::new(&tables.index, variant, class, instructions, &finished);
                let jobs = solver.jobs(JOBS);
                for layer in (0..=solve::layers(class)).rev() {
                    run(jobs.len(), &|job| {
                        let blocks = solver.run(&jobs[job], layer, &pair);
                        let values = (blocks * class.block()) as u64;
                        progress(done.fetch_add(values, Ordering::Relaxed) + values, all);
                    });
                }
                pair.blocks
            };
            for (class, blocks) in solved {
                tables.cells[place(class)] = blocks.finish();
            }
        }
        Ok(tables)
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

    /// How far a value may be off, proven; see `solve.rs`.
    fn error_bound(&self) -> f32 {
        if self.stones <= 5 { 4e-5 } else { 4e-4 }
    }

    /// Number of values of a class.
    fn size(&self, class: Class) -> u64 {
        (self.index.blocks(class) * class.block()) as u64
    }
}

/// Two classes that are solved together, in memory.
struct Pair<'a> {
    index: &'a Index,
    blocks: Vec<(Class, Blocks)>,
}

impl<'a> Pair<'a> {
    fn new(index: &'a Index, class: Class) -> Result<Self, TablesError> {
        let mut blocks = Vec::new();
        for class in [class, class.turned()] {
            if blocks.iter().all(|(other, _)| *other != class) {
                let number = index.blocks(class);
                let bytes = (2 * number * class.block()) as u64;
                blocks.push((class, Blocks::new(number, class.block()).ok_or(TablesError::Memory { class, bytes })?));
            }
        }
        Ok(Self { index, blocks })
    }

    #[inline]
    fn of(&self, class: Class) -> &Blocks {
        &self.blocks[usize::from(class != self.blocks[0].0)].1
    }
}

impl Target for Pair<'_> {
    #[inline]
    fn get(&self, class: Class, _layer: usize, row: usize, rank: usize) -> Option<&[u16]> {
        self.of(class).get(self.index.first_block(class, row) + rank)
    }

    #[inline]
    fn set(&self, class: Class, _layer: usize, row: usize, rank: usize, fill: impl FnOnce(&mut [u16])) {
        self.of(class).set(self.index.first_block(class, row) + rank, fill);
    }
}

#[cfg(test)]
mod tests;
