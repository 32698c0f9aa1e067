//! Games and evaluators, with the type parameter of a game replaced by the variants of [`AnyGame`].

use crate::integers::Integer;
use crate::models::{FeatureSpec, feature_rows, parse_features};
use crate::positions::{
    GamePosition, Position, Positions, downcast_position, packed_bits, parse_positions,
    unpack_position,
};
use crate::{PyRes, value_error};
use engine::core::{game::Game as _, model_names, random::RandomStream, text::suggestion};
use engine::learned::inputs::Learnable;
use engine::play::{
    build,
    playable::Rules as _,
    player_notation::{Notation, Text, trusted_text},
    registry::AnyEvaluator,
};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::{prelude::*, types::PyType};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::SystemTime,
};

/// Defines the enum [`AnyGame`]: a variant and a type parameter for each game of a list.
macro_rules! define_any_game {
    ([$($name:ident = $type:ty),* $(,)?]) => {
        #[derive(Clone)]
        pub(crate) enum AnyGame<$($name),*> {
            $($name($name)),*
        }
    };
}
engine::for_games!(define_any_game!);

/// [`AnyGame`] of a type that is generic over games.
macro_rules! any_game {
    ($of:ident) => {
        engine::for_games!($crate::game_dispatch::any_game_of! $of)
    };
}
pub(crate) use any_game;

macro_rules! any_game_of {
    ([$($name:ident = $type:ty),* $(,)?] $of:ident) => {
        $crate::game_dispatch::AnyGame<$($of<$type>),*>
    };
}
pub(crate) use any_game_of;

/// Matches on the game; `=> in` wraps the result in its variant again.
macro_rules! dispatch {
    ($any_game:expr, $own:ident => $($act:tt)+) => {
        engine::for_games!($crate::game_dispatch::dispatch_over! $any_game, $own => $($act)+)
    };
}
pub(crate) use dispatch;

macro_rules! dispatch_over {
    ([$($name:ident = $type:ty),* $(,)?] $any_game:expr, $own:ident => in $act:expr) => {
        match $any_game { $($crate::game_dispatch::AnyGame::$name($own) => $crate::game_dispatch::AnyGame::$name($act)),* }
    };
    ([$($name:ident = $type:ty),* $(,)?] $any_game:expr, $own:ident => $act:expr) => {
        match $any_game { $($crate::game_dispatch::AnyGame::$name($own) => $act),* }
    };
}
pub(crate) use dispatch_over;

/// A game with its rules: `alea.game("reversi(size=6)")`.
#[pyclass(frozen, module = "alea")]
pub(crate) struct Game(pub(crate) any_game!(Rules));

pub(crate) struct Rules<G: Learnable> {
    pub(crate) game: Arc<G>,
    evaluators: Mutex<HashMap<String, LoadedEvaluator<G>>>,
}

type LoadedEvaluator<G> = (Option<SystemTime>, Arc<dyn AnyEvaluator<G>>);

const MAX_EVALUATORS: usize = 16;

impl<G: Learnable> Rules<G> {
    pub(crate) fn from_text<'t>(text: impl Into<Text<'t>>, map: Option<&str>) -> PyRes<Self> {
        Ok(Self::new(Arc::new(G::from_notation(text, map)?)))
    }

    pub(crate) fn new(game: Arc<G>) -> Self {
        Self {
            game,
            evaluators: Mutex::default(),
        }
    }

    fn name(&self) -> &'static str {
        G::INFO.name
    }

    fn points(&self) -> Option<(&'static str, f64)> {
        let points = self.game.points()?;
        Some((points.unit, points.max))
    }

    fn map_text(&self) -> Option<String> {
        self.game.map_text()
    }

    fn start(&self, seed: u64, first: usize) -> PyRes<Arc<GamePosition<G>>> {
        let seats = self.game.seats();
        if first >= seats {
            return Err(format!("'first' is a seat below {seats}, not {first}").into());
        }
        let mut random = RandomStream::new(seed);
        Ok(self.wrap_position(self.game.random_start(&mut random, first)))
    }

    /// Parses a position, and the outcome if the text has one.
    pub(crate) fn parse(&self, text: &str) -> PyRes<(Arc<GamePosition<G>>, Option<u8>)> {
        let (position, outcome) = self.game.parse_position(text)?;
        Ok((self.wrap_position(position), outcome))
    }

    fn wrap_position(&self, position: G::Position) -> Arc<GamePosition<G>> {
        let game = Arc::clone(&self.game);
        Arc::new(GamePosition { game, position })
    }

    /// Evaluator of a notation, from a cache unless its model file has changed.
    fn evaluator(&self, notation: &str) -> PyRes<Arc<dyn AnyEvaluator<G>>> {
        let path = notation.strip_prefix("model:").map(model_names::path_of);
        let modified = path.and_then(|path| path.metadata().ok()?.modified().ok());
        let cache = self.evaluators.lock();
        let mut cache = cache.unwrap_or_else(PoisonError::into_inner);
        if let Some((time, evaluator)) = cache.get(notation)
            && *time == modified
        {
            return Ok(Arc::clone(evaluator));
        }
        let evaluator = build::parse_evaluator(trusted_text(notation), &*self.game)?;
        if cache.len() == MAX_EVALUATORS {
            cache.clear();
        }
        cache.insert(notation.to_owned(), (modified, Arc::clone(&evaluator)));
        Ok(evaluator)
    }

    pub(crate) fn typed_positions(&self, positions: &Positions) -> PyRes<Vec<G::Position>> {
        match positions {
            Positions::Listed(positions) => {
                let typed = |position| Ok(downcast_position(&*self.game, position)?.position);
                positions.iter().map(typed).collect()
            }
            Positions::Packed(packed) => {
                let indices = packed.iter().enumerate();
                let read = |(index, &bits)| unpack_position::<G>(&self.game, bits, index);
                indices.map(read).collect()
            }
        }
    }

    fn evaluate_all(&self, evaluator: &str, positions: &Positions) -> PyRes<Vec<f32>> {
        let evaluator = self.evaluator(evaluator)?;
        Ok(evaluate_positions(
            &*self.game,
            &*evaluator,
            &self.typed_positions(positions)?,
        ))
    }

    /// Fails in games whose positions have no form of 64 bits.
    fn pack_all(&self, positions: &Positions) -> PyRes<Vec<u64>> {
        let bits = |position: &G::Position| {
            packed_bits(position)
                .ok_or_else(|| format!("positions of {} have no packed form", G::INFO.name))
        };
        Ok(self
            .typed_positions(positions)?
            .iter()
            .map(bits)
            .collect::<Result<_, String>>()?)
    }
}

/// For each position the win probability of the seat to move, or its payoff if the game is over.
pub(crate) fn evaluate_positions<G: Learnable>(
    game: &G,
    evaluator: &dyn AnyEvaluator<G>,
    positions: &[G::Position],
) -> Vec<f32> {
    const UNFINISHED: f32 = -1.0;
    let over = |position| game.payoff(position, game.to_move(position));
    let over = |position| over(position).unwrap_or(UNFINISHED);
    let mut values: Vec<f32> = positions.iter().map(over).collect();
    let unfinished = positions.iter().zip(&values);
    let unfinished = unfinished.filter(|(_, value)| **value == UNFINISHED);
    let unfinished: Vec<G::Position> = unfinished.map(|(position, _)| *position).collect();
    let mut found = vec![0.0; unfinished.len()];
    evaluator.values(game, &unfinished, &mut found);
    let slots = values.iter_mut().filter(|value| **value == UNFINISHED);
    slots.zip(found).for_each(|(slot, value)| *slot = value);
    values
}

/// The game of a notation, which may name a file with a map.
#[pyfunction]
pub(crate) fn game(notation: &str) -> PyRes<Game> {
    parse_game(trusted_text(notation), None)
}

fn parse_game(notation: Text<'_>, map: Option<&str>) -> PyRes<Game> {
    macro_rules! parse_any {
        ([$($name:ident = $type:ty),* $(,)?]) => {{
            let name = Notation::parse(notation)?.name;
            match &*name {
                $(found if found == <$type>::INFO.name => Rules::from_text(notation, map).map(AnyGame::$name),)*
                name => {
                    let names = [$(<$type>::INFO.name),*].join(", ");
                    let nearest = suggestion(name, &names);
                    Err(format!("there is no game '{name}'{nearest}; there are {names}").into())
                }
            }
        }};
    }
    let game: PyRes<any_game!(Rules)> = engine::for_games!(parse_any!);
    game.map(Game)
}

/// Win probabilities of the sides to move, before chance: float32, one a position; payoffs where the
/// game is over.
#[pyfunction]
pub(crate) fn evaluate<'py>(
    py: Python<'py>,
    game: &Game,
    positions: &Bound<'py, PyAny>,
    eval: &str,
) -> PyResult<Bound<'py, PyArray1<f32>>> {
    let positions = parse_positions(game, positions)?;
    let values = py.detach(|| dispatch!(&game.0, rules => rules.evaluate_all(eval, &positions)))?;
    Ok(PyArray1::from_vec(py, values))
}

#[pymethods]
impl Game {
    /// The game of a notation, with the text of its map if it has one. No file is opened.
    #[new]
    #[pyo3(signature = (notation, map = None))]
    fn new(notation: &str, map: Option<&str>) -> PyRes<Self> {
        parse_game(notation.into(), map)
    }

    /// Type and arguments that make the game again, for pickling.
    fn __reduce__<'py>(own: &Bound<'py, Self>) -> (Bound<'py, PyType>, (String, Option<String>)) {
        let game = own.get();
        let map = dispatch!(&game.0, rules => rules.map_text());
        (own.get_type(), (game.notation(), map))
    }

    fn __copy__(own: &Bound<'_, Self>) -> Py<Self> {
        own.clone().unbind()
    }

    fn __deepcopy__(own: &Bound<'_, Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        own.clone().unbind()
    }

    /// Name of the game without parameters.
    #[getter]
    fn name(&self) -> &'static str {
        dispatch!(&self.0, rules => rules.name())
    }

    /// Name of the game with the parameters that are not default.
    #[getter]
    fn notation(&self) -> String {
        dispatch!(&self.0, rules => rules.game.notation())
    }

    #[getter]
    fn seats(&self) -> usize {
        dispatch!(&self.0, rules => rules.game.seats())
    }

    /// Unit of the points that results pay, and those of payoff 1; `None` if a win is worth 1.
    #[getter]
    fn points(&self) -> Option<(&'static str, f64)> {
        dispatch!(&self.0, rules => rules.points())
    }

    /// A first position; `first` begins, unless the rules decide that.
    #[pyo3(signature = (seed = Integer(1), first = Integer(0)))]
    fn start(&self, seed: Integer<u64>, first: Integer<usize>) -> PyRes<Position> {
        Ok(Position(
            dispatch!(&self.0, rules => in rules.start(seed.0, first.0)?),
        ))
    }

    /// The position of a text, without its outcome.
    pub(crate) fn position(&self, text: &str) -> PyRes<Position> {
        Ok(Position(
            dispatch!(&self.0, rules => in rules.parse(text)?.0),
        ))
    }

    /// Packed positions: (n,) uint64. EinStein only.
    fn pack<'py>(
        &self,
        py: Python<'py>,
        positions: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<u64>>> {
        let positions = parse_positions(self, positions)?;
        let pack_all = dispatch!(&self.0, rules => rules.pack_all(&positions))?;
        Ok(PyArray1::from_vec(py, pack_all))
    }

    /// The features of positions: (n, active) uint16, the active rows of a network with these groups of
    /// inputs, or with `None` the symbols of all cells as in `VecEnv.observations`; from the perspective of
    /// `seat`, or of each position's seat to move.
    #[pyo3(signature = (positions, inputs = None, seat = None))]
    fn rows<'py>(
        &self,
        py: Python<'py>,
        positions: &Bound<'py, PyAny>,
        inputs: FeatureSpec,
        seat: Option<Integer<usize>>,
    ) -> PyResult<Bound<'py, PyArray2<u16>>> {
        let positions = parse_positions(self, positions)?;
        let (seat, seats) = (seat.map(|Integer(seat)| seat), self.seats());
        if let Some(seat) = seat.filter(|&seat| seat >= seats) {
            return Err(value_error(format!("a seat is below {seats}, not {seat}")));
        }
        let rows = || {
            dispatch!(&self.0, rules => {
                let own = rules.typed_positions(&positions)?;
                PyRes::Ok(feature_rows(&*rules.game, parse_features(&*rules.game, &inputs)?, &own, seat))
            })
        };
        let (rows, width) = py.detach(rows)?;
        let count = rows.len() / width;
        PyArray1::from_vec(py, rows).reshape([count, width])
    }

    /// The ranges of rows of these inputs, `[start, end]`; in every position one row of each is active.
    fn runs(&self, inputs: String) -> PyRes<Vec<[usize; 2]>> {
        dispatch!(&self.0, rules => {
            let groups = parse_features(&*rules.game, &Some(inputs))?.unwrap_or_default();
            let runs = rules.game.feature_slots(groups).into_iter();
            Ok(runs.map(|run| [run.start, run.end]).collect())
        })
    }

    fn __repr__(&self) -> String {
        format!("alea.game({:?})", self.notation())
    }
}
