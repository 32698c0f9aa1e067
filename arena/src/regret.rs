//! Regret: the win probability that a decision gives away, the reference value of the best allowed
//! move minus that of the chosen one, for the side that moves; for random players its expectation.
//!
//! A position counts with every outcome of chance, forced moves included. Reference values come
//! from a game's oracle, exact ([`reference_values`]), or a certified suite ([`suite`]).

mod choices;
mod estimates;
pub mod positions;
mod random_greedy_games;
pub mod reference_values;
pub mod report;
pub mod suite;

#[cfg(test)]
mod tests;

use crate::error::Result;
use alea_play::{
    build::{self, PlayerRecipe},
    playable::Playable,
    player_notation::Text,
    registry::SharedEvaluator,
};

/// Player or evaluator whose decisions are measured.
pub enum Contestant<G: Playable> {
    /// Player, which decides every outcome of chance that allows several moves.
    Player(Box<PlayerRecipe<G>>),
    /// Evaluator, which chooses moves by its values of their successors, without search.
    Evaluator {
        /// Spec of the evaluator.
        name: String,
        /// Evaluator made from the spec.
        evaluator: SharedEvaluator<G>,
    },
}

impl<G: Playable> Contestant<G> {
    /// Creates a contestant from a player's spec.
    ///
    /// # Errors
    /// If it is invalid.
    pub fn parse_player<'t>(text: impl Into<Text<'t>>, game: &G) -> Result<Self> {
        Ok(Self::Player(Box::new(PlayerRecipe::parse(text, game)?)))
    }

    /// Creates a contestant from an evaluator's spec.
    ///
    /// # Errors
    /// If it is invalid, or a model cannot be read.
    pub fn parse_evaluator<'t>(text: impl Into<Text<'t>>, game: &G) -> Result<Self> {
        let text = text.into();
        Ok(Self::Evaluator {
            name: text.as_str().trim().to_owned(),
            evaluator: build::parse_evaluator(text, game)?,
        })
    }

    /// Spec of the player or evaluator.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Player(recipe) => recipe.name(),
            Self::Evaluator { name, .. } => name,
        }
    }

    /// `player` or `evaluator`, for reports.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Player(_) => "player",
            Self::Evaluator { .. } => "evaluator",
        }
    }
}
