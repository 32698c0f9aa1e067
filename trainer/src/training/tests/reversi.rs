//! Reversi: draws, passes, no chance.

use super::*;
use crate::data::{BadGames, transcripts};
use crate::dataset::SampleOptions;
use crate::export::PARITY_TOLERANCE;
use alea_core::{game::Game, random::RandomStream, search_game::Playouts};
use alea_play::{playable::Playable, registry::PlainGame, stated_result::StatedResult};
use engine::games::reversi::{Position, Reversi};
use indicatif::ProgressBar;

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
            position = game.play(&position, game.sample_move(&position, random.next_u64()));
        };
        samples.extend(
            positions
                .into_iter()
                .map(|position| Sample::with_target(position, payoffs[position.seat()])),
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
    config.network.buckets = vec![5].into();
    config.online.games = 300;
    config.online.report_every = 100;
    config.online.games_per_update = Some(20);
    config.online.batch = Some(64);
    config
}

#[test]
fn another_game_trains_in_all_ways_and_exports() {
    let game = Reversi::FOUR;
    let samples = samples_of(&game);
    for family in [Family::NTuple, Family::Network] {
        let directory = tempfile::tempdir().unwrap();
        let config = config_of();
        let report = train_on(&samples, directory.path(), &config, family).unwrap();
        assert!(
            report.validation_loss < 0.66,
            "{}: {}",
            report.family,
            report.validation_loss
        );
        assert!(report.parity <= PARITY_TOLERANCE);
        let parts = &report.curve[0].validation_by_phase;
        assert!(parts.iter().all(|part| (1..=12).contains(&part.remaining)));
        assert!(ModelFile::load(&game, &report.model).is_ok());
        let refused = ModelFile::load(&Standard::default(), &report.model).unwrap_err();
        assert!(
            refused
                .to_string()
                .ends_with(": a model of reversi(size=4); this is einstein")
        );
    }
    for family in [Family::NTuple, Family::Network] {
        let directory = tempfile::tempdir().unwrap();
        let (config, progress) = (config_of(), ProgressBar::hidden());
        let report = train_td(&TdTrainingRun {
            game: &game,
            config: &config,
            family,
            initial_model: None,
            provenance: "{}",
            directory: directory.path(),
            observer: (&progress).into(),
        })
        .unwrap();
        assert!(report.parity <= PARITY_TOLERANCE && report.games == 300);
        assert!(report.loss < 0.8, "{}: {}", report.family, report.loss);
    }
}

#[test]
fn unknown_inputs_are_refused_in_one_line() {
    let game = Reversi::FOUR;
    let samples = Samples::in_memory(&game, vec![games_of(&game, 2, 1)], games_of(&game, 1, 2));
    let directory = tempfile::tempdir().unwrap();
    let refuse = |config: &TrainConfig, family| {
        let samples = samples.as_ref().unwrap();
        let path = directory.path().join("none");
        let refused = train_on(samples, &path, config, family);
        refused.unwrap_err().to_string()
    };
    let mut config = config_of();
    config.network.inputs = Some(vec!["mobility".to_owned()]);
    assert!(refuse(&config, Family::Network).starts_with("network.inputs: 'mobility' is no"));
}

fn plain(game: &Reversi, random: &mut RandomStream) -> PlainGame<Reversi> {
    let mut game_record = PlainGame {
        start: game.start(),
        plies: Vec::new(),
        players: vec![String::new(); 2],
        result: None,
    };
    let mut position = game_record.start;
    let payoffs = loop {
        if let Some(payoffs) = game.payoffs(&position) {
            break payoffs;
        }
        let mv = game.sample_move(&position, random.next_u64());
        game_record.plies.push((0, mv));
        position = game.play(&position, mv);
    };
    if random.below(5) == 0 && payoffs[0] != 0.5 {
        game_record.plies.truncate(game_record.plies.len() - 2);
        game_record.result = Some(StatedResult::by_resignation(usize::from(payoffs[0] == 1.0)));
    }
    game_record
}

#[test]
fn imported_games_without_values_are_learned_from_by_both_families() {
    let (game, mut random) = (Reversi::FOUR, RandomStream::new(1));
    let directory = tempfile::tempdir().unwrap();
    let [text, set] = ["games.ggf", "set"].map(|name| directory.path().join(name));
    let form = &Reversi::registry().transcripts[0];
    let games = (0..1_500).map(|_| (form.write)(&game, &plain(&game, &mut random)).unwrap());
    std::fs::write(&text, games.collect::<Vec<_>>().join("\n")).unwrap();
    let written = transcripts::import(&game, form, &text, &set, BadGames::Refuse).unwrap();
    assert_eq!((written.games, written.values), (1_500, 0));
    assert!(written.endings.len() == 2, "{written:?}");
    let mut config = config_of();
    let open = |config: &TrainConfig| {
        Samples::<Reversi>::open(&[&set], &SampleOptions::new(&config.target, 0.1, 1))
    };
    let error = open(&config).unwrap_err().to_string();
    assert!(error.contains("search_share = 0.0"), "{error}");
    config.target.lambda = 0.0;
    let samples = open(&config).unwrap();
    for family in [Family::NTuple, Family::Network] {
        let directory = tempfile::tempdir().unwrap();
        let report = train_on(&samples, directory.path(), &config, family).unwrap();
        let loss = report.validation_loss;
        assert!(loss < 0.66, "{}: {loss}", report.family);
    }
}
