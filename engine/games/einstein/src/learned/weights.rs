//! Types of EinStein's model files.

/// A learned evaluator of EinStein: n-tuples or a network.
pub type Model = alea_learned::model_file::Model<super::Standard>;

/// A model of EinStein with its metadata.
pub type ModelFile = alea_learned::model_file::ModelFile<super::Standard>;

#[cfg(test)]
mod tests;
