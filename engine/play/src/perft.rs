//! Counts of lines of play, to check rules and measure their speed. A ply is a chance outcome and a
//! move that it allows, passes included.

use super::playable::Playable;
use std::hint::black_box;

/// Numbers of lines of play.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Perft {
    /// Lines of exactly the requested length, finished or not.
    pub leaves: u64,
    /// Number of lines that ended before the last ply.
    pub finished_before: u64,
}

impl std::ops::AddAssign for Perft {
    fn add_assign(&mut self, other: Self) {
        self.leaves += other.leaves;
        self.finished_before += other.finished_before;
    }
}

/// Counts the lines of `plies` plies from a position.
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
                // Keeps the compiler from omitting the unused position.
                black_box(&after);
                count.leaves += 1;
            } else {
                count += perft(game, &after, plies - 1);
            }
        }
    }
    count
}
