//! Scales of values that do not estimate the results of complete games.

use crate::registry::AnyEvaluator;
use alea_core::search_game::SearchGame;
use serde::{Serialize, Serializer};

/// What values are, if they do not estimate the results of complete games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnScale {
    /// Averages of a search's playouts.
    Playouts,
    /// Numbers of an evaluator that only orders positions.
    Evaluator,
}

impl OwnScale {
    /// The scale of an evaluator's values; `None` if these estimate results.
    pub fn of<G: SearchGame>(evaluator: &dyn AnyEvaluator<G>) -> Option<Self> {
        (!evaluator.estimates_payoffs()).then_some(Self::Evaluator)
    }

    /// The name of the scale.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Playouts => "playouts",
            Self::Evaluator => "evaluator",
        }
    }

    /// What a value is, for people.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Playouts => "mean of the search's playouts, not fitted to games",
            Self::Evaluator => "value on the evaluator's own scale, no win probability",
        }
    }
}

impl Serialize for OwnScale {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}
