//! What ends an answer from outside: whoever asks may stop waiting at any time.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

/// What ends one answer of a player or a search from outside; whatever it does by itself
/// (a search's own limits) holds besides. The default is no limit.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Ends the search once it is set: it is read every 200 µs or so, as the clock is, and what has
    /// been found by then is the answer.
    pub stop: Option<Arc<AtomicBool>>,
}

impl Limits {
    /// No limit.
    pub const NONE: Self = Self { stop: None };

    /// Whether the answer is wanted at once.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        (self.stop.as_ref()).is_some_and(|stop| stop.load(Ordering::Relaxed))
    }
}

impl From<&Arc<AtomicBool>> for Limits {
    fn from(stop: &Arc<AtomicBool>) -> Self {
        Self {
            stop: Some(Arc::clone(stop)),
        }
    }
}
