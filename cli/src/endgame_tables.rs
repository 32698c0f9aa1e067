//! EinStein's endgame tables for players: from files if they exist, else built in memory.

use crate::output;
use engine::games::einstein::{
    Variant,
    tables::{ReportProgress, Tables, TablesError, shared_tables},
};
use std::{
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

const DIRECTORY_VARIABLE: &str = "ALEA_TABLES";

/// Maximal number of stones of tables in memory: those of six stones would take 22 GB.
const MAX_STONES_IN_MEMORY: usize = 5;

const MAX_SILENT_STONES: usize = 4;

static TABLE_DIRECTORY: OnceLock<PathBuf> = OnceLock::new();

/// Sets the directory of tables, instead of that in `ALEA_TABLES`; only the first call counts.
/// Fails if there is none.
pub(crate) fn set_directory(directory: &Path) -> anyhow::Result<()> {
    if !directory.is_dir() {
        anyhow::bail!("{}: there is no such directory", directory.display());
    }
    TABLE_DIRECTORY.get_or_init(|| directory.to_owned());
    Ok(())
}

fn directory() -> PathBuf {
    let from_environment = || {
        std::env::var_os(DIRECTORY_VARIABLE).map_or_else(|| PathBuf::from("tables"), PathBuf::from)
    };
    TABLE_DIRECTORY
        .get()
        .cloned()
        .unwrap_or_else(from_environment)
}

/// Lets players use endgame tables: those in the directory of `set_directory`, else of
/// `ALEA_TABLES` (default `tables`); at most five stones are solved in memory if it lacks them.
pub(crate) fn register_tables() {
    let there = |variant| Tables::stones_on_disk(&directory(), variant).unwrap_or(0);
    let make = move |stones, variant| {
        if stones > MAX_STONES_IN_MEMORY || there(variant) >= stones {
            return Tables::open(&directory(), stones, variant, &alea_parallel::for_each);
        }
        in_memory(stones, variant, &directory())
    };
    shared_tables::register_provider(Box::new(make), Box::new(there));
}

pub(crate) fn in_memory(
    stones: usize,
    variant: Variant,
    directory: &Path,
) -> Result<Arc<Tables>, TablesError> {
    if stones > MAX_SILENT_STONES {
        let directory = directory.display();
        output::note(&format!(
            "building the tables of at most {stones} stones in memory; 'alea solve' keeps them in {directory}"
        ));
    }
    with_progress(|report| Tables::in_memory(stones, variant, &alea_parallel::for_each, report))
}

/// Calls `make` with a progress bar of finished and all positions.
pub(crate) fn with_progress<T>(make: impl FnOnce(ReportProgress<'_>) -> T) -> T {
    output::with_progress("positions", |progress| {
        make(&|done, all| {
            progress.set_length(all);
            progress.set_position(done);
        })
    })
}
