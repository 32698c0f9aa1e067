//! `alea cluster`: a run as the jobs of a scheduler, or as processes of this machine.
//!
//! Invariant: a task is a function of its step and its number, and leaves a mark in the directory
//! once it is done; so whoever runs the tasks may lose any of them and run it again, and no process
//! of ours has to stay alive. A task is `job.sh`; what hands them to Slurm or to this machine is
//! `run.sh`.

mod kubernetes;

use crate::{improve::config::ImproveConfig, output, settings};
use anyhow::{Context, Result, bail, ensure};
use engine::core::files;
use serde::Deserialize;
use std::os::unix::process::CommandExt;
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
        let plan = || Plan::of(settings::read(&self.config)?, self.scheduler);
        let plan = plan().with_context(|| self.config.display().to_string())?;
        let verb = match (self.scheduler, self) {
            (_, Self { print: true, .. }) => "print",
            (_, Self { status: true, .. }) => "status",
            (_, Self { cancel: true, .. }) => "cancel",
            (Scheduler::Local, _) => "local",
            (_, Self { resubmit: true, .. }) => "resubmit",
            _ => "submit",
        };
        if !["status", "cancel"].contains(&verb) {
            plan.steps
                .iter()
                .for_each(|step| output::note(&step.told()));
        }
        if self.scheduler == Scheduler::Kubernetes {
            return kubernetes::run(&plan, verb);
        }
        let mut scripts = plan.scripts(&self.config)?;
        let (_, run) = scripts.pop().context("no script")?;
        let mut _claim = None;
        match verb {
            "print" => output::line(
                &scripts
                    .into_iter()
                    .map(|(name, text)| format!("# {name}\n{text}"))
                    .collect::<String>(),
            )?,
            "status" | "cancel" => {}
            _ => {
                _claim = files::claim_directory(&plan.directory)?;
                plan.take_directory(&scripts)?;
            }
        }
        let threads = rayon::current_num_threads().to_string();
        let mut bash = Command::new("bash");
        bash.args(["-c", &run, "alea", verb, &threads]);
        if verb == "local" {
            // All that it starts ends with this program.
            bash.process_group(0);
        }
        let ran = bash.status();
        match ran.context("bash cannot be started")?.success() {
            true => Ok(()),
            false => Err(output::told()),
        }
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
    /// Tasks of an array at a time.
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
    /// Seconds before the time limit at which it is told to end.
    early: Option<u64>,
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
    after: Vec<String>,
    needs: Needs,
    core_hours: Option<f64>,
    disk: Option<f64>,
}

struct Plan {
    settings: Settings,
    directory: PathBuf,
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

    /// What the program is told.
    fn command(&self) -> Vec<String> {
        let mut words = vec!["--threads".to_owned(), self.cores().to_string()];
        words.extend(self.words.clone());
        if let Some((_, of)) = self.array {
            words.extend(["--shard".to_owned(), format!("auto/{of}")]);
        }
        words
    }

    /// What it takes, for people.
    fn told(&self) -> String {
        let (name, tasks, cores) = (&self.name, self.tasks, self.cores());
        let mut text = format!("{name}: {tasks} tasks, {cores} cores each");
        let mut add = |what: Option<String>| text.extend(what);
        add(self.needs.memory.map(|memory| format!(", {memory} MiB")));
        add(self.minutes().map(|minutes| format!(", {minutes} minutes")));
        add(self
            .core_hours
            .map(|hours| format!("; {hours:.2} core-hours")));
        add(self.disk.map(|disk| format!("; {disk:.0} MB on disk")));
        text
    }
}

impl Plan {
    fn of(mut settings: Settings, scheduler: Scheduler) -> Result<Self> {
        let on_pods = scheduler == Scheduler::Kubernetes;
        ensure!(
            !on_pods || settings.kubernetes.is_some(),
            "[kubernetes] is needed: image, volume and storage"
        );
        let stages = match (&settings.improve, settings.stage.is_empty()) {
            (Some(improve), true) => improve.stages(on_pods)?,
            (None, false) => std::mem::take(&mut settings.stage),
            _ => bail!("it needs either [[stage]] or [improve]"),
        };
        is_name("name", &settings.name)?;
        settings.needs.check("needs")?;
        is_at_least("limits.array", settings.limits.array, 2)?;
        is_at_least("limits.submit", settings.limits.submit, 2)?;
        let mut steps: Vec<Step> = Vec::new();
        // The last step of each stage.
        let mut known: Vec<(String, String)> = Vec::new();
        for stage in stages {
            let name = stage.name.clone();
            let find = |wanted: &String| {
                let found = known.iter().find(|(name, _)| name == wanted);
                let problem = || {
                    format!(
                        "stage.after = '{wanted}' of '{name}': no stage before it has this name"
                    )
                };
                found.map(|(_, step)| step.clone()).with_context(problem)
            };
            let after = match &stage.after {
                Some(names) => names.iter().map(find).collect::<Result<_>>()?,
                None => known
                    .last()
                    .map(|(_, step)| step.clone())
                    .into_iter()
                    .collect(),
            };
            let begin = steps.len();
            let last = stage.add_to(&mut steps, after, &settings.needs, on_pods)?;
            let twice = known.iter().any(|(known, _)| *known == name);
            ensure!(!twice, "stage.name = '{name}': there are two of it");
            known.push((name, last));
            let twice = |step: &Step| steps[..begin].iter().any(|other| other.name == step.name);
            if let Some(step) = steps[begin..].iter().find(|step| twice(step)) {
                bail!("stage.name: two steps are called '{}'", step.name);
            }
        }
        let directory = std::path::absolute(&settings.directory)?;
        Ok(Self {
            settings,
            directory,
            steps,
        })
    }

    /// The scripts: of each step, of the rest, and last what hands them out.
    fn scripts(&self, config: &Path) -> Result<Vec<(String, String)>> {
        let Settings {
            name: run, limits, ..
        } = &self.settings;
        let program = match &self.settings.program {
            Some(program) => program.clone(),
            None => std::env::current_exe()?,
        };
        let path = |path: &Path| quoted(&[path.display().to_string()]);
        let known = |limit: Option<u64>, usual: &str| {
            limit.map_or(usual.to_owned(), |limit| limit.to_string())
        };
        let all = [
            ("run", run.clone()),
            ("directory", path(&self.directory)),
            ("here", path(&std::env::current_dir()?)),
            ("program", path(&program)),
            ("config", path(config)),
            ("array", known(limits.array, "")),
            ("submit", known(limits.submit, "")),
            ("requeues", known(limits.requeues, "20")),
            ("early", known(limits.early, "60")),
        ];
        let (mut scripts, mut lines) = (Vec::new(), String::new());
        for step in &self.steps {
            let Step {
                name,
                tasks,
                needs,
                may_fail,
                after,
                ..
            } = step;
            let (cores, throttle) = (step.cores(), needs.throttle.unwrap_or(0));
            lines += &format!(
                "{name} {tasks} {} {throttle} {cores} {}\n",
                step.array.is_some(),
                after.join(" ")
            );
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
            let own = [
                ("step", name.clone()),
                ("cores", cores.to_string()),
                (
                    "number",
                    if step.array.is_some() { "%A_%a" } else { "%j" }.to_owned(),
                ),
                ("asked", asked.collect()),
                (
                    "first",
                    step.array.map_or(0, |(first, _)| first).to_string(),
                ),
                ("may_fail", may_fail.to_string()),
                ("command", quoted(&step.command())),
            ];
            let text = filled(include_str!("cluster/job.sh"), &own);
            scripts.push((format!("{name}.sh"), filled(&text, &all)));
        }
        scripts.push((
            "rest.sh".to_owned(),
            filled(include_str!("cluster/rest.sh"), &all),
        ));
        let run = filled(include_str!("cluster/run.sh"), &all);
        scripts.push((String::new(), filled(&run, &[("steps", lines)])));
        Ok(scripts)
    }

    /// Writes the scripts into the directory, which belongs to these steps alone.
    fn take_directory(&self, scripts: &[(String, String)]) -> Result<()> {
        for folder in ["done", "failed", "log"] {
            files::create_directory(&self.directory.join(folder))?;
        }
        let path = self.directory.join("steps");
        let line = |step: &Step| format!("{} {} {:?}\n", step.name, step.tasks, step.words);
        let text: String = self.steps.iter().map(line).collect();
        if path.exists() && files::read(&path)? != text.as_bytes() {
            bail!(
                "{}: made for other steps; choose another directory",
                path.display()
            );
        }
        output::file(&path, text)?;
        for (name, text) in scripts {
            output::file(&self.directory.join(name), text)?;
        }
        Ok(())
    }
}

impl Needs {
    fn check(&self, place: &str) -> Result<()> {
        is_at_least(&format!("{place}.cores"), self.cores, 1)?;
        is_at_least(&format!("{place}.memory"), self.memory, 1)?;
        is_at_least(&format!("{place}.throttle"), self.throttle, 1)?;
        is_positive(&format!("{place}.hours"), self.hours)?;
        let partition = self.partition.clone().unwrap_or_default();
        let has_blanks = partition.contains(char::is_whitespace);
        ensure!(
            !has_blanks,
            "{place}.partition = '{partition}': a name without blanks"
        );
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
    /// An array is followed by what collects it, a round of a test by a look at it; not where a job
    /// that finds a test open would be a failure. Returns the last step.
    fn add_to(
        self,
        steps: &mut Vec<Step>,
        mut after: Vec<String>,
        usual: &Needs,
        on_pods: bool,
    ) -> Result<String> {
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
        let mut add = |name: &str, words: &[String], array: Option<(u64, u64)>, may_fail, after| {
            let share = |all: Option<f64>| {
                all.filter(|_| array.is_some() || self.tasks.is_none())
                    .map(|all| all / rounds as f64)
            };
            steps.push(Step {
                name: name.to_owned(),
                words: words.to_vec(),
                array,
                tasks: if array.is_some() { tasks } else { 1 },
                may_fail,
                after,
                needs: self.needs.or(usual),
                core_hours: share(self.core_hours),
                disk: share(self.disk),
            });
            vec![name.to_owned()]
        };
        if self.tasks.is_none() {
            add(&self.name, &words, None, false, after);
            return Ok(self.name);
        }
        let collect = [
            words.clone(),
            vec!["--shard".to_owned(), format!("merge/{of}")],
        ]
        .concat();
        for round in 1..=rounds {
            let name = match rounds {
                1 => self.name.clone(),
                _ => format!("{}-{round}", self.name),
            };
            after = add(&name, &words, Some(((round - 1) * tasks, of)), false, after);
            if round == rounds || !on_pods {
                after = add(
                    &format!("{name}-merge"),
                    &collect,
                    None,
                    round < rounds,
                    after,
                );
            }
        }
        Ok(after.concat())
    }
}

impl Improve {
    /// The stages of all generations, one after the other.
    fn stages(&self, on_pods: bool) -> Result<Vec<Stage>> {
        let config: ImproveConfig = settings::read(&self.config)?;
        self.train.check("improve.train")?;
        let path = if on_pods {
            Path::new("/settings/improve.toml")
        } else {
            &self.config
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
    let is_good = (1..=20).contains(&name.len()) && name.chars().all(fits);
    ensure!(
        is_good,
        "{key} = '{name}': up to 20 of a to z, 0 to 9 and '-'"
    );
    Ok(())
}

fn is_at_least(key: &str, found: Option<u64>, least: u64) -> Result<()> {
    let found = found.unwrap_or(least);
    ensure!(
        found >= least,
        "{key} = {found}: it must be at least {least}"
    );
    Ok(())
}

fn is_positive(key: &str, found: Option<f64>) -> Result<()> {
    let found = found.unwrap_or(1.0);
    ensure!(
        found > 0.0 && found < 1e9,
        "{key} = {found}: a number above 0"
    );
    Ok(())
}

/// Words that a shell reads as they are.
fn quoted(words: &[String]) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./=:,+".contains(letter);
    let one = |word: &String| match word.chars().all(plain) {
        true => word.clone(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    };
    words.iter().map(one).collect::<Vec<_>>().join(" ")
}

/// A template with values in the places of their names: @name@.
fn filled(template: &str, values: &[(&str, String)]) -> String {
    let fill =
        |text: String, (name, value): &(&str, String)| text.replace(&format!("@{name}@"), value);
    values.iter().fold(template.to_owned(), fill)
}
