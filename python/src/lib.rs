//! The Python package `alea`: games, evaluators, players, boards, tables, matches and samples.
//!
//! Only conversions stand here, a file for each thing that Python has; `alea/*.py` makes of them what
//! people call. Invariant: whatever Python passes in, the answer is a value or an exception; errors of
//! the engine are `ValueError`s with its one line.

use engine::core::text::{printable, shortened};
use engine::games::einstein::tables::{Tables as Exact, shared};
use pyo3::{exceptions::PyValueError, prelude::*};
use rayon::{ThreadPool, ThreadPoolBuilder, prelude::*};
use std::{
    fmt::Display,
    sync::{Arc, Mutex, PoisonError},
};

mod boards;
mod callables;
mod games;
mod matches;
mod models;
mod players;
mod positions;
mod samples;
mod tables;
mod vec_env;
mod whole;

/// What went wrong, in one line: a `ValueError`. Invariant: made of errors of the engine alone; those
/// of Python stay what they are.
struct Wrong(String);

type Told<T> = Result<T, Wrong>;

impl<E: Display> From<E> for Wrong {
    fn from(problem: E) -> Self {
        Self(problem.to_string())
    }
}

impl From<Wrong> for PyErr {
    fn from(Wrong(problem): Wrong) -> Self {
        /// Characters of the longest line; what others wrote may stand in it.
        const MAX_MESSAGE: usize = 1000;
        PyValueError::new_err(shortened(&printable(&problem), MAX_MESSAGE))
    }
}

fn wrong(problem: impl Display) -> PyErr {
    Wrong::from(problem).into()
}

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

#[pymodule]
mod _alea {
    #[pymodule_export]
    use super::{
        games::{Game, evaluate, game},
        matches::{arena, regret, suites},
        models::save_network,
        players::{Player, check_foreign},
        positions::Position,
        samples::{Batches, Samples, convert},
        tables::Tables,
        vec_env::VecEnv,
        whole::{whole, wholes},
    };

    #[pymodule_init]
    fn init(_module: &pyo3::Bound<'_, pyo3::types::PyModule>) -> pyo3::PyResult<()> {
        super::provide_tables();
        Ok(())
    }
}
