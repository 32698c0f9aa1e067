//! Replaces training in a build without burn: every call fails with one line.

pub use crate::reports::{Family, TdReport, TrainingReport};

use crate::Error;
use crate::config::TrainConfig;
use crate::curve::Observer;
use crate::dataset::Samples;
use engine::learned::inputs::Learnable;
use std::path::Path;

fn untrained() -> Error {
    Error::new(
        "this program was built without training; build it with: cargo build --release -p alea --features flex",
    )
}

/// Fails in this build.
///
/// # Errors
/// Always.
pub fn fit<'a, G: Learnable>(
    _: &TrainConfig,
    _: Family,
    _: &Samples<G>,
    _provenance: &str,
    _directory: &Path,
    _: impl Into<Observer<'a>>,
) -> Result<TrainingReport, Error> {
    Err(untrained())
}

/// Fails in this build.
///
/// # Errors
/// Always.
pub fn train_td<'a, G: Learnable>(
    _: &G,
    _: &TrainConfig,
    _provenance: &str,
    _directory: &Path,
    _: impl Into<Observer<'a>>,
) -> Result<TdReport, Error> {
    Err(untrained())
}
