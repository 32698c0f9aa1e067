//! Probabilities of a game's named results, by the evaluator of a player.

use super::PlayerRecipe;
use crate::{
    analysis::{Analysis, MoveValue},
    playable::Playable,
    points::ResultProbabilities,
};

impl<G: Playable> PlayerRecipe<G> {
    /// Probability of each result for the seat that makes `mv`, by the player's evaluator after the
    /// move; `None` if it estimates none.
    pub fn result_probabilities(
        &self,
        position: &G::Position,
        mv: G::Move,
    ) -> Option<ResultProbabilities> {
        let (game, points) = (&self.game, self.game.points()?);
        let (next, seat) = (game.play(position, mv), game.to_move(position));
        if let Some(payoff) = game.payoff(&next, seat) {
            let paid = points.final_points(payoff.into());
            let is_it = |(_, points): &(_, f64)| f32::from(*points == paid);
            return points.name_results(points.results.iter().map(is_it));
        }
        let (evaluator, _) = self.made.evaluator_and_oracle.as_ref()?;
        let probabilities = evaluator.result_probabilities(game, &next)?;
        if game.to_move(&next) == seat {
            return points.name_results(probabilities);
        }
        // The seats' results have opposite points.
        let of_opposite = |(_, paid): &(_, f64)| {
            let mut results = points.results.iter();
            let index = results.position(|(_, other)| *other == -paid)?;
            probabilities.get(index).copied()
        };
        let probabilities: Option<Vec<f32>> = points.results.iter().map(of_opposite).collect();
        points.name_results(probabilities?)
    }

    /// Probability of each result for the seat to move, after the best move or, before chance, in
    /// expectation over the outcomes' best moves; `None` if the player's evaluator estimates none.
    pub fn expected_results(
        &self,
        position: &G::Position,
        analysis: &Analysis<G::Move>,
    ) -> Option<ResultProbabilities> {
        if let Some(best) = analysis.best {
            return self.result_probabilities(position, best);
        }
        let mut expected = ResultProbabilities::new();
        let moves = analysis.analysed_moves();
        for outcome in self.game.outcomes(position, &moves).iter() {
            let moves = analysis.moves.get(outcome.move_range())?.iter();
            let value = |rated: &MoveValue<_>| rated.value.unwrap_or(0.0);
            let best = moves.max_by(|one, other| value(one).total_cmp(&value(other)))?;
            for (name, probability) in self.result_probabilities(position, best.mv)? {
                *expected.entry(name).or_default() += outcome.weight * probability;
            }
        }
        (!expected.is_empty()).then_some(expected)
    }
}
