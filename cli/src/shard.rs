//! `--shard`: one command as many tasks, for any scheduler.
//!
//! Invariant: which task a process is follows from its arguments and from the number that the
//! scheduler gives it in the environment; nothing else is asked.

use crate::output;
use anyhow::Result;
use engine::core::task_slice::TaskSlice;
use serde_json::json;
use std::env;

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
    #[arg(long, value_name = "N/M", value_parser = read)]
    shard: Option<TaskSlice>,
}

impl ShardArguments {
    /// What is to be done.
    pub(crate) fn slice(self) -> TaskSlice {
        self.shard.unwrap_or_default()
    }

    /// Whether this was one task of many, whose result is nothing to look at; says so.
    pub(crate) fn ends_task(self, as_json: bool) -> Result<bool> {
        let TaskSlice::Task { number, of } = self.slice() else {
            return Ok(false);
        };
        let task = number + 1;
        let from_environment = json!({ "task": task, "tasks": of });
        output::result(as_json, &from_environment, || {
            format!("task {task} of {of} is done")
        })?;
        Ok(true)
    }
}

/// Reads `17/100`, `auto/100`, `auto` or `merge/100`.
fn read(text: &str) -> Result<TaskSlice, String> {
    let number = |what: &str, text: &str| {
        let number = text.trim().parse::<u64>().ok();
        number.ok_or_else(|| format!("{what} is a whole number, not '{text}'"))
    };
    // The first that is set.
    let from_environment = |names: &[&str]| {
        let mut set = names
            .iter()
            .filter_map(|name| Some(number(name, &env::var(name).ok()?)));
        let unset = || format!("{} is not set", names.join(" or "));
        set.next().unwrap_or_else(|| Err(unset()))
    };
    let (which, of) = match text.split_once('/') {
        Some((which, of)) => (which, number("the number of tasks", of)?),
        None if text == "auto" => (text, from_environment(&COUNTS)?),
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
        "merge" => return Ok(TaskSlice::Merge { of }),
        "auto" => {
            let offset = env::var(OFFSET).map_or(Ok(0), |offset| number(OFFSET, &offset))?;
            from_environment(&INDICES)?
                .saturating_add(offset)
                .saturating_add(1)
        }
        which => number("a task", which)?,
    };
    if !(1..=of).contains(&task) {
        return Err(format!(
            "tasks are numbered from 1 to {of}; there is no task {task}"
        ));
    }
    Ok(TaskSlice::Task {
        number: task - 1,
        of,
    })
}
