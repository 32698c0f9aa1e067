//! `alea cluster`: a run as the jobs of a scheduler, or as processes of this machine.
//!
//! Invariant: a task is a function of its step and its number, and leaves a mark in the directory
//! once it is done; so whoever runs the tasks may lose any of them and run it again, and no process
//! of ours has to stay alive.

mod kubernetes;
mod local;
mod slurm;

use crate::{improve::config::ImproveConfig, output, settings};
use anyhow::{Context, Result, bail};
use engine::core::files;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Run the stages of a settings file as tasks of Slurm, of Kubernetes, or of this machine
///
/// A stage is a command of this program. With 'tasks' it is an array, whose tasks make a shard
/// each, and a job that collects them; \[improve\] in place of stages is learning in generations.
/// docs/cluster.md has all keys.
#[derive(clap::Args)]
#[command(
    after_help = "Example: alea cluster slurm run.toml --print\n         alea cluster slurm run.toml\n         alea cluster slurm run.toml --status\n         alea cluster local run.toml"
)]
pub(crate) struct Arguments {
    #[arg(value_enum)]
    scheduler: Scheduler,
    /// The stages (TOML)
    config: PathBuf,
    /// Write what would be submitted, and stop
    #[arg(long, group = "action")]
    print: bool,
    /// Tell how far each step is
    #[arg(long, group = "action")]
    status: bool,
    /// Submit once more what failed or was cancelled, and what waited for it
    #[arg(long, group = "action")]
    resubmit: bool,
    /// End all jobs
    #[arg(long, group = "action")]
    cancel: bool,
}

#[derive(Clone, Copy, PartialEq, clap::ValueEnum)]
enum Scheduler {
    Slurm,
    Kubernetes,
    Local,
}

impl Arguments {
    pub(crate) fn run(&self) -> Result<()> {
        let plan = Plan::read(&self.config, self.scheduler)?;
        if !(self.status || self.cancel) {
            plan.steps
                .iter()
                .for_each(|step| output::note(&step.told()));
        }
        let told = match self.scheduler {
            Scheduler::Slurm if self.print => slurm::print(&plan, &self.config)?,
            Scheduler::Slurm if self.status => slurm::status(&plan)?,
            Scheduler::Slurm if self.cancel => slurm::cancel(&plan)?,
            Scheduler::Slurm => slurm::submit(&plan, &self.config, self.resubmit)?,
            Scheduler::Kubernetes if self.print => kubernetes::print(&plan)?,
            Scheduler::Kubernetes if self.status => kubernetes::kubectl(&plan, "get")?,
            Scheduler::Kubernetes if self.cancel => kubernetes::kubectl(&plan, "delete")?,
            Scheduler::Kubernetes => kubernetes::submit(&plan, self.resubmit)?,
            Scheduler::Local if self.print => return Ok(()),
            Scheduler::Local if self.status => plan.done(|_| String::new()),
            Scheduler::Local if self.cancel => bail!("--cancel: end the program itself"),
            Scheduler::Local => local::run(&plan)?,
        };
        output::line(told.trim_end())
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    /// Begins the names of jobs.
    name: String,
    /// Of scripts, logs and marks; every node sees it under this path.
    directory: PathBuf,
    /// The command `alea` on the nodes; this program unless told.
    program: Option<PathBuf>,
    #[serde(default)]
    needs: Needs,
    #[serde(default)]
    limits: Limits,
    kubernetes: Option<kubernetes::Settings>,
    improve: Option<Improve>,
    #[serde(default)]
    stage: Vec<Stage>,
}

/// What a task needs.
#[derive(Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Needs {
    /// Time limit.
    hours: Option<f64>,
    /// In MiB.
    memory: Option<u64>,
    cores: Option<u64>,
    gpu: Option<u64>,
    partition: Option<String>,
    /// Tasks of a step at a time.
    throttle: Option<u64>,
}

/// What the scheduler allows; it is asked unless told.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Limits {
    /// Numbers of an array: one less is the largest.
    array: Option<u64>,
    /// Tasks in the queue.
    submit: Option<u64>,
    /// How often a task is begun once more.
    requeues: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Stage {
    name: String,
    command: String,
    tasks: Option<u64>,
    /// Of a sequential test, so many tasks each; after every one all that is there is looked at.
    rounds: Option<u64>,
    /// The stage before, unless told.
    after: Option<Vec<String>>,
    #[serde(default)]
    needs: Needs,
    /// Of the whole stage, as measured with less of it.
    core_hours: Option<f64>,
    /// In MB; the same.
    disk: Option<f64>,
}

/// Generations of `alea improve`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Improve {
    config: PathBuf,
    out: PathBuf,
    generations: u64,
    /// Tasks of self-play and of labels.
    tasks: u64,
    /// Tasks of a round of the gate.
    gate: u64,
    rounds: u64,
    /// What training needs, where that is something else.
    #[serde(default)]
    train: Needs,
}

/// Tasks that may run at the same time.
struct Step {
    name: String,
    words: Vec<String>,
    /// Number of the first task, and how many are numbered; unless it is a single task.
    array: Option<(u64, u64)>,
    tasks: u64,
    /// A look at a test that may be open.
    may_fail: bool,
    /// Steps that have to be done before.
    after: Vec<usize>,
    needs: Needs,
    core_hours: Option<f64>,
    disk: Option<f64>,
}

struct Plan {
    settings: Settings,
    directory: PathBuf,
    program: String,
    steps: Vec<Step>,
}

impl Step {
    fn cores(&self) -> u64 {
        self.needs.cores.unwrap_or(1)
    }

    /// Time limit of a task; by what was measured, half as much again and what beginning takes.
    fn minutes(&self) -> Option<u64> {
        let share = |all| 0.1 + 1.5 * all / (self.tasks * self.cores()) as f64;
        let hours = self.needs.hours.or(self.core_hours.map(share))?;
        Some((60.0 * hours).ceil() as u64)
    }

    /// What the program is told; `number` says which task it is.
    fn command(&self, number: &str) -> Vec<String> {
        let mut words = vec!["--threads".to_owned(), self.cores().to_string()];
        words.extend(self.words.clone());
        if let Some((_, of)) = self.array {
            words.extend(["--shard".to_owned(), format!("{number}/{of}")]);
        }
        words
    }

    /// What it takes, for people.
    fn told(&self) -> String {
        let (name, tasks, cores) = (&self.name, self.tasks, self.cores());
        let mut text = format!("{name}: {tasks} tasks, each with {cores} cores");
        let mut add = |what: Option<String>| text.extend(what);
        add(self.needs.gpu.map(|count| format!(", {count} GPUs")));
        add(self.needs.memory.map(|memory| format!(", {memory} MiB")));
        add(self
            .minutes()
            .map(|minutes| format!(", {minutes} minutes at most")));
        add(self
            .core_hours
            .map(|hours| format!("; {hours:.2} core-hours in all")));
        add(self.disk.map(|disk| format!("; {disk:.0} MB on disk")));
        text
    }
}

impl Plan {
    fn read(path: &Path, scheduler: Scheduler) -> Result<Self> {
        let plan = || Self::of(settings::read(path)?, scheduler);
        plan().with_context(|| path.display().to_string())
    }

    fn of(mut settings: Settings, scheduler: Scheduler) -> Result<Self> {
        let stages = match (&settings.improve, settings.stage.is_empty()) {
            (Some(improve), true) => improve.stages(scheduler)?,
            (None, false) => std::mem::take(&mut settings.stage),
            _ => bail!("it needs either [[stage]] or [improve]"),
        };
        is_name("name", &settings.name)?;
        settings.needs.check("needs")?;
        at_least("limits.array", settings.limits.array, 2)?;
        at_least("limits.submit", settings.limits.submit, 2)?;
        let mut steps: Vec<Step> = Vec::new();
        // The last step of each stage.
        let mut known: Vec<(String, usize)> = Vec::new();
        for stage in stages {
            let name = stage.name.clone();
            let find = |wanted: &String| {
                let found = known.iter().find(|(name, _)| name == wanted);
                let problem = || {
                    format!(
                        "stage.after = '{wanted}' of '{name}': no stage before it has this name"
                    )
                };
                found.map(|(_, step)| *step).with_context(problem)
            };
            let after = match &stage.after {
                Some(names) => names.iter().map(find).collect::<Result<_>>()?,
                None => known.last().map(|(_, step)| *step).into_iter().collect(),
            };
            stage.add_to(&mut steps, after, &settings.needs)?;
            known.push((name, steps.len() - 1));
        }
        for (index, step) in steps.iter().enumerate() {
            if steps[..index].iter().any(|other| other.name == step.name) {
                bail!("stage.name: two steps are called '{}'", step.name);
            }
        }
        let program = match &settings.program {
            Some(program) => program.clone(),
            None => std::env::current_exe()?,
        };
        Ok(Self {
            directory: std::path::absolute(&settings.directory)?,
            program: program.display().to_string(),
            settings,
            steps,
        })
    }

    /// Makes the directory, which belongs to these steps alone.
    fn claim(&self) -> Result<()> {
        for folder in ["done", "failed", "log"] {
            files::create_directory(&self.directory.join(folder))?;
        }
        let path = self.directory.join("steps");
        let line =
            |step: &Step| format!("{} {} {:?}\n", step.name, step.tasks, step.command("auto"));
        let text: String = self.steps.iter().map(line).collect();
        if path.exists() && files::read(&path)? != text.as_bytes() {
            bail!(
                "{}: made for other steps; choose another directory",
                path.display()
            );
        }
        Ok(output::file(&path, text)?)
    }

    /// The mark of a task that is done: how many seconds it took.
    fn mark(&self, step: &Step, task: u64) -> PathBuf {
        self.directory.join(format!("done/{}.{task}", step.name))
    }

    fn missing(&self, step: &Step) -> Vec<u64> {
        (0..step.tasks)
            .filter(|&task| !self.mark(step, task).exists())
            .collect()
    }

    /// How far each step is, and more that is known of it.
    fn done(&self, more: impl Fn(&Step) -> String) -> String {
        let line = |step: &Step| {
            let seconds = |task| {
                let mark = std::fs::read_to_string(self.mark(step, task)).ok()?;
                mark.split_whitespace().next()?.parse::<u64>().ok()
            };
            let (count, all) = (0..step.tasks)
                .filter_map(seconds)
                .fold((0, 0), |(count, all), one| (count + 1, all + one));
            let hours = (all * step.cores()) as f64 / 3600.0;
            format!(
                "{}: {count} of {} tasks done in {hours:.2} core-hours{}\n",
                step.name,
                step.tasks,
                more(step)
            )
        };
        self.steps.iter().map(line).collect()
    }
}

impl Needs {
    fn check(&self, place: &str) -> Result<()> {
        at_least(&format!("{place}.cores"), self.cores, 1)?;
        at_least(&format!("{place}.memory"), self.memory, 1)?;
        at_least(&format!("{place}.throttle"), self.throttle, 1)?;
        is_positive(&format!("{place}.hours"), self.hours)?;
        let partition = self.partition.clone().unwrap_or_default();
        if partition.contains(char::is_whitespace) {
            bail!("{place}.partition = '{partition}': a name without blanks");
        }
        Ok(())
    }

    fn or(&self, usual: &Self) -> Self {
        Self {
            hours: self.hours.or(usual.hours),
            memory: self.memory.or(usual.memory),
            cores: self.cores.or(usual.cores),
            gpu: self.gpu.or(usual.gpu),
            partition: self.partition.clone().or(usual.partition.clone()),
            throttle: self.throttle.or(usual.throttle),
        }
    }
}

impl Stage {
    /// An array is followed by what collects it, a round of a test by a look at it.
    fn add_to(self, steps: &mut Vec<Step>, mut after: Vec<usize>, usual: &Needs) -> Result<()> {
        /// More than that is a slip.
        const MOST: u64 = 1_000_000;
        let place = format!("stage '{}'", self.name);
        is_name("stage.name", &self.name)?;
        self.needs.check(&format!("{place}: needs"))?;
        is_positive(&format!("{place}: core_hours"), self.core_hours)?;
        is_positive(&format!("{place}: disk"), self.disk)?;
        let words = benches::external::words(&self.command);
        let words = words.with_context(|| {
            format!("{place}: command: words with blanks between them, or between apostrophes")
        })?;
        let (tasks, rounds) = (self.tasks.unwrap_or(1), self.rounds.unwrap_or(1));
        let of = tasks.saturating_mul(rounds);
        if !(1..=MOST).contains(&of) || self.rounds.is_some() && self.tasks.is_none() {
            bail!("{place}: tasks, in each of 'rounds' if it has some: 1 to {MOST} in all");
        }
        let mut add =
            |name: String, words: Vec<String>, array: Option<(u64, u64)>, may_fail, after| {
                let share = |all: f64| all / rounds as f64;
                let works = array.is_some() || self.tasks.is_none();
                steps.push(Step {
                    name,
                    words,
                    array,
                    tasks: if array.is_some() { tasks } else { 1 },
                    may_fail,
                    after,
                    needs: self.needs.or(usual),
                    core_hours: self.core_hours.filter(|_| works).map(share),
                    disk: self.disk.filter(|_| works).map(share),
                });
                vec![steps.len() - 1]
            };
        if self.tasks.is_none() {
            add(self.name, words, None, false, after);
            return Ok(());
        }
        for round in 1..=rounds {
            let name = match rounds {
                1 => self.name.clone(),
                _ => format!("{}-{round}", self.name),
            };
            let array = Some(((round - 1) * tasks, of));
            after = add(name.clone(), words.clone(), array, false, after);
            let collect = ["--shard".to_owned(), format!("merge/{of}")];
            let words = [&*words, &collect].concat();
            after = add(format!("{name}-merge"), words, None, round < rounds, after);
        }
        Ok(())
    }
}

impl Improve {
    /// The stages of all generations, one after the other.
    fn stages(&self, scheduler: Scheduler) -> Result<Vec<Stage>> {
        let config: ImproveConfig = settings::read(&self.config)?;
        self.train.check("improve.train")?;
        let path = match scheduler {
            Scheduler::Kubernetes => Path::new("/settings/improve.toml"),
            _ => &self.config,
        };
        let stage = |generation: u64, name: &str, tasks| Stage {
            name: format!("{generation}-{name}"),
            command: format!(
                "improve --config '{}' --out '{}' --stage {name} --generation {generation}",
                path.display(),
                self.out.display(),
            ),
            tasks,
            rounds: (name == "gate").then_some(self.rounds),
            after: None,
            needs: if name == "train" {
                self.train.clone()
            } else {
                Needs::default()
            },
            core_hours: None,
            disk: None,
        };
        let mut stages = vec![stage(0, "finish", None)];
        for generation in 1..=self.generations {
            stages.push(stage(generation, "selfplay", Some(self.tasks)));
            if config.relabel.is_some() {
                stages.push(stage(generation, "relabel", Some(self.tasks)));
            }
            stages.push(stage(generation, "train", None));
            stages.push(stage(generation, "gate", Some(self.gate)));
            stages.push(stage(generation, "finish", None));
        }
        Ok(stages)
    }
}

/// Names stand in scripts, in names of files and of jobs.
fn is_name(key: &str, name: &str) -> Result<()> {
    let fits =
        |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-';
    if name.is_empty() || name.len() > 30 || !name.chars().all(fits) {
        bail!("{key} = '{name}': up to 30 of a to z, 0 to 9 and '-'");
    }
    Ok(())
}

fn at_least(key: &str, found: Option<u64>, least: u64) -> Result<()> {
    match found.filter(|&found| found < least) {
        Some(found) => bail!("{key} = {found}: it must be at least {least}"),
        None => Ok(()),
    }
}

fn is_positive(key: &str, found: Option<f64>) -> Result<()> {
    match found.filter(|found| !(*found > 0.0 && *found < 1e9)) {
        Some(found) => bail!("{key} = {found}: a number above 0"),
        None => Ok(()),
    }
}

/// A template with values in the places of their names: @name@.
fn filled(template: &str, values: &[(&str, String)]) -> String {
    let fill =
        |text: String, (name, value): &(&str, String)| text.replace(&format!("@{name}@"), value);
    values.iter().fold(template.to_owned(), fill)
}

/// Runs another program; what it says, or why it failed.
fn run(program: &str, words: &[String]) -> Result<String> {
    let ran = Command::new(program).args(words).output();
    let ran = ran.with_context(|| format!("{program} cannot be started"))?;
    if !ran.status.success() {
        bail!("{program}: {}", String::from_utf8_lossy(&ran.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&ran.stdout).into_owned())
}
