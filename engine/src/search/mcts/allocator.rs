//! Who takes which cells of the graph: threads take many at a time, for the blocks they will make.
//!
//! A counter that all threads write to is a cache line that travels with every block, and blocks of
//! several threads that lie side by side share lines. So a thread takes a *chunk* and makes its
//! blocks of that. Invariant: every cell below [`ThreadChunk::cells`] belongs to a block or to the
//! allocator of one thread; what a thread does not use it must fill before the blocks can be walked
//! through ([`super::graph::Graph::close`]).

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// What is taken of the memory, in bits 0–31 cells, from 32 on blocks: on cache lines of its own,
/// for it changes while all threads read what is around it.
#[derive(Debug)]
#[repr(align(128))]
pub(super) struct ThreadChunk(AtomicU64);

/// Cells that are a thread's, from `next` on, and how many blocks it has made that are not counted
/// yet.
#[derive(Debug, Default)]
pub(super) struct BumpAllocator {
    pub(super) next: u32,
    pub(super) end: u32,
    blocks: u32,
}

/// How many cells, and how many blocks, there may be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    pub(super) cells: u64,
    pub(super) blocks: u64,
}

/// Nothing but cell 0.
const NOTHING: u64 = 1;

impl ThreadChunk {
    pub(super) fn nothing() -> Self {
        Self(AtomicU64::new(NOTHING))
    }

    pub(super) fn set(&mut self, cells: u32, blocks: u32) {
        *self.0.get_mut() = u64::from(blocks) << 32 | u64::from(cells);
    }

    /// Nothing but cell 0.
    pub(super) fn clear(&mut self) {
        *self.0.get_mut() = NOTHING;
    }

    pub(super) fn cells(&self) -> u32 {
        self.0.load(Relaxed) as u32
    }

    pub(super) fn blocks(&self) -> u32 {
        (self.0.load(Relaxed) >> 32) as u32
    }

    /// Takes so many cells for an allocator that has nothing left, and counts its blocks; whether
    /// there was room.
    pub(super) fn refill(&self, allocator: &mut BumpAllocator, cells: u32, room: Room) -> bool {
        let take = |taken: u64| {
            let blocks = (taken >> 32) + u64::from(allocator.blocks);
            let used = (taken & u64::from(u32::MAX)) + u64::from(cells);
            (blocks < room.blocks && used <= room.cells).then_some(blocks << 32 | used)
        };
        let Ok(before) = self.0.fetch_update(Relaxed, Relaxed, take) else {
            return false;
        };
        *allocator = BumpAllocator {
            next: before as u32,
            end: before as u32 + cells,
            blocks: 0,
        };
        true
    }

    /// Counts the blocks of an allocator that will not be used any more.
    pub(super) fn count(&self, allocator: &mut BumpAllocator) {
        self.0.fetch_add(u64::from(allocator.blocks) << 32, Relaxed);
        *allocator = BumpAllocator::default();
    }
}

impl BumpAllocator {
    pub(super) fn left(&self) -> u32 {
        self.end - self.next
    }

    /// Cells for a block, of those that are there.
    pub(super) fn block(&mut self, cells: u32) -> u32 {
        debug_assert!(cells <= self.left());
        let block = self.next;
        self.next += cells;
        self.blocks += 1;
        block
    }
}
