//! What the moves of a position prove together.
//!
//! Proofs go through chance by the unified operator: a position is won only if every outcome permits
//! a move that wins. Invariant: bounds enclose the game-theoretic value, up to rounding, if those
//! of all moves do.

use super::{graph::Graph, place::Place};
use crate::core::{
    chance::{Bounds, expectation},
    game::Outcome,
};
use std::collections::HashMap;

/// Bounds of a position from those of its moves; `values` is scratch.
pub(super) fn proven(
    graph: &Graph,
    block: u32,
    outcomes: &[Outcome],
    values: &mut Vec<f32>,
) -> Bounds {
    let edges = graph.all_edges(block);
    values.clear();
    values.extend(edges.iter().map(|edge| edge.bounds().lower));
    let lower = expectation(outcomes, values);
    values.clear();
    values.extend(edges.iter().map(|edge| edge.bounds().upper));
    Bounds {
        lower,
        upper: expectation(outcomes, values),
    }
}

/// Plies to the end by a move that is proven to win or to lose, itself included: the side that wins
/// hurries, the other one does not. At least so many where an oracle ended the proof. `known` keeps
/// what was found for the positions on the way.
pub(super) fn plies(graph: &Graph, edge: Place<'_>, known: &mut HashMap<u32, u32>) -> Option<u32> {
    let bounds = edge.bounds();
    let won = bounds.lower >= 1.0;
    if !won && bounds.upper > 0.0 {
        return None;
    }
    if edge.is_over() {
        return Some(1);
    }
    let child = edge.child();
    // A game that is not over takes one more ply to lose, and two to win.
    let oracle = Some(if won { 3 } else { 2 });
    if child == 0 || graph.cell(child).bounds().lower < graph.cell(child).bounds().upper {
        return oracle;
    }
    if let Some(&found) = known.get(&child) {
        return Some(found + 1);
    }
    // Should positions ever come again: no proof goes in circles.
    known.insert(child, 2);
    let answers = graph.all_edges(child).iter();
    let answers = answers.filter_map(|answer| {
        // Of the answers to a move that loses those count that win.
        let counts = won || answer.bounds().lower >= 1.0;
        counts.then(|| plies(graph, answer, known)).flatten()
    });
    let found = if won { answers.max() } else { answers.min() };
    let Some(found) = found else { return oracle };
    known.insert(child, found);
    Some(found + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::mcts::allocator::BumpAllocator;

    #[test]
    fn positions_follow_from_their_moves() {
        let graph = Graph::for_tests(1 << 16, 16, false, 1);
        let block = graph.add(&mut BumpAllocator::default(), 1, 3, 1).unwrap();
        // Two outcomes permit moves 0 and 1, or 1 and 2; a third only move 2.
        let outcomes = [(0.5, 0, 2), (0.25, 1, 3), (0.25, 2, 3)]
            .map(|(weight, start, end)| Outcome { weight, start, end });
        let edges = graph.all_edges(block);
        // Won by move 1 whenever it is permitted; of move 2 it is known that it is worth 0.25 at
        // most.
        edges.get(1).tighten::<true>(Bounds::exact(1.0));
        edges.get(2).tighten::<true>(Bounds {
            lower: 0.125,
            upper: 0.25,
        });
        let bounds = proven(&graph, block, &outcomes, &mut Vec::new());
        assert_eq!(
            bounds,
            Bounds {
                lower: 0.75 + 0.25 * 0.125,
                upper: 0.75 + 0.25 * 0.25
            }
        );
        // Won for certain only if every outcome permits a move that wins.
        edges.get(2).tighten::<true>(Bounds::exact(0.25));
        edges.get(0).tighten::<true>(Bounds::exact(1.0));
        assert_eq!(
            proven(&graph, block, &outcomes, &mut Vec::new()),
            Bounds::exact(0.8125)
        );
    }
}
