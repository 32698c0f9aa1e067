//! `--shard`: one command as many tasks, for any scheduler.
//!
//! A process derives its task only from its arguments and the scheduler's environment variables.

use crate::output;
use anyhow::Result;
use engine::core::job_array::TaskSlice;
use serde_json::json;
use std::env;

/// Environment variables with the task's index from 0, of Slurm and Kubernetes.
const TASK_INDEX_VARIABLES: [&str; 2] = ["SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX"];
/// Environment variable with a number that is added to the index.
const TASK_OFFSET_VARIABLE: &str = "ALEA_SHARD_OFFSET";
const TASK_COUNT_VARIABLES: [&str; 2] = ["SLURM_ARRAY_TASK_COUNT", "ALEA_SHARDS"];

/// Option that selects one of many tasks.
#[derive(Clone, Copy, clap::Args)]
pub struct ShardArguments {
    /// Do task N of M, as 17/100, or merge the results of 100 tasks, as merge/100; auto/100 takes
    /// the index from the scheduler (docs/cluster.md)
    #[arg(long, value_name = "N/M", value_parser = parse_task)]
    shard: Option<TaskSlice>,
}

impl ShardArguments {
    /// Tasks that this process runs: all, one of many, or the merge of their results.
    #[must_use]
    pub fn slice(self) -> TaskSlice {
        self.shard.unwrap_or_default()
    }

    /// Prints that the task is done; returns false if this process does not run one task of many.
    pub fn report_task_end(self, as_json: bool) -> Result<bool> {
        let TaskSlice::Task { number, of } = self.slice() else {
            return Ok(false);
        };
        let task = number + 1;
        let from_environment = json!({ "task": task, "tasks": of });
        output::print_result(as_json, &from_environment, || {
            format!("task {task} of {of} is done")
        })?;
        Ok(true)
    }
}

fn parse_task(text: &str) -> Result<TaskSlice, String> {
    let number = |what: &str, text: &str| {
        let number = text.trim().parse::<u64>().ok();
        number.ok_or_else(|| format!("{what} is a whole number, not '{text}'"))
    };
    let from_environment = |names: &[&str]| {
        let mut set = names
            .iter()
            .filter_map(|name| Some(number(name, &env::var(name).ok()?)));
        let unset = || format!("{} is not set", names.join(" or "));
        set.next().unwrap_or_else(|| Err(unset()))
    };
    let (which, of) = match text.split_once('/') {
        Some((which, of)) => (which, number("the number of tasks", of)?),
        None if text == "auto" => (text, from_environment(&TASK_COUNT_VARIABLES)?),
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
            let offset = env::var(TASK_OFFSET_VARIABLE)
                .map_or(Ok(0), |offset| number(TASK_OFFSET_VARIABLE, &offset))?;
            from_environment(&TASK_INDEX_VARIABLES)?
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
