//! Players that are asked.
//!
//! Invariant: answers depend on question and seed alone, not on what was asked before or on how many
//! threads there are.

use crate::Told;
use crate::games::{Game, any, each};
use crate::positions::{At, Question, heard, own, question};
use crate::whole::Whole;
use engine::core::{
    game::OutcomeList as _,
    random::{SeedSpace, derive_seed},
};
use engine::learned::inputs::Learnable;
use engine::play::{
    build::PlayerRecipe, notation::trusted, player::Player as Playing,
};
use engine::search::limits::Limits;
use pyo3::prelude::*;
use std::sync::Arc;

/// A player by its notation. Every question is answered as the first of a game with its seed.
#[pyclass(frozen, subclass, module = "alea")]
pub(crate) struct Player {
    game: Py<Game>,
    thinker: any!(Thinker),
}

/// What a player thinks of a position: a dict in Python.
#[derive(Default, IntoPyObject)]
struct Analysis {
    value: Option<f32>,
    /// What such a value has been worth in whole games, where that was fitted.
    calibrated: Option<f32>,
    best: Option<String>,
    moves: Vec<(String, Option<f32>)>,
    nodes: u64,
    evaluations: u64,
}

struct Thinker<G: Learnable> {
    game: Arc<G>,
    recipe: PlayerRecipe<G>,
    seed: u64,
}

impl<G: Learnable> Thinker<G> {
    fn new(game: &Arc<G>, notation: &str, seed: u64) -> Told<Self> {
        Ok(Self {
            recipe: PlayerRecipe::parse(trusted(notation), &**game)?,
            game: Arc::clone(game),
            seed: derive_seed(seed, SeedSpace::Player, &[]),
        })
    }

    /// Asks players of their own on each thread; each question stands alone.
    fn ask<T: Send + Default>(
        &self,
        questions: &[Question],
        threads: usize,
        answer: impl Fn(&mut dyn Playing<G>, &At<G>, Option<u8>) -> Told<T> + Sync,
    ) -> Told<Vec<T>> {
        // Without chance nothing is waited for.
        let certain = (G::Outcomes::BOUND == 1).then_some(0);
        let some = |questions: &[Question]| {
            let mut player = self.recipe.make();
            let one = |(position, outcome): &Question| {
                player.new_game(self.seed);
                let at = own(&*self.game, position)?;
                answer(&mut *player, at, outcome.or(certain))
            };
            questions.iter().map(one).collect::<Told<Vec<T>>>()
        };
        let share = questions.len().div_ceil(threads.max(1)).max(1);
        if share >= questions.len() {
            return some(questions);
        }
        let answers = std::thread::scope(|scope| {
            let some = &some;
            let start = |share| scope.spawn(move || some(share));
            let running: Vec<_> = questions.chunks(share).map(start).collect();
            let ended = running.into_iter().map(|thread| {
                let ended = thread.join();
                ended.unwrap_or_else(|_| Err("a thread of the player panicked".into()))
            });
            ended.collect::<Told<Vec<_>>>()
        })?;
        Ok(answers.into_iter().flatten().collect())
    }

    fn decide(&self, questions: &[Question], threads: usize) -> Told<Vec<String>> {
        self.ask(questions, threads, |player, at, outcome| {
            let outcome = outcome.ok_or("a decision needs to know what chance has said")?;
            let legal = at.legal(Some(outcome))?;
            if legal.is_empty() {
                return Err("the position has no moves".into());
            }
            let decision = player.decide(&at.position, &legal, &Limits::NONE);
            let decision =
                decision.map_err(|failure| format!("{}: {failure}", self.recipe.name()))?;
            Ok(self.game.format_move(&at.position, decision.best))
        })
    }

    fn analyse(&self, questions: &[Question], threads: usize) -> Told<Vec<Analysis>> {
        self.ask(questions, threads, |player, at, outcome| {
            analysis(&self.recipe, player, at, outcome)
        })
    }
}

/// What `alea analyse` says of a position.
fn analysis<G: Learnable>(
    recipe: &PlayerRecipe<G>,
    player: &mut dyn Playing<G>,
    at: &At<G>,
    outcome: Option<u8>,
) -> Told<Analysis> {
    let (game, position) = (&*at.game, &at.position);
    if let Some(payoff) = game.payoff(position, game.to_move(position)) {
        return Ok(Analysis {
            value: Some(payoff),
            ..Analysis::default()
        });
    }
    at.check(outcome)?;
    let analysis = recipe.analyse(player, game, position, outcome, &Limits::NONE, None)?;
    let name = |mv| game.format_move(position, mv);
    let moves = analysis.moves.iter().map(|rated| (name(rated.mv), rated.value));
    Ok(Analysis {
        value: analysis.value,
        calibrated: analysis.calibrated,
        best: analysis.best.map(name),
        moves: moves.collect(),
        nodes: analysis.stats.nodes,
        evaluations: analysis.stats.evaluations,
    })
}

impl Player {
    fn questions(
        &self,
        positions: &[Bound<'_, PyAny>],
        outcome: Option<Whole<i64>>,
    ) -> PyResult<Vec<Question>> {
        let outcome = each!(&self.game.get().0, rules => {
            heard(&*rules.game, outcome.as_ref())
        })?;
        let read = |position| {
            let (position, said) = question(self.game.get(), position)?;
            Ok((position, outcome.or(said)))
        };
        positions.iter().map(read).collect()
    }
}

/// Refuses a player whose notation names a file or a program: what somebody sent opens and starts none.
#[pyfunction]
pub(crate) fn check_foreign(game: &Game, notation: &str) -> Told<()> {
    each!(&game.0, rules => Ok(PlayerRecipe::parse(notation, &*rules.game).map(drop)?))
}

#[pymethods]
impl Player {
    #[new]
    #[pyo3(signature = (game, notation, seed = Whole(1)))]
    fn new(game: Bound<'_, Game>, notation: &str, seed: Whole<u64>) -> Told<Self> {
        let thinker =
            each!(&game.get().0, rules => in Thinker::new(&rules.game, notation, seed.0)?);
        let game = game.unbind();
        Ok(Self { game, thinker })
    }

    /// Its notation in normal form.
    #[getter]
    fn notation(&self) -> &str {
        each!(&self.thinker, thinker => thinker.recipe.name())
    }

    /// The move of each of some positions, where chance has said `outcome`, or what their texts say.
    #[pyo3(signature = (positions, outcome = None, threads = Whole(1)))]
    fn decide_all(
        &self,
        py: Python<'_>,
        positions: Vec<Bound<'_, PyAny>>,
        outcome: Option<Whole<i64>>,
        threads: Whole<usize>,
    ) -> PyResult<Vec<String>> {
        let (questions, Whole(threads)) = (self.questions(&positions, outcome)?, threads);
        Ok(py.detach(|| each!(&self.thinker, thinker => thinker.decide(&questions, threads)))?)
    }

    /// What it thinks of each of some positions.
    #[pyo3(signature = (positions, outcome = None, threads = Whole(1)))]
    fn analyse_all(
        &self,
        py: Python<'_>,
        positions: Vec<Bound<'_, PyAny>>,
        outcome: Option<Whole<i64>>,
        threads: Whole<usize>,
    ) -> PyResult<Vec<Analysis>> {
        let (questions, Whole(threads)) = (self.questions(&positions, outcome)?, threads);
        Ok(py.detach(|| each!(&self.thinker, thinker => thinker.analyse(&questions, threads)))?)
    }
}
