//! From notation to searches of the expectiminimax family: `star2(depth=6, eval=schwarz)` and its
//! relatives.

use super::limits::{limits, threads};
use super::{assumed_die, evaluators, tablebase};
use crate::core::oracle::Oracle;
use crate::games::einstein::Standard;
use crate::games::einstein::evaluators::any::{AnyEvaluator, with_evaluator};
use crate::games::einstein::evaluators::open_dice::OpenDiceEvaluator;
use crate::games::einstein::open_dice::OpenDice;
use crate::games::einstein::tables::shared::at_hand;
use crate::play::notation::{Arguments, Notation, Problem, parse_number};
use crate::play::player::Player;
use crate::play::searching::{OpenDicePlayer, SearchPlayer};
use crate::search::deepening::{Deepening, DeepeningSearch};
use crate::search::expectiminimax::{Expectiminimax, Form};
use crate::search::limits::{Limits, MOST_DEPTH, TimeLimit};
use crate::search::meter::Meter;
use crate::search::ordering::Ordering;
use crate::search::outcomes::{Options, OutcomeSearch};
use crate::search::star::{Cuts, StarOptions};
use crate::search::table::{Replacement, Reuse, Table};
use std::sync::Arc;

/// A search that can be made again and again.
#[derive(Clone)]
pub(super) struct SearchRecipe {
    shape: Shape,
    limits: Limits,
    table: TableRecipe,
    evaluator: AnyEvaluator,
    oracle: Option<Arc<dyn Oracle<Standard>>>,
}

#[derive(Clone, Copy)]
enum Shape {
    /// Without cuts, in `f64`: the references.
    Reference(Form),
    /// On the unified operator.
    Unified {
        options: StarOptions,
        deepening: Deepening,
        threads: usize,
    },
    /// Outcome by outcome, each face of the die apart.
    Outcomes(Options),
    /// As if the rolls to come were known: drawn from the seed.
    OpenDice { options: StarOptions, seed: u64 },
}

#[derive(Clone, Copy)]
struct TableRecipe {
    /// 0 for no table.
    entries: usize,
    replacement: Replacement,
    reuse: Reuse,
}

/// Largest table a player may ask for, in MiB. Every worker thread makes players of its own, each
/// with a table.
const LARGEST_TABLE: usize = 1 << 12;

/// Entries in a MiB.
const ENTRIES: usize = 1 << 16;

/// From this depth on a search has a table unless told otherwise; below, transpositions are too
/// rare to pay.
const TABLE_FROM_DEPTH: u32 = 4;

/// MiB of a table when none are named: at depth 6 more brings nothing, and this much stays in a
/// core's own cache.
const DEFAULT_TABLE: usize = 4;

/// MiB of a table when time or nodes end the search, so that it may get deep.
const DEFAULT_TABLE_WITH_LIMITS: usize = 16;

/// Plies from one iteration to the next when time or nodes end the search. At 10 ms a move steps of
/// 2 score 48.9 % ± 1.5 against steps of 1.
const STEP_WITH_LIMITS: u32 = 1;

/// Stones of the endgame tables when time or nodes end a Star2 search: they are built in a fraction
/// of a second.
const TABLEBASE_WITH_LIMITS: usize = 4;

/// Stones of the endgame tables that are taken from files, if they are there, when time ends a
/// Star2 search: those of more do not fit into memory. With a limit of nodes they are not, so that
/// its moves do not depend on files.
const MOST_AT_HAND: usize = 5;

/// Standard deviations of ProbCut when time or nodes end a Star2 search: 1.5, 2 and 3 give away
/// 0.00350, 0.00331 and 0.00327 a decision at 60,000 nodes (`alea regret --suite
/// data/suites/regret.jsonl`); without tables 2 gives away 0.00398, none 0.00403.
const PROBCUT_WITH_LIMITS: f32 = 3.0;

impl SearchRecipe {
    /// A search with everything at its default.
    pub(super) fn fixed_depth(depth: u32, evaluator: AnyEvaluator) -> Self {
        let entries = if depth >= TABLE_FROM_DEPTH {
            DEFAULT_TABLE * ENTRIES
        } else {
            0
        };
        let shape = Shape::Unified {
            options: StarOptions::default(),
            deepening: Deepening::default(),
            threads: 1,
        };
        let table = TableRecipe {
            entries,
            replacement: Replacement::default(),
            reuse: Reuse::default(),
        };
        Self {
            shape,
            limits: Limits::to_depth(depth),
            table,
            evaluator,
            oracle: None,
        }
    }

    /// ABSeval, an opponent of Monte_Alpha: alpha-beta with a table and an evaluation by threats,
    /// of which no details are published; so Star1 with attack, block and threat.
    pub(super) fn abseval(limit: TimeLimit, game: &Standard) -> Self {
        let options = StarOptions {
            cuts: Cuts::Star1,
            ..StarOptions::default()
        };
        let deepening = Deepening {
            step: STEP_WITH_LIMITS,
            ..Deepening::default()
        };
        let entries = DEFAULT_TABLE_WITH_LIMITS * ENTRIES;
        Self {
            shape: Shape::Unified {
                options,
                deepening,
                threads: 1,
            },
            limits: Limits {
                time: Some(limit),
                ..Limits::to_depth(MOST_DEPTH)
            },
            table: TableRecipe {
                entries,
                replacement: Replacement::default(),
                reuse: Reuse::default(),
            },
            evaluator: evaluators::attack_block_threat(game),
            oracle: None,
        }
    }

    /// Reads the notation if its name is that of a search; also returns the rules with the die that
    /// it assumes.
    pub(super) fn from_notation(
        notation: &Notation,
        arguments: &mut Arguments<'_>,
        game: Standard,
    ) -> Result<(Self, Standard), Problem> {
        let depth = arguments.take("depth")?;
        let evaluator = arguments.take("eval")?;
        let game = assumed_die(arguments, game)?;
        let limits = limits(arguments, depth)?;
        let evaluator = match evaluator {
            Some(notation) => evaluators::from_notation(notation, &game)?,
            None => evaluators::schwarz(&game),
        };
        let cuts = match notation.name.as_str() {
            "unified" | "textbook" => {
                let form = if notation.name == "unified" {
                    Form::Unified
                } else {
                    Form::Textbook
                };
                only_one_depth(&limits, notation, &notation.name)?;
                let table = TableRecipe {
                    entries: 0,
                    replacement: Replacement::default(),
                    reuse: Reuse::default(),
                };
                return Ok((
                    Self {
                        shape: Shape::Reference(form),
                        limits,
                        table,
                        evaluator,
                        oracle: None,
                    },
                    game,
                ));
            }
            "minimax" | "star0" => Cuts::None,
            "star0.5" => Cuts::Between,
            "alphabeta" | "star1" => Cuts::Star1,
            _ => Cuts::Star2,
        };
        let open_dice = matches!(notation.name.as_str(), "minimax" | "alphabeta");
        let negascout = arguments.choice("negascout", &[("no", false), ("yes", true)])?;
        let outcomes =
            !open_dice && arguments.choice("form", &[("unified", false), ("outcomes", true)])?;
        let table = table(arguments, notation, &limits, open_dice || outcomes)?;
        let shape = if outcomes {
            Shape::Outcomes(Options { cuts, negascout })
        } else {
            let ordering = ordering(
                arguments,
                if open_dice || cuts == Cuts::None {
                    Ordering::NONE
                } else {
                    Ordering::ALL
                },
            )?;
            let probcut = match arguments.take_named("probcut")? {
                Some(value) => parse_number("probcut", value, 0.0..=100.0)?,
                None if cuts == Cuts::Star2 && !limits.only_depth() => PROBCUT_WITH_LIMITS,
                None => 0.0,
            };
            let options = StarOptions {
                cuts,
                negascout,
                ordering,
                probcut: (probcut > 0.0).then_some(probcut),
            };
            if open_dice {
                Shape::OpenDice {
                    options,
                    seed: arguments.number("dice", 0..=u64::MAX, 1)?,
                }
            } else {
                let step = if limits.only_depth() {
                    Deepening::default().step
                } else {
                    STEP_WITH_LIMITS
                };
                let step = arguments.number("step", 1..=MOST_DEPTH, step)?;
                let aspiration = arguments.take_named("aspiration")?;
                let aspiration = aspiration
                    .map(|value| parse_number("aspiration", value, 0.0..=1.0))
                    .transpose()?;
                let deepening = Deepening { step, aspiration };
                let threads = threads(arguments, limits.time)?;
                Shape::Unified {
                    options,
                    deepening,
                    threads,
                }
            }
        };
        if outcomes {
            only_one_depth(&limits, notation, "form=outcomes")?;
        }
        let stones = match limits.time {
            _ if cuts != Cuts::Star2 || limits.only_depth() => 0,
            Some(_) => at_hand(game.variant()).clamp(TABLEBASE_WITH_LIMITS, MOST_AT_HAND),
            None => TABLEBASE_WITH_LIMITS,
        };
        let oracle = if matches!(shape, Shape::Unified { .. }) {
            tablebase(arguments, &game, stones)?
        } else {
            None
        };
        Ok((
            Self {
                shape,
                limits,
                table,
                evaluator,
                oracle,
            },
            game,
        ))
    }

    /// Whether the same seed gives the same moves: not with a limit of time, and not with several
    /// threads, which reach positions in an order of their own.
    pub(super) fn is_reproducible(&self) -> bool {
        let several = self.table.entries > 0
            && matches!(self.shape, Shape::Unified { threads, .. } if threads > 1);
        self.limits.time.is_none() && !several
    }

    pub(super) fn make<M: Meter + 'static>(&self, game: Standard) -> Box<dyn Player<Standard>> {
        let limits = self.limits;
        // Without memory for a table a search is slower, and finds the same.
        let table = || {
            let TableRecipe {
                entries,
                replacement,
                reuse,
            } = self.table;
            (entries > 0)
                .then(|| Table::with_entries(entries, replacement, reuse))
                .flatten()
                .map(Arc::new)
        };
        let depth = limits.depths[0].most;
        with_evaluator!(&self.evaluator, evaluator => {
            let evaluator = Arc::clone(evaluator);
            match self.shape {
                Shape::Reference(form) => Box::new(SearchPlayer::new(Expectiminimax::new(game, evaluator, depth, form))),
                Shape::Unified { options, deepening, threads } => {
                    let search = DeepeningSearch::<_, _, M>::new(game, evaluator, options, deepening, limits, table(), threads);
                    Box::new(SearchPlayer::new(search.with_oracle(self.oracle.as_ref())))
                }
                Shape::Outcomes(options) => {
                    Box::new(SearchPlayer::new(OutcomeSearch::<_, _, M>::new(game.face_by_face(), evaluator, depth, options, table())))
                }
                Shape::OpenDice { options, seed } => {
                    let (open, evaluator) = (OpenDice::new(game, seed), OpenDiceEvaluator(evaluator));
                    let search = DeepeningSearch::<_, _, M>::new(open, evaluator, options, Deepening::default(), limits, table(), 1);
                    Box::new(OpenDicePlayer::new(search))
                }
            }
        })
    }
}

/// Searches without deepening go to one depth.
fn only_one_depth(limits: &Limits, notation: &Notation, who: &str) -> Result<(), Problem> {
    if *limits == Limits::to_depth(limits.depths[0].most) {
        return Ok(());
    }
    Err((
        notation.character,
        format!("{who} takes no limit but depth"),
    ))
}

/// `table=MIB` or `entries=N`, `replace`, `reuse`.
fn table(
    arguments: &mut Arguments<'_>,
    notation: &Notation,
    limits: &Limits,
    none: bool,
) -> Result<TableRecipe, Problem> {
    let deepest = limits
        .depths
        .iter()
        .map(|depth| depth.most)
        .max()
        .unwrap_or(1);
    let default = if none || deepest < TABLE_FROM_DEPTH {
        0
    } else if limits.only_depth() {
        DEFAULT_TABLE
    } else {
        DEFAULT_TABLE_WITH_LIMITS
    };
    let entries = match arguments.take_named("entries")? {
        Some(value) => parse_number("entries", value, 0..=LARGEST_TABLE * ENTRIES)?,
        None => arguments.number("table", 0..=LARGEST_TABLE, default)? * ENTRIES,
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
    let reuse = arguments.choice(
        "reuse",
        &[("same", Reuse::SameDepth), ("deeper", Reuse::Deeper)],
    )?;
    // Better refused here than by the system in the middle of a match.
    if entries > 0 && Table::with_entries(entries, replacement, reuse).is_none() {
        return Err((
            notation.character,
            format!(
                "there is no memory for a table of {} MiB",
                entries / ENTRIES
            ),
        ));
    }
    Ok(TableRecipe {
        entries,
        replacement,
        reuse,
    })
}

/// `order=none`, `order=all`, or any of table, tactics, history, eval joined by ':'.
fn ordering(arguments: &mut Arguments<'_>, default: Ordering) -> Result<Ordering, Problem> {
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
                let problem = format!(
                    "'order' is none, all, or any of table, tactics, history, eval joined by ':', not '{value}'"
                );
                return Err((value.character, problem));
            }
        }
    }
    Ok(ordering)
}
