//! What a thread has still to add to the cells that every simulation passes.
//!
//! Threads that write to one cache line wait for each other, and near the root all of them do, in every simulation. So a
//! thread keeps there what it has to add, until it is a small share of what the cell already counts. Invariants: a move that
//! was tried less often than `2 << share` hears of everything at once; of another no thread keeps back more than its visits
//! shifted by `share`, nor [`MOST`]: all threads together at most one part in 64. Sums are of whole numbers, so nothing is
//! lost on the way. Visits of positions only steer exploration: where there are many, one in [`THINNED`] is counted.

use super::cell::{Cell, units};
use super::graph::Graph;

/// Most simulations whose payoffs are kept back of one move.
pub(super) const MOST: u32 = 64;

/// Of visits of busy positions one in so many is counted, as so many. A prime: a path has some few busy positions, whose turns
/// must not come again in step with it.
const THINNED: u32 = 17;

/// All threads together keep back at most the visits of a move shifted by this.
const SHARE_OF_ALL: u32 = 6;

/// Moves that are kept apart at a time; a power of two. Six KiB, for they compete with the graph for the nearest cache.
const ENTRIES: usize = 256;

/// What is to be added to one move.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    place: u32,
    visits: u32,
    units: u64,
    /// Simulations whose payoffs these are.
    simulations: u32,
}

/// One thread's sums. Place 0, which is none, stands for an empty entry.
#[derive(Debug)]
pub(super) struct Pending {
    entries: Vec<Entry>,
    share: u32,
    /// Visits of busy positions since one was counted.
    seen: u32,
}

impl Pending {
    /// For one of so many threads; a thread alone keeps nothing back.
    pub(super) fn new(threads: usize) -> Self {
        let entries = if threads > 1 { vec![Entry::default(); ENTRIES] } else { Vec::new() };
        Self { entries, share: SHARE_OF_ALL + threads.next_power_of_two().ilog2(), seen: 0 }
    }

    /// Counts a visit of a position, and answers how many there were.
    #[inline]
    pub(super) fn visit(&mut self, head: &Cell) -> u32 {
        let before = head.visits();
        if before < 2 << self.share {
            return head.add_visits::<true>(1);
        }
        self.seen += 1;
        if self.seen == THINNED {
            self.seen = 0;
            head.add_visits::<true>(THINNED);
        }
        before
    }

    /// Adds visits of a move (modulo 2³²) and a payoff.
    #[inline]
    pub(super) fn add(&mut self, graph: &Graph, place: u32, visits: u32, payoff: f32) {
        let (edge, units) = (graph.cell(place), units(payoff));
        let before = edge.visits();
        if before < 2 << self.share {
            add(&edge, visits, units);
            return;
        }
        let entry = &mut self.entries[place as usize % ENTRIES];
        if entry.place != place {
            entry.flush(graph);
            entry.place = place;
        }
        entry.visits = entry.visits.wrapping_add(visits);
        entry.units = entry.units.wrapping_add(units);
        entry.simulations += 1;
        if entry.simulations >= (before >> self.share).min(MOST) {
            entry.flush(graph);
        }
    }

    /// Adds all that was kept back.
    pub(super) fn flush(&mut self, graph: &Graph) {
        self.entries.iter_mut().for_each(|entry| entry.flush(graph));
    }
}

impl Entry {
    #[inline]
    fn flush(&mut self, graph: &Graph) {
        if self.place > 0 {
            add(&graph.cell(self.place), self.visits, self.units);
            *self = Self::default();
        }
    }
}

/// Adds to a move; half of all payoffs are zeros, which need no adding.
#[inline]
fn add(edge: &Cell, visits: u32, units: u64) {
    if visits != 0 {
        edge.add_visits::<true>(visits);
    }
    if units != 0 {
        edge.add_units::<true>(units);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn little_is_kept_back_and_nothing_is_lost() {
        let graph = Graph::new(1 << 16, 1 << 10, false).unwrap();
        let block = graph.add(7 << 32, 19, 0, 0.5).unwrap();
        for threads in [2, 5, 128] {
            let mut pending = Pending::new(threads);
            // Two moves that share an entry take turns; so does a third one of its own.
            let places = [block + 1, block + 2, block + 3];
            let mut wanted = places.map(|place| (graph.cell(place).visits(), graph.cell(place).exact_payoff()));
            for number in 0..200_000u32 {
                let which = (number / 7 % 3) as usize;
                let payoff = (number % 5) as f32 / 4.0;
                pending.add(&graph, places[which], 1, payoff);
                wanted[which].0 += 1;
                wanted[which].1 += f64::from(payoff);
                let visits = graph.cell(places[which]).visits();
                assert!(visits <= wanted[which].0 && (wanted[which].0 - visits) as usize * threads <= visits as usize / 64);
                assert!(wanted[which].0 - visits < MOST);
            }
            pending.flush(&graph);
            for (place, (visits, payoff)) in places.into_iter().zip(wanted) {
                assert_eq!((graph.cell(place).visits(), graph.cell(place).exact_payoff()), (visits, payoff), "{threads} threads");
            }
        }
    }

    #[test]
    fn visits_of_a_position_are_about_right() {
        let heads = [Cell::default(), Cell::default(), Cell::default(), Cell::default()];
        let mut pending = Pending::new(2);
        for number in 0..100_000 {
            for head in &heads {
                assert!(pending.visit(head).abs_diff(number) <= 2 * THINNED);
            }
        }
    }
}
