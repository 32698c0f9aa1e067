//! Which positions of a game are to be learned from.
//!
//! Training takes the position after each ply that has a value. A game cannot lose plies, so a
//! filter takes values and labels away where the position is not wanted; a game whose last goes is
//! not wanted at all.

use crate::shard::PlayedGame;
use engine::core::game::Game;
use engine::games::einstein::Standard;
use serde::Serialize;

/// What is kept; everything by default. Ranges include both ends.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Filter {
    /// Stones of both sides, after the ply.
    pub stones: (u32, u32),
    /// Number of the ply, from 1; 0 is the start, which only labels tell of.
    pub plies: (usize, usize),
    /// Only explored plies, or only those that a player chose.
    pub explored: Option<bool>,
    /// Most that the value may differ from the result, which is 1 if the side that moved won and
    /// else 0.
    pub disagreement: f32,
}

impl Default for Filter {
    fn default() -> Self {
        Self {
            stones: (0, 12),
            plies: (0, usize::MAX),
            explored: None,
            disagreement: 1.0,
        }
    }
}

impl Filter {
    /// Takes values and labels away; whether the game has any left.
    pub fn apply(&self, game: &mut PlayedGame) -> bool {
        // What a move does is the same in every variant.
        let rules = Standard::default();
        let record = &mut game.record;
        let mut position = record.start;
        let mut explored = false;
        let mut left = false;
        for (number, ply) in record.plies.iter_mut().enumerate() {
            // The label of this ply is of the position that the ply before led to.
            let wanted = self.wants(position.stones(), number, explored);
            let result = record.payoffs[position.seat()];
            let agrees = |value: &f32| (*value - result).abs() <= self.disagreement;
            for values in &mut game.labels {
                values[number] = values[number].filter(agrees).filter(|_| wanted);
                left |= values[number].is_some();
            }
            position = rules.play(&position, ply.mv);
            explored = ply.explored;
            let wanted = self.wants(position.stones(), number + 1, explored);
            ply.value = ply.value.filter(agrees).filter(|_| wanted);
            left |= ply.value.is_some();
        }
        game.tidy_labels();
        left
    }

    /// Whether a position of so many stones is wanted, to which ply `number` led.
    fn wants(&self, stones: u32, number: usize, explored: bool) -> bool {
        (self.stones.0..=self.stones.1).contains(&stones)
            && (self.plies.0..=self.plies.1).contains(&number)
            && self.explored.is_none_or(|wanted| wanted == explored)
    }
}
