//! Perft: counts lines of play by plies, to check the rules and measure their speed.
//!
//! Every pair of an outcome and a move it allows is a ply; a pass is one if the game lists it as a
//! move. All positions are computed, those of the last ply too.

use super::playable::Playable;
use std::hint::black_box;

/// The result of a count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Perft {
    /// Lines of play exactly as many plies long, finished or not.
    pub leaves: u64,
    /// Lines of play that ended before that many plies.
    pub finished_before: u64,
}

impl std::ops::AddAssign for Perft {
    fn add_assign(&mut self, other: Self) {
        self.leaves += other.leaves;
        self.finished_before += other.finished_before;
    }
}

/// Counts the lines of play from a position.
pub fn perft<G: Playable>(game: &G, position: &G::Position, plies: u32) -> Perft {
    let mut count = Perft::default();
    if plies == 0 {
        count.leaves = 1;
        return count;
    }
    if game.payoffs(position).is_some() {
        count.finished_before = 1;
        return count;
    }
    let mut moves = G::Moves::default();
    for outcome in game.outcome_numbers() {
        game.allowed_moves(position, outcome, &mut moves);
        for &mv in moves.iter() {
            let after = game.play(position, mv);
            if plies == 1 {
                // The leaf is unused; without this the compiler could omit it.
                black_box(&after);
                count.leaves += 1;
            } else {
                count += perft(game, &after, plies - 1);
            }
        }
    }
    count
}
