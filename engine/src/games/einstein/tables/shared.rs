//! Tables shared by all players of a process, created on first use.
//!
//! A program registers their source ([`provide`]), since it knows directories, threads and progress
//! bars; by default they are computed in memory on the calling thread. Invariant: tables of one
//! size and variant exist once.

use super::{Tables, TablesError, on_this_thread};
use crate::games::einstein::Variant;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Source of tables of so many stones for a variant.
pub type Provider = dyn Fn(usize, Variant) -> Result<Arc<Tables>, TablesError> + Send + Sync;

/// Largest number of stones of tables that exist already for a variant; 0 for none.
pub type AtHand = dyn Fn(Variant) -> usize + Send + Sync;

static PROVIDER: OnceLock<(Box<Provider>, Box<AtHand>)> = OnceLock::new();
static TABLES: Mutex<Vec<Arc<Tables>>> = Mutex::new(Vec::new());

/// Registers the source of tables; only the first call counts. Returns whether this was it.
pub fn provide(provider: Box<Provider>, at_hand: Box<AtHand>) -> bool {
    PROVIDER.set((provider, at_hand)).is_ok()
}

/// Largest number of stones of tables that need not be computed; 0 for none.
pub fn at_hand(variant: Variant) -> usize {
    PROVIDER.get().map_or(0, |(_, at_hand)| at_hand(variant))
}

/// The tables of at most `stones` stones.
///
/// # Errors
/// If `stones` is not in 2–6, there is not enough memory, or a file cannot be read.
pub fn shared(stones: usize, variant: Variant) -> Result<Arc<Tables>, TablesError> {
    // The lock is held during the build, so that each table is built once.
    let mut tables = TABLES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(there) = tables
        .iter()
        .find(|tables| tables.stones() == stones && tables.variant() == variant)
    {
        return Ok(there.clone());
    }
    let built = match PROVIDER.get() {
        Some((provider, _)) => provider(stones, variant)?,
        None => Tables::in_memory(stones, variant, &on_this_thread, &|_, _| {})?,
    };
    tables.push(built.clone());
    Ok(built)
}
