//! Bump allocation of graph cells in chunks, one per thread, to avoid shared cache lines.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Numbers of allocated cells (bits 0–31) and nodes (bits 32–63), on separate cache lines.
#[derive(Debug)]
#[repr(align(128))]
pub(super) struct CellAllocator(AtomicU64);

/// Free cells `next..end` and nodes not yet in [`CellAllocator`].
#[derive(Debug, Default)]
pub(super) struct Chunk {
    pub(super) next: u32,
    pub(super) end: u32,
    nodes: u32,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Capacity {
    pub(super) cells: u64,
    pub(super) nodes: u64,
}

const EMPTY: u64 = 1;

impl CellAllocator {
    pub(super) fn new() -> Self {
        Self(AtomicU64::new(EMPTY))
    }

    pub(super) fn set_used(&mut self, cells: u32, nodes: u32) {
        *self.0.get_mut() = u64::from(nodes) << 32 | u64::from(cells);
    }

    pub(super) fn clear(&mut self) {
        *self.0.get_mut() = EMPTY;
    }

    pub(super) fn cells(&self) -> u32 {
        self.0.load(Relaxed) as u32
    }

    pub(super) fn nodes(&self) -> u32 {
        (self.0.load(Relaxed) >> 32) as u32
    }

    pub(super) fn refill(&self, chunk: &mut Chunk, cells: u32, capacity: Capacity) -> bool {
        let take = |packed: u64| {
            let nodes = (packed >> 32) + u64::from(chunk.nodes);
            let used = (packed & u64::from(u32::MAX)) + u64::from(cells);
            (nodes < capacity.nodes && used <= capacity.cells).then_some(nodes << 32 | used)
        };
        let Ok(before) = self.0.fetch_update(Relaxed, Relaxed, take) else {
            return false;
        };
        *chunk = Chunk {
            next: before as u32,
            end: before as u32 + cells,
            nodes: 0,
        };
        true
    }

    pub(super) fn release_chunk(&self, chunk: &mut Chunk) {
        self.0.fetch_add(u64::from(chunk.nodes) << 32, Relaxed);
        *chunk = Chunk::default();
    }
}

impl Chunk {
    pub(super) fn remaining(&self) -> u32 {
        self.end - self.next
    }

    pub(super) fn allocate_node(&mut self, cells: u32) -> u32 {
        debug_assert!(cells <= self.remaining());
        let allocate_node = self.next;
        self.next += cells;
        self.nodes += 1;
        allocate_node
    }
}
