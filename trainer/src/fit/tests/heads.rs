//! Networks with heads: interrupted, exported, by the fused step and by burn's, and on real
//! records.

use super::*;
use crate::calibrate::LogisticFit;
use crate::dataset::SampleOptions;
use crate::reports::HeadsReport;
use engine::core::evaluator::Evaluator;
use engine::games::einstein::Standard;
use engine::learned::network::Head;

fn config_with(heads: Heads) -> TrainConfig {
    let mut config = config();
    config.network.heads = heads;
    config.network.rolls_weight = Some(1.0);
    config
}

#[test]
fn a_training_of_heads_is_resumed_and_exported() {
    for heads in [
        Heads::ALL,
        Heads::NONE.with(Head::Rolls),
        Heads::NONE.with(Head::MovesToGo),
    ] {
        for burn in [false, true] {
            let mut config = config_with(heads);
            config.training.checkpoint_minutes = 1e-9;
            config.target.search_share = 0.5;
            config.network.buckets = vec![6];
            let samples = changed_samples(with_continuations);
            let (found, _directory) = cut_off_and_resumed(&samples, &config, Family::Network, burn);
            let (first, last) = (&found.curve[0].heads, &found.curve[4].heads);
            assert_eq!(
                first.iter().map(|point| point.head).collect::<Vec<_>>(),
                heads.iter().collect::<Vec<_>>()
            );
            for (first, last) in first.iter().zip(last) {
                assert!(
                    last.validation_loss < first.validation_loss && last.training_loss > 0.0,
                    "{first:?} {last:?}"
                );
            }
            assert_eq!(network(&found).heads(), heads);
            assert!(found.parity <= crate::export::TOLERANCE);
            assert_eq!(
                (
                    found.heads.rolls.is_some(),
                    found.heads.moves_to_go.is_some()
                ),
                (heads.contains(Head::Rolls), heads.contains(Head::MovesToGo))
            );
            let story = written(&found.model).1;
            assert_eq!(
                serde_json::from_value::<HeadsReport>(story["heads"].clone()).unwrap(),
                found.heads
            );
        }
    }
}

#[test]
fn without_heads_nothing_is_as_if_there_were_some() {
    let (plain, told) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let found = fit_in(&plain, &config(), Family::Network).unwrap();
    assert!(found.heads.is_empty() && found.curve.iter().all(|point| point.heads.is_empty()));
    let story = written(&found.model).1.to_string();
    assert!(!story.contains("heads") && network(&found).heads().is_empty());
    // What came after samples does not matter to who does not learn it.
    let (told_samples, family) = (changed_samples(with_continuations), Family::Network);
    let again = fit_on(&told_samples, &told, &config(), family).unwrap();
    let losses = |report: &FitReport| {
        report
            .curve
            .iter()
            .map(|point| point.training_loss)
            .collect::<Vec<_>>()
    };
    let other = changed_samples(|samples| samples);
    let directory = tempfile::tempdir().unwrap();
    let same = fit_on(&other, &directory, &config(), family).unwrap();
    assert_eq!(losses(&again), losses(&same));
    let error = refusal(&directory, &config_with(Heads::ALL), family);
    let expected = "network.heads: these samples do not know how their games went on";
    assert_eq!(error, expected);
}

#[test]
fn on_real_games_the_mean_over_the_die_is_the_value_and_probabilities_are_what_they_say() {
    let records = concat!(env!("CARGO_MANIFEST_DIR"), "/../data/sample");
    let options =
        SampleOptions::new(&TrainConfig::default().target, 0.1, 1).with_continuations(true);
    let samples = Samples::<Standard>::open(&[records], &options).unwrap();
    let mut config = TrainConfig::default();
    config.training.epochs = 8;
    config.network.hidden = vec![32];
    config.network.batch = 64;
    config.network.heads = Heads::ALL;
    config.network.rolls_weight = Some(1.0);
    let directory = tempfile::tempdir().unwrap();
    let report = fit_on(&samples, &directory, &config, Family::Network).unwrap();
    let (network, game) = (network(&report), Standard::default());
    let positions: Vec<Position> = samples
        .validation()
        .iter()
        .map(|sample| sample.position)
        .collect();
    let mut values = vec![0.0; positions.len()];
    network.values(&game, &positions, &mut values);
    let (mut distance, mut spread) = (0.0, 0.0);
    for (position, value) in positions.iter().zip(&values) {
        let rolls = network.rolls(&game, position).unwrap();
        distance += f64::from((rolls.iter().sum::<f32>() / 6.0 - value).abs());
        let (low, high) = rolls.iter().fold((1.0f32, 0.0f32), |(low, high), &roll| {
            (low.min(roll), high.max(roll))
        });
        spread += f64::from(high - low);
    }
    let (distance, spread) = (
        distance / positions.len() as f64,
        spread / positions.len() as f64,
    );
    // Faces are told apart by far more than their mean is off.
    assert!(
        distance < 0.04 && spread > 1.5 * distance,
        "{distance} {spread}"
    );
    let rolls = report.heads.rolls.unwrap();
    assert!(
        (rolls.distance_from_value - distance).abs() < 1e-4,
        "{rolls:?} {distance}"
    );
    // Some hundred games tell neither slope nor share better than that.
    let LogisticFit { slope, .. } = rolls.calibration.unwrap();
    assert!((0.7..2.5).contains(&slope), "{rolls:?}");
    assert!((rolls.predicted - rolls.won).abs() < 0.07, "{rolls:?}");
    // Who knows the roll knows more.
    let (point, knowing) = (
        report.curve.last().unwrap(),
        report.curve.last().unwrap().heads[0].validation_loss,
    );
    assert!(knowing < point.validation_loss, "{point:?}");
    let plies = report.heads.moves_to_go.unwrap();
    assert!(plies.error < 0.8 * plies.deviation, "{plies:?}");
}
