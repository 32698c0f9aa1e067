//! Selection of the positions that training learns from.
//!
//! Training uses the position after each ply that has a value. A filter removes values and labels
//! of unselected positions, as a game cannot lose plies; a game without any is dropped.

use crate::shard::PlayedGame;
use engine::play::playable::Playable;
use serde::Serialize;

/// Selected positions; all by default. Ranges are inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Filter {
    /// What remains of the game after the ply, in the game's own unit.
    pub remaining: (usize, usize),
    /// Number of the ply, from 1; 0 is the start position, which only labels value.
    pub plies: (usize, usize),
    /// `Some(true)`: explored plies only; `Some(false)`: the others only.
    pub explored: Option<bool>,
    /// Only plies of this player, by its index among all records.
    pub player: Option<u8>,
    /// Maximum difference between the value and the result of the side that moved.
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
    /// Removes values and labels; returns whether any are left.
    pub fn apply<G: Playable>(&self, rules: &G, game: &mut PlayedGame<G>) -> bool {
        let record = &mut game.record;
        let mut position = record.start;
        // Player and explored flag of the last ply.
        let (mut player, mut explored) = (None, false);
        let mut left = false;
        for (number, ply) in record.plies.iter_mut().enumerate() {
            // The label of a ply belongs to the position that the ply before led to.
            let is_selected = self.matches(rules.remaining(&position), number, explored, player);
            let seat = rules.to_move(&position);
            let result = record.payoffs[seat];
            let agrees = |value: &f32| (*value - result).abs() <= self.disagreement;
            for values in &mut game.labels {
                values[number] = values[number].filter(|label| is_selected && agrees(&label.value));
                left |= values[number].is_some();
            }
            position = rules.play(&position, ply.mv);
            (player, explored) = (Some(game.players[seat]), ply.explored);
            let is_selected =
                self.matches(rules.remaining(&position), number + 1, explored, player);
            ply.value = ply.value.filter(agrees).filter(|_| is_selected);
            left |= ply.value.is_some();
        }
        game.canonicalize();
        left
    }

    /// Whether a position is selected; ply `number` led to it.
    fn matches(&self, remaining: usize, number: usize, explored: bool, player: Option<u8>) -> bool {
        (self.remaining.0..=self.remaining.1).contains(&remaining)
            && (self.plies.0..=self.plies.1).contains(&number)
            && self.explored.is_none_or(|selected| selected == explored)
            && (self.player.is_none() || self.player == player)
    }
}
