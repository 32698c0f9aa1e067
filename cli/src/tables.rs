//! Where endgame tables come from: files if there are any, else memory.

use crate::output;
use crate::positions::parallel;
use engine::games::einstein::{
    Variant,
    tables::{Progress, Tables, TablesError, shared},
};
use std::{
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

/// Names the directory of the tables that players ask for.
const DIRECTORY: &str = "ALEA_TABLES";

/// Tables of more stones are only read from files: in memory they would take 22 GB.
const MAX_STONES_IN_MEMORY: usize = 5;

/// Tables of more stones are worth a word when they are built.
const QUICK: usize = 4;

/// The directory that a command names.
static NAMED: OnceLock<PathBuf> = OnceLock::new();

/// Makes players find tables in a directory, whatever `ALEA_TABLES` says. Only what a command does
/// first has an effect.
///
/// # Errors
/// If there is no such directory.
pub(crate) fn look_in(directory: &Path) -> anyhow::Result<()> {
    if !directory.is_dir() {
        anyhow::bail!("{}: there is no such directory", directory.display());
    }
    NAMED.get_or_init(|| directory.to_owned());
    Ok(())
}

/// The directory of tables.
fn directory() -> PathBuf {
    let from_environment =
        || std::env::var_os(DIRECTORY).map_or_else(|| PathBuf::from("tables"), PathBuf::from);
    NAMED.get().cloned().unwrap_or_else(from_environment)
}

/// Makes players find tables: those of the directory that `ALEA_TABLES` names, or of `tables`, else
/// built in memory.
pub(crate) fn provide() {
    let there = |variant| Tables::stones_in(&directory(), variant).unwrap_or(0);
    let make = move |stones, variant| {
        if stones > MAX_STONES_IN_MEMORY || there(variant) >= stones {
            return Tables::open(&directory(), stones, variant, &parallel);
        }
        in_memory(stones, variant, &directory())
    };
    shared::provide(Box::new(make), Box::new(there));
}

/// Tables built in memory, with a word and a progress bar if that takes a while.
pub(crate) fn in_memory(
    stones: usize,
    variant: Variant,
    directory: &Path,
) -> Result<Arc<Tables>, TablesError> {
    if stones > QUICK {
        let directory = directory.display();
        output::note(&format!(
            "building the tables of at most {stones} stones in memory; 'alea solve' keeps them in {directory}"
        ));
    }
    with_progress(|report| Tables::in_memory(stones, variant, &parallel, report))
}

/// Makes tables under a progress bar; `make` tells how many positions are done, of how many.
pub(crate) fn with_progress<T>(make: impl FnOnce(Progress<'_>) -> T) -> T {
    output::with_progress("positions", |progress| {
        make(&|done, all| {
            progress.set_length(all);
            progress.set_position(done);
        })
    })
}
