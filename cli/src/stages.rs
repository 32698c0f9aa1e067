//! The stages of a long run and how long each took, kept in its directory.
//!
//! Invariant: a stage that was finished before keeps the time it took then, however often it is
//! looked at again. What is done does not depend on this file; a stage finds out from its own
//! files.

use crate::output;
use anyhow::{Context, Result};
use benches::arena::report::Stage;
use engine::core::files::{self, FileKind};
use std::{
    path::{Path, PathBuf},
    time::Instant,
};

/// Stages with their wall times, kept in the directory so that a resumed run still knows what they
/// took.
pub(crate) struct Stages {
    path: PathBuf,
    stages: Vec<Stage>,
}

impl Stages {
    /// The stages of a directory that were finished before.
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

    /// Runs a stage; a stage that had been finished before keeps the time it took then.
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
            output::file(&self.path, serde_json::to_vec_pretty(&self.stages)?)?;
        }
        Ok(done)
    }

    /// How long a stage took; 0 if it is not done.
    pub(crate) fn seconds(&self, name: &str) -> f64 {
        let stage = self.stages.iter().find(|stage| stage.name == name);
        stage.map_or(0.0, |stage| stage.seconds)
    }

    /// All that are finished, in the order in which they were.
    pub(crate) fn all(&self) -> &[Stage] {
        &self.stages
    }
}
