//! Conversion of records to samples, and the split by games.

use crate::{
    MIXED_PLAYERS, PlayedGame, Samples, assert_refused, config, header_of, play, samples_in,
    scratch,
};
use alea_core::{
    files::prepare_directory,
    game::{Game, win_for},
    record::{Ending, GameRecord, Ply},
};
use engine::games::einstein::{BLUE, Position, Standard};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};
use trainer::dataset::SampleOptions;
use trainer::loader::{DataLoader, Shuffle};
use trainer::sample::Sample;
use trainer::shard::{self, Label};

fn sample_options() -> SampleOptions {
    SampleOptions::without_labels(0.3, 3)
}

pub(crate) fn write(directory: &Path, games: &[PlayedGame], labels: &[Label]) {
    prepare_directory(directory).unwrap();
    let header = shard::ShardHeader {
        labels: labels.to_vec(),
        ..header_of(&config(&MIXED_PLAYERS, 0), games.len() as u64)
    };
    shard::write(&directory.join("000000.games"), &header, games).unwrap();
}

fn position(text: &str) -> Position {
    Standard::default().parse_position(text).unwrap().0
}

/// Game with one stone per side: Red a5b4 (no value), Blue e1d2 (0.4), Red b4c3 (0.25), Blue
/// captures by d2c3 (1) and wins.
pub(crate) fn game_of_four_plies() -> PlayedGame {
    let rules = Standard::default();
    let start = position("1..../...../...../...../....a r -");
    let mut now = start;
    let plies = [
        ("a5b4", 3, None),
        ("e1d2", 1, Some(0.4)),
        ("b4c3", 6, Some(0.25)),
        ("d2c3", 2, Some(1.0)),
    ]
    .into_iter()
    .map(|(text, outcome, value)| {
        let mv = rules.parse_move(&now, text).unwrap();
        now = rules.play(&now, mv);
        Ply {
            outcome,
            mv,
            value,
            explored: text == "e1d2",
        }
    })
    .collect();
    let record = GameRecord {
        start,
        plies,
        payoffs: win_for(BLUE),
        ending: Ending::Played,
    };
    PlayedGame::new(record, vec![0, 1])
}

/// Copies of a game with other first rolls: a lone stone moves on every face.
pub(crate) fn with_other_rolls(game: &PlayedGame) -> Vec<PlayedGame> {
    let faces = (1..=6).flat_map(|first| (1..=6).map(move |second| [first, second]));
    let game = |faces: [u8; 2]| {
        let mut game = game.clone();
        let plies = game.record.plies.iter_mut();
        plies.zip(faces).for_each(|(ply, face)| ply.outcome = face);
        game
    };
    faces.map(game).collect()
}

pub(crate) fn training(samples: &Samples) -> Vec<Sample<Position>> {
    (0..samples.num_parts())
        .flat_map(|part| samples.read_part(part).unwrap())
        .collect()
}

fn samples(games: &[PlayedGame], options: &SampleOptions) -> [Vec<Sample<Position>>; 2] {
    let directory = scratch();
    write(&directory, games, &[]);
    let samples = samples_in(&directory, options).unwrap();
    let training = training(&samples);
    assert_eq!(samples.num_training(), training.len());
    [training, samples.validation().to_vec()]
}

#[test]
fn games_are_split_as_a_unit_and_stay_on_their_side() {
    let games = play(&config(&["star1(depth=1)", "random"], 300));
    let rules = Standard::default();
    let mut owner: BTreeMap<u64, BTreeSet<usize>> = BTreeMap::new();
    for (index, game) in games.iter().enumerate() {
        for position in game.record.positions(&rules).skip(1) {
            owner.entry(position.bits()).or_default().insert(index);
        }
    }
    let side = |samples: &[Sample<Position>]| -> BTreeSet<usize> {
        let owners = samples
            .iter()
            .map(|sample| &owner[&sample.position.bits()])
            .filter(|owners| owners.len() == 1);
        owners.flatten().copied().collect()
    };
    let sides = |parts: &[Vec<_>; 2]| parts.each_ref().map(|part| side(part));
    let few = samples(&games[..100], &sample_options());
    let many = samples(&games, &sample_options());
    let [few_training, few_validation] = sides(&few);
    let [training, validation] = sides(&many);
    assert!(training.is_disjoint(&validation));
    let rated = |game: &&PlayedGame| game.record.plies.iter().any(|ply| ply.value.is_some());
    assert!(training.len() + validation.len() >= games.iter().filter(rated).count() - 5);
    assert!(few_training.is_subset(&training) && few_validation.is_subset(&validation));
    assert!(!few_validation.is_empty());
    // At most 0.3 · 300 = 90 games, ± 8 (standard deviation).
    let expected = 0.3 * (training.len() + validation.len()) as f64;
    assert!(
        (validation.len() as f64 - expected).abs() < 40.0,
        "{} of {expected}",
        validation.len()
    );
    for (few, many) in few.iter().zip(&many) {
        assert_eq!(few[..], many[..few.len()]);
    }
    let options = SampleOptions {
        seed: 4,
        ..sample_options()
    };
    assert_ne!(sides(&samples(&games, &options)), [training, validation]);
}

#[test]
fn every_sample_is_a_valued_position_with_its_target() {
    let games = play(&config(&MIXED_PLAYERS, 60));
    let rules = Standard::default();
    let mut expected: Vec<(u64, u32, u32)> = Vec::new();
    for game in &games {
        let after: Vec<Position> = game.record.positions(&rules).skip(1).collect();
        for (position, ply) in after.iter().zip(&game.record.plies) {
            if let (Some(value), None) = (ply.value, rules.winner(position)) {
                expected.push((
                    position.bits(),
                    (1.0 - value).to_bits(),
                    game.record.payoffs[position.seat()].to_bits(),
                ));
            }
        }
    }
    let bits = |sample: &Sample<Position>| {
        (
            sample.position.bits(),
            sample.value.to_bits(),
            sample.result.to_bits(),
        )
    };
    let all = samples(&games, &sample_options()).concat();
    let mut found: Vec<_> = all.iter().map(bits).collect();
    expected.sort_unstable();
    found.sort_unstable();
    assert_eq!(found, expected);
}

#[test]
fn with_results_only_every_position_is_a_sample() {
    let mut games = play(&config(&["random", "star1(depth=1)"], 60));
    let rules = Standard::default();
    for game in games.iter_mut().step_by(3) {
        let record = &mut game.record;
        record.plies.truncate(record.plies.len() - 2);
        (record.ending, record.payoffs) = (Ending::Resigned, win_for(BLUE));
    }
    let mut expected = Vec::new();
    for game in &games {
        let record = &game.record;
        let before: Vec<Position> = record.positions(&rules).take(record.plies.len()).collect();
        for position in &before {
            let result = record.payoffs[position.seat()];
            expected.push((position.bits(), result.to_bits()));
        }
    }
    let options = SampleOptions {
        results_only: true,
        ..sample_options()
    };
    let all = samples(&games, &options).concat();
    let bits = |sample: &Sample<Position>| {
        assert_eq!(sample.target(0.0), sample.result);
        (sample.position.bits(), sample.result.to_bits())
    };
    let mut found: Vec<_> = all.iter().map(bits).collect();
    expected.sort_unstable();
    found.sort_unstable();
    assert_eq!(found, expected);
}

#[test]
fn records_without_samples_are_refused() {
    let directory = &*scratch();
    assert_refused(
        samples_in(directory, &sample_options()),
        directory,
        "no game records there",
    );
    let missing = directory.join("missing");
    assert_refused(samples_in(&missing, &sample_options()), &missing, "");
    write(directory, &play(&config(&["random", "greedy"], 30)), &[]);
    let text = assert_refused(
        samples_in(directory, &sample_options()),
        directory,
        "training",
    );
    assert!(text.contains("target.search_share = 0.0"), "{text}");
    write(directory, &play(&config(&["star1(depth=1)"], 30)), &[]);
    let none_validates = SampleOptions {
        validation_fraction: 0.0,
        ..sample_options()
    };
    assert_refused(
        samples_in(directory, &none_validates),
        directory,
        "validation",
    );
    let damaged = directory.join("000001.games");
    std::fs::write(&damaged, b"ALEAGAME").unwrap();
    assert_refused(samples_in(directory, &sample_options()), &damaged, "");
}

#[test]
fn shards_are_read_again_and_must_not_have_changed() {
    let directory = scratch();
    let games = play(&config(&["star1(depth=1)"], 60));
    write(&directory, &games[..40], &[]);
    let second = directory.join("000001.games");
    let header = |games: u64| shard::ShardHeader {
        first_game: 40,
        ..header_of(&config(&MIXED_PLAYERS, 0), games)
    };
    shard::write(&second, &header(20), &games[40..]).unwrap();
    let samples = samples_in(&directory, &sample_options()).unwrap();
    assert_eq!(samples.num_parts(), 2);
    assert_eq!(samples.read_part(1).unwrap(), samples.read_part(1).unwrap());
    let again = samples_in(&directory, &sample_options()).unwrap();
    assert_eq!(again.fingerprint(), samples.fingerprint());
    shard::write(&second, &header(19), &games[41..]).unwrap();
    assert_refused(samples.read_part(1), &second, "changed");
    assert_ne!(
        samples_in(&directory, &sample_options())
            .unwrap()
            .fingerprint(),
        samples.fingerprint()
    );
}

#[test]
fn the_order_of_samples_is_independent_of_memory() {
    let directory = scratch();
    let games = play(&config(&["star1(depth=1)"], 60));
    write(&directory, &games[..40], &[]);
    let second = directory.join("000001.games");
    let header = shard::ShardHeader {
        first_game: 40,
        ..header_of(&config(&MIXED_PLAYERS, 0), 20)
    };
    shard::write(&second, &header, &games[40..]).unwrap();
    let read_again = samples_in(&directory, &sample_options()).unwrap();
    let all = read_again.num_training();
    let in_memory = samples_in(&directory, &sample_options().with_memory_limit(all)).unwrap();
    let too_many = samples_in(&directory, &sample_options().with_memory_limit(all - 1)).unwrap();
    for samples in [&in_memory, &too_many] {
        assert_eq!(samples.fingerprint(), read_again.fingerprint());
        assert_eq!(training(samples), training(&read_again));
    }
    let collect_epoch = |samples: &Samples, window| {
        let shuffle = Shuffle {
            seed: 5,
            epoch: 2,
            buffer: window,
            symmetries: true,
        };
        let mut collect_epoch = Vec::new();
        DataLoader::training(samples, 64, shuffle, 1)
            .for_each_batch(<[Sample<Position>]>::to_vec, |_, batch| {
                collect_epoch.extend(batch);
                Ok(())
            })
            .unwrap();
        collect_epoch
    };
    for window in [50, all, usize::MAX] {
        let expected = collect_epoch(&read_again, window);
        assert_eq!(expected.len(), all - 64);
        assert_eq!(
            collect_epoch(&in_memory, window),
            expected,
            "window {window}"
        );
        assert_eq!(
            collect_epoch(&too_many, window),
            expected,
            "window {window}"
        );
    }
    let bytes = std::fs::read(&second).unwrap();
    std::fs::remove_file(&second).unwrap();
    assert!(in_memory.read_part(1).is_ok() && too_many.read_part(1).is_err());
    std::fs::write(&second, bytes).unwrap();
}
