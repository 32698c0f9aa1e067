//! Construction of rollout players: `rollout(eval=best, games=1000)`.

use super::read_oracle_option;
use crate::{
    own_scale::OwnScale,
    playable::Playable,
    player::Player,
    player_notation::{Arguments, Notation, Problem},
    registry::{AnyEvaluator, OptionalOracle},
    rollout_player::RolloutPlayer,
};
use alea_search::rollout::stopping::StoppingRule;
use std::sync::Arc;

const DEFAULT_GAMES: u32 = 1000;

const MAX_GAMES: u32 = 100_000;

#[derive(Clone)]
pub(super) struct RolloutRecipe<G: Playable> {
    evaluator: Arc<dyn AnyEvaluator<G>>,
    oracle: OptionalOracle<G>,
    plies: u32,
    enough: StoppingRule,
}

impl<G: Playable> RolloutRecipe<G> {
    pub(super) fn from_arguments(arguments: &mut Arguments<'_>, game: &G) -> Result<Self, Problem> {
        let strongest = Notation::new(game.strongest_evaluator_name());
        let evaluator = game.evaluator(arguments.take("eval")?.unwrap_or(&strongest))?;
        let most = arguments.number_named("games", 1..=1_000_000)?;
        let error = arguments.number_named("error", 1e-5..=1.0)?;
        let usual = if error.is_some() {
            MAX_GAMES
        } else {
            DEFAULT_GAMES
        };
        Ok(Self {
            evaluator,
            plies: arguments.number_named("plies", 0..=10_000)?.unwrap_or(0),
            enough: StoppingRule {
                max_games: most.unwrap_or(usual),
                target_error: error.unwrap_or(0.0),
            },
            oracle: read_oracle_option(arguments, game, Some(false))?,
        })
    }

    /// The scale of the values where games end early.
    pub(super) fn scale(&self) -> Option<OwnScale> {
        (self.plies > 0)
            .then(|| OwnScale::of(&*self.evaluator))
            .flatten()
    }

    pub(super) fn make(&self, game: G) -> Box<dyn Player<G>> {
        let evaluator = Arc::clone(&self.evaluator);
        let roll = evaluator.rollouts(game.clone(), self.oracle.clone(), self.plies);
        Box::new(RolloutPlayer::new(game, roll, self.enough))
    }
}
