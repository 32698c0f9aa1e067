//! Compares TD(λ) with a textbook implementation and exact endgames.

use super::super::{TrainingRun, train};
use super::*;
use crate::config::UpdateRule;
use crate::dataset::Samples;
use crate::sample::tests::random_samples;
use alea_core::{evaluator::Evaluator, game::Game};
use engine::games::einstein::{
    GONE, Position, Standard,
    learned::{
        model_types::{Model, ModelFile},
        ntuple::{NTuple, TupleSet},
    },
    position::Side,
    tables::shared_tables::shared_tables,
};
use indicatif::ProgressBar;
use std::path::Path;

fn config(set: &str, rule: UpdateRule, learning_rate: f64, trace: f64) -> TrainConfig {
    let mut config = TrainConfig::default();
    (config.ntuple.set, config.ntuple.rule) = (set.to_owned(), rule);
    config.online.learning_rate = Some(learning_rate);
    config.online.trace = trace;
    config
}

fn engine_network(learner: &mut TdNTuple<Standard>) -> NTuple {
    match learner.learner().export().unwrap() {
        Model::NTuple(network) => network,
        _ => panic!("another model"),
    }
}

fn learn_in(directory: &Path, config: &TrainConfig) -> Result<TdReport, Error> {
    let (game, progress) = (Standard::default(), ProgressBar::hidden());
    train_td(&TdTrainingRun {
        game: &game,
        config,
        family: Family::NTuple,
        initial_model: None,
        provenance: r#"{"program": "test"}"#,
        directory,
        observer: (&progress).into(),
    })
}

fn learner(config: &TrainConfig) -> TdNTuple<Standard> {
    TdNTuple::new(NTupleLearner::new(&Standard::default(), &config.ntuple).unwrap())
}

fn features(set: &TupleSet, position: &Position) -> Vec<usize> {
    let mut rows = vec![0; set.tuple_count()];
    set.row_indices(position, &mut rows);
    rows.into_iter()
        .map(|row| row as usize)
        .chain([set.row_count()])
        .collect()
}

/// Textbook TD(λ): an eligibility trace per weight, values from Red's view, updates after the game.
fn textbook(
    set: &TupleSet,
    episode: &Episode<Standard>,
    weights: &mut [f64],
    trace: f64,
    rate: f64,
) {
    let sign = |position: &Position| if position.seat() == 0 { 1.0 } else { -1.0 };
    let value = |position: &Position| {
        let logit: f64 = features(set, position)
            .into_iter()
            .map(|row| weights[row])
            .sum();
        1.0 / (1.0 + (-sign(position) * logit).exp())
    };
    let positions = episode.positions();
    let red_wins = episode.payoffs[0] > 0.5;
    let mut traces = vec![0.0; weights.len()];
    let mut changes = vec![0.0; weights.len()];
    for (ply, position) in positions.iter().enumerate() {
        traces.iter_mut().for_each(|eligible| *eligible *= trace);
        for row in features(set, position) {
            traces[row] += sign(position);
        }
        if episode.explored[ply] {
            traces.fill(0.0);
            continue;
        }
        let next = positions
            .get(ply + 1)
            .map_or(f64::from(u8::from(red_wins)), value);
        let error = next - value(position);
        changes
            .iter_mut()
            .zip(&traces)
            .for_each(|(change, eligible)| *change += rate * error * eligible);
    }
    weights
        .iter_mut()
        .zip(changes)
        .for_each(|(weight, change)| *weight += change);
}

#[test]
fn updates_equal_textbook_td_lambda() {
    for (trace, phases) in [(0.0, &[][..]), (0.4, &[]), (1.0, &[]), (0.4, &[5, 8])] {
        let mut config = config("stones", UpdateRule::Sgd, 2.0, trace);
        config.ntuple.phases = phases.to_vec().into();
        (config.online.exploration, config.online.final_exploration) = (0.15, 0.15);
        let (mut learner, rules) = (learner(&config), &Standard::default());
        let self_play = SelfPlay {
            config: &config,
            rules,
        };
        let set = TupleSet::from_name(&Standard::default(), "stones")
            .unwrap()
            .with_phases(phases)
            .unwrap();
        let mut expected = vec![0.0; set.row_count() + 1];
        let mut explored = 0;
        for game in 0..40 {
            let episode = &learner.play(&self_play, game..game + 1).unwrap()[0];
            explored += episode
                .explored
                .iter()
                .filter(|&&explored| explored)
                .count();
            let rate = 2.0 / set.tuple_count() as f64;
            textbook(&set, episode, &mut expected, trace, rate);
            learner.learn(&self_play, game, 2.0).unwrap();
        }
        assert!(explored > 40, "{explored}");
        let (weights, bias, _) = learner.learner().set_and_table().1.to_parts();
        for (row, (found, expected)) in weights.iter().chain([&bias]).zip(&expected).enumerate() {
            assert!(
                (f64::from(*found) - expected).abs() < 1e-4,
                "λ {trace}, row {row}: {found} {expected}"
            );
        }
        assert!(
            expected.iter().any(|weight| weight.abs() > 0.5),
            "λ {trace}: nothing was learned"
        );
    }
}

#[test]
fn games_follow_the_rules_and_other_than_explored_moves_are_greedy() {
    let mut config = config("stone-pairs", UpdateRule::TemporalCoherence, 1.0, 0.5);
    (config.online.exploration, config.online.final_exploration) = (0.25, 0.25);
    let mut learner = learner(&config);
    let rules = Standard::default();
    let self_play = SelfPlay {
        config: &config,
        rules: &rules,
    };
    let (mut explored, mut plies) = (0usize, 0usize);
    for game in 0..400 {
        let network = engine_network(&mut learner);
        let episode = &learner.play(&self_play, game..game + 1).unwrap()[0];
        let positions = episode.positions();
        assert_eq!(positions[0], self_play.draw_start(game).0);
        explored += episode
            .explored
            .iter()
            .filter(|&&explored| explored)
            .count();
        plies += positions.len();
        for (ply, position) in positions.iter().enumerate() {
            let worth = |after: &Position| {
                rules
                    .payoff(after, position.seat())
                    .unwrap_or_else(|| 1.0 - network.value(&rules, after, &Default::default()))
            };
            let explains = |face: u8| {
                let afters: Vec<Position> = rules
                    .legal_moves(position, face)
                    .iter()
                    .map(|&mv| rules.play(position, mv))
                    .collect();
                let best = afters.iter().map(worth).fold(f32::NEG_INFINITY, f32::max);
                match positions.get(ply + 1) {
                    Some(next) => {
                        afters.contains(next)
                            && (episode.explored[ply] || worth(next) >= best - 1e-5)
                    }
                    None => afters.iter().any(|after| {
                        rules.payoff(after, position.seat())
                            == Some(episode.payoffs[position.seat()])
                    }),
                }
            };
            assert!((1..=6).any(explains), "game {game}, ply {ply}");
        }
        learner.learn(&self_play, game, 1.0).unwrap();
    }
    let deviation = (plies as f64 * 0.25 * 0.75).sqrt();
    assert!(
        (explored as f64 - 0.25 * plies as f64).abs() < 5.0 * deviation,
        "{explored} of {plies}"
    );
}

/// Position of one stone per side, neither on its goal or on the other.
fn two_stones(random: &mut RandomStream) -> Position {
    let side = |square: usize| Side::new([square as u8, GONE, GONE, GONE, GONE, GONE]);
    loop {
        let (own, other) = (random.below(24), random.below(24));
        if own != 24 - other {
            return Position::new(side(own), side(other), random.below(2));
        }
    }
}

#[test]
fn endgames_of_two_stones_become_exact() {
    let rules = Standard::default();
    let tables = shared_tables(2, rules.variant()).unwrap();
    // Only one of 68 weights depends on both stones: learning rates are high.
    let cases = [
        (UpdateRule::Sgd, 6.0, 1.0, [0.015, 0.2]),
        (UpdateRule::Adagrad, 60.0, 0.5, [0.005, 0.06]),
        (UpdateRule::TemporalCoherence, 60.0, 0.5, [0.005, 0.06]),
    ];
    for (rule, learning_rate, trace, [mean_error, largest]) in cases {
        let mut config = config("stone-pairs", rule, learning_rate, trace);
        config.online.games = 300_000;
        let mut learner = learner(&config);
        let self_play = SelfPlay {
            config: &config,
            rules: &rules,
        };
        for game in 0..config.online.games {
            let mut random = RandomStream::new(game);
            let start = two_stones(&mut random);
            let exploration = self_play.exploration_rate(game);
            learner.play_from(&rules, start, exploration, &mut random);
            let learning_rate = self_play.learning_rate(game);
            learner.learn(&self_play, game, learning_rate).unwrap();
        }
        let network = engine_network(&mut learner);
        let mut random = RandomStream::new(1);
        let (mut mean, mut max_error) = (0.0, 0.0f32);
        for _ in 0..4000 {
            let position = two_stones(&mut random);
            let error = (network.value(&rules, &position, &Default::default())
                - tables.value_of(&position).unwrap())
            .abs();
            mean += error / 4000.0;
            max_error = max_error.max(error);
        }
        assert!(
            mean < mean_error && max_error < largest,
            "{rule:?}, λ {trace}: mean error {mean}, largest {max_error}"
        );
    }
}

#[test]
fn a_run_is_a_function_of_its_settings_and_its_model_has_metadata() {
    let directory = tempfile::tempdir().unwrap();
    let mut config = config("stones", UpdateRule::Adagrad, 1.0, 0.5);
    (config.online.games, config.online.report_every) = (700, 300);
    let run = |name, config: &TrainConfig| learn_in(&directory.path().join(name), config).unwrap();
    let first = run("a", &config);
    assert_eq!(
        first
            .curve
            .iter()
            .map(|point| point.games)
            .collect::<Vec<_>>(),
        [300, 600, 700]
    );
    assert_eq!(
        (first.curve[2].exploration, first.positions),
        (0.0, first.curve.iter().map(|point| point.positions).sum())
    );
    assert!(
        first.curve[1].loss < first.curve[0].loss && first.curve[0].loss < 2f64.ln(),
        "{:?}",
        first.curve
    );
    let bytes = |report: &TdReport| std::fs::read(&report.model).unwrap();
    let mut often = config.clone();
    often.training.checkpoint_minutes = 1e-9;
    let again = run("b", &config);
    assert_eq!(bytes(&again), bytes(&first));
    let often = run("c", &often);
    let losses = |report: &TdReport| {
        report
            .curve
            .iter()
            .map(|point| (point.positions, point.loss))
            .collect::<Vec<_>>()
    };
    assert_eq!(losses(&often), losses(&first));
    assert_ne!(
        losses(&run(
            "d",
            &TrainConfig {
                seed: 2,
                ..config.clone()
            }
        )),
        losses(&first)
    );
    std::fs::remove_file(&first.model).unwrap();
    let engine_network = run("a", &config);
    assert_eq!(
        (&engine_network, bytes(&engine_network)),
        (&first, bytes(&again))
    );
    let metadata: serde_json::Value = serde_json::from_str(
        &ModelFile::load(&Standard::default(), &first.model)
            .unwrap()
            .provenance,
    )
    .unwrap();
    assert_eq!(
        (
            &metadata["method"],
            &metadata["games"],
            &metadata["data"]["program"]
        ),
        (
            &"TD(0.5) on games against itself, Adagrad".into(),
            &700.into(),
            &"test".into()
        )
    );
    for name in ["config.toml", "curve.csv", "checkpoint.bin"] {
        assert!(directory.path().join("a").join(name).exists(), "{name}");
    }
    let samples = Samples::in_memory(
        &Standard::default(),
        vec![random_samples(5, 1)],
        random_samples(5, 2),
    )
    .unwrap();
    let error = train(&TrainingRun {
        config: &config,
        family: Family::NTuple,
        samples: &samples,
        initial_model: None,
        provenance: "",
        directory: &directory.path().join("a"),
        observer: (&ProgressBar::hidden()).into(),
    })
    .unwrap_err()
    .to_string();
    assert!(
        error.contains("another family (ntuple from its own games)"),
        "{error}"
    );
    config.online.trace = 0.25;
    let error = learn_in(&directory.path().join("a"), &config)
        .unwrap_err()
        .to_string();
    assert!(error.contains("trace = 0.5, not trace = 0.25"), "{error}");
}

#[test]
fn diverging_weights_stop_the_training() {
    let directory = tempfile::tempdir().unwrap();
    let mut config = config("stones", UpdateRule::Sgd, 1e39, 0.5);
    config.online.games = 100;
    let error = learn_in(directory.path(), &config).unwrap_err().to_string();
    assert!(
        error.contains(" in game ") && error.contains("lower the learning rate"),
        "{error}"
    );
}
