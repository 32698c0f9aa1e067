//! Times of a long run's stages, only for display. A stage that is repeated keeps its first time.

use crate::output;
use anyhow::{Context, Result};
use arena::pipeline_report::Stage;
use engine::core::files::{self, FileKind};
use std::{
    path::{Path, PathBuf},
    time::Instant,
};

pub(crate) struct Stages {
    path: PathBuf,
    stages: Vec<Stage>,
}

impl Stages {
    pub(crate) fn open(directory: &Path) -> Result<Self> {
        let path = directory.join("stages.json");
        let stages = if path.exists() {
            serde_json::from_slice(&files::read(&path, FileKind::Text)?)
                .with_context(|| format!("{}: not a list of stages; remove it", path.display()))?
        } else {
            Vec::new()
        };
        Ok(Self { path, stages })
    }

    /// Runs a stage, and stores its time unless one is stored already.
    pub(crate) fn run<T>(
        &mut self,
        name: &str,
        stage: impl FnOnce() -> Result<T>,
        outcome: impl FnOnce(&T) -> String,
    ) -> Result<T> {
        output::note(&format!("── {name}"));
        let began = Instant::now();
        let done = stage()?;
        if !self.stages.iter().any(|finished| finished.name == name) {
            self.stages.push(Stage {
                name: name.to_owned(),
                seconds: began.elapsed().as_secs_f64(),
                outcome: outcome(&done),
            });
            output::write_file(&self.path, serde_json::to_vec_pretty(&self.stages)?)?;
        }
        Ok(done)
    }

    /// Wall time of a stage; 0 if it is not finished.
    pub(crate) fn seconds(&self, name: &str) -> f64 {
        let stage = self.stages.iter().find(|stage| stage.name == name);
        stage.map_or(0.0, |stage| stage.seconds)
    }

    pub(crate) fn all(&self) -> &[Stage] {
        &self.stages
    }
}
