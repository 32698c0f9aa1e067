//! Several threads at one search: they share the table and keep out of each other's way.
//!
//! Every thread runs the whole search. At each node far enough from the leaves, moves that another
//! thread is searching are put off until the others are done (ABDADA, Weill 1996, in Kerrigan's
//! simplified form); by then their results stand in the table. All that is shared is the table and
//! a small array of what is being searched, so nothing waits for anything. With a table that uses
//! results of the same depth only, the value found is that of one thread, up to rounding.

use std::{
    sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    thread::Scope,
};

/// The positions that some thread is searching. An entry may be overwritten, which costs time,
/// nothing else.
#[derive(Debug)]
pub(super) struct Busy {
    slots: Box<[AtomicU64]>,
}

const SLOTS: usize = 1 << 10;

impl Busy {
    /// From this remaining depth on moves are put off; below, searching takes less time than
    /// waiting.
    pub(super) const FROM_DEPTH: u32 = 5;

    pub(super) fn new() -> Self {
        Self {
            slots: (0..SLOTS).map(|_| AtomicU64::new(0)).collect(),
        }
    }

    #[inline]
    pub(super) fn contains(&self, key: u64) -> bool {
        self.slots[key as usize % SLOTS].load(Relaxed) == key
    }

    /// Notes that this thread is at a position; returns whether it took the place.
    #[inline]
    pub(super) fn enter(&self, key: u64) -> bool {
        self.slots[key as usize % SLOTS]
            .compare_exchange(0, key, Relaxed, Relaxed)
            .is_ok()
    }

    /// Notes that it has left again, if it had taken the place.
    #[inline]
    pub(super) fn leave(&self, entered: bool, key: u64) {
        if entered {
            self.slots[key as usize % SLOTS].store(0, Relaxed);
        }
    }
}

/// Does `own` while other threads have `task` done by a worker each, who only help: when it is done,
/// they are told to stop. Compiled once for the workers, whatever they do.
pub(super) fn beside<W: Send>(
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

/// Starts a thread of a scope. By pointer: what starting takes is compiled once and not for every
/// search.
pub(super) fn spawn<'scope>(
    scope: &'scope Scope<'scope, '_>,
    task: Box<dyn FnOnce() + Send + 'scope>,
) {
    scope.spawn(task);
}
