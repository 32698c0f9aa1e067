//! Regret: how much win probability a player or an evaluator gives away, measured against values
//! that are known.
//!
//! No games are needed to judge whoever decides by the position alone, so this measures far more
//! sharply than matches do. The regret of a decision is the value of the best permitted move less
//! that of the chosen one, for the side that moves. Every position counts with all six faces of the
//! die, forced moves included; moves chosen by chance count by their expectation. The truth is the
//! endgame tables ([`truth`]), or a suite of positions with more stones ([`suite`]). Invariant:
//! results depend on the seed, not on the number of threads: choices are made position by position,
//! in parallel, and added up in order.

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
use engine::games::einstein::Standard;
use engine::play::{
    build::{self, PlayerRecipe},
    notation::Text,
    registry::AnyEvaluator,
};
use std::sync::Arc;

/// Faces of the die; each counts once.
const FACES: f64 = 6.0;

/// Whose choices are measured.
pub enum Contestant {
    /// A player, asked for a decision for every roll that leaves a choice.
    Player(Box<PlayerRecipe<Standard>>),
    /// An evaluator that rates every direct successor, and the position itself.
    Evaluator {
        /// Its notation.
        name: String,
        /// The evaluator.
        evaluator: Arc<dyn AnyEvaluator<Standard>>,
    },
}

impl Contestant {
    /// A player from its notation.
    ///
    /// # Errors
    /// If the notation is wrong.
    pub fn player<'t>(text: impl Into<Text<'t>>, game: &Standard) -> Result<Self> {
        Ok(Self::Player(Box::new(PlayerRecipe::parse(text, game)?)))
    }

    /// An evaluator from its notation.
    ///
    /// # Errors
    /// If the notation is wrong, or a model cannot be read.
    pub fn evaluator<'t>(text: impl Into<Text<'t>>, game: &Standard) -> Result<Self> {
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
