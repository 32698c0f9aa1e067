//! Matches and regret, with Python callables among those who are asked.
//!
//! Invariant: what the command line measures is measured here by the same code.

use crate::callables::{Called, Caller, Door, serve};
use crate::games::{Game, each};
use crate::models::{Looks, view};
use crate::tables::Tables;
use crate::{Told, Worded as _, pool};
use benches::arena::{Contestant, MatchOptions, Openings, PlayerFactory, Starts, play_match};
use benches::error::MeasuringError;
use benches::studies::regret::{
    self as studies,
    positions::{Source, draw_positions},
    report,
    suite::LabelledSuite,
    truth::label_exactly,
};
use engine::games::einstein::Standard;
use engine::learned::inputs::Learnable;
use engine::play::build::PlayerRecipe;
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
    let (rules, stop) = (&game.0, Arc::new(AtomicBool::new(false)));
    let most = terms.2.max(1);
    serve(
        py,
        &callables,
        &stop,
        most,
        |doors| each!(rules, rules => play(&*rules.game, sides, terms, doors, Arc::clone(&stop))),
    )
}

/// Plays a match; the result is the JSON of `alea arena`.
fn play<G: Learnable>(
    game: &G,
    sides: [Someone; 2],
    (pairs, seed, threads, luck): Terms,
    doors: Vec<Door>,
    stop: Arc<AtomicBool>,
) -> Told<String> {
    let mut doors = doors.into_iter();
    let [a, b] = sides.map(|side| contestant(game, side, &mut doors));
    let mut options = MatchOptions::new(game.clone(), pairs, seed);
    options.threads = threads;
    options.starts = Arc::new(Guarded(Openings::usual::<G>(), stop));
    if let Some(teller) = luck {
        let evaluated = Contestant::of(&format!("star1(depth=1, eval={teller})"), game);
        let named = evaluated.or_else(|_| Contestant::of(&teller, game));
        options.luck = Some(named.worded()?);
    }
    let result = play_match(&a?, &b?, &options).worded()?;
    serde_json::to_string(&result).worded()
}

fn contestant<G: Learnable>(
    game: &G,
    (kind, name, looks): Someone,
    doors: &mut impl Iterator<Item = Door>,
) -> Told<Contestant<G>> {
    let game = game.clone();
    let make: PlayerFactory<G> = if kind == CALLABLE {
        let view = view(&game, &looks)?;
        let door = doors.next().ok_or("a callable is missing")?;
        Arc::new(move || {
            Box::new(Caller {
                game: game.clone(),
                view,
                door: door.clone(),
                is_lost: false,
            })
        })
    } else {
        let recipe = PlayerRecipe::parse(&name, &game).worded()?;
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
    serve(py, &callables, &AtomicBool::new(false), 64, |doors| {
        measured(someone, &truth, seed, doors)
    })
}

/// What is given away: the JSON of `alea regret`.
fn measured(
    (kind, name, looks): Someone,
    truth: &Truth,
    seed: u64,
    mut doors: Vec<Door>,
) -> Told<String> {
    use studies::Contestant;
    let game = match truth {
        Truth::Suites(_) => Standard::default(),
        Truth::Tables((tables, _)) => (*tables.get().rules.game).clone(),
    };
    let contestant = if kind == CALLABLE {
        let view = view(&game, &looks)?;
        let door = doors.pop().ok_or("a callable is missing")?;
        let evaluator = Arc::new(Called { view, door });
        Ok(Contestant::Evaluator { name, evaluator })
    } else if kind == "player" {
        Contestant::player(&name, &game)
    } else {
        Contestant::evaluator(&name, &game)
    };
    let contestant = contestant.worded()?;
    let silent = ProgressBar::hidden();
    let label = || match truth {
        Truth::Suites(suites) => {
            let read = |(name, text): &(String, String)| {
                Ok(LabelledSuite::parse(name, text, &game)?.labelled)
            };
            let read: Result<Vec<_>, MeasuringError> = suites.iter().map(read).collect();
            read.map(|labelled| labelled.concat())
        }
        Truth::Tables((tables, count)) => {
            let (tables, source) = (&tables.get().tables, Source::Mixed);
            let stones = |_| 2..=tables.stones() as u32;
            let drawn = draw_positions(&game, &source, stones, *count, seed, &silent)?;
            label_exactly(&game, tables, &drawn)
        }
    };
    let of_suites = matches!(truth, Truth::Suites(_));
    let measured = pool()?.install(|| {
        let labelled = label()?;
        let measured = report::measure(&contestant, &game, &labelled, of_suites, seed, &silent);
        Ok::<_, MeasuringError>(measured)
    });
    serde_json::to_string(&measured.worded()?).worded()
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
