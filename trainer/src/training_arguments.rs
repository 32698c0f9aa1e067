//! Arguments of supervised training.

use crate::config::TrainConfig;
use crate::curve::Observer;
use crate::dataset::Samples;
use crate::training_results::Family;
use alea_learned::inputs::Learnable;
use std::path::Path;

/// Settings, samples and directory of supervised training.
pub struct TrainingRun<'a, G: Learnable> {
    /// Settings of the training.
    pub config: &'a TrainConfig,
    /// Family of the model: n-tuple or neural network.
    pub family: Family,
    /// Training and validation samples.
    pub samples: &'a Samples<G>,
    /// Origin of the samples, as JSON or plain text, for the model file.
    pub provenance: &'a str,
    /// Directory of checkpoint, curve and model.
    pub directory: &'a Path,
    /// Output during training: progress and curve.
    pub observer: Observer<'a>,
}
