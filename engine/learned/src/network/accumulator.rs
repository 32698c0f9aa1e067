//! NNUE accumulators.

use super::{Network, kernels};
use crate::{
    inputs::Learnable,
    perspectives::{PerspectiveSums, Perspectives, for_each_change},
};
use alea_core::game::Seat;

/// First-layer sums without biases, and active rows, per perspective.
pub type Accumulators = Perspectives<u16, i32>;

const MAX_CHANGES: usize = 32;

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
        let (instructions, matrix) = (self.0.instructions, &self.0.weights.rows);
        let (mut added, mut removed, mut count) = ([0; MAX_CHANGES], [0; MAX_CHANGES], 0);
        for_each_change(new, old, |slot| {
            (added[count], removed[count]) = (new[slot], old[slot]);
            count += 1;
            if count == MAX_CHANGES {
                kernels::change_rows(instructions, matrix, &added, &removed, sums);
                count = 0;
            }
        });
        kernels::change_rows(
            instructions,
            matrix,
            &added[..count],
            &removed[..count],
            sums,
        );
    }
}
