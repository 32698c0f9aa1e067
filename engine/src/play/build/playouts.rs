//! From notation to playouts: who moves in them, and what ends them.
//!
//! `playout=POLICY` is `uniform`, `urgent(least)`, `weighted(quiet, own, capture, win)`,
//! `mixture(share, POLICY, POLICY)`, or an evaluator, whose best successor is played.
//! `truncate=PLIES` ends a playout after so many plies with the value that `close=EVAL` gives.
//! Invariant: the plain case, uniform to the end, is [`Playout`], the fast way of the game.

use super::{EVALUATORS, evaluators};
use crate::games::einstein::Standard;
use crate::games::einstein::evaluators::any::{AnyEvaluator, with_evaluator};
use crate::play::notation::{Arguments, Notation, Problem, parse_number};
use crate::search::mcts::{EvaluatorLeaf, Leaf, Playout};
use crate::search::playout::{
    BestSuccessor, ByPolicy, ByUrgency, Mixture, MostUrgent, Policy, Truncated, Uniform,
};

/// Playouts that can be made again and again.
#[derive(Clone)]
pub(super) struct PlayoutRecipe {
    policy: PolicyKind,
    /// Plies, and what values the position after them.
    truncated: Option<(u32, AnyEvaluator)>,
}

#[derive(Clone)]
enum PolicyKind {
    Uniform,
    Urgent(MostUrgent),
    Weighted(ByUrgency),
    Best(AnyEvaluator),
    Mixture(f64, Box<Self>, Box<Self>),
}

/// Policies that are not evaluators.
const POLICIES: &str =
    "uniform, urgent(least), weighted(quiet, own, capture, win), mixture(share, first, second)";

/// More plies than games have.
const MOST_PLIES: u32 = 200;

/// Heaviest move of `weighted`.
const MOST_WEIGHT: u32 = 1_000_000;

/// A capture, in [`crate::core::game::Game::urgency`] of this game.
const CAPTURE: u8 = 2;

/// A move that wins.
const WIN: u8 = 3;

/// What a player's notation says of playouts.
pub(super) struct PlayoutArguments<'a> {
    playout: Option<&'a Notation>,
    truncate: Option<&'a Notation>,
    close: Option<&'a Notation>,
}

impl<'a> PlayoutArguments<'a> {
    /// Takes `playout`, `truncate` and `close`.
    pub(super) fn take(arguments: &mut Arguments<'a>) -> Result<Self, Problem> {
        Ok(Self {
            playout: arguments.take_named("playout")?,
            truncate: arguments.take_named("truncate")?,
            close: arguments.take_named("close")?,
        })
    }

    /// Whether playouts are asked for.
    pub(super) fn any(&self) -> bool {
        self.playout.is_some() || self.truncate.is_some()
    }

    /// Playouts of that kind. `plays` says whether the leaves play at all; if not, nobody may ask
    /// for how.
    pub(super) fn recipe(self, plays: bool, game: &Standard) -> Result<PlayoutRecipe, Problem> {
        for (key, value) in [("playout", self.playout), ("truncate", self.truncate)] {
            if let Some(value) = value.filter(|_| !plays) {
                return Err((
                    value.character,
                    format!(
                        "'{key}' is for leaves that play on: leaf=playout or leaf=mix(share, EVAL)"
                    ),
                ));
            }
        }
        if let Some(value) = self.close.filter(|_| self.truncate.is_none()) {
            return Err((
                value.character,
                "'close' values playouts that are cut short: it needs 'truncate'".to_owned(),
            ));
        }
        let policy = self.playout.map_or(Ok(PolicyKind::Uniform), |notation| {
            PolicyKind::from_notation(notation, game)
        })?;
        let truncated = match self.truncate {
            None => None,
            Some(value) => {
                let plies = parse_number("truncate", value, 1..=MOST_PLIES)?;
                let close = self.close.map_or_else(
                    || Ok(evaluators::schwarz(game)),
                    |notation| evaluators::from_notation(notation, game),
                )?;
                Some((plies, close))
            }
        };
        Ok(PlayoutRecipe { policy, truncated })
    }
}

impl PlayoutRecipe {
    /// Uniform to the end.
    pub(super) fn plain() -> Self {
        Self {
            policy: PolicyKind::Uniform,
            truncated: None,
        }
    }

    /// Whether [`Playout`] plays them.
    pub(super) fn is_plain(&self) -> bool {
        matches!(self.policy, PolicyKind::Uniform) && self.truncated.is_none()
    }

    pub(super) fn make(&self) -> Box<dyn Leaf<Standard>> {
        match &self.truncated {
            None if self.is_plain() => Box::new(Playout),
            None => Box::new(ByPolicy(self.policy.make())),
            Some((plies, evaluator)) => {
                let end: Box<dyn Leaf<Standard>> = with_evaluator!(evaluator, evaluator => Box::new(EvaluatorLeaf::new(evaluator.clone())));
                Box::new(Truncated::new(self.policy.make(), *plies, end))
            }
        }
    }
}

impl PolicyKind {
    fn from_notation(notation: &Notation, game: &Standard) -> Result<Self, Problem> {
        let mut arguments = Arguments::of(notation);
        let policy = match notation.name.as_str() {
            "uniform" => Self::Uniform,
            "urgent" => Self::Urgent(MostUrgent {
                at_least: arguments.number("least", 1..=WIN, CAPTURE)?,
            }),
            "weighted" => {
                let mut weight = |key, default| arguments.number(key, 0..=MOST_WEIGHT, default);
                Self::Weighted(ByUrgency {
                    weights: [
                        weight("quiet", 1)?,
                        weight("own", 1)?,
                        weight("capture", 4)?,
                        weight("win", 100)?,
                    ],
                })
            }
            "mixture" => {
                let share = arguments.number("share", 0.0..=1.0, 0.5)?;
                let first = arguments.take("first")?;
                let first = first.ok_or_else(|| {
                    (
                        notation.character,
                        "'mixture' needs a policy: mixture(0.5, schwarz, uniform)".to_owned(),
                    )
                })?;
                let first = Self::from_notation(first, game)?;
                let second = arguments
                    .take("second")?
                    .map_or(Ok(Self::Uniform), |notation| {
                        Self::from_notation(notation, game)
                    })?;
                Self::Mixture(share, Box::new(first), Box::new(second))
            }
            // An evaluator reads its own arguments.
            name => {
                let unknown = |(character, problem): Problem| match problem
                    .starts_with("there is no evaluator")
                {
                    true => (
                        character,
                        format!(
                            "there is no policy '{name}'; there are {POLICIES}, and the evaluators {EVALUATORS}"
                        ),
                    ),
                    false => (character, problem),
                };
                return evaluators::from_notation(notation, game)
                    .map(Self::Best)
                    .map_err(unknown);
            }
        };
        arguments.finish()?;
        Ok(policy)
    }

    fn make(&self) -> Box<dyn Policy<Standard>> {
        match self {
            Self::Uniform => Box::new(Uniform),
            Self::Urgent(policy) => Box::new(*policy),
            Self::Weighted(policy) => Box::new(*policy),
            Self::Best(evaluator) => {
                with_evaluator!(evaluator, evaluator => Box::new(BestSuccessor::new(evaluator.clone())))
            }
            Self::Mixture(share, first, second) => {
                Box::new(Mixture::new(first.make(), *share, second.make()))
            }
        }
    }
}
