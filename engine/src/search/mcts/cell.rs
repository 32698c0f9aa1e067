//! What the graph consists of: cells of 32 bytes, each a move of a position, or the head of a position's block.
//!
//! All of it is atomic, so threads share it without locks; where one thread searches alone (`SHARED` is false) plain loads
//! and stores do the same for less. Invariants: sums are of whole numbers, so no order of additions changes them; what is
//! proven only ever tightens.

use crate::chance::Bounds;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Acquire, Ordering::Relaxed, Ordering::Release};

/// Two to a cache line. A zeroed cell is a move that was never tried and of which nothing is known.
#[derive(Debug, Default)]
#[repr(C)]
pub(in crate::search) struct Cell {
    /// A move: how often it was tried. A head: how often the position was visited.
    visits: AtomicU32,
    /// A move: the block of the position behind it, 0 for none. A head: the number of its moves.
    link: AtomicU32,
    /// A move: sum of the payoffs of the seat that makes it, in units of 2⁻³². A head: the key of the position.
    sum: AtomicU64,
    /// What is proven for the seat that makes the move, or for the seat to move: [`pack`].
    bounds: AtomicU64,
    /// A move: what the prior says of it. A head: what a leaf said of the position when it was added. An `f32`.
    hint: AtomicU32,
    /// A move: 1 if the game is over behind it. A head: scratch.
    mark: AtomicU32,
}

/// Units of a sum in a payoff of 1.
const ONE: f64 = 4_294_967_296.0;

const UPPER_UNKNOWN: u32 = 1.0f32.to_bits();

/// Bounds in a word, nothing known being 0.
#[inline]
fn pack(bounds: Bounds) -> u64 {
    u64::from(bounds.lower.to_bits()) | u64::from(bounds.upper.to_bits() ^ UPPER_UNKNOWN) << 32
}

#[inline]
fn unpack(word: u64) -> Bounds {
    Bounds { lower: f32::from_bits(word as u32), upper: f32::from_bits((word >> 32) as u32 ^ UPPER_UNKNOWN) }
}

impl Cell {
    /// Makes it the head of a block.
    #[inline]
    pub(super) fn set_head(&self, moves: u32, key: u64, visits: u32, value: f32) {
        self.visits.store(visits, Relaxed);
        self.link.store(moves, Relaxed);
        self.sum.store(key, Relaxed);
        self.bounds.store(0, Relaxed);
        self.hint.store(value.to_bits(), Relaxed);
        self.mark.store(0, Relaxed);
    }

    /// Makes it a move that was never tried.
    #[inline]
    pub(super) fn clear(&self) {
        self.set_head(0, 0, 0, 0.0);
    }

    /// Copies all of `other`; nobody else may be at either.
    pub(super) fn copy(&self, other: &Self) {
        self.visits.store(other.visits.load(Relaxed), Relaxed);
        self.link.store(other.link.load(Relaxed), Relaxed);
        self.sum.store(other.sum.load(Relaxed), Relaxed);
        self.bounds.store(other.bounds.load(Relaxed), Relaxed);
        self.hint.store(other.hint.load(Relaxed), Relaxed);
        self.mark.store(other.mark.load(Relaxed), Relaxed);
    }

    #[inline]
    pub(super) fn visits(&self) -> u32 {
        self.visits.load(Relaxed)
    }

    /// Adds visits (modulo 2³²) and answers how many there were.
    #[inline]
    pub(super) fn add_visits<const SHARED: bool>(&self, visits: u32) -> u32 {
        if SHARED {
            return self.visits.fetch_add(visits, Relaxed);
        }
        let before = self.visits.load(Relaxed);
        self.visits.store(before.wrapping_add(visits), Relaxed);
        before
    }

    /// The block behind a move; 0 for none.
    #[inline]
    pub(super) fn child(&self) -> u32 {
        self.link.load(Acquire)
    }

    /// Sets the block behind a move unless there is one, and answers which there is.
    #[inline]
    pub(super) fn set_child(&self, block: u32) -> u32 {
        match self.link.compare_exchange(0, block, Release, Acquire) {
            Ok(_) => block,
            Err(present) => present,
        }
    }

    /// Puts another block behind a move; nobody else may be at it.
    pub(super) fn move_child(&self, block: u32) {
        self.link.store(block, Relaxed);
    }

    /// A head's number of moves.
    #[inline]
    pub(super) fn moves(&self) -> u32 {
        self.link.load(Relaxed)
    }

    /// A head's key.
    #[inline]
    pub(super) fn key(&self) -> u64 {
        self.sum.load(Relaxed)
    }

    /// Adds a payoff.
    #[inline]
    pub(super) fn add_payoff<const SHARED: bool>(&self, payoff: f32) {
        let units = (f64::from(payoff) * ONE) as i64 as u64;
        if SHARED {
            self.sum.fetch_add(units, Relaxed);
        } else {
            self.sum.store(self.sum.load(Relaxed).wrapping_add(units), Relaxed);
        }
    }

    /// Makes `mean` the mean of all payoffs.
    #[inline]
    pub(super) fn set_mean(&self, mean: f32) {
        self.sum.store((f64::from(mean) * f64::from(self.visits()) * ONE) as u64, Relaxed);
    }

    /// Sum of the payoffs.
    #[inline]
    pub(super) fn payoff(&self) -> f32 {
        // Below 2⁶³, so that one instruction converts it.
        self.sum.load(Relaxed) as i64 as f32 * (1.0 / ONE as f32)
    }

    /// Sum of the payoffs, with all digits.
    pub(super) fn exact_payoff(&self) -> f64 {
        self.sum.load(Relaxed) as f64 / ONE
    }

    /// Mean payoff; of a move that was tried.
    #[inline]
    pub(super) fn mean(&self) -> f32 {
        self.payoff() / self.visits() as f32
    }

    #[inline]
    pub(super) fn bounds(&self) -> Bounds {
        unpack(self.bounds.load(Relaxed))
    }

    /// Of a cell of additional statistics: adds the square of a payoff. Their sum stands where bounds stand in others.
    #[inline]
    pub(super) fn add_square<const SHARED: bool>(&self, payoff: f32) {
        let units = (f64::from(payoff) * f64::from(payoff) * ONE) as i64 as u64;
        if SHARED {
            self.bounds.fetch_add(units, Relaxed);
        } else {
            self.bounds.store(self.bounds.load(Relaxed).wrapping_add(units), Relaxed);
        }
    }

    /// Of a cell of additional statistics: the sum of the squares of all payoffs.
    #[inline]
    pub(super) fn squares(&self) -> f32 {
        self.bounds.load(Relaxed) as i64 as f32 * (1.0 / ONE as f32)
    }

    /// Whether anything is proven.
    #[inline]
    pub(super) fn has_bounds(&self) -> bool {
        self.bounds.load(Relaxed) != 0
    }

    /// Adds what is proven, and answers whether it is new.
    #[inline]
    pub(super) fn tighten<const SHARED: bool>(&self, bounds: Bounds) -> bool {
        let mut word = self.bounds.load(Relaxed);
        loop {
            let old = unpack(word);
            let lower = old.lower.max(bounds.lower);
            // Bounds that rounding has carried past each other have met.
            let both = pack(Bounds { lower, upper: old.upper.min(bounds.upper).max(lower) });
            if both == word {
                return false;
            }
            if !SHARED {
                self.bounds.store(both, Relaxed);
                return true;
            }
            match self.bounds.compare_exchange_weak(word, both, Relaxed, Relaxed) {
                Ok(_) => return true,
                Err(now) => word = now,
            }
        }
    }

    #[inline]
    pub(super) fn hint(&self) -> f32 {
        f32::from_bits(self.hint.load(Relaxed))
    }

    pub(super) fn set_hint(&self, hint: f32) {
        self.hint.store(hint.to_bits(), Relaxed);
    }

    #[inline]
    pub(super) fn mark(&self) -> u32 {
        self.mark.load(Relaxed)
    }

    pub(super) fn set_mark(&self, mark: u32) {
        self.mark.store(mark, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cleared_cell_knows_nothing_and_bounds_only_tighten() {
        let cell = Cell { visits: AtomicU32::new(7), link: AtomicU32::new(7), bounds: AtomicU64::new(7), ..Cell::default() };
        cell.clear();
        assert_eq!((cell.visits(), cell.child(), cell.bounds(), cell.has_bounds()), (0, 0, Bounds::UNKNOWN, false));
        assert!(cell.tighten::<false>(Bounds { lower: 0.25, upper: 1.0 }) && cell.tighten::<true>(Bounds { lower: 0.0, upper: 0.75 }));
        assert!(!cell.tighten::<true>(Bounds { lower: 0.125, upper: 0.875 }));
        assert_eq!(cell.bounds(), Bounds { lower: 0.25, upper: 0.75 });
        assert!(cell.tighten::<false>(Bounds::exact(0.8)) && cell.bounds() == Bounds::exact(0.8));
    }

    #[test]
    fn payoffs_add_up_exactly() {
        let cell = Cell::default();
        for (number, payoff) in [1.0, 0.25, 0.0, 1.0].into_iter().enumerate() {
            assert_eq!(cell.add_visits::<true>(1), number as u32);
            cell.add_payoff::<false>(payoff);
        }
        assert_eq!((cell.exact_payoff(), cell.mean()), (2.25, 0.5625));
        cell.set_mean(0.5);
        assert_eq!(cell.mean(), 0.5);
    }
}
