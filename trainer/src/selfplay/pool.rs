//! Players that are made when first needed and then used again and again.
//!
//! Invariant: a set of players belongs to one worker at a time; players forget a game when the next
//! begins, so it does not matter who had them before.

use crate::label::{LabelRecipe, Labeller};
use engine::play::{build::PlayerRecipe, playable::Playable, player::Player};
use std::sync::{Mutex, PoisonError};

/// Of one player one for each seat.
type Seats<G> = Vec<Option<Box<dyn Player<G>>>>;

/// What one worker needs: players, one of each for every seat, and those who label.
type Set<'a, G> = (Vec<Seats<G>>, Vec<Labeller<'a, G>>);

/// Players that no worker has at the moment.
pub(super) struct Pools<'a, G: Playable> {
    seats: usize,
    recipes: &'a [PlayerRecipe<G>],
    labels: &'a [LabelRecipe<G>],
    idle: Mutex<Vec<Set<'a, G>>>,
}

impl<'a, G: Playable> Pools<'a, G> {
    pub(super) fn new(
        game: &G,
        recipes: &'a [PlayerRecipe<G>],
        labels: &'a [LabelRecipe<G>],
    ) -> Self {
        Self {
            seats: game.seats(),
            recipes,
            labels,
            idle: Mutex::new(Vec::new()),
        }
    }

    /// Players for one worker, until they are dropped.
    pub(super) fn take<'b>(&'b self) -> PlayerPool<'a, 'b, G> {
        let idle = self
            .idle
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop();
        let (players, labellers) = idle.unwrap_or_else(|| {
            let seats = || (0..self.seats).map(|_| None).collect();
            let players = self.recipes.iter().map(|_| seats()).collect();
            (players, self.labels.iter().map(LabelRecipe::make).collect())
        });
        PlayerPool {
            pools: self,
            players,
            labellers,
        }
    }
}

/// The players of one worker: one of each for every seat.
pub(super) struct PlayerPool<'a, 'b, G: Playable> {
    pools: &'b Pools<'a, G>,
    players: Vec<Seats<G>>,
    pub(super) labellers: Vec<Labeller<'a, G>>,
}

impl<G: Playable> PlayerPool<'_, '_, G> {
    pub(super) fn take(&mut self, player: usize, seat: usize) -> Box<dyn Player<G>> {
        self.players[player][seat]
            .take()
            .unwrap_or_else(|| self.pools.recipes[player].make())
    }

    pub(super) fn give_back(&mut self, index: usize, seat: usize, player: Box<dyn Player<G>>) {
        self.players[index][seat] = Some(player);
    }
}

impl<G: Playable> Drop for PlayerPool<'_, '_, G> {
    fn drop(&mut self) {
        let set = (
            std::mem::take(&mut self.players),
            std::mem::take(&mut self.labellers),
        );
        self.pools
            .idle
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(set);
    }
}
