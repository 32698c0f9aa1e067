//! The same tasks on this machine, by processes; as many at a time as it has cores for.

use super::{Plan, Step};
use crate::output;
use anyhow::{Context, Result, bail};
use rayon::prelude::*;
use std::fs::OpenOptions;
use std::process::{Command, Stdio};
use std::time::Instant;

/// Runs all that is not done, a step after the other.
pub(super) fn run(plan: &Plan) -> Result<String> {
    plan.claim()?;
    let _claim = engine::core::files::claim_directory(&plan.directory)?;
    let cores = rayon::current_num_threads() as u64;
    for step in &plan.steps {
        let missing = plan.missing(step);
        output::note(&format!("── {}: {} tasks left", step.name, missing.len()));
        let slots = (cores / step.cores()).clamp(1, step.needs.throttle.unwrap_or(cores).max(1));
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(slots as usize)
            .build()?;
        // Once one failed nobody begins another.
        pool.install(|| {
            missing
                .par_iter()
                .with_max_len(1)
                .try_for_each(|&task| do_task(plan, step, task))
        })?;
    }
    Ok(plan.done(|_| String::new()))
}

fn do_task(plan: &Plan, step: &Step, task: u64) -> Result<()> {
    let began = Instant::now();
    let path = plan.directory.join(format!("log/{}.{task}", step.name));
    let log = OpenOptions::new().create(true).append(true).open(&path);
    let log = log.with_context(|| path.display().to_string())?;
    let number = step.array.map_or(0, |(first, _)| first) + task + 1;
    let mut command = Command::new(&plan.program);
    command
        .args(step.command(&number.to_string()))
        .stdin(Stdio::null());
    command.stdout(log.try_clone()?).stderr(log);
    let ran = command
        .status()
        .with_context(|| format!("program = '{}' cannot be started", plan.program))?;
    let is_done = ran.success() || step.may_fail && ran.code() == Some(1);
    if !is_done {
        let said = std::fs::read_to_string(&path).unwrap_or_default();
        let last = said.lines().next_back().unwrap_or("it said nothing");
        bail!("{} {task}: {last} ({ran}; {})", step.name, path.display());
    }
    Ok(output::file(
        &plan.mark(step, task),
        format!("{}\n", began.elapsed().as_secs()),
    )?)
}
