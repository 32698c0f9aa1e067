//! Exports models after comparing their predictions with the engine's.

use crate::Error;
use alea_core::{
    evaluator::Evaluator,
    random::{RandomStream, SeedSpace, derive_seed},
};
use alea_learned::{
    inputs::Learnable,
    model_file::{Model, ModelFile},
};
use std::path::Path;

pub(crate) const PARITY_TOLERANCE: f64 = 1e-4;

pub(crate) const PARITY_POSITIONS: usize = 100_000;

/// Positions to compare predictions: evenly spaced ones of `preferred`, then some of random games.
pub(crate) fn parity_positions<G: Learnable>(
    game: &G,
    preferred: &[G::Position],
) -> Vec<G::Position> {
    let count = preferred.len().min(PARITY_POSITIONS);
    let mut positions: Vec<G::Position> = (0..count)
        .map(|number| preferred[number * preferred.len() / count])
        .collect();
    let mut random = RandomStream::new(derive_seed(0, SeedSpace::Playouts, &[]));
    while positions.len() < PARITY_POSITIONS {
        let first = random.below(game.seats());
        let mut position = game.random_start(&mut random, first);
        while game.payoffs(&position).is_none() && positions.len() < PARITY_POSITIONS {
            positions.push(position);
            position = game.play(&position, game.sample_move(&position, random.next_u64()));
        }
    }
    positions
}

/// Writes a model; returns the largest difference between win probabilities of trainer and engine,
/// an error above [`PARITY_TOLERANCE`], besides what rounding to 16 bits may change.
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
        .map_err(|problem| unwritten(format!("the engine refuses it: {problem}")))?;
    let mut engine_values = vec![0.0; positions.len()];
    let mut allowed = PARITY_TOLERANCE;
    match &written.model {
        Model::NTuple(model) => {
            // The slope of the logistic is at most 1/4.
            allowed += model.rounding_error() / 4.0;
            model.values(game, positions, &mut engine_values);
        }
        Model::Network(model) => model.values(game, positions, &mut engine_values),
    }
    let mut largest = 0.0f64;
    for ((position, &trained), &engine_values) in positions.iter().zip(trained).zip(&engine_values)
    {
        let difference = (f64::from(trained) - f64::from(engine_values)).abs();
        if difference.is_nan() || difference > allowed {
            let position = game.format_position(position, None);
            return Err(unwritten(format!(
                "trainer and engine differ by {difference:.2e} in win probability at {position} (trainer \
                 {trained}, engine {engine_values}); at most {allowed:.0e} is allowed"
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
            model_types::{Model, ModelFile},
            ntuple::{NTuple, TupleSet},
        },
    };

    fn file() -> ModelFile {
        let set = TupleSet::from_name(&Standard::default(), "stones").unwrap();
        let weights = vec![0.0; set.row_count()];
        let model = NTuple::new(set, weights, 3f32.ln()).unwrap();
        ModelFile {
            provenance: "{}".to_owned(),
            model: Model::NTuple(model),
        }
    }

    #[test]
    fn parity_positions_have_a_fixed_number() {
        let game = Standard::default();
        let few = positions();
        let compared = parity_positions(&game, &few);
        assert_eq!(
            (compared.len(), &compared[..few.len()]),
            (PARITY_POSITIONS, &few[..])
        );
        assert!(
            compared
                .iter()
                .all(|position| game.winner(position).is_none())
        );
        let many: Vec<Position> = compared
            .iter()
            .chain(&compared[..PARITY_POSITIONS / 2])
            .copied()
            .collect();
        let compared = parity_positions(&game, &many);
        assert_eq!(
            (
                compared.len(),
                compared[0],
                compared[2],
                compared[PARITY_POSITIONS - 1]
            ),
            (PARITY_POSITIONS, many[0], many[3], many[149_998])
        );
    }

    fn positions() -> Vec<Position> {
        let mut random = RandomStream::new(1);
        (0..5)
            .map(|index| Standard::default().random_start(&mut random, index % 2))
            .collect()
    }

    fn export_and_read_back(file: &ModelFile, trained: &[f32]) -> Result<f64, String> {
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
        let of = |third: f32| export_and_read_back(&file(), &[0.75, 0.75, third, 0.75, 0.75]);
        let difference = of(0.75005).unwrap();
        assert!((difference - 5e-5).abs() < 1e-6, "{difference}");
        for wrong in [0.7503, f32::NAN] {
            let error = of(wrong).unwrap_err();
            let expected = "was not written: trainer and engine differ by";
            assert!(error.contains(expected), "{error}");
        }
    }
}
