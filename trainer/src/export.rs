//! Export: a trained model becomes the engine's file, but only if the engine values positions as the trainer does.
//!
//! Invariant: the comparison runs on the model as read back from the very bytes that are written.

use engine::eval::Evaluator;
use engine::games::einstein::{Position, Standard};
use engine::weights::{Model, ModelError, ModelFile, ModelProblem};
use std::path::{Path, PathBuf};

/// Largest difference in win probability that a model may show between trainer and engine.
pub const TOLERANCE: f64 = 1e-4;

/// A model that was not exported.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// Trainer and engine disagree.
    #[error(
        "{} was not written: trainer and engine differ by {difference:.2e} in win probability at {position:?} \
         (trainer {trained}, engine {found}); at most {TOLERANCE:.0e} is allowed",
        path.display()
    )]
    Parity {
        /// Where the model should have gone.
        path: PathBuf,
        /// The largest difference.
        difference: f64,
        /// Where.
        position: Position,
        /// By burn.
        trained: f32,
        /// By the engine.
        found: f32,
    },
    /// The engine does not read what would be written.
    #[error("{} was not written: the engine would refuse it: {problem}", path.display())]
    Unreadable {
        /// Where the model should have gone.
        path: PathBuf,
        /// Why it would.
        problem: ModelProblem,
    },
    /// The file could not be written.
    #[error(transparent)]
    File(#[from] ModelError),
}

/// Writes a model if the engine's values of the positions are the trainer's `trained`, one for each. The largest
/// difference between them.
///
/// # Errors
/// If they differ by more than [`TOLERANCE`] or a value is no number, or the file cannot be read back or written; then
/// nothing is written.
pub fn export(file: &ModelFile, path: &Path, positions: &[Position], trained: &[f32]) -> Result<f64, ExportError> {
    let written = ModelFile::from_bytes(&file.to_bytes()).map_err(|problem| ExportError::Unreadable { path: path.to_owned(), problem })?;
    let found = engine_values(&written.model, positions);
    let mut largest = 0.0f64;
    for ((position, &trained), &found) in positions.iter().zip(trained).zip(&found) {
        let difference = (f64::from(trained) - f64::from(found)).abs();
        if difference.is_nan() || difference > TOLERANCE {
            return Err(ExportError::Parity { path: path.to_owned(), difference, position: *position, trained, found });
        }
        largest = largest.max(difference);
    }
    file.save(path)?;
    Ok(largest)
}

/// What the engine thinks of positions.
fn engine_values(model: &Model, positions: &[Position]) -> Vec<f32> {
    let game = Standard::default();
    let mut values = vec![0.0; positions.len()];
    match model {
        Model::NTuple(model) => model.values(&game, positions, &mut values),
        Model::Network(model) => model.values(&game, positions, &mut values),
        Model::Integer(model) => model.values(&game, positions, &mut values),
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::eval::ntuple::{NTuple, TupleSet};
    use engine::random::RandomStream;

    fn file() -> ModelFile {
        let set = TupleSet::named("stones").unwrap();
        let weights = vec![0.0; set.rows()];
        // Weights of 0: the logistic of the bias everywhere, 0.75.
        let model = NTuple::new(set, weights, 3f32.ln()).unwrap();
        ModelFile { provenance: "{}".to_owned(), model: Model::NTuple(model) }
    }

    fn positions() -> Vec<Position> {
        let mut random = RandomStream::new(1);
        (0..5).map(|index| Standard::default().random_start(&mut random, index % 2)).collect()
    }

    #[test]
    fn a_model_that_agrees_is_written_and_the_difference_told() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("model.safetensors");
        let difference = export(&file(), &path, &positions(), &[0.75, 0.75, 0.75005, 0.75, 0.75]).unwrap();
        assert!((difference - 5e-5).abs() < 1e-6, "{difference}");
        assert_eq!(ModelFile::load(&path).unwrap(), file());
    }

    #[test]
    fn a_model_that_does_not_agree_leaves_no_file() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("model.safetensors");
        for wrong in [0.7503, f32::NAN] {
            let error = export(&file(), &path, &positions(), &[0.75, 0.75, wrong, 0.75, 0.75]).unwrap_err();
            assert!(matches!(error, ExportError::Parity { .. }));
            assert!(error.to_string().contains("was not written"), "{error}");
            assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
        }
    }
}
