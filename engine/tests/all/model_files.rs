//! Model files read back as written, and are refused by other games.

use engine::core::{evaluator::Evaluator, game::Game, random::RandomStream, search_game::Playouts};
use engine::games::{backgammon::Backgammon, einstein::Standard, reversi::Reversi};
use engine::learned::{
    inputs::Learnable,
    model_file::{Model, ModelFile, read_game_name},
    named_set::NamedSet,
    network::{FloatWeights, Layer, Network},
    safetensors_container::Container,
    tuples::{TupleNetwork, TupleSet},
};
use engine::play::playable::Playable;

fn random_weights(count: usize) -> Vec<f32> {
    let mut random = RandomStream::new(count as u64);
    (0..count)
        .map(|_| random.uniform_f64() as f32 - 0.5)
        .collect()
}

#[test]
fn models_are_read_back_and_those_of_other_games_refused() {
    let (game, directory) = (Reversi::FOUR, tempfile::tempdir().unwrap());
    let path = directory.path().join("model");
    let set = TupleSet::from_name(&game, "lines").unwrap();
    let tuples = random_weights(set.row_count());
    let tuples = TupleNetwork::new(set, tuples, 0.25).unwrap();
    let weights = FloatWeights {
        rows: random_weights(3 * 16 * 32),
        bias: random_weights(32),
        hidden: vec![Layer {
            weights: random_weights(2 * 32 * 16),
            bias: random_weights(2 * 16),
        }],
        outputs: 1,
        output: random_weights(2 * 16),
        output_bias: random_weights(2),
    };
    let network = weights
        .quantize()
        .and_then(|weights| Network::new(&game, NamedSet::NONE, [5], weights))
        .unwrap();
    for model in [Model::NTuple(tuples), Model::Network(network)] {
        let provenance = "{}".to_owned();
        let file = ModelFile { provenance, model };
        file.save(&path).unwrap();
        assert!(ModelFile::load(&game, &path).unwrap() == file);
        let checksum = Container::parse(&std::fs::read(&path).unwrap()).unwrap();
        assert_eq!(checksum.metadata["checksum"], file.checksum());
        if let Model::Network(network) = &file.model {
            let weights = network.weights();
            assert_eq!(weights.dequantize().quantize().unwrap(), *weights);
        }
        let name = read_game_name(&path).unwrap();
        assert_eq!(name, "reversi(size=4)");
        assert_eq!(Reversi::from_model_game_name(&name), Some(game));
        assert!(Standard::from_model_game_name(&name).is_none());
        let loaded = game.evaluator_from_model(&file.to_bytes()).unwrap();
        let (mut random, mut position) = (RandomStream::new(3), game.start());
        while game.payoffs(&position).is_none() {
            let value = match &file.model {
                Model::NTuple(model) => model.value_of(&game, &position),
                Model::Network(model) => model.value_of(&game, &position),
            };
            assert_eq!(loaded.value_of(&game, &position), value);
            position = game.play(&position, game.sample_move(&position, random.next_u64()));
        }
        let refused = [
            ModelFile::load(&Standard::default(), &path).unwrap_err(),
            ModelFile::load(&Reversi::SIX, &path).unwrap_err(),
        ];
        for (refused, other) in refused.iter().zip(["einstein", "reversi(size=6)"]) {
            let expected = "a model of reversi(size=4); this is";
            let expected = format!("{}: {expected} {other}", path.display());
            assert_eq!(refused.to_string(), expected);
        }
    }
}

#[test]
fn models_with_an_output_for_each_result_are_read_back() {
    let game = Backgammon;
    for (limits, widths) in [(&[10][..], [64, 16]), (&[], [32, 32])] {
        let ([first, second], buckets) = (widths, limits.len() + 1);
        let weights = FloatWeights {
            rows: random_weights(24 * 13 * first),
            bias: random_weights(first),
            hidden: vec![Layer {
                weights: random_weights(buckets * first * second),
                bias: random_weights(buckets * second),
            }],
            outputs: 6,
            output: random_weights(buckets * 6 * second),
            output_bias: random_weights(buckets * 6),
        };
        let network = weights
            .quantize()
            .and_then(|weights| Network::new(&game, NamedSet::NONE, limits, weights))
            .unwrap();
        let file = ModelFile {
            provenance: "{}".to_owned(),
            model: Model::Network(network),
        };
        let results = "win,win_gammon,win_backgammon,loss,lose_gammon,lose_backgammon";
        let summary = file.model.summary();
        assert!(
            summary.ends_with(&format!(", outputs {results}")),
            "{summary}"
        );
        let bytes = file.to_bytes();
        assert!(ModelFile::from_bytes(&game, &bytes).unwrap() == file);
        let evaluator = game.evaluator_from_model(&bytes).unwrap();
        let start = game.start(1);
        let probabilities = evaluator.result_probabilities(&game, &start).unwrap();
        assert!((probabilities.iter().sum::<f32>() - 1.0).abs() < 1e-6);
        assert_eq!(probabilities.len(), 6);
        let mut container = Container::parse(&bytes).unwrap();
        container
            .metadata
            .insert("outputs".to_owned(), "win,loss".to_owned());
        let refused = ModelFile::from_bytes(&game, &container.to_bytes()).unwrap_err();
        let expected = format!("metadata 'outputs' is 'win,loss'; expected {results}");
        assert_eq!(refused.to_string(), expected);
        container.metadata.remove("outputs");
        assert!(ModelFile::from_bytes(&game, &container.to_bytes()).is_err());
    }
}
