//! Counts of the study against what is known of uniform trees.

use super::*;
use engine::core::game::Game;
use engine::search::minimax::minimax;
use std::ops::ControlFlow;

fn plan() -> Plan {
    Plan {
        einstein: vec![
            ("minimax", "unified(depth={depth})"),
            ("alpha-beta", "star1(depth={depth}, table=0)"),
        ],
        einstein_depths: vec![2, 3],
        tree_depths: vec![1, 2, 3, 4, 5],
        trees: 6,
    }
}

#[test]
fn minimax_sees_the_whole_tree_and_alpha_beta_less_with_ordered_moves() {
    let (measured, disagreement) = tree(&plan(), &Settings::for_tests(), &ProgressBar::hidden());
    assert!(disagreement < 1e-6, "{disagreement}");
    let leaves = |depth: u32, search: usize| {
        let found = measured
            .iter()
            .find(|one| one.depth == depth && one.line.player == TREE_SEARCHES[search])
            .unwrap();
        assert_eq!(found.line.cost.positions, 6);
        found.line.cost.leaves
    };
    for depth in 1..=5 {
        assert_eq!(leaves(depth, 0), 6 * 6u64.pow(depth));
        // Moves one ply above the leaves are never cut, so the least tree has that ply whole.
        let least = if depth == 1 {
            6
        } else {
            6 * least_leaves(depth - 1)
        };
        for search in [1, 2] {
            assert!(
                (6 * least..=6 * 6u64.pow(depth)).contains(&leaves(depth, search)),
                "{depth} {search}"
            );
        }
        assert!(
            depth < 3 || leaves(depth, 2) < leaves(depth, 1),
            "order matters at depth {depth}"
        );
    }
    assert!(
        measured
            .iter()
            .all(|one| one.line.rates.evaluation_share.is_some())
    );
}

/// Leaves of textbook alpha-beta that cuts above the frontier only; fail-soft, values of the seat
/// to move.
fn alpha_beta(
    game: &EdgeTree,
    position: &EdgePosition,
    depth: u32,
    alpha: f64,
    beta: f64,
    leaves: &mut u64,
) -> f64 {
    if depth == 0 {
        *leaves += 1;
        return minimax(game, &EdgeSum, position, 0, game.to_move(position));
    }
    let mut moves = <EdgeTree as Game>::Moves::default();
    game.moves(position, &mut moves);
    let (alpha, beta) = if depth == 1 {
        (0.0, 2.0)
    } else {
        (alpha, beta)
    };
    let best = moves.iter().try_fold(0.0_f64, |best, &mv| {
        let value = 1.0
            - alpha_beta(
                game,
                &game.play(position, mv),
                depth - 1,
                1.0 - beta,
                1.0 - alpha.max(best),
                leaves,
            );
        let best = best.max(value);
        if best >= beta {
            ControlFlow::Break(best)
        } else {
            ControlFlow::Continue(best)
        }
    });
    match best {
        ControlFlow::Break(best) | ControlFlow::Continue(best) => best,
    }
}

#[test]
fn star1_without_chance_sees_a_little_more_than_alpha_beta() {
    let settings = Settings {
        seed: 9,
        ..Settings::for_tests()
    };
    let (measured, _) = tree(&plan(), &settings, &ProgressBar::hidden());
    for (search, order) in [(1, MoveOrder::Arbitrary), (2, MoveOrder::LargestEdgeFirst)] {
        for depth in 2..=5 {
            let mut expected = 0;
            for index in 0..6 {
                let root = EdgePosition::root(derive_seed(9, SeedSpace::Playouts, &[index]));
                alpha_beta(&EdgeTree { order }, &root, depth, 0.0, 2.0, &mut expected);
            }
            let found = measured
                .iter()
                .find(|one| one.depth == depth && one.line.player == TREE_SEARCHES[search])
                .unwrap();
            let leaves = found.line.cost.leaves;
            // Windows in 32 bits: a tie that rounding breaks may cut one move more or less.
            assert!(
                200 * leaves >= 199 * expected && 2 * leaves <= 3 * expected,
                "depth {depth}: {leaves}, textbook {expected}"
            );
        }
    }
}

#[test]
fn the_study_reports_both_games() {
    let report = run(&plan(), &Settings::for_tests(), &ProgressBar::hidden()).unwrap();
    assert!(report.json["largest_disagreement"].as_f64().unwrap() < 1e-5);
    assert_eq!(report.csv.lines().count(), 1 + 2 * 2 + 5 * 3);
    assert!(
        report.text.contains(EINSTEIN) && report.text.contains("least leaves possible: 71"),
        "{}",
        report.text
    );
    assert!(report.svg.contains("largest edge first"));
    // 6^2 + 6^2 - 1 at depth 4.
    assert_eq!(
        (least_leaves(1), least_leaves(2), least_leaves(4)),
        (6, 11, 71)
    );
}
