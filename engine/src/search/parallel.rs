//! Multi-threaded search: threads share the table and avoid each other.
//!
//! A thread defers moves that another one is searching (ABDADA, Weill 1996, in Kerrigan's
//! simplified form); their results are then in the table. If the table uses results of the same
//! depth only, the value is that of one thread, up to rounding.

use std::{
    sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    thread::Scope,
};

/// Positions that threads are searching. Collisions cost time only.
#[derive(Debug)]
pub(super) struct AbdadaTable {
    slots: Box<[AtomicU64]>,
}

const NUM_SLOTS: usize = 1 << 10;

impl AbdadaTable {
    /// Minimal depth for deferred moves; below it searching is faster than deferring.
    pub(super) const MIN_DEPTH: u32 = 5;

    pub(super) fn new() -> Self {
        Self {
            slots: (0..NUM_SLOTS).map(|_| AtomicU64::new(0)).collect(),
        }
    }

    #[inline]
    pub(super) fn contains(&self, key: u64) -> bool {
        self.slots[key as usize % NUM_SLOTS].load(Relaxed) == key
    }

    /// Enters a position; returns whether its slot was free.
    #[inline]
    pub(super) fn mark_searching(&self, key: u64) -> bool {
        self.slots[key as usize % NUM_SLOTS]
            .compare_exchange(0, key, Relaxed, Relaxed)
            .is_ok()
    }

    #[inline]
    pub(super) fn unmark_searching(&self, entered: bool, key: u64) {
        if entered {
            self.slots[key as usize % NUM_SLOTS].store(0, Relaxed);
        }
    }
}

/// Runs `own` while helper threads run `task` with a worker each; `stop` ends the helpers. Compiled
/// once for all workers.
pub(super) fn run_with_helpers<W: Send>(
    workers: &mut [W],
    task: &(dyn Fn(&mut W) + Sync),
    stop: &AtomicBool,
    own: &mut dyn FnMut(),
) {
    std::thread::scope(|scope| {
        for worker in workers {
            spawn(scope, Box::new(move || task(worker)));
        }
        own();
        stop.store(true, Relaxed);
    });
}

/// Starts a scoped thread. Boxed, so that it is compiled once for all searches.
pub(super) fn spawn<'scope>(
    scope: &'scope Scope<'scope, '_>,
    task: Box<dyn FnOnce() + Send + 'scope>,
) {
    scope.spawn(task);
}
