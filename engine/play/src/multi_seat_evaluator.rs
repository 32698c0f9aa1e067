//! Evaluator of games with more than two seats: values every seat as if it were to move.

use super::{
    playable::Playable,
    registry::{AnyEvaluator, SharedEvaluator},
};
use alea_core::{
    evaluator::{Evaluator, payoffs_from_own},
    game::{MAX_SEATS, Payoffs},
};

/// Evaluator of all seats' payoffs by an evaluator of the seat to move, which values each seat as
/// if it had the turn. A payoff is ½ plus `slope` times the difference from the mean value; a seat
/// that cannot move has ½.
#[derive(Clone)]
pub struct MultiSeatEvaluator<G: Playable> {
    evaluator: SharedEvaluator<G>,
    slope: f32,
}

impl<G: Playable> MultiSeatEvaluator<G> {
    /// Creates the evaluator; `slope` is fitted to results.
    #[must_use]
    pub fn new(evaluator: SharedEvaluator<G>, slope: f32) -> Self {
        Self { evaluator, slope }
    }
}

impl<G: Playable> Evaluator<G> for MultiSeatEvaluator<G> {
    type Cache = ();

    fn value(&self, game: &G, position: &G::Position, cache: &()) -> f32 {
        self.payoffs(game, position, cache)[game.to_move(position)]
    }

    fn estimates_payoffs(&self) -> bool {
        self.evaluator.estimates_payoffs()
    }

    fn payoffs(&self, game: &G, position: &G::Position, (): &()) -> Payoffs {
        let seats = game.seats();
        if seats == 2 {
            return payoffs_from_own(game, position, self.evaluator.value_of(game, position));
        }
        let mut values = [None; MAX_SEATS];
        for (seat, value) in values[..seats].iter_mut().enumerate() {
            let mut turned = *position;
            *value = (game.set_side_to_move(&mut turned, seat))
                .then(|| self.evaluator.value_of(game, &turned));
        }
        let known = values.iter().flatten().count() as f32;
        let mean = values.iter().flatten().sum::<f32>() / known;
        let above = values.map(|value| value.map_or(0.0, |value| value - mean));
        let largest = above
            .iter()
            .fold(0.0, |largest: f32, one| largest.max(one.abs()));
        // Keeps payoffs within 0 and 1 without a change of their sum.
        let slope = self.slope.min(0.499_999 / largest);
        let mut payoffs = above.map(|above| 0.5 + slope * above);
        payoffs[seats..].fill(0.0);
        payoffs
    }
}

pub(crate) fn shares<G: Playable>(
    evaluator: SharedEvaluator<G>,
    slope: f32,
) -> std::sync::Arc<dyn AnyEvaluator<G>> {
    std::sync::Arc::new(MultiSeatEvaluator::new(evaluator, slope))
}
