//! Proven bounds of nodes from their edges'; a win only if every outcome allows a winning move.

use super::{cell_refs::CellRef, graph::Graph};
use alea_core::{
    chance_bounds::{Bounds, expectation},
    game::Outcome,
};
use std::collections::HashMap;

pub(super) fn proven_bounds(
    graph: &Graph,
    node: u32,
    outcomes: &[Outcome],
    values: &mut Vec<f32>,
) -> Bounds {
    let edges = graph.edges_of(node);
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

/// Plies to the end of the game by an edge proven won or lost, where the winner shortens it; a
/// lower bound if an oracle completed the proof.
pub(super) fn plies_to_end(
    graph: &Graph,
    edge: CellRef<'_>,
    memo: &mut HashMap<u32, u32>,
) -> Option<u32> {
    let bounds = edge.bounds();
    let won = bounds.lower >= 1.0;
    if !won && bounds.upper > 0.0 {
        return None;
    }
    if edge.is_terminal() {
        return Some(1);
    }
    let child = edge.child();
    // After this move a loser has at least one more ply, a winner two.
    let min_plies = Some(if won { 3 } else { 2 });
    if child == 0 || graph.cell(child).bounds().lower < graph.cell(child).bounds().upper {
        return min_plies;
    }
    if let Some(&plies_after) = memo.get(&child) {
        return Some(plies_after + 1);
    }
    memo.insert(child, 2);
    let replies = graph.edges_of(child).iter();
    let replies = replies.filter_map(|reply| {
        // A move that loses is refuted by winning replies only.
        let counts = won || reply.bounds().lower >= 1.0;
        counts.then(|| plies_to_end(graph, reply, memo)).flatten()
    });
    let plies_after = if won { replies.max() } else { replies.min() };
    let Some(plies_after) = plies_after else {
        return min_plies;
    };
    memo.insert(child, plies_after);
    Some(plies_after + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcts::allocator::Chunk;

    #[test]
    fn positions_follow_from_their_moves() {
        let graph = Graph::for_tests(1 << 16, 16, false, 1);
        let node = graph.add_node(&mut Chunk::default(), 1, 3, 1).unwrap();
        let outcomes = [(0.5, 0, 2), (0.25, 1, 3), (0.25, 2, 3)]
            .map(|(weight, start, end)| Outcome { weight, start, end });
        let edges = graph.edges_of(node);
        edges.get(1).tighten::<true>(Bounds::exact(1.0));
        edges.get(2).tighten::<true>(Bounds {
            lower: 0.125,
            upper: 0.25,
        });
        let bounds = proven_bounds(&graph, node, &outcomes, &mut Vec::new());
        assert_eq!(
            bounds,
            Bounds {
                lower: 0.75 + 0.25 * 0.125,
                upper: 0.75 + 0.25 * 0.25
            }
        );
        edges.get(2).tighten::<true>(Bounds::exact(0.25));
        edges.get(0).tighten::<true>(Bounds::exact(1.0));
        assert_eq!(
            proven_bounds(&graph, node, &outcomes, &mut Vec::new()),
            Bounds::exact(0.8125)
        );
    }
}
