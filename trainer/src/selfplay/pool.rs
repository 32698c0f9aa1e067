//! Players that are made when first needed and then used again and again.
//!
//! Invariant: a set of players belongs to one worker at a time; players forget a game when the next
//! begins, so it does not matter who had them before.

use crate::label::{LabelRecipe, Labeller};
use engine::games::einstein::Standard;
use engine::play::build::PlayerRecipe;
use engine::play::player::Player;
use std::sync::{Mutex, PoisonError};

type Seats = [Option<Box<dyn Player<Standard>>>; 2];

/// What one worker needs: players, one of each for either seat, and those who label.
type Set<'a> = (Vec<Seats>, Vec<Labeller<'a>>);

/// Players that no worker has at the moment.
pub(super) struct Pools<'a> {
    recipes: &'a [PlayerRecipe<Standard>],
    labels: &'a [LabelRecipe],
    idle: Mutex<Vec<Set<'a>>>,
}

impl<'a> Pools<'a> {
    pub(super) fn new(recipes: &'a [PlayerRecipe<Standard>], labels: &'a [LabelRecipe]) -> Self {
        Self {
            recipes,
            labels,
            idle: Mutex::new(Vec::new()),
        }
    }

    /// Players for one worker, until they are dropped.
    pub(super) fn take<'b>(&'b self) -> PlayerPool<'a, 'b> {
        let idle = self
            .idle
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop();
        let (players, labellers) = idle.unwrap_or_else(|| {
            let players = self.recipes.iter().map(|_| [None, None]).collect();
            (players, self.labels.iter().map(LabelRecipe::make).collect())
        });
        PlayerPool {
            pools: self,
            players,
            labellers,
        }
    }
}

/// The players of one worker: one of each for either seat.
pub(super) struct PlayerPool<'a, 'b> {
    pools: &'b Pools<'a>,
    players: Vec<Seats>,
    pub(super) labellers: Vec<Labeller<'a>>,
}

impl PlayerPool<'_, '_> {
    pub(super) fn take(&mut self, player: usize, seat: usize) -> Box<dyn Player<Standard>> {
        self.players[player][seat]
            .take()
            .unwrap_or_else(|| self.pools.recipes[player].make())
    }

    pub(super) fn give_back(
        &mut self,
        index: usize,
        seat: usize,
        player: Box<dyn Player<Standard>>,
    ) {
        self.players[index][seat] = Some(player);
    }
}

impl Drop for PlayerPool<'_, '_> {
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
