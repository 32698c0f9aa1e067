//! Converts the stages of a settings file to steps, and checks them.

use super::{Improve, Plan, ResourceRequest, Settings, Stage, Step};
use crate::improve::config::ImproveConfig;
use anyhow::{Context, Result, bail, ensure};

const MAX_TASKS: u64 = 1_000_000;

impl Plan {
    pub(super) fn of(mut settings: Settings, on_pods: bool) -> Result<Self> {
        ensure!(
            !on_pods || settings.kubernetes.is_some(),
            "[kubernetes] is needed: image, volume and storage"
        );
        let stages = match (&settings.improve, settings.stage.is_empty()) {
            (Some(improve), true) => improve.stages(on_pods)?,
            (None, false) => std::mem::take(&mut settings.stage),
            _ => bail!("it needs either [[stage]] or [improve]"),
        };
        check_name("name", &settings.name)?;
        settings.needs.check("needs")?;
        check_at_least("limits.array", settings.limits.array, 2)?;
        check_at_least("limits.submit", settings.limits.submit, 2)?;
        let mut steps: Vec<Step> = Vec::new();
        for mut stage in stages {
            let name = &stage.name;
            let last = |stage_name: &String| {
                let mut last = steps.iter().rev();
                let last = last.find(|step| step.stage == *stage_name);
                last.with_context(|| {
                    format!(
                        "stage.after = '{stage_name}' of '{name}': no stage before it has this name"
                    )
                })
            };
            let after = match &stage.after {
                Some(names) => names.iter().map(last).collect::<Result<_>>()?,
                None => Vec::from_iter(steps.last()),
            };
            stage.after = Some(after.iter().map(|step| step.name.clone()).collect());
            let own = stage.steps(&settings.needs)?;
            for Step { name, stage, .. } in &own {
                let mut earlier = steps.iter();
                let twice = earlier.any(|earlier| earlier.name == *name || earlier.stage == *stage);
                ensure!(!twice, "stage.name = '{name}': there are two of it");
            }
            steps.extend(own);
        }
        settings.directory = std::path::absolute(&settings.directory)?;
        Ok(Self { settings, steps })
    }
}

impl ResourceRequest {
    fn check(&self, section: &str) -> Result<()> {
        check_at_least(&format!("{section}.cores"), self.cores, 1)?;
        check_at_least(&format!("{section}.memory"), self.memory, 1)?;
        check_at_least(&format!("{section}.throttle"), self.throttle, 1)?;
        check_positive(&format!("{section}.hours"), self.hours)?;
        let partition = self.partition.as_deref().unwrap_or_default();
        ensure!(
            !partition.contains(char::is_whitespace),
            "{section}.partition = '{partition}': a name without blanks"
        );
        Ok(())
    }

    fn with_defaults(&self, defaults: &Self) -> Self {
        Self {
            hours: self.hours.or(defaults.hours),
            memory: self.memory.or(defaults.memory),
            cores: self.cores.or(defaults.cores),
            gpu: self.gpu.or(defaults.gpu),
            partition: self.partition.clone().or(defaults.partition.clone()),
            throttle: self.throttle.or(defaults.throttle),
        }
    }
}

impl Stage {
    /// Steps of the stage: one job, or an array for each round and a job that merges all.
    fn steps(self, defaults: &ResourceRequest) -> Result<Vec<Step>> {
        let name = self.name;
        let section = format!("stage '{name}'");
        check_name("stage.name", &name)?;
        self.needs.check(&format!("{section}: needs"))?;
        check_positive(&format!("{section}: core_hours"), self.core_hours)?;
        check_positive(&format!("{section}: disk"), self.disk)?;
        let words = arena::command_line::split_command(&self.command).with_context(|| {
            format!("{section}: command: words with blanks between them, or between apostrophes")
        })?;
        let rounds = self.rounds.unwrap_or(1);
        let of = self.tasks.unwrap_or(1).saturating_mul(rounds);
        if !(1..=MAX_TASKS).contains(&of) || self.rounds.is_some() && self.tasks.is_none() {
            bail!("{section}: tasks, in each of 'rounds' if it has some: 1 to {MAX_TASKS} in all");
        }
        let per_round = |all: Option<f64>| all.map(|all| all / rounds as f64);
        let mut step = Step {
            name: name.clone(),
            stage: name.clone(),
            words,
            first: None,
            tasks: 1,
            after: self.after.unwrap_or_default(),
            needs: self.needs.with_defaults(defaults),
            core_hours: per_round(self.core_hours),
            disk: per_round(self.disk),
        };
        let Some(tasks) = self.tasks else {
            return Ok(vec![step]);
        };
        let mut collect = step.clone();
        collect
            .words
            .extend(["--shard".to_owned(), format!("merge/{of}")]);
        step.words
            .extend(["--shard".to_owned(), format!("auto/{of}")]);
        let mut steps = Vec::new();
        for round in 0..rounds {
            if rounds > 1 {
                step.name = format!("{name}-{}", round + 1);
            }
            (step.first, step.tasks) = (Some(round * tasks), tasks);
            steps.push(step.clone());
            step.after = vec![step.name.clone()];
        }
        steps.push(Step {
            name: format!("{name}-merge"),
            after: step.after,
            core_hours: None,
            disk: None,
            ..collect
        });
        Ok(steps)
    }
}

impl Improve {
    fn stages(&self, on_pods: bool) -> Result<Vec<Stage>> {
        let config: ImproveConfig = crate::settings::read_toml(&self.config)?;
        self.train.check("improve.train")?;
        let path = match on_pods {
            true => "/settings/improve.toml".to_owned(),
            false => self.config.display().to_string(),
        };
        let out = self.out.display();
        let stage = |generation: u64, name: &str, tasks| Stage {
            name: format!("{generation}-{name}"),
            command: format!(
                "improve --config '{path}' --out '{out}' --stage {name} --generation {generation}"
            ),
            tasks,
            ..Stage::default()
        };
        let mut stages = vec![stage(0, "finish", None)];
        for generation in 1..=self.generations {
            let stage = |name, tasks| stage(generation, name, tasks);
            if !config.learns_by_td(generation) {
                stages.push(stage("selfplay", Some(self.tasks)));
                if config.relabel.is_some() {
                    stages.push(stage("relabel", Some(self.tasks)));
                }
            }
            stages.push(Stage {
                needs: self.train.clone(),
                ..stage("train", None)
            });
            stages.push(Stage {
                rounds: Some(self.rounds),
                ..stage("gate", Some(self.gate))
            });
            stages.push(stage("finish", None));
        }
        Ok(stages)
    }
}

fn check_name(key: &str, name: &str) -> Result<()> {
    let fits = |letter| matches!(letter, 'a'..='z' | '0'..='9' | '-');
    ensure!(
        (1..=20).contains(&name.len()) && name.chars().all(fits),
        "{key} = '{name}': up to 20 of a to z, 0 to 9 and '-'"
    );
    Ok(())
}

fn check_at_least(key: &str, found: Option<u64>, least: u64) -> Result<()> {
    let found = found.unwrap_or(least);
    ensure!(
        found >= least,
        "{key} = {found}: it must be at least {least}"
    );
    Ok(())
}

fn check_positive(key: &str, found: Option<f64>) -> Result<()> {
    let found = found.unwrap_or(1.0);
    ensure!(
        found > 0.0 && found < 1e9,
        "{key} = {found}: a number above 0"
    );
    Ok(())
}
