//! The bounds and windows of the chance operator against direct evaluation of `Σ w · max` over all
//! moves.

use engine::core::{
    chance::{Bounds, ChanceBounds, expectation},
    game::{FixedList, Outcome},
};
use proptest::prelude::*;

/// Rounding of sums of up to 36 products in single precision.
const ROUNDING: f64 = 2e-6;

/// Outcomes as runs of a list of moves, with positive weights that add up to 1.
#[derive(Clone, Debug)]
struct Node {
    outcomes: Vec<Outcome>,
    /// Exact values of the moves.
    values: Vec<f32>,
    /// Order of search, and how far from the exact value each bound found lies (mostly not at all).
    order: Vec<(usize, f32, f32)>,
}

fn node() -> impl Strategy<Value = Node> {
    let run = (0usize..12, 1usize..6, 0.05f64..1.0);
    let slack = || prop_oneof![3 => Just(0.0f32), 1 => 0.0f32..0.5];
    let moves = prop::collection::vec(
        (
            prop_oneof![1 => Just(0.0f32), 1 => Just(1.0f32), 6 => 0.0f32..1.0],
            slack(),
            slack(),
            any::<u32>(),
        ),
        1..12,
    );
    (prop_oneof![3 => prop::collection::vec(run.clone(), 1..=6), 1 => prop::collection::vec(run, 7..=36)], moves).prop_map(|(runs, moves)| {
        let total: f64 = runs.iter().map(|run| run.2).sum();
        let outcomes = runs.iter().map(|&(start, length, weight)| {
            let start = start % moves.len();
            let end = (start + length).min(moves.len());
            Outcome {
                weight: (weight / total) as f32,
                start: start as u16,
                end: end as u16,
            }
        });
        let mut order: Vec<usize> = (0..moves.len()).collect();
        order.sort_by_key(|&index| moves[index].3);
        Node {
            outcomes: outcomes.collect(),
            values: moves.iter().map(|mv| mv.0).collect(),
            order: order
                .into_iter()
                .map(|index| (index, moves[index].1, moves[index].2))
                .collect(),
        }
    })
}

/// `Σ w · max`, by the definition.
fn worth(outcomes: &[Outcome], values: &[f64]) -> f64 {
    let best = |outcome: &Outcome| {
        (usize::from(outcome.start)..usize::from(outcome.end))
            .map(|index| values[index])
            .fold(0.0, f64::max)
    };
    outcomes
        .iter()
        .map(|outcome| f64::from(outcome.weight) * best(outcome))
        .sum()
}

/// The most the position is worth if a move has a value and, where a single outcome permits it, no
/// unsearched move of that outcome turns out better.
fn best_if_none_better(
    node: &Node,
    searched: &[bool],
    upper: &[f64],
    index: usize,
    value: f64,
) -> f64 {
    let permitting = node
        .outcomes
        .iter()
        .filter(|outcome| outcome.permits(index))
        .count();
    let best = |outcome: &Outcome| {
        let bound = |other: usize| {
            let counts_for_nothing = permitting == 1 && outcome.permits(index) && !searched[other];
            if other == index {
                value
            } else if counts_for_nothing {
                0.0
            } else {
                upper[other]
            }
        };
        (usize::from(outcome.start)..usize::from(outcome.end))
            .map(bound)
            .fold(0.0, f64::max)
    };
    node.outcomes
        .iter()
        .map(|outcome| f64::from(outcome.weight) * best(outcome))
        .sum()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 3_000, ..ProptestConfig::default() })]

    /// Whatever has been searched, the bounds are those of all moves put to their own bounds,
    /// unsearched ones to 0 and 1; and the window of a move separates the values that let the
    /// position fail low, or high.
    #[test]
    fn bounds_and_windows_follow_the_definition(node in node(), alpha in 0.0f32..1.0, width in 0.0f32..0.5, tried in prop::collection::vec(0.0f32..1.0, 4)) {
        let beta = alpha + width;
        let count = node.values.len();
        let mut bounds = ChanceBounds::<FixedList<Outcome, 36>>::new(&node.outcomes);
        let (mut lower, mut upper) = (vec![0.0f64; count], vec![1.0f64; count]);
        let mut searched = vec![false; count];
        for &(index, below, above) in &node.order {
            let (worst, best) = (worth(&node.outcomes, &lower), worth(&node.outcomes, &upper));
            prop_assert!((f64::from(bounds.bounds().lower) - worst).abs() < ROUNDING, "{} {}", bounds.bounds().lower, worst);
            prop_assert!((f64::from(bounds.bounds().upper) - best).abs() < ROUNDING, "{} {}", bounds.bounds().upper, best);
            let permitted = node.outcomes.iter().any(|outcome| outcome.permits(index));
            prop_assert_eq!(bounds.matters(index), permitted);

            if permitted && bounds.bounds().lower < beta && bounds.bounds().upper > alpha {
                let (from, to) = bounds.window(index, alpha, beta);
                for value in tried.iter().copied().chain([0.0, 1.0, from, to]).filter(|value| (0.0..=1.0).contains(value)) {
                    let with = |bounds: &[f64]| {
                        let mut changed = bounds.to_vec();
                        changed[index] = f64::from(value);
                        worth(&node.outcomes, &changed)
                    };
                    let (worst_with, best_with) = (with(&lower), with(&upper));
                    if value <= from {
                        let unchanged = worst_with <= worst + ROUNDING;
                        let fails_low = best_if_none_better(&node, &searched, &upper, index, f64::from(value)) <= f64::from(alpha) + ROUNDING;
                        prop_assert!(fails_low || unchanged, "{} <= {}", value, from);
                    }
                    if value >= to {
                        prop_assert!(worst_with >= f64::from(beta) - ROUNDING, "{} >= {}", value, to);
                    }
                    // The window is no wider than it must be: inside it the position fails neither
                    // way.
                    if value > from + 1e-3 && value < to - 1e-3 {
                        let best_with = best_if_none_better(&node, &searched, &upper, index, f64::from(value)).max(best_with);
                        prop_assert!(best_with >= f64::from(alpha) - ROUNDING && worst_with <= f64::from(beta) + ROUNDING, "{}", value);
                    }
                }
            }

            let found = Bounds { lower: (node.values[index] - below).max(0.0), upper: (node.values[index] + above).min(1.0) };
            bounds.add(index, found);
            searched[index] = true;
            (lower[index], upper[index]) = (f64::from(found.lower), f64::from(found.upper));
        }
        let exact: Vec<f64> = node.values.iter().map(|&value| f64::from(value)).collect();
        let value = worth(&node.outcomes, &exact);
        prop_assert!((f64::from(expectation(&node.outcomes, &node.values)) - value).abs() < ROUNDING);
        prop_assert!(f64::from(bounds.bounds().lower) <= value + ROUNDING && f64::from(bounds.bounds().upper) >= value - ROUNDING);
        prop_assert!((f64::from(bounds.bounds().opposite().lower) - (1.0 - f64::from(bounds.bounds().upper))).abs() < ROUNDING);
    }
}
