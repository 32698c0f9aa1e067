//! What allocates nothing once it is set up, counted by an allocator of these tests: random games, and
//! the simulations of a Monte-Carlo search, which allocates for its answer alone.
//!
//! Counted by thread, so that nothing else is counted.
#![allow(unsafe_code, reason = "an allocator cannot be written without")]

use engine::core::{game::Game, random::RandomStream, simd::Instructions};
use engine::games::{
    einstein::{
        Standard,
        evaluators::schwarz_odds::SchwarzOdds,
        playout::{Choice, Playouts},
    },
    havannah::Havannah,
};
use engine::play::playable::Playable;
use engine::search::{
    mcts::{Backup, Budget, EvaluatorLeaf, Leaf, Mcts, MctsOptions, Playout, Selection},
    playout::{BestSuccessor, ByPolicy, Mixture, MostUrgent, Truncated},
};
use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
};

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: all calls go to the system's allocator unchanged; counting does not allocate.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: as the caller promised.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as the caller promised.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations_of(work: impl FnOnce()) -> u64 {
    let before = ALLOCATIONS.with(Cell::get);
    work();
    ALLOCATIONS.with(Cell::get) - before
}

#[test]
fn random_games_allocate_nothing() {
    assert!(
        allocations_of(|| drop(std::hint::black_box(vec![1]))) > 0,
        "the allocator counts"
    );
    let game = Standard::default();
    let start = game.start([3, 4], 0);
    for instructions in Instructions::available() {
        for choice in [Choice::Moves, Choice::Stones] {
            let mut playouts = Playouts::on(instructions, &game, choice, 1).unwrap();
            let count = allocations_of(|| {
                playouts.random_setups(5000);
                playouts.from_position(&game, &start, 500);
                playouts.random_setups(5000);
            });
            assert_eq!(count, 0, "{instructions:?}");
        }
    }
    let mut random = RandomStream::new(1);
    let count = allocations_of(|| {
        for _ in 0..1000 {
            std::hint::black_box(game.random_end(&start, || random.next_u64()));
        }
    });
    assert_eq!(count, 0);
}

#[test]
fn decisions_in_havannah_allocate_for_their_answer_alone() {
    let game = Havannah::new(5, false);
    let position = game.parse_position("e5 c3").expect("a position");
    let mut moves = <Havannah as Game>::Moves::default();
    game.moves(&position, &mut moves);
    for notation in [
        "",
        ", rave=0",
        ", keep=on",
        ", playout=havannah(reply=on, mate=on)",
    ] {
        let notation = format!("mcts(sims=4000, early=off{notation})");
        let recipe = game.player(&notation).expect("a player");
        let mut player = recipe.make();
        player.decide(&position, &moves);
        let count = allocations_of(|| {
            player.decide(&position, &moves);
        });
        // One for each position that has statistics of its own would be hundreds.
        assert!(count <= 24, "{notation}: {count}");
    }
}

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
    let mut search = Mcts::new(game, leaf, options, 1);
    search.search(&position, None);
    allocations_of(|| drop(search.search(&position, None)))
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
            ..default
        },
        MctsOptions {
            rave: 10.0,
            expand: 5,
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
