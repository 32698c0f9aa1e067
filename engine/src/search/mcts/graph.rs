//! The graph of a Monte-Carlo search: statistics of positions and moves, shared by all threads, in
//! memory of fixed size.
//!
//! A position is a *block* of cells, a head and one cell for each of its moves; a move links to the
//! block behind it. An index by keys finds a position however it was reached, which makes the tree
//! a graph (Lajkonik keeps its statistics in such a table). Blocks are named by the place of their
//! head; 0 is none. Invariants: memory never grows; when it is used up, [`Graph::add`] says so and
//! no block changes; a block is complete before another thread can find it.

use super::cell::MAX_PLACES;
pub(in crate::search) use super::cell::{Cell, Proof};
use super::{
    allocator::{BumpAllocator, Room, ThreadChunk},
    place::{Edges, Place},
};
use crate::search::memory::Memory;
use std::sync::atomic::{
    AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};

/// A place of the index. Bits 0–31 block, 32–39 generation, 40–63 low bits of the key.
#[derive(Debug)]
#[repr(transparent)]
pub(in crate::search) struct Slot(AtomicU64);

/// Positions and moves in memory of fixed size.
#[derive(Debug)]
pub(super) struct Graph {
    cells: Memory<Cell>,
    /// For each cell what is known beside its statistics.
    proofs: Memory<Proof>,
    /// Whether anything ever is: else that memory is not even touched.
    learns: bool,
    /// For each cell another one, with RAVE: the simulations in which the move was made there or
    /// later.
    extras: Option<Memory<Cell>>,
    index: Memory<Slot>,
    /// Slots of other generations are empty; never 0.
    generation: u8,
    taken: ThreadChunk,
    /// Cells that a thread takes at a time; 0: those of a block.
    chunk: u32,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Size {
    pub(super) bytes: usize,
    /// Positions that will be added at most.
    pub(super) positions: usize,
    /// Moves of a position, at most; with more the cells of those positions may be too few.
    pub(super) most_moves: usize,
    pub(super) extras: bool,
    pub(super) threads: usize,
}

/// Cells to a cache line, and lines that are asked for ahead: the cells of 18 moves.
const CELLS_A_LINE: usize = 64 / size_of::<Cell>();
const PREFETCHED_LINES: usize = 4;

/// Heads behind more moves than these are not asked for ahead: they would drive out of the cache
/// what is needed.
const PREFETCHED_CHILDREN: usize = 32;

/// What a cell takes at least.
const A_CELL: usize = size_of::<Cell>() + size_of::<Proof>();

/// Fewer cells are no graph.
const MIN_CELLS: usize = 1 << 8;

/// Cells that one of several threads takes at a time at most: about a hundred positions, 32 KiB.
const CHUNK: usize = 1 << 11;

/// One part of the cells in so many may be in the chunks of threads; if that makes a chunk
/// smaller than [`SMALLEST_CHUNK`], there is none.
const RESERVED: usize = 256;
const SMALLEST_CHUNK: usize = 64;

/// Cells for each slot of the index, at least: a position with its moves rarely takes fewer.
const CELLS_A_SLOT: usize = 2;

impl Graph {
    /// A graph of this size; with less if the system does not grant that much, and `None` if it
    /// grants nothing.
    pub(super) fn new(size: Size) -> Option<Self> {
        let mut bytes = size.bytes;
        loop {
            if let Some(graph) = Self::within(Size { bytes, ..size }) {
                let chunk = if size.threads > 1 {
                    (graph.cells.items().len() / RESERVED / size.threads).min(CHUNK)
                } else {
                    0
                };
                return Some(Self {
                    chunk: if chunk < SMALLEST_CHUNK {
                        0
                    } else {
                        chunk as u32
                    },
                    ..graph
                });
            }
            if bytes < MIN_CELLS * A_CELL {
                return None;
            }
            bytes /= 2;
        }
    }

    fn within(size: Size) -> Option<Self> {
        let Size {
            bytes,
            positions,
            most_moves,
            extras,
            ..
        } = size;
        // A slot of the index for every few cells: its power of two is found from below, so this is
        // an upper limit.
        let a_cell =
            A_CELL + if extras { size_of::<Cell>() } else { 0 } + size_of::<Slot>() / CELLS_A_SLOT;
        let cells = (bytes / a_cell).clamp(MIN_CELLS, MAX_PLACES);
        let most = 1 << (cells / CELLS_A_SLOT).ilog2();
        let slots = positions.saturating_mul(2).min(most).next_power_of_two();
        // Pages that are not used cost nothing.
        let most = positions.saturating_mul(most_moves.saturating_add(1));
        let cells = cells.min(most.max(MIN_CELLS));
        let extras = if extras {
            Some(Memory::zeroed(cells)?)
        } else {
            None
        };
        let (cells, proofs, index) = (
            Memory::zeroed(cells)?,
            Memory::zeroed(cells)?,
            Memory::zeroed(slots)?,
        );
        Some(Self {
            cells,
            proofs,
            learns: true,
            extras,
            index,
            generation: 1,
            taken: ThreadChunk::nothing(),
            chunk: 0,
        })
    }

    /// Bytes that the system lends at most.
    pub(super) fn bytes(&self) -> usize {
        let extras = self
            .extras
            .as_ref()
            .map_or(0, |extras| size_of_val(extras.items()));
        size_of_val(self.cells.items())
            + size_of_val(self.proofs.items())
            + extras
            + size_of_val(self.index.items())
    }

    /// Positions that are there, but for those made of reserves that are not closed yet.
    pub(super) fn blocks(&self) -> u32 {
        self.taken.blocks()
    }

    pub(super) fn fill(&self) -> f64 {
        f64::from(self.taken.cells()) / self.cells.items().len() as f64
    }

    /// How often a move is tried before the position behind it is added: `usual`, twice as often
    /// when half the memory is used, four times at three quarters, and so on; but 1 stays 1, for
    /// there memory that is used up is no loss.
    #[inline]
    pub(super) fn crowded(&self, usual: u32) -> u32 {
        if usual == 1 {
            return 1;
        }
        let (taken, all) = (self.taken.cells() as usize, self.cells.items().len());
        let left = all.saturating_sub(taken).max(1);
        usual.saturating_mul(1 << (all / left).ilog2().min(16))
    }

    /// A head, or a move by its place.
    #[inline]
    pub(super) fn cell(&self, place: u32) -> Place<'_> {
        Place::new(
            &self.cells.items()[place as usize],
            &self.proofs,
            place as usize,
        )
    }

    /// `count` moves of a block, from number `start` on.
    #[inline]
    pub(super) fn edges(&self, block: u32, start: usize, count: usize) -> Edges<'_> {
        let first = block as usize + 1 + start;
        Edges::new(&self.cells.items()[first..][..count], &self.proofs, first)
    }

    /// Asks for the heads behind moves: one of them is needed next.
    #[inline]
    pub(super) fn prefetch_children(&self, edges: &[Cell]) {
        edges[..edges.len().min(PREFETCHED_CHILDREN)]
            .iter()
            .for_each(|edge| self.cells.prefetch(edge.child() as usize));
    }

    /// Asks for the moves of a block, without waiting for its head to say how many there are.
    #[inline]
    pub(super) fn prefetch_moves(&self, block: u32) {
        (1..=PREFETCHED_LINES)
            .for_each(|line| self.cells.prefetch(block as usize + line * CELLS_A_LINE));
    }

    /// Asks for the line of a move in order to write to it: other threads may have read it.
    #[inline]
    pub(super) fn prefetch_to_write(&self, edge: u32) {
        self.cells.prefetch_to_write(edge as usize);
    }

    pub(super) fn all_edges(&self, block: u32) -> Edges<'_> {
        self.edges(block, 0, self.cell(block).moves() as usize)
    }

    /// The additional statistics of `count` cells from a place on; none if there are none.
    #[inline]
    pub(super) fn extras(&self, place: u32, count: usize) -> &[Cell] {
        self.extras
            .as_ref()
            .map_or(&[], |extras| &extras.items()[place as usize..][..count])
    }

    /// Forgets everything. `learns` says whether bounds, hints or priors will be written or asked
    /// for.
    pub(super) fn clear(&mut self, learns: bool) {
        self.learns = learns;
        self.taken.clear();
        self.empty_index();
    }

    fn empty_index(&mut self) {
        self.generation = self.generation.wrapping_add(1);
        if self.generation == 0 {
            self.index
                .items()
                .iter()
                .for_each(|slot| slot.0.store(0, Relaxed));
            self.generation = 1;
        }
    }

    /// A new block that only its maker knows, with moves that were never tried, of a thread's
    /// allocator; `None` if there is no room for it.
    pub(super) fn add(
        &self,
        allocator: &mut BumpAllocator,
        key: u64,
        moves: usize,
        visits: u32,
    ) -> Option<u32> {
        let wanted = u32::try_from(moves + 1).ok()?;
        if allocator.left() < wanted {
            // Nor may the index fill up: searching it would take ever longer.
            let room = Room {
                cells: self.cells.items().len() as u64,
                blocks: self.index.items().len() as u64 / 4 * 3,
            };
            self.fill_up(allocator);
            let chunk = self.chunk.max(wanted);
            if !self.taken.refill(allocator, chunk, room)
                && !self.taken.refill(allocator, wanted, room)
            {
                return None;
            }
        }
        let block = allocator.block(wanted);
        let places = block as usize..(block + wanted) as usize;
        self.cells.items()[places.clone()]
            .iter()
            .for_each(Cell::clear);
        if self.learns {
            self.proofs.items()[places]
                .iter()
                .for_each(|proof| proof.clear(0.0));
        }
        self.extras(block, wanted as usize)
            .iter()
            .for_each(Cell::clear);
        self.cell(block).set_head(moves as u32, key, visits);
        Some(block)
    }

    /// Ends an allocator: its blocks are counted, the rest is a block that nobody finds.
    pub(super) fn close(&self, allocator: &mut BumpAllocator) {
        self.fill_up(allocator);
        self.taken.count(allocator);
    }

    /// Makes a block that nobody finds of what is left of an allocator.
    fn fill_up(&self, allocator: &mut BumpAllocator) {
        if allocator.left() > 0 {
            self.cell(allocator.next)
                .set_head(allocator.left() - 1, 0, 0);
            allocator.next = allocator.end;
        }
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
                    if self.index.items()[slot]
                        .0
                        .compare_exchange(stale, word, Release, Relaxed)
                        .is_ok()
                    {
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

    /// Keeps what can be reached from a block and moves it together; answers where that block is
    /// now. `write_buffer` is scratch.
    pub(super) fn keep_only(&mut self, root: u32, write_buffer: &mut Vec<u32>) -> u32 {
        self.for_each_block(|graph, block| graph.cell(block).proof().set_mark(0));
        write_buffer.clear();
        write_buffer.push(root);
        self.cell(root).proof().set_mark(1);
        while let Some(block) = write_buffer.pop() {
            for edge in self.all_edges(block).iter() {
                let child = edge.child();
                if child != 0 && self.cell(child).proof().mark() == 0 {
                    self.cell(child).proof().set_mark(1);
                    write_buffer.push(child);
                }
            }
        }
        // Where each will stand, then the links, then the cells: each only ever moves towards the
        // beginning.
        let mut used = 1;
        self.for_each_marked(|graph, block| {
            graph.cell(block).proof().set_mark(used);
            used += graph.cell(block).moves() + 1;
        });
        self.for_each_marked(|graph, block| {
            for edge in graph
                .all_edges(block)
                .iter()
                .filter(|edge| edge.child() != 0)
            {
                edge.move_child(graph.cell(edge.child()).proof().mark());
            }
        });
        let moved = self.cell(root).proof().mark();
        self.empty_index();
        let mut blocks = 0;
        self.for_each_marked(|graph, block| {
            let (to, cells) = (
                graph.cell(block).proof().mark(),
                graph.cell(block).moves() + 1,
            );
            for offset in 0..cells {
                let (new, old) = (graph.cell(to + offset), graph.cell(block + offset));
                new.copy(&old);
                new.proof().copy(old.proof());
            }
            if let Some(extras) = &graph.extras {
                for offset in 0..cells as usize {
                    extras.items()[to as usize + offset]
                        .copy(&extras.items()[block as usize + offset]);
                }
            }
            graph.publish(graph.cell(to).key(), to);
            blocks += 1;
        });
        self.taken.set(used, blocks);
        moved
    }

    /// In the order of their places. What is done may overwrite the block and those before it.
    fn for_each_marked(&self, mut task: impl FnMut(&Self, u32)) {
        self.for_each_block(|graph, block| {
            if graph.cell(block).proof().mark() != 0 {
                task(graph, block);
            }
        });
    }

    fn for_each_block(&self, mut task: impl FnMut(&Self, u32)) {
        let mut block = 1;
        let end = self.taken.cells();
        while block < end {
            let next = block + self.cell(block).moves() + 1;
            task(self, block);
            block = next;
        }
    }
}

#[cfg(test)]
impl Graph {
    pub(super) fn for_tests(bytes: usize, positions: usize, extras: bool, threads: usize) -> Self {
        let size = Size {
            // Miri looks at all of it again and again.
            bytes: bytes.min(if cfg!(miri) { 1 << 14 } else { bytes }),
            positions,
            most_moves: 63,
            extras,
            threads,
        };
        Self::new(size).unwrap()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::chance::Bounds;

    fn key(number: u64) -> u64 {
        (number + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15)
    }

    fn moves(number: u64) -> usize {
        1 + number as usize % 18
    }

    #[test]
    fn positions_are_found_until_memory_is_used_up() {
        let mut graph = Graph::for_tests(1 << 16, 1 << 20, false, 1);
        assert!(graph.bytes() <= 1 << 16);
        for round in 0..if cfg!(miri) { 1 } else { 300u64 } {
            let key = |number: u64| key(number) ^ round;
            let (mut blocks, mut allocator) = (Vec::new(), BumpAllocator::default());
            while let Some(block) = graph.add(&mut allocator, key(blocks.len() as u64), 5, 1) {
                assert_eq!(graph.publish(key(blocks.len() as u64), block), block);
                blocks.push(block);
            }
            assert!(blocks.len() > graph.bytes() / 328);
            graph.close(&mut allocator);
            assert_eq!(graph.blocks(), blocks.len() as u32);
            for (number, &block) in blocks.iter().enumerate() {
                assert_eq!(graph.find(key(number as u64)), Some(block));
            }
            assert_eq!(graph.find(key(1 << 20)), None);
            graph.clear(true);
            assert_eq!(graph.find(key(0)), None);
        }
    }

    #[test]
    fn what_can_be_reached_stays_and_the_rest_goes() {
        let mut graph = Graph::for_tests(1 << 16, 1 << 10, true, 1);
        // 10 → 11 → 12, 10 → 12, and 13, 14 that nobody links to; 12 is older than all.
        let keys = [12u64, 13, 10, 14, 11];
        let long = |key: u64| key << 32 | key;
        let blocks = keys.map(|key| {
            let (mut allocator, moves, visits) =
                (BumpAllocator::default(), key as usize, key as u32);
            let block = graph.add(&mut allocator, long(key), moves, visits);
            assert_eq!(block, Some(graph.publish(long(key), block.unwrap())));
            block.unwrap()
        });
        graph.edges(blocks[2], 3, 1).get(0).set_child(blocks[4]);
        graph.edges(blocks[2], 4, 1).get(0).set_child(blocks[0]);
        graph.edges(blocks[4], 0, 1).get(0).set_child(blocks[0]);
        graph.edges(blocks[0], 11, 1).get(0).add_visits::<true>(99);
        graph.extras(blocks[0] + 12, 1)[0].add_visits::<true>(98);
        let root = graph.keep_only(blocks[2], &mut Vec::new());
        let [second, third] = [3, 4].map(|number| graph.edges(root, number, 1).get(0).child());
        let found = [10, 11, 12, 13, 14].map(|key| graph.find(long(key)));
        let expected = [Some(root), Some(second), Some(third), None, None];
        assert_eq!((found, graph.blocks()), (expected, 3));
        assert_eq!(graph.edges(second, 0, 1).get(0).child(), third);
        assert_eq!(
            (
                graph.edges(third, 11, 1).get(0).visits(),
                graph.extras(third + 12, 1)[0].visits()
            ),
            (99, 98)
        );
        assert_eq!(
            (graph.cell(third).visits(), graph.cell(third).moves()),
            (12, 12)
        );
        // Room for the next one.
        assert!(graph.add(&mut BumpAllocator::default(), 1, 5, 0).is_some());
    }

    #[test]
    #[cfg_attr(miri, ignore = "too many cells")]
    fn threads_make_blocks_of_their_own_reserves_and_none_is_lost() {
        let mut graph = Graph::for_tests(1 << 22, 1 << 12, false, 2);
        assert!(graph.chunk as usize >= SMALLEST_CHUNK);
        for _ in 0..3 {
            let mut reserves = [BumpAllocator::default(), BumpAllocator::default()];
            let mut blocks: Vec<u32> = Vec::new();
            for number in 0..400u64 {
                let moves = moves(number);
                let block = graph
                    .add(
                        &mut reserves[number as usize / 3 % 2],
                        key(number),
                        moves,
                        0,
                    )
                    .unwrap();
                graph.publish(key(number), block);
                // A chain, from each to the one before it.
                if let Some(&before) = blocks.last() {
                    let edge = graph.edges(block, moves - 1, 1).get(0);
                    assert_eq!(edge.set_child(before), before);
                }
                blocks.push(block);
            }
            reserves
                .iter_mut()
                .for_each(|allocator| graph.close(allocator));
            assert_eq!(graph.blocks(), 400);
            let mut places: Vec<u32> = blocks
                .iter()
                .flat_map(|&block| block..=block + graph.cell(block).moves())
                .collect();
            places.sort_unstable();
            assert!(places.is_sorted_by(|one, next| one < next));
            let mut walked = 0;
            graph.for_each_block(|graph, block| walked += graph.cell(block).moves() + 1);
            assert_eq!(walked + 1, graph.taken.cells());
            // The second half of the chain goes.
            let root = graph.keep_only(blocks[199], &mut Vec::new());
            assert_eq!(
                (graph.blocks(), graph.find(key(199)), graph.find(key(200))),
                (200, Some(root), None)
            );
            assert!((0..200).all(|number| graph.find(key(number)).is_some()));
            graph.clear(true);
        }
    }

    #[test]
    fn what_threads_find_is_complete_and_no_visit_is_lost() {
        const KEYS: u64 = if cfg!(miri) { 8 } else { 2000 };
        const THREADS: u64 = 3;
        let graph = Graph::for_tests(1 << 22, 1 << 12, true, THREADS as usize);
        std::thread::scope(|scope| {
            for thread in 0..THREADS {
                let graph = &graph;
                scope.spawn(move || {
                    let mut allocator = BumpAllocator::default();
                    let mut before = None;
                    for number in (0..KEYS).map(|number| (number + 5 * thread) % KEYS) {
                        let block = graph.find(key(number)).unwrap_or_else(|| {
                            let new = graph.add(&mut allocator, key(number), moves(number), 0);
                            graph.publish(key(number), new.unwrap())
                        });
                        let head = graph.cell(block);
                        assert_eq!(head.key(), key(number));
                        head.add_visits::<true>(1);
                        let edges = graph.all_edges(block);
                        assert_eq!(edges.len(), moves(number));
                        edges.get(0).add_payoff::<true>(0.5);
                        edges.get(0).tighten::<true>(Bounds::exact(0.25));
                        if let Some((before, last)) = before.replace((block, number)) {
                            let linked = graph.edges(before, moves(last) - 1, 1).get(0);
                            linked.set_child(block);
                            graph.prefetch_children(graph.all_edges(block).cells());
                            // Whoever linked it, it is the next key's block, and complete.
                            let child = graph.cell(linked.child());
                            assert_eq!(child.key(), key((last + 1) % KEYS));
                        }
                    }
                    graph.close(&mut allocator);
                });
            }
        });
        for number in 0..KEYS {
            let block = graph.find(key(number)).unwrap();
            let edge = graph.edges(block, 0, 1).get(0);
            assert_eq!(u64::from(graph.cell(block).visits()), THREADS);
            assert_eq!(edge.exact_payoff(), 0.5 * THREADS as f64);
            assert_eq!(edge.bounds(), Bounds::exact(0.25));
        }
    }
}
