//! What a game leaves behind.
//!
//! The positions follow by replaying, so they cannot disagree with the moves.

use crate::core::game::{Game, Payoffs};

/// One ply of a game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ply<M> {
    /// What chance said: for EinStein the face, from 1.
    pub outcome: u8,
    /// The move made.
    pub mv: M,
    /// Win probability of the seat that made the move, after it and before the next roll, as its
    /// player saw it; `None` if the player rates no moves.
    pub value: Option<f32>,
    /// Whether the move was made to explore rather than chosen by the player.
    pub explored: bool,
}

/// A finished game.
#[derive(Clone, Debug)]
pub struct GameRecord<G: Game> {
    /// The first position.
    pub start: G::Position,
    /// All plies; the last one ends the game.
    pub plies: Vec<Ply<G::Move>>,
    /// One payoff a seat.
    pub payoffs: Payoffs,
}

// Derived, it would ask the rules to be comparable.
impl<G: Game> PartialEq for GameRecord<G> {
    fn eq(&self, other: &Self) -> bool {
        self.start == other.start && self.plies == other.plies && self.payoffs == other.payoffs
    }
}

impl<G: Game> GameRecord<G> {
    /// The positions before each ply, and the final one.
    pub fn positions<'a>(&'a self, game: &'a G) -> impl Iterator<Item = G::Position> + 'a {
        let after = self.plies.iter().scan(self.start, |position, ply| {
            *position = game.play(position, ply.mv);
            Some(*position)
        });
        std::iter::once(self.start).chain(after)
    }
}
