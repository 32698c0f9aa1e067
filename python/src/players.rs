//! Players by their notation. Answers depend on position and seed alone, not on earlier ones or
//! threads.

use crate::PyRes;
use crate::game_dispatch::{Game, any_game, dispatch};
use crate::integers::Integer;
use crate::positions::{
    GamePosition, PositionQuery, downcast_position, optional_outcome, parse_query,
};
use engine::core::{
    game::OutcomeList as _,
    random::{SeedSpace, derive_seed},
};
use engine::learned::inputs::Learnable;
use engine::play::{
    build::PlayerRecipe, own_scale::OwnScale, player::Player as EnginePlayer, player_notation::trusted_text,
};
use engine::search::limits::Limits;
use pyo3::prelude::*;
use std::{collections::BTreeMap, sync::Arc};

/// A player by its notation. Every position is answered as the first of a game with its seed.
#[pyclass(frozen, subclass, module = "alea")]
pub(crate) struct Player {
    game: Py<Game>,
    typed: any_game!(TypedPlayer),
}

/// Analysis, a dict in Python.
#[derive(Default, IntoPyObject)]
struct Analysis {
    value: Option<f32>,
    /// Average result of games with this value, if the evaluator is calibrated.
    calibrated: Option<f32>,
    /// What values are, if they do not estimate results: `playouts` or `evaluator`.
    scale: Option<&'static str>,
    /// Expected points, in games that pay points.
    equity: Option<f64>,
    /// Probability of each result by name, from evaluators that estimate them.
    results: Option<BTreeMap<&'static str, f32>>,
    best: Option<String>,
    moves: Vec<(String, Option<f32>)>,
    nodes: u64,
    evaluations: u64,
}

struct TypedPlayer<G: Learnable> {
    game: Arc<G>,
    recipe: PlayerRecipe<G>,
    seed: u64,
}

impl<G: Learnable> TypedPlayer<G> {
    fn new(game: &Arc<G>, notation: &str, seed: u64) -> PyRes<Self> {
        Ok(Self {
            recipe: PlayerRecipe::parse(trusted_text(notation), &**game)?,
            game: Arc::clone(game),
            seed: derive_seed(seed, SeedSpace::Player, &[]),
        })
    }

    /// Answers each query independently, with one player per thread.
    fn answer_all<T: Send + Default>(
        &self,
        queries: &[PositionQuery],
        threads: usize,
        answer: impl Fn(&mut dyn EnginePlayer<G>, &GamePosition<G>, Option<u8>) -> PyRes<T> + Sync,
    ) -> PyRes<Vec<T>> {
        // Without chance the only outcome is 0.
        let only_outcome = (G::Outcomes::CAPACITY == 1).then_some(0);
        let answer_slice = |queries: &[PositionQuery]| {
            let mut player = self.recipe.make();
            let one = |(position, outcome): &PositionQuery| {
                player.new_game(self.seed);
                let at = downcast_position(&*self.game, position)?;
                answer(&mut *player, at, outcome.or(only_outcome))
            };
            queries.iter().map(one).collect::<PyRes<Vec<T>>>()
        };
        let slice = queries.len().div_ceil(threads.max(1)).max(1);
        if slice >= queries.len() {
            return answer_slice(queries);
        }
        let answers = std::thread::scope(|scope| {
            let answer_slice = &answer_slice;
            let start = |slice| scope.spawn(move || answer_slice(slice));
            let threads_running: Vec<_> = queries.chunks(slice).map(start).collect();
            let joined = threads_running.into_iter().map(|thread| {
                let joined = thread.join();
                joined.unwrap_or_else(|_| Err("a thread of the player panicked".into()))
            });
            joined.collect::<PyRes<Vec<_>>>()
        })?;
        Ok(answers.into_iter().flatten().collect())
    }

    fn decide(&self, queries: &[PositionQuery], threads: usize) -> PyRes<Vec<String>> {
        self.answer_all(queries, threads, |player, at, outcome| {
            let outcome = outcome.ok_or("a decision needs to know what chance has said")?;
            let legal = at.legal_moves(Some(outcome))?;
            if legal.is_empty() {
                return Err("the position has no moves".into());
            }
            let decision = player.decide(&at.position, &legal, &Limits::NONE);
            let decision =
                decision.map_err(|failure| format!("{}: {failure}", self.recipe.name()))?;
            Ok(self.game.format_move(&at.position, decision.best))
        })
    }

    fn analyse(&self, queries: &[PositionQuery], threads: usize) -> PyRes<Vec<Analysis>> {
        self.answer_all(queries, threads, |player, at, outcome| {
            analysis(&self.recipe, player, at, outcome)
        })
    }
}

fn analysis<G: Learnable>(
    recipe: &PlayerRecipe<G>,
    player: &mut dyn EnginePlayer<G>,
    at: &GamePosition<G>,
    outcome: Option<u8>,
) -> PyRes<Analysis> {
    let (game, position) = (&*at.game, &at.position);
    let equity = |value: f32| Some(game.points()?.from_payoff(value.into()));
    if let Some(payoff) = game.payoff(position, game.to_move(position)) {
        return Ok(Analysis {
            value: Some(payoff),
            equity: equity(payoff),
            ..Analysis::default()
        });
    }
    at.check(outcome)?;
    let analysis = recipe.analyse_unaided(player, game, position, outcome, &Limits::NONE)?;
    let name = |mv| game.format_move(position, mv);
    let moves = analysis
        .moves
        .iter()
        .map(|rated| (name(rated.mv), rated.own_scale.or(rated.value)));
    Ok(Analysis {
        value: analysis.own_scale.or(analysis.value),
        calibrated: analysis.own_scale.and(analysis.value),
        scale: (recipe.scale().filter(|_| analysis.moves.iter().any(|rated| !rated.is_exact)))
            .map(OwnScale::name),
        equity: analysis.value.and_then(equity),
        results: recipe
            .expected_results(position, &analysis)
            .map(|results| results.0.into_iter().collect()),
        best: analysis.best.map(name),
        moves: moves.collect(),
        nodes: analysis.stats.nodes,
        evaluations: analysis.stats.evaluations,
    })
}

impl Player {
    fn parse_queries(
        &self,
        positions: &[Bound<'_, PyAny>],
        outcome: Option<Integer<i64>>,
    ) -> PyResult<Vec<PositionQuery>> {
        let outcome = dispatch!(&self.game.get().0, rules => {
            optional_outcome(&*rules.game, outcome.as_ref())
        })?;
        let parse = |position| {
            let (position, outcome_in_text) = parse_query(self.game.get(), position)?;
            Ok((position, outcome.or(outcome_in_text)))
        };
        positions.iter().map(parse).collect()
    }
}

/// Refuses a player whose notation names a file or a program.
#[pyfunction]
pub(crate) fn check_foreign(game: &Game, notation: &str) -> PyRes<()> {
    dispatch!(&game.0, rules => Ok(PlayerRecipe::parse(notation, &*rules.game).map(drop)?))
}

#[pymethods]
impl Player {
    #[new]
    #[pyo3(signature = (game, notation, seed = Integer(1)))]
    fn new(game: Bound<'_, Game>, notation: &str, seed: Integer<u64>) -> PyRes<Self> {
        let typed =
            dispatch!(&game.get().0, rules => in TypedPlayer::new(&rules.game, notation, seed.0)?);
        let game = game.unbind();
        Ok(Self { game, typed })
    }

    /// Notation of the player in normal form.
    #[getter]
    fn notation(&self) -> &str {
        dispatch!(&self.typed, typed => typed.recipe.name())
    }

    /// Chooses a move in each position, after the given `outcome` or that of the position's text.
    #[pyo3(signature = (positions, outcome = None, threads = Integer(1)))]
    fn decide_all(
        &self,
        py: Python<'_>,
        positions: Vec<Bound<'_, PyAny>>,
        outcome: Option<Integer<i64>>,
        threads: Integer<usize>,
    ) -> PyResult<Vec<String>> {
        let (queries, Integer(threads)) = (self.parse_queries(&positions, outcome)?, threads);
        Ok(py.detach(|| dispatch!(&self.typed, typed => typed.decide(&queries, threads)))?)
    }

    /// The analysis of each position.
    #[pyo3(signature = (positions, outcome = None, threads = Integer(1)))]
    fn analyse_all(
        &self,
        py: Python<'_>,
        positions: Vec<Bound<'_, PyAny>>,
        outcome: Option<Integer<i64>>,
        threads: Integer<usize>,
    ) -> PyResult<Vec<Analysis>> {
        let (queries, Integer(threads)) = (self.parse_queries(&positions, outcome)?, threads);
        Ok(py.detach(|| dispatch!(&self.typed, typed => typed.analyse(&queries, threads)))?)
    }
}
