//! Players that are made when first needed and then used again and again.
//!
//! Invariant: they belong to one worker; players forget a game when the next begins, so it does not
//! matter what they played before.

use crate::label::{LabelRecipe, Labeller};
use engine::play::{build::PlayerRecipe, playable::Playable, player::Player};

/// The players of one worker, and those who label.
pub(super) struct PlayerPool<'a, G: Playable> {
    recipes: &'a [PlayerRecipe<G>],
    /// Of each player one for every seat.
    players: Vec<Vec<Option<Box<dyn Player<G>>>>>,
    pub(super) labellers: Vec<Labeller<'a, G>>,
}

impl<'a, G: Playable> PlayerPool<'a, G> {
    pub(super) fn new(
        game: &G,
        recipes: &'a [PlayerRecipe<G>],
        labels: &'a [LabelRecipe<G>],
    ) -> Self {
        let seats = || (0..game.seats()).map(|_| None).collect();
        Self {
            recipes,
            players: recipes.iter().map(|_| seats()).collect(),
            labellers: labels.iter().map(LabelRecipe::make).collect(),
        }
    }

    pub(super) fn take(&mut self, player: usize, seat: usize) -> Box<dyn Player<G>> {
        let idle = self.players[player][seat].take();
        idle.unwrap_or_else(|| self.recipes[player].make())
    }

    pub(super) fn give_back(&mut self, index: usize, seat: usize, player: Box<dyn Player<G>>) {
        self.players[index][seat] = Some(player);
    }
}
