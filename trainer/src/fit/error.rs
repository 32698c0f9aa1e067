//! Everything that can end a training, each as one line that says what would help.

use super::CheckpointError;
use crate::backend::BackendError;
use crate::config::ConfigError;
use crate::curve::CurveError;
use crate::dataset::DatasetError;
use crate::export::ExportError;
use engine::core::files::FileError;
use engine::learned::{integer::IntegerError, network::NetworkError, tuples::NTupleError};
use std::{io, path::PathBuf};

/// Why a training ended without a model.
#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    /// A setting out of its range.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// No such device.
    #[error(transparent)]
    Backend(#[from] BackendError),
    /// The samples cannot be read, or not be used.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    /// The output directory could not be made.
    #[error("cannot create the directory {}: {cause}", path.display())]
    Directory {
        /// The directory.
        path: PathBuf,
        /// What the system said.
        cause: io::Error,
    },
    /// An optimiser's state of another size.
    #[error(
        "the checkpoint does not fit the model: its optimiser has another size; remove it to train from the start"
    )]
    Optimiser,
    /// The weights ran away.
    #[error("the {what} became {loss} in epoch {epoch}, batch {batch}: lower the learning rate")]
    NotFinite {
        /// Which loss.
        what: &'static str,
        /// From 1.
        epoch: usize,
        /// From 1; 0 after the last one.
        batch: usize,
        /// Infinite or no number.
        loss: f64,
    },
    /// The weights of a network that plays itself ran away.
    #[error("the loss became {loss} in game {game} (from 0): lower the learning rate")]
    RanAway {
        /// Its index.
        game: u64,
        /// Infinite or no number.
        loss: f64,
    },
    /// The checkpoint cannot be written, read or used.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// A record of burn that does not fit the model.
    #[error("the checkpoint does not fit the model: {0}; remove it to train from the start")]
    Record(#[from] burn::store::RecordError),
    /// The curve cannot be drawn or written.
    #[error(transparent)]
    Curve(#[from] CurveError),
    /// A file cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The device failed.
    #[error("the training device failed: {0}")]
    Device(String),
    /// The engine does not take the network.
    #[error("the engine does not take the network: {0}")]
    Network(#[from] NetworkError),
    /// A game that has no network in integers.
    #[error("there is no network in integers for {0}; train 'network' or 'ntuple'")]
    NoIntegerNetwork(&'static str),
    /// The engine does not take the integer network.
    #[error("the engine does not take the integer network: {0}")]
    Integer(#[from] IntegerError),
    /// The engine does not take the n-tuple network.
    #[error("the engine does not take the n-tuple network: {0}")]
    NTuple(#[from] NTupleError),
    /// The model was not exported.
    #[error(transparent)]
    Export(#[from] ExportError),
}

impl TrainError {
    /// A result that could not be read from the device.
    pub(super) fn device(error: impl std::fmt::Display) -> Self {
        Self::Device(error.to_string())
    }
}
