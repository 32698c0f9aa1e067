//! Self-play: games, resuming, and directories of other runs.

use crate::{
    CLASSIC, MIXED_PLAYERS, NEAREST, PlayedGame, SelfPlay, assert_refused, config, content,
    one_line, play, plies, run, run_within, scratch, with_threads,
};
use alea_core::{
    files::{FileError, lock_directory},
    game::Game,
    job_array::TaskSlice,
};
use engine::games::einstein::{Standard, Variant, dice::Die};
use indicatif::ProgressBar;
use std::{collections::HashSet, path::Path};
use trainer::Error;
use trainer::selfplay::{GAMES_PER_SHARD, Limits, SelfPlayConfig, SelfPlaySummary};

fn three_shards() -> SelfPlayConfig {
    config(&["greedy", "random"], 2 * GAMES_PER_SHARD + 50)
}

#[test]
fn the_same_seed_gives_the_same_bytes_with_any_number_of_threads() {
    let config = config(&MIXED_PLAYERS, 300);
    let files = |config: &SelfPlayConfig, threads: usize| {
        let directory = scratch();
        with_threads(threads, || run(config, &directory).unwrap());
        content(&directory)
    };
    let one = files(&config, 1);
    assert!(
        one.iter()
            .map(|(name, _)| name)
            .eq(["000000.games", "run.json"])
    );
    assert_eq!(files(&config, 2), one);
    assert_eq!(files(&config, 5), one);
    let changed = play(&SelfPlayConfig {
        seed: 8,
        ..config.clone()
    });
    let same = changed
        .iter()
        .zip(play(&config))
        .filter(|(a, b)| *a == b)
        .count();
    assert_eq!(same, 0);
}

#[test]
fn a_game_does_not_depend_on_how_many_there_are() {
    let all = play(&config(&MIXED_PLAYERS, 200));
    assert_eq!(play(&config(&MIXED_PLAYERS, 70)), all[..70]);
    assert_eq!(play(&config(&MIXED_PLAYERS, 1)), all[..1]);
    assert!(play(&config(&MIXED_PLAYERS, 0)).is_empty());
    let run = SelfPlay::new(config(&MIXED_PLAYERS, 200)).unwrap();
    for shard in [1, u64::MAX] {
        let games = run.play_shard(shard, &ProgressBar::hidden()).unwrap();
        assert!(games.is_empty());
    }
}

#[test]
fn every_ply_is_legal_and_every_value_a_probability() {
    // The assumed die is loaded; its probabilities sum to more than 1 in 32 bits.
    let loaded = "star1(depth=3, eval=schwarz, die=0:4:2:0:0:1)";
    for (variant, name) in [(Variant::Classic, CLASSIC), (Variant::NearestOnly, NEAREST)] {
        let config = SelfPlayConfig {
            game: name.to_owned(),
            ..config(
                &[
                    MIXED_PLAYERS[0],
                    MIXED_PLAYERS[1],
                    MIXED_PLAYERS[2],
                    MIXED_PLAYERS[3],
                    loaded,
                ],
                150,
            )
        };
        let rules = Standard::new(variant, Die::fair());
        let mut counts = [0; 2];
        for game in play(&config) {
            let start = game.record.start;
            assert_eq!(start.num_stones(), 12);
            let positions: Vec<_> = game.record.positions(&rules).collect();
            for (position, ply) in positions.iter().zip(&game.record.plies) {
                assert_eq!(rules.winner(position), None);
                assert!(rules.legal_moves(position, ply.outcome).contains(&ply.mv));
                let player = &config.players[usize::from(game.players[position.seat()])].player;
                assert_eq!(
                    ply.value.is_some(),
                    player.starts_with("star1") || player.starts_with("mcts"),
                    "{player}"
                );
                assert!(
                    ply.value.is_none_or(|value| (0.0..=1.0).contains(&value)),
                    "{player}: {:?}",
                    ply.value
                );
                counts[usize::from(ply.value.is_some())] += 1;
            }
            assert_eq!(
                rules.payoffs(positions.last().unwrap()),
                Some(game.record.payoffs)
            );
        }
        assert!(counts.iter().all(|&count| count > 500));
    }
}

#[test]
fn explored_moves_are_uniform_and_others_the_players() {
    let rules = Standard::default();
    // The greedy player prefers diagonal steps.
    let games = play(&SelfPlayConfig {
        opening_plies: 0,
        exploration: 0.5,
        ..config(&["greedy"], 500)
    });
    let (mut directions, mut explored) = ([0u32; 3], 0u32);
    for game in &games {
        for (position, ply) in game.record.positions(&rules).zip(&game.record.plies) {
            let legal = rules.legal_moves(&position, ply.outcome);
            if legal.len() == 3 {
                if ply.explored {
                    directions[ply.mv.direction()] += 1;
                    explored += 1;
                } else {
                    assert_eq!(ply.mv.direction(), 0);
                }
            }
        }
    }
    let expected = f64::from(explored) / 3.0;
    for count in directions {
        assert!(
            (f64::from(count) - expected).abs() < 5.0 * (expected * 2.0 / 3.0).sqrt(),
            "{directions:?}"
        );
    }
}

#[test]
fn players_are_sampled_by_weight_for_each_side() {
    let mut settings = config(&["random", "mcts(sims=1)", "greedy"], 4000);
    (settings.players[0].weight, settings.players[1].weight) = (3.0, 0.0);
    let games = play(&settings);
    let mut pairs = [[0u32; 3]; 3];
    games
        .iter()
        .for_each(|game| pairs[usize::from(game.players[0])][usize::from(game.players[1])] += 1);
    let fractions = [0.75, 0.0, 0.25];
    for (red, row) in pairs.iter().enumerate() {
        for (blue, &count) in row.iter().enumerate() {
            let run_slice: f64 = fractions[red] * fractions[blue];
            let deviation = (4000.0 * run_slice * (1.0 - run_slice)).sqrt();
            assert!(
                (f64::from(count) - 4000.0 * run_slice).abs() <= 5.0 * deviation,
                "{pairs:?}"
            );
        }
    }
    let red_begins = games
        .iter()
        .filter(|game| game.record.start.seat() == 0)
        .count();
    assert!(
        (red_begins as f64 - 2000.0).abs() < 5.0 * 1000f64.sqrt(),
        "{red_begins}"
    );
}

#[test]
fn the_summary_counts_the_games_of_the_files() {
    let config = config(&MIXED_PLAYERS, 100);
    let parent = scratch();
    let directory = parent.join("a/b/c");
    let summary = run(&config, &directory).unwrap();
    let games = play(&config);
    let plies = || plies(&games);
    assert_eq!(
        (summary.games, summary.positions),
        (100, plies().count() as u64)
    );
    assert_eq!(
        summary.explored,
        plies().filter(|ply| ply.explored).count() as u64
    );
    // The last mover has won, since it keeps the stone that it moved.
    let beginner_wins = games
        .iter()
        .filter(|game| game.record.plies.len() % 2 == 1)
        .count();
    assert_eq!(summary.first_mover_points, beginner_wins as f64);
    assert_eq!((summary.distinct, summary.counted_games()), (None, 100));
    assert_eq!(
        summary.players.iter().map(|tally| tally.sides).sum::<u64>(),
        200
    );
    assert_eq!(
        summary
            .players
            .iter()
            .map(|tally| tally.points)
            .sum::<f64>(),
        100.0
    );
    assert!(
        summary
            .players
            .iter()
            .map(|tally| &tally.player)
            .eq(MIXED_PLAYERS)
    );
}

#[test]
fn a_stopped_run_resumes_to_the_same_files() {
    let unbroken = scratch();
    let summary = run(&three_shards(), &unbroken).unwrap();
    let expected = content(&unbroken);
    assert!(expected.iter().map(|(name, _)| name).eq([
        "000000.games",
        "000001.games",
        "000002.games",
        "run.json"
    ]));
    let resumed = scratch();
    let directory = &resumed;
    let go_on = || {
        assert_eq!(run(&three_shards(), directory).unwrap(), summary);
        assert_eq!(content(directory), expected);
    };
    let written = |name: &str| {
        let file = std::fs::metadata(directory.join(name)).unwrap();
        file.modified().unwrap()
    };
    let shorter = SelfPlayConfig {
        games: GAMES_PER_SHARD + 10,
        ..three_shards()
    };
    run(&shorter, directory).unwrap();
    std::fs::write(directory.join(".alea-x1.tmp"), &expected[1].1[..1000]).unwrap();
    let before = written("000000.games");
    go_on();
    assert_eq!(written("000000.games"), before);
    std::fs::remove_file(directory.join("000001.games")).unwrap();
    go_on();
    let times = || ["000000.games", "000001.games", "000002.games"].map(written);
    let before = times();
    go_on();
    assert_eq!(times(), before);
    let path = directory.join("000001.games");
    std::fs::write(&path, &expected[1].1[..5000]).unwrap();
    assert_refused(run(&three_shards(), directory), &path, "remove it");
    std::fs::remove_file(&path).unwrap();
    go_on();
}

#[test]
fn a_shorter_run_is_refused_and_destroys_nothing() {
    let directory = scratch();
    run(&three_shards(), &directory).unwrap();
    let before = content(&directory);
    for games in [
        0,
        10,
        GAMES_PER_SHARD,
        GAMES_PER_SHARD + 1,
        2 * GAMES_PER_SHARD,
        2 * GAMES_PER_SHARD + 49,
    ] {
        let shorter = run(
            &SelfPlayConfig {
                games,
                ..three_shards()
            },
            &directory,
        );
        assert_refused(shorter, &directory, &format!("more than the {games} games"));
        assert_eq!(content(&directory), before);
    }
}

#[test]
fn games_of_other_settings_are_never_mixed_in() {
    let config = config(&["greedy", "random"], 20);
    let directory = scratch();
    run(&config, &directory).unwrap();
    let before = content(&directory);
    let path = directory.join("000000.games");
    let other = |change: fn(&mut SelfPlayConfig)| {
        let mut other = config.clone();
        change(&mut other);
        other
    };
    let others: [(&str, SelfPlayConfig); 6] = [
        ("'seed' is 7, not 8", other(|other| other.seed = 8)),
        (
            "'opening_plies' is 2, not 0",
            other(|other| other.opening_plies = 0),
        ),
        (
            "'exploration' is 0.1, not 0.11",
            other(|other| other.exploration = 0.11),
        ),
        (
            r#"'game' is "einstein", not "einstein(variant=nearest)""#,
            other(|other| other.game = NEAREST.to_owned()),
        ),
        ("'players' is", other(|other| other.players[1].weight = 0.5)),
        ("'players' is", crate::config(&["random", "greedy"], 20)),
    ];
    for (expected, other) in others {
        for games in [20, 30, GAMES_PER_SHARD + 1] {
            let other = SelfPlayConfig {
                games,
                ..other.clone()
            };
            let text = assert_refused(run(&other, &directory), &path, expected);
            assert!(text.ends_with("; choose another directory"), "{text}");
            assert_eq!(content(&directory), before);
        }
    }
    let spelt = |text: &str| SelfPlayConfig {
        games: 20,
        ..crate::config(&[text], 20)
    };
    let directory = scratch();
    run(&spelt("mcts(sims=5, leaf=schwarz)"), &directory).unwrap();
    let before = content(&directory);
    run(&spelt(" mcts( sims=5,leaf=schwarz )"), &directory).unwrap();
    assert_eq!(content(&directory), before);
}

#[test]
fn foreign_and_misplaced_files_are_named_and_nothing_is_played() {
    let config = config(&["random"], 20);
    let directory = scratch();
    let notes = directory.join("notes.txt");
    std::fs::write(&notes, "not a shard, and nobody's business").unwrap();
    run(&config, &directory).unwrap();
    let good = std::fs::read(directory.join("000000.games")).unwrap();
    let mut version = good.clone();
    version[8] = 6;
    let cases = [
        (
            "notes.games",
            b"a foreign file".to_vec(),
            "not a file of game records",
        ),
        ("000001.games", version, "version 6"),
        ("copy.games", good, "has the games of 000000.games"),
    ];
    for (name, bytes, expected) in cases {
        let path = directory.join(name);
        std::fs::write(&path, bytes).unwrap();
        let before = content(&directory);
        let longer = SelfPlayConfig {
            games: 2 * GAMES_PER_SHARD,
            ..config.clone()
        };
        assert_refused(run(&longer, &directory), &path, expected);
        assert_eq!(content(&directory), before);
        std::fs::remove_file(&path).unwrap();
    }
    assert_refused(run(&config, &notes), &notes, "");
}

#[test]
fn games_have_different_rolls_starts_and_moves() {
    let games = play(&config(&["random"], 200));
    let rolls = |game: &PlayedGame| -> Vec<u8> {
        let plies = game.record.plies.iter();
        plies.take(8).map(|ply| ply.outcome).collect()
    };
    let moves = |game: &PlayedGame| -> String {
        let plies = game.record.plies.iter();
        plies.take(8).map(|ply| format!("{:?}", ply.mv)).collect()
    };
    // With this seed, no two games have the same 8 rolls or the same start.
    for what in [
        games
            .iter()
            .map(|game| format!("{:?}", rolls(game)))
            .collect::<HashSet<_>>(),
        games
            .iter()
            .map(|game| format!("{:?}", game.record.start))
            .collect(),
        games.iter().map(moves).collect(),
    ] {
        assert_eq!(what.len(), 200);
    }
    let others = play(&SelfPlayConfig {
        seed: 8,
        ..config(&["random"], 200)
    });
    let own: HashSet<_> = games.iter().map(rolls).collect();
    assert!(!others.iter().any(|game| own.contains(&rolls(game))));
}

#[test]
fn only_a_time_limit_makes_a_run_not_reproducible() {
    let reproducible =
        |players: &[&str]| SelfPlay::new(config(players, 1)).unwrap().is_reproducible();
    assert!(reproducible(&MIXED_PLAYERS));
    assert!(!reproducible(&["mcts(ms=1)"]));
    assert!(!reproducible(&["random", "mcts(ms=1)", "greedy"]));
}

#[test]
fn settings_out_of_range_are_named() {
    let weighted = |weights: &[f64]| {
        let mut config = config(&vec!["random"; weights.len()], 10);
        for (player, &weight) in config.players.iter_mut().zip(weights) {
            player.weight = weight;
        }
        config
    };
    let with = |change: fn(&mut SelfPlayConfig)| {
        let mut config = config(&["random"], 10);
        change(&mut config);
        config
    };
    let many = vec!["random"; 256];
    let cases = [
        ("1 and 255", config(&[], 10)),
        ("1 and 255", config(&many, 10)),
        ("weight", weighted(&[1.0, -0.5])),
        ("weight", weighted(&[0.0, 0.0])),
        ("weight", weighted(&[f64::NAN])),
        ("weight", weighted(&[f64::INFINITY, 1.0])),
        ("exploration", with(|config| config.exploration = 1.5)),
        ("exploration", with(|config| config.exploration = f64::NAN)),
        (
            "'reversi'",
            with(|config| config.game = "reversi".to_owned()),
        ),
        (
            "variant",
            with(|config| config.game = "einstein(variant=Classic)".to_owned()),
        ),
        ("character 6", config(&["mcts(simulations=3)"], 10)),
        (
            "missing.safetensors",
            config(&["star1(depth=1, eval=model:missing.safetensors)"], 10),
        ),
    ];
    for (expected, config) in cases {
        assert_refused(SelfPlay::new(config), Path::new(""), expected);
    }
    assert_eq!(play(&config(&many[..255], 30)).len(), 30);
}

#[test]
fn another_model_under_the_same_name_is_another_run() {
    let directory = scratch();
    let model = directory.join("model.safetensors");
    let games = directory.join("games");
    let settings = config(
        &[&format!(
            "star1(depth=1, eval=\"model:{}\")",
            model.display()
        )],
        5,
    );
    let save = |bias: f32| crate::save_model(&model, bias);
    save(0.0);
    let first: SelfPlaySummary = run(&settings, &games).unwrap();
    assert_eq!(run(&settings, &games).unwrap(), first);
    save(0.5);
    assert_refused(
        run(&settings, &games),
        Path::new("000000.games"),
        "'models' is",
    );
}

fn run_slice(
    settings: &SelfPlayConfig,
    directory: &Path,
    slice: TaskSlice,
) -> Result<SelfPlaySummary, Error> {
    let limits = Limits {
        slice,
        ..Limits::default()
    };
    Ok(run_within(settings, directory, limits)?.summary)
}

#[test]
fn tasks_play_their_shards_and_other_runs_are_refused() {
    let directory = scratch();
    let task =
        |settings, number, of| run_slice(&settings, &directory, TaskSlice::Task { number, of });
    assert_eq!(task(three_shards(), 0, 3).unwrap().games, GAMES_PER_SHARD);
    assert_eq!(
        task(three_shards(), 1, 2).unwrap().games,
        GAMES_PER_SHARD + 50
    );
    let before = content(&directory);
    assert_eq!(before.len(), 4);
    let manifest = directory.join("run.json");
    for (expected, seed, games) in [
        ("not 8", 8, three_shards().games),
        ("has 8242 games, not 10", 7, 10),
    ] {
        let other = SelfPlayConfig {
            seed,
            games,
            ..three_shards()
        };
        assert_refused(task(other, 0, 1), &manifest, expected);
    }
    assert_eq!(content(&directory), before);
    std::fs::write(&manifest, "{}").unwrap();
    assert_refused(run(&three_shards(), &directory), &manifest, "");
}

#[test]
fn tasks_use_one_directory_and_runs_do_not() {
    let directory = scratch();
    let part = config(&["random"], 5);
    let task = TaskSlice::Task { number: 0, of: 1 };
    let lock = lock_directory(&directory, task).unwrap();
    run_slice(&part, &directory, task).unwrap();
    drop(lock);
    for (locked_by, other_slice) in [(task, TaskSlice::All), (TaskSlice::All, task)] {
        let _lock = lock_directory(&directory, locked_by).unwrap();
        let error = run_slice(&part, &directory, other_slice).unwrap_err();
        assert!(matches!(error, Error::File(FileError::Busy(_))));
        one_line(&error, &directory);
    }
}
