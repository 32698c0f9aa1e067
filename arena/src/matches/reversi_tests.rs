//! Matches with draws and without chance, on small boards of Reversi.

use super::{starts::Book, *};
use crate::statistics::sequential::{EloModel, SequentialTest, Verdict};
use crate::test_players::{chooser, first, play_pairs_untimed, random};
use alea_play::playable::Codec;
use engine::games::reversi::Reversi;

fn options(game: Reversi, plies: usize, pairs: u64) -> MatchOptions<Reversi> {
    MatchOptions {
        starts: Arc::new(Openings { plies }),
        threads: 1,
        ..MatchOptions::new(game, pairs, 5)
    }
}

#[test]
fn openings_differ_and_do_not_depend_on_the_order_of_questions() {
    let options = options(Reversi::SIX, 4, 100);
    let in_order = Book::new(&options, true);
    let sampled = (0..100).map(|pair| in_order.of_pair(pair));
    let all: Vec<_> = sampled.collect();
    assert_eq!(all.iter().collect::<HashSet<_>>().len(), 100);
    let backwards = Book::new(&options, true);
    for pair in (0..100).rev() {
        assert_eq!(backwards.of_pair(pair), all[pair as usize]);
    }
    let alone = |pair| {
        let seed = options.pair_seed(pair);
        options.starts.of_pair(&options.game, pair, seed)
    };
    let alone: HashSet<_> = (0..100).map(alone).collect();
    assert!(alone.len() < 100);
}

#[test]
fn an_opening_leaves_something_to_play() {
    let game = Reversi::FOUR;
    for seed in 0..200 {
        let position = Openings { plies: 100 }.of_pair(&game, 0, seed);
        assert_eq!(game.payoffs(&position), None);
    }
}

#[test]
fn games_that_repeat_others_do_not_count() {
    // Black has four first moves, so only four pairs of a deterministic player differ.
    let result = play_match(&first(), &first(), &options(Reversi::FOUR, 1, 50)).unwrap();
    assert_eq!(
        (result.pairs, result.distinct_games, result.score),
        (4, Some(4), 0.5)
    );
    assert_eq!(
        result.games_in_words(),
        "8 games (4 distinct, 92 repeats left out)"
    );
    assert_eq!(result.repeated_games, Some(92));
    let warning = warning_of_repeats([&result, &result]).unwrap();
    assert!(
        warning.starts_with("184 of 200 games repeat earlier ones")
            && warning.contains("the other 16.")
            && warning.contains("--opening-plies"),
        "{warning}"
    );
    let report = |result: &MatchResult| {
        let matches = vec![crate::pipeline_report::ReportMatch {
            condition: String::new(),
            result: result.clone(),
        }];
        let data = crate::pipeline_report::ReportData {
            matches,
            ..Default::default()
        };
        crate::pipeline_report::page(&data).unwrap().html("alea 1")
    };
    assert!(report(&result).contains("92 of 100 games repeat earlier ones"));
    let differing = play_match(&first(), &random(), &options(Reversi::SIX, 8, 10)).unwrap();
    assert_eq!(differing.repeated_games, Some(0));
    assert!(!report(&differing).contains("repeat"));
    assert_eq!(warning_of_repeats([&differing]), None);
    let pairs = play_pairs_untimed(&first(), &first(), &options(Reversi::FOUR, 1, 50));
    assert!(pairs.iter().all(|pair| pair.first == 1));
}

#[test]
fn images_of_games_under_symmetries_do_not_count() {
    let even = || {
        chooser("even", |_, position, legal| {
            let game = Reversi::FOUR;
            let image = |mv, symmetry| {
                game.key(&game.transform_position(&game.play(position, mv), symmetry))
            };
            let least = |&index: &usize| {
                let images = (0..game.symmetries()).map(|one| image(legal[index], one));
                images.min()
            };
            (0..legal.len()).min_by_key(least).unwrap()
        })
    };
    let one_ply = options(Reversi::FOUR, 1, 50);
    let starts: HashSet<_> = (play_pairs_untimed(&even(), &first(), &one_ply).iter())
        .map(|pair| Book::new(&one_ply, true).of_pair(pair.pair))
        .collect();
    assert!(starts.len() > 1, "what differs counts");
    let result = play_match(&even(), &even(), &one_ply).unwrap();
    let counted = (result.pairs, result.distinct_games, result.repeated_games);
    assert_eq!(counted, (1, Some(1), Some(98)));
    let warning = warning_of_repeats([&result]).unwrap();
    assert!(
        warning.contains("98 of 100 games repeat earlier ones, move for move or as mirror images")
    );
}

#[test]
fn draws_are_half_a_point_everywhere() {
    let options = options(Reversi::SIX, 4, 300);
    let pairs = play_pairs_untimed(&random(), &random(), &options);
    let result = play_match(&random(), &random(), &options).unwrap();
    let scores: Vec<f64> = pairs.iter().flat_map(|pair| pair.scores).collect();
    let count = |score: f64| scores.iter().filter(|&&result| result == score).count() as u64;
    assert!(result.draws > 0, "{result}");
    assert_eq!(
        (result.wins, result.draws, result.games),
        (count(1.0), count(0.5), scores.len() as u64)
    );
    assert_eq!(result.score, 0.5);
    assert!(
        pairs
            .iter()
            .all(|pair| pair.scores[0] + pair.scores[1] == 1.0)
    );
    let of_black: f64 = pairs.iter().map(|pair| 2.0 * pair.scores[0]).sum();
    assert!((result.first_mover_share - of_black / scores.len() as f64).abs() < 1e-12);
    let uneven = play_match(&first(), &random(), &options).unwrap();
    let tally = uneven.pair_counts.tally();
    assert!(tally.counts[1] + tally.counts[3] > 0, "{uneven}");
    assert_eq!(uneven.score, tally.score());
    let mirrored = play_match(&random(), &first(), &options).unwrap();
    assert_eq!(mirrored.pair_counts, uneven.pair_counts.swap_sides());
}

#[test]
fn matches_of_games_without_chance_do_not_depend_on_threads_or_interruptions() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("match.jsonl");
    let with = |pairs, threads, state: Option<PathBuf>| MatchOptions {
        threads,
        state,
        ..options(Reversi::FOUR, 2, pairs)
    };
    let unbroken = play_pairs_untimed(&first(), &random(), &with(60, 1, None));
    assert!(unbroken.len() < 60, "{}", unbroken.len());
    assert_eq!(
        play_pairs_untimed(&first(), &random(), &with(60, 3, None)),
        unbroken
    );
    play_pairs_untimed(&first(), &random(), &with(23, 2, Some(path.clone())));
    assert_eq!(
        play_pairs_untimed(&first(), &random(), &with(60, 2, Some(path))),
        unbroken
    );
    let rule = StoppingRule {
        test: SequentialTest::new(0.0, 100.0, 0.05, 0.05, EloModel::Normalized).unwrap(),
        single_games: false,
    };
    let stopped = |threads| MatchOptions {
        threads,
        stop: Some(rule),
        ..options(Reversi::SIX, 6, 2000)
    };
    let one = play_pairs_untimed(&first(), &random(), &stopped(1));
    assert_eq!(play_pairs_untimed(&first(), &random(), &stopped(3)), one);
    let test = play_match(&first(), &random(), &stopped(2)).unwrap();
    assert_ne!(test.sequential_test.unwrap().verdict, Verdict::Open);
}

#[test]
fn there_is_no_luck_to_tell() {
    let reported = MatchOptions {
        luck: Some(random()),
        ..options(Reversi::SIX, 4, 2)
    };
    let error = play_match(&first(), &random(), &reported).unwrap_err();
    assert_eq!(
        error.to_string(),
        "reversi(size=6) leaves nothing to chance, so there is no luck to tell"
    );
}
