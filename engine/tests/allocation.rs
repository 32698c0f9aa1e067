//! Random games allocate nothing once they are set up, counted by an allocator of this test.
//!
//! The only test of its file, and counted by thread, so that nothing else is counted.
#![allow(unsafe_code, reason = "an allocator cannot be written without")]

use engine::core::game::Game;
use engine::core::random::RandomStream;
use engine::core::simd::Instructions;
use engine::games::einstein::Standard;
use engine::games::einstein::playout::{Choice, Playouts};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

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
