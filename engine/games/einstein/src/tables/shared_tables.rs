//! Endgame tables shared by all players of a process, created on first use.

use super::{Tables, TablesError, run_sequentially};
use crate::Variant;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Creates a variant's tables of at most this many stones (both sides together).
pub type TablesProvider = dyn Fn(usize, Variant) -> Result<Arc<Tables>, TablesError> + Send + Sync;

/// Returns the most stones for which a variant's tables are available without building; 0 for none.
pub type CachedStonesQuery = dyn Fn(Variant) -> usize + Send + Sync;

static PROVIDER: OnceLock<(Box<TablesProvider>, Box<CachedStonesQuery>)> = OnceLock::new();
static TABLES: Mutex<Vec<Arc<Tables>>> = Mutex::new(Vec::new());

/// Registers the functions behind [`shared_tables`] and [`cached_stones`]; `false` and without
/// effect after the first call.
pub fn register_provider(
    provider: Box<TablesProvider>,
    cached_stones: Box<CachedStonesQuery>,
) -> bool {
    PROVIDER.set((provider, cached_stones)).is_ok()
}

/// The most stones for which tables are available without building; 0 if unknown.
pub fn cached_stones(variant: Variant) -> usize {
    PROVIDER
        .get()
        .map_or(0, |(_, cached_stones)| cached_stones(variant))
}

/// The process's tables of at most `stones` stones (2–6, both sides together), created if
/// necessary.
pub fn shared_tables(stones: usize, variant: Variant) -> Result<Arc<Tables>, TablesError> {
    let mut tables = TABLES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(there) = tables
        .iter()
        .find(|tables| tables.max_stones() == stones && tables.variant() == variant)
    {
        return Ok(there.clone());
    }
    let built = match PROVIDER.get() {
        Some((provider, _)) => provider(stones, variant)?,
        None => Tables::in_memory(stones, variant, &run_sequentially, &|_, _| {})?,
    };
    tables.push(built.clone());
    Ok(built)
}
