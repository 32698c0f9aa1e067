//! Options of self-play: starts, exploration, tablebases and limits.

use crate::{
    MIXED_PLAYERS, PlayedGame, SelfPlay, assert_refused, config, content, play, plies, run,
    run_within, scratch, with_threads,
};
use alea_core::record::Ending;
use alea_play::game_loop::Fading;
use engine::games::einstein::{Standard, Variant, dice::Die, tables::shared_tables::shared_tables};
use std::{path::Path, time::Instant};
use trainer::selfplay::{GAMES_PER_SHARD, Limits, SelfPlayConfig};
use trainer::shard;

fn with(options: &str, players: &[&str], games: u64) -> SelfPlayConfig {
    SelfPlayConfig {
        options: toml::from_str(options).unwrap(),
        ..config(players, games)
    }
}

fn suite(directory: &Path, text: &str) -> String {
    let path = directory.join("starts.txt");
    std::fs::write(&path, text).unwrap();
    format!("file = '{}'", path.display())
}

const TWO_STARTS: &str =
    "# two starts\n.1..2/...../..3../...b./....a r -\n215../64.../3...e/...fb/..acd b -\n";

fn all(directory: &Path) -> [String; 8] {
    let starts = suite(directory, TWO_STARTS);
    [
        "exploration_until = 6".to_owned(),
        "exploration_half_life = 3.5".to_owned(),
        "temperature = 0.05".to_owned(),
        "temperature = 0.1\ntemperature_until = 9\ntemperature_half_life = 4.0".to_owned(),
        format!("starts = {{ {starts} }}"),
        "endgames = { stones = [2, 6], share = 0.5 }".to_owned(),
        "adjudicate = 3".to_owned(),
        format!(
            "temperature = 0.2\nexploration_until = 20\nstarts = {{ {starts}, share = 0.4 }}\n\
             endgames = {{ stones = [3, 3], share = 0.3 }}\nadjudicate = 3"
        ),
    ]
}

#[test]
fn each_option_gives_the_same_bytes_with_any_number_of_threads() {
    let files = scratch();
    let off = play(&config(&MIXED_PLAYERS, 200));
    for name in all(&files) {
        let settings = with(&name, &MIXED_PLAYERS, 200);
        let outputs = [1, 3].map(|threads| {
            let directory = scratch();
            with_threads(threads, || run(&settings, &directory).unwrap());
            content(&directory)
        });
        assert!(outputs[0] == outputs[1], "{name}");
        let games = play(&settings);
        assert_ne!(games, off, "{name}");
        assert!(
            games
                .iter()
                .zip(&off)
                .step_by(16)
                .all(|(a, b)| a.players == b.players),
            "{name}"
        );
        let directory = scratch();
        run(&settings, &directory).unwrap();
        assert_refused(
            run(&config(&MIXED_PLAYERS, 200), &directory),
            &directory,
            "made with other settings",
        );
    }
}

#[test]
fn options_that_are_off_leave_no_trace() {
    let directory = scratch();
    run(&config(&["greedy"], 5), &directory).unwrap();
    let header = shard::read_header::<Standard>(&directory.join("000000.games")).unwrap();
    let run = serde_json::to_string(&header.run).unwrap();
    let settings = r#"{"players":[{"player":"greedy","weight":1.0}],"game":"einstein","seed":7,"opening_plies":2,"exploration":0.1"#;
    assert_eq!(
        run,
        format!(r#"{settings},"games_per_stream":16,"models":{{}}}}"#)
    );
}

fn count_explored_plies(games: &[PlayedGame]) -> Vec<(f64, f64)> {
    let mut counts = vec![(0.0, 0.0); 60];
    for game in games {
        for (count, ply) in counts.iter_mut().zip(&game.record.plies) {
            count.0 += f64::from(u8::from(ply.explored));
            count.1 += 1.0;
        }
    }
    counts
}

#[test]
fn exploration_follows_its_schedule() {
    let falling = "exploration_until = 9\nexploration_half_life = 3.0";
    for (options, opening_plies, start, until, half_life) in [
        (falling, 1, 0.8, Some(9), Some(3.0)),
        ("", 3, 0.2, None, None),
        ("", 0, 0.0, None, None),
        ("", 0, 1.0, None, None),
    ] {
        let games = play(&SelfPlayConfig {
            exploration: start,
            opening_plies,
            ..with(options, &["greedy"], 6000)
        });
        let fading = Fading {
            start,
            until,
            half_life,
        };
        let counts = count_explored_plies(&games).into_iter().enumerate();
        for (ply, (random, all)) in counts.filter(|(_, (_, all))| *all > 500.0) {
            let fraction = if ply < opening_plies {
                1.0
            } else {
                fading.at(ply)
            };
            let deviation = (fraction * (1.0 - fraction) / all).sqrt();
            assert!(
                (random / all - fraction).abs() <= 5.0 * deviation,
                "ply {ply}: {random} of {all}, not {fraction}"
            );
        }
    }
}

#[test]
fn moves_are_sampled_by_value_at_a_temperature() {
    let rules = Standard::default();
    let player = "star1(depth=1, eval=schwarz)";
    let temperature = 0.1;
    let options = "temperature = 0.1\ntemperature_until = 10";
    let settings = SelfPlayConfig {
        exploration: 0.0,
        opening_plies: 0,
        ..with(options, &[player], 1500)
    };
    let mut rater = alea_play::build::PlayerRecipe::parse(player, &rules)
        .unwrap()
        .make();
    // For each tenth of the best move's probability: times played, expected, and variance.
    let mut bins = [(0.0, 0.0, 0.0); 11];
    for game in play(&settings) {
        for (number, (position, ply)) in game
            .record
            .positions(&rules)
            .zip(&game.record.plies)
            .enumerate()
        {
            let legal = rules.legal_moves(&position, ply.outcome);
            let rated = rater
                .analyse(&position, Some(&legal), &alea_search::limits::Limits::NONE)
                .unwrap()
                .moves;
            let value = |mv| {
                rated
                    .iter()
                    .find(|rated| rated.mv == mv)
                    .and_then(|rated| rated.value)
                    .unwrap()
            };
            assert_eq!(ply.value, Some(shard::quantize_value(value(ply.mv))));
            let best = rated.iter().fold(rated[0], |best, &rated| {
                if rated.value > best.value {
                    rated
                } else {
                    best
                }
            });
            assert_eq!(ply.explored, ply.mv != best.mv, "ply {number}");
            if number >= 10 {
                assert!(!ply.explored);
                continue;
            }
            let weights: Vec<f64> = rated
                .iter()
                .map(|rated| (f64::from(rated.value.unwrap()) / temperature).exp())
                .collect();
            let probability =
                (f64::from(best.value.unwrap()) / temperature).exp() / weights.iter().sum::<f64>();
            let bin = &mut bins[(probability * 10.0) as usize];
            bin.0 += f64::from(u8::from(!ply.explored));
            bin.1 += probability;
            bin.2 += probability * (1.0 - probability);
        }
    }
    for (count, expected, variance) in bins {
        assert!(
            (count - expected).abs() <= 4.5 * f64::sqrt(variance) + 1e-9,
            "{bins:?}"
        );
    }
    assert!(bins.iter().map(|bin| bin.0).sum::<f64>() > 5000.0);
}

#[test]
fn players_without_values_make_their_own_moves_at_any_temperature() {
    let games = play(&SelfPlayConfig {
        exploration: 0.0,
        opening_plies: 0,
        ..with("temperature = 0.3", &["greedy", "random"], 200)
    });
    assert!(plies(&games).all(|ply| !ply.explored && ply.value.is_none()));
}

#[test]
fn starts_have_the_configured_fractions() {
    let directory = scratch();
    let rules = Standard::default();
    let options = format!(
        "starts = {{ {}, share = 0.5 }}\nendgames = {{ stones = [2, 4], share = 0.3 }}",
        suite(&directory, TWO_STARTS)
    );
    let suite: Vec<_> = TWO_STARTS
        .lines()
        .skip(1)
        .map(|line| rules.parse_position(line).unwrap().0)
        .collect();
    let games = 4000;
    let settings = with(&options, &["random"], games);
    let mut counts = [0u32; 4];
    let home = rules.home_squares();
    for game in &play(&settings) {
        let start = game.record.start;
        let kind = match suite.iter().position(|&position| position == start) {
            Some(index) => index,
            None if start.num_stones() <= 4 => 2,
            None => {
                assert_eq!(start.num_stones(), 12);
                assert!(home.iter().all(
                    |&square| start.mover().occupies(square) && start.other().occupies(square)
                ));
                3
            }
        };
        counts[kind] += 1;
    }
    for (count, fraction) in counts.into_iter().zip([0.25, 0.25, 0.3, 0.2]) {
        let deviation = (games as f64 * fraction * (1.0 - fraction)).sqrt();
        assert!(
            (f64::from(count) - games as f64 * fraction).abs() < 4.5 * deviation,
            "{counts:?}"
        );
    }
}

#[test]
fn games_end_as_draws_at_the_maximal_number_of_plies() {
    let directory = scratch();
    let settings = with("max_plies = 7", &["random"], 30);
    let report = run(&settings, &directory).unwrap();
    assert_eq!(report.unfinished, 30);
    let warning = report.unfinished_warning().unwrap();
    assert!(warning.contains("players: random"), "{warning}");
    for game in play(&settings) {
        assert_eq!(game.record.ending, Ending::Limit);
        assert_eq!((game.record.plies.len(), game.record.payoffs[0]), (7, 0.5));
    }
    assert_eq!(plies(&play(&settings)).count(), 210);
}

#[test]
fn another_file_of_starts_under_the_same_name_is_another_run() {
    let directory = scratch();
    let games = directory.join("games");
    let options = format!("starts = {{ {} }}", suite(&directory, TWO_STARTS));
    let settings = with(&options, &["random"], 20);
    run(&settings, &games).unwrap();
    run(&settings, &games).unwrap();
    suite(&directory, &TWO_STARTS.replace("r -", "b -"));
    assert_refused(run(&settings, &games), &games, "'starts' is");
}

#[test]
fn tables_adjudicate_with_best_moves_and_exact_values() {
    let (rules, stones) = (Standard::new(Variant::Classic, Die::fair()), 4);
    let tables = shared_tables(stones, Variant::Classic).unwrap();
    let settings = with("adjudicate = 4", &["random", "greedy"], 2500);
    let (mut adjudicated_games, mut expected, mut won, mut variance) = (0, 0.0, 0.0, 0.0);
    for (index, (game, plain)) in play(&settings)
        .iter()
        .zip(play(&config(&["random", "greedy"], 2500)))
        .enumerate()
    {
        let mut adjudicated = false;
        for (number, (position, ply)) in game
            .record
            .positions(&rules)
            .zip(&game.record.plies)
            .enumerate()
        {
            if position.num_stones() as usize > stones {
                assert!(index % 16 != 0 || Some(ply) == plain.record.plies.get(number));
                continue;
            }
            let probe = tables.probe(&rules, &position).unwrap();
            if !adjudicated {
                let result = f64::from(game.record.payoffs[position.seat()]);
                (adjudicated_games, won) = (adjudicated_games + 1, won + result);
                expected += f64::from(probe.value);
                variance += f64::from(probe.value * (1.0 - probe.value));
                adjudicated = true;
            }
            let face = &probe.faces[usize::from(ply.outcome) - 1];
            assert!(!ply.explored && face.best.contains(&ply.mv));
            assert_eq!(ply.value, Some(shard::quantize_value(face.value)));
        }
    }
    assert!(adjudicated_games > 100, "{adjudicated_games}");
    assert!(
        (won - expected).abs() < 4.5 * f64::sqrt(variance),
        "{won} of {adjudicated_games}, not {expected}"
    );
}

#[test]
fn a_run_ends_with_the_game_that_reaches_the_positions() {
    let settings = config(&["greedy", "random"], 3 * GAMES_PER_SHARD);
    let games = play(&settings);
    let sums: Vec<u64> = games
        .iter()
        .scan(0, |sum, game| {
            *sum += game.record.plies.len() as u64;
            Some(*sum)
        })
        .collect();
    let to = |positions: u64, directory: &Path| {
        let limits = Limits {
            positions: Some(positions),
            ..Limits::default()
        };
        run_within(&settings, directory, limits)
    };
    let grown = scratch();
    let full = GAMES_PER_SHARD as usize - 1;
    for positions in [
        1,
        500,
        sums[full] - 1,
        sums[full],
        sums[full] + 1,
        sums[9000],
    ] {
        let expected_games = sums.iter().position(|&sum| sum >= positions).unwrap() + 1;
        let directory = scratch();
        let report = with_threads(2, || to(positions, &directory).unwrap());
        assert_eq!(
            (
                report.summary.games,
                report.summary.positions,
                report.stopped
            ),
            (expected_games as u64, sums[expected_games - 1], false)
        );
        let plain = scratch();
        let summary = run(
            &SelfPlayConfig {
                games: expected_games as u64,
                ..settings.clone()
            },
            &plain,
        )
        .unwrap();
        assert_eq!(summary, report.summary);
        assert!(content(&directory) == content(&plain), "{positions}");
        assert_eq!(to(positions, &grown).unwrap().summary, summary);
        assert!(content(&grown) == content(&plain), "{positions}");
        assert_eq!(to(positions, &grown).unwrap().timing.games, 0);
    }
    let before = content(&grown);
    assert_refused(to(500, &grown), &grown, "");
    assert!(content(&grown) == before);
    std::fs::remove_file(grown.join("000001.games")).unwrap();
    assert_refused(
        to(sums[10_000], &grown),
        &grown.join("000002.games"),
        "shard 000001 is not complete",
    );
}

#[test]
fn a_run_without_time_plays_one_shard_and_resumes() {
    let settings = config(&["greedy", "random"], 2 * GAMES_PER_SHARD + 50);
    let directory = scratch();
    let limits = Limits {
        until: Some(Instant::now()),
        ..Limits::default()
    };
    let again = || run_within(&settings, &directory, limits).unwrap();
    for (games, stopped) in [
        (GAMES_PER_SHARD, true),
        (2 * GAMES_PER_SHARD, true),
        (2 * GAMES_PER_SHARD + 50, false),
    ] {
        let report = again();
        assert_eq!((report.summary.games, report.stopped), (games, stopped));
        let timing = report.timing;
        assert!(
            timing.games > 0
                && timing.players > 0.0
                && timing.playing > 0.0
                && timing.writing > 0.0,
            "{timing:?}"
        );
        assert!((0.0..1.0).contains(&timing.outside_players));
    }
    assert_eq!((again().timing.games, again().stopped), (0, false));
    let unbroken = scratch();
    run(&settings, &unbroken).unwrap();
    assert!(content(&directory) == content(&unbroken));
}

#[test]
fn options_out_of_range_are_named() {
    let cases = [
        ("exploration_half_life", "exploration_half_life = 0.0"),
        (
            "temperature_half_life",
            "temperature = 1.0\ntemperature_half_life = nan",
        ),
        ("'temperature' is", "temperature = -0.1"),
        ("'temperature' is", "temperature = inf"),
        ("for a 'temperature'", "temperature_until = 3"),
        (
            "share of 'endgames'",
            "endgames = { stones = [2, 3], share = 1.5 }",
        ),
        (
            "share of 'starts'",
            "starts = { file = 'no such file', share = nan }",
        ),
        (
            "together more than 1",
            "endgames = { stones = [2, 3], share = 0.6 }\nstarts = { file = '', share = 0.5 }",
        ),
        (
            "no such file",
            "starts = { file = 'no such file', share = 0.5 }",
        ),
        ("has none of", "endgames = { stones = [1, 3] }"),
        ("has none of", "endgames = { stones = [5, 4] }"),
        ("has none of", "endgames = { stones = [5, 13] }"),
        ("'adjudicate' is a number", "adjudicate = 7"),
        ("'adjudicate' is a number", "adjudicate = 1"),
    ];
    for (expected, options) in cases {
        assert_refused(
            SelfPlay::new(with(options, &["random"], 5)),
            Path::new(""),
            expected,
        );
    }
}
