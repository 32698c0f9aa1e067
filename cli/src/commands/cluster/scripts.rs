//! Scripts for Slurm and for this machine; both run a task by `job.sh`.

use super::{Plan, Settings, Step, fill_template};
use crate::output;
use anyhow::{Result, bail};
use engine::core::files::{self, FileKind};
use serde_json::json;
use std::path::Path;

const RUN_SCRIPT: &str = concat!(
    include_str!("steps.sh"),
    include_str!("slurm.sh"),
    include_str!("status.sh"),
    include_str!("local.sh"),
    include_str!("run.sh"),
);

impl Plan {
    /// (Name, text) of each task script, and the script that starts them.
    pub(super) fn scripts(&self, config: &Path) -> Result<(Vec<(String, String)>, String)> {
        let path = |path: &Path| quote_words(&[path.display().to_string()]);
        let Settings {
            name,
            directory,
            program,
            limits,
            ..
        } = &self.settings;
        let program = program.clone().map_or_else(std::env::current_exe, Ok)?;
        let all = json!({
            "run": name,
            "directory": path(directory),
            "here": path(&std::env::current_dir()?),
            "program": path(&program),
            "config": path(config),
            "array": limits.array,
            "submit": limits.submit,
            "requeues": limits.requeues.unwrap_or(20),
            "early": limits.early.unwrap_or(60),
            "steps": self.steps.iter().map(Step::shell_line).collect::<String>(),
        });
        let script = |step: &Step| {
            let text = fill_template(include_str!("job.sh"), &[&step.values(), &all]);
            (format!("{}.sh", step.name), text)
        };
        let mut scripts: Vec<_> = self.steps.iter().map(script).collect();
        let rest = fill_template(include_str!("rest.sh"), &[&all]);
        scripts.push(("rest.sh".to_owned(), rest));
        Ok((scripts, fill_template(RUN_SCRIPT, &[&all])))
    }

    pub(super) fn write_directory(&self, scripts: &[(String, String)]) -> Result<()> {
        for folder in ["done", "failed", "log"] {
            files::prepare_directory(&self.settings.directory.join(folder))?;
        }
        let path = self.settings.directory.join("steps");
        let line = |step: &Step| format!("{} {} {:?}\n", step.name, step.tasks, step.words);
        let text: String = self.steps.iter().map(line).collect();
        if path.exists() && files::read(&path, FileKind::Text)? != text.as_bytes() {
            let path = path.display();
            bail!("{path}: made for other steps; choose another directory");
        }
        output::write_file(&path, text)?;
        for (name, text) in scripts {
            output::write_file(&self.settings.directory.join(name), text)?;
        }
        Ok(())
    }
}

impl Step {
    fn shell_line(&self) -> String {
        let (name, tasks, is_array) = (&self.name, self.tasks, self.first.is_some());
        let (throttle, cores) = (self.needs.throttle.unwrap_or(0), self.cores());
        let after = self.after.join(" ");
        format!("{name} {tasks} {is_array} {throttle} {cores} {after}\n")
    }

    fn values(&self) -> serde_json::Value {
        let needs = &self.needs;
        let directives = [
            (needs.partition.as_ref()).map(|name| format!("partition={name}")),
            self.minutes().map(|minutes| format!("time={minutes}")),
            needs.memory.map(|memory| format!("mem={memory}M")),
            needs.gpu.map(|count| format!("gres=gpu:{count}")),
        ];
        let directives = directives.iter().flatten();
        json!({
            "step": self.name,
            "cores": self.cores(),
            "number": self.first.map_or("%j", |_| "%A_%a"),
            "asked": directives.map(|line| format!("#SBATCH --{line}\n")).collect::<String>(),
            "first": self.first.unwrap_or(0),
            "command": quote_words(&self.command()),
        })
    }
}

fn quote_words(words: &[String]) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./=:,+".contains(letter);
    let one = |word: &String| match word.chars().all(plain) {
        true => word.clone(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    };
    words.iter().map(one).collect::<Vec<_>>().join(" ")
}
