//! Plain minimax without cuts: the reference for games without chance.
//!
//! Every listed move is taken to be permitted, so on a game with chance it is the value of a mover
//! who may choose the outcome.

use super::Parties;
use crate::core::{
    evaluator::Evaluator,
    game::{Game, Seat},
};

/// The value of a position `depth` plies deep for `root` (if it is to move) or for the party of all
/// others.
pub fn minimax<G: Game, E: Evaluator<G>>(
    game: &G,
    evaluator: &E,
    position: &G::Position,
    depth: u32,
    root: Seat,
) -> f64 {
    let parties = Parties { root };
    if let Some(payoffs) = game.payoffs(position) {
        return f64::from(parties.value(game, position, &payoffs));
    }
    if depth == 0 {
        return parties.evaluate_anew(game, evaluator, position).into();
    }
    let mut moves = G::Moves::default();
    game.moves(position, &mut moves);
    moves
        .iter()
        .map(|&mv| {
            let next = game.play(position, mv);
            let value = minimax(game, evaluator, &next, depth - 1, root);
            if parties.same(game, position, &next) {
                value
            } else {
                1.0 - value
            }
        })
        .fold(0.0, f64::max)
}
