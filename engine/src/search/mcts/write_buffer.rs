//! What a thread has still to add to the cells that every simulation passes.
//!
//! Near the root all threads write to the same cache lines, and wait for each other. So of a *busy*
//! cell, one with many visits, a thread keeps back what it has to add until that is a small share
//! of what the cell counts. Invariants: of a busy move no thread keeps back more than its visits
//! shifted by `share`, nor [`MAX_BUFFERED`] of them: all threads together at most one part in 64; of other
//! moves nothing. Sums are of whole numbers, so nothing is lost on the way, and when a search ends
//! nothing is kept back. Visits of busy positions only steer exploration: one in [`THINNED`] is
//! counted, as so many.

use super::{
    cell::{Cell, units},
    graph::Graph,
};

/// Most simulations whose payoffs are kept back of one move.
pub(super) const MAX_BUFFERED: u32 = 64;

/// Of visits of busy positions one in so many is counted. A prime: the turns of the few on a path
/// must not come in step with it.
const THINNED: u32 = 17;

/// All threads together keep back at most the visits of a move shifted by this.
const SHARE_OF_ALL: u32 = 6;

/// Moves that are kept apart at a time; a power of two. Four KiB, so that the graph keeps the
/// nearest cache.
const ENTRIES: usize = 256;

/// What is to be added to one move.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    place: u32,
    visits: u32,
    units: u64,
}

/// Busy positions whose RAVE is kept back at a time.
const POSITIONS: usize = 16;

/// What one position's moves have to be told.
#[derive(Debug, Default)]
struct Made {
    block: u32,
    simulations: u32,
    /// Visits and payoffs of each move.
    moves: Vec<(u32, u64)>,
}

/// One thread's sums. Place 0, which is none, stands for an empty entry.
#[derive(Debug)]
pub(super) struct WriteBuffer {
    entries: Vec<Entry>,
    made: Vec<Made>,
    share: u32,
    /// Visits of busy positions since one was counted.
    seen: u32,
}

impl WriteBuffer {
    /// For one of so many threads; a thread alone keeps nothing back.
    pub(super) fn new(threads: usize) -> Self {
        let several = usize::from(threads > 1);
        Self {
            made: (0..several * POSITIONS).map(|_| Made::default()).collect(),
            entries: vec![Entry::default(); several * ENTRIES],
            share: SHARE_OF_ALL + threads.next_power_of_two().ilog2(),
            seen: 0,
        }
    }

    /// Visits from which on a cell is busy.
    #[inline]
    pub(super) fn busy(&self) -> u32 {
        2 << self.share
    }

    /// Counts a visit of a position, and answers how many there were.
    #[inline]
    pub(super) fn visit(&mut self, head: &Cell) -> u32 {
        let before = head.visits();
        if before < self.busy() {
            return head.add_visits::<true>(1);
        }
        self.seen += 1;
        if self.seen == THINNED {
            self.seen = 0;
            head.add_visits::<true>(THINNED);
        }
        before
    }

    /// Adds a visit of a busy move, and its payoff.
    #[inline]
    pub(super) fn add(&mut self, graph: &Graph, place: u32, payoff: f32) {
        let entry = &mut self.entries[place as usize % ENTRIES];
        if entry.place != place {
            entry.flush(graph);
            entry.place = place;
        }
        entry.visits += 1;
        entry.units = entry.units.wrapping_add(units(payoff));
        if entry.visits >= (graph.cell(place).visits() >> self.share).min(MAX_BUFFERED) {
            entry.flush(graph);
        }
    }

    /// Adds which moves of a busy position were made in a simulation, and its payoff (RAVE).
    #[inline]
    pub(super) fn add_made(
        &mut self,
        graph: &Graph,
        block: u32,
        units: u64,
        made: impl ExactSizeIterator<Item = bool>,
    ) {
        let entry = &mut self.made[block as usize % POSITIONS];
        if entry.block != block {
            entry.flush(graph);
            entry.block = block;
            entry.moves.resize(made.len(), (0, 0));
        }
        for (sums, made) in entry.moves.iter_mut().zip(made) {
            sums.0 += u32::from(made);
            sums.1 = sums.1.wrapping_add(if made { units } else { 0 });
        }
        entry.simulations += 1;
        if entry.simulations >= (graph.cell(block).visits() >> self.share).min(MAX_BUFFERED) {
            entry.flush(graph);
        }
    }

    pub(super) fn flush(&mut self, graph: &Graph) {
        self.entries.iter_mut().for_each(|entry| entry.flush(graph));
        self.made.iter_mut().for_each(|entry| entry.flush(graph));
    }
}

impl Made {
    fn flush(&mut self, graph: &Graph) {
        let told = graph.extras(self.block + 1, self.moves.len());
        for (made, (visits, units)) in told.iter().zip(&mut self.moves) {
            if *visits > 0 {
                made.add_visits::<true>(std::mem::take(visits));
                made.add_units::<true>(std::mem::take(units));
            }
        }
        (self.block, self.simulations) = (0, 0);
        self.moves.clear();
    }
}

impl Entry {
    #[inline]
    fn flush(&mut self, graph: &Graph) {
        if self.place > 0 {
            let edge = graph.cell(self.place);
            edge.add_visits::<true>(self.visits);
            edge.add_units::<true>(self.units);
            *self = Self::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::mcts::allocator::BumpAllocator;

    #[test]
    fn little_is_kept_back_and_nothing_is_lost() {
        let graph = Graph::for_tests(1 << 16, 1 << 10, false, 2);
        let block = graph
            .add(&mut BumpAllocator::default(), 7 << 32, 2 * ENTRIES, 0)
            .unwrap();
        for threads in [2, 5, 128] {
            let mut write_buffer = WriteBuffer::new(threads);
            // The first two share an entry.
            let places = [block + 1, block + 1 + ENTRIES as u32, block + 2];
            for place in places {
                graph.cell(place).add_visits::<true>(write_buffer.busy());
            }
            let mut wanted =
                places.map(|place| (graph.cell(place).visits(), graph.cell(place).exact_payoff()));
            let mut kept = 0;
            for number in 0..200_000u32 {
                let which = (number / 7 % 3) as usize;
                let payoff = (number % 5) as f32 / 4.0;
                write_buffer.add(&graph, places[which], payoff);
                wanted[which].0 += 1;
                wanted[which].1 += f64::from(payoff);
                let visits = graph.cell(places[which]).visits();
                let missing = wanted[which].0 - visits;
                assert!(
                    missing < MAX_BUFFERED && missing as usize * threads <= visits as usize / 64
                );
                kept = kept.max(missing);
            }
            assert!(kept > 5);
            write_buffer.flush(&graph);
            for (place, (visits, payoff)) in places.into_iter().zip(wanted) {
                assert_eq!(
                    (graph.cell(place).visits(), graph.cell(place).exact_payoff()),
                    (visits, payoff),
                    "{threads} threads"
                );
            }
        }
    }

    #[test]
    fn visits_of_a_position_are_about_right() {
        let heads: [Cell; 4] = Default::default();
        let mut write_buffer = WriteBuffer::new(2);
        for number in 0..100_000 {
            for head in &heads {
                assert!(write_buffer.visit(head).abs_diff(number) <= 2 * THINNED);
            }
        }
    }
}
