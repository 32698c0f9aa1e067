//! Memory allocations of a thread after set-up: none in random games, few in Monte-Carlo searches.
#![allow(unsafe_code, reason = "an allocator cannot be written without")]

use crate::mcts::simulations;
use crate::support::{MIDDLE, moves_of, position, schwarz};
use engine::core::{random::RandomStream, search_game::Playouts, simd::Instructions};
use engine::games::{
    einstein::{
        Standard,
        playout::{Choice, LanePlayouts},
    },
    havannah::Havannah,
};
use engine::play::{build::PlayerRecipe, playable::Playable, player_notation::Notation};
use engine::search::limits::Limits;
use engine::search::{
    mcts::{EvaluatorLeaf, Leaf, Mcts, MctsOptions, PlayoutLeaf},
    playout_policies::{GreedyPolicy, HighestClass, MixedPolicy, PolicyPlayout, TruncatedPlayout},
    rollout::RolloutResult,
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
            let mut playouts =
                LanePlayouts::with_instructions(instructions, &game, choice, 1).unwrap();
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
            std::hint::black_box(game.playout(&start, || random.next_u64()));
        }
    });
    assert_eq!(count, 0);
}

#[test]
fn decisions_in_havannah_allocate_for_their_answer_alone() {
    let game = Havannah::new(5, false);
    let position = game.parse_position("e5 c3").unwrap();
    let moves = moves_of(&game, &position);
    for notation in [
        "",
        ", rave=0",
        ", keep=on",
        ", playout=havannah(reply=on, mate=on)",
    ] {
        let notation = format!("mcts(sims=4000, early=off{notation})");
        let mut player = PlayerRecipe::parse(&notation, &game).unwrap().make();
        player.decide(&position, &moves, &Limits::NONE).unwrap();
        let count = allocations_of(|| {
            player.decide(&position, &moves, &Limits::NONE).unwrap();
        });
        assert!(count <= 24, "{notation}: {count}");
    }
}

#[test]
fn roll_outs_do_not_allocate() {
    let game = Standard::default();
    for name in ["best", "schwarz"] {
        let evaluator = game.evaluator(&Notation::new(name)).unwrap();
        let mut roll = evaluator.rollouts(game.clone(), None, 0);
        let (mut luck_adjusted, start) = (0.0, position(MIDDLE));
        let mut play = |games| {
            let each = &mut |played: RolloutResult| luck_adjusted += played.luck_adjusted();
            roll.play_games(&start, 0, 1, games, each);
        };
        play(0..1);
        assert_eq!(allocations_of(|| play(1..1000)), 0, "{name}");
    }
}

fn few_allocations(options: MctsOptions, leaf: impl Leaf<Standard>) {
    let mut search = Mcts::new(Standard::default(), leaf, options, 1);
    search.search(&position(MIDDLE), None);
    let count = allocations_of(|| drop(search.search(&position(MIDDLE), None)));
    assert!(count <= 8, "{options:?}: {count}");
}

#[test]
fn simulations_do_not_allocate() {
    let base_options = simulations(10_000);
    for options in [
        base_options,
        MctsOptions {
            solver: false,
            graph: false,
            ..base_options
        },
        MctsOptions {
            batch: 8,
            ..base_options
        },
        MctsOptions {
            rave: 10.0,
            expand_visits: 5,
            ..base_options
        },
        MctsOptions {
            memory: 1,
            ..base_options
        },
    ] {
        let schwarz = schwarz(&Standard::default());
        let longer = |count| MctsOptions {
            budget: simulations(count).budget,
            ..options
        };
        few_allocations(longer(100_000), PlayoutLeaf);
        few_allocations(longer(50_000), EvaluatorLeaf::new(schwarz.clone()));
        let best = GreedyPolicy::new(schwarz.clone());
        let policy = MixedPolicy::new(best, 0.5, HighestClass { min_class: 2 });
        few_allocations(options, PolicyPlayout(policy.clone()));
        let cut = TruncatedPlayout::new(policy, 4, EvaluatorLeaf::new(schwarz));
        few_allocations(options, cut);
    }
}
