//! Kubernetes: an Indexed Job for each step, and a volume that all share.
//!
//! Invariant: all jobs but the first are suspended, and a small one lets each begin once the one
//! before it is complete; it keeps nothing, and may be begun anew anywhere.

use super::{Plan, Step, filled};
use crate::output;
use anyhow::{Context, Result, bail};
use engine::core::files;
use serde::Deserialize;
use serde_json::{Value, json};
use std::process::Command;

/// Most indices of a job that counts failures for each.
const MOST_TASKS: u64 = 100_000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Settings {
    image: String,
    /// The claim of the volume, and its size as Kubernetes writes it.
    volume: String,
    storage: String,
    /// An image that holds kubectl.
    kubectl: Option<String>,
}

/// Everything as YAML.
fn documents(plan: &Plan) -> Result<String> {
    let settings = (plan.settings.kubernetes.as_ref()).context("no [kubernetes]")?;
    let kubectl = settings
        .kubectl
        .as_deref()
        .unwrap_or("registry.k8s.io/kubectl:v1.33.0");
    let text = |text: &str| Value::from(text).to_string();
    let improve = match &plan.settings.improve {
        Some(improve) => files::read(&improve.config)?,
        None => Vec::new(),
    };
    let mut chain = Vec::new();
    let mut add = |args: Value| {
        let memory = json!({ "requests": { "cpu": "10m", "memory": "32Mi" }, "limits": { "memory": "128Mi" } });
        let name = format!("step-{}", chain.len());
        chain.push(json!({ "name": name, "image": kubectl, "command": ["kubectl"], "args": args, "resources": memory }).to_string());
    };
    let job = |step: &Step| format!("job/{}-{}", plan.settings.name, step.name);
    for (index, step) in plan.steps.iter().enumerate() {
        if step.tasks > MOST_TASKS {
            bail!(
                "stage '{}': tasks = {}: at most {MOST_TASKS} in Kubernetes",
                step.name,
                step.tasks
            );
        }
        if index > 0 {
            add(json!([
                "patch",
                job(step),
                "--patch",
                r#"{"spec":{"suspend":false}}"#
            ]));
        }
        add(json!([
            "wait",
            "--for=condition=complete",
            "--timeout=-1s",
            job(step)
        ]));
    }
    let mut all = filled(
        include_str!("run.yaml"),
        &[
            ("run", plan.settings.name.clone()),
            ("volume", text(&settings.volume)),
            ("storage", text(&settings.storage)),
            ("settings", text(&String::from_utf8_lossy(&improve))),
            ("kubectl", text(kubectl)),
            ("chain", chain.join(",\n")),
        ],
    );
    for (index, step) in plan.steps.iter().enumerate() {
        let mut limits = json!({});
        let mut requests = json!({ "cpu": step.cores().to_string() });
        if let Some(memory) = step.needs.memory {
            limits["memory"] = format!("{memory}Mi").into();
            requests["memory"] = limits["memory"].clone();
        }
        if let Some(count) = step.needs.gpu {
            limits["nvidia.com/gpu"] = count.to_string().into();
        }
        let throttle = step.needs.throttle.unwrap_or(step.tasks);
        all += &filled(
            include_str!("job.yaml"),
            &[
                ("run", plan.settings.name.clone()),
                ("step", step.name.clone()),
                ("suspend", (index > 0).to_string()),
                ("tasks", step.tasks.to_string()),
                ("throttle", throttle.min(step.tasks).to_string()),
                (
                    "requeues",
                    plan.settings.limits.requeues.unwrap_or(5).to_string(),
                ),
                ("image", text(&settings.image)),
                ("args", json!(step.command()).to_string()),
                (
                    "first",
                    step.array.map_or(0, |(first, _)| first).to_string(),
                ),
                ("requests", requests.to_string()),
                ("limits", limits.to_string()),
                ("volume", text(&settings.volume)),
            ],
        );
    }
    Ok(all)
}

/// Writes everything, or asks `kubectl` for it; whoever begins again removes all jobs before, whose
/// tasks find what is done.
pub(super) fn run(plan: &Plan, verb: &str) -> Result<()> {
    let text = documents(plan)?;
    let label = format!("alea-run={}", plan.settings.name);
    let ask = |verb: &str| kubectl(&[verb, "jobs", "-l", &label]);
    match verb {
        "print" => return output::line(&text),
        "status" => return ask("get"),
        "cancel" => return ask("delete"),
        "resubmit" => ask("delete")?,
        _ => {}
    }
    let path = std::env::temp_dir().join(format!(
        "{}-{}.yaml",
        plan.settings.name,
        std::process::id()
    ));
    output::file(&path, text)?;
    let applied = kubectl(&["apply", "-f", &path.display().to_string()]);
    let _ = std::fs::remove_file(&path);
    applied
}

fn kubectl(words: &[&str]) -> Result<()> {
    let ran = Command::new("kubectl").args(words).status();
    match ran.context("kubectl cannot be started")?.success() {
        true => Ok(()),
        false => Err(output::told()),
    }
}
