//! Many games of one kind as arrays of numpy.
//!
//! Invariant: arrays are written while Python waits, so that nobody sees them half written; where
//! something is wrong, nothing is.

use crate::boards::{Env, Shown, State};
use crate::games::{self, Game, any, each};
use crate::whole::{Whole, all};
use crate::{Told, wrong};
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

type Boards = any!(Env);

/// What boards are made of: game, `n`, seed, `explicit_chance`, `final_observations`.
type Arguments = (Game, usize, u64, bool, bool);

/// What is written down of them: the boards, and what the last step showed beside them.
type Parts = (State, Vec<f32>, Vec<bool>, Vec<u8>);

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
        let last = self.final_observations.as_ref();
        let mut last = last
            .map(|last| last.bind(py).try_readwrite())
            .transpose()
            .map_err(wrong)?;
        let last = last
            .as_mut()
            .map(|last| last.as_slice_mut())
            .transpose()
            .map_err(wrong)?;
        if last
            .as_ref()
            .is_some_and(|last| last.len() != cells * self.n)
        {
            return Err(wrong("the arrays of the boards were resized"));
        }
        let mut shown = Shown {
            observations,
            mask,
            counts,
            outcome,
            to_move,
            rewards,
            terminated,
            final_observations: last,
        };
        Ok(act(&mut self.boards, &mut shown)?)
    }

    fn one_each(&self, given: &Bound<'_, PyAny>, what: &str) -> PyResult<Vec<i64>> {
        let given = all(given, what)?;
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
    #[pyo3(signature = (
        game,
        n,
        seed = Whole(1),
        explicit_chance = false,
        final_observations = false,
    ))]
    fn new(
        py: Python<'_>,
        game: &Bound<'_, PyAny>,
        n: Whole<usize>,
        seed: Whole<u64>,
        explicit_chance: bool,
        final_observations: bool,
    ) -> PyResult<Self> {
        let (Whole(n), Whole(seed)) = (n, seed);
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
            final_observations: final_observations
                .then(|| PyArray2::zeros(py, [n, cells], false).unbind()),
            boards,
            seed,
            explicit_chance,
        };
        env.reset(py, None, None)?;
        Ok(env)
    }

    /// Begins a new game on every board, or on those of a mask (n,) of truth values; with a seed chance
    /// and starts are from then on those of that seed.
    #[pyo3(signature = (mask = None, seed = None))]
    fn reset(
        &mut self,
        py: Python<'_>,
        mask: Option<&Bound<'_, PyAny>>,
        seed: Option<Whole<u64>>,
    ) -> PyResult<()> {
        let mask = match mask {
            Some(mask) => {
                let Ok(mask) = mask.extract::<PyReadonlyArray1<'_, bool>>() else {
                    return Err(wrong("a mask is an array (n,) of truth values"));
                };
                Some(mask.as_array().to_vec())
            }
            None => None,
        };
        let seed = seed.map(|Whole(seed)| seed);
        self.write(
            py,
            |boards, shown| each!(boards, boards => boards.reset(mask.as_deref(), seed, shown)),
        )?;
        self.seed = seed.unwrap_or(self.seed);
        Ok(())
    }

    /// Makes a move on every board: whole numbers (n,), the index among the moves that chance permits.
    /// If one is none, nothing has changed.
    fn step(&mut self, py: Python<'_>, actions: &Bound<'_, PyAny>) -> PyResult<()> {
        let actions = self.one_each(actions, "an action")?;
        self.write(
            py,
            |boards, shown| each!(boards, boards => boards.step(&actions, shown)),
        )
    }

    /// Says what chance says on every board, whole numbers (n,), with `explicit_chance=True`.
    fn step_chance(&mut self, py: Python<'_>, outcomes: &Bound<'_, PyAny>) -> PyResult<()> {
        let outcomes = self.one_each(outcomes, "an outcome")?;
        self.write(
            py,
            |boards, shown| each!(boards, boards => boards.step_chance(&outcomes, shown)),
        )
    }

    /// What a copy goes on from: the game, arguments, and what the boards are.
    fn __reduce__<'py>(own: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyType>, Arguments, Parts)> {
        let (py, env) = (own.py(), own.try_borrow()?);
        let game = each!(&env.boards, boards => in boards.rules());
        let has_final = env.final_observations.is_some();
        let arguments = (Game(game), env.n, env.seed, env.explicit_chance, has_final);
        let state = each!(&env.boards, boards => boards.state());
        let rewards = env.rewards.bind(py).to_vec().map_err(wrong)?;
        let terminated = env.terminated.bind(py).to_vec().map_err(wrong)?;
        let last = env.final_observations.as_ref();
        let last = last
            .map(|last| last.bind(py).to_vec())
            .transpose()
            .map_err(wrong)?;
        Ok((
            own.get_type(),
            arguments,
            (state, rewards, terminated, last.unwrap_or_default()),
        ))
    }

    fn __setstate__(&mut self, py: Python<'_>, parts: Parts) -> PyResult<()> {
        let (state, rewards, terminated, last) = parts;
        self.write(py, |boards, shown| {
            let shown_last = shown.final_observations.as_deref().map_or(0, <[u8]>::len);
            let lengths = [rewards.len(), terminated.len(), last.len()];
            if lengths != [shown.rewards.len(), shown.terminated.len(), shown_last] {
                return Err("the state is of other boards".into());
            }
            each!(boards, boards => boards.restore(&state, shown))?;
            shown.rewards.copy_from_slice(&rewards);
            shown.terminated.copy_from_slice(&terminated);
            if let Some(shown) = &mut shown.final_observations {
                shown.copy_from_slice(&last);
            }
            Ok(())
        })
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
