//! Compares targets with hand computation and the sums of the forward view, values with exact ones,
//! and runs with interrupted ones and those of other numbers of threads.

use super::super::{TdTrainingRun, train_td};
use super::*;
use crate::config::Outputs;
use crate::curve::{CurvePlotter, Observer};
use crate::models::cpu::CpuNetwork;
use crate::training_results::TdReport;
use alea_core::{
    calibration::logistic, chance_bounds::expectation, game::Game, search_game::Playouts,
};
use alea_learned::model_file::{Model, ModelFile};
use alea_play::playable::Rules;
use engine::games::{
    backgammon::Backgammon, einstein::Standard, example_game::Columns, reversi::Reversi,
};
use indicatif::ProgressBar;
use std::path::Path;

type Table = [u8; 8];
type Move = (u8, u8);

fn config() -> TrainConfig {
    let mut config = TrainConfig::default();
    config.network.hidden = vec![16];
    config.network.learning_rate = 0.01;
    config.online.games_per_update = Some(64);
    config.online.batch = Some(128);
    config
}

/// Values positions of Columns by the number of remaining throws.
struct ByThrows(fn(u8) -> f32);

impl GameEvaluator<Columns> for ByThrows {
    fn start_logit(&mut self, _: &Columns, start: &Table) -> f32 {
        let value = self.0(start[6]);
        (value / (1.0 - value)).ln()
    }
    fn successor_logit(&mut self, rules: &Columns, _: &Table, _: Move, after: &Table) -> f32 {
        self.start_logit(rules, after)
    }
    fn keep_successor(&mut self) {}
    fn advance(&mut self) {}
}

/// Payoff of seat 0, and the targets of a game of `throws` throws.
fn columns_targets(throws: u8, exploration: f64, seed: u64) -> (f32, Vec<Option<f32>>) {
    let mut evaluator = ByThrows(|throws| match throws {
        3 => 0.75,
        2 => 0.4,
        1 => 0.2,
        _ => 0.3,
    });
    let (mut episode, mut random) = (Episode::default(), RandomStream::new(seed));
    let start = [0, 0, 0, 0, 0, 0, throws, 0];
    episode.play(&Columns, &mut evaluator, start, exploration, &mut random);
    let targets = episode.compute_targets(&Columns, 0.5);
    let targets = targets.iter().map(|target| target.lambda_return).collect();
    (episode.payoffs[0], targets)
}

#[test]
fn targets_of_three_throws_are_those_computed_by_hand() {
    let mut results = Vec::new();
    for seed in 0..20 {
        // Seat 0 throws at values 0.75 and 0.2, seat 1 between them at 0.4.
        let (result, targets) = columns_targets(3, 0.0, seed);
        let expected = match result {
            // 0.5 · (1 − 0.4) + 0.5 · (1 − 0.4), 0.5 · (1 − 0.2) + 0.5 · (1 − 1), and the result.
            1.0 => [0.6, 0.4, 1.0],
            // 0.3 + 0.5 · (1 − 0.65), 0.4 + 0.5 · (1 − 0.5)
            0.5 => [0.475, 0.65, 0.5],
            // 0.3 + 0.5 · (1 − 0.9), 0.4 + 0.5 · (1 − 0)
            _ => [0.35, 0.9, 0.0],
        };
        for (found, expected) in targets.iter().zip(expected) {
            let error = (found.unwrap() - expected).abs();
            assert!(error < 1e-6, "{result}: {targets:?}");
        }
        results.push(result);
    }
    assert!(
        results.contains(&1.0) && results.contains(&0.5),
        "{results:?}"
    );
    assert_eq!(columns_targets(3, 1.0, 1).1, [None; 3]);
}

/// The position before a random move has no target; its value ends the λ-returns before it.
#[test]
fn an_explored_move_cuts_the_trace() {
    let mut seen = [0; 3];
    for seed in 0..200 {
        let (result, targets) = columns_targets(3, 0.5, seed);
        let close = |target: Option<f32>, expected: f32| {
            assert!((target.unwrap() - expected).abs() < 1e-6, "{targets:?}");
        };
        match targets[..] {
            // The last two moves, or the second alone: 1 − 0.4.
            [Some(_), None, last] => {
                close(targets[0], 0.6);
                last.inspect(|_| close(last, result));
                seen[usize::from(last.is_some())] += 1;
            }
            // The last move: 1 − 0.2, and 0.5 · (1 − 0.4) + 0.5 · (1 − 0.8).
            [Some(_), Some(_), None] => {
                close(targets[1], 0.8);
                close(targets[0], 0.4);
                seen[2] += 1;
            }
            _ => {}
        }
    }
    assert!(seen.iter().all(|&count| count > 5), "{seen:?}");
}

#[test]
fn a_game_without_end_learns_the_value_after_the_longest_game() {
    let (result, targets) = columns_targets(100, 0.0, 1);
    assert_eq!((Columns.max_plies(), targets.len()), (8, 8));
    assert!((result - 0.3).abs() < 1e-6);
    let mut expected = 0.3;
    for target in targets.iter().rev() {
        expected = 0.5 * 0.7 + 0.5 * (1.0 - expected);
        assert!((target.unwrap() - expected).abs() < 1e-6, "{targets:?}");
    }
}

/// λ-return for λ = ½ as the weighted sum of n-step returns, to the next explored move or the end.
fn forward_view<G: Learnable>(episode: &Episode<G>, rules: &G, values: &[f32], ply: usize) -> f32 {
    let seat = rules.to_move(&episode.positions()[ply]);
    let (mut sum, mut weight) = (0.0, 1.0);
    for (next, position) in episode.positions().iter().enumerate().skip(ply + 1) {
        let is_own = rules.to_move(position) == seat;
        let value = if is_own {
            values[next]
        } else {
            1.0 - values[next]
        };
        if episode.explored[next] {
            return sum + weight * value;
        }
        sum += weight * 0.5 * value;
        weight *= 0.5;
    }
    sum + weight * episode.payoffs[seat]
}

fn check_games<G: Learnable>(rules: &G) {
    let (rules, config) = (&rules.training_rules(), &config());
    let learner = NetworkLearner::new(rules, config, CpuNetwork::from_weights).unwrap();
    let mut td = TdNetwork::new(learner, config);
    let self_play = SelfPlay { config, rules };
    for first in [0, 64] {
        td.play(&self_play, first..first + 64).unwrap();
        let network = td.learner.quantized_network().unwrap();
        let (mut learned, mut explored) = (0, 0);
        for (episode, game) in td.episodes.iter_mut().zip(first..) {
            let positions = episode.positions().to_vec();
            assert_eq!(positions[0], self_play.draw_start(game).0);
            for pair in positions.windows(2) {
                let mut moves = G::Moves::default();
                rules.moves(&pair[0], &mut moves);
                let leads = |mv: &G::Move| rules.play(&pair[0], *mv) == pair[1];
                assert!(moves.iter().any(leads), "game {game}");
            }
            let value = |position| logistic(network.raw_score(rules, position).unwrap());
            let values: Vec<f32> = positions.iter().map(value).collect();
            let targets = episode.compute_targets(rules, 0.5).to_vec();
            for (ply, target) in targets.iter().enumerate() {
                assert_eq!(target.value, values[ply], "game {game}, ply {ply}");
                let is_left_out = episode.explored[ply] || rules.is_held_out(&positions[ply]);
                assert_eq!(target.lambda_return.is_none(), is_left_out);
                explored += usize::from(episode.explored[ply]);
                if let Some(found) = target.lambda_return {
                    let expected = forward_view(episode, rules, &values, ply);
                    assert!((found - expected).abs() < 1e-5, "game {game}, ply {ply}");
                    learned += 1;
                }
            }
        }
        assert!(explored > 10, "{explored}");
        td.learn(&self_play, first, 0.01).unwrap();
        assert_eq!(td.samples.len(), learned);
    }
}

#[test]
fn games_have_values_of_the_network_and_targets_of_the_forward_view() {
    check_games(&Standard::default());
    check_games(&Columns);
    check_games(&Reversi::FOUR);
}

#[test]
fn targets_of_results_pay_the_target_of_the_value() {
    let (rules, mut config) = (&Backgammon, config());
    config.network.outputs = Outputs::Results;
    let learner = NetworkLearner::new(rules, &config, CpuNetwork::from_weights).unwrap();
    let results = learner.results().unwrap();
    let mut td = TdNetwork::new(learner, &config);
    let self_play = SelfPlay {
        config: &config,
        rules,
    };
    td.play(&self_play, 0..16).unwrap();
    let (mut samples, mut won) = (0, 0);
    for episode in &mut td.episodes {
        for trace in [0.5, 1.0] {
            let mut targets = Vec::new();
            episode.compute_targets(rules, trace);
            episode.append_result_targets(&results, trace, &mut targets);
            assert_eq!(targets.len(), episode.samples().count());
            for (sample, target) in episode.samples().zip(&targets) {
                let pays = target.iter().zip(results.payoffs());
                let payoff: f32 = pays.map(|(probability, payoff)| probability * payoff).sum();
                assert!((payoff - sample.value).abs() < 1e-5, "{target:?}");
                assert!((target.iter().sum::<f32>() - 1.0).abs() < 1e-5);
                samples += 1;
            }
            // Nothing cuts the trace of the last plies.
            if let (Some(last), Some(false)) = (targets.last(), episode.explored.last()) {
                let seat = rules.to_move(episode.positions().last().unwrap());
                let result = results.index_of(episode.payoffs[seat]).unwrap();
                assert_eq!(last[result], 1.0);
                won += 1;
            }
        }
    }
    assert!(samples > 500 && won > 10, "{samples} {won}");
}

fn learn_columns(
    directory: &Path,
    config: &TrainConfig,
    draw: Option<CurvePlotter<'_>>,
) -> Result<TdReport, Error> {
    let progress = &ProgressBar::hidden();
    train_td(&TdTrainingRun {
        game: &Columns,
        config,
        family: Family::Network,
        initial_model: None,
        provenance: "{}",
        directory,
        observer: Observer { progress, draw },
    })
}

fn read_network(report: &TdReport) -> Network<Columns> {
    match ModelFile::load(&Columns, &report.model).unwrap().model {
        Model::Network(network) => network,
        Model::NTuple(_) => panic!("another model"),
    }
}

fn exact_value(table: &Table) -> f32 {
    let mut moves = <Columns as Game>::Moves::default();
    Columns.moves(table, &mut moves);
    let value = |&mv: &Move| {
        let after = Columns.play(table, mv);
        let payoff = Columns.payoff(&after, table[7].into());
        payoff.unwrap_or_else(|| 1.0 - exact_value(&after))
    };
    let values: Vec<f32> = moves.iter().map(value).collect();
    expectation(&Columns.outcomes(table, &moves), &values)
}

fn score_against_random(network: &Network<Columns>, games: u64) -> f64 {
    let (mut points, mut cache) = (0.0, Default::default());
    for game in 0..games {
        let (mut random, seat) = (RandomStream::new(game), (game % 2) as usize);
        let mut table = Columns.random_start(&mut random, 0);
        while Columns.payoffs(&table).is_none() {
            let mut moves = <Columns as Game>::Moves::default();
            Columns.roll_moves(&table, random.next_u64() as u32, &mut moves);
            let mut value = |mv| network.successor_value(&Columns, &table, mv, &mut cache);
            let mut chosen = moves[random.below(moves.len())];
            if Columns.to_move(&table) == seat {
                for &mv in moves.iter() {
                    chosen = if value(mv) > value(chosen) {
                        mv
                    } else {
                        chosen
                    };
                }
            }
            table = Columns.play(&table, chosen);
        }
        points += f64::from(Columns.payoff(&table, seat).unwrap());
    }
    points / games as f64
}

#[test]
fn self_play_teaches_values_and_moves() {
    let directory = tempfile::tempdir().unwrap();
    let mut config = config();
    (config.online.games, config.online.report_every) = (20_000, 4000);
    // The number of throws is no input.
    (config.network.hidden, config.network.buckets) = (vec![32, 16], vec![1, 2, 4].into());
    let report = learn_columns(directory.path(), &config, None).unwrap();
    let losses: Vec<f64> = report.curve.iter().map(|point| point.loss).collect();
    let network = read_network(&report);
    let score = score_against_random(&network, 2000);
    let (mut random, mut error) = (RandomStream::new(1), 0.0);
    for _ in 0..300 {
        let mut table = Columns.random_start(&mut random, 0);
        while table[6] > 2 {
            table = Columns.play(&table, Columns.sample_move(&table, random.next_u64()));
        }
        error += (network.value_of(&Columns, &table) - exact_value(&table)).abs() / 300.0;
    }
    assert!(losses[4] < losses[0], "{losses:?}");
    // A value of ½ is 0.28 off.
    assert!(score > 0.75 && error < 0.09, "{losses:?} {score} {error}");
}

fn points_without_times(report: &TdReport) -> Vec<(u64, u64, f64)> {
    let points = report.curve.iter();
    let numbers = points.map(|point| (point.games, point.positions, point.loss));
    numbers.collect()
}

#[test]
fn interrupted_and_parallel_runs_give_the_same_bytes() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    let mut config = config();
    // No multiple of 64: reports come with the next update.
    (config.online.games, config.online.report_every) = (1000, 300);
    let expected = learn_columns(&path("whole"), &config, None).unwrap();
    let games: Vec<u64> = expected.curve.iter().map(|point| point.games).collect();
    assert_eq!(games, [320, 640, 960, 1000]);
    let bytes = |report: &TdReport| std::fs::read(&report.model).unwrap();
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let learn = || learn_columns(&path(&threads.to_string()), &config, None).unwrap();
        let found = pool.build().unwrap().install(learn);
        let points = points_without_times(&found);
        assert_eq!(points, points_without_times(&expected));
        assert!(bytes(&found) == bytes(&expected), "{threads} threads");
    }
    config.training.checkpoint_minutes = 1e-9;
    let unbroken = learn_columns(&path("unbroken"), &config, None).unwrap();
    for cut in 1..=4 {
        let power_cut = |table: &str| match table.lines().count() - 1 == cut {
            true => Err("power cut".to_owned()),
            false => Ok("<svg/>".to_owned()),
        };
        let error = learn_columns(&path("broken"), &config, Some(&power_cut)).unwrap_err();
        assert!(error.to_string().ends_with("power cut"), "{error}");
    }
    let broken = learn_columns(&path("broken"), &config, None).unwrap();
    let points = points_without_times(&broken);
    assert_eq!(points, points_without_times(&unbroken));
    assert_eq!(points, points_without_times(&expected));
    assert!(bytes(&broken) == bytes(&unbroken));
    std::fs::remove_file(&broken.model).unwrap();
    let again = learn_columns(&path("broken"), &config, None).unwrap();
    assert!(again == broken && bytes(&again) == bytes(&unbroken));
    let provenance = ModelFile::load(&Columns, &broken.model).unwrap().provenance;
    let method = "TD(0.5) on games against itself, Adam after every 64 games";
    assert!(provenance.contains(method), "{provenance}");
    let (broken, progress) = (path("broken"), ProgressBar::hidden());
    let refused = train_td(&TdTrainingRun {
        game: &Columns,
        config: &config,
        family: Family::NTuple,
        initial_model: None,
        provenance: "",
        directory: &broken,
        observer: (&progress).into(),
    });
    let error = refused.unwrap_err().to_string();
    let family = "another family (network from its own games)";
    assert!(error.contains(family), "{error}");
}

#[test]
fn diverging_weights_stop_the_training() {
    let directory = tempfile::tempdir().unwrap();
    let mut config = config();
    config.online.learning_rate = Some(1e300);
    let error = learn_columns(directory.path(), &config, None).unwrap_err();
    let error = error.to_string();
    assert!(error.contains("lower the learning rate"), "{error}");
}
