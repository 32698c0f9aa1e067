//! Export: a trained model becomes the engine's file, but only if the engine values positions as
//! the trainer does.
//!
//! Invariant: the comparison runs on the model as read back from the very bytes that are written.

use crate::Error;
use engine::core::{
    evaluator::Evaluator,
    random::{RandomStream, SeedSpace, derive_seed},
};
use engine::learned::{
    inputs::Learnable,
    model_file::{Model, ModelFile},
};
use std::path::Path;

/// Largest difference in win probability that a model may show between trainer and engine.
pub(crate) const TOLERANCE: f64 = 1e-4;

/// Positions on which a model's trainer and the engine are compared.
pub(crate) const POSITIONS: usize = 100_000;

/// [`POSITIONS`] positions to compare on: of these, evenly spaced, as many as there are, and then
/// those of random games, which show what games of the players may not.
pub(crate) fn positions_to_compare<G: Learnable>(
    game: &G,
    known: &[G::Position],
) -> Vec<G::Position> {
    let count = known.len().min(POSITIONS);
    let mut positions: Vec<G::Position> = (0..count)
        .map(|number| known[number * known.len() / count])
        .collect();
    let mut random = RandomStream::new(derive_seed(0, SeedSpace::Playouts, &[]));
    while positions.len() < POSITIONS {
        let first = random.below(game.seats());
        let mut position = game.random_start(&mut random, first);
        while game.payoffs(&position).is_none() && positions.len() < POSITIONS {
            positions.push(position);
            position = game.play(&position, game.random_move(&position, random.next_u64()));
        }
    }
    positions
}

/// Writes a model if the engine values the positions as the trainer does; the largest difference
/// between them, in win probability. If that is more than [`TOLERANCE`], or a value is no number,
/// nothing is written.
pub(crate) fn export<G: Learnable>(
    game: &G,
    file: &ModelFile<G>,
    path: &Path,
    positions: &[G::Position],
    trained: &[f32],
) -> Result<f64, Error> {
    let unwritten =
        |problem: String| Error::new(format!("{} was not written: {problem}", path.display()));
    let written = ModelFile::from_bytes(game, &file.to_bytes())
        .map_err(|problem| unwritten(format!("the engine would refuse it: {problem}")))?;
    let mut found = vec![0.0; positions.len()];
    match &written.model {
        Model::NTuple(model) => model.values(game, positions, &mut found),
        Model::Network(model) => model.values(game, positions, &mut found),
    }
    let mut largest = 0.0f64;
    for ((position, &trained), &found) in positions.iter().zip(trained).zip(&found) {
        let difference = (f64::from(trained) - f64::from(found)).abs();
        if difference.is_nan() || difference > TOLERANCE {
            let position = game.format_position(position, None);
            return Err(unwritten(format!(
                "trainer and engine differ by {difference:.2e} in win probability at {position} (trainer \
                 {trained}, engine {found}); at most {TOLERANCE:.0e} is allowed"
            )));
        }
        largest = largest.max(difference);
    }
    file.save(path).map_err(Error::new)?;
    Ok(largest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::games::einstein::{
        Position, Standard,
        learned::{
            ntuple::{NTuple, TupleSet},
            weights::{Model, ModelFile},
        },
    };

    fn file() -> ModelFile {
        let set = TupleSet::from_name(&Standard::default(), "stones").unwrap();
        let weights = vec![0.0; set.rows()];
        // Weights of 0: the logistic of the bias everywhere, 0.75.
        let model = NTuple::new(set, weights, 3f32.ln()).unwrap();
        ModelFile {
            provenance: "{}".to_owned(),
            model: Model::NTuple(model),
        }
    }

    #[test]
    fn there_are_always_as_many_positions_to_compare_on() {
        let game = Standard::default();
        let few = positions();
        let compared = positions_to_compare(&game, &few);
        assert_eq!(
            (compared.len(), &compared[..few.len()]),
            (POSITIONS, &few[..])
        );
        assert!(
            compared
                .iter()
                .all(|position| game.winner(position).is_none())
        );
        // From all parts of many.
        let many: Vec<Position> = compared
            .iter()
            .chain(&compared[..POSITIONS / 2])
            .copied()
            .collect();
        let compared = positions_to_compare(&game, &many);
        assert_eq!(
            (
                compared.len(),
                compared[0],
                compared[2],
                compared[POSITIONS - 1]
            ),
            (POSITIONS, many[0], many[3], many[149_998])
        );
    }

    fn positions() -> Vec<Position> {
        let mut random = RandomStream::new(1);
        (0..5)
            .map(|index| Standard::default().random_start(&mut random, index % 2))
            .collect()
    }

    /// Exports a model to an empty directory: the largest difference, or why that is refused, which
    /// leaves no file.
    fn exported(file: &ModelFile, trained: &[f32]) -> Result<f64, String> {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("model.safetensors");
        let game = Standard::default();
        let difference = export(&game, file, &path, &positions(), trained);
        match &difference {
            Ok(_) => assert_eq!(ModelFile::load(&game, &path).unwrap(), *file),
            Err(_) => assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0),
        }
        difference.map_err(|error| error.to_string())
    }

    #[test]
    fn only_a_model_that_agrees_is_written() {
        let of = |third: f32| exported(&file(), &[0.75, 0.75, third, 0.75, 0.75]);
        let difference = of(0.75005).unwrap();
        assert!((difference - 5e-5).abs() < 1e-6, "{difference}");
        for wrong in [0.7503, f32::NAN] {
            let error = of(wrong).unwrap_err();
            let expected = "was not written: trainer and engine differ by";
            assert!(error.contains(expected), "{error}");
        }
    }
}
