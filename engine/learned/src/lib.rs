//! Learned evaluators (n-tuple networks and neural networks), their inputs, and model files.

pub mod game_parts;
pub mod inputs;
pub mod model_file;
pub mod named_set;
pub mod network;
mod perspectives;
pub mod safetensors_container;
pub mod tuples;

pub use perspectives::Perspectives;

/// Why weights, inputs or a model file are unusable, in one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ModelError(pub(crate) String);
