//! Filter of the positions used in training: removes values and labels, as plies cannot be removed
//! from a game.

use crate::shard::PlayedGame;
use alea_play::playable::Playable;
use serde::Serialize;

/// Criteria that select positions, also by the ply that led to each; the default selects all.
/// Ranges are inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Filter {
    /// Range of `Rules::remaining_length` of the position.
    pub remaining: (usize, usize),
    /// Range of the position's ply number: 0 for the start, 1 after the first ply.
    pub plies: (usize, usize),
    /// `Some(true)`: only positions after exploratory moves; `Some(false)`: only all others.
    pub explored: Option<bool>,
    /// Only positions after a ply of this player, an index into [`super::ShardReader::players`].
    pub player: Option<u8>,
    /// Maximum difference between a value or label and the game result, both for the same seat.
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
    /// Removes values and labels of unselected positions; returns whether any value or label
    /// remains.
    pub fn apply<G: Playable>(&self, rules: &G, game: &mut PlayedGame<G>) -> bool {
        let record = &mut game.record;
        let mut position = record.start;
        let (mut player, mut explored) = (None, false);
        let mut left = false;
        for (number, ply) in record.plies.iter_mut().enumerate() {
            let is_selected =
                self.matches(rules.remaining_length(&position), number, explored, player);
            let seat = rules.to_move(&position);
            let result = record.payoffs[seat];
            let agrees = |value: &f32| (*value - result).abs() <= self.disagreement;
            for values in &mut game.labels {
                values[number] = values[number].filter(|label| is_selected && agrees(&label.value));
                left |= values[number].is_some();
            }
            position = rules.play(&position, ply.mv);
            (player, explored) = (Some(game.players[seat]), ply.explored);
            let is_selected = self.matches(
                rules.remaining_length(&position),
                number + 1,
                explored,
                player,
            );
            ply.value = ply.value.filter(agrees).filter(|_| is_selected);
            left |= ply.value.is_some();
        }
        game.drop_empty_fields();
        left
    }

    fn matches(&self, remaining: usize, number: usize, explored: bool, player: Option<u8>) -> bool {
        (self.remaining.0..=self.remaining.1).contains(&remaining)
            && (self.plies.0..=self.plies.1).contains(&number)
            && self.explored.is_none_or(|selected| selected == explored)
            && (self.player.is_none() || self.player == player)
    }
}
