//! Construction of Monte-Carlo searches: `mcts(sims=10000, leaf=EVAL)`.

use super::{
    EvaluatorAndOracle,
    evaluators::{default_evaluator, evaluator_from, or_default_evaluator},
    limits::{read_thread_count, read_time_limit},
    playouts::{PlayoutArguments, PlayoutRecipe},
    read_oracle_option,
};
use crate::{
    playable::Playable,
    player::Player,
    player_notation::{Arguments, Notation, Problem, parse_number},
    registry::{AnyEvaluator, OptionalOracle},
    search_player::MctsPlayer,
};
use alea_core::game::OutcomeList;
use alea_search::mcts::{Blend, BlendedLeaf, Budget, FirstPlay, Mcts, MctsOptions};
use std::sync::Arc;

#[derive(Clone)]
pub(super) struct MctsRecipe<G: Playable> {
    options: MctsOptions,
    leaf: LeafKind<G>,
    playouts: PlayoutRecipe<G>,
    prior: Option<Arc<dyn AnyEvaluator<G>>>,
    oracle: OptionalOracle<G>,
    threads: usize,
}

#[derive(Clone)]
enum LeafKind<G: Playable> {
    PlayoutLeaf,
    Evaluator(Arc<dyn AnyEvaluator<G>>),
    /// Weight of an evaluator against a playout, and the evaluator.
    BlendedLeaf(f32, Arc<dyn AnyEvaluator<G>>),
    Star(u32, Arc<dyn AnyEvaluator<G>>),
}

/// Maximal memory of a player's search; each worker thread of a match has its own players.
const MAX_MEMORY_MIB: usize = 1 << 16;

impl<G: Playable> MctsRecipe<G> {
    /// Evaluator of the leaves, and oracle; `None` if leaves have playouts.
    pub(super) fn evaluator_and_oracle(&self) -> Option<EvaluatorAndOracle<G>> {
        let (LeafKind::Evaluator(evaluator) | LeafKind::Star(_, evaluator)) = &self.leaf else {
            return None;
        };
        Some((Arc::clone(evaluator), self.oracle.clone()))
    }

    pub(super) fn from_arguments(
        notation: &Notation,
        arguments: &mut Arguments<'_>,
        game: &G,
    ) -> Result<Self, Problem> {
        let default = MctsOptions::default();
        let budget = read_budget(arguments)?;
        let (asked, playouts) = (
            arguments.take_named("leaf")?,
            PlayoutArguments::take(arguments)?,
        );
        let leaf = match asked {
            Some(notation) => read_leaf_kind(notation, game)?,
            None if playouts.has_any() => LeafKind::PlayoutLeaf,
            None => LeafKind::Evaluator(default_evaluator(game)?),
        };
        let plays = matches!(leaf, LeafKind::PlayoutLeaf | LeafKind::BlendedLeaf(..));
        let playouts = playouts.into_recipe(plays, game)?;
        let exploration = match (
            arguments.take_named("exploration")?,
            arguments.take_named("c")?,
        ) {
            (Some(_), Some(value)) => {
                return Err(value.problem_here("'c' is short for 'exploration'; give one of them"));
            }
            (Some(value), None) | (None, Some(value)) => {
                parse_number("exploration", value, 0.0..=1000.0)?
            }
            (None, None) => default.exploration,
        };
        let first_play = match arguments.take_named("fpu")? {
            None => FirstPlay::First,
            Some(value) if value.name_if_plain() == Some("first") => FirstPlay::First,
            Some(value) if value.name == "above" => {
                let mut arguments = Arguments::of(value);
                let above = arguments.number("more", -10.0..=1000.0, 0.0)?;
                arguments.finish()?;
                FirstPlay::Above(above)
            }
            Some(value) => {
                let number = parse_number("fpu", value, -10.0..=10.0);
                FirstPlay::Value(number.map_err(|_| {
                    value.problem_here(format!(
                        "'fpu' is first, above(more), or a number from -10 to 10, not '{value}'"
                    ))
                })?)
            }
        };
        let asked = arguments.take_named("prior")?;
        let bias = arguments.number_named("bias", 0.0..=1000.0)?.unwrap_or(0.0);
        let prior = asked.map(|asked| evaluator_from(asked, game)).transpose()?;
        if bias > 0.0 && prior.is_none() {
            let usual = G::default_evaluator_name();
            return Err(notation.problem_here(format!("'bias' needs an evaluator: prior={usual}")));
        }
        if let Some(asked) = asked
            && bias == 0.0
        {
            return Err(asked.problem_here("'prior' needs a 'bias' above 0"));
        }
        let switched_on = [("on", true), ("off", false)];
        let ponder = arguments.choice(
            "ponder",
            &[("off", false), ("on", true), ("0", false), ("1", true)],
        )?;
        let switched_off = [("off", false), ("on", true)];
        let (noise, noise_by_rave) = read_virtual_visits(arguments)?;
        let options = MctsOptions {
            budget,
            exploration,
            first_play,
            bias,
            rave: arguments.number_named("rave", 0.0..=1e9)?.unwrap_or(0.0),
            blend: arguments.choice(
                "blend",
                &[
                    ("gelly", Blend::Gelly),
                    ("teytaud", Blend::Teytaud),
                    ("silver", Blend::Silver),
                    ("variance", Blend::Variance),
                    ("history", Blend::History),
                ],
            )?,
            rave_depth: arguments
                .number_named("rave_depth", 0..=usize::MAX)?
                .unwrap_or(default.rave_depth),
            virtual_visits: noise,
            virtual_visits_in_rave: noise_by_rave,
            reselect_interval: arguments.number_named("again", 0.0..=1.0)?.unwrap_or(0.0),
            expand_visits: arguments
                .number_named("expand", 1..=1_000_000)?
                .unwrap_or(default.expand_visits),
            solver: arguments.choice("solver", &switched_on)?,
            graph: arguments.choice("graph", &switched_on)?,
            reuse_tree: arguments
                .choice("keep", if ponder { &switched_on } else { &switched_off })?,
            ponder,
            virtual_loss: arguments
                .number_named("virtual_loss", 0..=1000)?
                .unwrap_or(default.virtual_loss),
            batch: arguments
                .number_named("batch", 1..=4096)?
                .unwrap_or(default.batch),
            memory: arguments
                .number_named("memory", 1..=MAX_MEMORY_MIB)?
                .unwrap_or(default.memory),
            smart_pruning: arguments.choice("early", &switched_on)?,
            sole_move_threshold: arguments
                .number_named("sole", 0.0..=1.0)?
                .unwrap_or(default.sole_move_threshold),
            stop_when_clear: arguments.choice("human", &switched_off)?,
        };
        if options.ponder && !options.reuse_tree {
            return Err(
                notation.problem_here("'ponder=on' needs keep=on: what was thought would be lost")
            );
        }
        if options.reuse_tree && !options.graph {
            return Err(
                notation.problem_here("'keep=on' needs graph=on, which finds positions again")
            );
        }
        let rave = options.rave > 0.0;
        for (key, set, with) in [
            ("batch", options.batch > 1, false),
            ("blend", options.blend != Blend::default(), true),
            (
                "noise",
                noise_by_rave && options.virtual_visits != default.virtual_visits,
                true,
            ),
            ("again", options.reselect_interval > 0.0, true),
        ] {
            if set && rave != with {
                return Err(notation.problem_here(match with {
                    false => format!("'{key}' and 'rave' exclude each other"),
                    true => format!("'{key}' is for searches with 'rave' above 0"),
                }));
            }
        }
        if options.reselect_interval > 0.0 && G::Outcomes::CAPACITY > 1 {
            return Err(notation.problem_here("'again' is for games without chance"));
        }
        if options.stop_when_clear && options.budget.time().is_none() {
            return Err(notation.problem_here("'human' needs a limit of time: ms=1000"));
        }
        let oracle = read_oracle_option(arguments, game, None)?;
        if let Some(entry) = G::registry()
            .oracle
            .filter(|_| oracle.is_some() && !options.solver)
        {
            return Err(notation.problem_here(format!(
                "'{}' needs solver=on, which carries what it knows to the root",
                entry.key
            )));
        }
        let threads = read_thread_count(arguments, options.budget.time())?;
        Ok(Self {
            options,
            leaf,
            playouts,
            prior,
            oracle,
            threads,
        })
    }

    pub(super) fn is_time_limited(&self) -> bool {
        self.options.budget.time().is_some()
    }

    pub(super) fn is_reproducible(&self) -> bool {
        matches!(self.options.budget, Budget::Simulations(_))
            && self.threads == 1
            && !self.options.ponder
    }

    pub(super) fn make(&self, game: G, timed: bool) -> Box<dyn Player<G>> {
        let leaf = || match &self.leaf {
            LeafKind::PlayoutLeaf => self.playouts.make(),
            LeafKind::Evaluator(evaluator) => Arc::clone(evaluator).leaf(),
            LeafKind::BlendedLeaf(share, evaluator) => {
                let first = Arc::clone(evaluator).leaf();
                Box::new(BlendedLeaf::new(*share, first, self.playouts.make()))
            }
            LeafKind::Star(depth, evaluator) => {
                Arc::clone(evaluator).search_leaf(game.clone(), *depth)
            }
        };
        let leaves = (0..self.threads).map(|_| leaf()).collect();
        let prior = self.prior.clone().map(AnyEvaluator::prior);
        let search = Mcts::with_leaves(game, leaves, self.options, 0)
            .with_prior(prior)
            .with_oracle(self.oracle.clone());
        Box::new(MctsPlayer::new(search.with_eval_timer(timed)))
    }
}

fn read_virtual_visits(arguments: &mut Arguments<'_>) -> Result<((u32, u32, f32), bool), Problem> {
    let Some(notation) = arguments.take_named("noise")? else {
        return Ok((MctsOptions::default().virtual_visits, true));
    };
    if !["rave", "tries"].contains(&&*notation.name) {
        return Err(notation.problem_here(format!(
            "'noise' is rave(least, most, half) or tries(…), not '{notation}'"
        )));
    }
    let by_rave = notation.name == "rave";
    let mut arguments = Arguments::of(notation);
    let least = arguments.number("least", 0..=1000, 4)?;
    let most = arguments.number("most", least..=1000, least.max(10))?;
    let half = arguments.number("half", 0.0..=1000.0, 5.0)?;
    arguments.finish()?;
    Ok(((least, most - least, half), by_rave))
}

fn read_budget(arguments: &mut Arguments<'_>) -> Result<Budget, Problem> {
    Ok(match read_time_limit(arguments)? {
        Some(limit) => Budget::Time(limit),
        None => Budget::Simulations(arguments.number("sims", 1..=4_000_000_000, 10_000)?),
    })
}

fn read_leaf_kind<G: Playable>(notation: &Notation, game: &G) -> Result<LeafKind<G>, Problem> {
    let mut arguments = Arguments::of(notation);
    let evaluator =
        |arguments: &mut Arguments<'_>| or_default_evaluator(arguments.take("eval")?, game);
    let leaf = match notation.name.as_str() {
        "playout" => LeafKind::PlayoutLeaf,
        "mix" => {
            let share = arguments.number("share", 0.0..=1.0, 0.5)?;
            LeafKind::BlendedLeaf(share, evaluator(&mut arguments)?)
        }
        "star" => {
            let depth = arguments.number("depth", 1..=4, 1)?;
            LeafKind::Star(depth, evaluator(&mut arguments)?)
        }
        _ => return Ok(LeafKind::Evaluator(evaluator_from(notation, game)?)),
    };
    arguments.finish()?;
    Ok(leaf)
}
