//! Matches and regret, also of Python callables, with the results of the command line.

use crate::callables::{CallableBridge, CallableEvaluator, CallablePlayer, serve};
use crate::endgame_tables::Tables;
use crate::game_dispatch::{Game, dispatch};
use crate::models::FeatureSpec;
use crate::{PyRes, pool};
use ::arena::matches::{Contestant, MatchOptions, Openings, PlayerFactory, Starts, play_match};
use ::arena::regret::{
    self as regret_study,
    positions::{Source, draw_positions},
    reference_values::label_exactly,
    report,
    suite::LabelledSuite,
};
use engine::games::einstein::{Position, Standard};
use engine::learned::inputs::Learnable;
use engine::play::{build::PlayerRecipe, playable::Playable, player_notation::trusted_text};
use indicatif::ProgressBar;
use pyo3::prelude::*;
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

/// Kind (`player`, `evaluator` or `callable`), name, and features.
type Participant = (String, String, FeatureSpec);

/// Pairs, seed, threads, and evaluator for luck.
type MatchTerms = (u64, u64, usize, Option<String>);

#[pyfunction(name = "arena")]
pub(crate) fn run_arena(
    py: Python<'_>,
    game: &Game,
    sides: [Participant; 2],
    callables: Vec<Bound<'_, PyAny>>,
    terms: MatchTerms,
) -> PyResult<String> {
    serve(
        py,
        &callables,
        terms.2.max(1),
        |bridges, stop| dispatch!(&game.0, rules => play_json(&*rules.game, sides, terms, bridges, stop)),
    )
}

fn play_json<G: Learnable>(
    game: &G,
    sides: [Participant; 2],
    (pairs, seed, threads, luck): MatchTerms,
    mut bridges: impl Iterator<Item = CallableBridge>,
    stop: Arc<AtomicBool>,
) -> PyRes<String> {
    let [a, b] = sides.map(|side| parse_contestant(game, side, &mut bridges));
    let mut options = MatchOptions::new(game.clone(), pairs, seed);
    options.threads = threads;
    options.starts = Arc::new(StoppableOpenings(Openings::by_default::<G>(), stop));
    if let Some(luck_evaluator) = luck {
        let evaluated = Contestant::of(
            trusted_text(&format!("star1(depth=1, eval={luck_evaluator})")),
            game,
        );
        let luck_contestant =
            evaluated.or_else(|_| Contestant::of(trusted_text(&luck_evaluator), game));
        options.luck = Some(luck_contestant?);
    }
    Ok(serde_json::to_string(&play_match(&a?, &b?, &options)?)?)
}

fn parse_contestant<G: Learnable>(
    game: &G,
    (kind, name, features): Participant,
    bridges: &mut impl Iterator<Item = CallableBridge>,
) -> PyRes<Contestant<G>> {
    let make: PlayerFactory<G> = if kind == CALLABLE_KIND {
        let (game, evaluator) = (
            game.clone(),
            CallableEvaluator::taking_bridge(game, &features, bridges)?,
        );
        Arc::new(move || {
            let (game, evaluator) = (game.clone(), evaluator.clone());
            Box::new(CallablePlayer { game, evaluator })
        })
    } else {
        let recipe = PlayerRecipe::parse(trusted_text(&name), game)?;
        Arc::new(move || recipe.make())
    };
    Ok(Contestant { name, make })
}

/// Default openings that end the match once Python is interrupted.
struct StoppableOpenings(Openings, Arc<AtomicBool>);

impl<G: Learnable> Starts<G> for StoppableOpenings {
    fn of_pair(&self, game: &G, pair: u64, seed: u64) -> G::Position {
        if self.1.load(Ordering::Relaxed) {
            // Without a panic message.
            std::panic::resume_unwind(Box::new(()));
        }
        self.0.of_pair(game, pair, seed)
    }

    fn opening_moves(&self, game: &G, pair: u64, seed: u64) -> Vec<(G::Position, G::Move)> {
        self.0.opening_moves(game, pair, seed)
    }

    fn is_random(&self) -> bool {
        true
    }

    fn identity(&self) -> serde_json::Value {
        serde_json::Value::Null
    }

    fn description(&self) -> String {
        Starts::<G>::description(&self.0)
    }
}

const CALLABLE_KIND: &str = "callable";

/// Suites as names and texts, or tables and a number of positions.
#[derive(FromPyObject)]
pub(crate) enum RegretPositions {
    Suites(Vec<(String, String)>),
    Tables((Py<Tables>, u64)),
}

/// The regret of a participant, as JSON.
#[pyfunction]
pub(crate) fn regret(
    py: Python<'_>,
    participant: Participant,
    callables: Vec<Bound<'_, PyAny>>,
    truth: RegretPositions,
    seed: u64,
) -> PyResult<String> {
    serve(py, &callables, 64, |bridges, _| {
        regret_json(participant, &truth, seed, bridges)
    })
}

fn regret_json(
    (kind, name, features): Participant,
    truth: &RegretPositions,
    seed: u64,
    mut bridges: impl Iterator<Item = CallableBridge>,
) -> PyRes<String> {
    use regret_study::Contestant;
    let game = match truth {
        RegretPositions::Suites(_) => Standard::default(),
        RegretPositions::Tables((tables, _)) => (*tables.get().rules.game).clone(),
    };
    let parse_contestant = match kind.as_str() {
        CALLABLE_KIND => {
            let evaluator = Arc::new(CallableEvaluator::taking_bridge(
                &game,
                &features,
                &mut bridges,
            )?);
            Contestant::Evaluator { name, evaluator }
        }
        "player" => Contestant::parse_player(trusted_text(&name), &game)?,
        _ => Contestant::parse_evaluator(trusted_text(&name), &game)?,
    };
    let progress = ProgressBar::hidden();
    let label = || {
        PyRes::Ok(match truth {
            RegretPositions::Suites(suites) => {
                let read = |(name, text): &(String, String)| {
                    PyRes::Ok(LabelledSuite::parse(name, text, &game)?.labelled)
                };
                suites.iter().map(read).collect::<PyRes<Vec<_>>>()?.concat()
            }
            RegretPositions::Tables((tables, count)) => {
                let (tables, source) = (&tables.get().tables, Source::default_of(&game)?);
                let stones = |_| 2..=tables.max_stones();
                let sampled = draw_positions(&game, &source, stones, *count, seed, &progress)?;
                label_exactly(&game, &**tables, &sampled)?
            }
        })
    };
    let class = |position: &Position| match (Standard::registry().oracle, truth) {
        (Some(entry), RegretPositions::Tables(_)) => (entry.class)(&game, position),
        _ => LabelledSuite::class(position),
    };
    let regret_json = pool()?.install(|| {
        let labelled = label()?;
        let regret_json =
            report::measure(&parse_contestant, &game, &labelled, class, seed, &progress);
        PyRes::Ok(regret_json?)
    });
    Ok(serde_json::to_string(&regret_json?)?)
}

/// EinStein's benchmark suites: file name and contents of each.
#[pyfunction]
pub(crate) fn suites() -> [(String, &'static str); 8] {
    let suite = |stones| {
        (
            format!("stones-{stones}.jsonl"),
            alea_data::regret_suite(stones),
        )
    };
    std::array::from_fn(|number| suite(number + 5))
}
