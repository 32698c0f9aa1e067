//! Probabilities of a game's named results, by the evaluator of a player.

use super::PlayerRecipe;
use crate::{analysis::Analysis, playable::Playable, points::ResultProbabilities};

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
            let of_end = |(_, points): &(_, f64)| f32::from(*points == paid);
            return points.name_results(points.results.iter().map(of_end));
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
    /// expectation over the outcomes' best moves; `None` if the player's evaluator estimates none, or
    /// an outcome has no valued move.
    pub fn expected_results(
        &self,
        position: &G::Position,
        analysis: &Analysis<G::Move>,
    ) -> Option<ResultProbabilities> {
        let points = self.game.points()?;
        if let Some(best) = analysis.best {
            return self.result_probabilities(position, best);
        }
        let mut expected = vec![0.0; points.results.len()];
        let outcomes = self.game.outcomes(position, &analysis.analysed_moves());
        for outcome in outcomes.iter() {
            let best = analysis.best_by_value(outcome.move_range())?;
            let results = self.result_probabilities(position, analysis.moves[best].mv)?;
            for (sum, (_, probability)) in expected.iter_mut().zip(&results.0) {
                *sum += outcome.weight * probability;
            }
        }
        points
            .name_results(expected)
            .filter(|_| !outcomes.is_empty())
    }
}
