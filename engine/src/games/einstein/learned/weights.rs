//! EinStein's model files.

/// A learned evaluator of EinStein.
pub type Model = crate::learned::files::Model<super::Standard>;

/// A model of EinStein with the story of its making.
pub type ModelFile = crate::learned::files::ModelFile<super::Standard>;

#[cfg(test)]
mod tests;
