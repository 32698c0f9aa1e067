//! Arguments of a training on samples.

use crate::config::TrainConfig;
use crate::curve::Observer;
use crate::dataset::Samples;
use crate::reports::Family;
use engine::learned::inputs::Learnable;
use std::path::Path;

/// A training on samples: settings, data, and where the results go.
pub struct TrainingRun<'a, G: Learnable> {
    /// Settings.
    pub config: &'a TrainConfig,
    /// The model family.
    pub family: Family,
    /// Training and validation samples.
    pub samples: &'a Samples<G>,
    /// Origin of the samples, as JSON or plain text.
    pub provenance: &'a str,
    /// Directory of checkpoint, curve and model.
    pub directory: &'a Path,
    /// Progress bar and drawing of the curve.
    pub observer: Observer<'a>,
}
