//! Statistics, verification and derived sets of game records.

use crate::dataset::game_of_four_plies;
use crate::{
    MIXED_PLAYERS, PlayedGame, ShardReader, assert_refused, config, content, header_of, is_sound,
    label_config, play, plies, read, run, scratch, scratch_paths,
};
use engine::games::einstein::Standard;
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};
use trainer::data::{
    derived_sets::{self, SplitPart},
    position_filter::Filter,
    statistics,
    verify::verify,
};
use trainer::selfplay::{GAMES_PER_SHARD, SelfPlayConfig};
use trainer::shard;

pub(crate) fn open(paths: &[&Path]) -> ShardReader {
    let paths: Vec<PathBuf> = paths.iter().map(|path| path.to_path_buf()).collect();
    ShardReader::open(&paths).unwrap()
}

pub(crate) fn games(paths: &[&Path]) -> Vec<PlayedGame> {
    let mut games = Vec::new();
    open(paths)
        .for_each_game(|game| {
            games.push(game);
            Ok(())
        })
        .unwrap();
    games
}

fn fingerprints(games: &[PlayedGame]) -> Vec<u128> {
    let rules = Standard::default();
    games.iter().map(|game| game.fingerprint(&rules)).collect()
}

fn two_shards(directory: &Path, games: &[PlayedGame]) {
    std::fs::create_dir_all(directory).unwrap();
    let half = games.len() / 2;
    for (index, (part, first)) in [(&games[..half], 0), (&games[half..], half)]
        .into_iter()
        .enumerate()
    {
        let mut header = header_of(&config(&MIXED_PLAYERS, 0), part.len() as u64);
        header.first_game = first as u64;
        shard::write(
            &directory.join(shard::file_name(index as u64)),
            &header,
            part,
        )
        .unwrap();
    }
}

#[test]
fn statistics_equal_hand_counts() {
    let directory = scratch();
    let records = directory.join("records");
    // Red moves first, Blue wins at ply 4; values: 0.4 of Blue, 0.25 of Red, 1 of Blue.
    two_shards(&records, &[game_of_four_plies(), game_of_four_plies()]);
    let info = statistics::info(&open(&[&records])).unwrap();
    assert_eq!(
        (
            info.shards,
            info.games,
            info.positions,
            info.values,
            info.explored
        ),
        (2, 2, 8, 6, 2)
    );
    assert_eq!(
        (
            &info.points[..],
            info.first_mover_points,
            info.draws,
            info.plies
        ),
        (&[0.0, 2.0][..], 0.0, 0, [4, 4])
    );
    assert_eq!(info.games_by_plies, [0, 0, 0, 0, 2]);
    assert_eq!(info.positions_by_remaining, [0, 0, 8]);
    let mut bins = [0; statistics::NUM_VALUE_BINS];
    (bins[5], bins[8], bins[19]) = (2, 2, 2);
    assert_eq!(info.values_by_size, bins);
    assert!((info.value_error.unwrap() - 0.4225 / 3.0).abs() < 1e-5);
    assert_eq!((info.duplicate_games, info.duplicate_positions), (1, 4));
    let sides: Vec<(u64, f64)> = info
        .players
        .iter()
        .map(|player| (player.sides, player.points))
        .collect();
    assert_eq!(sides, [(2, 0.0), (2, 2.0), (0, 0.0), (0, 0.0)]);
    let bytes: usize = content(&records).iter().map(|(_, bytes)| bytes.len()).sum();
    let bytes = bytes as u64;
    assert!(info.bytes == bytes && (info.bytes_per_position - bytes as f64 / 8.0).abs() < 1e-9);
}

#[test]
fn bad_records_are_reported() {
    let directory = scratch();
    let records = directory.join("records");
    let settings = SelfPlayConfig {
        games: GAMES_PER_SHARD + 20,
        ..config(&["greedy", "random"], 0)
    };
    run(&settings, &records).unwrap();
    let check = || verify::<Standard>(std::slice::from_ref(&records)).unwrap();
    let sound = check();
    let plies = plies(&games(&[&records])).count();
    assert_eq!(
        (sound.shards, sound.games, sound.positions, sound.missing),
        (2, GAMES_PER_SHARD + 20, plies as u64, 0)
    );
    assert!(sound.problems.is_empty());
    let path = records.join("000001.games");
    let mut bytes = std::fs::read(&path).unwrap();
    let length = bytes.len();
    bytes[length - 9] ^= 1;
    bytes[length / 2] ^= 1;
    std::fs::write(&path, &bytes).unwrap();
    std::fs::remove_file(records.join("000000.games")).unwrap();
    let found = check();
    assert_eq!(
        (found.games, found.problems.len(), found.missing),
        (18, 2, 1)
    );
    let named = |problem: &String| {
        problem.starts_with(path.to_str().unwrap()) && problem.contains("checksum")
    };
    assert!(
        found.problems.iter().all(named) && found.problems[1].contains("game 19"),
        "{:?}",
        found.problems
    );
    std::fs::remove_file(&path).unwrap();
    let other = directory.join("other");
    run(
        &SelfPlayConfig {
            seed: 8,
            ..settings
        },
        &other,
    )
    .unwrap();
    std::fs::copy(other.join("000001.games"), &path).unwrap();
    assert!(
        check().problems[0].contains("another run"),
        "{:?}",
        check().problems
    );
    std::fs::write(records.join("run.json"), "{").unwrap();
    assert!(check().problems[0].contains("run.json"));
}

#[test]
fn merged_sets_keep_games_and_players() {
    let at = scratch_paths();
    run(&config(&["greedy", "random"], 30), &at("a")).unwrap();
    run(
        &SelfPlayConfig {
            seed: 8,
            ..config(&["star1(depth=1)", "greedy"], 20)
        },
        &at("b"),
    )
    .unwrap();
    let source = open(&[&at("a"), &at("b"), &at("a")]);
    assert_eq!((source.games, source.runs.len()), (80, 2));
    let written = derived_sets::merge(&source, &at("all"), false).unwrap();
    assert_eq!((written.games, written.shards), (80, 1));
    let unique = derived_sets::merge(&source, &at("unique"), true).unwrap();
    assert_eq!(unique.games, 50);
    let (header, merged) = read(&at("all").join("000000.games")).unwrap();
    assert_eq!(header.players, ["greedy", "random", "star1(depth=1)"]);
    let names = |directory: &Path| -> Vec<Vec<String>> {
        let (header, games) = read(&directory.join("000000.games")).unwrap();
        games
            .iter()
            .map(|game| {
                let name = |&player: &u8| header.players[usize::from(player)].clone();
                game.players.iter().map(name).collect()
            })
            .collect()
    };
    assert_eq!(
        names(&at("all")),
        [names(&at("a")), names(&at("b")), names(&at("a"))].concat()
    );
    assert_eq!(
        fingerprints(&merged),
        fingerprints(&games(&[&at("a"), &at("b"), &at("a")]))
    );
    assert!(is_sound(at("all")));
    assert_refused(
        derived_sets::merge(&source, &at("all"), false),
        &at("all"),
        "exists already",
    );
    let left: Vec<String> = content_names(&at(""));
    assert_eq!(left, ["a", "all", "b", "unique"]);
}

pub(crate) fn content_names(directory: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn splits_keep_equal_games_together() {
    let at = scratch_paths();
    run(&config(&["greedy", "random"], 1000), &at("a")).unwrap();
    let parts = [("train", 3.0), ("test", 1.0)].map(|(name, weight)| SplitPart {
        name: name.to_owned(),
        weight,
    });
    let written =
        derived_sets::split(&open(&[&at("a"), &at("a")]), &at("split"), &parts, 5).unwrap();
    assert_eq!(written.iter().map(|part| part.games).sum::<u64>(), 2000);
    // 250 expected, standard deviation 14.
    assert!(
        (written[1].games as f64 / 2.0 - 250.0).abs() < 70.0,
        "{written:?}"
    );
    let part = |directory: &Path, name: &str| -> BTreeSet<u128> {
        fingerprints(&games(&[&directory.join(name)]))
            .into_iter()
            .collect()
    };
    let (train, test) = (part(&at("split"), "train"), part(&at("split"), "test"));
    assert!(train.is_disjoint(&test) && train.len() + test.len() == 1000);
    derived_sets::shuffle(&open(&[&at("a")]), &at("shuffled"), 1).unwrap();
    derived_sets::split(&open(&[&at("shuffled")]), &at("again"), &parts, 5).unwrap();
    assert_eq!(
        (part(&at("again"), "train"), part(&at("again"), "test")),
        (train.clone(), test)
    );
    derived_sets::split(&open(&[&at("a")]), &at("other"), &parts, 6).unwrap();
    assert_ne!(part(&at("other"), "train"), train);
    for wrong in [
        &parts[..1],
        &[parts[0].clone(), parts[0].clone()],
        &[
            parts[0].clone(),
            SplitPart {
                name: "..".to_owned(),
                weight: 1.0,
            },
        ],
    ] {
        assert!(derived_sets::split(&open(&[&at("a")]), &at("wrong"), wrong, 1).is_err());
    }
}

#[test]
fn samples_and_shuffles_are_of_the_same_games() {
    let at = scratch_paths();
    run(&config(&["greedy", "random"], 500), &at("a")).unwrap();
    let source = open(&[&at("a")]);
    let all = fingerprints(&games(&[&at("a")]));
    derived_sets::shuffle(&source, &at("shuffled"), 1).unwrap();
    let mut shuffled = fingerprints(&games(&[&at("shuffled")]));
    assert_ne!(shuffled, all);
    let mut sorted = all.clone();
    shuffled.sort_unstable();
    sorted.sort_unstable();
    assert_eq!(shuffled, sorted);
    derived_sets::sample(&source, &at("sample"), 50, 1).unwrap();
    let sample = fingerprints(&games(&[&at("sample")]));
    let scratch_paths: Vec<usize> = sample
        .iter()
        .map(|fingerprint| all.iter().position(|other| other == fingerprint).unwrap())
        .collect();
    assert!(
        scratch_paths.len() == 50 && scratch_paths.is_sorted_by(|a, b| a < b),
        "{scratch_paths:?}"
    );
    // The mean of 50 of 500 indices is 250 ± 20 (standard deviation).
    let mean = scratch_paths.iter().sum::<usize>() as f64 / 50.0;
    assert!((mean - 249.5).abs() < 100.0, "{mean}");
    derived_sets::sample(&source, &at("all"), 500, 1).unwrap();
    assert_eq!(fingerprints(&games(&[&at("all")])), all);
    assert_refused(
        derived_sets::sample(&source, &at("more"), 501, 1),
        Path::new(""),
        "501",
    );
    derived_sets::sample(&source, &at("again"), 50, 1).unwrap();
    derived_sets::sample(&source, &at("other"), 50, 2).unwrap();
    assert_eq!(content(&at("again")), content(&at("sample")));
    assert_ne!(fingerprints(&games(&[&at("other")])), sample);
}

#[test]
fn filters_remove_values_and_labels_but_no_plies() {
    let rules = Standard::default();
    let all = play(&SelfPlayConfig {
        labels: vec![label_config("deep", "star1(depth=1)")],
        ..config(&MIXED_PLAYERS, 60)
    });
    let filters = [
        Filter {
            remaining: (9, 11),
            ..Filter::default()
        },
        Filter {
            plies: (3, 7),
            ..Filter::default()
        },
        Filter {
            explored: Some(false),
            ..Filter::default()
        },
        Filter {
            player: Some(1),
            ..Filter::default()
        },
        Filter {
            disagreement: 0.5,
            ..Filter::default()
        },
    ];
    for (which, filter) in filters.iter().enumerate() {
        for game in &all {
            let mut filtered = game.clone();
            let left = filter.apply(&rules, &mut filtered);
            let plies = game.record.plies.iter().zip(&filtered.record.plies);
            assert!(plies.clone().all(|(old, new)| {
                (old.outcome, old.mv, old.explored) == (new.outcome, new.mv, new.explored)
            }));
            let mut any = false;
            for (number, position) in game.record.positions(&rules).enumerate() {
                let before = number.checked_sub(1).map(|ply| game.record.plies[ply]);
                let keeps = |target: Option<f32>, seat: usize| match which {
                    0 => (9..=11).contains(&position.num_stones()),
                    1 => (3..=7).contains(&number),
                    2 => before.is_none_or(|ply| !ply.explored),
                    3 => before.is_some() && game.players[1 - position.seat()] == 1,
                    _ => target.is_some_and(|value| match game.record.payoffs[seat] > 0.5 {
                        true => value >= 0.5,
                        false => value <= 0.5,
                    }),
                };
                let seat = position.seat();
                let label = game.label_value(0, number);
                let label = label.filter(|_| keeps(label, seat));
                assert_eq!(filtered.label_value(0, number), label);
                let value = before.and_then(|ply| ply.value);
                let value = value.filter(|_| keeps(value, 1 - seat));
                let new = number
                    .checked_sub(1)
                    .and_then(|ply| filtered.record.plies[ply].value);
                assert_eq!(new, value);
                any |= label.is_some() || value.is_some();
            }
            assert_eq!(left, any);
        }
    }
    let mut untouched = all.clone();
    for game in &mut untouched {
        assert!(Filter::default().apply(&rules, game));
    }
    assert_eq!(untouched, all);
    let directory = scratch();
    let (records, out) = (directory.join("a"), directory.join("b"));
    two_shards(&records, &play(&config(&MIXED_PLAYERS, 60)));
    let written = derived_sets::filter(&open(&[&records]), &out, &filters[0]).unwrap();
    assert!(written.games <= 60 && written.values > 0);
    let nothing = Filter {
        plies: (500, 600),
        ..Filter::default()
    };
    let empty = directory.join("c");
    assert_refused(
        derived_sets::filter(&open(&[&records]), &empty, &nothing),
        &empty,
        "no game",
    );
    assert_eq!(content_names(&directory), ["a", "b"]);
}
