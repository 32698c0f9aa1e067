//! Builds tables in memory or as files.

use super::{
    ReportProgress, Run, Tables, TablesError,
    cell_storage::{Blocks, Cells},
    class_index, external_memory, file,
    index::{Class, Index},
    solve::{self, BlockStore, Solver},
};
use crate::Variant;
use alea_core::{files, job_array::TaskSlice, simd::Instructions, text::format_bytes};
use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

const JOBS_PER_LAYER: usize = 64;

#[derive(Clone, Copy)]
pub(super) struct BuildContext<'a> {
    pub(super) instructions: Instructions,
    pub(super) run: Run<'a>,
    pub(super) progress: ReportProgress<'a>,
    pub(super) done: &'a AtomicU64,
    pub(super) all: u64,
}

impl BuildContext<'_> {
    pub(super) fn solve_layer(
        &self,
        solver: &Solver<'_>,
        class: Class,
        layer: usize,
        target: &(dyn BlockStore + '_),
    ) {
        let jobs = solver.jobs(JOBS_PER_LAYER);
        (self.run)(jobs.len(), &|job| {
            let blocks = solver.run(&jobs[job], layer, target);
            self.report_solved((blocks * class.cells_per_block()) as u64);
        });
    }

    fn report_solved(&self, values: u64) {
        (self.progress)(
            self.done.fetch_add(values, Ordering::Relaxed) + values,
            self.all,
        );
    }
}

impl Tables {
    /// Computes tables of at most `stones` stones (2–6, both sides together) in memory.
    pub fn in_memory(
        stones: usize,
        variant: Variant,
        run: Run<'_>,
        progress: ReportProgress<'_>,
    ) -> Result<Arc<Self>, TablesError> {
        Self::compute(stones, variant, Instructions::detect(), run, progress).map(Arc::new)
    }

    pub(super) fn compute(
        stones: usize,
        variant: Variant,
        instructions: Instructions,
        run: Run<'_>,
        progress: ReportProgress<'_>,
    ) -> Result<Self, TablesError> {
        let mut tables = Self::empty(stones, variant)?;
        let done = AtomicU64::new(0);
        let all = Class::up_to(stones)
            .into_iter()
            .map(|class| tables.num_cells(class))
            .sum();
        let work = BuildContext {
            instructions,
            run,
            progress,
            done: &done,
            all,
        };
        for class in Class::pairs_up_to(stones) {
            for (class, blocks) in tables.solve_pair(class, &work)? {
                tables.cells[class_index(class)] = blocks.into_cells();
            }
        }
        Ok(tables)
    }

    /// Validates and maps table files of at most `stones` stones (2–6, both sides together).
    pub fn open(
        directory: &Path,
        stones: usize,
        variant: Variant,
        run: Run<'_>,
    ) -> Result<Arc<Self>, TablesError> {
        let mut tables = Self::empty(stones, variant)?;
        for class in Class::up_to(stones) {
            tables.cells[class_index(class)] = Some(tables.open_class(directory, class, run)?);
        }
        Ok(Arc::new(tables))
    }

    /// Builds missing or damaged files of at most `stones` stones (2–6, both sides together) with
    /// about `memory` bytes, and maps all.
    ///
    /// One of several tasks builds and maps its slice of the class pairs with exactly `stones`
    /// stones; files of fewer must exist.
    pub fn build(
        directory: &Path,
        stones: usize,
        variant: Variant,
        memory: u64,
        task_slice_of_classes: TaskSlice,
        run: Run<'_>,
        progress: ReportProgress<'_>,
    ) -> Result<Arc<Self>, TablesError> {
        let mut tables = Self::empty(stones, variant)?;
        let is_task = task_slice_of_classes.is_task();
        let _lock = files::claim_directory_for_slice(directory, task_slice_of_classes)?;
        let mut firsts: Vec<Class> = Class::pairs_up_to(stones).collect();
        firsts.retain(|class| !is_task || class.stones() == stones);
        let of_slice = task_slice_of_classes.part_range(firsts.len() as u64);
        let firsts = &firsts[of_slice.start as usize..of_slice.end as usize];
        let ours = |class| {
            firsts
                .iter()
                .any(|first| first.with_mirror().contains(&class))
        };
        let mut missing = Vec::new();
        for class in Class::up_to(stones) {
            let is_given = is_task && class.stones() < stones;
            if !is_given && !ours(class) {
                continue;
            }
            match tables.open_class(directory, class, run) {
                Ok(cells) => tables.cells[class_index(class)] = Some(cells),
                Err(_) if is_given => {
                    let problem = format!(
                        "tables of {stones} stones are made from those of {}, and these are not all there",
                        stones - 1
                    );
                    return Err(TablesError::file_error(directory, &problem));
                }
                Err(_) => missing.push(class),
            }
        }
        let done = AtomicU64::new(0);
        let sizes = |class: Class| {
            let both = class.with_mirror().into_iter();
            both.map(|class| tables.num_cells(class))
                .collect::<Vec<_>>()
        };
        let values = |class: Class| sizes(class).into_iter().sum::<u64>();
        let to_build: Vec<(Class, bool)> = (firsts.iter().copied())
            .filter(|class| {
                class
                    .with_mirror()
                    .iter()
                    .any(|class| missing.contains(class))
            })
            .map(|class| (class, 2 * values(class) > memory))
            .collect();
        let all = to_build.iter().map(|&(class, _)| values(class)).sum();
        let pairs = to_build.iter().map(|&(class, streamed)| {
            let files = sizes(class).into_iter().map(file::file_size);
            (files.collect(), streamed)
        });
        if let (needed, Some(free)) = (max_disk_space(pairs), files::free_space(directory))
            && needed > free
        {
            return Err(disk_space_error(directory, needed, free));
        }
        let work = BuildContext {
            instructions: Instructions::detect(),
            run,
            progress,
            done: &done,
            all,
        };
        for (class, streamed) in to_build {
            if !streamed {
                for (class, blocks) in tables.solve_pair(class, &work)? {
                    let cells = blocks.all_blocks().unwrap_or_default();
                    file::write(
                        &file::table_path(directory, variant, class),
                        variant,
                        class,
                        tables.num_cells(class),
                        |file| file.write(cells),
                    )?;
                }
            } else {
                external_memory::build_class_pair(&tables, directory, class, memory, &work)?;
            }
            for class in class.with_mirror() {
                tables.cells[class_index(class)] = Some(tables.open_class(directory, class, run)?);
            }
        }
        Ok(Arc::new(tables))
    }

    /// Largest number of stones for which `directory` has files (not validated) of all classes.
    pub fn stones_on_disk(directory: &Path, variant: Variant) -> Option<usize> {
        let there = |stones: &usize| {
            Class::up_to(*stones)
                .into_iter()
                .all(|class| file::table_path(directory, variant, class).is_file())
        };
        (super::MIN_TABLE_STONES..=super::MAX_TABLE_STONES)
            .rev()
            .find(there)
    }

    /// Total bytes of one variant's table files of at most `stones` stones.
    pub fn bytes_on_disk(stones: usize) -> Result<u64, TablesError> {
        let tables = Self::empty(stones, Variant::Classic)?;
        Ok(Class::up_to(stones)
            .into_iter()
            .map(|class| file::file_size(tables.num_cells(class)))
            .sum())
    }

    fn open_class(
        &self,
        directory: &Path,
        class: Class,
        run: Run<'_>,
    ) -> Result<Cells, TablesError> {
        file::open(
            &file::table_path(directory, self.variant, class),
            self.variant,
            class,
            self.num_cells(class),
            run,
        )
    }

    fn solve_pair(
        &self,
        class: Class,
        work: &BuildContext<'_>,
    ) -> Result<Vec<(Class, Blocks)>, TablesError> {
        let finished = |class: Class| self.cells_of(class);
        let pair = ClassPair::new(&self.index, class)?;
        let solver = Solver::new(
            &self.index,
            self.variant,
            class,
            work.instructions,
            &finished,
        );
        for layer in (0..=solve::max_layer(class)).rev() {
            work.solve_layer(&solver, class, layer, &pair);
        }
        Ok(pair.blocks)
    }
}

fn max_disk_space(pairs: impl Iterator<Item = (Vec<u64>, bool)>) -> u64 {
    let (mut written, mut max_space) = (0, 0);
    for (files, streamed) in pairs {
        let mut streams: u64 = if streamed { files.iter().sum() } else { 0 };
        for file in files {
            written += file;
            max_space = max_space.max(written + streams);
            streams -= if streamed { file } else { 0 };
        }
    }
    max_space
}

fn disk_space_error(directory: &Path, needed: u64, free: u64) -> TablesError {
    let [needed, free] = [needed, free].map(format_bytes);
    let problem = format!(
        "not enough space on the disk, {needed} needed and {free} free; name another directory, or fewer stones"
    );
    TablesError::file_error(directory, &problem)
}

struct ClassPair<'a> {
    index: &'a Index,
    blocks: Vec<(Class, Blocks)>,
}

impl<'a> ClassPair<'a> {
    fn new(index: &'a Index, class: Class) -> Result<Self, TablesError> {
        let room = |class: Class| {
            let number = index.num_blocks(class);
            let bytes = (2 * number * class.cells_per_block()) as u64;
            let blocks = Blocks::new(number, class.cells_per_block());
            let blocks = blocks.ok_or_else(|| TablesError::no_memory(class, bytes))?;
            Ok((class, blocks))
        };
        let blocks = class
            .with_mirror()
            .into_iter()
            .map(room)
            .collect::<Result<_, TablesError>>()?;
        Ok(Self { index, blocks })
    }
}

impl BlockStore for ClassPair<'_> {
    #[inline]
    fn find_block(&self, class: Class, _layer: usize, row: usize, rank: usize) -> (&Blocks, usize) {
        let (_, blocks) = &self.blocks[usize::from(class != self.blocks[0].0)];
        (blocks, self.index.first_block(class, row) + rank)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_disk_holds_what_was_written_and_what_is_streamed() {
        let max_space = |pairs: &[(&[u64], bool)]| {
            max_disk_space(
                pairs
                    .iter()
                    .map(|&(files, streamed)| (files.to_vec(), streamed)),
            )
        };
        assert_eq!(max_space(&[]), 0);
        assert_eq!(max_space(&[(&[5], false), (&[2, 3], false)]), 10);
        assert_eq!(max_space(&[(&[5], false), (&[4, 3], true)]), 5 + 7 + 4);
        assert_eq!(max_space(&[(&[4, 3], true), (&[20], false)]), 27);
    }

    #[cfg(unix)]
    #[test]
    fn a_disk_that_is_too_small_is_named_before_anything_is_computed() {
        for (needed, free, expected) in [
            (22_945_000_000, 1_000_000, "22.9 GB needed and 1.0 MB free"),
            (40_960, 0, "41.0 kB needed and 0 bytes free"),
        ] {
            let error = disk_space_error(Path::new("there"), needed, free).to_string();
            let begin = format!("there: not enough space on the disk, {expected};");
            assert!(error.starts_with(&begin), "{error}");
        }
    }
}
