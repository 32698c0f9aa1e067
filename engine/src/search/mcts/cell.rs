//! What the graph consists of: a cell of 16 bytes for each position and each move, and as much
//! again of what is known of it.
//!
//! A simulation reads and writes cells on its whole way; what is proven or known beforehand lies
//! apart, so that it costs no cache line where there is nothing. All of it is atomic, so threads
//! share it without locks; for one thread alone (`SHARED` is false) plain loads and stores do.
//! Invariants: sums are of whole numbers, so no order of additions changes them; what is proven
//! only ever tightens; [`Proof`] bounds mean something only where the cell says so.

use crate::core::chance::Bounds;
use std::sync::atomic::{
    AtomicU32, AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};

/// Four to a cache line. A zeroed cell is a move that was never tried and of which nothing is
/// known.
#[derive(Debug, Default)]
#[repr(C)]
pub(in crate::search) struct Cell {
    /// A move: how often it was tried. A head: how often the position was visited, about, if
    /// threads share it.
    visits: AtomicU32,
    /// A move: the block of the position behind it, 0 for none, or [`OVER`]. A head: the number of
    /// its moves. And [`PROVEN`].
    link: AtomicU32,
    /// A move: sum of the payoffs of the seat that makes it, in units of 2⁻³². A head: the key of
    /// the position.
    sum: AtomicU64,
}

/// What is known of a move or a position beside its statistics. Nothing is known where it is
/// zeroed.
#[derive(Debug, Default)]
#[repr(C)]
pub(in crate::search) struct Proof {
    /// What is proven for the seat that makes the move, or for the seat to move: [`pack`].
    bounds: AtomicU64,
    /// A move: what the prior says of it, an `f32`.
    hint: AtomicU32,
    /// A head: scratch.
    mark: AtomicU32,
}

/// Of a link: something is proven. No place is as large.
const PROVEN: u32 = 1 << 31;

/// A link to the end of the game. No place is as large.
const OVER: u32 = PROVEN - 1;

/// Links are smaller than this.
pub(super) const MAX_PLACES: usize = OVER as usize;

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
    Bounds {
        lower: f32::from_bits(word as u32),
        upper: f32::from_bits((word >> 32) as u32 ^ UPPER_UNKNOWN),
    }
}

/// A payoff in units of 2⁻³².
#[inline]
pub(super) fn units(payoff: f32) -> u64 {
    (f64::from(payoff) * ONE) as i64 as u64
}

impl Cell {
    /// Makes it the head of a block.
    #[inline]
    pub(super) fn set_head(&self, moves: u32, key: u64, visits: u32) {
        self.visits.store(visits, Relaxed);
        self.link.store(moves, Relaxed);
        self.sum.store(key, Relaxed);
    }

    /// Makes it a move that was never tried.
    #[inline]
    pub(super) fn clear(&self) {
        self.set_head(0, 0, 0);
    }

    /// Copies all of `other`; nobody else may be at either.
    pub(super) fn copy(&self, other: &Self) {
        self.set_head(other.link.load(Relaxed), other.key(), other.visits());
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
        match self.link.load(Acquire) & !PROVEN {
            OVER => 0,
            block => block,
        }
    }

    /// Whether the game is over behind a move that was tried.
    #[inline]
    pub(super) fn is_over(&self) -> bool {
        self.link.load(Relaxed) & !PROVEN == OVER
    }

    #[inline]
    pub(super) fn set_over(&self) {
        self.link.fetch_or(OVER, Relaxed);
    }

    /// Sets the block behind a move unless there is one, and answers which there is.
    #[inline]
    pub(super) fn set_child(&self, block: u32) -> u32 {
        let unlinked = |link: u32| (link & !PROVEN == 0).then_some(link | block);
        match self.link.fetch_update(Release, Acquire, unlinked) {
            Ok(_) => block,
            Err(_) => self.child(),
        }
    }

    /// Puts another block behind a move; nobody else may be at it.
    pub(super) fn move_child(&self, block: u32) {
        self.link
            .store(self.link.load(Relaxed) & PROVEN | block, Relaxed);
    }

    #[inline]
    pub(super) fn moves(&self) -> u32 {
        self.link.load(Relaxed) & !PROVEN
    }

    #[inline]
    pub(super) fn key(&self) -> u64 {
        self.sum.load(Relaxed)
    }

    #[inline]
    pub(super) fn add_payoff<const SHARED: bool>(&self, payoff: f32) {
        self.add_units::<SHARED>(units(payoff));
    }

    /// Adds payoffs in [`units`].
    #[inline]
    pub(super) fn add_units<const SHARED: bool>(&self, units: u64) {
        if SHARED {
            // A lost playout costs nothing.
            if units != 0 {
                self.sum.fetch_add(units, Relaxed);
            }
        } else {
            self.sum
                .store(self.sum.load(Relaxed).wrapping_add(units), Relaxed);
        }
    }

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

    /// Whether anything is proven: only then [`Proof`] has bounds.
    #[inline]
    pub(super) fn has_bounds(&self) -> bool {
        self.link.load(Relaxed) & PROVEN != 0
    }

    #[inline]
    pub(super) fn set_has_bounds<const SHARED: bool>(&self) {
        if SHARED {
            self.link.fetch_or(PROVEN, Release);
        } else {
            self.link.store(self.link.load(Relaxed) | PROVEN, Relaxed);
        }
    }
}

impl Proof {
    /// Nothing is known but a hint.
    #[inline]
    pub(super) fn clear(&self, hint: f32) {
        self.bounds.store(0, Relaxed);
        self.hint.store(hint.to_bits(), Relaxed);
        self.mark.store(0, Relaxed);
    }

    /// Copies all of `other`; nobody else may be at either.
    pub(super) fn copy(&self, other: &Self) {
        self.bounds.store(other.bounds.load(Relaxed), Relaxed);
        self.hint.store(other.hint.load(Relaxed), Relaxed);
        self.mark.store(other.mark.load(Relaxed), Relaxed);
    }

    #[inline]
    pub(super) fn bounds(&self) -> Bounds {
        unpack(self.bounds.load(Relaxed))
    }

    /// Adds what is proven, and answers whether it is new.
    #[inline]
    pub(super) fn tighten<const SHARED: bool>(&self, bounds: Bounds) -> bool {
        let mut word = self.bounds.load(Relaxed);
        loop {
            let old = unpack(word);
            let lower = old.lower.max(bounds.lower);
            // Bounds that rounding has carried past each other have met.
            let both = pack(Bounds {
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
        let cell = Cell {
            visits: AtomicU32::new(7),
            link: AtomicU32::new(7 | PROVEN),
            ..Cell::default()
        };
        cell.clear();
        assert_eq!(
            (cell.visits(), cell.child(), cell.has_bounds()),
            (0, 0, false)
        );
        let proof = Proof {
            bounds: AtomicU64::new(7),
            ..Proof::default()
        };
        proof.clear(0.5);
        assert_eq!((proof.bounds(), proof.hint()), (Bounds::UNKNOWN, 0.5));
        assert!(
            proof.tighten::<false>(Bounds {
                lower: 0.25,
                upper: 1.0
            }) && proof.tighten::<true>(Bounds {
                lower: 0.0,
                upper: 0.75
            })
        );
        assert!(!proof.tighten::<true>(Bounds {
            lower: 0.125,
            upper: 0.875
        }));
        assert_eq!(
            proof.bounds(),
            Bounds {
                lower: 0.25,
                upper: 0.75
            }
        );
        assert!(proof.tighten::<false>(Bounds::exact(0.8)) && proof.bounds() == Bounds::exact(0.8));
    }

    #[test]
    fn a_link_is_a_block_or_the_end_whatever_is_proven() {
        let cell = Cell::default();
        cell.set_has_bounds::<true>();
        assert_eq!(
            (
                cell.child(),
                cell.is_over(),
                cell.set_child(5),
                cell.set_child(6)
            ),
            (0, false, 5, 5)
        );
        cell.move_child(3);
        assert_eq!(
            (cell.child(), cell.moves(), cell.has_bounds()),
            (3, 3, true)
        );
        let end = Cell::default();
        end.set_over();
        assert!(end.is_over() && !end.has_bounds());
        end.set_has_bounds::<false>();
        assert_eq!(
            (
                end.is_over(),
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
        assert_eq!((cell.exact_payoff(), cell.mean()), (2.25, 0.5625));
    }
}
