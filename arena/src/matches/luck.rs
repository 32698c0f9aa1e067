//! How lucky a player was: what each outcome of chance changed, by the word of a fixed evaluator.
//!
//! The luck of an outcome is the value of the position with the outcome known, which is that of the
//! best permitted move, minus the mean of that over all outcomes, for the seat that moves. Given
//! everything before it its expectation is 0 whatever the evaluator says, as long as the evaluator
//! does not know the outcome: so the sum over a game has mean 0, and a result minus its luck has the same
//! mean as the result. A good evaluator only makes it vary less. Sources: the luck adjustment of
//! GNU Backgammon; AIVAT (Burch, Schmid, Moravčík, Bowling 2018), the part for chance.

use super::Contestant;
use crate::error::Result;
use engine::core::{game::List, random::RandomStream, record::GameRecord};
use engine::play::{
    playable::Playable,
    player::{MoveValue, Player},
};
use engine::search::limits::Limits;

/// Whether somebody can tell luck: a player that rates moves.
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

/// The luck of A in a game, in wins: positive if its outcomes were better than the mean, or those of B
/// worse.
///
/// `evaluator` has been told of a new game. It is asked about each position before chance has
/// spoken, in the order of the game, so what it says depends on nothing that comes after. A move that it
/// does not rate counts as worthless.
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
        // The moves that an outcome permits are one run of the list.
        permitted.clear();
        game.permitted(&position, ply.outcome, &mut permitted);
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
