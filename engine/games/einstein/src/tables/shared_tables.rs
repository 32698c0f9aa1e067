//! Endgame tables shared by all players of a process, created on first use.

use super::{Tables, TablesError, run_sequentially};
use crate::Variant;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Function that creates a variant's tables of at most the given number of stones (of both sides
/// together).
pub type TablesProvider = dyn Fn(usize, Variant) -> Result<Arc<Tables>, TablesError> + Send + Sync;

/// Function that returns the largest number of stones for which a variant's tables are available
/// without building; 0 for none.
pub type CachedStonesQuery = dyn Fn(Variant) -> usize + Send + Sync;

static PROVIDER: OnceLock<(Box<TablesProvider>, Box<CachedStonesQuery>)> = OnceLock::new();
static TABLES: Mutex<Vec<Arc<Tables>>> = Mutex::new(Vec::new());

/// Registers the functions behind [`shared_tables`] and [`cached_stones`]. Only the first call has
/// an effect; later ones return `false`.
pub fn register_provider(
    provider: Box<TablesProvider>,
    cached_stones: Box<CachedStonesQuery>,
) -> bool {
    PROVIDER.set((provider, cached_stones)).is_ok()
}

/// Largest number of stones for which a variant's tables are available without building; 0 if
/// unknown.
pub fn cached_stones(variant: Variant) -> usize {
    PROVIDER
        .get()
        .map_or(0, |(_, cached_stones)| cached_stones(variant))
}

/// The process's tables of at most `stones` stones (2–6, of both sides together), created if they
/// do not exist.
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
