//! Matches and regret, with Python callables among those who are asked.
//!
//! Invariant: what the command line measures is measured here by the same code.

use crate::callables::{Called, Caller, Door, serve};
use crate::games::{Game, each};
use crate::models::Looks;
use crate::tables::Tables;
use crate::{Told, pool};
use arena::matches::{Contestant, MatchOptions, Openings, PlayerFactory, Starts, play_match};
use arena::regret::{
    self as studies,
    positions::{Source, draw_positions},
    report,
    suite::LabelledSuite,
    truth::label_exactly,
};
use engine::games::einstein::Standard;
use engine::learned::inputs::Learnable;
use engine::play::{build::PlayerRecipe, notation::trusted};
use indicatif::ProgressBar;
use pyo3::prelude::*;
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

/// Who plays or is judged: `player`, `evaluator` or `callable`, its name, and what it looks at.
type Someone = (String, String, Looks);

/// Pairs, seed, threads, and who tells luck.
type Terms = (u64, u64, usize, Option<String>);

/// A match; the result is JSON.
#[pyfunction]
pub(crate) fn arena(
    py: Python<'_>,
    game: &Game,
    sides: [Someone; 2],
    callables: Vec<Bound<'_, PyAny>>,
    terms: Terms,
) -> PyResult<String> {
    serve(
        py,
        &callables,
        terms.2.max(1),
        |doors, stop| each!(&game.0, rules => play(&*rules.game, sides, terms, doors, stop)),
    )
}

/// Plays a match; the result is the JSON of `alea arena`.
fn play<G: Learnable>(
    game: &G,
    sides: [Someone; 2],
    (pairs, seed, threads, luck): Terms,
    mut doors: impl Iterator<Item = Door>,
    stop: Arc<AtomicBool>,
) -> Told<String> {
    let [a, b] = sides.map(|side| contestant(game, side, &mut doors));
    let mut options = MatchOptions::new(game.clone(), pairs, seed);
    options.threads = threads;
    options.starts = Arc::new(Guarded(Openings::usual::<G>(), stop));
    if let Some(teller) = luck {
        let evaluated = Contestant::of(trusted(&format!("star1(depth=1, eval={teller})")), game);
        let named = evaluated.or_else(|_| Contestant::of(trusted(&teller), game));
        options.luck = Some(named?);
    }
    Ok(serde_json::to_string(&play_match(&a?, &b?, &options)?)?)
}

fn contestant<G: Learnable>(
    game: &G,
    (kind, name, looks): Someone,
    doors: &mut impl Iterator<Item = Door>,
) -> Told<Contestant<G>> {
    let make: PlayerFactory<G> = if kind == CALLABLE {
        let (game, called) = (game.clone(), Called::next(game, &looks, doors)?);
        Arc::new(move || {
            let (game, called) = (game.clone(), called.clone());
            Box::new(Caller { game, called })
        })
    } else {
        let recipe = PlayerRecipe::parse(trusted(&name), game)?;
        Arc::new(move || recipe.make())
    };
    Ok(Contestant { name, make })
}

/// The usual openings, until Python is interrupted.
struct Guarded(Openings, Arc<AtomicBool>);

impl<G: Learnable> Starts<G> for Guarded {
    fn of_pair(&self, game: &G, pair: u64, seed: u64) -> G::Position {
        if self.1.load(Ordering::Relaxed) {
            // Ends the match without a word.
            std::panic::resume_unwind(Box::new(()));
        }
        self.0.of_pair(game, pair, seed)
    }

    fn before_pair(&self, game: &G, pair: u64, seed: u64) -> Vec<(G::Position, G::Move)> {
        self.0.before_pair(game, pair, seed)
    }

    fn are_drawn(&self) -> bool {
        true
    }

    fn identity(&self) -> serde_json::Value {
        serde_json::Value::Null
    }

    fn words(&self) -> String {
        Starts::<G>::words(&self.0)
    }
}

const CALLABLE: &str = "callable";

/// What regret is measured on: suites, texts with their names; or so many positions of few stones.
#[derive(FromPyObject)]
pub(crate) enum Truth {
    Suites(Vec<(String, String)>),
    Tables((Py<Tables>, u64)),
}

/// The regret of somebody: JSON.
#[pyfunction]
pub(crate) fn regret(
    py: Python<'_>,
    someone: Someone,
    callables: Vec<Bound<'_, PyAny>>,
    truth: Truth,
    seed: u64,
) -> PyResult<String> {
    serve(py, &callables, 64, |doors, _| {
        measured(someone, &truth, seed, doors)
    })
}

/// What is given away: the JSON of `alea regret`.
fn measured(
    (kind, name, looks): Someone,
    truth: &Truth,
    seed: u64,
    mut doors: impl Iterator<Item = Door>,
) -> Told<String> {
    use studies::Contestant;
    let game = match truth {
        Truth::Suites(_) => Standard::default(),
        Truth::Tables((tables, _)) => (*tables.get().rules.game).clone(),
    };
    let contestant = match kind.as_str() {
        CALLABLE => {
            let evaluator = Arc::new(Called::next(&game, &looks, &mut doors)?);
            Contestant::Evaluator { name, evaluator }
        }
        "player" => Contestant::player(trusted(&name), &game)?,
        _ => Contestant::evaluator(trusted(&name), &game)?,
    };
    let silent = ProgressBar::hidden();
    let label = || {
        Told::Ok(match truth {
            Truth::Suites(suites) => {
                let read = |(name, text): &(String, String)| {
                    Told::Ok(LabelledSuite::parse(name, text, &game)?.labelled)
                };
                suites.iter().map(read).collect::<Told<Vec<_>>>()?.concat()
            }
            Truth::Tables((tables, count)) => {
                let (tables, source) = (&tables.get().tables, Source::Mixed);
                let stones = |_| 2..=tables.stones() as u32;
                let drawn = draw_positions(&game, &source, stones, *count, seed, &silent)?;
                label_exactly(&game, tables, &drawn)?
            }
        })
    };
    let of_suites = matches!(truth, Truth::Suites(_));
    let measured = pool()?.install(|| {
        let labelled = label()?;
        let measured = report::measure(&contestant, &game, &labelled, of_suites, seed, &silent);
        Told::Ok(measured?)
    });
    Ok(serde_json::to_string(&measured?)?)
}

/// The suites of the benchmark, texts with their names.
#[pyfunction]
pub(crate) fn suites() -> [(&'static str, &'static str); 8] {
    macro_rules! suites {
        ($($stones:literal),*) => {[$((
            concat!("stones-", $stones, ".jsonl"),
            include_str!(concat!("../../data/suites/stones-", $stones, ".jsonl")),
        )),*]};
    }
    suites!(5, 6, 7, 8, 9, 10, 11, 12)
}
