//! Which positions of a game are to be learned from.
//!
//! Training takes the position after each ply that has a value. A game cannot lose plies, so a
//! filter takes values and labels away where the position is not wanted; a game whose last goes is
//! not wanted at all.

use crate::shard::PlayedGame;
use engine::play::playable::Playable;
use serde::Serialize;

/// What is kept; everything by default. Ranges include both ends.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Filter {
    /// What is left of the game after the ply, as it counts that itself.
    pub remaining: (usize, usize),
    /// Number of the ply, from 1; 0 is the start, which only labels tell of.
    pub plies: (usize, usize),
    /// Only explored plies, or only those that a player chose.
    pub explored: Option<bool>,
    /// Only plies of this player, by its number among those of all records.
    pub player: Option<u8>,
    /// Most that the value may differ from the result, which is what the side that moved got:
    /// 1, ½ or 0 with two seats.
    pub disagreement: f32,
}

impl Default for Filter {
    fn default() -> Self {
        Self {
            remaining: (0, usize::MAX),
            plies: (0, usize::MAX),
            explored: None,
            player: None,
            disagreement: 1.0,
        }
    }
}

impl Filter {
    /// Takes values and labels away; whether the game has any left.
    pub fn apply<G: Playable>(&self, rules: &G, game: &mut PlayedGame<G>) -> bool {
        let record = &mut game.record;
        let mut position = record.start;
        // Who made the last ply, and whether it was explored.
        let (mut player, mut explored) = (None, false);
        let mut left = false;
        for (number, ply) in record.plies.iter_mut().enumerate() {
            // The label of this ply is of the position that the ply before led to.
            let wanted = self.wants(rules.remaining(&position), number, explored, player);
            let seat = rules.to_move(&position);
            let result = record.payoffs[seat];
            let agrees = |value: &f32| (*value - result).abs() <= self.disagreement;
            for values in &mut game.labels {
                values[number] = values[number].filter(|label| wanted && agrees(&label.value));
                left |= values[number].is_some();
            }
            position = rules.play(&position, ply.mv);
            (player, explored) = (Some(game.players[seat]), ply.explored);
            let wanted = self.wants(rules.remaining(&position), number + 1, explored, player);
            ply.value = ply.value.filter(agrees).filter(|_| wanted);
            left |= ply.value.is_some();
        }
        game.tidy();
        left
    }

    /// Whether a position of which so much is left is wanted, to which ply `number` led.
    fn wants(&self, remaining: usize, number: usize, explored: bool, player: Option<u8>) -> bool {
        (self.remaining.0..=self.remaining.1).contains(&remaining)
            && (self.plies.0..=self.plies.1).contains(&number)
            && self.explored.is_none_or(|wanted| wanted == explored)
            && (self.player.is_none() || self.player == player)
    }
}
