//! Work that is spread over tasks, on one machine or many: which of its parts a process does.
//!
//! The parts of a work are numbered from 0. A task does a range of them that follows from its
//! number alone, and keeps what it did in files of its own; later all that is collected. Invariant:
//! every part belongs to one task, and the parts of a task stand before those of the next.

use std::{
    fmt,
    ops::Range,
    path::{Path, PathBuf},
};

/// What is done here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Share {
    /// All of the work.
    #[default]
    Whole,
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

impl Share {
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

impl Share {
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
        let mut missing = Tasks::default();
        for number in 0..of {
            let mut range = Self::Task { number, of }.parts(parts);
            if !range.all(&is_done) {
                missing.add(number);
            }
        }
        missing.told(place, of)
    }
}

/// Tasks by their numbers from 1, in few words.
#[derive(Default)]
pub struct Tasks(Vec<(u64, u64)>);

impl Tasks {
    /// Most ranges of numbers that are named.
    const MOST_NAMED: usize = 20;

    /// One more, by its number from 0, larger than those before.
    pub fn add(&mut self, number: u64) {
        match self.0.last_mut() {
            Some((_, last)) if *last == number => *last += 1,
            _ => self.0.push((number + 1, number + 1)),
        }
    }

    /// That these of all tasks lack something, in a line; nothing if there are none.
    #[must_use]
    pub fn told(&self, place: &Path, of: u64) -> Option<String> {
        let place = place.display();
        let told = format!("{place}: not all of {of} tasks are done: {self} lack something");
        (!self.0.is_empty()).then_some(told)
    }
}

impl fmt::Display for Tasks {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |&(first, last): &(u64, u64)| match last - first {
            0 => first.to_string(),
            _ => format!("{first}-{last}"),
        };
        let mut names: Vec<String> = self.0.iter().take(Self::MOST_NAMED).map(name).collect();
        let rest = self.0.iter().skip(Self::MOST_NAMED);
        let rest: u64 = rest.map(|(first, last)| last + 1 - first).sum();
        if rest > 0 {
            names.push(format!("and {rest} more"));
        }
        formatter.write_str(&names.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_belongs_to_one_task_and_tasks_are_about_equal() {
        for (parts, of) in [(10, 3), (3, 10), (0, 4), (7, 7), (1, 1), (u64::MAX, 1000)] {
            let ranges = (0..of).map(|number| Share::Task { number, of }.parts(parts));
            let mut next = 0;
            for range in ranges {
                assert_eq!(range.start, next);
                let length = range.end - range.start;
                assert!(length == parts / of || length == parts / of + 1);
                next = range.end;
            }
            assert_eq!(next, parts);
        }
        assert_eq!(Share::Merge { of: 3 }.parts(10), 0..10);
    }

    #[test]
    fn tasks_are_named_from_one_and_rows_of_them_by_their_ends() {
        let mut tasks = Tasks::default();
        [0, 4, 5, 6, 9]
            .into_iter()
            .for_each(|number| tasks.add(number));
        assert_eq!(tasks.to_string(), "1, 5-7, 10");
        (5..30).for_each(|number| tasks.add(2 * number + 1));
        assert!(tasks.to_string().ends_with(", 44, and 8 more"), "{tasks}");
        let share = Share::Task { number: 2, of: 10 };
        let place = share.place(Path::new("runs/a.jsonl"));
        assert_eq!(place, Path::new("runs/a.jsonl.3-of-10"));
    }
}
