//! Matches of games that pay points, and games that reach the maximal number of plies.

use super::*;
use crate::statistics::{
    QUANTILE_95,
    sequential::{EloModel, SequentialTest, Verdict},
};
use crate::test_players::{first, play_pairs_untimed, random};
use alea_core::moments::Moments;
use alea_play::playable::Rules;
use engine::games::{backgammon::Backgammon, einstein::Standard, reversixt::ReversiXt};

fn options(pairs: u64) -> MatchOptions<Backgammon> {
    MatchOptions {
        threads: 1,
        ..MatchOptions::new(Backgammon, pairs, 5)
    }
}

fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-9, "{found}, {expected}");
}

#[test]
fn pairs_of_equal_scores_decide_by_their_wins() {
    let (a, b) = (first(), random());
    let has_won_both = |seed| {
        let options = MatchOptions::new(Backgammon, 1, seed);
        let result = play_match(&a, &b, &options).unwrap();
        (result.wins == 2).then_some(result)
    };
    let won = (0..50).find_map(has_won_both).unwrap();
    assert_eq!(won.standard_error, 0.0);
    assert!(won.superiority > 0.7, "{}", won.superiority);
}

#[test]
fn a_match_reports_points_and_counts_results_by_name() {
    let (a, b, options) = (first(), random(), options(200));
    let pairs = play_pairs_untimed(&a, &b, &options);
    let payoffs = [0.0, 1.0 / 6.0, 1.0 / 3.0, 2.0 / 3.0, 5.0 / 6.0, 1.0];
    let scores: Vec<f64> = pairs.iter().flat_map(|pair| pair.scores).collect();
    for score in &scores {
        assert!(payoffs.iter().any(|payoff| (payoff - score).abs() < 1e-12));
    }
    let result = play_match(&a, &b, &options).unwrap();
    let points = result.points.clone().unwrap();
    let mean_points = |pair: &PairResult| 3.0 * (pair.scores[0] + pair.scores[1] - 1.0);
    let moments: Moments = pairs.iter().map(mean_points).collect();
    close(points.mean, moments.mean());
    close(points.standard_error, moments.standard_error());
    close(
        points.interval.half_width(),
        QUANTILE_95 * moments.standard_error(),
    );
    assert_eq!(points.results.values().sum::<u64>(), 400);
    let with = |name: &str, payoff: f64| {
        let count = scores
            .iter()
            .filter(|score| (*score - payoff).abs() < 1e-12);
        let found = points.results.get(name).copied().unwrap_or(0);
        assert_eq!(count.count() as u64, found, "{name}");
    };
    with("win", 2.0 / 3.0);
    with("win_gammon", 5.0 / 6.0);
    with("lose_backgammon", 0.0);
    assert_eq!((result.draws, result.games), (0, 400));
    let wins = scores.iter().filter(|score| **score > 0.5).count() as u64;
    assert_eq!(result.wins, wins);
    assert!(result.to_string().contains("points a game"), "{result}");
    let same = play_match(&a, &a, &options).unwrap().points.unwrap();
    assert!(same.mean.abs() < 1e-12 && same.standard_error < 1e-12);
}

#[test]
fn a_sequential_test_of_points_uses_the_normal_likelihood_ratio() {
    let test = SequentialTest::new(0.0, 0.5, 0.05, 0.05, EloModel::Points).unwrap();
    let rule = StoppingRule {
        test,
        single_games: false,
    };
    let mut samples = PairSamples::new(Backgammon.points());
    for scores in [[1.0, 0.5], [2.0 / 3.0, 1.0 / 3.0], [5.0 / 6.0, 2.0 / 3.0]] {
        samples.add(scores);
    }
    // Points of the pairs: 1.5, 0 and 1.5, whose squared deviations are 1.5; one more sample is 3
    // points from the mean.
    let ratio = 3.0 * 0.5 * (1.0 - 0.25) / ((1.5 + 9.0) / 3.0);
    close(rule.evaluate(&samples).log_likelihood_ratio, ratio);
    let stopped = MatchOptions {
        stop: Some(rule),
        ..options(5_000)
    };
    // Equal players get no points from each other in any pair.
    let result = play_match(&first(), &first(), &stopped).unwrap();
    assert_eq!(result.sequential_test.unwrap().verdict, Verdict::Rejected);
    assert!(result.pairs > 5, "{}", result.pairs);
    let stopped_match = play_match(&first(), &random(), &stopped).unwrap();
    let test = stopped_match.sequential_test.unwrap();
    assert_ne!(test.verdict, Verdict::Open);
    assert!(stopped_match.pairs < 5_000);
    let refused = MatchOptions {
        stop: Some(rule),
        ..MatchOptions::new(Standard::default(), 2, 5)
    };
    let error = play_match(&first(), &random(), &refused).unwrap_err();
    assert!(error.to_string().contains("has no points"), "{error}");
}

#[test]
fn games_end_as_draws_at_the_maximal_number_of_plies() {
    let limited = MatchOptions {
        max_plies: Some(3),
        ..MatchOptions::new(Standard::default(), 10, 5)
    };
    let result = play_match(&first(), &random(), &limited).unwrap();
    assert_eq!(
        (result.unfinished, result.draws, result.score),
        (20, 20, 0.5)
    );
    close(result.mean_plies, 3.0);
    let free = MatchOptions {
        max_plies: None,
        ..limited
    };
    assert_eq!(
        play_match(&first(), &random(), &free).unwrap().unfinished,
        0
    );
}

fn four_seats(pairs: u64) -> MatchOptions<ReversiXt> {
    let game = ReversiXt::from_notation("reversixt(map=four)", None).unwrap();
    MatchOptions {
        threads: 1,
        starts: Arc::new(Openings { plies: 4 }),
        ..MatchOptions::new(game, pairs, 5)
    }
}

#[test]
fn a_match_of_four_seats_reports_who_is_better() {
    let options = four_seats(12);
    let result = play_match(&first(), &random(), &options).unwrap();
    let seats = result.seats.clone().unwrap();
    let [a, b] = seats.payoffs;
    assert_eq!((seats.count, result.games), (4, 24));
    close(seats.ranks[0].value + seats.ranks[1].value, 5.0);
    let points = result.points.clone().unwrap();
    close(points.mean, a.value - b.value);
    close(result.score, 0.5 + (a.value - b.value) / 2.0);
    assert!(points.interval.half_width() > 0.0 && points.results.is_empty());
    let pairs = play_pairs_untimed(&first(), &random(), &options);
    let threads = MatchOptions {
        threads: 3,
        ..options.clone()
    };
    assert_eq!(play_pairs_untimed(&first(), &random(), &threads), pairs);
    let same = play_match(&first(), &first(), &options).unwrap();
    close(same.score, 0.5);
}

#[test]
fn a_match_of_four_seats_cut_off_anywhere_resumes_to_the_same_results() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("match.jsonl");
    let records = directory.path().join("games.jsonl");
    let options = |pairs| MatchOptions {
        state: Some(path.clone()),
        records: Some(records.clone()),
        ..four_seats(pairs)
    };
    let whole = play_pairs_untimed(&first(), &random(), &four_seats(6));
    assert_eq!(
        play_pairs_untimed(&first(), &random(), &options(3)),
        whole[..3]
    );
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes[..bytes.len() - 20]).unwrap();
    assert_eq!(play_pairs_untimed(&first(), &random(), &options(6)), whole);
    let games = std::fs::read_to_string(&records).unwrap();
    let players = games.lines().skip(1).map(|line| {
        let game: serde_json::Value = serde_json::from_str(line).unwrap();
        game["players"].as_array().unwrap().len()
    });
    assert_eq!(players.collect::<Vec<_>>(), [4; 12]);
}
