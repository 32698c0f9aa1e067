//! Learned evaluators: n-tuple networks and neural networks, their inputs, which each game
//! declares, and their files.

pub mod container;
pub mod inputs;
pub mod model_file;
pub mod named_set;
pub mod network;
pub mod tuples;

/// Why weights, inputs or a model file cannot be used, as one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ModelError(pub(crate) String);
