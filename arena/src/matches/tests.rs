//! Matches between simple deterministic players.

use super::*;
use crate::journal_fault_injection;
use crate::setup_starts::Setups;
use crate::statistics::{
    PairCounts,
    sequential::{EloModel, SequentialTest, Verdict},
};
use crate::test_players::{
    Rated, contestant, faulty, first, games_seen, greedy_contestant, luck_evaluator,
    options as match_options, play_pairs_untimed, pondering, random,
};
use alea_core::{
    game::win_for,
    record::{Ending, GameRecord, Ply},
};
use alea_play::playable::Rules;
use engine::games::{
    einstein::{BLUE, RED, Standard, Variant, dice::Die},
    reversi::Reversi,
};
use std::{
    path::Path,
    sync::atomic::{AtomicU64, Ordering},
};
use tempfile::TempDir;

fn options(pairs: u64) -> MatchOptions<Standard> {
    match_options(pairs, 7)
}

fn options_with_file(pairs: u64) -> (TempDir, PathBuf, MatchOptions<Standard>) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("match.jsonl");
    let options = MatchOptions {
        state: Some(path.clone()),
        ..options(pairs)
    };
    (directory, path, options)
}

fn played(options: &MatchOptions<Standard>) -> Vec<PairResult> {
    play_pairs_untimed(&greedy_contestant(), &random(), options)
}

#[track_caller]
fn refusal_of_match(
    a: &Contestant<Standard>,
    b: &Contestant<Standard>,
    options: &MatchOptions<Standard>,
) -> String {
    let error = play_match(a, b, options).unwrap_err().to_string();
    assert!(!error.contains('\n'), "{error}");
    error
}

fn lines(path: &Path) -> Vec<String> {
    std::fs::read_to_string(path)
        .unwrap()
        .lines()
        .map(str::to_owned)
        .collect()
}

#[test]
fn both_games_of_a_pair_are_one_game_if_both_players_are_the_same() {
    for result in play_pairs_untimed(&random(), &random(), &options(20)) {
        assert_eq!(result.plies[0], result.plies[1]);
        assert_eq!(result.scores[0], 1.0 - result.scores[1]);
        assert!([0.0, 2.0].contains(&result.first_mover_score()));
    }
}

#[test]
fn the_stronger_player_wins_and_the_figures_agree_with_the_pairs() {
    let (a, b) = (greedy_contestant(), random());
    let result = play_match(&a, &b, &options(200)).unwrap();
    assert!(
        result.interval.lower > 0.6 && result.superiority > 0.999,
        "{result}"
    );
    let pairs = play_pairs_untimed(&a, &b, &options(200));
    let wins: f64 = pairs.iter().flat_map(|pair| pair.scores).sum();
    assert_eq!(result.wins as f64, wins);
    assert_eq!(result.score, wins / 400.0);
    let plies: u32 = pairs.iter().flat_map(|pair| pair.plies).sum();
    assert_eq!(result.mean_plies, f64::from(plies) / 400.0);
    assert!(pairs.iter().all(|pair| {
        pair.decisions.iter().sum::<u64>() == u64::from(pair.plies[0] + pair.plies[1])
    }));
    let reversed = play_match(&b, &a, &options(200)).unwrap();
    assert_eq!(reversed.pair_counts, result.pair_counts.swap_sides());
}

#[test]
fn given_set_ups_and_first_movers_alternate() {
    let setups = Setups::Index(vec![(0, 719), (5, 6), (7, 8)]);
    let options = MatchOptions {
        starts: Arc::new(setups),
        ..options(6)
    };
    let seen = games_seen(&options)
        .into_iter()
        .map(|game| game.positions[0]);
    let game = Standard::default();
    let expected: Vec<_> = (0..6)
        .flat_map(|pair| {
            let [red, blue] = [[0, 719], [5, 6], [7, 8]][pair % 3];
            [game.start([red, blue], if pair % 2 == 0 { RED } else { BLUE }); 2]
        })
        .collect();
    assert_eq!(seen.collect::<Vec<_>>(), expected);
}

#[test]
fn a_match_cut_off_anywhere_resumes_to_the_same_results() {
    let (_directory, path, mut stored) = options_with_file(12);
    stored.threads = 2;
    let unbroken = played(&options(12));
    assert_eq!(played(&stored), unbroken);
    let complete = std::fs::read(&path).unwrap();
    for length in [0, complete.len() / 2, complete.len()] {
        std::fs::write(&path, &complete[..length]).unwrap();
        assert_eq!(played(&stored), unbroken, "cut at {length}");
        let pair = |line: &String| serde_json::from_str::<PairResult>(line).unwrap().pair;
        let mut pairs: Vec<u64> = lines(&path)[1..].iter().map(pair).collect();
        pairs.sort_unstable();
        assert_eq!(pairs, (0..12).collect::<Vec<u64>>(), "cut at {length}");
    }
}

#[test]
fn finished_pairs_are_not_played_again_and_a_match_can_be_made_longer() {
    let (_directory, path, saved) = options_with_file(5);
    let stored = |pairs| MatchOptions {
        pairs,
        ..saved.clone()
    };
    played(&saved);
    let before = lines(&path);
    let impossible = contestant("greedy", || panic!("nobody needs to play"));
    let resumed = play_match(&impossible, &random(), &stored(5)).unwrap();
    assert_eq!(resumed.pairs, 5);
    assert!(resumed.wall_seconds > 0.0 && resumed.seconds_per_move[0] > 0.0);
    assert_eq!(lines(&path), before);
    assert_eq!(played(&stored(9)), played(&options(9)));
    assert_eq!(lines(&path)[..6], before[..]);
    let shorter = play_match(&impossible, &random(), &stored(3)).unwrap();
    assert_eq!(shorter.pairs, 3);
}

#[test]
fn the_state_of_another_match_is_refused_and_left_alone() {
    let (_directory, path, stored) = options_with_file(2);
    played(&stored);
    let before = std::fs::read(&path).unwrap();
    let (seed, starts, game) = (
        MatchOptions {
            seed: 8,
            ..stored.clone()
        },
        MatchOptions {
            starts: Arc::new(Setups::Index(vec![(0, 0)])),
            ..stored.clone()
        },
        MatchOptions {
            game: Standard::new(Variant::NearestOnly, Die::fair()),
            ..stored.clone()
        },
    );
    for (a, b, options, key) in [
        (
            first(),
            random(),
            &stored,
            "player_a is \"greedy\", not \"first\"",
        ),
        (greedy_contestant(), first(), &stored, "player_b"),
        (greedy_contestant(), random(), &seed, "seed is 7, not 8"),
        (greedy_contestant(), random(), &starts, "starts"),
        (
            greedy_contestant(),
            random(),
            &game,
            "game is \"einstein\", not \"einstein(variant=nearest)\"",
        ),
    ] {
        let error = refusal_of_match(&a, &b, options);
        assert!(
            error.contains("another match") && error.contains(key),
            "{error}"
        );
        assert_eq!(std::fs::read(&path).unwrap(), before);
    }
    std::fs::write(&path, "{\"format\":\"alea-match-1\",\"a\":\"greedy\"}\n").unwrap();
    let error = refusal_of_match(&greedy_contestant(), &random(), &stored);
    let expected = "its format is \"alea-match-1\", not \"alea-match-3\"";
    assert!(error.contains(expected), "{error}");
}

#[test]
fn state_files_of_no_match_are_errors_that_name_the_line() {
    let (_directory, path, stored) = options_with_file(2);
    played(&stored);
    let good = lines(&path);
    let (errors, _) = good[1].rsplit_once(",\"checksum\"").unwrap();
    let (errors, _) = errors.split_once("\"scores\":").unwrap();
    let errors = format!(
        "{errors}\"scores\":[1e308,1.0],\"plies\":[1,1],\"decisions\":[1,1],\"nanoseconds\":[1,1]"
    );
    let sum = alea_core::files::checksum(format!("{errors}}}").as_bytes());
    let impossible = format!("{errors},\"checksum\":\"{sum:016x}\"}}");
    std::fs::write(&path, format!("{}\n{impossible}\n", good[0])).unwrap();
    let error = refusal_of_match(&greedy_contestant(), &random(), &stored);
    let expected = "match.jsonl:2: expected a finished pair: a game is worth 0 to 1";
    assert!(error.contains(expected), "{error}");
    std::fs::remove_file(&path).unwrap();
    std::fs::create_dir(&path).unwrap();
    assert!(refusal_of_match(&greedy_contestant(), &random(), &stored).contains("match.jsonl: "));
}

#[test]
fn impossible_matches_are_refused() {
    let wrong = MatchOptions {
        starts: Arc::new(Setups::Index(vec![(720, 0)])),
        ..options(1)
    };
    for (options, reason) in [
        (options(0), "a match needs at least one pair of games"),
        (wrong, "set-up 720 does not exist"),
    ] {
        let error = refusal_of_match(&first(), &first(), &options);
        assert!(error.starts_with(reason), "{error}");
    }
}

fn rule(elo0: f64, elo1: f64) -> StoppingRule {
    StoppingRule {
        test: SequentialTest::new(elo0, elo1, 0.05, 0.05, EloModel::Logistic).unwrap(),
        single_games: false,
    }
}

#[test]
fn a_sequential_test_ends_a_match_at_the_same_pair_however_it_is_played() {
    let stopped = |threads| MatchOptions {
        stop: Some(rule(0.0, 60.0)),
        threads,
        ..options(3000)
    };
    let result = play_match(&greedy_contestant(), &random(), &stopped(1)).unwrap();
    let test = result.sequential_test.unwrap();
    assert_eq!(test.verdict, Verdict::Accepted);
    assert!(
        result.pairs < 1000 && test.log_likelihood_ratio >= test.upper,
        "{result}"
    );
    let pairs = played(&stopped(1));
    assert_eq!(played(&stopped(3)), pairs);
    assert_eq!(played(&options(result.pairs)), pairs);
    let (_directory, path, _) = options_with_file(0);
    let stored = |pairs| MatchOptions {
        state: Some(path.clone()),
        pairs,
        ..stopped(2)
    };
    played(&stored(20));
    assert_eq!(played(&stored(3000)), pairs);
    let impossible = contestant("greedy", || panic!("nobody needs to play"));
    let resumed = play_match(&impossible, &random(), &stored(3000)).unwrap();
    assert_eq!(resumed.pairs, result.pairs);
    let weaker = play_match(&random(), &greedy_contestant(), &stopped(1)).unwrap();
    assert_eq!(weaker.sequential_test.unwrap().verdict, Verdict::Rejected);
    let narrow = MatchOptions {
        stop: Some(rule(-9.0, 9.0)),
        ..options(40)
    };
    let even = play_match(&random(), &random(), &narrow).unwrap();
    let verdict = even.sequential_test.unwrap().verdict;
    assert_eq!((even.pairs, verdict), (40, Verdict::Open));
}

#[test]
fn seeds_of_the_gate_are_others_and_its_state_is_not_that_of_a_match() {
    let gate = MatchOptions {
        space: SeedSpace::Gate,
        ..options(30)
    };
    assert_ne!(played(&gate), played(&options(30)));
    let (_directory, _, stored) = options_with_file(30);
    let gate = MatchOptions {
        space: SeedSpace::Gate,
        ..stored.clone()
    };
    played(&gate);
    let error = refusal_of_match(&greedy_contestant(), &random(), &stored);
    assert!(
        error.contains("its purpose is \"gate\", not none"),
        "{error}"
    );
}

#[test]
fn crashes_and_illegal_moves_lose_with_a_reason_and_the_match_goes_on() {
    for (fault, reason) in [
        ("crash", "crashed: out of cheese"),
        ("illegal", "not permitted"),
        ("silent", "no answer"),
    ] {
        let result = play_match(&faulty(fault), &greedy_contestant(), &options(30)).unwrap();
        let lost: u64 = result.forfeits[0].values().sum();
        let mut reasons = result.forfeits[0].keys();
        assert!(
            reasons.all(|found| found.contains(reason)),
            "{:?}",
            result.forfeits
        );
        assert!(
            lost > 10 && result.pairs == 30 && result.wins <= 60 - lost,
            "{result}"
        );
        assert!(result.forfeits[1].is_empty());
        let mirrored = play_match(&greedy_contestant(), &faulty(fault), &options(30)).unwrap();
        assert_eq!(mirrored.forfeits[1].values().sum::<u64>(), lost);
        assert_eq!(mirrored.pair_counts, result.pair_counts.swap_sides());
    }
}

#[test]
fn pairs_seats_and_matches_have_luck_of_their_own() {
    let from_one_start = |seed| MatchOptions {
        seed,
        starts: Arc::new(Setups::Index(vec![(0, 0)])),
        ..options(30)
    };
    let [games, others] = [7, 8].map(|seed| games_seen(&from_one_start(seed)));
    let mut seeds = HashSet::new();
    let mut played = HashSet::new();
    for pair in games.chunks(2).chain(others.chunks(2)) {
        let [one, other] = pair else {
            panic!("a pair is two games")
        };
        // Seeds belong to seats, whoever has them.
        assert_eq!(one.seeds, other.seeds);
        assert_eq!(one.positions, other.positions);
        assert!(seeds.insert(one.seeds[0]) && seeds.insert(one.seeds[1]));
        let new = played.insert(format!("{:?}", one.positions));
        assert!(new, "two pairs had the same luck");
    }
    assert_eq!(played.len(), 60);
}

#[test]
fn a_player_that_the_system_fails_has_not_lost_and_the_match_stops() {
    let starved = faulty("starved");
    for [a, b] in [
        [&starved, &greedy_contestant()],
        [&greedy_contestant(), &starved],
    ] {
        let error = refusal_of_match(a, b, &options(30));
        let expected = "cannot play, and has not lost by that: no memory";
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn players_that_ponder_do_so_in_a_match() {
    let pondered = Arc::new(AtomicU64::new(0));
    let result = play_match(&pondering(&pondered), &first(), &options(5)).unwrap();
    assert_eq!(result.pairs, 5);
    let decisions = (result.mean_plies * 10.0 / 3.0) as u64;
    assert!(pondered.load(Ordering::Relaxed) > decisions);
}

#[test]
fn luck_of_a_roll_by_hand() {
    // Red moves the 1, one step from the goal, with a roll of 1 only; all others move the 2, which
    // is far.
    let game = Standard::default();
    let (position, _) = game
        .parse_position("2..../...../...../...1./a...b r -")
        .unwrap();
    let mut evaluator = Rated(0.25);
    evaluator.new_game(1);
    for face in 1..=6 {
        let legal = game.legal_moves(&position, face);
        let best = legal
            .iter()
            .copied()
            .find(|&mv| game.payoffs(&game.play(&position, mv)).is_some())
            .unwrap_or(legal[0]);
        let ply = Ply {
            outcome: face,
            mv: best,
            value: None,
            explored: false,
        };
        let record = GameRecord {
            start: position,
            plies: vec![ply],
            payoffs: win_for(RED),
            ending: Ending::Played,
        };
        // A quiet move is worth 1 - 0.25 to Red, the win 1: only a 1 allows it, other faces only
        // stone 2.
        let expected = if face == 1 {
            5.0 / 6.0 * 0.25
        } else {
            -0.25 / 6.0
        };
        for (seat, expected) in [(RED, expected), (BLUE, -expected)] {
            let luck = luck::of_game(&game, &record, seat, &mut evaluator).unwrap();
            assert!((luck - expected).abs() < 1e-6, "{face}, {seat}: {luck}");
        }
    }
}

#[test]
fn the_same_seeds_give_the_same_results_as_before_draws_were_counted() {
    // Results of version 68c79c9: lost, split and won pairs, Elo, first mover's score, plies,
    // luck-adjusted score.
    let expected = [
        (
            "random",
            PairCounts::without_draws(21, 59, 20),
            (-3.474471674037067, 0.555, 16.315),
            0.4679081206720253,
        ),
        (
            "0:719,5:6",
            PairCounts::without_draws(23, 52, 25),
            (6.94963842776909, 0.5, 16.47),
            0.5013902820027255,
        ),
        (
            "nash",
            PairCounts::without_draws(18, 60, 22),
            (13.904842503684801, 0.53, 16.79),
            0.5176887385864315,
        ),
    ];
    for (setups, pairs, figures, without_luck) in expected {
        let options = MatchOptions {
            starts: Arc::new(setups.parse::<Setups>().unwrap()),
            luck: Some(luck_evaluator("star1(depth=1)")),
            ..MatchOptions::new(Standard::default(), 100, 9)
        };
        let players =
            ["abt", "race"].map(|eval| luck_evaluator(&format!("star1(depth=1, eval={eval})")));
        let result = play_match(&players[0], &players[1], &options).unwrap();
        assert_eq!(result.pair_counts, pairs);
        assert_eq!(
            (result.elo, result.first_mover_share, result.mean_plies),
            figures
        );
        assert_eq!(result.luck.unwrap().score, without_luck);
    }
    let tested = MatchOptions {
        stop: Some(rule(0.0, 60.0)),
        ..MatchOptions::new(Standard::default(), 100_000, 9)
    };
    let (abt, random) = (
        luck_evaluator("star1(depth=1, eval=abt)"),
        luck_evaluator("random"),
    );
    let result = play_match(&abt, &random, &tested).unwrap();
    let ratio = result.sequential_test.unwrap().log_likelihood_ratio;
    assert_eq!((result.pairs, ratio), (19, 2.998992697886679));
}

#[test]
fn luck_adjustment_changes_no_mean_whoever_tells_luck() {
    // The variance shrinks only for players that make use of good rolls.
    let matches = [
        (greedy_contestant(), random()),
        (first(), random()),
        (random(), random()),
        (greedy_contestant(), first()),
        (
            luck_evaluator("star1(depth=1, eval=abt)"),
            luck_evaluator("star1(depth=1, eval=race)"),
        ),
    ];
    for evaluator in [
        "star1(depth=1, eval=abt)",
        "star1(depth=1, eval=random)",
        "star1(depth=1, eval=schwarz(slope=50))",
        "mcts(sims=8)",
    ] {
        for (seed, (a, b)) in matches.iter().enumerate() {
            let options = MatchOptions {
                luck: Some(luck_evaluator(evaluator)),
                seed: seed as u64,
                threads: 2,
                ..options(1500)
            };
            let luck = play_match(a, b, &options).unwrap().luck.unwrap();
            assert!(
                luck.luck.abs() <= 3.5 * luck.luck_standard_error,
                "{evaluator}, {}: {luck:?}",
                a.name
            );
            if evaluator.contains("abt") && a.name.contains("abt") {
                let [played, without] = luck.game_deviation;
                assert!(without < 0.75 * played, "{}: {luck:?}", a.name);
            }
        }
    }
}

#[test]
fn luck_is_kept_in_the_state_and_does_not_depend_on_threads() {
    let (_directory, _, without) = options_with_file(20);
    let stored = MatchOptions {
        luck: Some(luck_evaluator("star1(depth=1)")),
        threads: 2,
        ..without.clone()
    };
    let luck_of = MatchOptions {
        state: None,
        threads: 1,
        ..stored.clone()
    };
    let unbroken = played(&luck_of);
    let shorter = MatchOptions {
        pairs: 7,
        ..stored.clone()
    };
    played(&shorter);
    assert_eq!(played(&stored), unbroken);
    let error = refusal_of_match(&greedy_contestant(), &random(), &without);
    assert!(
        error.contains("luck is \"star1(depth=1)\", not none"),
        "{error}"
    );
    let mute = MatchOptions {
        luck: Some(greedy_contestant()),
        ..options(2)
    };
    let error = refusal_of_match(&greedy_contestant(), &random(), &mute);
    assert!(error.starts_with("greedy rates no moves"), "{error}");
}

fn games_written(path: &Path) -> Vec<serde_json::Value> {
    let mut games: Vec<serde_json::Value> = lines(path)[1..]
        .iter()
        .map(|line| {
            let mut game: serde_json::Value = serde_json::from_str(line).unwrap();
            game.as_object_mut().unwrap().remove("checksum");
            for ply in game["plies"].as_array_mut().unwrap() {
                assert!(ply.as_object_mut().unwrap().remove("time").is_some());
            }
            game
        })
        .collect();
    games.sort_by_key(|game| game["number"].as_u64());
    games
}

#[test]
fn every_game_is_written_once_whenever_the_match_was_killed() {
    let (directory, state, options) = options_with_file(6);
    let records = directory.path().join("games.jsonl");
    let options = MatchOptions {
        records: Some(records.clone()),
        ..options
    };
    let results = played(&options);
    let complete = games_written(&records);
    let numbers: Vec<u64> = complete
        .iter()
        .map(|game| game["number"].as_u64().unwrap())
        .collect();
    assert_eq!(numbers, (0..12).collect::<Vec<_>>());
    for (game, record) in complete.iter().enumerate() {
        let pair = &results[game / 2];
        assert_eq!(
            record["plies"].as_array().unwrap().len() as u32,
            pair.plies[game % 2]
        );
        assert_eq!(record["payoffs"][game % 2], pair.scores[game % 2]);
        assert_eq!(record["players"][game % 2], 0);
    }
    let saved = lines(&state);
    std::fs::write(&state, saved[..saved.len() - 2].join("\n") + "\n").unwrap();
    let text = std::fs::read_to_string(&records).unwrap();
    std::fs::write(&records, &text[..text.len() - 40]).unwrap();
    assert_eq!(played(&options), results);
    assert_eq!(games_written(&records), complete);
    let alone = MatchOptions {
        state: None,
        ..options.clone()
    };
    assert!(refusal_of_match(&greedy_contestant(), &random(), &alone).contains("exists already"));
    std::fs::remove_file(&records).unwrap();
    assert!(
        refusal_of_match(&greedy_contestant(), &random(), &options)
            .contains("cannot be written any more")
    );
}

#[test]
fn games_that_were_forfeited_say_so() {
    let directory = tempfile::tempdir().unwrap();
    let records = directory.path().join("games.jsonl");
    let options = MatchOptions {
        records: Some(records.clone()),
        ..options(1)
    };
    play_match(&faulty("silent"), &first(), &options).unwrap();
    for game in games_written(&records) {
        assert_eq!(game["forfeit"], "no answer");
    }
}

#[test]
fn a_match_comes_to_the_same_whichever_line_of_its_files_is_cut_short() {
    let game = Reversi::from_notation("reversi(size=4)", None).unwrap();
    let play = |folder: &Path| -> Result<_> {
        let records = folder.join("games");
        let options = MatchOptions {
            state: Some(folder.join("state")),
            records: Some(records.clone()),
            threads: 2,
            ..MatchOptions::new(game, 3, 5)
        };
        let mut results = play_pairs(&random(), &first(), &options)?.pairs;
        results
            .iter_mut()
            .for_each(|pair| pair.nanoseconds = [0; 2]);
        Ok((results, games_written(&records)))
    };
    journal_fault_injection::assert_resumes("state", play);
    journal_fault_injection::assert_resumes("games", play);
}

#[test]
fn the_games_of_another_match_are_refused_and_left_alone() {
    let (directory, _, options) = options_with_file(2);
    let options = |state: &str| MatchOptions {
        records: Some(directory.path().join("games")),
        state: Some(directory.path().join(state)),
        ..options.clone()
    };
    played(&options("one"));
    let games = lines(&directory.path().join("games"));
    assert!(refusal_of_match(&first(), &random(), &options("other")).contains("another match"));
    assert_eq!(lines(&directory.path().join("games")), games);
}
