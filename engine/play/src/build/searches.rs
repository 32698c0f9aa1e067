//! Construction of expectiminimax searches: `star2(depth=6, eval=schwarz)`.

use super::{
    EvaluatorAndOracle,
    evaluators::or_default_evaluator,
    limits::{read_search_limits, read_thread_count},
    read_oracle_option,
};
use crate::{
    playable::Playable,
    player::Player,
    player_notation::{Arguments, Notation, Problem},
    registry::{AnyEvaluator, EvaluatorPointer, OptionalOracle},
    search_player::SearchPlayer,
};
use alea_core::{
    evaluator::Evaluator,
    game::{Game, OutcomeList},
    search_game::SearchGame,
};
use alea_search::{
    alpha_beta,
    best_reply::BestReplySearch,
    deepening::{DeepeningOptions, DeepeningSearch},
    expectiminimax::{Expectiminimax, Form},
    filtered_star::{FilteredStar, FilteredStarOptions, MoveFilter},
    limits::{MAX_DEPTH, SearchLimits},
    max_n::MaxN,
    ordering::Ordering,
    star::{Pruning, StarOptions},
    star_by_outcome::{StarByOutcome, StarByOutcomeOptions},
    table::{DepthPolicy, Replacement, Table},
};
use std::sync::Arc;

#[derive(Clone)]
pub(super) struct SearchRecipe<G: Playable> {
    evaluator: Arc<dyn AnyEvaluator<G>>,
    plan: SearchPlan<G>,
}

/// Options of a search but its evaluator.
#[derive(Clone)]
pub struct SearchPlan<G: Game> {
    shape: Shape,
    limits: SearchLimits,
    table: TableRecipe,
    oracle: OptionalOracle<G>,
}

#[derive(Clone, Copy)]
enum Shape {
    Reference(Form),
    Unified {
        options: StarOptions,
        deepening: DeepeningOptions,
        threads: usize,
        many: MultiplayerSearch,
    },
    Outcomes(StarByOutcomeOptions),
    Filtered(FilteredStarOptions, DeepeningOptions),
}

#[derive(Clone, Copy, PartialEq)]
enum StarForm {
    Unified,
    Outcomes,
    Filtered,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum MultiplayerSearch {
    Paranoid,
    MaxN,
    BestReply,
}

#[derive(Clone, Copy)]
struct TableRecipe {
    entries: usize,
    replacement: Replacement,
    reuse: DepthPolicy,
}

const NO_TABLE: TableRecipe = TableRecipe {
    entries: 0,
    replacement: Replacement::Bucketed,
    reuse: DepthPolicy::SameDepth,
};

/// Maximal size of a player's table; each worker thread of a match has its own players.
const MAX_TABLE_MIB: usize = 1 << 12;

const ENTRIES_PER_MIB: usize = 1 << 16;

/// Minimal depth limit for a default table; below, transpositions are too rare.
const MIN_TABLE_DEPTH: u32 = 4;

/// Default table of a search limited by depth: fits a core's cache, and more has no effect at depth
/// 6.
const DEFAULT_TABLE_MIB: usize = 4;

const DEFAULT_TABLE_MIB_WITH_LIMITS: usize = 16;

/// Plies between iterations of searches limited by time or nodes; 2 score 48.9 % ± 1.5 against 1.
const LIMITED_DEEPENING_STEP: u32 = 1;

/// Default `probcut` of Star2 limited by time or nodes. Regret per decision at 60,000 nodes on
/// 2,000 positions of 6 to 12 stones: 0.00350 with 1.5, 0.00331 with 2, 0.00327 with 3.
const LIMITED_PROBCUT_SIGMAS: f32 = 3.0;

/// Default `probcut` of games without chance. In Reversi 0.6 scores 53.6 % ± 2.7 against 1.1 at 10 ms
/// a move, 54.9 % ± 4.3 at 50 ms; 0.8 51.8 % ± 2.4, 0.4 50.7 % ± 2.8 at 10 ms.
const LIMITED_ALPHA_BETA_PROBCUT_SIGMAS: f32 = 0.6;

/// Defaults of the move filter, the smallest that change no choice but for rounding: by the model
/// of backgammon in 500 positions at depth 2 and 200 at depth 3 (`benches/results/searches.md`).
const DEFAULT_FILTER: usize = 12;
const DEFAULT_REPLIES: usize = 4;
const DEFAULT_FILTER_DISTANCE: f32 = 0.08;

impl<G: Playable> SearchRecipe<G> {
    pub(super) fn evaluator_and_oracle(&self) -> EvaluatorAndOracle<G> {
        (Arc::clone(&self.evaluator), self.plan.oracle.clone())
    }

    pub(super) fn from_notation(
        notation: &Notation,
        arguments: &mut Arguments<'_>,
        game: &G,
    ) -> Result<(Self, G), Problem> {
        let name = notation.name.as_str();
        let depth = arguments.take("depth")?;
        let evaluator = arguments.take("eval")?;
        let game = game.with_assumed_chance(arguments)?;
        let limits = read_search_limits(arguments, depth)?;
        let strongest = Notation::new(game.strongest_evaluator_name());
        // Of games without chance searches that only time or nodes limit are meant to be strong.
        let is_open_ended = limits.depths[0].max == MAX_DEPTH && !limits.is_depth_only();
        let is_open_alpha_beta = is_open_ended && alpha_beta::suits(&game);
        let evaluator = match evaluator {
            None if is_open_alpha_beta => Some(&strongest),
            named => named,
        };
        let evaluator = or_default_evaluator(evaluator, &game)?;
        let (mut table, mut known) = (NO_TABLE, None);
        let shape = match name {
            "unified" | "textbook" => {
                require_single_depth(&limits, notation, name)?;
                Shape::Reference(match name {
                    "unified" => Form::Unified,
                    _ => Form::Textbook,
                })
            }
            _ => match read_multiplayer(notation, &game)? {
                MultiplayerSearch::MaxN => Shape::Unified {
                    options: StarOptions {
                        width: read_width::<G>(arguments)?,
                        ..StarOptions::default()
                    },
                    deepening: read_deepening(arguments, &limits)?,
                    threads: 1,
                    many: MultiplayerSearch::MaxN,
                },
                many => {
                    let cuts = match name {
                        "minimax" | "star0" => Pruning::None,
                        "star0.5" => Pruning::BetweenMoves,
                        "alphabeta" | "star1" | "maxn" | "bestreply" => Pruning::Star1,
                        _ => Pruning::Star2,
                    };
                    let plain = matches!(name, "minimax" | "alphabeta");
                    if plain && G::Outcomes::CAPACITY > 1 {
                        let star = if name == "minimax" { "star0" } else { "star1" };
                        let problem =
                            format!("'{name}' is for games without chance; here it is {star}");
                        return Err((notation.character, problem));
                    }
                    let form = match many {
                        MultiplayerSearch::Paranoid if !plain => read_form(arguments, &game)?,
                        _ => StarForm::Unified,
                    };
                    let negascout = form != StarForm::Filtered
                        && arguments.choice("negascout", &[("no", false), ("yes", true)])?;
                    let no_table = plain || form == StarForm::Outcomes;
                    // Deeper results of a selective search are no worse for being of another depth.
                    let usual = match is_open_alpha_beta {
                        true => DepthPolicy::Deeper,
                        false => DepthPolicy::SameDepth,
                    };
                    table = read_table(arguments, notation, &limits, no_table, usual)?;
                    if form == StarForm::Outcomes {
                        require_single_depth(&limits, notation, "form=outcomes")?;
                        Shape::Outcomes(StarByOutcomeOptions {
                            pruning: cuts,
                            negascout,
                        })
                    } else if form == StarForm::Filtered {
                        known = read_oracle_option(arguments, &game, None)?;
                        let options = read_filters(arguments, cuts)?;
                        Shape::Filtered(options, read_deepening(arguments, &limits)?)
                    } else {
                        let usual = match plain || cuts == Pruning::None {
                            true => Ordering::NONE,
                            false => Ordering::ALL,
                        };
                        let ordering = read_ordering(arguments, usual)?;
                        let by_limits = cuts == Pruning::Star2 && !limits.is_depth_only();
                        let usual = match (by_limits, alpha_beta::suits(&game)) {
                            (true, true) => LIMITED_ALPHA_BETA_PROBCUT_SIGMAS,
                            (true, false) => LIMITED_PROBCUT_SIGMAS,
                            _ => 0.0,
                        };
                        let probcut = arguments.number_named("probcut", 0.0..=100.0)?;
                        let options = StarOptions {
                            pruning: cuts,
                            negascout,
                            ordering,
                            probcut: Some(probcut.unwrap_or(usual))
                                .filter(|&probcut| probcut > 0.0),
                            width: read_width::<G>(arguments)?,
                        };
                        let deepening = read_deepening(arguments, &limits)?;
                        let threads = read_thread_count(arguments, limits.time)?;
                        let by_time = by_limits.then_some(limits.time.is_some());
                        known = read_oracle_option(arguments, &game, by_time)?;
                        Shape::Unified {
                            options,
                            deepening,
                            threads,
                            many,
                        }
                    }
                }
            },
        };
        let plan = SearchPlan {
            shape,
            limits,
            table,
            oracle: known,
        };
        Ok((Self { evaluator, plan }, game))
    }

    pub(super) fn is_time_limited(&self) -> bool {
        self.plan.limits.time.is_some()
    }

    /// Whether equal positions get equal moves: not with time limits, nor with several threads that
    /// share a table, where timing decides.
    pub(super) fn is_reproducible(&self) -> bool {
        let several = self.plan.table.entries > 0
            && matches!(self.plan.shape, Shape::Unified { threads, .. } if threads > 1);
        self.plan.limits.time.is_none() && !several
    }

    pub(super) fn make(&self, game: G, timed: bool) -> Box<dyn Player<G>> {
        let game = match self.plan.shape {
            Shape::Outcomes(_) => game.with_unmerged_outcomes(),
            _ => game,
        };
        Arc::clone(&self.evaluator).search_player(game, &self.plan, timed)
    }
}

impl<G: SearchGame> SearchPlan<G> {
    /// Makes a player. Only Star searches are compiled for the evaluator's type; others call it as
    /// `dyn`.
    pub(crate) fn make_player<E: Evaluator<G> + 'static>(
        &self,
        game: G,
        evaluator: Arc<E>,
        timed: bool,
    ) -> Box<dyn Player<G>> {
        let limits = self.limits;
        let Shape::Unified {
            options,
            deepening,
            threads,
            many: MultiplayerSearch::Paranoid,
        } = self.shape
        else {
            return self.make_dyn_player(game, EvaluatorPointer(evaluator), timed);
        };
        let table = self.allocate_table();
        let search =
            DeepeningSearch::new(game, evaluator, options, deepening, limits, table, threads);
        let search = search.with_oracle(self.oracle.as_ref());
        Box::new(SearchPlayer::new(search.with_eval_timer(timed)))
    }

    fn make_dyn_player(
        &self,
        game: G,
        evaluator: EvaluatorPointer<G>,
        timed: bool,
    ) -> Box<dyn Player<G>> {
        let (limits, table) = (self.limits, self.allocate_table());
        let depth = limits.depths[0].max;
        match self.shape {
            Shape::Reference(form) => {
                let search = Expectiminimax::new(game, evaluator, depth, form);
                Box::new(SearchPlayer::new(search))
            }
            Shape::Unified {
                options,
                deepening,
                many: MultiplayerSearch::MaxN,
                ..
            } => {
                let search = MaxN::new(game, evaluator, options.width);
                let search = search.into_deepening(deepening, limits);
                Box::new(SearchPlayer::new(search.with_eval_timer(timed)))
            }
            Shape::Unified {
                options,
                deepening,
                threads,
                many: MultiplayerSearch::BestReply,
            } => {
                let search = BestReplySearch::new(
                    game, evaluator, options, deepening, limits, table, threads,
                );
                Box::new(SearchPlayer::new(search.with_eval_timer(timed)))
            }
            Shape::Unified {
                many: MultiplayerSearch::Paranoid,
                ..
            } => unreachable!("made for the evaluator itself"),
            Shape::Outcomes(options) => {
                let search = StarByOutcome::new(game, evaluator, depth, options, table);
                Box::new(SearchPlayer::new(search.with_eval_timer(timed)))
            }
            Shape::Filtered(options, deepening) => {
                let search = FilteredStar::new(game, evaluator, options, table);
                let search = search.into_deepening(deepening, limits);
                let search = search.with_oracle(self.oracle.as_ref());
                Box::new(SearchPlayer::new(search.with_eval_timer(timed)))
            }
        }
    }

    fn allocate_table(&self) -> Option<Arc<Table>> {
        let TableRecipe {
            entries,
            replacement,
            reuse,
        } = self.table;
        (entries > 0)
            .then(|| Table::with_entries(entries, replacement, reuse))
            .flatten()
            .map(Arc::new)
    }
}

fn read_multiplayer<G: Playable>(
    notation: &Notation,
    game: &G,
) -> Result<MultiplayerSearch, Problem> {
    let name = notation.name.as_str();
    let many = match name {
        "maxn" => MultiplayerSearch::MaxN,
        "bestreply" => MultiplayerSearch::BestReply,
        _ => return Ok(MultiplayerSearch::Paranoid),
    };
    let played = G::INFO.name;
    if G::Outcomes::CAPACITY > 1 {
        Err(notation.problem_here(format!(
            "{name} is for games without chance; star1 searches {played}"
        )))
    } else if game.seats() == 2 {
        Ok(MultiplayerSearch::Paranoid)
    } else if many == MultiplayerSearch::BestReply && !G::SUPPORTS_OUT_OF_TURN {
        Err(notation.problem_here(format!(
            "{name} needs turns out of order, which {played} does not know; there are maxn and star1"
        )))
    } else {
        Ok(many)
    }
}

fn read_form<G: Game>(arguments: &mut Arguments<'_>, game: &G) -> Result<StarForm, Problem> {
    let unified = ("unified", StarForm::Unified);
    let outcomes = ("outcomes", StarForm::Outcomes);
    let filtered = ("filtered", StarForm::Filtered);
    match (G::SEPARATE_OUTCOMES, game.seats()) {
        (true, 2) => arguments.choice("form", &[filtered, unified, outcomes]),
        (_, 2) => arguments.choice("form", &[unified, outcomes, filtered]),
        _ => arguments.choice("form", &[unified, outcomes]),
    }
}

fn read_filters(
    arguments: &mut Arguments<'_>,
    pruning: Pruning,
) -> Result<FilteredStarOptions, Problem> {
    let within = arguments.number("within", 0.0..=1.0, DEFAULT_FILTER_DISTANCE)?;
    let filter = |max_moves| MoveFilter { max_moves, within };
    Ok(FilteredStarOptions {
        pruning,
        root_filter: filter(arguments.number("filter", 1..=usize::MAX, DEFAULT_FILTER)?),
        reply_filter: filter(arguments.number("replies", 1..=usize::MAX, DEFAULT_REPLIES)?),
    })
}

fn read_width<G: Game>(arguments: &mut Arguments<'_>) -> Result<Option<usize>, Problem> {
    if G::Outcomes::CAPACITY > 1 {
        return Ok(None);
    }
    arguments.number_named("width", 1..=usize::from(u16::MAX))
}

fn read_deepening(
    arguments: &mut Arguments<'_>,
    limits: &SearchLimits,
) -> Result<DeepeningOptions, Problem> {
    let step = if limits.is_depth_only() {
        DeepeningOptions::default().step
    } else {
        LIMITED_DEEPENING_STEP
    };
    let step = arguments.number("step", 1..=MAX_DEPTH, step)?;
    let aspiration = arguments.number_named("aspiration", 0.0..=1.0)?;
    Ok(DeepeningOptions { step, aspiration })
}

fn require_single_depth(
    limits: &SearchLimits,
    notation: &Notation,
    who: &str,
) -> Result<(), Problem> {
    if *limits == SearchLimits::to_depth(limits.depths[0].max) {
        return Ok(());
    }
    Err(notation.problem_here(format!("{who} takes no limit but depth")))
}

fn read_table(
    arguments: &mut Arguments<'_>,
    notation: &Notation,
    limits: &SearchLimits,
    none: bool,
    usual_reuse: DepthPolicy,
) -> Result<TableRecipe, Problem> {
    let is_shallow = limits
        .depths
        .iter()
        .all(|depth| depth.max < MIN_TABLE_DEPTH);
    let default = if none || is_shallow {
        0
    } else if limits.is_depth_only() {
        DEFAULT_TABLE_MIB
    } else {
        DEFAULT_TABLE_MIB_WITH_LIMITS
    };
    let entries = match arguments.number_named("entries", 0..=MAX_TABLE_MIB * ENTRIES_PER_MIB)? {
        Some(entries) => entries,
        None => arguments.number("table", 0..=MAX_TABLE_MIB, default)? * ENTRIES_PER_MIB,
    };
    let replacement = arguments.choice(
        "replace",
        &[
            ("bucket", Replacement::Bucketed),
            ("always", Replacement::Always),
            ("depth", Replacement::DepthPreferred),
            ("two_level", Replacement::TwoLevel),
        ],
    )?;
    let mut policies = [
        ("same", DepthPolicy::SameDepth),
        ("deeper", DepthPolicy::Deeper),
    ];
    // The first is the default.
    policies.sort_by_key(|policy| policy.1 != usual_reuse);
    let reuse = arguments.choice("reuse", &policies)?;
    if entries > 0 && Table::with_entries(entries, replacement, reuse).is_none() {
        let mebibytes = entries / ENTRIES_PER_MIB;
        return Err(
            notation.problem_here(format!("there is no memory for a table of {mebibytes} MiB"))
        );
    }
    Ok(TableRecipe {
        entries,
        replacement,
        reuse,
    })
}

fn read_ordering(arguments: &mut Arguments<'_>, default: Ordering) -> Result<Ordering, Problem> {
    let Some(value) = arguments.take_named("order")? else {
        return Ok(default);
    };
    let mut ordering = Ordering::NONE;
    for part in value.name.split(':') {
        match part {
            "all" => ordering = Ordering::ALL,
            "none" => {}
            "table" => ordering.table = true,
            "tactics" => ordering.tactics = true,
            "history" => ordering.history = true,
            "eval" => ordering.evaluator = true,
            _ => {
                return Err(value.problem_here(format!(
                    "'order' is none, all, or any of table, tactics, history, eval joined by ':', not '{value}'"
                )));
            }
        }
    }
    Ok(ordering)
}
