//! Regret: the win probability that a player or an evaluator gives away, against exact values.
//!
//! The regret of a decision is the value of the best allowed move minus that of the chosen one, for
//! the side that moves; random moves count by their expectation. A position counts with every
//! outcome of chance, forced moves included.
//!
//! The truth is the exact knowledge of a game with two seats ([`truth`]), or a certified suite
//! ([`suite`]). Results depend on the seed and not on the number of threads: choices are made
//! position by position, in parallel, and added up in order.

mod choices;
mod measure;
mod mixed;
pub mod positions;
pub mod report;
pub mod suite;
pub mod truth;

#[cfg(test)]
mod tests;

use crate::error::Result;
use engine::play::{
    build::{self, PlayerRecipe},
    notation::Text,
    playable::Playable,
    registry::SharedEvaluator,
};

/// A measured player or evaluator.
pub enum Contestant<G: Playable> {
    /// A player, which decides every outcome of chance with several moves.
    Player(Box<PlayerRecipe<G>>),
    /// An evaluator of every direct successor and of the position itself.
    Evaluator {
        /// Its notation.
        name: String,
        /// The evaluator.
        evaluator: SharedEvaluator<G>,
    },
}

impl<G: Playable> Contestant<G> {
    /// A player from its notation.
    ///
    /// # Errors
    /// If the notation is wrong.
    pub fn player<'t>(text: impl Into<Text<'t>>, game: &G) -> Result<Self> {
        Ok(Self::Player(Box::new(PlayerRecipe::parse(text, game)?)))
    }

    /// An evaluator from its notation.
    ///
    /// # Errors
    /// If the notation is wrong, or a model cannot be read.
    pub fn evaluator<'t>(text: impl Into<Text<'t>>, game: &G) -> Result<Self> {
        let text = text.into();
        Ok(Self::Evaluator {
            name: text.as_str().trim().to_owned(),
            evaluator: build::evaluator(text, game)?,
        })
    }

    /// The notation.
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
