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
    files::{Model, ModelFile},
    inputs::Learnable,
};
use std::path::Path;

/// Largest difference in win probability that a model may show between trainer and engine.
pub(crate) const TOLERANCE: f64 = 1e-4;

/// Positions on which a model's trainer and the engine are compared.
pub(crate) const POSITIONS: usize = 100_000;

/// What a model says of some positions.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Answers {
    /// Win probabilities of the side to move.
    pub(crate) values: Vec<f32>,
    /// The same after each outcome of chance, position after position, if the model has such a head.
    pub(crate) rolls: Vec<f32>,
    /// Plies to the end over [`PLIES_SCALE`](engine::learned::network::PLIES_SCALE), if the model has
    /// such a head.
    pub(crate) plies: Vec<f32>,
}

impl From<Vec<f32>> for Answers {
    fn from(values: Vec<f32>) -> Self {
        Self {
            values,
            ..Self::default()
        }
    }
}

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

/// Writes a model if the engine says of the positions what the trainer does, head by head. The
/// largest difference between them, in win probability or in plies over
/// [`PLIES_SCALE`](engine::learned::network::PLIES_SCALE). If that is more than [`TOLERANCE`], or a
/// value is no number, nothing is written.
pub(crate) fn export<G: Learnable>(
    game: &G,
    file: &ModelFile<G>,
    path: &Path,
    positions: &[G::Position],
    trained: &Answers,
) -> Result<f64, Error> {
    let unwritten =
        |problem: String| Error::new(format!("{} was not written: {problem}", path.display()));
    let written = ModelFile::from_bytes(game, &file.to_bytes())
        .map_err(|problem| unwritten(format!("the engine would refuse it: {problem}")))?;
    let found = engine_answers(game, &written.model, positions);
    let mut largest = 0.0f64;
    for (head, width, trained, found) in [
        ("win probability", 1, &trained.values[..], &found.values[..]),
        (
            "win probability after a roll",
            G::OUTCOMES,
            &trained.rolls,
            &found.rolls,
        ),
        ("plies to go / 16", 1, &trained.plies, &found.plies),
    ] {
        // A head that one of the two does not have is as wrong as one that says nothing of a
        // position.
        if trained.len() != found.len() || ![0, positions.len() * width].contains(&found.len()) {
            return Err(unwritten(format!(
                "of the {head} the trainer says {} numbers and the engine {}",
                trained.len(),
                found.len()
            )));
        }
        for (place, (&trained, &found)) in trained.iter().zip(found).enumerate() {
            let difference = (f64::from(trained) - f64::from(found)).abs();
            if difference.is_nan() || difference > TOLERANCE {
                let position = game.format_position(&positions[place / width], None);
                return Err(unwritten(format!(
                    "trainer and engine differ by {difference:.2e} in {head} at {position} (trainer \
                     {trained}, engine {found}); at most {TOLERANCE:.0e} is allowed"
                )));
            }
            largest = largest.max(difference);
        }
    }
    file.save(path).map_err(Error::new)?;
    Ok(largest)
}

/// What the engine thinks of positions.
fn engine_answers<G: Learnable>(game: &G, model: &Model<G>, positions: &[G::Position]) -> Answers {
    let mut values = vec![0.0; positions.len()];
    match model {
        Model::NTuple(model) => model.values(game, positions, &mut values),
        Model::Network(model) => model.values(game, positions, &mut values),
    }
    let mut answers = Answers::from(values);
    if let Model::Network(model) = model {
        for position in positions {
            answers
                .rolls
                .extend(model.rolls(game, position).into_iter().flatten());
            answers.plies.extend(model.plies_output(game, position));
        }
    }
    answers
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::games::einstein::{
        Position, Standard,
        learned::{
            Network,
            ntuple::{NTuple, TupleSet},
            weights::{Model, ModelFile},
        },
    };
    use engine::learned::{
        names::NameSet,
        network::{HeadWeights, Layer, NetworkWeights},
    };

    fn file() -> ModelFile {
        let set = TupleSet::named(&Standard::default(), "stones").unwrap();
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
    fn exported(file: &ModelFile, trained: &Answers) -> Result<f64, String> {
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
        let of = |third: f32| exported(&file(), &vec![0.75, 0.75, third, 0.75, 0.75].into());
        let difference = of(0.75005).unwrap();
        assert!((difference - 5e-5).abs() < 1e-6, "{difference}");
        for wrong in [0.7503, f32::NAN] {
            let error = of(wrong).unwrap_err();
            let expected = "was not written: trainer and engine differ by";
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn a_head_that_does_not_agree_leaves_no_file_either() {
        let weights = NetworkWeights {
            rows: vec![0; 312 * 16],
            bias: vec![0; 16],
            output: vec![0; 16],
            output_bias: vec![0],
            heads: HeadWeights {
                // Logits of the biases, and 0.25 · 16 plies.
                rolls: Some(Layer {
                    weights: vec![0.0; 96],
                    bias: vec![0.0, 3f32.ln(), 0.0, 0.0, 0.0, -(3f32.ln())],
                }),
                moves_to_go: Some(Layer {
                    weights: vec![0.0; 16],
                    bias: vec![0.25],
                }),
            },
            ..NetworkWeights::default()
        };
        let network = Network::new(&Standard::default(), NameSet::NONE, &[], weights);
        let file = ModelFile {
            provenance: "{}".to_owned(),
            model: Model::Network(network.unwrap()),
        };
        let good = Answers {
            values: vec![0.5; 5],
            rolls: [0.5, 0.75, 0.5, 0.5, 0.5, 0.25].repeat(5),
            plies: vec![0.25; 5],
        };
        assert!(exported(&file, &good).unwrap() < 1e-6);
        let changed = |change: fn(&mut Answers)| {
            let mut wrong = good.clone();
            change(&mut wrong);
            exported(&file, &wrong).unwrap_err()
        };
        for (error, expected) in [
            (
                changed(|wrong| wrong.rolls[3 * 6 + 5] = 0.2505),
                "in win probability after a roll at",
            ),
            (
                changed(|wrong| wrong.plies[4] = 0.26),
                "in plies to go / 16 at",
            ),
            (
                changed(|wrong| wrong.rolls.clear()),
                "of the win probability after a roll the trainer says 0 numbers and the engine 30",
            ),
        ] {
            assert!(error.contains(expected), "{error}");
        }
    }
}
