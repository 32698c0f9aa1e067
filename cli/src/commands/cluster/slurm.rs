//! Slurm: a script for each step, arrays that depend on each other, and what became of them.
//!
//! Invariant: what is done the marks say, and the queue is asked for the rest. A step with more
//! tasks than an array may have is several, which count from their offsets; where the queue holds
//! no more, the last job submits what is left.

use super::{Plan, Step, filled, run};
use crate::output;
use anyhow::{Context, Result, bail};
use engine::core::files;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const SCRIPT: &str = include_str!("job.sh");

/// Seconds before the time limit at which a task is told to end.
const EARLY: u64 = 60;

/// Numbers in order, as Slurm writes them.
fn ranges(numbers: &[u64]) -> String {
    let rows = numbers.chunk_by(|left, right| left + 1 == *right);
    let row = |row: &[u64]| match row {
        [one] => one.to_string(),
        _ => format!("{}-{}", row[0], row[row.len() - 1]),
    };
    rows.map(row).collect::<Vec<_>>().join(",")
}

/// Words that a shell reads as they are.
fn quoted(words: &[String]) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./=:,+%$".contains(letter);
    let one = |word: &String| match word.chars().all(plain) {
        true => word.clone(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    };
    words.iter().map(one).collect::<Vec<_>>().join(" ")
}

/// The script of a step's tasks.
fn script(plan: &Plan, step: &Step) -> Result<String> {
    let needs = &step.needs;
    let asked = [
        needs
            .partition
            .as_ref()
            .map(|name| format!("partition={name}")),
        step.minutes().map(|minutes| format!("time={minutes}")),
        needs.memory.map(|memory| format!("mem={memory}M")),
        needs.gpu.map(|count| format!("gres=gpu:{count}")),
    ];
    let asked = asked
        .into_iter()
        .flatten()
        .map(|line| format!("#SBATCH --{line}\n"));
    let program = [vec![plan.program.clone()], step.command("auto")].concat();
    let here = std::env::current_dir()?.display().to_string();
    let numbers = if step.array.is_some() { "%A_%a" } else { "%j" };
    Ok(filled(
        SCRIPT,
        &[
            ("run", plan.settings.name.clone()),
            ("step", step.name.clone()),
            ("here", quoted(&[here])),
            ("directory", quoted(&[plan.directory.display().to_string()])),
            ("numbers", numbers.to_owned()),
            ("early", EARLY.to_string()),
            ("cores", step.cores().to_string()),
            ("asked", asked.collect()),
            (
                "first",
                step.array.map_or(0, |(first, _)| first).to_string(),
            ),
            ("may_fail", step.may_fail.to_string()),
            (
                "requeues",
                plan.settings.limits.requeues.unwrap_or(20).to_string(),
            ),
            ("program", quoted(&program)),
        ],
    ))
}

/// Submits tasks of each step after the jobs of those before it, as far as the queue holds them;
/// `sbatch` is told the step, the offset and its arguments, and tells the job. Returns how many.
fn send(
    plan: &Plan,
    config: &Path,
    tasks: &[Vec<u64>],
    mut jobs: Vec<Vec<String>>,
    mut sbatch: impl FnMut(&str, u64, &[String]) -> Result<String>,
) -> Result<usize> {
    let limits = &plan.settings.limits;
    let told = run("scontrol", &["show", "config"].map(str::to_owned)).unwrap_or_default();
    let find = |key: &str| {
        let line = told.lines().find(|line| line.starts_with(key))?;
        line.split('=').nth(1)?.trim().parse::<u64>().ok()
    };
    // What Slurm allows where nobody says so.
    let array = limits
        .array
        .or_else(|| find("MaxArraySize "))
        .unwrap_or(1001);
    let submit = limits
        .submit
        .or_else(|| find("MaxJobCount "))
        .unwrap_or(10_000);
    let mut room = submit as usize - 1;
    let all: usize = tasks.iter().map(Vec::len).sum();
    let parts = plan.steps.iter().zip(tasks).enumerate();
    let parts = parts.flat_map(|(index, (step, tasks))| {
        let parts = tasks.chunk_by(|left, right| left / array == right / array);
        parts.map(move |part| (index, step, part))
    });
    for (index, step, part) in parts {
        let part = &part[..part.len().min(room)];
        if part.is_empty() {
            break;
        }
        room -= part.len();
        let offset = part[0] / array * array;
        let mut words = vec!["--kill-on-invalid-dep=yes".to_owned()];
        let after: Vec<String> = step
            .after
            .iter()
            .flat_map(|&step| jobs[step].clone())
            .collect();
        if !after.is_empty() {
            words.push(format!("--dependency=afterok:{}", after.join(":")));
        }
        if step.array.is_some() {
            let numbers: Vec<u64> = part.iter().map(|task| task - offset).collect();
            let throttle = step
                .needs
                .throttle
                .map_or(String::new(), |most| format!("%{most}"));
            words.push(format!("--array={}{throttle}", ranges(&numbers)));
        }
        words.push(format!("{}/{}.sh", plan.directory.display(), step.name));
        words.push(offset.to_string());
        jobs[index].push(sbatch(&step.name, offset, &words)?);
    }
    let sent = submit as usize - 1 - room;
    if sent < all {
        let command = [
            &plan.program,
            "cluster",
            "slurm",
            &config.display().to_string(),
            "--resubmit",
        ]
        .map(str::to_owned);
        let after = jobs.concat().join(":");
        let output = format!("{}/log/rest.%j", plan.directory.display());
        let words = [
            format!("--dependency=afterok:{after}"),
            format!("--output={output}"),
            format!("--wrap={}", quoted(&command)),
        ];
        sbatch("rest", 0, &words)?;
    }
    Ok(sent)
}

/// All that would be submitted, for people.
pub(super) fn print(plan: &Plan, config: &Path) -> Result<String> {
    let mut text = String::new();
    for step in &plan.steps {
        text += &format!("# {}.sh\n{}\n", step.name, script(plan, step)?);
    }
    let tasks: Vec<Vec<u64>> = plan
        .steps
        .iter()
        .map(|step| (0..step.tasks).collect())
        .collect();
    let mut count = 0;
    send(
        plan,
        config,
        &tasks,
        vec![Vec::new(); tasks.len()],
        |_, _, words| {
            count += 1;
            text += &format!("job{count}=$(sbatch --parsable {})\n", quoted(words));
            Ok(format!("$job{count}"))
        },
    )?;
    Ok(text)
}

/// Submits all that is neither done nor in the queue.
pub(super) fn submit(plan: &Plan, config: &Path, again: bool) -> Result<String> {
    plan.claim()?;
    let mut kept = Kept::read(plan)?;
    if !again && !kept.jobs.is_empty() {
        bail!(
            "{}: submitted before; --status tells how it is, --resubmit submits what failed",
            kept.path.display()
        );
    }
    let queue = kept.queue()?;
    let (mut jobs, mut tasks) = (Vec::new(), Vec::<Vec<u64>>::new());
    for step in &plan.steps {
        let alive = Alive::of(&queue, step);
        let mut missing = plan.missing(step);
        if step.after.iter().any(|&before| !tasks[before].is_empty()) {
            // It waits for what will not end well.
            cancel_jobs(&alive.jobs)?;
            jobs.push(Vec::new());
        } else {
            missing.retain(|task| !alive.tasks.contains(task));
            jobs.push(alive.jobs.into_iter().collect());
        }
        tasks.push(missing);
        output::file(
            &plan.directory.join(format!("{}.sh", step.name)),
            script(plan, step)?,
        )?;
    }
    let all: usize = tasks.iter().map(Vec::len).sum();
    let sent = send(plan, config, &tasks, jobs, |step, offset, words| {
        let told = run("sbatch", &[&["--parsable".to_owned()], words].concat())?;
        let job = told.trim().split(';').next().unwrap_or_default();
        kept.jobs.push((job.to_owned(), step.to_owned(), offset));
        let line = |(job, step, offset): &(String, String, u64)| format!("{job} {step} {offset}\n");
        output::file(&kept.path, kept.jobs.iter().map(line).collect::<String>())?;
        Ok(job.to_owned())
    })?;
    Ok(format!(
        "{sent} tasks submitted, {} left to the last job of them",
        all - sent
    ))
}

fn cancel_jobs(jobs: &BTreeSet<String>) -> Result<()> {
    if !jobs.is_empty() {
        run("scancel", &jobs.iter().cloned().collect::<Vec<_>>())?;
    }
    Ok(())
}

/// Ends all jobs.
pub(super) fn cancel(plan: &Plan) -> Result<String> {
    let jobs: BTreeSet<String> = Kept::read(plan)?
        .queue()?
        .into_iter()
        .map(|task| task.job)
        .collect();
    cancel_jobs(&jobs)?;
    Ok(format!("{} jobs cancelled; --resubmit goes on", jobs.len()))
}

/// How far each step is: by the marks, the queue, and what Slurm accounts if it does.
pub(super) fn status(plan: &Plan) -> Result<String> {
    let kept = Kept::read(plan)?;
    let queue = kept.queue()?;
    let text = plan.done(|step| {
        let alive = Alive::of(&queue, step);
        let waiting = alive.tasks.len() - alive.running;
        let mut text = format!(", {} running, {waiting} waiting", alive.running);
        for task in plan
            .missing(step)
            .iter()
            .filter(|task| !alive.tasks.contains(task))
        {
            let path = plan.directory.join(format!("failed/{}.{task}", step.name));
            if let Ok(why) = std::fs::read_to_string(path) {
                text += &format!("\n  task {task} failed: {}", why.trim_end());
            }
        }
        text
    });
    let jobs: Vec<&str> = kept.jobs.iter().map(|(job, ..)| &**job).collect();
    let words = [
        "--format=JobID%20,JobName%40,State%20,Elapsed,MaxRSS".to_owned(),
        format!("--jobs={}", jobs.join(",")),
    ];
    Ok(text + &run("sacct", &words).unwrap_or_default())
}

/// A task in the queue.
struct Queued {
    job: String,
    step: String,
    task: u64,
    runs: bool,
}

/// What is in the queue of a step.
struct Alive {
    jobs: BTreeSet<String>,
    tasks: BTreeSet<u64>,
    running: usize,
}

impl Alive {
    fn of(queue: &[Queued], step: &Step) -> Self {
        let own = || queue.iter().filter(|task| task.step == step.name);
        Self {
            jobs: own().map(|task| task.job.clone()).collect(),
            tasks: own().map(|task| task.task).collect(),
            running: own().filter(|task| task.runs).count(),
        }
    }
}

/// The jobs that were submitted: number, step and offset of each.
struct Kept {
    path: PathBuf,
    jobs: Vec<(String, String, u64)>,
}

impl Kept {
    fn read(plan: &Plan) -> Result<Self> {
        let path = plan.directory.join("jobs");
        let text = if path.exists() {
            files::read(&path)?
        } else {
            Vec::new()
        };
        let job = |line: &str| {
            let mut words = line.split(' ').map(str::to_owned);
            Some((words.next()?, words.next()?, words.next()?.parse().ok()?))
        };
        let jobs = String::from_utf8_lossy(&text)
            .lines()
            .map(job)
            .collect::<Option<_>>();
        let jobs = jobs.with_context(|| format!("{}: no list of jobs", path.display()))?;
        Ok(Self { path, jobs })
    }

    /// What of them is in the queue.
    fn queue(&self) -> Result<Vec<Queued>> {
        if self.jobs.is_empty() {
            return Ok(Vec::new());
        }
        let words = ["--me", "--noheader", "--array", "--format=%F %K %T"].map(str::to_owned);
        let told = run("squeue", &words)?;
        let task = |line: &str| {
            let mut words = line.split_whitespace();
            let (job, task, state) = (words.next()?, words.next()?, words.next()?);
            let (job, step, offset) = self.jobs.iter().find(|(known, ..)| known == job)?;
            Some(Queued {
                job: job.clone(),
                step: step.clone(),
                task: offset + task.parse().unwrap_or(0),
                runs: state != "PENDING",
            })
        };
        Ok(told.lines().filter_map(task).collect())
    }
}
