//! `alea cluster`: runs the stages of a settings file as jobs of a scheduler, or on this machine.
//!
//! Invariant: a task depends only on its step and index, and leaves a mark in the directory when
//! done, so that a lost task can be repeated.

mod kubernetes;
mod plan;
mod scripts;

use crate::output;
use crate::settings::SetArguments;
use anyhow::{Context, Result};
use engine::core::files;
use serde::Deserialize;
use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;

/// Run a settings file as tasks of Slurm, Kubernetes or this machine
///
/// A stage is a command of this program. With 'tasks' it becomes an array with one shard a task,
/// and a job that merges them; \[improve\] in place of stages is learning in generations.
/// docs/cluster.md has all keys.
#[derive(clap::Args)]
#[command(
    after_help = "Example: alea cluster slurm run.toml --print\n         alea cluster slurm run.toml\n         alea cluster slurm run.toml --status\n         alea cluster local run.toml"
)]
pub(crate) struct Arguments {
    /// What runs the jobs
    #[arg(value_enum)]
    scheduler: Scheduler,
    /// The stages (TOML)
    config: PathBuf,
    #[command(flatten)]
    set: SetArguments,
    /// Write the scripts to standard output without submitting them
    #[arg(long, group = "action")]
    print: bool,
    /// Show the progress of each step
    #[arg(long, group = "action")]
    status: bool,
    /// Submit failed and cancelled steps again, with those that depend on them
    #[arg(long, group = "action")]
    resubmit: bool,
    /// Cancel all jobs
    #[arg(long, group = "action")]
    cancel: bool,
}

#[derive(Clone, Copy, PartialEq, clap::ValueEnum)]
enum Scheduler {
    Slurm,
    Kubernetes,
    Local,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    name: String,
    /// Directory of scripts, logs and done marks; the same path on every node.
    directory: PathBuf,
    /// Path of `alea` on the nodes; by default that of the running program.
    program: Option<PathBuf>,
    #[serde(default)]
    needs: ResourceRequest,
    #[serde(default)]
    limits: SchedulerLimits,
    kubernetes: Option<kubernetes::Settings>,
    improve: Option<Improve>,
    #[serde(default)]
    stage: Vec<Stage>,
}

#[derive(Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct ResourceRequest {
    hours: Option<f64>,
    memory: Option<u64>,
    cores: Option<u64>,
    gpu: Option<u64>,
    partition: Option<String>,
    throttle: Option<u64>,
}

/// Limits of the scheduler; without `array` and `submit`, Slurm's own apply.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct SchedulerLimits {
    /// Maximum size of an array (largest index plus one).
    array: Option<u64>,
    submit: Option<u64>,
    requeues: Option<u64>,
    /// Seconds before a job's time limit at which it gets a warning signal.
    early: Option<u64>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stage {
    name: String,
    command: String,
    tasks: Option<u64>,
    /// Maximum rounds of a sequential test, with `tasks` tasks each.
    rounds: Option<u64>,
    /// Stages that must finish first; by default the previous one.
    after: Option<Vec<String>>,
    #[serde(default)]
    needs: ResourceRequest,
    core_hours: Option<f64>,
    /// Disk space in MB.
    disk: Option<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Improve {
    config: PathBuf,
    out: PathBuf,
    generations: u64,
    /// Tasks of each self-play and of each labelling stage.
    tasks: u64,
    /// Tasks of each round of the gate.
    gate: u64,
    rounds: u64,
    #[serde(default)]
    train: ResourceRequest,
}

struct Plan {
    settings: Settings,
    steps: Vec<Step>,
}

#[derive(Clone)]
struct Step {
    name: String,
    stage: String,
    words: Vec<String>,
    /// Offset of an array's task numbers; `None` for a single job.
    first: Option<u64>,
    tasks: u64,
    after: Vec<String>,
    needs: ResourceRequest,
    core_hours: Option<f64>,
    disk: Option<f64>,
}

impl Step {
    fn cores(&self) -> u64 {
        self.needs.cores.unwrap_or(1)
    }

    /// Time limit of a task: `hours`, or 6 minutes plus 1.5 times the task's part of `core_hours`.
    fn minutes(&self) -> Option<u64> {
        let hours_of = |all| 0.1 + 1.5 * all / (self.tasks * self.cores()) as f64;
        let hours = self.needs.hours.or(self.core_hours.map(hours_of))?;
        Some((60.0 * hours).ceil() as u64)
    }

    fn command(&self) -> Vec<String> {
        let threads = ["--threads".to_owned(), self.cores().to_string()];
        [&threads, &*self.words].concat()
    }

    fn describe(&self) -> String {
        let (name, tasks, cores) = (&self.name, self.tasks, self.cores());
        let details = [
            self.needs.memory.map(|memory| format!(", {memory} MiB")),
            self.minutes().map(|minutes| format!(", {minutes} minutes")),
            (self.core_hours).map(|hours| format!("; {hours:.2} core-hours")),
            self.disk.map(|disk| format!("; {disk:.0} MB on disk")),
        ];
        let details = details.into_iter().flatten().collect::<String>();
        format!("{name}: {tasks} tasks, {cores} cores each{details}")
    }
}

impl Arguments {
    pub(crate) fn run(&self) -> Result<()> {
        let on_pods = self.scheduler == Scheduler::Kubernetes;
        let plan = || Plan::of(self.set.read_toml(&self.config)?, on_pods);
        let plan = plan().with_context(|| self.config.display().to_string())?;
        let verb = match (self.scheduler, self) {
            (_, Self { print: true, .. }) => "print",
            (_, Self { status: true, .. }) => "status",
            (_, Self { cancel: true, .. }) => "cancel",
            (Scheduler::Local, _) => "local",
            (_, Self { resubmit: true, .. }) => "resubmit",
            _ => "submit",
        };
        let begins = !["status", "cancel"].contains(&verb);
        if begins {
            let steps = plan.steps.iter();
            steps.for_each(|step| output::note(&step.describe()));
        }
        let mut _claim = None;
        let run = if on_pods {
            kubernetes::script(&plan)?
        } else {
            let (scripts, run) = plan.scripts(&self.config)?;
            if verb == "print" {
                let show = |(name, text): &(String, String)| format!("# {name}\n{text}");
                output::print_line(&scripts.iter().map(show).collect::<String>())?;
            } else if begins {
                _claim = files::claim_directory(&plan.settings.directory)?;
                plan.write_directory(&scripts)?;
            }
            run
        };
        let threads = rayon::current_num_threads().to_string();
        let mut bash = Command::new("bash");
        bash.args(["-c", &run, "alea", verb, &threads]);
        #[cfg(unix)]
        if verb == "local" {
            // The script kills its process group if this process dies.
            std::os::unix::process::CommandExt::process_group(&mut bash, 0);
        }
        match bash.status().context("bash cannot be started")?.success() {
            true => Ok(()),
            false => Err(output::already_reported()),
        }
    }
}

/// Replaces each `@name@` by its value: strings verbatim, null by nothing, others as JSON.
fn fill_template(template: &str, values: &[&Value]) -> String {
    let (mut text, mut rest) = (String::new(), template);
    while let Some((before, after)) = rest.split_once('@') {
        text += before;
        let named = after.split_once('@').and_then(|(name, after)| {
            let value = values.iter().find_map(|values| values.get(name));
            value.map(|value| (value, after))
        });
        let Some((value, after)) = named else {
            text.push('@');
            rest = after;
            continue;
        };
        match value {
            Value::Null => {}
            Value::String(value) => text += value,
            value => text += &value.to_string(),
        }
        rest = after;
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn templates_are_filled_once() {
        let (one, other) = (json!({ "a": "@b@", "b": 7 }), json!({ "c": null, "b": 8 }));
        for (template, expected) in [
            ("@a@ @b@", "@b@ 7"),
            ("x@@b@y", "x@7y"),
            ("@c@@a@@", "@b@@"),
            ("user@host @d@ @b", "user@host @d@ @b"),
        ] {
            assert_eq!(fill_template(template, &[&one, &other]), expected);
        }
    }
}
