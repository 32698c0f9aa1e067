//! What a Monte-Carlo search found: moves with their statistics, the line thought best, the size of
//! the graph.

use crate::core::chance::Bounds;
use serde::Serialize;

/// What a search found out about one move at the root; as JSON what is known besides its value.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(bound = "")]
pub struct MoveStatistics<M> {
    /// The move.
    #[serde(skip)]
    pub mv: M,
    /// How often it was tried, by earlier searches too if their results were kept, and the tries that
    /// nobody made ([`super::MctsOptions::noise`]).
    pub visits: u32,
    /// Mean payoff of the seat that makes it, or its value if that is proven; `None` if nothing is
    /// known of it.
    #[serde(skip)]
    pub value: Option<f32>,
    /// What is proven of its value for that seat.
    #[serde(flatten)]
    pub proven: Bounds,
    /// What the prior says it is worth; `None` without a prior.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prior: Option<f32>,
    /// Plies to the end, this one included, of a move that is proven to win or to lose, as the proof
    /// goes: at least so many where an oracle ended it. Only where seats move in turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plies: Option<u32>,
}

/// How a search went; as JSON without line and moves.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(bound = "")]
pub struct TreeReport<M> {
    /// Simulations of the last search.
    pub simulations: u64,
    /// Positions in the graph; leaves that were visited once are none yet.
    pub positions: u32,
    /// Plies of the longest simulation within the graph.
    pub depth: u32,
    /// Bytes that the graph takes at most.
    pub bytes: usize,
    /// Share of the graph's memory that is used, 0 to 1.
    pub fill: f64,
    /// Whether a position could not be added because memory was used up.
    pub full: bool,
    /// The line thought best: the best move, then the most visited one of each position, whatever
    /// chance says.
    #[serde(skip)]
    pub line: Vec<M>,
    /// Each move asked about, in order.
    #[serde(skip)]
    pub moves: Vec<MoveStatistics<M>>,
}

/// Proofs that rest on an oracle may miss each other by this much.
const NO_MATTER: f32 = 1e-4;

/// The move to make: one that is proven to be as good as every other, else the most tried of those
/// that are not proven to be worse than another; the first of several, but a win in few plies and a
/// defeat in many.
///
/// # Panics
/// If there is no move.
#[must_use]
pub fn best_move<M: Copy>(found: &[MoveStatistics<M>]) -> &MoveStatistics<M> {
    let lower = found.iter().map(|statistics| statistics.proven.lower);
    let floor = lower.fold(0.0, f32::max);
    let beats = |one: usize, other: usize| {
        one == other || found[one].proven.lower + NO_MATTER >= found[other].proven.upper
    };
    let haste = |&one: &usize| match (found[one].plies, found[one].proven.lower >= 1.0) {
        (None, _) => 0,
        (Some(plies), true) => i64::from(plies),
        (Some(plies), false) => -i64::from(plies),
    };
    let bests = (0..found.len()).filter(|&one| (0..found.len()).all(|other| beats(one, other)));
    if let Some(best) = bests.min_by_key(haste) {
        return &found[best];
    }
    let mut best: Option<&MoveStatistics<M>> = None;
    for statistics in found.iter().filter(|one| one.proven.upper >= floor) {
        if best.is_none_or(|best| statistics.visits > best.visits) {
            best = Some(statistics);
        }
    }
    best.unwrap_or(&found[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_move_is_the_one_that_is_proven_even_if_it_may_be_better_still() {
        let found = |mv, visits, lower, upper| MoveStatistics {
            mv,
            visits,
            value: Some(lower),
            prior: None,
            plies: None,
            proven: Bounds { lower, upper },
        };
        // Rolled 4 at "...../5..../f.4.2/...../..... r -": 2/3 at least, 2/3 at most, and the like.
        let all = [
            found('a', 5, 2.0 / 3.0, 1.0),
            found('b', 5, 0.0, 2.0 / 3.0),
            found('c', 6, 0.0, 2.0 / 3.0),
        ];
        assert_eq!(best_move(&all).mv, 'a');
        let all = [
            found('a', 5, 0.6, 1.0),
            found('b', 7, 0.0, 0.7),
            found('c', 9, 0.0, 0.5),
        ];
        assert_eq!(best_move(&all).mv, 'b');
    }
}
