//! Monte-Carlo tree search against exact values, and what it proves.

use engine::core::{
    chance::{Bounds, expectation},
    game::Game,
};
use engine::games::einstein::{Move, Position, Standard};
use engine::search::mcts::{Budget, Mcts, MctsOptions, MoveStatistics, Playout, best_move};
use serde_json::Value;

fn exact_lines() -> impl Iterator<Item = (Position, Value)> {
    let game = Standard::default();
    include_str!("../vectors/exact.jsonl")
        .lines()
        .map(move |line| {
            let line: Value = serde_json::from_str(line).expect("a line of JSON");
            let text = line["position"].as_str().expect("a position");
            (game.parse_position(text).expect("a position").0, line)
        })
}

fn search(simulations: u64, seed: u64) -> Mcts<Standard, Playout> {
    let options = MctsOptions {
        budget: Budget::Simulations(simulations),
        exploration: std::f64::consts::SQRT_2,
        ..MctsOptions::default()
    };
    Mcts::new(Standard::default(), Playout, options, seed)
}

/// The value of a position before the roll, from what was found about its moves.
fn value(position: &Position, found: &[MoveStatistics<Move>]) -> f32 {
    let game = Standard::default();
    let moves: Vec<Move> = found.iter().map(|statistics| statistics.mv).collect();
    let values: Vec<f32> = found
        .iter()
        .map(|statistics| statistics.value.unwrap_or(0.0))
        .collect();
    let outcomes = game.outcomes(position, &moves);
    expectation(&outcomes, &values)
}

#[test]
fn many_simulations_come_close_to_exact_values() {
    let mut search = search(500_000, 1);
    for (position, line) in exact_lines() {
        let expected = line["value"].as_f64().expect("a number");
        let value = f64::from(value(&position, &search.search(&position, None)));
        assert!(
            (value - expected).abs() < 0.02,
            "{position:?}: {value}, exactly {expected}"
        );
    }
}

#[test]
fn what_is_proven_is_true() {
    let game = Standard::default();
    // Few simulations leave bounds that have not met, many make them meet: both must enclose the
    // truth.
    for simulations in [50, 2_000] {
        let mut search = search(simulations, 2);
        let mut met = 0;
        for (position, line) in exact_lines() {
            for statistics in search.search(&position, None) {
                let name = game.format_move(&position, statistics.mv);
                let expected = line["moves"][&name].as_f64().expect("a number");
                let Bounds { lower, upper } = statistics.proven;
                assert!(
                    f64::from(lower) - 1e-6 < expected && expected < f64::from(upper) + 1e-6,
                    "{position:?} {name}: {statistics:?}"
                );
                met += usize::from(lower >= upper);
            }
        }
        assert!(
            met > 100,
            "with {simulations} simulations only {met} moves were proven"
        );
    }
}

#[test]
fn a_proven_root_ends_the_search_with_a_best_move() {
    let game = Standard::default();
    let mut search = search(1_000_000, 3);
    for (position, line) in exact_lines().filter(|(position, _)| position.stones() <= 3) {
        for die in 1..=6 {
            let legal = game.legal_moves(&position, die);
            let found = search.search(&position, Some(&legal));
            let exact = |mv: Move| {
                line["moves"][&game.format_move(&position, mv)]
                    .as_f64()
                    .expect("a number")
            };
            let best = legal.iter().map(|&mv| exact(mv)).fold(0.0, f64::max);
            assert!(
                (exact(best_move(&found).mv) - best).abs() < 1e-6,
                "{position:?} rolled {die}"
            );
        }
        assert!(
            search.take_stats().evaluations < 1_000_000,
            "{position:?} was searched on after it was proven"
        );
    }
}

/// The requirement: with a million simulations the value is within 0.005 of the exact one wherever
/// there is a real choice, and the moves chosen lose less than 0.001 on average.
#[test]
fn a_million_simulations_are_almost_exact() {
    let game = Standard::default();
    let mut search = search(1_000_000, 4);
    let (mut regret, mut choices, mut worst) = (0.0, 0, 0.0f64);
    for (number, (position, line)) in exact_lines().enumerate() {
        let exact = |mv: Move| {
            line["moves"][&game.format_move(&position, mv)]
                .as_f64()
                .expect("a number")
        };
        let values: Vec<f64> = line["moves"]
            .as_object()
            .expect("moves")
            .values()
            .filter_map(Value::as_f64)
            .collect();
        if values.iter().all(|value| (value - values[0]).abs() < 1e-9) {
            continue;
        }
        let off = (f64::from(value(&position, &search.search(&position, None)))
            - line["value"].as_f64().expect("a number"))
        .abs();
        worst = worst.max(off);
        assert!(off < 0.005, "{position:?} is off by {off}");
        // Not every one: choices take several times as long.
        for die in (1..=6).filter(|_| number % 4 == 0) {
            let legal = game.legal_moves(&position, die);
            let best = legal.iter().map(|&mv| exact(mv)).fold(0.0, f64::max);
            regret += best - exact(best_move(&search.choose(&position, &legal)).mv);
            choices += 1;
        }
    }
    assert!(choices > 100, "{choices}");
    let regret = regret / f64::from(choices);
    assert!(
        regret < 0.001,
        "{regret} lost on average, the value off by {worst} at most"
    );
}
