//! The trait of complete games.

pub use super::{
    chance_sources::ChanceSources,
    codec::Codec,
    game_info::GameInfo,
    position_text::GameText,
    registry::Registry,
    rules::{Rules, rules_from_notation},
};

use super::{
    build::PlayerRecipe,
    player_notation::{Notation, Problem},
    registry::AnyEvaluator,
};
use std::sync::Arc;

/// A game with everything needed to play, record and match it by name.
pub trait Playable: Codec + ChanceSources {
    /// The game's evaluators and players by name.
    fn registry() -> &'static Registry<Self>;

    /// Model file behind the evaluator `best`; `None` without one.
    fn best_model(&self) -> Option<&'static [u8]> {
        (Self::registry().best_model)(self)
    }

    /// Name of the evaluator that won the matches among the game's evaluators by these rules.
    fn strongest_evaluator_name(&self) -> &'static str {
        (Self::registry().strongest_evaluator)(self)
    }

    /// Name of the evaluator of players that name none.
    fn default_evaluator_name() -> &'static str {
        let first = Self::registry().evaluators.first();
        first.map_or("random", |entry| entry.name)
    }

    /// Makes the evaluator of a model file.
    ///
    /// # Errors
    /// If the bytes are not a model of this game.
    fn evaluator_from_model(&self, content: &[u8]) -> Result<Arc<dyn AnyEvaluator<Self>>, String> {
        (Self::registry().read_model)(self, content)
    }

    /// Reads a player notation and loads its models.
    fn player_recipe(&self, notation: &Notation) -> Result<PlayerRecipe<Self>, Problem> {
        (Self::registry().read_player)(notation, self)
    }

    /// Makes an evaluator from notation and loads its model.
    fn evaluator(&self, notation: &Notation) -> Result<Arc<dyn AnyEvaluator<Self>>, Problem> {
        (Self::registry().read_evaluator)(notation, self)
    }
}
