//! Limits of one decision.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

/// Limits of one decision, besides a player's options.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Flag that ends the search with its result so far; read about every 200 µs.
    pub stop: Option<Arc<AtomicBool>>,
    /// Wall time; replaces a search's own limits except of depth.
    pub time: Option<Duration>,
}

impl Limits {
    /// No limit.
    pub const NONE: Self = Self {
        stop: None,
        time: None,
    };

    /// Whether there is no limit.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.stop.is_none() && self.time.is_none()
    }

    /// Whether the stop flag is set.
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
