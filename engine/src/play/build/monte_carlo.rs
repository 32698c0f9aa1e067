//! From notation to Monte-Carlo searches: `mcts(sims=10000, leaf=schwarz)`, and the published
//! programs of that kind.

use super::limits::{threads, time};
use super::playouts::{PlayoutArguments, PlayoutRecipe};
use super::{evaluators, tablebase};
use crate::core::calibration::Calibrated;
use crate::core::oracle::Oracle;
use crate::games::einstein::Standard;
use crate::games::einstein::evaluators::any::{AnyEvaluator, with_evaluator};
use crate::games::einstein::evaluators::reciprocal::Reciprocal;
use crate::play::notation::{Arguments, Notation, Problem, parse_number};
use crate::play::player::Player;
use crate::play::searching::MctsPlayer;
use crate::search::mcts::{
    Backup, Budget, EvaluatorLeaf, FirstPlay, Leaf, Mcts, MctsOptions, Mix, Playout, Prior,
    Selection, StarLeaf,
};
use crate::search::meter::Meter;
use std::sync::Arc;

/// A Monte-Carlo search that can be made again and again.
#[derive(Clone)]
pub(super) struct MctsRecipe {
    options: MctsOptions,
    leaf: LeafKind,
    prior: Option<AnyEvaluator>,
    oracle: Option<Arc<dyn Oracle<Standard>>>,
    threads: usize,
}

#[derive(Clone)]
enum LeafKind {
    Playout(PlayoutRecipe),
    Evaluator(AnyEvaluator),
    /// The share of the evaluator; the rest is a playout.
    Mix(f32, AnyEvaluator, PlayoutRecipe),
    /// Plies, and the evaluator at their end.
    Star(u32, AnyEvaluator),
}

impl LeafKind {
    /// The same with playouts of the kind asked for; leaves that do not play refuse them.
    fn with_playouts(self, asked: PlayoutArguments<'_>, game: &Standard) -> Result<Self, Problem> {
        let plays = matches!(self, Self::Playout(_) | Self::Mix(..));
        let playouts = asked.recipe(plays, game)?;
        Ok(match self {
            Self::Playout(_) => Self::Playout(playouts),
            Self::Mix(share, evaluator, _) => Self::Mix(share, evaluator, playouts),
            other => other,
        })
    }
}

/// Largest graph a player may ask for, in MiB. Every worker thread makes players of its own, each
/// with a graph.
const LARGEST_MEMORY: usize = 1 << 16;

/// Constant of UCB1-tuned and of PUCT when none is named: the published formulas have none, or
/// leave it open.
const OTHER_EXPLORATION: f64 = 1.0;

impl MctsRecipe {
    /// Reads the arguments of `mcts`.
    pub(super) fn from_arguments(
        notation: &Notation,
        arguments: &mut Arguments<'_>,
        game: &Standard,
    ) -> Result<Self, Problem> {
        let default = MctsOptions::default();
        let budget = budget(arguments)?;
        let (asked, playouts) = (
            arguments.take_named("leaf")?,
            PlayoutArguments::take(arguments)?,
        );
        let leaf = match asked {
            Some(notation) => leaf(notation, game)?,
            None if playouts.any() => LeafKind::Playout(PlayoutRecipe::plain()),
            None => LeafKind::Evaluator(evaluators::schwarz(game)),
        };
        let leaf = leaf.with_playouts(playouts, game)?;
        let selection = arguments.choice(
            "select",
            &[
                ("ucb1", Selection::Ucb1),
                ("tuned", Selection::Tuned),
                ("puct", Selection::Puct),
            ],
        )?;
        let puct = selection == Selection::Puct;
        let exploration = match (
            arguments.take_named("exploration")?,
            arguments.take_named("c")?,
        ) {
            (Some(_), Some(value)) => {
                return Err((
                    value.character,
                    "'c' is short for 'exploration'; give one of them".to_owned(),
                ));
            }
            (Some(value), None) | (None, Some(value)) => {
                parse_number("exploration", value, 0.0..=1000.0)?
            }
            (None, None) if selection == Selection::Ucb1 => default.exploration,
            (None, None) => OTHER_EXPLORATION,
        };
        let first_play = match arguments.take_named("fpu")? {
            None if puct => FirstPlay::Parent,
            None => FirstPlay::First,
            Some(value) if value.name == "first" && value.arguments.is_empty() => FirstPlay::First,
            Some(value) if value.name == "parent" && value.arguments.is_empty() => {
                FirstPlay::Parent
            }
            Some(value) => {
                let number =
                    value.name.parse().ok().filter(|number| {
                        (-10.0..=10.0).contains(number) && value.arguments.is_empty()
                    });
                let problem =
                    || format!("'fpu' is first, parent, or a number from -10 to 10, not '{value}'");
                FirstPlay::Value(number.ok_or_else(|| (value.character, problem()))?)
            }
        };
        let asked = arguments.take_named("prior")?;
        let bias = named(arguments, "bias", 0.0..=1000.0, 0.0f32)?;
        let prior = asked
            .map(|notation| evaluators::from_notation(notation, game))
            .transpose()?;
        if puct && bias > 0.0 {
            return Err((
                notation.character,
                "'bias' is not for select=puct, whose prior does the same".to_owned(),
            ));
        }
        if bias > 0.0 && prior.is_none() {
            return Err((
                notation.character,
                "'bias' needs an evaluator: prior=schwarz".to_owned(),
            ));
        }
        if let Some(asked) = asked
            && !puct
            && bias == 0.0
        {
            return Err((
                asked.character,
                "'prior' is for select=puct, or needs a 'bias' above 0".to_owned(),
            ));
        }
        let temperature = if puct {
            named(
                arguments,
                "temperature",
                0.001..=1000.0,
                default.temperature,
            )?
        } else {
            default.temperature
        };
        let switched_on = [("on", true), ("off", false)];
        let ponder = arguments.choice(
            "ponder",
            &[("off", false), ("on", true), ("0", false), ("1", true)],
        )?;
        // What was thought on another's time is of use only if it is kept.
        let switched_off = [("off", false), ("on", true)];
        let options = MctsOptions {
            budget,
            selection,
            exploration,
            first_play,
            temperature,
            bias,
            rave: named(arguments, "rave", 0.0..=1e9, 0.0f32)?,
            backup: arguments.choice(
                "backup",
                &[("sampled", Backup::Sampled), ("expected", Backup::Expected)],
            )?,
            solver: arguments.choice("solver", &switched_on)?,
            graph: arguments.choice("graph", &switched_on)?,
            keep: arguments.choice("keep", if ponder { &switched_on } else { &switched_off })?,
            ponder,
            virtual_loss: named(arguments, "virtual_loss", 0..=1000, default.virtual_loss)?,
            batch: named(arguments, "batch", 1..=4096, default.batch)?,
            memory: named(arguments, "memory", 1..=LARGEST_MEMORY, default.memory)?,
            early: arguments.choice("early", &switched_on)?,
        };
        if options.ponder && !options.keep {
            return Err((
                notation.character,
                "'ponder=on' needs keep=on: what was thought would be lost".to_owned(),
            ));
        }
        if options.keep && !options.graph {
            return Err((
                notation.character,
                "'keep=on' needs graph=on, which finds positions again".to_owned(),
            ));
        }
        if options.batch > 1 && options.rave > 0.0 {
            return Err((
                notation.character,
                "'batch' and 'rave' exclude each other".to_owned(),
            ));
        }
        let oracle = tablebase(arguments, game, 0)?;
        if oracle.is_some() && !options.solver {
            return Err((
                notation.character,
                "'tablebase' needs solver=on, which carries what it knows to the root".to_owned(),
            ));
        }
        let threads = threads(arguments, options.budget.time())?;
        Ok(Self {
            options,
            leaf,
            prior,
            oracle,
            threads,
        })
    }

    /// Reads the arguments of a published program: `monte_alpha`, `monte_alpha_v2` or `uctcut`.
    ///
    /// All three are UCB1 with the constant sqrt(2) on a tree that is made anew for each move, the
    /// most visited move being played. Version 2 values leaves by reciprocal distances. What UCTcut
    /// prunes is not printed: here it no longer tries moves that are proven worse than another.
    pub(super) fn published(
        name: &str,
        arguments: &mut Arguments<'_>,
        game: &Standard,
    ) -> Result<Self, Problem> {
        let budget = budget(arguments)?;
        // To end when no other move can catch up changes no choice, if what is left is known.
        let early = budget.simulations().is_some();
        let exploration = std::f64::consts::SQRT_2;
        let options = MctsOptions {
            budget,
            exploration,
            solver: name == "uctcut",
            graph: false,
            early,
            ..MctsOptions::default()
        };
        let leaf = if name == "monte_alpha_v2" {
            let evaluator = Calibrated {
                score: Reciprocal::new(game),
                calibration: Reciprocal::CALIBRATION,
            };
            LeafKind::Evaluator(AnyEvaluator::Reciprocal(Arc::new(evaluator)))
        } else {
            LeafKind::Playout(PlayoutRecipe::plain())
        };
        Ok(Self {
            options,
            leaf,
            prior: None,
            oracle: None,
            threads: 1,
        })
    }

    /// Whether the same seed gives the same moves.
    pub(super) fn is_reproducible(&self) -> bool {
        matches!(self.options.budget, Budget::Simulations(_))
            && self.threads == 1
            && !self.options.ponder
    }

    pub(super) fn make<M: Meter + 'static>(&self, game: Standard) -> Box<dyn Player<Standard>> {
        match &self.leaf {
            LeafKind::Playout(playouts) if playouts.is_plain() => self.with_leaf::<_, M>(game, || Playout),
            LeafKind::Playout(playouts) => self.with_leaf::<Box<dyn Leaf<Standard>>, M>(game, || playouts.make()),
            LeafKind::Evaluator(evaluator) => self.with_leaf::<Box<dyn Leaf<Standard>>, M>(game, || {
                with_evaluator!(evaluator, evaluator => {
                    Box::new(EvaluatorLeaf::new(evaluator.clone()))
                })
            }),
            LeafKind::Mix(share, evaluator, playouts) => self.with_leaf::<Box<dyn Leaf<Standard>>, M>(game, || {
                with_evaluator!(evaluator, evaluator => {
                    Box::new(Mix::new(*share, EvaluatorLeaf::new(evaluator.clone()), playouts.make()))
                })
            }),
            LeafKind::Star(depth, evaluator) => {
                let rules = game.clone();
                self.with_leaf::<Box<dyn Leaf<Standard>>, M>(game, || {
                    with_evaluator!(evaluator, evaluator => {
                        Box::new(StarLeaf::new(rules.clone(), evaluator.clone(), *depth))
                    })
                })
            }
        }
    }

    fn with_leaf<L: Leaf<Standard> + 'static, M: Meter + 'static>(
        &self,
        game: Standard,
        leaf: impl Fn() -> L,
    ) -> Box<dyn Player<Standard>> {
        let prior = self.prior.as_ref().map(|evaluator| {
            with_evaluator!(evaluator, evaluator => {
                let prior: Arc<dyn Prior<Standard>> = evaluator.clone();
                prior
            })
        });
        let leaves = (0..self.threads).map(|_| leaf()).collect();
        Box::new(MctsPlayer::new(
            Mcts::<_, L, M>::with_leaves(game, leaves, self.options, 0)
                .with_prior(prior)
                .with_oracle(self.oracle.clone()),
        ))
    }
}

fn named<T>(
    arguments: &mut Arguments<'_>,
    key: &'static str,
    range: std::ops::RangeInclusive<T>,
    default: T,
) -> Result<T, Problem>
where
    T: std::str::FromStr + PartialOrd + std::fmt::Display,
{
    arguments
        .take_named(key)?
        .map_or(Ok(default), |value| parse_number(key, value, range))
}

/// `sims`, `ms`, `cpu_ms` or `clock`; a number without a key counts simulations.
fn budget(arguments: &mut Arguments<'_>) -> Result<Budget, Problem> {
    Ok(match time(arguments)? {
        Some(limit) => Budget::Time(limit),
        None => Budget::Simulations(arguments.number("sims", 1..=4_000_000_000, 10_000)?),
    })
}

/// `playout`, an evaluator, `mix(share, EVAL)` or `star(depth, EVAL)`.
fn leaf(notation: &Notation, game: &Standard) -> Result<LeafKind, Problem> {
    let mut arguments = Arguments::of(notation);
    let evaluator = |arguments: &mut Arguments<'_>| match arguments.take("eval")? {
        Some(notation) => evaluators::from_notation(notation, game),
        None => Ok(evaluators::schwarz(game)),
    };
    let leaf = match notation.name.as_str() {
        "playout" => LeafKind::Playout(PlayoutRecipe::plain()),
        "mix" => {
            let share = arguments.number("share", 0.0..=1.0, 0.5)?;
            LeafKind::Mix(share, evaluator(&mut arguments)?, PlayoutRecipe::plain())
        }
        "star" => {
            let depth = arguments.number("depth", 1..=4, 1)?;
            LeafKind::Star(depth, evaluator(&mut arguments)?)
        }
        _ => {
            return Ok(LeafKind::Evaluator(evaluators::from_notation(
                notation, game,
            )?));
        }
    };
    arguments.finish()?;
    Ok(leaf)
}
