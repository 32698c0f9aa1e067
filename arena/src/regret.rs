//! Regret: the win probability that a decision gives away, which is the exact value of the best
//! allowed move minus that of the chosen one, for the side that moves; its expectation for players
//! that choose at random.
//!
//! A position counts with every outcome of chance, forced moves included. Exact values come from
//! the oracle of a game with two seats ([`truth`]) or a certified suite ([`suite`]). Results do not
//! depend on the number of threads.

mod choices;
mod estimates;
pub mod positions;
mod random_greedy_games;
pub mod report;
pub mod suite;
pub mod truth;

#[cfg(test)]
mod tests;

use crate::error::Result;
use alea_play::{
    build::{self, PlayerRecipe},
    playable::Playable,
    player_notation::Text,
    registry::SharedEvaluator,
};

/// A player or an evaluator whose decisions are measured.
pub enum Contestant<G: Playable> {
    /// Decides every outcome of chance that allows several moves.
    Player(Box<PlayerRecipe<G>>),
    /// Values all direct successors, and the position itself.
    Evaluator {
        /// The evaluator's spec.
        name: String,
        /// Values positions.
        evaluator: SharedEvaluator<G>,
    },
}

impl<G: Playable> Contestant<G> {
    /// Reads a player's spec.
    ///
    /// # Errors
    /// If it is invalid.
    pub fn parse_player<'t>(text: impl Into<Text<'t>>, game: &G) -> Result<Self> {
        Ok(Self::Player(Box::new(PlayerRecipe::parse(text, game)?)))
    }

    /// Reads an evaluator's spec.
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

    /// The player's or evaluator's spec.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Player(recipe) => recipe.name(),
            Self::Evaluator { name, .. } => name,
        }
    }

    /// `player` or `evaluator`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Player(_) => "player",
            Self::Evaluator { .. } => "evaluator",
        }
    }
}
