//! A player of random moves.

use crate::player::{Analysis, Decision, Failure, Player};
use alea_core::{game::Game, random::RandomStream};
use alea_search::limits::Limits;

/// A player that plays all legal moves with equal probability.
#[derive(Clone, Debug)]
pub struct RandomPlayer<G> {
    game: G,
    random: RandomStream,
}

impl<G> RandomPlayer<G> {
    /// A random player of `game`.
    pub fn new(game: G) -> Self {
        Self {
            game,
            random: RandomStream::new(0),
        }
    }
}

impl<G: Game> Player<G> for RandomPlayer<G> {
    fn new_game(&mut self, seed: u64) {
        self.random = RandomStream::new(seed);
    }

    fn decide(
        &mut self,
        _position: &G::Position,
        legal: &[G::Move],
        _limits: &Limits,
    ) -> Result<Decision<G::Move>, Failure> {
        Ok(Decision::without_values(
            legal[self.random.below(legal.len())],
        ))
    }

    fn analyse(
        &mut self,
        position: &G::Position,
        legal: Option<&[G::Move]>,
        _limits: &Limits,
    ) -> Result<Analysis<G::Move>, Failure> {
        Ok(Analysis::without_values(&self.game, position, legal))
    }
}
