//! Types of EinStein's model files.

/// A learned evaluator of EinStein: an n-tuple network or a neural network.
pub type Model = alea_learned::model_file::Model<super::Standard>;

/// A model of EinStein with its metadata.
pub type ModelFile = alea_learned::model_file::ModelFile<super::Standard>;

#[cfg(test)]
mod tests;
