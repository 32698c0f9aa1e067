//! Games whose outcomes have moves of their own: sampling, and Monte-Carlo tree search with a node
//! for each outcome.

use crate::mcts::simulations;
use crate::support::{assert_near, encloses};
use crate::toy_games::{Separate, Totals, TotalsPosition};
use engine::core::{
    chance_bounds::expectation,
    game::{Game, sample_outcome},
    search_game::Playouts,
};
use engine::search::mcts::{Mcts, MctsOptions, MoveStatistics, PlayoutLeaf, best_move};

const SHARED: Totals = Totals {
    modulus: 7,
    length: 2,
};

const GAME: Separate<Totals> = Separate(SHARED);

#[test]
fn separate_outcomes_are_sampled_like_shared_ones() {
    let all: Vec<u8> = (1..=12).collect();
    for sample in 0..2_000u64 {
        let bits = sample.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let (mv, other) = (
            SHARED.sample_move(&Totals::START, bits),
            GAME.sample_move(&Totals::START, bits),
        );
        assert_eq!(mv, other);
        let outcomes = SHARED.outcomes(&Totals::START, &all);
        let index = sample_outcome(&outcomes, (bits >> 32) as u32);
        let mut moves = Vec::new();
        GAME.moves_for(&Totals::START, index, &mut moves);
        assert_eq!(moves, all[outcomes[index].move_range()]);
    }
}

fn after(position: &TotalsPosition, mv: u8) -> f64 {
    1.0 - SHARED.value(&SHARED.play(position, mv))
}

fn assert_proofs_hold(position: &TotalsPosition, found: &[MoveStatistics<u8>]) {
    for statistics in found {
        encloses(
            statistics.proven,
            after(position, statistics.mv),
            1e-6,
            statistics,
        );
    }
}

#[test]
fn monte_carlo_values_converge_before_and_after_a_roll() {
    let mut all = Vec::new();
    GAME.moves(&Totals::START, &mut all);
    let outcomes = GAME.outcomes(&Totals::START, &all);
    for (options, threads, tolerance) in [
        (
            MctsOptions {
                solver: false,
                ..simulations(200_000)
            },
            1,
            0.02,
        ),
        (
            MctsOptions {
                graph: false,
                ..simulations(200_000)
            },
            1,
            0.02,
        ),
        (
            MctsOptions {
                rave: 100.0,
                solver: false,
                ..simulations(200_000)
            },
            1,
            0.1,
        ),
        (
            MctsOptions {
                virtual_loss: 1,
                batch: 4,
                ..simulations(200_000)
            },
            2,
            0.02,
        ),
        (
            MctsOptions {
                memory: 0,
                ..simulations(20_000)
            },
            2,
            0.05,
        ),
    ] {
        let mut search = Mcts::with_leaves(GAME, vec![PlayoutLeaf; threads], options, 7);
        let found = search.search(&Totals::START, None);
        assert_proofs_hold(&Totals::START, &found);
        assert!(
            found
                .iter()
                .map(|statistics| statistics.mv)
                .eq(all.iter().copied())
        );
        let values: Vec<f32> = found
            .iter()
            .map(|move_| move_.value.unwrap_or(0.0))
            .collect();
        let value = expectation(&outcomes, &values);
        assert_near(
            value,
            SHARED.value(&Totals::START),
            tolerance,
            (options, threads),
        );
        for outcome in outcomes.iter().step_by(5) {
            let legal = &all[outcome.move_range()];
            let found = search.choose(&Totals::START, legal);
            assert_proofs_hold(&Totals::START, &found);
            let best = legal
                .iter()
                .map(|&mv| after(&Totals::START, mv))
                .fold(0.0, f64::max);
            assert_near(
                after(&Totals::START, best_move(&found).mv),
                best,
                0.02,
                legal,
            );
        }
    }
}

#[test]
fn the_solver_proves_positions_outcome_by_outcome() {
    let mut search = Mcts::new(GAME, PlayoutLeaf, simulations(10_000_000), 3);
    let found = search.search(&Totals::START, None);
    let mut all = Vec::new();
    GAME.moves(&Totals::START, &mut all);
    let outcomes = GAME.outcomes(&Totals::START, &all);
    assert_proofs_hold(&Totals::START, &found);
    let lower: Vec<f32> = found.iter().map(|found| found.proven.lower).collect();
    let upper: Vec<f32> = found.iter().map(|found| found.proven.upper).collect();
    for bounds in [lower, upper] {
        let value = expectation(&outcomes, &bounds);
        assert_near(value, SHARED.value(&Totals::START), 1e-5, "root");
    }
    assert!(search.report().simulations < 10_000_000);
    assert_eq!((search.report().depth, search.report().pv.len()), (2, 2));
}

#[test]
fn a_tree_is_reused_for_the_roll_that_comes() {
    let options = MctsOptions {
        reuse_tree: true,
        solver: false,
        ..simulations(20_000)
    };
    let mut search = Mcts::new(GAME, PlayoutLeaf, options, 5);
    let mut legal = Vec::new();
    GAME.moves_for(&Totals::START, 3, &mut legal);
    let mv = best_move(&search.choose(&Totals::START, &legal)).mv;
    let next = GAME.play(&Totals::START, mv);
    GAME.moves_for(&next, 8, &mut legal);
    let visits = |found: &[MoveStatistics<u8>]| found.iter().map(|found| found.visits).sum::<u32>();
    let reused = search.search(&next, Some(&legal));
    let fresh = Mcts::new(GAME, PlayoutLeaf, options, 5).search(&next, Some(&legal));
    assert!(visits(&reused) > visits(&fresh) + 100);
    let other_legal = [legal[1], legal[0]];
    assert_eq!(search.search(&next, Some(&other_legal)).len(), 2);
}
