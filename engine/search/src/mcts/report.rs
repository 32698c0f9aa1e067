//! Results of a Monte-Carlo search.

use alea_core::chance_bounds::Bounds;
use serde::Serialize;

/// Statistics of a root move, serialized without move and value.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(bound = "")]
pub struct MoveStatistics<M> {
    /// The root move.
    #[serde(skip)]
    pub mv: M,
    /// Visits, including virtual ones and those of a reused tree.
    pub visits: u32,
    /// Mean payoff of the seat that makes the move, within `proven`; without visits, the proven
    /// value.
    #[serde(skip)]
    pub value: Option<f32>,
    /// Proven bounds of the value, for the seat that makes the move.
    #[serde(flatten)]
    pub proven: Bounds,
    /// Prior value for the seat that makes the move; `None` without a prior.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prior: Option<f32>,
    /// Plies to the end of the game, the move included, if proven won or lost; a lower bound if an
    /// oracle completed the proof.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plies: Option<u32>,
}

/// Summary of a search, serialized without principal variation.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(bound = "")]
pub struct TreeReport<M> {
    /// Simulations of this search.
    pub simulations: u64,
    /// Nodes in the graph; a leaf visited once has none.
    pub positions: u32,
    /// Plies of the longest path in the graph that a simulation took.
    pub depth: u32,
    /// Capacity of the graph in bytes.
    pub bytes: usize,
    /// Fraction of the graph's memory in use.
    pub fill: f64,
    /// Whether memory ran out for a new node.
    pub full: bool,
    /// Principal variation over all outcomes: the best move, then the most visited move of each
    /// node.
    #[serde(skip)]
    pub pv: Vec<M>,
}

const PROOF_TOLERANCE: f32 = 1e-4;

/// The move to make: one proven as good as every other, else the most visited one not proven worse.
/// Ties go to the faster win, the slower loss, then the first. Panics without moves.
pub fn best_move<M: Copy>(moves: &[MoveStatistics<M>]) -> &MoveStatistics<M> {
    let lower = moves.iter().map(|statistics| statistics.proven.lower);
    let best_lower = lower.fold(0.0, f32::max);
    let beats = |one: usize, other: usize| {
        one == other || moves[one].proven.lower + PROOF_TOLERANCE >= moves[other].proven.upper
    };
    let length_order = |&one: &usize| match (moves[one].plies, moves[one].proven.lower >= 1.0) {
        (None, _) => 0,
        (Some(plies), true) => i64::from(plies),
        (Some(plies), false) => -i64::from(plies),
    };
    let bests = (0..moves.len()).filter(|&one| (0..moves.len()).all(|other| beats(one, other)));
    if let Some(best) = bests.min_by_key(length_order) {
        return &moves[best];
    }
    let mut best: Option<&MoveStatistics<M>> = None;
    for statistics in moves.iter().filter(|one| one.proven.upper >= best_lower) {
        if best.is_none_or(|best| statistics.visits > best.visits) {
            best = Some(statistics);
        }
    }
    best.unwrap_or(&moves[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_move_is_the_one_that_is_proven_even_if_it_may_be_better_still() {
        let moves = |mv, visits, lower, upper| MoveStatistics {
            mv,
            visits,
            value: Some(lower),
            prior: None,
            plies: None,
            proven: Bounds { lower, upper },
        };
        let all = [
            moves('a', 5, 2.0 / 3.0, 1.0),
            moves('b', 5, 0.0, 2.0 / 3.0),
            moves('c', 6, 0.0, 2.0 / 3.0),
        ];
        assert_eq!(best_move(&all).mv, 'a');
        let all = [
            moves('a', 5, 0.6, 1.0),
            moves('b', 7, 0.0, 0.7),
            moves('c', 9, 0.0, 0.5),
        ];
        assert_eq!(best_move(&all).mv, 'b');
    }
}
