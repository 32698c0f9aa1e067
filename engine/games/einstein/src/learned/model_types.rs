//! Types of EinStein's model files.

/// An n-tuple network or a neural network of EinStein.
pub type Model = alea_learned::model_file::Model<super::Standard>;

/// An EinStein model with its metadata.
pub type ModelFile = alea_learned::model_file::ModelFile<super::Standard>;

#[cfg(test)]
mod tests;
