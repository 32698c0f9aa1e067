//! Cells of the search graph: 16 bytes per node header or edge, and 16 more for rarely read data.
//!
//! Threads share cells without locks; a single thread (`SHARED` is false) uses plain loads and
//! stores. Sums are fixed-point, so the order of additions is irrelevant.

use alea_core::chance_bounds::Bounds;
use std::sync::atomic::{
    AtomicU32, AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};

/// A node header or an edge, four to a cache line. All zeros is an unvisited edge.
#[derive(Debug, Default)]
#[repr(C)]
pub(crate) struct Cell {
    /// Approximate in headers with several threads.
    visits: AtomicU32,
    /// Edge: child node, 0 for none, or [`TERMINAL`]. Header: number of edges. Either with
    /// [`HAS_BOUNDS_FLAG`] if bounds are known.
    link: AtomicU32,
    /// Edge: sum of the mover's payoffs in units of 2⁻³². Header: hash key.
    sum: AtomicU64,
}

#[derive(Debug, Default)]
#[repr(C)]
pub(crate) struct ColdCell {
    /// Proven bounds for the mover (edge) or the side to move (header), by [`pack_bounds`].
    bounds: AtomicU64,
    prior: AtomicU32,
    /// Header: mark or new index in the garbage collection.
    gc_mark: AtomicU32,
}

/// Flag in [`Cell::link`] of cells with bounds.
const HAS_BOUNDS_FLAG: u32 = 1 << 31;

const TERMINAL: u32 = HAS_BOUNDS_FLAG - 1;

pub(super) const MAX_CELLS: usize = TERMINAL as usize;

const FIXED_ONE: f64 = 4_294_967_296.0;

const UPPER_XOR_MASK: u32 = 1.0f32.to_bits();

#[inline]
fn pack_bounds(bounds: Bounds) -> u64 {
    u64::from(bounds.lower.to_bits()) | u64::from(bounds.upper.to_bits() ^ UPPER_XOR_MASK) << 32
}

#[inline]
fn unpack_bounds(word: u64) -> Bounds {
    Bounds {
        lower: f32::from_bits(word as u32),
        upper: f32::from_bits((word >> 32) as u32 ^ UPPER_XOR_MASK),
    }
}

#[inline]
pub(super) fn to_fixed(payoff: f32) -> u64 {
    (f64::from(payoff) * FIXED_ONE) as i64 as u64
}

impl Cell {
    #[inline]
    pub(super) fn set_header(&self, moves: u32, key: u64, visits: u32) {
        self.visits.store(visits, Relaxed);
        self.link.store(moves, Relaxed);
        self.sum.store(key, Relaxed);
    }

    #[inline]
    pub(super) fn clear(&self) {
        self.set_header(0, 0, 0);
    }

    pub(super) fn copy_from(&self, other: &Self) {
        self.set_header(other.link.load(Relaxed), other.key(), other.visits());
    }

    #[inline]
    pub(super) fn visits(&self) -> u32 {
        self.visits.load(Relaxed)
    }

    /// Adds visits, or subtracts one as `u32::MAX`; returns the visits before.
    #[inline]
    pub(super) fn add_visits<const SHARED: bool>(&self, visits: u32) -> u32 {
        if SHARED {
            return self.visits.fetch_add(visits, Relaxed);
        }
        let before = self.visits.load(Relaxed);
        self.visits.store(before.wrapping_add(visits), Relaxed);
        before
    }

    #[inline]
    pub(super) fn child(&self) -> u32 {
        match self.link.load(Acquire) & !HAS_BOUNDS_FLAG {
            TERMINAL => 0,
            node => node,
        }
    }

    #[inline]
    pub(super) fn is_terminal(&self) -> bool {
        self.link.load(Relaxed) & !HAS_BOUNDS_FLAG == TERMINAL
    }

    #[inline]
    pub(super) fn set_terminal(&self) {
        self.link.fetch_or(TERMINAL, Relaxed);
    }

    /// Sets an edge's child unless it has one; returns the child.
    #[inline]
    pub(super) fn set_child(&self, node: u32) -> u32 {
        let unlinked = |link: u32| (link & !HAS_BOUNDS_FLAG == 0).then_some(link | node);
        match self.link.fetch_update(Release, Acquire, unlinked) {
            Ok(_) => node,
            Err(_) => self.child(),
        }
    }

    pub(super) fn replace_child(&self, node: u32) {
        self.link
            .store(self.link.load(Relaxed) & HAS_BOUNDS_FLAG | node, Relaxed);
    }

    #[inline]
    pub(super) fn move_count(&self) -> u32 {
        self.link.load(Relaxed) & !HAS_BOUNDS_FLAG
    }

    #[inline]
    pub(super) fn key(&self) -> u64 {
        self.sum.load(Relaxed)
    }

    #[inline]
    pub(super) fn add_payoff<const SHARED: bool>(&self, payoff: f32) {
        self.add_fixed::<SHARED>(to_fixed(payoff));
    }

    #[inline]
    pub(super) fn add_fixed<const SHARED: bool>(&self, fixed_payoff: u64) {
        if SHARED {
            if fixed_payoff != 0 {
                self.sum.fetch_add(fixed_payoff, Relaxed);
            }
        } else {
            self.sum
                .store(self.sum.load(Relaxed).wrapping_add(fixed_payoff), Relaxed);
        }
    }

    #[inline]
    pub(super) fn payoff_sum(&self) -> f32 {
        self.sum.load(Relaxed) as i64 as f32 * (1.0 / FIXED_ONE as f32)
    }

    pub(super) fn exact_payoff_sum(&self) -> f64 {
        self.sum.load(Relaxed) as f64 / FIXED_ONE
    }

    #[inline]
    pub(super) fn mean(&self) -> f32 {
        self.payoff_sum() / self.visits() as f32
    }

    #[inline]
    pub(super) fn has_bounds(&self) -> bool {
        self.link.load(Relaxed) & HAS_BOUNDS_FLAG != 0
    }

    #[inline]
    pub(super) fn set_has_bounds<const SHARED: bool>(&self) {
        if SHARED {
            self.link.fetch_or(HAS_BOUNDS_FLAG, Release);
        } else {
            self.link
                .store(self.link.load(Relaxed) | HAS_BOUNDS_FLAG, Relaxed);
        }
    }
}

impl ColdCell {
    #[inline]
    pub(super) fn clear(&self, prior: f32) {
        self.bounds.store(0, Relaxed);
        self.prior.store(prior.to_bits(), Relaxed);
        self.gc_mark.store(0, Relaxed);
    }

    pub(super) fn copy_from(&self, other: &Self) {
        self.bounds.store(other.bounds.load(Relaxed), Relaxed);
        self.prior.store(other.prior.load(Relaxed), Relaxed);
        self.gc_mark.store(other.gc_mark.load(Relaxed), Relaxed);
    }

    #[inline]
    pub(super) fn bounds(&self) -> Bounds {
        unpack_bounds(self.bounds.load(Relaxed))
    }

    #[inline]
    pub(super) fn tighten<const SHARED: bool>(&self, bounds: Bounds) -> bool {
        let mut word = self.bounds.load(Relaxed);
        loop {
            let old = unpack_bounds(word);
            let lower = old.lower.max(bounds.lower);
            let both = pack_bounds(Bounds {
                lower,
                upper: old.upper.min(bounds.upper).max(lower),
            });
            if both == word {
                return false;
            }
            if !SHARED {
                self.bounds.store(both, Relaxed);
                return true;
            }
            match self
                .bounds
                .compare_exchange_weak(word, both, Relaxed, Relaxed)
            {
                Ok(_) => return true,
                Err(now) => word = now,
            }
        }
    }

    #[inline]
    pub(super) fn prior(&self) -> f32 {
        f32::from_bits(self.prior.load(Relaxed))
    }

    pub(super) fn set_prior(&self, prior: f32) {
        self.prior.store(prior.to_bits(), Relaxed);
    }

    #[inline]
    pub(super) fn gc_mark(&self) -> u32 {
        self.gc_mark.load(Relaxed)
    }

    pub(super) fn set_gc_mark(&self, gc_mark: u32) {
        self.gc_mark.store(gc_mark, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cleared_cell_knows_nothing_and_bounds_only_tighten() {
        let cell = Cell {
            visits: AtomicU32::new(7),
            link: AtomicU32::new(7 | HAS_BOUNDS_FLAG),
            ..Cell::default()
        };
        cell.clear();
        assert_eq!(
            (cell.visits(), cell.child(), cell.has_bounds()),
            (0, 0, false)
        );
        let cold = ColdCell {
            bounds: AtomicU64::new(7),
            ..ColdCell::default()
        };
        cold.clear(0.5);
        assert_eq!((cold.bounds(), cold.prior()), (Bounds::UNKNOWN, 0.5));
        assert!(
            cold.tighten::<false>(Bounds {
                lower: 0.25,
                upper: 1.0
            }) && cold.tighten::<true>(Bounds {
                lower: 0.0,
                upper: 0.75
            })
        );
        assert!(!cold.tighten::<true>(Bounds {
            lower: 0.125,
            upper: 0.875
        }));
        assert_eq!(
            cold.bounds(),
            Bounds {
                lower: 0.25,
                upper: 0.75
            }
        );
        assert!(cold.tighten::<false>(Bounds::exact(0.8)) && cold.bounds() == Bounds::exact(0.8));
    }

    #[test]
    fn a_link_is_a_block_or_the_end_whatever_is_proven() {
        let cell = Cell::default();
        cell.set_has_bounds::<true>();
        assert_eq!(
            (
                cell.child(),
                cell.is_terminal(),
                cell.set_child(5),
                cell.set_child(6)
            ),
            (0, false, 5, 5)
        );
        cell.replace_child(3);
        assert_eq!(
            (cell.child(), cell.move_count(), cell.has_bounds()),
            (3, 3, true)
        );
        let end = Cell::default();
        end.set_terminal();
        assert!(end.is_terminal() && !end.has_bounds());
        end.set_has_bounds::<false>();
        assert_eq!(
            (
                end.is_terminal(),
                end.child(),
                end.set_child(5),
                end.has_bounds()
            ),
            (true, 0, 0, true)
        );
    }

    #[test]
    fn payoffs_add_up_exactly() {
        let cell = Cell::default();
        for (number, payoff) in [1.0, 0.25, 0.0, 1.0].into_iter().enumerate() {
            assert_eq!(cell.add_visits::<true>(1), number as u32);
            cell.add_payoff::<false>(payoff);
        }
        assert_eq!((cell.exact_payoff_sum(), cell.mean()), (2.25, 0.5625));
    }
}
