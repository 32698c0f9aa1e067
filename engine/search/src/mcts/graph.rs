//! The search graph: statistics of nodes and edges in shared memory of fixed size.
//!
//! A node is a header cell and a cell per edge, named by the header's index (0: no node). A hash
//! index finds transpositions; nodes are complete before they are indexed.

use super::cell::MAX_CELLS;
pub(crate) use super::cell::{Cell, ColdCell};
use super::{
    allocator::{Capacity, CellAllocator, Chunk},
    cell_refs::{CellRef, EdgeSlice},
};
use crate::shared_array::SharedArray;
use std::sync::atomic::{
    AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};

/// Slot of the hash index: bits 0–31 node, 32–39 generation, 40–63 low bits of the key.
#[derive(Debug)]
#[repr(transparent)]
pub(crate) struct Slot(AtomicU64);

#[derive(Debug)]
pub(super) struct Graph {
    cells: SharedArray<Cell>,
    cold_cells: SharedArray<ColdCell>,
    /// Whether new nodes clear their cold cells, since bounds or priors are used.
    uses_cold_cells: bool,
    /// RAVE statistics per edge: simulations in which its move was played at the node or later.
    rave_cells: Option<SharedArray<Cell>>,
    index: SharedArray<Slot>,
    /// Current generation, never 0; slots of others count as empty.
    generation: u8,
    allocator: CellAllocator,
    /// Cells of a thread's chunk; 0 if nodes are allocated one by one.
    chunk_size: u32,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Size {
    pub(super) bytes: usize,
    pub(super) positions: usize,
    pub(super) max_moves: usize,
    pub(super) use_rave: bool,
    pub(super) threads: usize,
}

const CELLS_PER_LINE: usize = 64 / size_of::<Cell>();
const PREFETCHED_LINES: usize = 4;

const PREFETCHED_CHILDREN: usize = 32;

const MIN_CELL_BYTES: usize = size_of::<Cell>() + size_of::<ColdCell>();

const MIN_CELLS: usize = 1 << 8;

const MAX_CHUNK_CELLS: usize = 1 << 11;

const CHUNK_DIVISOR: usize = 256;
const MIN_CHUNK_CELLS: usize = 64;

const CELLS_PER_SLOT: usize = 2;

impl Graph {
    pub(super) fn new(size: Size) -> Option<Self> {
        let mut bytes = size.bytes;
        loop {
            if let Some(graph) = Self::try_new(Size { bytes, ..size }) {
                let chunk_size = if size.threads > 1 {
                    (graph.cells.items().len() / CHUNK_DIVISOR / size.threads).min(MAX_CHUNK_CELLS)
                } else {
                    0
                };
                return Some(Self {
                    chunk_size: if chunk_size < MIN_CHUNK_CELLS {
                        0
                    } else {
                        chunk_size as u32
                    },
                    ..graph
                });
            }
            if bytes < MIN_CELLS * MIN_CELL_BYTES {
                return None;
            }
            bytes /= 2;
        }
    }

    fn try_new(size: Size) -> Option<Self> {
        let Size {
            bytes,
            positions,
            max_moves,
            use_rave,
            ..
        } = size;
        let cell_bytes = MIN_CELL_BYTES
            + if use_rave { size_of::<Cell>() } else { 0 }
            + size_of::<Slot>() / CELLS_PER_SLOT;
        let cells = (bytes / cell_bytes).clamp(MIN_CELLS, MAX_CELLS);
        let max_slots = 1 << (cells / CELLS_PER_SLOT).ilog2();
        let slots = positions
            .saturating_mul(2)
            .min(max_slots)
            .next_power_of_two();
        let max_cells = positions.saturating_mul(max_moves.saturating_add(1));
        let cells = cells.min(max_cells.max(MIN_CELLS));
        let rave_cells = if use_rave {
            Some(SharedArray::zeroed(cells)?)
        } else {
            None
        };
        let (cells, cold_cells, index) = (
            SharedArray::zeroed(cells)?,
            SharedArray::zeroed(cells)?,
            SharedArray::zeroed(slots)?,
        );
        Some(Self {
            cells,
            cold_cells,
            uses_cold_cells: true,
            rave_cells,
            index,
            generation: 1,
            allocator: CellAllocator::new(),
            chunk_size: 0,
        })
    }

    pub(super) fn bytes(&self) -> usize {
        let rave_cells = self
            .rave_cells
            .as_ref()
            .map_or(0, |rave_cells| size_of_val(rave_cells.items()));
        size_of_val(self.cells.items())
            + size_of_val(self.cold_cells.items())
            + rave_cells
            + size_of_val(self.index.items())
    }

    pub(super) fn nodes(&self) -> u32 {
        self.allocator.nodes()
    }

    pub(super) fn fill_ratio(&self) -> f64 {
        f64::from(self.allocator.cells()) / self.cells.items().len() as f64
    }

    /// Visits of an edge before it gets a child: `base`, doubled at half the memory, quadrupled at
    /// three quarters, …; always 1 if `base` is 1.
    #[inline]
    pub(super) fn expansion_threshold(&self, base: u32) -> u32 {
        if base == 1 {
            return 1;
        }
        let (chunk, all) = (self.allocator.cells() as usize, self.cells.items().len());
        let remaining = all.saturating_sub(chunk).max(1);
        base.saturating_mul(1 << (all / remaining).ilog2().min(16))
    }

    #[inline]
    pub(super) fn cell(&self, index: u32) -> CellRef<'_> {
        CellRef::new(
            &self.cells.items()[index as usize],
            &self.cold_cells,
            index as usize,
        )
    }

    #[inline]
    pub(super) fn edges(&self, node: u32, start: usize, count: usize) -> EdgeSlice<'_> {
        let first = node as usize + 1 + start;
        EdgeSlice::new(
            &self.cells.items()[first..][..count],
            &self.cold_cells,
            first,
        )
    }

    #[inline]
    pub(super) fn prefetch_children(&self, edges: &[Cell]) {
        edges[..edges.len().min(PREFETCHED_CHILDREN)]
            .iter()
            .for_each(|edge| self.cells.prefetch(edge.child() as usize));
    }

    #[inline]
    pub(super) fn prefetch_edges(&self, node: u32) {
        (1..=PREFETCHED_LINES)
            .for_each(|line| self.cells.prefetch(node as usize + line * CELLS_PER_LINE));
    }

    #[inline]
    pub(super) fn prefetch_to_write(&self, edge: u32) {
        self.cells.prefetch_to_write(edge as usize);
    }

    pub(super) fn edges_of(&self, node: u32) -> EdgeSlice<'_> {
        self.edges(node, 0, self.cell(node).move_count() as usize)
    }

    #[inline]
    pub(super) fn rave_cells(&self, index: u32, count: usize) -> &[Cell] {
        self.rave_cells.as_ref().map_or(&[], |rave_cells| {
            &rave_cells.items()[index as usize..][..count]
        })
    }

    pub(super) fn clear(&mut self, uses_cold_cells: bool) {
        self.uses_cold_cells = uses_cold_cells;
        self.allocator.clear();
        self.clear_index();
    }

    fn clear_index(&mut self) {
        self.generation = self.generation.wrapping_add(1);
        if self.generation == 0 {
            self.index
                .items()
                .iter()
                .for_each(|slot| slot.0.store(0, Relaxed));
            self.generation = 1;
        }
    }

    /// Adds a node with unvisited edges, outside of the hash index; `None` if memory is used up.
    pub(super) fn add_node(
        &self,
        chunk: &mut Chunk,
        key: u64,
        moves: usize,
        visits: u32,
    ) -> Option<u32> {
        let cells_needed = u32::try_from(moves + 1).ok()?;
        if chunk.remaining() < cells_needed {
            let capacity = Capacity {
                cells: self.cells.items().len() as u64,
                nodes: self.index.items().len() as u64 / 4 * 3,
            };
            self.pad_chunk(chunk);
            let chunk_size = self.chunk_size.max(cells_needed);
            if !self.allocator.refill(chunk, chunk_size, capacity)
                && !self.allocator.refill(chunk, cells_needed, capacity)
            {
                return None;
            }
        }
        let node = chunk.allocate_node(cells_needed);
        let range = node as usize..(node + cells_needed) as usize;
        self.cells.items()[range.clone()]
            .iter()
            .for_each(Cell::clear);
        if self.uses_cold_cells {
            self.cold_cells.items()[range]
                .iter()
                .for_each(|cold| cold.clear(0.0));
        }
        self.rave_cells(node, cells_needed as usize)
            .iter()
            .for_each(Cell::clear);
        self.cell(node).set_header(moves as u32, key, visits);
        Some(node)
    }

    pub(super) fn release_chunk(&self, chunk: &mut Chunk) {
        self.pad_chunk(chunk);
        self.allocator.release_chunk(chunk);
    }

    /// Fills a chunk's unused cells with an unreferenced node, so that nodes are contiguous.
    fn pad_chunk(&self, chunk: &mut Chunk) {
        if chunk.remaining() > 0 {
            self.cell(chunk.next)
                .set_header(chunk.remaining() - 1, 0, 0);
            chunk.next = chunk.end;
        }
    }

    #[inline]
    pub(super) fn find(&self, key: u64) -> Option<u32> {
        self.probe(key).ok()
    }

    /// Adds `node` to the hash index, unless `key` has a node; returns the key's node.
    pub(super) fn insert(&self, key: u64, node: u32) -> u32 {
        let word = u64::from(node) | u64::from(self.generation) << 32 | key << 40;
        loop {
            match self.probe(key) {
                Ok(found) => return found,
                Err((slot, stale)) => {
                    if self.index.items()[slot]
                        .0
                        .compare_exchange(stale, word, Release, Relaxed)
                        .is_ok()
                    {
                        return node;
                    }
                }
            }
        }
    }

    #[inline]
    fn probe(&self, key: u64) -> Result<u32, (usize, u64)> {
        let slots = self.index.items();
        let mask = slots.len() - 1;
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

    /// Mark-and-compact of the nodes that `root` reaches; returns the root's new index.
    pub(super) fn retain_reachable(&mut self, root: u32, stack: &mut Vec<u32>) -> u32 {
        self.for_each_node(|graph, node| graph.cell(node).cold_cell().set_gc_mark(0));
        stack.clear();
        stack.push(root);
        self.cell(root).cold_cell().set_gc_mark(1);
        while let Some(node) = stack.pop() {
            for edge in self.edges_of(node).iter() {
                let child = edge.child();
                if child != 0 && self.cell(child).cold_cell().gc_mark() == 0 {
                    self.cell(child).cold_cell().set_gc_mark(1);
                    stack.push(child);
                }
            }
        }
        let mut used = 1;
        self.for_each_marked(|graph, node| {
            graph.cell(node).cold_cell().set_gc_mark(used);
            used += graph.cell(node).move_count() + 1;
        });
        self.for_each_marked(|graph, node| {
            for edge in graph.edges_of(node).iter().filter(|edge| edge.child() != 0) {
                edge.replace_child(graph.cell(edge.child()).cold_cell().gc_mark());
            }
        });
        let moved = self.cell(root).cold_cell().gc_mark();
        self.clear_index();
        let mut nodes = 0;
        self.for_each_marked(|graph, node| {
            let (to, cells) = (
                graph.cell(node).cold_cell().gc_mark(),
                graph.cell(node).move_count() + 1,
            );
            for offset in 0..cells {
                let (new, old) = (graph.cell(to + offset), graph.cell(node + offset));
                new.copy_from(&old);
                new.cold_cell().copy_from(old.cold_cell());
            }
            if let Some(rave_cells) = &graph.rave_cells {
                for offset in 0..cells as usize {
                    rave_cells.items()[to as usize + offset]
                        .copy_from(&rave_cells.items()[node as usize + offset]);
                }
            }
            graph.insert(graph.cell(to).key(), to);
            nodes += 1;
        });
        self.allocator.set_used(used, nodes);
        moved
    }

    fn for_each_marked(&self, mut task: impl FnMut(&Self, u32)) {
        self.for_each_node(|graph, node| {
            if graph.cell(node).cold_cell().gc_mark() != 0 {
                task(graph, node);
            }
        });
    }

    fn for_each_node(&self, mut task: impl FnMut(&Self, u32)) {
        let mut node = 1;
        let end = self.allocator.cells();
        while node < end {
            let next = node + self.cell(node).move_count() + 1;
            task(self, node);
            node = next;
        }
    }
}

#[cfg(test)]
impl Graph {
    pub(super) fn for_tests(
        bytes: usize,
        positions: usize,
        rave_cells: bool,
        threads: usize,
    ) -> Self {
        let size = Size {
            bytes: bytes.min(if cfg!(miri) { 1 << 14 } else { bytes }),
            positions,
            max_moves: 63,
            use_rave: rave_cells,
            threads,
        };
        Self::new(size).unwrap()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alea_core::chance_bounds::Bounds;

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
            let (mut nodes, mut chunk) = (Vec::new(), Chunk::default());
            while let Some(node) = graph.add_node(&mut chunk, key(nodes.len() as u64), 5, 1) {
                assert_eq!(graph.insert(key(nodes.len() as u64), node), node);
                nodes.push(node);
            }
            assert!(nodes.len() > graph.bytes() / 328);
            graph.release_chunk(&mut chunk);
            assert_eq!(graph.nodes(), nodes.len() as u32);
            for (number, &node) in nodes.iter().enumerate() {
                assert_eq!(graph.find(key(number as u64)), Some(node));
            }
            assert_eq!(graph.find(key(1 << 20)), None);
            graph.clear(true);
            assert_eq!(graph.find(key(0)), None);
        }
    }

    #[test]
    fn what_can_be_reached_stays_and_the_rest_goes() {
        let mut graph = Graph::for_tests(1 << 16, 1 << 10, true, 1);
        let keys = [12u64, 13, 10, 14, 11];
        let long = |key: u64| key << 32 | key;
        let nodes = keys.map(|key| {
            let (mut chunk, moves, visits) = (Chunk::default(), key as usize, key as u32);
            let node = graph.add_node(&mut chunk, long(key), moves, visits);
            assert_eq!(node, Some(graph.insert(long(key), node.unwrap())));
            node.unwrap()
        });
        graph.edges(nodes[2], 3, 1).get(0).set_child(nodes[4]);
        graph.edges(nodes[2], 4, 1).get(0).set_child(nodes[0]);
        graph.edges(nodes[4], 0, 1).get(0).set_child(nodes[0]);
        graph.edges(nodes[0], 11, 1).get(0).add_visits::<true>(99);
        graph.rave_cells(nodes[0] + 12, 1)[0].add_visits::<true>(98);
        let root = graph.retain_reachable(nodes[2], &mut Vec::new());
        let [second, third] = [3, 4].map(|number| graph.edges(root, number, 1).get(0).child());
        let found = [10, 11, 12, 13, 14].map(|key| graph.find(long(key)));
        let expected = [Some(root), Some(second), Some(third), None, None];
        assert_eq!((found, graph.nodes()), (expected, 3));
        assert_eq!(graph.edges(second, 0, 1).get(0).child(), third);
        assert_eq!(
            (
                graph.edges(third, 11, 1).get(0).visits(),
                graph.rave_cells(third + 12, 1)[0].visits()
            ),
            (99, 98)
        );
        assert_eq!(
            (graph.cell(third).visits(), graph.cell(third).move_count()),
            (12, 12)
        );
        assert!(graph.add_node(&mut Chunk::default(), 1, 5, 0).is_some());
    }

    #[test]
    #[cfg_attr(miri, ignore = "too many cells")]
    fn threads_make_blocks_of_their_own_reserves_and_none_is_lost() {
        let mut graph = Graph::for_tests(1 << 22, 1 << 12, false, 2);
        assert!(graph.chunk_size as usize >= MIN_CHUNK_CELLS);
        for _ in 0..3 {
            let mut chunks = [Chunk::default(), Chunk::default()];
            let mut nodes: Vec<u32> = Vec::new();
            for number in 0..400u64 {
                let moves = moves(number);
                let node = graph
                    .add_node(&mut chunks[number as usize / 3 % 2], key(number), moves, 0)
                    .unwrap();
                graph.insert(key(number), node);
                if let Some(&before) = nodes.last() {
                    let edge = graph.edges(node, moves - 1, 1).get(0);
                    assert_eq!(edge.set_child(before), before);
                }
                nodes.push(node);
            }
            chunks
                .iter_mut()
                .for_each(|chunk| graph.release_chunk(chunk));
            assert_eq!(graph.nodes(), 400);
            let mut range: Vec<u32> = nodes
                .iter()
                .flat_map(|&node| node..=node + graph.cell(node).move_count())
                .collect();
            range.sort_unstable();
            assert!(range.is_sorted_by(|one, next| one < next));
            let mut walked = 0;
            graph.for_each_node(|graph, node| walked += graph.cell(node).move_count() + 1);
            assert_eq!(walked + 1, graph.allocator.cells());
            let root = graph.retain_reachable(nodes[199], &mut Vec::new());
            assert_eq!(
                (graph.nodes(), graph.find(key(199)), graph.find(key(200))),
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
                    let mut chunk = Chunk::default();
                    let mut before = None;
                    for number in (0..KEYS).map(|number| (number + 5 * thread) % KEYS) {
                        let node = graph.find(key(number)).unwrap_or_else(|| {
                            let new = graph.add_node(&mut chunk, key(number), moves(number), 0);
                            graph.insert(key(number), new.unwrap())
                        });
                        let header = graph.cell(node);
                        assert_eq!(header.key(), key(number));
                        header.add_visits::<true>(1);
                        let edges = graph.edges_of(node);
                        assert_eq!(edges.len(), moves(number));
                        edges.get(0).add_payoff::<true>(0.5);
                        edges.get(0).tighten::<true>(Bounds::exact(0.25));
                        if let Some((before, last)) = before.replace((node, number)) {
                            let linked = graph.edges(before, moves(last) - 1, 1).get(0);
                            linked.set_child(node);
                            graph.prefetch_children(graph.edges_of(node).cells());
                            let child = graph.cell(linked.child());
                            assert_eq!(child.key(), key((last + 1) % KEYS));
                        }
                    }
                    graph.release_chunk(&mut chunk);
                });
            }
        });
        for number in 0..KEYS {
            let node = graph.find(key(number)).unwrap();
            let edge = graph.edges(node, 0, 1).get(0);
            assert_eq!(u64::from(graph.cell(node).visits()), THREADS);
            assert_eq!(edge.exact_payoff_sum(), 0.5 * THREADS as f64);
            assert_eq!(edge.bounds(), Bounds::exact(0.25));
        }
    }
}
