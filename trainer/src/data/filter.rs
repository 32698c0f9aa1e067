//! Which positions of a game are to be learned from.
//!
//! Training takes the position after each ply that has a value. A game cannot lose plies, so a filter takes the values
//! away where the position is not wanted; a game whose last value goes is not wanted at all.

use crate::shard::PlayedGame;
use engine::game::Game;
use engine::games::einstein::Standard;
use serde::Serialize;

/// What is kept; everything by default. Ranges include both ends.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Filter {
    /// Stones of both sides, after the ply.
    pub stones: (u32, u32),
    /// Number of the ply, from 1.
    pub plies: (usize, usize),
    /// Only explored plies, or only those that a player chose.
    pub explored: Option<bool>,
    /// Most that the value may differ from the result, which is 1 if the side that moved won and else 0.
    pub disagreement: f32,
}

impl Default for Filter {
    fn default() -> Self {
        Self { stones: (0, 12), plies: (1, usize::MAX), explored: None, disagreement: 1.0 }
    }
}

impl Filter {
    /// Takes values away; whether the game has any left.
    pub fn apply(&self, game: &mut PlayedGame) -> bool {
        // What a move does is the same in every variant.
        let rules = Standard::default();
        let record = &mut game.record;
        let mut position = record.start;
        let mut left = false;
        for (number, ply) in (1..).zip(&mut record.plies) {
            let result = record.payoffs[position.seat()];
            position = rules.play(&position, ply.mv);
            let wanted = (self.stones.0..=self.stones.1).contains(&position.stones())
                && (self.plies.0..=self.plies.1).contains(&number)
                && self.explored.is_none_or(|explored| explored == ply.explored)
                && ply.value.is_some_and(|value| (value - result).abs() <= self.disagreement);
            if !wanted {
                ply.value = None;
            }
            left |= wanted;
        }
        left
    }
}
