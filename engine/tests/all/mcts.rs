//! Values and proven bounds of Monte-Carlo tree search, against exact values.

use crate::support::{Exact, assert_near, encloses, exact_positions};
use engine::core::{chance_bounds::expectation, game::Game};
use engine::games::einstein::{Move, Position, Standard};
use engine::search::mcts::{Budget, Mcts, MctsOptions, MoveStatistics, PlayoutLeaf, best_move};
use std::fmt::Debug;

pub(crate) fn simulations(simulations: u64) -> MctsOptions {
    MctsOptions {
        budget: Budget::Simulations(simulations),
        ..MctsOptions::default()
    }
}

fn search(count: u64, seed: u64) -> Mcts<Standard, PlayoutLeaf> {
    let options = MctsOptions {
        exploration: std::f64::consts::SQRT_2,
        ..simulations(count)
    };
    Mcts::new(Standard::default(), PlayoutLeaf, options, seed)
}

pub(crate) fn value(position: &Position, found: &[MoveStatistics<Move>]) -> f32 {
    let moves: Vec<Move> = found.iter().map(|statistics| statistics.mv).collect();
    let values = found.iter().map(|found| found.value.unwrap_or(0.0));
    let outcomes = Standard::default().outcomes(position, &moves);
    expectation(&outcomes, &values.collect::<Vec<f32>>())
}

pub(crate) fn proofs_hold(exact: &Exact, found: &[MoveStatistics<Move>], context: impl Debug) {
    for statistics in found {
        let what = (&context, exact.position, statistics);
        encloses(statistics.proven, exact.of(statistics.mv), 1e-6, what);
    }
}

#[test]
fn what_is_proven_is_true() {
    for simulations in [50, 2_000] {
        let mut search = search(simulations, 2);
        let mut num_proven = 0;
        for exact in exact_positions() {
            let found = search.search(&exact.position, None);
            proofs_hold(&exact, &found, "");
            let has_met = |found: &&MoveStatistics<Move>| found.proven.lower >= found.proven.upper;
            num_proven += found.iter().filter(has_met).count();
        }
        assert!(
            num_proven > 100,
            "with {simulations} simulations only {num_proven} moves were proven"
        );
    }
}

fn best(exact: &Exact, legal: &[Move]) -> f64 {
    legal.iter().map(|&mv| exact.of(mv)).fold(0.0, f64::max)
}

#[test]
fn a_proven_root_ends_the_search_with_a_best_move() {
    let game = Standard::default();
    let mut search = search(1_000_000, 3);
    for exact in exact_positions() {
        let position = exact.position;
        if position.num_stones() > 3 {
            continue;
        }
        for die in 1..=6 {
            let legal = game.legal_moves(&position, die);
            let found = exact.of(best_move(&search.search(&position, Some(&legal))).mv);
            assert_near(found, best(&exact, &legal), 1e-6, (position, die));
        }
        assert!(
            search.take_stats().evaluations < 1_000_000,
            "{position:?} was searched on after it was proven"
        );
    }
}

#[test]
fn a_million_simulations_are_almost_exact() {
    let game = Standard::default();
    let mut search = search(1_000_000, 4);
    let (mut regret, mut choices) = (0.0, 0);
    for (number, exact) in exact_positions().iter().enumerate() {
        let position = &exact.position;
        let mut values = exact.moves.values();
        let first = values.next().unwrap();
        if values.all(|value| (value - first).abs() < 1e-9) {
            continue;
        }
        let found = value(position, &search.search(position, None));
        assert_near(found, exact.value, 0.005, position);
        for die in (1..=6).filter(|_| number % 4 == 0) {
            let legal = game.legal_moves(position, die);
            let chosen = best_move(&search.choose(position, &legal)).mv;
            regret += best(exact, &legal) - exact.of(chosen);
            choices += 1;
        }
    }
    assert!(choices > 100, "{choices}");
    let regret = regret / f64::from(choices);
    assert!(regret < 0.001, "{regret} lost on average");
}
