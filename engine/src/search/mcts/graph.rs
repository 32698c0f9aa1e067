//! The graph of a Monte-Carlo search: statistics of positions and moves, shared by all threads, in memory of fixed size.
//!
//! A position is a *block* of cells, a head and one cell for each of its moves; a move links to the block behind it. An
//! index by keys finds a position however it was reached, which makes the tree a graph (Lajkonik keeps its statistics in
//! such a table). Blocks are named by the place of their head; 0 is none. Invariants: memory never grows; when it is
//! used up, [`Graph::add`] says so and nothing else changes; a block is complete before another thread can find it.

pub(in crate::search) use super::cell::Cell;
use crate::search::memory::Memory;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Acquire, Ordering::Relaxed, Ordering::Release};

/// A place of the index. Bits 0–31 block, 32–39 generation, 40–63 low bits of the key.
#[derive(Debug)]
#[repr(transparent)]
pub(in crate::search) struct Slot(AtomicU64);

/// Positions and moves in memory of fixed size.
#[derive(Debug)]
pub(super) struct Graph {
    cells: Memory<Cell>,
    /// For each cell more statistics, where the options need them.
    extras: Option<Memory<Cell>>,
    index: Memory<Slot>,
    /// Slots of other generations are empty; never 0.
    generation: u8,
    used: AtomicU32,
    blocks: AtomicU32,
}

/// Fewer cells are no graph.
const FEWEST_CELLS: usize = 1 << 8;

/// Cells for each slot of the index, at least: a position with its moves rarely takes fewer.
const CELLS_A_SLOT: usize = 2;

impl Graph {
    /// A graph within `bytes` of memory, for at most `blocks` positions; with less if the system does not grant that much,
    /// and `None` if it grants nothing.
    pub(super) fn new(bytes: usize, blocks: usize, extras: bool) -> Option<Self> {
        let mut bytes = bytes;
        loop {
            if let Some(graph) = Self::within(bytes, blocks, extras) {
                return Some(graph);
            }
            if bytes < FEWEST_CELLS * size_of::<Cell>() {
                return None;
            }
            bytes /= 2;
        }
    }

    fn within(bytes: usize, blocks: usize, extras: bool) -> Option<Self> {
        // A slot of the index for every few cells: its power of two is found from below, so this is an upper limit.
        let a_cell = size_of::<Cell>() * if extras { 2 } else { 1 } + size_of::<Slot>() / CELLS_A_SLOT;
        // Links are 32 bits.
        let cells = (bytes / a_cell).clamp(FEWEST_CELLS, u32::MAX as usize / 2);
        let most = 1 << (cells / CELLS_A_SLOT).ilog2();
        let slots = blocks.saturating_mul(2).min(most).next_power_of_two();
        // The largest positions known have 19 cells; pages that are not used cost nothing.
        let cells = cells.min(blocks.saturating_mul(64).max(FEWEST_CELLS));
        let extras = if extras { Some(Memory::zeroed(cells)?) } else { None };
        let (cells, index) = (Memory::zeroed(cells)?, Memory::zeroed(slots)?);
        Some(Self { cells, extras, index, generation: 1, used: AtomicU32::new(1), blocks: AtomicU32::new(0) })
    }

    /// Bytes that the system lends at most.
    pub(super) fn bytes(&self) -> usize {
        let extras = self.extras.as_ref().map_or(0, |extras| size_of_val(extras.items()));
        size_of_val(self.cells.items()) + extras + size_of_val(self.index.items())
    }

    /// Positions that are there.
    pub(super) fn blocks(&self) -> u32 {
        self.blocks.load(Relaxed)
    }

    /// The share of the cells that are taken.
    pub(super) fn fill(&self) -> f64 {
        f64::from(self.used.load(Relaxed)) / self.cells.items().len() as f64
    }

    /// A head, or a move by its place.
    #[inline]
    pub(super) fn cell(&self, place: u32) -> &Cell {
        &self.cells.items()[place as usize]
    }

    /// `count` moves of a block, from number `start` on.
    #[inline]
    pub(super) fn edges(&self, block: u32, start: usize, count: usize) -> &[Cell] {
        &self.cells.items()[block as usize + 1 + start..][..count]
    }

    /// Asks for the heads behind moves: one of them is needed next, and it is rarely in a near cache.
    #[inline]
    pub(super) fn prefetch_children(&self, edges: &[Cell]) {
        edges.iter().for_each(|edge| self.cells.prefetch(edge.child() as usize));
    }

    /// All moves of a block.
    pub(super) fn all_edges(&self, block: u32) -> &[Cell] {
        self.edges(block, 0, self.cell(block).moves() as usize)
    }

    /// The additional statistics of `count` cells from a place on; none if there are none.
    #[inline]
    pub(super) fn extras(&self, place: u32, count: usize) -> &[Cell] {
        self.extras.as_ref().map_or(&[], |extras| &extras.items()[place as usize..][..count])
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        *self.used.get_mut() = 1;
        *self.blocks.get_mut() = 0;
        self.empty_index();
    }

    fn empty_index(&mut self) {
        self.generation = self.generation.wrapping_add(1);
        if self.generation == 0 {
            self.index.items().iter().for_each(|slot| slot.0.store(0, Relaxed));
            self.generation = 1;
        }
    }

    /// A new block that only its maker knows, with moves that were never tried; `None` if there is no room for it.
    pub(super) fn add(&self, key: u64, moves: usize, visits: u32, value: f32) -> Option<u32> {
        let room = self.cells.items().len() as u32;
        // Nor may the index fill up: searching it would take ever longer.
        if self.blocks() as usize >= self.index.items().len() / 4 * 3 {
            return None;
        }
        let wanted = u32::try_from(moves + 1).ok()?;
        let take = |used: u32| used.checked_add(wanted).filter(|&used| used <= room);
        let block = self.used.fetch_update(Relaxed, Relaxed, take).ok()?;
        self.blocks.fetch_add(1, Relaxed);
        for place in block..block + wanted {
            self.cell(place).clear();
        }
        self.extras(block, wanted as usize).iter().for_each(Cell::clear);
        self.cell(block).set_head(moves as u32, key, visits, value);
        Some(block)
    }

    /// The block of a position that others can find.
    #[inline]
    pub(super) fn find(&self, key: u64) -> Option<u32> {
        self.probe(key).ok()
    }

    /// Lets others find a block, unless they find another one of the same position; answers which.
    pub(super) fn publish(&self, key: u64, block: u32) -> u32 {
        let word = u64::from(block) | u64::from(self.generation) << 32 | key << 40;
        loop {
            match self.probe(key) {
                Ok(found) => return found,
                Err((slot, stale)) => {
                    if self.index.items()[slot].0.compare_exchange(stale, word, Release, Relaxed).is_ok() {
                        return block;
                    }
                }
            }
        }
    }

    /// The block with a key, or the empty slot where it would stand, with what is in it.
    #[inline]
    fn probe(&self, key: u64) -> Result<u32, (usize, u64)> {
        let slots = self.index.items();
        let mask = slots.len() - 1;
        // The high bits of the key choose the slot, the low ones are compared.
        let mut slot = (key >> 32) as usize & mask;
        loop {
            let word = slots[slot].0.load(Acquire);
            if (word >> 32) as u8 != self.generation {
                return Err((slot, word));
            }
            if word >> 40 == key & 0xFF_FFFF && self.cell(word as u32).key() == key {
                return Ok(word as u32);
            }
            slot = (slot + 1) & mask;
        }
    }

    /// Keeps what can be reached from a block and moves it together; answers where that block is now. `pending` is scratch.
    pub(super) fn keep_only(&mut self, root: u32, pending: &mut Vec<u32>) -> u32 {
        pending.clear();
        pending.push(root);
        self.cell(root).set_mark(1);
        while let Some(block) = pending.pop() {
            for edge in self.all_edges(block) {
                let child = edge.child();
                if child != 0 && self.cell(child).mark() == 0 {
                    self.cell(child).set_mark(1);
                    pending.push(child);
                }
            }
        }
        // Where each will stand, then the links, then the cells: each only ever moves towards the beginning.
        let mut used = 1;
        self.for_each_marked(|graph, block| {
            graph.cell(block).set_mark(used);
            used += graph.cell(block).moves() + 1;
        });
        self.for_each_marked(|graph, block| {
            for edge in graph.all_edges(block).iter().filter(|edge| edge.child() != 0) {
                edge.move_child(graph.cell(edge.child()).mark());
            }
        });
        let moved = self.cell(root).mark();
        self.empty_index();
        let mut blocks = 0;
        self.for_each_marked(|graph, block| {
            let (to, cells) = (graph.cell(block).mark(), graph.cell(block).moves() + 1);
            for offset in 0..cells {
                graph.cell(to + offset).copy(graph.cell(block + offset));
            }
            if let Some(extras) = &graph.extras {
                for offset in 0..cells as usize {
                    extras.items()[to as usize + offset].copy(&extras.items()[block as usize + offset]);
                }
            }
            graph.cell(to).set_mark(0);
            graph.publish(graph.cell(to).key(), to);
            blocks += 1;
        });
        *self.used.get_mut() = used;
        *self.blocks.get_mut() = blocks;
        moved
    }

    /// In the order of their places. What is done may overwrite the block and those before it.
    fn for_each_marked(&self, mut task: impl FnMut(&Self, u32)) {
        let mut block = 1;
        let end = self.used.load(Relaxed);
        while block < end {
            let next = block + self.cell(block).moves() + 1;
            if self.cell(block).mark() != 0 {
                task(self, block);
            }
            block = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_found_until_memory_is_used_up() {
        let mut graph = Graph::new(1 << 16, 1 << 20, false).unwrap();
        assert!(graph.bytes() <= 1 << 16);
        for round in 0..300u64 {
            let key = |number: u64| (number + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ round;
            let mut blocks = Vec::new();
            while let Some(block) = graph.add(key(blocks.len() as u64), 5, 1, 0.5) {
                assert_eq!(graph.publish(key(blocks.len() as u64), block), block);
                blocks.push(block);
            }
            assert!(blocks.len() > 200);
            assert_eq!(graph.blocks(), blocks.len() as u32);
            for (number, &block) in blocks.iter().enumerate() {
                assert_eq!(graph.find(key(number as u64)), Some(block));
            }
            assert_eq!(graph.find(key(1 << 20)), None);
            graph.clear();
            assert_eq!(graph.find(key(0)), None);
        }
    }

    #[test]
    fn what_can_be_reached_stays_and_the_rest_goes() {
        let mut graph = Graph::new(1 << 16, 1 << 10, true).unwrap();
        // 10 → 11 → 12, 10 → 12, and 13, 14 that nobody links to; 12 is older than all.
        let keys = [12u64, 13, 10, 14, 11];
        let blocks: Vec<u32> = keys.iter().map(|&key| graph.add(key << 32 | key, key as usize, key as u32, 0.0).unwrap()).collect();
        keys.iter().zip(&blocks).for_each(|(&key, &block)| assert_eq!(graph.publish(key << 32 | key, block), block));
        graph.edges(blocks[2], 3, 1)[0].set_child(blocks[4]);
        graph.edges(blocks[2], 4, 1)[0].set_child(blocks[0]);
        graph.edges(blocks[4], 0, 1)[0].set_child(blocks[0]);
        graph.edges(blocks[0], 11, 1)[0].add_visits::<true>(99);
        graph.extras(blocks[0] + 12, 1)[0].add_visits::<true>(98);
        let root = graph.keep_only(blocks[2], &mut Vec::new());
        assert_eq!(graph.find(10 << 32 | 10), Some(root));
        assert_eq!((graph.find(13 << 32 | 13), graph.find(14 << 32 | 14), graph.blocks()), (None, None, 3));
        let (second, third) = (graph.edges(root, 3, 1)[0].child(), graph.edges(root, 4, 1)[0].child());
        assert_eq!((graph.find(11 << 32 | 11), graph.find(12 << 32 | 12)), (Some(second), Some(third)));
        assert_eq!(graph.edges(second, 0, 1)[0].child(), third);
        assert_eq!((graph.edges(third, 11, 1)[0].visits(), graph.extras(third + 12, 1)[0].visits()), (99, 98));
        assert_eq!((graph.cell(third).visits(), graph.cell(third).moves(), graph.cell(third).mark()), (12, 12, 0));
        // Room for the next one.
        assert!(graph.add(1, 5, 0, 0.0).is_some());
    }
}
