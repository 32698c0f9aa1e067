//! Learned evaluators (n-tuple networks and neural networks), the inputs that games declare for
//! them, and model files.

pub mod container;
pub mod inputs;
pub mod model_file;
pub mod named_set;
pub mod network;
pub mod tuples;

/// Why weights, inputs or a model file cannot be used, in one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ModelError(pub(crate) String);
