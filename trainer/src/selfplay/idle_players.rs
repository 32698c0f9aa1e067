//! Pool of a thread's players, created on demand and reused.

use crate::labeller::{LabelSource, Labeller};
use alea_play::{build::PlayerRecipe, playable::Playable, player::Player};

pub(super) struct PlayerPool<'a, G: Playable> {
    recipes: &'a [PlayerRecipe<G>],
    players: Vec<Vec<Option<Box<dyn Player<G>>>>>,
    pub(super) labellers: Vec<Labeller<'a, G>>,
}

impl<'a, G: Playable> PlayerPool<'a, G> {
    pub(super) fn new(
        game: &G,
        recipes: &'a [PlayerRecipe<G>],
        labels: &'a [LabelSource<G>],
    ) -> Self {
        let seats = || (0..game.seats()).map(|_| None).collect();
        Self {
            recipes,
            players: recipes.iter().map(|_| seats()).collect(),
            labellers: labels.iter().map(LabelSource::new_labeller).collect(),
        }
    }

    pub(super) fn acquire(&mut self, player: usize, seat: usize) -> Box<dyn Player<G>> {
        let idle = self.players[player][seat].take();
        idle.unwrap_or_else(|| self.recipes[player].make())
    }

    pub(super) fn release(&mut self, index: usize, seat: usize, player: Box<dyn Player<G>>) {
        self.players[index][seat] = Some(player);
    }
}
