//! Bounds and windows at chance nodes, against `Σ w · max` over all moves.

use crate::support::{assert_near, encloses};
use engine::core::{
    chance_bounds::{Bounds, ChanceBounds, expectation},
    game::{FixedList, Outcome},
};
use proptest::prelude::*;

const ROUNDING: f64 = 2e-6;

#[derive(Clone, Debug)]
struct Node {
    outcomes: Vec<Outcome>,
    values: Vec<f32>,
    /// Moves in search order, with their bounds' distances from the exact value.
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
            order: order.into_iter().map(|index| (index, moves[index].1, moves[index].2)).collect(),
        }
    })
}

fn sum(outcomes: &[Outcome], value: impl Fn(&Outcome, usize) -> f64) -> f64 {
    let weighed = outcomes.iter().map(|outcome| {
        let values = outcome.move_range().map(|index| value(outcome, index));
        f64::from(outcome.weight) * values.fold(0.0, f64::max)
    });
    weighed.sum()
}

fn expected_maximum(outcomes: &[Outcome], values: &[f64]) -> f64 {
    sum(outcomes, |_, index| values[index])
}

fn best_if_none_better(
    node: &Node,
    searched: &[bool],
    upper: &[f64],
    index: usize,
    value: f64,
) -> f64 {
    let permitting = node.outcomes.iter().filter(|outcome| outcome.allows(index));
    let only_one = permitting.count() == 1;
    sum(&node.outcomes, |outcome, other| {
        if other == index {
            value
        } else if only_one && outcome.allows(index) && !searched[other] {
            0.0
        } else {
            upper[other]
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 3_000, ..ProptestConfig::default() })]

    #[test]
    fn bounds_and_windows_follow_the_definition(node in node(), alpha in 0.0f32..1.0, width in 0.0f32..0.5, tried in prop::collection::vec(0.0f32..1.0, 4)) {
        let beta = alpha + width;
        let count = node.values.len();
        let mut bounds = ChanceBounds::<FixedList<Outcome, 36>>::new(&node.outcomes);
        let (mut lower, mut upper) = (vec![0.0f64; count], vec![1.0f64; count]);
        let mut searched = vec![false; count];
        for &(index, below, above) in &node.order {
            let (worst, best) = (expected_maximum(&node.outcomes, &lower), expected_maximum(&node.outcomes, &upper));
            let proven_bounds = bounds.bounds();
            assert_near(proven_bounds.lower, worst, ROUNDING, "lower");
            assert_near(proven_bounds.upper, best, ROUNDING, "upper");
            let permitted = node.outcomes.iter().any(|outcome| outcome.allows(index));
            prop_assert_eq!(bounds.is_move_allowed(index), permitted);

            if permitted && proven_bounds.lower < beta && proven_bounds.upper > alpha {
                let (from, to) = bounds.window(index, alpha, beta);
                for value in tried.iter().copied().chain([0.0, 1.0, from, to]).filter(|value| (0.0..=1.0).contains(value)) {
                    let with = |bounds: &[f64]| {
                        let mut changed = bounds.to_vec();
                        changed[index] = f64::from(value);
                        expected_maximum(&node.outcomes, &changed)
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
                    if value > from + 1e-3 && value < to - 1e-3 {
                        let best_with = best_if_none_better(&node, &searched, &upper, index, f64::from(value)).max(best_with);
                        prop_assert!(best_with >= f64::from(alpha) - ROUNDING && worst_with <= f64::from(beta) + ROUNDING, "{}", value);
                    }
                }
            }

            let found = Bounds { lower: (node.values[index] - below).max(0.0), upper: (node.values[index] + above).min(1.0) };
            bounds.record(index, found);
            searched[index] = true;
            (lower[index], upper[index]) = (f64::from(found.lower), f64::from(found.upper));
        }
        let value = sum(&node.outcomes, |_, index| node.values[index].into());
        assert_near(expectation(&node.outcomes, &node.values), value, ROUNDING, "exact");
        let proven_bounds = bounds.bounds();
        encloses(proven_bounds, value, ROUNDING, "at the end");
        assert_near(proven_bounds.flip().lower, 1.0 - proven_bounds.upper, ROUNDING, "the other side");
    }
}
