//! Work that is spread over tasks, on one machine or many: which of its parts a process does.
//!
//! The parts of a work are numbered from 0. A task does a range of them that follows from its
//! number alone, and keeps what it did in files of its own; later all that is collected. Invariant:
//! every part belongs to one task, and the parts of a task stand before those of the next.

use crate::core::text::joined;
use std::{
    ops::Range,
    path::{Path, PathBuf},
};

/// What is done here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TaskSlice {
    /// All of the work.
    #[default]
    All,
    /// What one of so many tasks does.
    Task {
        /// Which, from 0.
        number: u64,
        /// How many there are.
        of: u64,
    },
    /// Nothing; what so many tasks did is collected.
    Merge {
        /// How many there are.
        of: u64,
    },
}

impl TaskSlice {
    /// Which of so many parts belong to this share; collected are all of them.
    #[must_use]
    pub fn parts(self, parts: u64) -> Range<u64> {
        let Self::Task { number, of } = self else {
            return 0..parts;
        };
        let begin =
            |number: u64| (u128::from(parts) * u128::from(number) / u128::from(of.max(1))) as u64;
        begin(number)..begin(number + 1)
    }

    /// Whether this is one task of many.
    #[must_use]
    pub fn is_task(self) -> bool {
        matches!(self, Self::Task { .. })
    }

    /// Where all is collected: which tasks lack some of their parts, in a line.
    #[must_use]
    pub fn missing(
        self,
        place: &Path,
        parts: u64,
        is_done: impl Fn(u64) -> bool,
    ) -> Option<String> {
        let Self::Merge { of } = self else {
            return None;
        };
        // Tasks that follow each other are named by the first and the last.
        let mut ranges: Vec<(u64, u64)> = Vec::new();
        for number in 0..of {
            let task = Self::Task { number, of };
            if task.parts(parts).all(&is_done) {
                continue;
            }
            match ranges.last_mut() {
                Some((_, last)) if *last == number => *last += 1,
                _ => ranges.push((number + 1, number + 1)),
            }
        }
        let names = ranges.iter().map(|&(first, last)| match last - first {
            0 => first.to_string(),
            _ => format!("{first}-{last}"),
        });
        let names = joined(names, ", ");
        let place = place.display();
        (!names.is_empty())
            .then(|| format!("{place}: not all of {of} tasks are done: {names} lack something"))
    }

    /// Where this share of a file is kept: `FILE.3-of-10`, all of it as `FILE`.
    #[must_use]
    pub fn place(self, whole: &Path) -> PathBuf {
        let mut name = whole.as_os_str().to_owned();
        if let Self::Task { number, of } = self {
            name.push(format!(".{}-of-{of}", number + 1));
        }
        name.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_belongs_to_one_task_and_tasks_are_about_equal() {
        for (parts, of) in [(10, 3), (3, 10), (0, 4), (u64::MAX, 1000)] {
            let mut next = 0;
            for number in 0..of {
                let range = TaskSlice::Task { number, of }.parts(parts);
                assert!(range.start == next && range.end - next - parts / of <= 1);
                next = range.end;
            }
            assert_eq!(next, parts);
        }
    }
}
