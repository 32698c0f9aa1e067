//! Arguments of supervised training.

use crate::config::TrainConfig;
use crate::curve::Observer;
use crate::dataset::Samples;
use crate::reports::Family;
use alea_learned::inputs::Learnable;
use std::path::Path;

/// Settings, samples and directory of supervised training.
pub struct TrainingRun<'a, G: Learnable> {
    /// Training settings.
    pub config: &'a TrainConfig,
    /// N-tuple or neural network.
    pub family: Family,
    /// Training and validation samples.
    pub samples: &'a Samples<G>,
    /// Origin of the samples for the model file, as JSON or plain text.
    pub provenance: &'a str,
    /// Holds checkpoint, curve and model.
    pub directory: &'a Path,
    /// Shows progress and plots the curve.
    pub observer: Observer<'a>,
}
