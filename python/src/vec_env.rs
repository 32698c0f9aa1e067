//! Many games of one kind as arrays of numpy.
//!
//! Invariant: arrays are written while Python waits, so that nobody sees them half written; where
//! something is wrong, nothing is.

use crate::boards::{Env, Shown};
use crate::games::{self, Game, any, each};
use crate::{Told, wrong};
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;

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
    boards: Boards,
}

type Boards = any!(Env);

impl VecEnv {
    fn write(
        &mut self,
        py: Python<'_>,
        act: impl FnOnce(&mut Boards, &mut Shown<'_>) -> Told<()>,
    ) -> PyResult<()> {
        let [cells, most] = each!(&self.boards, boards => boards.widths);
        macro_rules! open {
            ($($array:ident: $width:expr),*) => {$(
                let mut $array = self.$array.bind(py).try_readwrite().map_err(wrong)?;
                let $array = $array.as_slice_mut().map_err(wrong)?;
                if $array.len() != $width * self.n {
                    return Err(wrong("the arrays of the boards were resized"));
                }
            )*};
        }
        open!(observations: cells, mask: most, counts: 1, outcome: 1, to_move: 1);
        open!(rewards: 1, terminated: 1);
        let mut shown = Shown {
            observations,
            mask,
            counts,
            outcome,
            to_move,
            rewards,
            terminated,
        };
        Ok(act(&mut self.boards, &mut shown)?)
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
        let named;
        let game = match game.cast::<Game>() {
            Ok(game) => game.get(),
            Err(_) => {
                named = games::game(&game.extract::<String>()?)?;
                &named
            }
        };
        let boards: Boards = each!(&game.0, rules => in {
            Env::new(&*rules.game, n, seed, explicit_chance)?
        });
        let [cells, most] = each!(&boards, boards => boards.widths);
        let mut env = Self {
            n,
            observations: PyArray2::zeros(py, [n, cells], false).unbind(),
            mask: PyArray2::zeros(py, [n, most], false).unbind(),
            counts: PyArray1::zeros(py, n, false).unbind(),
            outcome: PyArray1::zeros(py, n, false).unbind(),
            to_move: PyArray1::zeros(py, n, false).unbind(),
            rewards: PyArray1::zeros(py, n, false).unbind(),
            terminated: PyArray1::zeros(py, n, false).unbind(),
            boards,
        };
        env.reset(py)?;
        Ok(env)
    }

    /// Begins a new game on every board.
    fn reset(&mut self, py: Python<'_>) -> PyResult<()> {
        self.write(py, |boards, shown| {
            each!(boards, boards => boards.reset(shown));
            Ok(())
        })
    }

    /// Makes a move on every board: int64, the index among the moves that chance permits. If one is
    /// none, nothing has changed.
    fn step(&mut self, py: Python<'_>, actions: PyReadonlyArray1<'_, i64>) -> PyResult<()> {
        let actions = self.one_each(&actions)?;
        self.write(
            py,
            |boards, shown| each!(boards, boards => boards.step(&actions, shown)),
        )
    }

    /// Says what chance says on every board (int64), with `explicit_chance=True`.
    fn step_chance(&mut self, py: Python<'_>, outcomes: PyReadonlyArray1<'_, i64>) -> PyResult<()> {
        let outcomes = self.one_each(&outcomes)?;
        self.write(
            py,
            |boards, shown| each!(boards, boards => boards.step_chance(&outcomes, shown)),
        )
    }

    /// The probability of each outcome, n rows, float32.
    fn outcomes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let chances = each!(&self.boards, boards => boards.chances());
        PyArray2::from_vec2(py, &chances).map_err(wrong)
    }

    /// An action a board, all permitted ones equally likely: a new int64 array.
    fn sample<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let sampled = each!(&mut self.boards, boards => boards.sample())?;
        Ok(PyArray1::from_vec(py, sampled))
    }

    /// The positions as text, with what chance has said.
    fn positions(&self) -> Vec<String> {
        each!(&self.boards, boards => boards.texts())
    }
}
