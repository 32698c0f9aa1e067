//! Division of work among the tasks of a job array: each does a range of its numbered parts.

use crate::text::joined;
use std::{
    ops::Range,
    path::{Path, PathBuf},
};

/// The parts of the work that this process does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TaskSlice {
    /// All parts.
    #[default]
    All,
    /// One of several tasks.
    Task {
        /// Index of this task, from 0.
        number: u64,
        /// Number of tasks.
        of: u64,
    },
    /// No new parts: merges the results of all tasks.
    Merge {
        /// Number of tasks.
        of: u64,
    },
}

impl TaskSlice {
    /// Numbers of the parts, of `parts` in total, in this slice; all for a merge.
    pub fn part_range(self, parts: u64) -> Range<u64> {
        let Self::Task { number, of } = self else {
            return 0..parts;
        };
        let start_of =
            |number: u64| (u128::from(parts) * u128::from(number) / u128::from(of.max(1))) as u64;
        start_of(number)..start_of(number + 1)
    }

    /// Whether this is one task of several.
    pub fn is_task(self) -> bool {
        matches!(self, Self::Task { .. })
    }

    /// Error message with the tasks of a merge that lack parts; `None` without any.
    pub fn missing_tasks(
        self,
        path_for: &Path,
        parts: u64,
        is_done: impl Fn(u64) -> bool,
    ) -> Option<String> {
        let Self::Merge { of } = self else {
            return None;
        };
        let mut ranges: Vec<(u64, u64)> = Vec::new();
        for number in 0..of {
            let task = Self::Task { number, of };
            if task.part_range(parts).all(&is_done) {
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
        let path_for = path_for.display();
        (!names.is_empty())
            .then(|| format!("{path_for}: not all of {of} tasks are done: {names} lack something"))
    }

    /// Path for this slice: `FILE.3-of-10` for a task, otherwise `FILE`.
    pub fn path_for(self, file: &Path) -> PathBuf {
        let mut name = file.as_os_str().to_owned();
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
                let range = TaskSlice::Task { number, of }.part_range(parts);
                assert!(range.start == next && range.end - next - parts / of <= 1);
                next = range.end;
            }
            assert_eq!(next, parts);
        }
    }

    #[test]
    fn a_merge_names_the_tasks_that_lack_parts() {
        // Ten parts of five tasks, two each.
        let missing = |is_done: fn(u64) -> bool| {
            TaskSlice::Merge { of: 5 }.missing_tasks(Path::new("runs/a"), 10, is_done)
        };
        let text = |tasks: &str| {
            Some(format!(
                "runs/a: not all of 5 tasks are done: {tasks} lack something"
            ))
        };
        assert_eq!(missing(|_| true), None);
        assert_eq!(missing(|part| part != 0), text("1"));
        assert_eq!(missing(|part| !(3..8).contains(&part)), text("2-4"));
        assert_eq!(missing(|part| part % 8 > 1), text("1, 5"));
    }
}
