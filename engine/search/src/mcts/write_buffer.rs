//! Write buffers of threads for *busy* cells, those with so many visits that threads would wait for
//! their cache lines.
//!
//! All threads together buffer at most 1/64 of an edge's visits, each at most
//! [`MAX_BUFFERED_VISITS`]. Of a busy node's visits one in [`SAMPLING_PERIOD`] is counted, with
//! that weight.

use super::{
    cell::{Cell, to_fixed},
    graph::Graph,
};

pub(super) const MAX_BUFFERED_VISITS: u32 = 64;

/// Of this many visits of busy nodes one is counted, with this weight: a prime, so as not to
/// resonate with path lengths.
const SAMPLING_PERIOD: u32 = 17;

const BUFFERED_SHARE_SHIFT: u32 = 6;

/// Number of buffered edges, a power of two: 4 KiB of the L1 cache.
const BUFFERED_EDGES: usize = 256;

#[derive(Clone, Copy, Debug, Default)]
struct EdgeEntry {
    index: u32,
    visits: u32,
    fixed_payoff: u64,
}

const BUFFERED_RAVE_NODES: usize = 16;

#[derive(Debug, Default)]
struct RaveEntry {
    node: u32,
    simulations: u32,
    moves: Vec<(u32, u64)>,
}

/// The buffer of one thread; index 0 marks an empty entry.
#[derive(Debug)]
pub(super) struct WriteBuffer {
    entries: Vec<EdgeEntry>,
    rave_entries: Vec<RaveEntry>,
    shift: u32,
    unsampled_visits: u32,
}

impl WriteBuffer {
    pub(super) fn new(threads: usize) -> Self {
        let several = usize::from(threads > 1);
        Self {
            rave_entries: (0..several * BUFFERED_RAVE_NODES)
                .map(|_| RaveEntry::default())
                .collect(),
            entries: vec![EdgeEntry::default(); several * BUFFERED_EDGES],
            shift: BUFFERED_SHARE_SHIFT + threads.next_power_of_two().ilog2(),
            unsampled_visits: 0,
        }
    }

    #[inline]
    pub(super) fn busy_threshold(&self) -> u32 {
        2 << self.shift
    }

    /// Counts a visit, in busy nodes by sampling; returns the visits before.
    #[inline]
    pub(super) fn visit(&mut self, header: &Cell) -> u32 {
        let before = header.visits();
        if before < self.busy_threshold() {
            return header.add_visits::<true>(1);
        }
        self.unsampled_visits += 1;
        if self.unsampled_visits == SAMPLING_PERIOD {
            self.unsampled_visits = 0;
            header.add_visits::<true>(SAMPLING_PERIOD);
        }
        before
    }

    #[inline]
    pub(super) fn add(&mut self, graph: &Graph, index: u32, payoff: f32) {
        let entry = &mut self.entries[index as usize % BUFFERED_EDGES];
        if entry.index != index {
            entry.flush(graph);
            entry.index = index;
        }
        entry.visits += 1;
        entry.fixed_payoff = entry.fixed_payoff.wrapping_add(to_fixed(payoff));
        if entry.visits >= (graph.cell(index).visits() >> self.shift).min(MAX_BUFFERED_VISITS) {
            entry.flush(graph);
        }
    }

    #[inline]
    pub(super) fn add_rave(
        &mut self,
        graph: &Graph,
        node: u32,
        fixed_payoff: u64,
        flags: impl ExactSizeIterator<Item = bool>,
    ) {
        let entry = &mut self.rave_entries[node as usize % BUFFERED_RAVE_NODES];
        if entry.node != node {
            entry.flush(graph);
            entry.node = node;
            entry.moves.resize(flags.len(), (0, 0));
        }
        for (sums, flag) in entry.moves.iter_mut().zip(flags) {
            sums.0 += u32::from(flag);
            sums.1 = sums.1.wrapping_add(if flag { fixed_payoff } else { 0 });
        }
        entry.simulations += 1;
        if entry.simulations >= (graph.cell(node).visits() >> self.shift).min(MAX_BUFFERED_VISITS) {
            entry.flush(graph);
        }
    }

    pub(super) fn flush(&mut self, graph: &Graph) {
        self.entries.iter_mut().for_each(|entry| entry.flush(graph));
        self.rave_entries
            .iter_mut()
            .for_each(|entry| entry.flush(graph));
    }
}

impl RaveEntry {
    fn flush(&mut self, graph: &Graph) {
        let rave_cells = graph.rave_cells(self.node + 1, self.moves.len());
        for (cell, (visits, fixed_payoff)) in rave_cells.iter().zip(&mut self.moves) {
            if *visits > 0 {
                cell.add_visits::<true>(std::mem::take(visits));
                cell.add_fixed::<true>(std::mem::take(fixed_payoff));
            }
        }
        (self.node, self.simulations) = (0, 0);
        self.moves.clear();
    }
}

impl EdgeEntry {
    #[inline]
    fn flush(&mut self, graph: &Graph) {
        if self.index > 0 {
            let edge = graph.cell(self.index);
            edge.add_visits::<true>(self.visits);
            edge.add_fixed::<true>(self.fixed_payoff);
            *self = Self::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcts::allocator::Chunk;

    #[test]
    fn buffers_are_small_and_lose_nothing() {
        let graph = Graph::for_tests(1 << 16, 1 << 10, false, 2);
        let node = graph
            .add_node(&mut Chunk::default(), 7 << 32, 2 * BUFFERED_EDGES, 0)
            .unwrap();
        for threads in [2, 5, 128] {
            let mut write_buffer = WriteBuffer::new(threads);
            let indices = [node + 1, node + 1 + BUFFERED_EDGES as u32, node + 2];
            for index in indices {
                graph
                    .cell(index)
                    .add_visits::<true>(write_buffer.busy_threshold());
            }
            let mut expected = indices.map(|index| {
                (
                    graph.cell(index).visits(),
                    graph.cell(index).exact_payoff_sum(),
                )
            });
            let mut max_missing = 0;
            for number in 0..200_000u32 {
                let which = (number / 7 % 3) as usize;
                let payoff = (number % 5) as f32 / 4.0;
                write_buffer.add(&graph, indices[which], payoff);
                expected[which].0 += 1;
                expected[which].1 += f64::from(payoff);
                let visits = graph.cell(indices[which]).visits();
                let missing = expected[which].0 - visits;
                assert!(
                    missing < MAX_BUFFERED_VISITS
                        && missing as usize * threads <= visits as usize / 64
                );
                max_missing = max_missing.max(missing);
            }
            assert!(max_missing > 5);
            write_buffer.flush(&graph);
            for (index, (visits, payoff)) in indices.into_iter().zip(expected) {
                assert_eq!(
                    (
                        graph.cell(index).visits(),
                        graph.cell(index).exact_payoff_sum()
                    ),
                    (visits, payoff),
                    "{threads} threads"
                );
            }
        }
    }

    #[test]
    fn visits_of_a_position_are_about_right() {
        let headers: [Cell; 4] = Default::default();
        let mut write_buffer = WriteBuffer::new(2);
        for number in 0..100_000 {
            for header in &headers {
                assert!(write_buffer.visit(header).abs_diff(number) <= 2 * SAMPLING_PERIOD);
            }
        }
    }
}
