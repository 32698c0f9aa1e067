//! Model files of EinStein.

/// Learned evaluator of EinStein.
pub type Model = crate::learned::model_file::Model<super::Standard>;

/// Model of EinStein with its metadata.
pub type ModelFile = crate::learned::model_file::ModelFile<super::Standard>;

#[cfg(test)]
mod tests;
