//! What a Monte-Carlo search found: moves with their statistics, the line thought best, the size of the graph.

use crate::chance::Bounds;

/// What a search found out about one move at the root.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoveStatistics<M> {
    /// The move.
    pub mv: M,
    /// How often it was tried, by earlier searches too if their results were kept.
    pub visits: u32,
    /// Mean payoff of the seat that makes it, or its value if that is proven; `None` if nothing is known of it.
    pub value: Option<f32>,
    /// What is proven of its value for that seat.
    pub proven: Bounds,
    /// What the prior says of it, as the selection uses it: its share with PUCT, else its value; `None` without a prior.
    pub prior: Option<f32>,
}

/// How a search went.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TreeReport<M> {
    /// Simulations of the last search.
    pub simulations: u64,
    /// Positions in the graph; leaves that were visited once are none yet.
    pub positions: u32,
    /// Bytes that the graph takes at most.
    pub bytes: usize,
    /// Share of the graph's memory that is used, 0 to 1.
    pub fill: f64,
    /// Whether a position could not be added because memory was used up.
    pub full: bool,
    /// Plies of the longest simulation within the graph.
    pub depth: u32,
    /// The line thought best: the best move, then the most visited one of each position, whatever chance would have to say.
    pub line: Vec<M>,
    /// Each move asked about, in order.
    pub moves: Vec<MoveStatistics<M>>,
}

/// Proofs that rest on an oracle may miss each other by this much.
const NO_MATTER: f32 = 1e-4;

/// The move to make: one that is proven to be as good as every other, else the most tried of those that are
/// not proven to be worse than another; the first of several.
///
/// # Panics
/// If there is no move.
#[must_use]
pub fn best_move<M: Copy>(found: &[MoveStatistics<M>]) -> &MoveStatistics<M> {
    let floor = found.iter().map(|statistics| statistics.proven.lower).fold(0.0, f32::max);
    let beats = |one: usize, other: usize| one == other || found[one].proven.lower + NO_MATTER >= found[other].proven.upper;
    if let Some(best) = (0..found.len()).find(|&one| (0..found.len()).all(|other| beats(one, other))) {
        return &found[best];
    }
    let mut best: Option<&MoveStatistics<M>> = None;
    for statistics in found.iter().filter(|statistics| statistics.proven.upper >= floor) {
        if best.is_none_or(|best| statistics.visits > best.visits) {
            best = Some(statistics);
        }
    }
    best.unwrap_or(&found[0])
}
