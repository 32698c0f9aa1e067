//! Replaces the module `training` in a build without burn.

pub use crate::reports::{Family, TdReport, TrainingReport};
pub use crate::training_run::TrainingRun;

use crate::Error;
use crate::config::TrainConfig;
use crate::curve::Observer;
use alea_learned::inputs::Learnable;
use std::path::Path;

fn unsupported_error() -> Error {
    Error::new(
        "this program was built without training; build it with: cargo build --release -p alea --features flex",
    )
}

/// Fails, since this build is without burn.
pub fn train<G: Learnable>(_: &TrainingRun<'_, G>) -> Result<TrainingReport, Error> {
    Err(unsupported_error())
}

/// Fails, since this build is without burn.
pub fn train_td<'a, G: Learnable>(
    _: &G,
    _: &TrainConfig,
    _provenance: &str,
    _directory: &Path,
    _: impl Into<Observer<'a>>,
) -> Result<TdReport, Error> {
    Err(unsupported_error())
}
