//! Limits of one answer, given by the caller.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

/// Limits of one answer of a player or a search. The default is none: the limits of the player's
/// spec alone.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Ends the search once it is set, with what has been found by then; it is read about every
    /// 200 µs.
    pub stop: Option<Arc<AtomicBool>>,
    /// Replaces the time, nodes and simulations of a search that takes a limit of time, as `ms=` in
    /// its spec does; depths stay.
    pub time: Option<Duration>,
}

impl Limits {
    /// No limit.
    pub const NONE: Self = Self {
        stop: None,
        time: None,
    };

    /// Whether the stop flag is set.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        (self.stop.as_ref()).is_some_and(|stop| stop.load(Ordering::Relaxed))
    }
}

impl From<&Arc<AtomicBool>> for Limits {
    fn from(stop: &Arc<AtomicBool>) -> Self {
        Self {
            stop: Some(Arc::clone(stop)),
            time: None,
        }
    }
}
