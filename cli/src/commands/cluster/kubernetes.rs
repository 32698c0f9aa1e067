//! Kubernetes: an Indexed Job for each step, with a shared volume.
//!
//! All jobs but the first are created suspended; a small job resumes each when its predecessor is
//! complete.

use super::{Plan, fill_template};
use anyhow::{Context, Result, ensure};
use engine::core::files::{self, FileKind};
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// Kubernetes' limit for Indexed Jobs whose failures are limited per index.
const MAX_TASKS: u64 = 100_000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Settings {
    image: String,
    /// Name of a volume claim of size `storage`.
    volume: String,
    storage: String,
    #[serde(default = "default_kubectl_image")]
    kubectl: String,
}

fn default_kubectl_image() -> String {
    "registry.k8s.io/kubectl:v1.33.0".to_owned()
}

/// Bash script that prints all objects as YAML or passes them to `kubectl`.
pub(super) fn script(plan: &Plan) -> Result<String> {
    let super::Settings {
        name: run,
        limits,
        kubernetes,
        improve,
        ..
    } = &plan.settings;
    let settings = kubernetes.as_ref().context("no [kubernetes]")?;
    let improve = improve
        .as_ref()
        .map(|improve| files::read(&improve.config, FileKind::Text));
    let improve = improve.transpose()?.unwrap_or_default();
    let text = |text: &str| Value::from(text).to_string();
    let all = json!({
        "run": run,
        "volume": text(&settings.volume),
        "storage": text(&settings.storage),
        "settings": text(&String::from_utf8_lossy(&improve)),
        "kubectl": text(&settings.kubectl),
        "image": text(&settings.image),
        "requeues": limits.requeues.unwrap_or(5),
    });
    let (mut chain, mut jobs) = (Vec::new(), String::new());
    for (index, step) in plan.steps.iter().enumerate() {
        let (name, tasks, needs) = (&step.name, step.tasks, &step.needs);
        ensure!(
            tasks <= MAX_TASKS,
            "stage '{name}': tasks = {tasks}: at most {MAX_TASKS} in Kubernetes"
        );
        let job = format!("job/{run}-{name}");
        let patch = json!(["patch", job, "--patch", r#"{"spec":{"suspend":false}}"#]);
        let wait = json!(["wait", "--for=condition=complete", "--timeout=-1s", job]);
        for args in [patch, wait].into_iter().skip(usize::from(index == 0)) {
            let values = json!({ "number": chain.len(), "args": args });
            chain.push(fill_template(include_str!("chain.yaml"), &[&values, &all]));
        }
        let memory = || needs.memory.map(|memory| format!("{memory}Mi"));
        let quantities = |name: &str, count: Option<u64>| {
            let all = [
                ("memory", memory()),
                (name, count.map(|count| count.to_string())),
            ];
            let subsets = all
                .into_iter()
                .filter_map(|(name, one)| Some((name.to_owned(), one?.into())));
            Value::Object(subsets.collect::<Map<_, _>>())
        };
        let values = json!({
            "step": name,
            "suspend": index > 0,
            "tasks": tasks,
            "throttle": needs.throttle.unwrap_or(tasks).min(tasks),
            "args": step.command(),
            "first": step.first.unwrap_or(0),
            "requests": quantities("cpu", Some(step.cores())),
            "limits": quantities("nvidia.com/gpu", needs.gpu),
        });
        jobs += &fill_template(include_str!("job.yaml"), &[&values, &all]);
    }
    let chain = json!({ "chain": chain.concat(), "jobs": jobs });
    let documents = fill_template(include_str!("run.yaml"), &[&chain, &all]);
    let script = include_str!("kubernetes.sh");
    Ok(fill_template(
        script,
        &[&json!({ "documents": documents }), &all],
    ))
}
