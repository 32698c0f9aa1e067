//! Arguments of trainings.

use crate::config::TrainConfig;
use crate::curve::Observer;
use crate::dataset::Samples;
use crate::training_results::Family;
use alea_learned::{inputs::Learnable, model_file::ModelFile};
use std::path::Path;

/// Settings, samples and directory of supervised training.
pub struct TrainingRun<'a, G: Learnable> {
    /// Settings of the training.
    pub config: &'a TrainConfig,
    /// Family of the model: n-tuple or neural network.
    pub family: Family,
    /// Training and validation samples.
    pub samples: &'a Samples<G>,
    /// Model of the same shape whose weights the training begins with, in place of one that the
    /// settings name; without either, weights are random, of n-tuples 0. The optimizer begins anew.
    pub initial_model: Option<&'a ModelFile<G>>,
    /// Origin of the samples, as JSON or plain text, for the model file.
    pub provenance: &'a str,
    /// Directory of checkpoint, curve and model.
    pub directory: &'a Path,
    /// Output during training: progress and curve.
    pub observer: Observer<'a>,
}

/// Settings, rules and directory of temporal-difference learning.
pub struct TdTrainingRun<'a, G: Learnable> {
    /// Rules of the games.
    pub game: &'a G,
    /// Settings of the training.
    pub config: &'a TrainConfig,
    /// Family of the model: n-tuple or neural network.
    pub family: Family,
    /// Model whose weights the training begins with, as [`TrainingRun::initial_model`].
    pub initial_model: Option<&'a ModelFile<G>>,
    /// Description of the program, as JSON or plain text, for the model file.
    pub provenance: &'a str,
    /// Directory of checkpoint, curve and model.
    pub directory: &'a Path,
    /// Output during training: progress and curve.
    pub observer: Observer<'a>,
}
