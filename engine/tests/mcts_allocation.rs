//! Once it has run, a Monte-Carlo search allocates for its answer and for nothing else.

#![allow(unsafe_code, reason = "an allocator that counts")]

use engine::games::einstein::Standard;
use engine::games::einstein::evaluators::schwarz_odds::SchwarzOdds;
use engine::search::mcts::{
    Backup, Budget, EvaluatorLeaf, Leaf, Mcts, MctsOptions, Playout, Selection,
};
use engine::search::playout::{BestSuccessor, ByPolicy, Mixture, MostUrgent, Truncated};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering};

struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

// SAFETY: the system's allocator does all the work; counting has no part in it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Allocations of a search, after one of the same kind.
fn allocations(options: MctsOptions, leaf: impl Leaf<Standard>, simulations: u64) -> u64 {
    let game = Standard::default();
    let (position, _) = game
        .parse_position("215../64.../3...e/...fb/..acd b -")
        .expect("a position");
    let options = MctsOptions {
        budget: Budget::Simulations(simulations),
        ..options
    };
    let mut search = Mcts::<_, _>::new(game, leaf, options, 1);
    search.search(&position, None);
    let before = ALLOCATIONS.load(Ordering::Relaxed);
    search.search(&position, None);
    ALLOCATIONS.load(Ordering::Relaxed) - before
}

#[test]
fn simulations_do_not_allocate() {
    let default = MctsOptions::default();
    for options in [
        default,
        MctsOptions {
            solver: false,
            graph: false,
            ..default
        },
        MctsOptions {
            backup: Backup::Expected,
            batch: 8,
            ..default
        },
        MctsOptions {
            selection: Selection::Tuned,
            rave: 10.0,
            ..default
        },
        MctsOptions {
            memory: 1,
            ..default
        },
    ] {
        let schwarz = SchwarzOdds::fitted(&Standard::default());
        // A path may once be longer than ever before.
        assert!(allocations(options, Playout, 100_000) <= 8, "{options:?}");
        assert!(
            allocations(options, EvaluatorLeaf::new(schwarz.clone()), 50_000) <= 8,
            "{options:?}"
        );
        let policy = Mixture::new(
            BestSuccessor::new(schwarz.clone()),
            0.5,
            MostUrgent { at_least: 2 },
        );
        assert!(
            allocations(options, ByPolicy(policy.clone()), 10_000) <= 8,
            "{options:?}"
        );
        assert!(
            allocations(
                options,
                Truncated::new(policy, 4, EvaluatorLeaf::new(schwarz)),
                10_000
            ) <= 8,
            "{options:?}"
        );
    }
}
