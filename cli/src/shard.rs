//! `--shard`: one command as many tasks, for any scheduler.
//!
//! Invariant: which task a process is follows from its arguments and from the number that the
//! scheduler gives it in the environment; nothing else is asked.

use crate::output;
use anyhow::Result;
use engine::core::share::Share;
use serde_json::json;

/// Where schedulers tell a task its number, from 0: Slurm and Kubernetes.
const INDICES: [&str; 2] = ["SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX"];
/// What is added to it.
const OFFSET: &str = "ALEA_SHARD_OFFSET";
/// Where they tell how many tasks there are.
const COUNTS: [&str; 2] = ["SLURM_ARRAY_TASK_COUNT", "ALEA_SHARDS"];

/// Which of many tasks a command is.
#[derive(Clone, Copy, clap::Args)]
pub(crate) struct ShardArguments {
    /// Do the work of one task of many, as 17/100, or collect what 100 tasks did, as merge/100; with
    /// auto/100 the scheduler says which task this is (docs/cluster.md)
    #[arg(long, value_name = "N/M", value_parser = parse)]
    shard: Option<Share>,
}

fn parse(text: &str) -> Result<Share, String> {
    read(text, |name| std::env::var(name).ok())
}

impl ShardArguments {
    /// What is to be done.
    pub(crate) fn share(self) -> Share {
        self.shard.unwrap_or_default()
    }

    /// Whether this was one task of many, whose result is nothing to look at; says so.
    pub(crate) fn ends_task(self, as_json: bool) -> Result<bool> {
        let Share::Task { number, of } = self.share() else {
            return Ok(false);
        };
        let task = number + 1;
        let told = json!({ "task": task, "tasks": of });
        output::result(as_json, &told, || format!("task {task} of {of} is done"))?;
        Ok(true)
    }
}

/// Reads `17/100`, `auto/100`, `auto` or `merge/100`; `variable` tells those of the environment.
fn read(text: &str, variable: impl Fn(&str) -> Option<String>) -> Result<Share, String> {
    let number = |what: &str, text: &str| {
        let number = text.trim().parse::<u64>().ok();
        number.ok_or_else(|| format!("{what} is a whole number, not '{text}'"))
    };
    // The first that is set.
    let told = |names: &[&str]| {
        let mut set = names
            .iter()
            .filter_map(|name| Some(number(name, &variable(name)?)));
        let unset = || format!("{} is not set", names.join(" or "));
        set.next().unwrap_or_else(|| Err(unset()))
    };
    let (which, of) = match text.split_once('/') {
        Some((which, of)) => (which, number("the number of tasks", of)?),
        None if text == "auto" => (text, told(&COUNTS)?),
        None => {
            return Err(
                "a task is N/M, as 17/100, or auto/M, or auto; merge/M collects".to_owned(),
            );
        }
    };
    if !(1..=1_000_000).contains(&of) {
        return Err(format!("there are 1 to 1000000 tasks, not {of}"));
    }
    let task = match which {
        "merge" => return Ok(Share::Merge { of }),
        "auto" => {
            let offset = variable(OFFSET).map_or(Ok(0), |offset| number(OFFSET, &offset))?;
            told(&INDICES)?.saturating_add(offset).saturating_add(1)
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
        let slurm = ("SLURM_ARRAY_TASK_ID", "4");
        for (text, set, number, of) in [
            ("17/100", &[][..], 16, 100),
            ("auto/10", &[("JOB_COMPLETION_INDEX", "0")], 0, 10),
            ("auto/10", &[slurm, ("ALEA_SHARD_OFFSET", "5")], 9, 10),
            ("auto", &[slurm, ("SLURM_ARRAY_TASK_COUNT", "8")], 4, 8),
            ("auto", &[slurm, ("ALEA_SHARDS", "5")], 4, 5),
        ] {
            assert_eq!(told(text, set), Ok(Share::Task { number, of }));
        }
        for (text, expected) in [
            ("6/5", "there is no task 6"),
            ("5", "a task is N/M"),
            ("a/5", "a task is a whole number, not 'a'"),
            ("1/0", "1 to 1000000 tasks, not 0"),
            (
                "auto/5",
                "SLURM_ARRAY_TASK_ID or JOB_COMPLETION_INDEX is not set",
            ),
            ("auto", "SLURM_ARRAY_TASK_COUNT or ALEA_SHARDS is not set"),
        ] {
            assert!(told(text, &[]).unwrap_err().contains(expected), "{text}");
        }
    }
}
