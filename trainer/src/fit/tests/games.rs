//! Another game than the others' learns by the same code: draws, passes, no chance.

use super::*;
use crate::export::TOLERANCE;
use engine::core::{game::Game, random::RandomStream};
use engine::games::reversi::{Position, Reversi};
use indicatif::ProgressBar;

/// Positions of random games with their results.
fn games_of(game: &Reversi, games: usize, seed: u64) -> Vec<Sample<Position>> {
    let mut random = RandomStream::new(seed);
    let mut samples = Vec::new();
    for _ in 0..games {
        let (mut position, mut positions) = (game.start(), Vec::new());
        let payoffs = loop {
            if let Some(payoffs) = game.payoffs(&position) {
                break payoffs;
            }
            positions.push(position);
            position = game.play(&position, game.random_move(&position, random.next_u64()));
        };
        samples.extend(
            positions
                .into_iter()
                .map(|position| Sample::exact(position, payoffs[position.seat()])),
        );
    }
    samples
}

fn samples_of(game: &Reversi) -> Samples<Reversi> {
    let validation = games_of(game, 100, 2);
    assert!(validation.iter().any(|sample| sample.result == 0.5));
    Samples::in_memory(game, vec![games_of(game, 1500, 1)], validation).unwrap()
}

fn config_of() -> TrainConfig {
    let mut config = TrainConfig::default();
    config.training.epochs = 3;
    config.network.hidden = vec![32, 16];
    config.network.batch = 256;
    config.network.buckets = vec![5];
    config.online.games = 300;
    config.online.report_every = 100;
    config
}

#[test]
fn a_game_of_three_lines_of_inputs_learns_in_all_ways_and_exports() {
    let game = Reversi::FOUR;
    let samples = samples_of(&game);
    for family in [Family::NTuple, Family::Network] {
        let directory = tempfile::tempdir().unwrap();
        let (config, progress) = (config_of(), ProgressBar::hidden());
        let report = fit(&config, family, &samples, "{}", directory.path(), &progress).unwrap();
        // Whoever says ½ of everything loses ln 2 or, of a draw, as much.
        assert!(
            report.validation_loss < 0.66,
            "{}: {}",
            report.family,
            report.validation_loss
        );
        assert!(report.parity <= TOLERANCE);
        let parts = &report.curve[0].validation_by_phase;
        assert!(parts.iter().all(|part| (1..=12).contains(&part.remaining)));
        // Another game's are refused, and another size's.
        assert!(ModelFile::load(&game, &report.model).is_ok());
        let refused = ModelFile::load(&Standard::default(), &report.model).unwrap_err();
        assert!(
            refused
                .to_string()
                .ends_with(": a model of reversi(size=4); this is einstein")
        );
    }
    let directory = tempfile::tempdir().unwrap();
    let report = fit_online(
        &game,
        &config_of(),
        "{}",
        directory.path(),
        &ProgressBar::hidden(),
    )
    .unwrap();
    assert!(report.parity <= TOLERANCE && report.games == 300 && report.loss < 0.8);
}

#[test]
fn what_a_game_does_not_have_is_said_in_one_line() {
    let game = Reversi::FOUR;
    let samples = Samples::in_memory(&game, vec![games_of(&game, 2, 1)], games_of(&game, 1, 2));
    let directory = tempfile::tempdir().unwrap();
    let refuse = |config: &TrainConfig, family| {
        let samples = samples.as_ref().unwrap();
        let path = directory.path().join("none");
        let refused = fit(config, family, samples, "", &path, &ProgressBar::hidden());
        refused.unwrap_err().to_string()
    };
    let mut config = config_of();
    config.network.heads = Heads::ALL;
    assert!(refuse(&config, Family::Network).starts_with("network.heads: reversi has no outcomes"));
    config = config_of();
    config.network.inputs = Some(vec!["mobility".to_owned()]);
    assert!(refuse(&config, Family::Network).starts_with("network.inputs: 'mobility' is no"));
}
