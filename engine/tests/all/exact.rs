//! Exact values by a plain memoised recursion through the game trait, against published and
//! independent numbers.
//!
//! The recursion (`exact_solver`) is the definition; it checks the rules and the outcomes together.

use crate::exact_solver::Solver;
use engine::core::game::Game;
use engine::games::einstein::{
    EinStein, MoveList, Standard, Variant, dice::Die, evaluators::schwarz_odds::SchwarzOdds,
};
use engine::search::{
    limits::MOST_DEPTH,
    star::{Star, StarOptions},
    table::{Replacement, Reuse, Table},
};
use serde_json::Value;
use std::sync::Arc;

#[test]
fn values_and_moves_of_endgames_agree_with_an_independent_solver() {
    let mut solver = Solver::new(Standard::default());
    let mut lines = 0;
    for line in include_str!("../vectors/exact.jsonl").lines() {
        let vector: Value = serde_json::from_str(line).expect("a line is a JSON object");
        let text = vector["position"].as_str().expect("a position is a string");
        let (position, _) = solver
            .game
            .parse_position(text)
            .expect("a position of a game");
        let expected = vector["value"].as_f64().expect("a value is a number");
        let value = solver.value(&position);
        assert!(
            (value - expected).abs() < 1e-9,
            "{text}: {value}, expected {expected}"
        );

        let mut moves = MoveList::default();
        solver.game.moves(&position, &mut moves);
        let expected_moves = vector["moves"].as_object().expect("moves are an object");
        assert_eq!(moves.len(), expected_moves.len(), "{text}");
        for &mv in moves.iter() {
            let name = solver.game.format_move(&position, mv);
            let expected = expected_moves[&name]
                .as_f64()
                .expect("the value of a move is a number");
            let value = solver.value_of_move(&position, mv);
            assert!(
                (value - expected).abs() < 1e-9,
                "{text} {name}: {value}, expected {expected}"
            );
        }
        lines += 1;
    }
    assert_eq!(lines, 230);
}

/// Positions, and their values for the side to move under the classic rule (two independent
/// programs agree) and under the nearest-number rule (one program).
const KNOWN_VALUES: [(&str, f64, f64); 6] = [
    ("1..../...../...../...../....a r -", 1.0, 1.0),
    ("...../.1.../...../...../...fa r -", 41.0 / 216.0, 0.625),
    (
        "...../..6../..1b./..e../..... r -",
        2815.0 / 2916.0,
        0.820_312_5,
    ),
    ("...../..6../..1b./..e../..... b -", 64.0 / 81.0, 0.5625),
    (
        "3..../.4.../...../...d./....c r -",
        16_419.0 / 32_768.0,
        0.501_068_115,
    ),
    (
        "16.../...../...../...../...fa r -",
        0.429_997_871_233,
        0.545_562_744,
    ),
];

#[test]
fn values_known_from_independent_programs() {
    let mut classic_rule = Solver::new(Standard::new(Variant::Classic, Die::fair()));
    let mut nearest_rule = Solver::new(Standard::new(Variant::NearestOnly, Die::fair()));
    for (text, classic, nearest) in KNOWN_VALUES {
        let (classic_value, nearest_value) = (
            classic_rule.value_of_text(text),
            nearest_rule.value_of_text(text),
        );
        // The decimals are printed with twelve, and nine, places.
        assert!(
            (classic_value - classic).abs() < 6e-12,
            "{text}: {classic_value}, expected {classic}"
        );
        assert!(
            (nearest_value - nearest).abs() < 6e-10,
            "{text}: {nearest_value}, expected {nearest}"
        );
    }
}

/// The value of a board with one stone each, in opposite corners, and no choice left to chance.
fn one_stone_each<const COLUMNS: usize, const ROWS: usize>() -> f64 {
    let die = Die::with_faces(1).expect("a die of one face");
    let game = EinStein::<COLUMNS, ROWS>::with_stones(Variant::Classic, die, 1);
    let start = game.start([0, 0], 0);
    Solver::new(game).value(&start)
}

#[test]
fn one_stone_each_is_won_by_the_second_player_on_long_odd_boards_only() {
    let boards = [
        (2, 2, one_stone_each::<2, 2>(), one_stone_each::<2, 2>()),
        (2, 3, one_stone_each::<2, 3>(), one_stone_each::<3, 2>()),
        (2, 4, one_stone_each::<2, 4>(), one_stone_each::<4, 2>()),
        (2, 5, one_stone_each::<2, 5>(), one_stone_each::<5, 2>()),
        (3, 3, one_stone_each::<3, 3>(), one_stone_each::<3, 3>()),
        (3, 4, one_stone_each::<3, 4>(), one_stone_each::<4, 3>()),
        (3, 5, one_stone_each::<3, 5>(), one_stone_each::<5, 3>()),
        (4, 4, one_stone_each::<4, 4>(), one_stone_each::<4, 4>()),
        (4, 5, one_stone_each::<4, 5>(), one_stone_each::<5, 4>()),
        (5, 5, one_stone_each::<5, 5>(), one_stone_each::<5, 5>()),
    ];
    for (short, long, upright, lying) in boards {
        // Published: with m ≤ n the second player wins exactly when n is odd and n ≥ 2m − 1.
        let expected = if long % 2 == 1 && long >= 2 * short - 1 {
            0.0
        } else {
            1.0
        };
        assert_eq!((upright, lying), (expected, expected), "{short}×{long}");
    }
}

/// The mean value, for the side that begins, over all pairs of arrangements with three stones a
/// side.
fn mean_of_three_stones<const COLUMNS: usize, const ROWS: usize>(faces: usize) -> f64 {
    let die = Die::with_faces(faces).expect("a die of one to six faces");
    let game = EinStein::<COLUMNS, ROWS>::with_stones(Variant::Classic, die, 3);
    let setups = game.setups();
    let pairs: Vec<[usize; 2]> = (0..setups)
        .flat_map(|red| (0..setups).map(move |blue| [red, blue]))
        .collect();
    assert_eq!(pairs.len(), 36);
    let mut solver = Solver::new(game);
    let starts: Vec<_> = pairs
        .into_iter()
        .map(|pair| solver.game.start(pair, 0))
        .collect();
    let total: f64 = starts.iter().map(|start| solver.value(start)).sum();
    total / 36.0
}

#[test]
fn small_games_have_the_values_known_from_an_independent_program() {
    // Exact fractions; known from a program that computes with whole numbers.
    for (mean, numerator, denominator) in [
        (mean_of_three_stones::<3, 3>(3), 1_459.0, 2_187.0),
        (mean_of_three_stones::<3, 3>(6), 88_085.0, 139_968.0),
        (
            mean_of_three_stones::<4, 4>(3),
            213_893_743.0,
            387_420_489.0,
        ),
    ] {
        assert!(
            (mean - numerator / denominator).abs() < 1e-12,
            "{mean}, expected {numerator} / {denominator}"
        );
    }
}

/// Searched to the end of the game, a fast search must find the exact value: without a table for
/// few stones, with one for all.
#[test]
fn full_depth_search_finds_the_exact_values() {
    let game = Standard::default();
    // No leaf is ever asked for: the game ends first.
    let evaluator = Arc::new(SchwarzOdds::fitted(&game));
    let table = Arc::new(
        Table::with_entries(1 << 20, Replacement::Bucketed, Reuse::SameDepth).expect("16 MiB"),
    );
    let mut with_table = Star::new(
        game.clone(),
        evaluator.clone(),
        StarOptions::default(),
        Some(table),
    );
    let mut without = Star::new(game.clone(), evaluator, StarOptions::default(), None);
    let (mut few, mut all) = (0, 0);
    for line in include_str!("../vectors/exact.jsonl").lines() {
        let vector: Value = serde_json::from_str(line).expect("a line is a JSON object");
        let text = vector["position"].as_str().expect("a position is a string");
        let (position, _) = game.parse_position(text).expect("a position of a game");
        let expected = vector["value"].as_f64().expect("a value is a number");
        let agrees = |star: &mut Star<_, _>| {
            let bounds = star.bounds(&position, MOST_DEPTH, f32::NEG_INFINITY, f32::INFINITY);
            assert!(
                (f64::from(bounds.lower) - expected).abs() < 1e-6,
                "{text}: {bounds:?}, expected {expected}"
            );
            assert!(
                (f64::from(bounds.upper) - expected).abs() < 1e-6,
                "{text}: {bounds:?}, expected {expected}"
            );
        };
        agrees(&mut with_table);
        all += 1;
        if position.stones() <= 4 {
            agrees(&mut without);
            few += 1;
        }
    }
    assert_eq!(all, 230);
    assert!(few > 50, "{few} positions of at most four stones");
    assert_eq!(
        with_table.take_stats().evaluations + without.take_stats().evaluations,
        0
    );
}
