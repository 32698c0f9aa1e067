//! Reference values and random positions for tests.

use super::{Havannah, Move, Position, proof::position_number};
use alea_core::{game::Game, random::RandomStream, search_game::Playouts};
use std::collections::HashMap;

/// Value for the side to move: 1 for a win, 0 for a draw, −1 for a loss.
pub(super) fn minimax(game: &Havannah, position: &Position, cache: &mut HashMap<u64, i32>) -> i32 {
    if let Some(payoffs) = game.payoffs(position) {
        return (2.0 * payoffs[position.seat()] - 1.0) as i32;
    }
    let number = position_number(game, position);
    if let Some(&value) = cache.get(&number) {
        return value;
    }
    let replies = game.empties(position).map(Move::place);
    let values = replies.map(|mv| -minimax(game, &game.play(position, mv), cache));
    let value = values.max().unwrap();
    cache.insert(number, value);
    value
}

pub(super) fn random_position(
    game: &Havannah,
    stones: usize,
    random: &mut RandomStream,
) -> Position {
    let mut position = game.start();
    while position.stones() < stones && game.payoffs(&position).is_none() {
        position = game.play(&position, game.sample_move(&position, random.next_u64()));
    }
    position
}
