//! Multi-threaded search in which a thread defers moves that another is searching (ABDADA, Weill
//! 1996, simplified by Kerrigan).

use std::{
    sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    thread::Scope,
};

/// Keys of moves being searched; collisions only cost time.
#[derive(Debug)]
pub(super) struct AbdadaTable {
    slots: Box<[AtomicU64]>,
}

const NUM_SLOTS: usize = 1 << 10;

impl AbdadaTable {
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

/// Runs `own`, and `task` on a thread per worker; sets `stop` when `own` returns.
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

pub(super) fn spawn<'scope>(
    scope: &'scope Scope<'scope, '_>,
    task: Box<dyn FnOnce() + Send + 'scope>,
) {
    scope.spawn(task);
}
