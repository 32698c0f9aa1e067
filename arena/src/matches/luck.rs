//! Luck of a game, measured by a fixed evaluator: for each roll, the value of the best move that it
//! allows minus the mean of this over all rolls, for the seat to move.
//!
//! Luck has expectation 0 if values do not depend on the roll; subtracting it then leaves expected
//! scores unchanged, and a good evaluator reduces their variance. Sources: GNU Backgammon; the
//! chance part of AIVAT (Burch, Schmid, Moravčík, Bowling 2018).

use super::Contestant;
use crate::error::Result;
use alea_core::{game::List, random::RandomStream, record::GameRecord};
use alea_play::{
    playable::Playable,
    player::{MoveValue, Player},
};
use alea_search::limits::Limits;

pub(super) fn check<G: Playable>(evaluator: &Contestant<G>, game: &G) -> Result<()> {
    let mut player = (evaluator.make)();
    player.new_game(0);
    let start = game.random_start(&mut RandomStream::new(0), 0);
    let analysis = player.analyse(&start, None, &Limits::NONE);
    let analysis = analysis.map_err(|failure| format!("{}: {failure}", evaluator.name))?;
    let rates = analysis.moves.iter().any(|rated| rated.value.is_some());
    if rates {
        Ok(())
    } else {
        let name = &evaluator.name;
        Err(format!("{name} rates no moves, so it cannot tell luck; a search can, for example star1(depth=1, eval=schwarz)").into())
    }
}

/// Luck of the player in `seat_of_a` over a game, in points, positive if chance favoured that
/// player. A move that `evaluator` gives no value counts as 0; the caller must have called
/// `new_game` on `evaluator`.
pub fn of_game<G: Playable>(
    game: &G,
    record: &GameRecord<G>,
    seat_of_a: usize,
    evaluator: &mut dyn Player<G>,
) -> Result<f64> {
    let mut permitted = G::Moves::default();
    let mut sum = 0.0;
    for (position, ply) in record.positions(game).zip(&record.plies) {
        let analysis = evaluator.analyse(&position, None, &Limits::NONE);
        let rated = analysis.map_err(|failure| failure.to_string())?.moves;
        let moves: Vec<_> = rated.iter().map(|rated| rated.mv).collect();
        let best = |run: &[MoveValue<G::Move>]| {
            run.iter()
                .map(|rated| f64::from(rated.value.unwrap_or(0.0)))
                .fold(0.0, f64::max)
        };
        let outcomes = game.outcomes(&position, &moves);
        let mean: f64 = outcomes
            .iter()
            .map(|outcome| f64::from(outcome.weight) * best(&rated[outcome.move_range()]))
            .sum();
        permitted.clear();
        game.allowed_moves(&position, ply.outcome, &mut permitted);
        let start = moves
            .iter()
            .position(|mv| Some(mv) == permitted.first())
            .unwrap_or(0);
        let luck = best(&rated[start..start + permitted.len()]) - mean;
        let is_a = game.to_move(&position) == seat_of_a;
        sum += if is_a { luck } else { -luck };
    }
    Ok(sum)
}
