//! The Python package `alea`: games, evaluators, players, boards, tables, matches and samples.
//!
//! Only conversions stand here; `alea/*.py` makes of them what people call. Invariant: whatever Python passes in, the answer is a value or an
//! exception; errors of the engine are `ValueError`s with its one line.

use crate::boards::{Boards, Shown};
use crate::learned::{Batch, Choice, Learned, Looks, Order, Trained};
use crate::matches::{Someone, Terms};
use crate::rules::{Analysis, Positions, Question, Rules, State, Thinks, Told, with_game};
use engine::games::einstein::tables::{Tables as Exact, shared};
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::{exceptions::PyValueError, prelude::*};
use rayon::{ThreadPool, ThreadPoolBuilder, prelude::*};
use std::{
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError, atomic::AtomicBool, mpsc::Receiver},
};

mod boards;
mod learned;
mod matches;
mod rules;
mod tables;

/// A thread for each core; a process that was forked off has none, so it gets others.
fn pool() -> Told<Arc<ThreadPool>> {
    static POOL: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);
    let mut pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    if let Some((_, pool)) = pool.as_ref().filter(|(owner, _)| *owner == process) {
        return Ok(Arc::clone(pool));
    }
    let made = ThreadPoolBuilder::new().build();
    let made = Arc::new(made.map_err(|error| format!("cannot start threads: {error}"))?);
    // Threads that are in another process cannot be ended.
    std::mem::forget(pool.replace((process, Arc::clone(&made))));
    Ok(made)
}

/// Runs jobs on all cores.
fn in_parallel(jobs: usize, job: &(dyn Fn(usize) + Sync)) {
    match pool() {
        Ok(pool) => pool.install(|| (0..jobs).into_par_iter().for_each(job)),
        Err(_) => (0..jobs).for_each(job),
    }
}

/// Players build the endgame tables that they need on all cores, once.
fn provide_tables() {
    let make = |stones, variant| Exact::in_memory(stones, variant, &in_parallel, &|_, _| {});
    shared::provide(Box::new(make), Box::new(|_| 0));
}

fn told<T>(told: Told<T>) -> PyResult<T> {
    told.map_err(PyValueError::new_err)
}

fn wrong(problem: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(problem.to_string())
}

/// A game with its rules: `alea.game("reversi(size=6)")`.
#[pyclass(frozen, module = "alea")]
struct Game(Arc<dyn Rules>);

#[pymethods]
impl Game {
    /// Its name without parameters.
    #[getter]
    fn name(&self) -> &'static str {
        self.0.name()
    }

    /// Its name with the parameters that are not the usual ones.
    #[getter]
    fn notation(&self) -> String {
        self.0.notation()
    }

    /// How many seats play.
    #[getter]
    fn seats(&self) -> usize {
        self.0.seats()
    }

    /// A first position; `first` begins, unless the game says who does.
    #[pyo3(signature = (seed = 1, first = 0))]
    fn start(&self, seed: u64, first: usize) -> PyResult<Position> {
        told(self.0.start(seed, first)).map(Position)
    }

    /// The position of a text; what chance has said in it is left out.
    fn position(&self, text: &str) -> PyResult<Position> {
        told(self.0.read(text)).map(|(state, _)| Position(state))
    }

    /// Positions in 64 bits each: (n,) uint64. EinStein only.
    fn pack<'py>(
        &self,
        py: Python<'py>,
        positions: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<u64>>> {
        let positions = positions_of(self, positions)?;
        let packed = told(with_game!(self.0, of => of.packed(&positions)))?;
        Ok(PyArray1::from_vec(py, packed))
    }

    /// What a model looks at: (n, active) uint16, the rows of a network with these groups of inputs,
    /// or with `None` the symbols of all cells, as `VecEnv.observations` has them.
    #[pyo3(signature = (positions, inputs = None))]
    fn rows<'py>(
        &self,
        py: Python<'py>,
        positions: &Bound<'py, PyAny>,
        inputs: Looks,
    ) -> PyResult<Bound<'py, PyArray2<u16>>> {
        let positions = positions_of(self, positions)?;
        let rows = py.detach(|| with_game!(self.0, of => of.rows(&inputs, &positions)));
        let (rows, width) = told(rows)?;
        let count = rows.len() / width;
        PyArray1::from_vec(py, rows).reshape([count, width])
    }

    /// The runs of rows of these inputs, `[start, end]`; in every position one of each is on.
    fn runs(&self, inputs: String) -> PyResult<Vec<[usize; 2]>> {
        told(with_game!(self.0, of => of.runs(&Some(inputs))))
    }

    fn __repr__(&self) -> String {
        format!("alea.game({:?})", self.0.notation())
    }
}

/// A position before chance has spoken. It never changes.
#[pyclass(frozen, module = "alea")]
struct Position(Arc<dyn State>);

#[pymethods]
impl Position {
    /// The position as text, as the command line has it.
    #[getter]
    fn text(&self) -> String {
        self.0.text(None)
    }

    /// The seat to move, from 0.
    #[getter]
    fn to_move(&self) -> usize {
        self.0.to_move()
    }

    /// Whether the game is over.
    #[getter]
    fn is_over(&self) -> bool {
        self.0.payoffs().is_some()
    }

    /// What each seat gets, in [0, 1], a draw half; `None` before the end.
    #[getter]
    fn payoffs(&self) -> Option<Vec<f32>> {
        self.0.payoffs()
    }

    /// What chance may say, each with its probability; empty once the game is over.
    fn outcomes(&self) -> Vec<(u8, f32)> {
        self.0.outcomes()
    }

    /// The moves that an outcome permits, or all that some outcome does, in list order.
    #[pyo3(signature = (outcome = None))]
    fn moves(&self, outcome: Option<u8>) -> PyResult<Vec<String>> {
        told(self.0.moves(outcome))
    }

    /// The position after a move, given as text or as its index in `moves(outcome)`.
    #[pyo3(signature = (mv, outcome = None))]
    fn play(&self, mv: &Bound<'_, PyAny>, outcome: Option<u8>) -> PyResult<Self> {
        if let Ok(index) = mv.extract::<usize>() {
            return told(self.0.play_at(index, outcome)).map(Self);
        }
        told(self.0.play(&mv.extract::<String>()?, outcome)).map(Self)
    }

    /// The position as one `<svg>` element.
    #[pyo3(signature = (outcome = None))]
    fn svg(&self, outcome: Option<u8>) -> String {
        self.0.svg(outcome)
    }

    fn _repr_svg_(&self) -> String {
        self.0.svg(None)
    }

    fn __str__(&self) -> String {
        self.0.draw(None)
    }

    fn __repr__(&self) -> String {
        format!("<alea.Position {:?}>", self.0.text(None))
    }

    fn __hash__(&self) -> u64 {
        self.0.key()
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        let other = other.cast::<Self>();
        other.is_ok_and(|other| self.0.equals(&*other.get().0))
    }
}

/// A position or its text, and what chance has said if the text says so.
fn question(game: &Game, position: &Bound<'_, PyAny>) -> PyResult<Question> {
    if let Ok(position) = position.cast::<Position>() {
        return Ok((Arc::clone(&position.get().0), None));
    }
    told(game.0.read(&position.extract::<String>()?))
}

/// Many positions: an array of packed ones, or positions and texts.
fn positions_of(game: &Game, positions: &Bound<'_, PyAny>) -> PyResult<Positions> {
    if let Ok(packed) = positions.extract::<PyReadonlyArray1<'_, u64>>() {
        return Ok(Positions::Packed(
            packed.as_array().iter().copied().collect(),
        ));
    }
    let positions: Vec<Bound<'_, PyAny>> = positions.extract()?;
    let state = |position| Ok(question(game, position)?.0);
    let states = positions.iter().map(state).collect::<PyResult<_>>()?;
    Ok(Positions::States(states))
}

/// The game of a notation.
#[pyfunction]
fn game(notation: &str) -> PyResult<Game> {
    told(rules::read(notation)).map(Game)
}

/// Win probabilities of the sides to move, before chance has spoken: float32, one a position; what
/// the side to move gets where the game is over.
#[pyfunction]
fn evaluate<'py>(
    py: Python<'py>,
    game: &Game,
    positions: &Bound<'py, PyAny>,
    eval: &str,
) -> PyResult<Bound<'py, PyArray1<f32>>> {
    let positions = positions_of(game, positions)?;
    let values = told(py.detach(|| with_game!(game.0, of => of.values(eval, &positions))))?;
    Ok(PyArray1::from_vec(py, values))
}

/// A match; the result is JSON.
#[pyfunction]
fn arena(
    py: Python<'_>,
    game: &Game,
    sides: [Someone; 2],
    callables: Vec<Bound<'_, PyAny>>,
    terms: Terms,
) -> PyResult<String> {
    let (rules, stop) = (&game.0, Arc::new(AtomicBool::new(false)));
    let most = terms.2.max(1);
    matches::serve(
        py,
        &callables,
        &stop,
        most,
        |doors| with_game!(*rules, of => matches::arena(&*of.game, sides, terms, doors, Arc::clone(&stop))),
    )
}

/// The regret of somebody on suites, texts with their names: JSON.
#[pyfunction]
fn regret(
    py: Python<'_>,
    someone: Someone,
    callables: Vec<Bound<'_, PyAny>>,
    suites: Vec<(String, String)>,
    seed: u64,
) -> PyResult<String> {
    matches::serve(py, &callables, &AtomicBool::new(false), 64, |doors| {
        matches::regret(someone, &suites, seed, doors)
    })
}

/// The suites of the benchmark, texts with their names.
#[pyfunction]
fn suites() -> [(&'static str, &'static str); 8] {
    macro_rules! suites {
        ($($stones:literal),*) => {[$((
            concat!("stones-", $stones, ".jsonl"),
            include_str!(concat!("../../data/suites/stones-", $stones, ".jsonl")),
        )),*]};
    }
    suites!(5, 6, 7, 8, 9, 10, 11, 12)
}

/// Writes weights in whole numbers as a model file.
#[pyfunction]
fn save_network(py: Python<'_>, game: &Game, path: PathBuf, network: Trained) -> PyResult<()> {
    told(py.detach(|| with_game!(game.0, of => learned::save(&*of.game, network, &path))))
}

/// Records as a Parquet file, or `back`; returns how many games.
#[pyfunction]
fn convert(
    py: Python<'_>,
    game: &Game,
    from: Vec<PathBuf>,
    to: PathBuf,
    back: bool,
) -> PyResult<u64> {
    let convert = || with_game!(game.0, of => learned::convert(&*of.game, &from, &to, back));
    told(py.detach(convert))
}

/// Samples of recorded games.
#[pyclass(frozen, module = "alea")]
struct Samples(Box<dyn Learned>);

#[pymethods]
impl Samples {
    #[new]
    fn new(
        py: Python<'_>,
        game: &Game,
        directories: Vec<PathBuf>,
        choice: Choice,
    ) -> PyResult<Self> {
        let open = || with_game!(game.0, of => learned::open(&*of.game, &directories, choice));
        told(py.detach(open)).map(Self)
    }

    /// How many train, how many validate, and how many positions are held out.
    #[getter]
    fn counts(&self) -> [usize; 3] {
        self.0.counts()
    }

    /// Goes through the samples once; without an epoch through those that validate.
    fn batches(&self, order: Order) -> PyResult<Batches> {
        told(self.0.batches(order)).map(|batches| Batches(Mutex::new(batches)))
    }
}

/// Samples on their way, batch by batch.
#[pyclass(frozen, module = "alea")]
struct Batches(Mutex<Receiver<Told<Batch>>>);

/// Packed positions, rows, what remains; values, results and weights.
type Arrays<'py> = (
    Bound<'py, PyArray1<u64>>,
    Bound<'py, PyArray2<u16>>,
    Bound<'py, PyArray1<u16>>,
    [Bound<'py, PyArray1<f32>>; 3],
);

#[pymethods]
impl Batches {
    /// The next ones, if there are any.
    fn next<'py>(&self, py: Python<'py>) -> PyResult<Option<Arrays<'py>>> {
        let next = py.detach(|| {
            let batches = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            batches.recv().ok()
        });
        let Some(batch) = next else { return Ok(None) };
        let batch = told(batch)?;
        let count = batch.remaining.len();
        let shape = [count, batch.rows.len() / count];
        Ok(Some((
            PyArray1::from_vec(py, batch.packed),
            PyArray1::from_vec(py, batch.rows).reshape(shape)?,
            PyArray1::from_vec(py, batch.remaining),
            batch.floats.map(|floats| PyArray1::from_vec(py, floats)),
        )))
    }
}

/// A player by its notation. Every question is answered as the first of a game with its seed.
#[pyclass(frozen, subclass, module = "alea")]
struct Player {
    game: Py<Game>,
    thinks: Box<dyn Thinks>,
}

impl Player {
    fn questions(
        &self,
        positions: &[Bound<'_, PyAny>],
        outcome: Option<u8>,
    ) -> PyResult<Vec<Question>> {
        let read = |position| {
            let (state, said) = question(self.game.get(), position)?;
            Ok((state, outcome.or(said)))
        };
        positions.iter().map(read).collect()
    }
}

#[pymethods]
impl Player {
    #[new]
    #[pyo3(signature = (game, notation, seed = 1))]
    fn new(game: Bound<'_, Game>, notation: &str, seed: u64) -> PyResult<Self> {
        let thinks = told(game.get().0.player(notation, seed))?;
        let game = game.unbind();
        Ok(Self { game, thinks })
    }

    /// Its notation in normal form.
    #[getter]
    fn notation(&self) -> String {
        self.thinks.name()
    }

    /// The move of each of some positions, where chance has said `outcome`, or what their texts say.
    #[pyo3(signature = (positions, outcome = None, threads = 1))]
    fn decide_all(
        &self,
        py: Python<'_>,
        positions: Vec<Bound<'_, PyAny>>,
        outcome: Option<u8>,
        threads: usize,
    ) -> PyResult<Vec<String>> {
        let questions = self.questions(&positions, outcome)?;
        told(py.detach(|| self.thinks.decide(&questions, threads)))
    }

    /// What it thinks of each of some positions.
    #[pyo3(signature = (positions, outcome = None, threads = 1))]
    fn analyse_all(
        &self,
        py: Python<'_>,
        positions: Vec<Bound<'_, PyAny>>,
        outcome: Option<u8>,
        threads: usize,
    ) -> PyResult<Vec<Analysis>> {
        let questions = self.questions(&positions, outcome)?;
        told(py.detach(|| self.thinks.analyse(&questions, threads)))
    }
}

/// `n` games stepped at once. Its arrays belong to it and are overwritten by every step.
#[pyclass(frozen, module = "alea")]
struct VecEnv {
    #[pyo3(get)]
    n: usize,
    #[pyo3(get)]
    observations: Py<PyArray2<u8>>,
    #[pyo3(get)]
    mask: Py<PyArray2<bool>>,
    #[pyo3(get)]
    counts: Py<PyArray1<u16>>,
    #[pyo3(get)]
    outcome: Py<PyArray1<u8>>,
    #[pyo3(get)]
    to_move: Py<PyArray1<u8>>,
    #[pyo3(get)]
    rewards: Py<PyArray1<f32>>,
    #[pyo3(get)]
    terminated: Py<PyArray1<bool>>,
    boards: Mutex<Box<dyn Boards>>,
}

/// Most cells of all observations together.
const MOST_CELLS: usize = 1 << 31;

impl VecEnv {
    fn with_boards<T>(&self, ask: impl FnOnce(&mut dyn Boards) -> T) -> PyResult<T> {
        let boards = self.boards.try_lock();
        let mut boards = boards.map_err(|_| wrong("another thread is stepping these boards"))?;
        Ok(ask(&mut **boards))
    }

    /// Python keeps waiting meanwhile, so that nobody sees arrays half written.
    fn write<T>(
        &self,
        py: Python<'_>,
        act: impl FnOnce(&mut dyn Boards, &mut Shown<'_>) -> Told<T>,
    ) -> PyResult<T> {
        macro_rules! open {
            ($($array:ident),*) => {$(
                let mut $array = self.$array.bind(py).try_readwrite().map_err(wrong)?;
                let $array = $array.as_slice_mut().map_err(wrong)?;
            )*};
        }
        open!(
            observations,
            mask,
            counts,
            outcome,
            to_move,
            rewards,
            terminated
        );
        let told_all = self.with_boards(|boards| {
            let [cells, most] = boards.widths();
            let lengths = [counts.len(), outcome.len(), to_move.len(), rewards.len()];
            if observations.len() != cells * self.n
                || mask.len() != most * self.n
                || terminated.len() != self.n
                || lengths != [self.n; 4]
            {
                return Err("the arrays of the boards were resized".to_owned());
            }
            act(
                boards,
                &mut Shown {
                    observations,
                    mask,
                    counts,
                    outcomes: outcome,
                    seats: to_move,
                    rewards,
                    terminated,
                },
            )
        })?;
        told(told_all)
    }

    fn one_each(&self, given: &PyReadonlyArray1<'_, i64>) -> PyResult<Vec<i64>> {
        let given: Vec<i64> = given.as_array().iter().copied().collect();
        if given.len() != self.n {
            let (found, wanted) = (given.len(), self.n);
            return Err(wrong(format!("one number a board: {wanted}, not {found}")));
        }
        Ok(given)
    }
}

#[pymethods]
impl VecEnv {
    #[new]
    #[pyo3(signature = (game, n, seed = 1, explicit_chance = false))]
    fn new(
        py: Python<'_>,
        game: &Bound<'_, PyAny>,
        n: usize,
        seed: u64,
        explicit_chance: bool,
    ) -> PyResult<Self> {
        let rules = match game.cast::<Game>() {
            Ok(game) => Arc::clone(&game.get().0),
            Err(_) => told(rules::read(&game.extract::<String>()?))?,
        };
        let [cells, most] = rules.boards(0, seed, explicit_chance).widths();
        if n == 0 || n.saturating_mul(cells.max(most)) > MOST_CELLS {
            let bound = MOST_CELLS / cells.max(most).max(1);
            return Err(wrong(format!("'n' is 1 to {bound} boards, not {n}")));
        }
        let env = Self {
            n,
            observations: PyArray2::zeros(py, [n, cells], false).unbind(),
            mask: PyArray2::zeros(py, [n, most], false).unbind(),
            counts: PyArray1::zeros(py, n, false).unbind(),
            outcome: PyArray1::zeros(py, n, false).unbind(),
            to_move: PyArray1::zeros(py, n, false).unbind(),
            rewards: PyArray1::zeros(py, n, false).unbind(),
            terminated: PyArray1::zeros(py, n, false).unbind(),
            boards: Mutex::new(rules.boards(n, seed, explicit_chance)),
        };
        env.reset(py)?;
        Ok(env)
    }

    /// Begins a new game on every board.
    fn reset(&self, py: Python<'_>) -> PyResult<()> {
        self.write(py, |boards, shown| {
            boards.reset(shown);
            Ok(())
        })
    }

    /// Makes a move on every board: int64, the index among the moves that chance permits. If one is
    /// none, nothing has changed.
    fn step(&self, py: Python<'_>, actions: PyReadonlyArray1<'_, i64>) -> PyResult<()> {
        let actions = self.one_each(&actions)?;
        self.write(py, |boards, shown| boards.step(&actions, shown))
    }

    /// Says what chance says on every board (int64), with `explicit_chance=True`.
    fn step_chance(&self, py: Python<'_>, outcomes: PyReadonlyArray1<'_, i64>) -> PyResult<()> {
        let outcomes = self.one_each(&outcomes)?;
        self.write(py, |boards, shown| boards.step_chance(&outcomes, shown))
    }

    /// The probability of each outcome, n rows, float32.
    fn outcomes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let chances = self.with_boards(|boards| boards.chances())?;
        PyArray2::from_vec2(py, &chances).map_err(wrong)
    }

    /// An action a board, all permitted ones equally likely: a new int64 array.
    fn sample<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let sampled = told(self.with_boards(|boards| boards.sample())?)?;
        Ok(PyArray1::from_vec(py, sampled))
    }

    /// The positions as text, with what chance has said.
    fn positions(&self) -> PyResult<Vec<String>> {
        self.with_boards(|boards| boards.texts())
    }
}

#[pymodule]
mod _alea {
    #[pymodule_export]
    use super::{
        Batches, Game, Player, Position, Samples, VecEnv, arena, convert, evaluate, game, regret,
        save_network, suites, tables::Tables,
    };

    #[pymodule_init]
    fn init(_module: &pyo3::Bound<'_, pyo3::types::PyModule>) -> pyo3::PyResult<()> {
        super::provide_tables();
        Ok(())
    }
}
