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

pub mod choices;
pub mod measure;
mod mixed;
pub mod positions;
pub mod report;
pub mod suite;
pub mod truth;

#[cfg(test)]
mod tests;

use crate::plot::PlotError;
use engine::core::files::FileError;
use engine::games::einstein::Standard;
use engine::play::{
    build::{self, PlayerRecipe},
    notation::PlayerError,
    registry::AnyEvaluator,
};
use std::sync::Arc;

/// Faces of the die; each counts once.
pub const FACES: f64 = 6.0;

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
    pub fn player(text: &str, game: &Standard) -> Result<Self, RegretError> {
        Ok(Self::Player(Box::new(PlayerRecipe::parse(text, game)?)))
    }

    /// An evaluator from its notation.
    ///
    /// # Errors
    /// If the notation is wrong, or a model cannot be read.
    pub fn evaluator(text: &str, game: &Standard) -> Result<Self, RegretError> {
        Ok(Self::Evaluator {
            name: text.trim().to_owned(),
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

/// Why nothing was measured.
#[derive(Debug, thiserror::Error)]
pub enum RegretError {
    /// A notation is wrong, or names what this program does not have.
    #[error(transparent)]
    Player(#[from] PlayerError),
    /// The tables do not know a position.
    #[error(
        "the endgame tables know at most {known} stones and these rules as '{variant}'; this position is beyond them: {position}"
    )]
    Unknown {
        /// Most stones of the tables.
        known: usize,
        /// The variant of the tables.
        variant: String,
        /// The position.
        position: String,
    },
    /// Games do not come to the wanted positions.
    #[error("{games} games of {from} had no position of {fewest} to {most} stones; ask for others")]
    NoPosition {
        /// Games played in vain.
        games: u64,
        /// Who plays.
        from: String,
        /// Fewest wanted stones.
        fewest: u32,
        /// Most wanted stones.
        most: u32,
    },
    /// A labelling player whose depth is not named.
    #[error(
        "'{player}' cannot label a suite: it needs a value for every move and an argument depth=N, N at least 2, for example star2(depth=4)"
    )]
    Label {
        /// The notation.
        player: String,
    },
    /// A line of a suite is wrong.
    #[error("{name}:{line}: {problem}")]
    Line {
        /// The file.
        name: String,
        /// The line, counted from 1.
        line: usize,
        /// What is wrong, and what would be right.
        problem: String,
    },
    /// A file could not be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The chart cannot be drawn.
    #[error(transparent)]
    Plot(#[from] PlotError),
}
