//! The native part of the Python package `alea`, whose public API is in `alea/*.py`.

use engine::core::text::{printable, shorten};
use engine::games::einstein::tables::{Tables as Exact, shared_tables};
use pyo3::{exceptions::PyValueError, prelude::*};
use rayon::{ThreadPool, ThreadPoolBuilder, prelude::*};
use std::{
    fmt::Display,
    sync::{Arc, Mutex, PoisonError},
};

mod callables;
mod endgame_tables;
mod game_batch;
mod game_dispatch;
mod integers;
mod matches;
mod models;
mod players;
mod positions;
mod samples;
mod vec_env;

/// An error that becomes a `ValueError` of one line.
struct EngineError(String);

type PyRes<T> = Result<T, EngineError>;

impl<E: Display> From<E> for EngineError {
    fn from(problem: E) -> Self {
        Self(problem.to_string())
    }
}

impl From<EngineError> for PyErr {
    fn from(EngineError(problem): EngineError) -> Self {
        /// Maximal characters of a message, which may quote outside texts.
        const MAX_MESSAGE: usize = 1000;
        PyValueError::new_err(shorten(&printable(&problem), MAX_MESSAGE))
    }
}

fn value_error(problem: impl Display) -> PyErr {
    EngineError::from(problem).into()
}

/// Thread pool with a thread per core; a forked process gets its own.
fn pool() -> PyRes<Arc<ThreadPool>> {
    static THREAD_POOL: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);
    let mut pool = THREAD_POOL.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    if let Some((_, pool)) = pool.as_ref().filter(|(owner, _)| *owner == process) {
        return Ok(Arc::clone(pool));
    }
    let built = ThreadPoolBuilder::new().build();
    let built = Arc::new(built.map_err(|error| format!("cannot start threads: {error}"))?);
    // Threads of another process cannot be ended.
    std::mem::forget(pool.replace((process, Arc::clone(&built))));
    Ok(built)
}

fn run_jobs(jobs: usize, job: &(dyn Fn(usize) + Sync)) {
    match pool() {
        Ok(pool) => pool.install(|| (0..jobs).into_par_iter().for_each(job)),
        Err(_) => (0..jobs).for_each(job),
    }
}

fn provide_tables() {
    let build_table = |stones, variant| Exact::in_memory(stones, variant, &run_jobs, &|_, _| {});
    shared_tables::register_provider(Box::new(build_table), Box::new(|_| 0));
}

#[pymodule]
mod _alea {
    #[pymodule_export]
    use super::{
        endgame_tables::Tables,
        game_dispatch::{Game, evaluate, game},
        integers::{integer, integers},
        matches::{regret, run_arena, suites},
        models::save_network,
        players::{Player, check_foreign},
        positions::Position,
        samples::{Batches, Samples, convert},
        vec_env::VecEnv,
    };

    #[pymodule_init]
    fn init(_module: &pyo3::Bound<'_, pyo3::types::PyModule>) -> pyo3::PyResult<()> {
        super::provide_tables();
        Ok(())
    }
}
