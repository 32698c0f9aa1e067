//! Arguments of supervised training.

use crate::config::TrainConfig;
use crate::curve::Observer;
use crate::dataset::Samples;
use crate::reports::Family;
use alea_learned::inputs::Learnable;
use std::path::Path;

/// A supervised training: settings, samples, and the directory of the results.
pub struct TrainingRun<'a, G: Learnable> {
    /// Configuration of the training.
    pub config: &'a TrainConfig,
    /// Family of the model.
    pub family: Family,
    /// Training and validation samples.
    pub samples: &'a Samples<G>,
    /// Origin of the samples, as JSON or plain text, for the model's metadata.
    pub provenance: &'a str,
    /// Directory for checkpoint, curve and model.
    pub directory: &'a Path,
    /// Shows progress and plots the curve.
    pub observer: Observer<'a>,
}
