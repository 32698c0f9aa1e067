//! NNUE accumulators: first-layer sums per perspective, updated from move to move. They are
//! integers: an update equals a refresh.

use super::{Network, kernels};
use crate::{inputs::Learnable, tuples::for_each_change};
use alea_core::game::Seat;

/// First-layer sums (without biases) and active rows per perspective. Reuse does not allocate.
#[derive(Clone, Debug, Default)]
pub struct Accumulators {
    width: usize,
    sums: Vec<i32>,
    rows: Vec<u16>,
    added: Vec<u16>,
    removed: Vec<u16>,
}

impl PartialEq for Accumulators {
    fn eq(&self, other: &Self) -> bool {
        (self.width, &self.sums, &self.rows) == (other.width, &other.sums, &other.rows)
    }
}

impl Eq for Accumulators {}

impl Accumulators {
    /// Sums from the perspective of `seat`.
    #[inline]
    pub fn perspective(&self, seat: Seat) -> &[i32] {
        &self.sums[seat * self.width..][..self.width]
    }

    fn extract_features<G: Learnable>(
        &mut self,
        network: &Network<G>,
        game: &G,
        position: &G::Position,
    ) {
        self.width = network.weights.bias.len();
        self.sums.resize(game.seats() * self.width, 0);
        self.rows.resize(game.seats() * network.active, 0);
        for (seat, rows) in self.rows.chunks_exact_mut(network.active).enumerate() {
            game.active_features(network.groups, position, seat, rows);
        }
    }

    pub(super) fn refresh<G: Learnable>(
        &mut self,
        network: &Network<G>,
        game: &G,
        position: &G::Position,
    ) {
        self.extract_features(network, game, position);
        let rows = self.rows.chunks_exact(network.active);
        for (rows, sums) in rows.zip(self.sums.chunks_exact_mut(self.width)) {
            kernels::sum_rows(network.instructions, &network.weights.rows, rows, sums);
        }
    }

    pub(super) fn update<G: Learnable>(
        &mut self,
        network: &Network<G>,
        game: &G,
        parent: &Self,
        after: &G::Position,
    ) {
        let active = network.active;
        if parent.sums.len() != game.seats() * network.weights.bias.len()
            || parent.rows.len() != game.seats() * active
        {
            return self.refresh(network, game, after);
        }
        self.extract_features(network, game, after);
        let Self {
            width,
            sums,
            rows,
            added,
            removed,
        } = self;
        let (instructions, matrix) = (network.instructions, &network.weights.rows);
        for (seat, (rows, sums)) in rows
            .chunks_exact(active)
            .zip(sums.chunks_exact_mut(*width))
            .enumerate()
        {
            added.clear();
            removed.clear();
            let old = &parent.rows[seat * active..][..active];
            for_each_change(rows, old, |slot| {
                added.push(rows[slot]);
                removed.push(old[slot]);
            });
            // Each change costs two rows, so many cost more than a refresh.
            if 2 * added.len() > active {
                kernels::sum_rows(instructions, matrix, rows, sums);
            } else {
                kernels::change_rows(
                    instructions,
                    matrix,
                    parent.perspective(seat),
                    added,
                    removed,
                    sums,
                );
            }
        }
    }
}
