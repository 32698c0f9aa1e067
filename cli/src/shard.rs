//! `--shard`: one command as many tasks, for any scheduler.
//!
//! Invariant: which task a process is follows from its arguments and from the number that the
//! scheduler gives it in the environment; nothing else is asked.

use crate::output;
use anyhow::Result;
use engine::core::share::Share;
use serde_json::json;

/// Most tasks of a command.
const MOST_TASKS: u64 = 1_000_000;

/// Where schedulers tell a task its number, from 0: Slurm and Kubernetes.
const INDICES: [&str; 2] = ["SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX"];
/// What is added to it.
const OFFSET: &str = "ALEA_SHARD_OFFSET";
/// Where they tell how many tasks there are.
const COUNTS: [&str; 2] = ["SLURM_ARRAY_TASK_COUNT", "ALEA_SHARDS"];

/// Which of many tasks a command is; shared by all that can be spread over many.
#[derive(Clone, Copy, clap::Args)]
pub(crate) struct ShardArguments {
    /// Do the work of one task of many, as 17/100, or collect what 100 tasks did, as merge/100; with
    /// auto/100 the scheduler says which task this is
    #[arg(long, value_name = "N/M", value_parser = |text: &str| read(text, |name| std::env::var(name).ok()))]
    shard: Option<Share>,
}

impl ShardArguments {
    /// What is to be done.
    pub(crate) fn share(self) -> Share {
        self.shard.unwrap_or_default()
    }

    /// Whether this was one task of many, whose result is nothing to look at; says so.
    pub(crate) fn ends_task(self, as_json: bool, remark: &str) -> Result<bool> {
        let Share::Task { number, of } = self.share() else {
            return Ok(false);
        };
        let task = number + 1;
        let told = json!({ "task": task, "tasks": of, "remark": remark });
        output::result(as_json, &told, || {
            format!("task {task} of {of} is done{remark}")
        })?;
        Ok(true)
    }
}

/// Reads `17/100`, `auto/100`, `auto` or `merge/100`; `variable` tells those of the environment.
fn read(text: &str, variable: impl Fn(&str) -> Option<String>) -> Result<Share, String> {
    let number = |what: &str, text: &str| {
        let number = text.trim().parse::<u64>().ok();
        number.ok_or_else(|| format!("{what} is a whole number, not '{text}'"))
    };
    // The first that is set; empty is as good as absent.
    let told = |names: &[&str]| {
        let mut set = names.iter().filter_map(|name| {
            let value = variable(name).filter(|value| !value.is_empty());
            Some(number(name, &value?))
        });
        set.next().transpose()
    };
    let (which, of) = match text.split_once('/') {
        Some((which, of)) => (which, number("the number of tasks", of)?),
        None if text == "auto" => {
            let count = told(&COUNTS)?;
            let missing = || {
                format!(
                    "auto: neither of {} is set; name the number of tasks: auto/100",
                    COUNTS.join(" and ")
                )
            };
            (text, count.ok_or_else(missing)?)
        }
        None => {
            return Err(
                "a task is N/M, as 17/100, or auto/M, or auto; merge/M collects what M tasks did"
                    .to_owned(),
            );
        }
    };
    if !(1..=MOST_TASKS).contains(&of) {
        return Err(format!("there are 1 to {MOST_TASKS} tasks, not {of}"));
    }
    let task = match which {
        "merge" => return Ok(Share::Merge { of }),
        "auto" => {
            let missing = || {
                format!(
                    "auto: neither of {} is set: no scheduler says which task this is",
                    INDICES.join(" and ")
                )
            };
            let index = told(&INDICES)?.ok_or_else(missing)?;
            let offset = told(&[OFFSET])?.unwrap_or(0);
            index.saturating_add(offset).saturating_add(1)
        }
        which => number("a task", which)?,
    };
    if !(1..=of).contains(&task) {
        return Err(format!(
            "tasks are numbered from 1 to {of}; there is no task {task}"
        ));
    }
    Ok(Share::Task {
        number: task - 1,
        of,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_is_named_or_told_by_the_scheduler() {
        let told = |text: &str, set: &[(&str, &str)]| {
            read(text, |name| {
                let found = set.iter().find(|(key, _)| *key == name);
                found.map(|(_, value)| (*value).to_owned())
            })
        };
        let task = |number, of| Ok(Share::Task { number, of });
        assert_eq!(told("17/100", &[]), task(16, 100));
        assert_eq!(told("merge/100", &[]), Ok(Share::Merge { of: 100 }));
        let slurm = ("SLURM_ARRAY_TASK_ID", "4");
        assert_eq!(told("auto/10", &[slurm]), task(4, 10));
        assert_eq!(
            told("auto/10", &[("JOB_COMPLETION_INDEX", "0")]),
            task(0, 10)
        );
        assert_eq!(
            told("auto/10", &[slurm, ("ALEA_SHARD_OFFSET", "5")]),
            task(9, 10)
        );
        assert_eq!(
            told("auto", &[slurm, ("SLURM_ARRAY_TASK_COUNT", "8")]),
            task(4, 8)
        );
        assert_eq!(told("auto", &[slurm, ("ALEA_SHARDS", "5")]), task(4, 5));
        for (text, set, expected) in [
            ("0/5", &[][..], "there is no task 0"),
            ("6/5", &[], "there is no task 6"),
            ("5", &[], "a task is N/M"),
            ("a/5", &[], "a task is a whole number, not 'a'"),
            ("1/b", &[], "not 'b'"),
            ("1/0", &[], "1 to 1000000 tasks, not 0"),
            (
                "auto/5",
                &[],
                "SLURM_ARRAY_TASK_ID and JOB_COMPLETION_INDEX",
            ),
            ("auto", &[slurm], "SLURM_ARRAY_TASK_COUNT and ALEA_SHARDS"),
            ("auto/4", &[slurm], "there is no task 5"),
            (
                "auto/5",
                &[("SLURM_ARRAY_TASK_ID", "x")],
                "SLURM_ARRAY_TASK_ID is a whole number, not 'x'",
            ),
            ("merge", &[], "a task is N/M"),
        ] {
            let error = told(text, set).unwrap_err();
            assert!(
                error.contains(expected) && !error.contains('\n'),
                "{text}: {error}"
            );
        }
    }
}
