//! NNUE accumulators.

use super::{Network, kernels};
use crate::{
    inputs::Learnable,
    perspectives::{PerspectiveSums, Perspectives},
};
use alea_core::game::Seat;

/// First-layer sums without biases, and active rows, per perspective.
pub type Accumulators = Perspectives<u16, i32>;

const MAX_CHANGES: usize = 48;

const BLOCK: usize = 16;

pub(super) struct NetworkSums<'a, G: Learnable>(pub(super) &'a Network<G>, pub(super) &'a G);

impl<G: Learnable> PerspectiveSums<G> for NetworkSums<'_, G> {
    type Input = u16;
    type Sum = i32;

    #[inline]
    fn game(&self) -> &G {
        self.1
    }

    #[inline]
    fn lens(&self) -> [usize; 2] {
        [self.0.active, self.0.weights.bias.len()]
    }

    #[inline]
    fn extract(&self, position: &G::Position, seat: Seat, rows: &mut [u16]) {
        self.1.active_features(self.0.groups, position, seat, rows);
    }

    #[inline]
    fn extract_after(
        &self,
        before: &G::Position,
        after: &G::Position,
        seat: Seat,
        rows: &mut [u16],
    ) {
        let Self(network, game) = self;
        game.update_features(network.groups, before, after, seat, rows);
    }

    #[inline]
    fn sum(&self, rows: &[u16], sums: &mut [i32]) {
        kernels::sum_rows(self.0.instructions, &self.0.weights.rows, rows, sums);
    }

    fn change(&self, old: &[u16], new: &[u16], sums: &mut [i32]) {
        let mut changes = 0;
        for slot in 0..new.len().min(old.len()) {
            changes += u16::from(new[slot] != old[slot]);
        }
        // Each change costs two rows, so many cost more than a refresh.
        if 2 * usize::from(changes) > new.len() {
            return self.sum(new, sums);
        }
        let mut rows = RowChanges::default();
        let mut apply = |rows: &mut RowChanges| {
            let (instructions, matrix) = (self.0.instructions, &self.0.weights.rows);
            let (added, removed) = (&rows.added[..rows.count], &rows.removed[..rows.count]);
            kernels::change_rows(instructions, matrix, added, removed, sums);
            rows.count = 0;
        };
        for (new, old) in new.chunks(BLOCK).zip(old.chunks(BLOCK)) {
            if new != old {
                rows.collect(new, old);
            }
            if rows.count > MAX_CHANGES - BLOCK {
                apply(&mut rows);
            }
        }
        apply(&mut rows);
    }
}

struct RowChanges {
    added: [u16; MAX_CHANGES],
    removed: [u16; MAX_CHANGES],
    count: usize,
}

impl Default for RowChanges {
    fn default() -> Self {
        Self {
            added: [0; MAX_CHANGES],
            removed: [0; MAX_CHANGES],
            count: 0,
        }
    }
}

impl RowChanges {
    /// Appends the differences of at most [`BLOCK`] slots, without branches: which slots differ
    /// cannot be predicted.
    #[inline]
    fn collect(&mut self, new: &[u16], old: &[u16]) {
        let mut count = self.count;
        for (&new, &old) in new.iter().zip(old) {
            (self.added[count], self.removed[count]) = (new, old);
            count += usize::from(new != old);
        }
        self.count = count;
    }
}
