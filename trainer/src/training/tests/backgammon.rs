//! Backgammon: a network with an output for each result.

use super::*;
use crate::config::Outputs;
use crate::export::PARITY_TOLERANCE;
use alea_core::{evaluator::Evaluator, game::Game, random::RandomStream, search_game::Playouts};
use engine::games::backgammon::{Backgammon, Position};

/// Samples of random games: results, and values by the pip count.
fn samples_of(games: usize, seed: u64) -> Vec<Sample<Position>> {
    let (game, mut random) = (Backgammon, RandomStream::new(seed));
    let mut samples = Vec::new();
    for index in 0..games {
        let (mut position, first) = (game.start(index % 2), samples.len());
        let payoffs = loop {
            if let Some(payoffs) = game.payoffs(&position) {
                break payoffs;
            }
            let lead = position.other().pips() as f32 - position.mover().pips() as f32;
            samples.push(Sample::with_target(position, logistic(0.02 * lead)));
            position = game.play(&position, game.sample_move(&position, random.next_u64()));
        };
        for sample in &mut samples[first..] {
            sample.result = payoffs[sample.position.seat()];
        }
    }
    samples
}

fn config_of(backend: &str) -> TrainConfig {
    let mut config = TrainConfig::default();
    config.training.backend = backend.to_owned();
    config.training.epochs = 3;
    config.target.lambda = 0.5;
    config.network.hidden = vec![32, 16];
    config.network.batch = 256;
    config.network.buckets = vec![20].into();
    config.network.outputs = Outputs::Results;
    config
}

#[test]
fn a_network_learns_the_results_on_every_backend() {
    let samples =
        Samples::in_memory(&Backgammon, vec![samples_of(40, 1)], samples_of(10, 2)).unwrap();
    let mut losses = Vec::new();
    for backend in BACKENDS {
        let directory = tempfile::tempdir().unwrap();
        let config = config_of(backend);
        let report = train_on(&samples, directory.path(), &config, Family::Network).unwrap();
        let [first, .., last] = &report.curve[..] else {
            panic!("{} epochs", report.epochs);
        };
        assert!(
            last.training_loss < first.training_loss,
            "{:?}",
            report.curve
        );
        assert!(
            last.validation_loss < first.validation_loss,
            "{:?}",
            report.curve
        );
        assert!(report.parity <= PARITY_TOLERANCE);
        losses.push(last.validation_loss);
        let file = ModelFile::load(&Backgammon, &report.model).unwrap();
        assert!(
            file.provenance.contains("outputs = \\\"results\\\""),
            "{}",
            file.provenance
        );
        let Model::Network(network) = file.model else {
            panic!("a network was fitted");
        };
        let position = samples.validation()[0].position;
        let found = network
            .result_probabilities(&Backgammon, &position)
            .unwrap();
        assert_eq!(found.len(), 6);
        // Random games seldom end in backgammons.
        assert!(found[0] > found[2] && found[3] > found[5], "{found:?}");
    }
    assert!(
        losses.iter().all(|loss| (loss - losses[0]).abs() < 1e-2),
        "{losses:?}"
    );
}
