//! Minimax without pruning: the reference for games without chance.

use super::RootVersusRest;
use alea_core::{
    evaluator::Evaluator,
    game::{Game, Seat},
};

/// Value of a position, `depth` plies deep, for the side to move: the seat `root` or all others.
pub fn minimax<G: Game, E: Evaluator<G>>(
    game: &G,
    evaluator: &E,
    position: &G::Position,
    depth: u32,
    root: Seat,
) -> f64 {
    let perspective = RootVersusRest { root };
    if let Some(payoffs) = game.payoffs(position) {
        return f64::from(perspective.value(game, position, &payoffs));
    }
    if depth == 0 {
        return perspective
            .evaluate_from_scratch(game, evaluator, position)
            .into();
    }
    let mut moves = G::Moves::default();
    game.moves(position, &mut moves);
    moves
        .iter()
        .map(|&mv| {
            let next = game.play(position, mv);
            let value = minimax(game, evaluator, &next, depth - 1, root);
            if perspective.is_same_side(game, position, &next) {
                value
            } else {
                1.0 - value
            }
        })
        .fold(0.0, f64::max)
}
