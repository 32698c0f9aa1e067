//! `Playable`: a game that can be played, recorded and matched by name.
//!
//! It combines small traits, [`Rules`], [`GameText`], [`Codec`] and [`ChanceOutcomes`], and adds
//! the [`Registry`] of names.

pub use super::{
    chance_outcomes::ChanceOutcomes, codec::Codec, game_info::GameInfo, game_text::GameText,
    registry::Registry, rules::Rules,
};

use super::{
    build::PlayerRecipe,
    notation::{Notation, Problem},
    registry::AnyEvaluator,
};
use std::sync::Arc;

/// A game with all that is needed to play, record and match it.
pub trait Playable: Codec + ChanceOutcomes {
    /// The game's named evaluators and players, from a `static`.
    fn registry() -> &'static Registry<Self>;

    /// The bytes of the model file that notations call `best`.
    fn best_model(&self) -> Option<&'static [u8]> {
        (Self::registry().best_model)(self)
    }

    /// The evaluator in the bytes of a model file.
    ///
    /// # Errors
    /// If the bytes are no model, or a model of another game.
    fn model(&self, content: &[u8]) -> Result<Arc<dyn AnyEvaluator<Self>>, String> {
        (Self::registry().read_model)(self, content)
    }

    /// The recipe of a player's notation; its models are loaded.
    ///
    /// # Errors
    /// As [`PlayerRecipe::parse`].
    fn player(&self, notation: &Notation) -> Result<PlayerRecipe<Self>, Problem> {
        (Self::registry().read_player)(notation, self)
    }

    /// The evaluator of a notation; its model is loaded.
    ///
    /// # Errors
    /// As [`super::build::evaluator_from`].
    fn evaluator(&self, notation: &Notation) -> Result<Arc<dyn AnyEvaluator<Self>>, Problem> {
        (Self::registry().read_evaluator)(notation, self)
    }
}
