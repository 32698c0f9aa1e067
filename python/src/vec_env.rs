//! A batch of games as numpy arrays, which are written while Python waits; a call that fails writes
//! nothing.

use crate::game_batch::{BoardArrays, Env, State};
use crate::game_dispatch::{self, Game, any_game, dispatch};
use crate::integers::{Integer, extract_all};
use crate::{PyRes, value_error};
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::{prelude::*, types::PyType};

/// `n` games stepped at once. Its arrays belong to it and are overwritten by every step.
#[pyclass(module = "alea")]
pub(crate) struct VecEnv {
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
    #[pyo3(get)]
    final_observations: Option<Py<PyArray2<u8>>>,
    boards: Boards,
    seed: u64,
    explicit_chance: bool,
}

type Boards = any_game!(Env);

/// Arguments of the constructor: game, `n`, seed, `explicit_chance`, `final_observations`.
type Arguments = (Game, usize, u64, bool, bool);

/// Boards, then rewards, ends of games and final observations of the last step.
type SavedParts = (State, Vec<f32>, Vec<bool>, Vec<u8>);

impl VecEnv {
    fn write(
        &mut self,
        py: Python<'_>,
        act: impl FnOnce(&mut Boards, &mut BoardArrays<'_>) -> PyRes<()>,
    ) -> PyResult<()> {
        let [cells, max_actions] = dispatch!(&self.boards, boards => boards.widths);
        macro_rules! borrow_slices {
            ($($array:ident: $width:expr),*) => {$(
                let mut $array = self.$array.bind(py).try_readwrite().map_err(value_error)?;
                let $array = $array.as_slice_mut().map_err(value_error)?;
                if $array.len() != $width * self.n {
                    return Err(value_error("the arrays of the boards were resized"));
                }
            )*};
        }
        borrow_slices!(observations: cells, mask: max_actions, counts: 1, outcome: 1, to_move: 1);
        borrow_slices!(rewards: 1, terminated: 1);
        let last = self.final_observations.as_ref();
        let mut last = last
            .map(|last| last.bind(py).try_readwrite())
            .transpose()
            .map_err(value_error)?;
        let last = last
            .as_mut()
            .map(|last| last.as_slice_mut())
            .transpose()
            .map_err(value_error)?;
        if last
            .as_ref()
            .is_some_and(|last| last.len() != cells * self.n)
        {
            return Err(value_error("the arrays of the boards were resized"));
        }
        let mut arrays = BoardArrays {
            observations,
            mask,
            counts,
            outcome,
            to_move,
            rewards,
            terminated,
            final_observations: last,
        };
        Ok(act(&mut self.boards, &mut arrays)?)
    }

    fn one_per_board(&self, numbers: &Bound<'_, PyAny>, what: &str) -> PyResult<Vec<i64>> {
        let numbers = extract_all(numbers, what)?;
        if numbers.len() != self.n {
            let (found, expected) = (numbers.len(), self.n);
            return Err(value_error(format!(
                "one number a board: {expected}, not {found}"
            )));
        }
        Ok(numbers)
    }
}

#[pymethods]
impl VecEnv {
    #[new]
    #[pyo3(signature = (
        game,
        n,
        seed = Integer(1),
        explicit_chance = false,
        final_observations = false,
    ))]
    fn new(
        py: Python<'_>,
        game: &Bound<'_, PyAny>,
        n: Integer<usize>,
        seed: Integer<u64>,
        explicit_chance: bool,
        final_observations: bool,
    ) -> PyResult<Self> {
        let (Integer(n), Integer(seed)) = (n, seed);
        let parsed;
        let game = match game.cast::<Game>() {
            Ok(game) => game.get(),
            Err(_) => {
                parsed = game_dispatch::game(&game.extract::<String>()?)?;
                &parsed
            }
        };
        let boards: Boards = dispatch!(&game.0, rules => in {
            Env::new(&*rules.game, n, seed, explicit_chance)?
        });
        let [cells, max_actions] = dispatch!(&boards, boards => boards.widths);
        let mut env = Self {
            n,
            observations: PyArray2::zeros(py, [n, cells], false).unbind(),
            mask: PyArray2::zeros(py, [n, max_actions], false).unbind(),
            counts: PyArray1::zeros(py, n, false).unbind(),
            outcome: PyArray1::zeros(py, n, false).unbind(),
            to_move: PyArray1::zeros(py, n, false).unbind(),
            rewards: PyArray1::zeros(py, n, false).unbind(),
            terminated: PyArray1::zeros(py, n, false).unbind(),
            final_observations: final_observations
                .then(|| PyArray2::zeros(py, [n, cells], false).unbind()),
            boards,
            seed,
            explicit_chance,
        };
        env.reset(py, None, None)?;
        Ok(env)
    }

    /// Begins a new game on every board, or on those of a mask (n,) of truth values; a seed reseeds chance
    /// and starts.
    #[pyo3(signature = (mask = None, seed = None))]
    fn reset(
        &mut self,
        py: Python<'_>,
        mask: Option<&Bound<'_, PyAny>>,
        seed: Option<Integer<u64>>,
    ) -> PyResult<()> {
        let mask = match mask {
            Some(mask) => {
                let Ok(mask) = mask.extract::<PyReadonlyArray1<'_, bool>>() else {
                    return Err(value_error("a mask is an array (n,) of truth values"));
                };
                Some(mask.as_array().to_vec())
            }
            None => None,
        };
        let seed = seed.map(|Integer(seed)| seed);
        self.write(
            py,
            |boards, arrays| dispatch!(boards, boards => boards.reset(mask.as_deref(), seed, arrays)),
        )?;
        self.seed = seed.unwrap_or(self.seed);
        Ok(())
    }

    /// Makes a move on every board: integers (n,), the index among the moves that the outcome allows. An
    /// illegal one leaves all boards unchanged.
    fn step(&mut self, py: Python<'_>, actions: &Bound<'_, PyAny>) -> PyResult<()> {
        let actions = self.one_per_board(actions, "an action")?;
        self.write(
            py,
            |boards, arrays| dispatch!(boards, boards => boards.step(&actions, arrays)),
        )
    }

    /// Sets the outcome on every board, integers (n,), with `explicit_chance=True`.
    fn step_chance(&mut self, py: Python<'_>, outcomes: &Bound<'_, PyAny>) -> PyResult<()> {
        let outcomes = self.one_per_board(outcomes, "an outcome")?;
        self.write(
            py,
            |boards, arrays| dispatch!(boards, boards => boards.step_chance(&outcomes, arrays)),
        )
    }

    /// Type, arguments and state that make the environment again, for pickling.
    fn __reduce__<'py>(
        own: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyType>, Arguments, SavedParts)> {
        let (py, env) = (own.py(), own.try_borrow()?);
        let game = dispatch!(&env.boards, boards => in boards.rules());
        let has_final = env.final_observations.is_some();
        let arguments = (Game(game), env.n, env.seed, env.explicit_chance, has_final);
        let state = dispatch!(&env.boards, boards => boards.state());
        let rewards = env.rewards.bind(py).to_vec().map_err(value_error)?;
        let terminated = env.terminated.bind(py).to_vec().map_err(value_error)?;
        let last = env.final_observations.as_ref();
        let last = last
            .map(|last| last.bind(py).to_vec())
            .transpose()
            .map_err(value_error)?;
        Ok((
            own.get_type(),
            arguments,
            (state, rewards, terminated, last.unwrap_or_default()),
        ))
    }

    fn __setstate__(&mut self, py: Python<'_>, saved: SavedParts) -> PyResult<()> {
        let (state, rewards, terminated, last) = saved;
        self.write(py, |boards, arrays| {
            let shown_last = arrays.final_observations.as_deref().map_or(0, <[u8]>::len);
            let lengths = [rewards.len(), terminated.len(), last.len()];
            if lengths != [arrays.rewards.len(), arrays.terminated.len(), shown_last] {
                return Err("the state is of other boards".into());
            }
            dispatch!(boards, boards => boards.restore(&state, arrays))?;
            arrays.rewards.copy_from_slice(&rewards);
            arrays.terminated.copy_from_slice(&terminated);
            if let Some(arrays) = &mut arrays.final_observations {
                arrays.copy_from_slice(&last);
            }
            Ok(())
        })
    }

    /// The probability of each outcome, n rows, float32.
    fn outcomes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let chances = dispatch!(&self.boards, boards => boards.chances());
        PyArray2::from_vec2(py, &chances).map_err(value_error)
    }

    /// A uniformly random legal action for each board: a new int64 array.
    fn sample<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let sampled = dispatch!(&mut self.boards, boards => boards.sample())?;
        Ok(PyArray1::from_vec(py, sampled))
    }

    /// The positions as text, with their outcomes.
    fn positions(&self) -> Vec<String> {
        dispatch!(&self.boards, boards => boards.texts())
    }
}
