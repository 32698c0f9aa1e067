//! The first layer's sums over the cells, kept up to date from move to move.
//!
//! Every seat sees a position in its own way, so there is a sum for each; the value of a position
//! is read off that of the seat to move. Invariant: integers, so the order of additions does not
//! matter and an update equals a refresh to the last bit.

use super::{Network, kernels};
use crate::core::game::Seat;
use crate::learned::inputs::Learnable;

/// The sums of all seats, without biases, and the rows they are the sums of. Empty until first
/// filled; from then on nothing is allocated.
#[derive(Clone, Debug, Default)]
pub struct Accumulators {
    /// The width of the first layer.
    width: usize,
    /// Seat after seat.
    sums: Vec<i32>,
    rows: Vec<u16>,
    /// Rows that a move adds and takes away, for a moment.
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
    /// The sums as a seat sees the position.
    #[must_use]
    #[inline]
    pub fn seen_by(&self, seat: Seat) -> &[i32] {
        &self.sums[seat * self.width..][..self.width]
    }

    /// Makes room for a network's sums, and finds the rows of a position.
    fn find_rows<G: Learnable>(&mut self, network: &Network<G>, game: &G, position: &G::Position) {
        self.width = network.weights.bias.len();
        self.sums.resize(game.seats() * self.width, 0);
        self.rows.resize(game.seats() * network.active, 0);
        for (seat, rows) in self.rows.chunks_exact_mut(network.active).enumerate() {
            game.input_rows(network.groups, position, seat, rows);
        }
    }

    pub(super) fn refresh<G: Learnable>(
        &mut self,
        network: &Network<G>,
        game: &G,
        position: &G::Position,
    ) {
        self.find_rows(network, game, position);
        let rows = self.rows.chunks_exact(network.active);
        for (rows, sums) in rows.zip(self.sums.chunks_exact_mut(self.width)) {
            kernels::sum_rows(network.instructions, &network.weights.rows, rows, sums);
        }
    }

    /// Sums of `after` from those of the position one move earlier.
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
        self.find_rows(network, game, after);
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
            for (&new, &old) in rows.iter().zip(&parent.rows[seat * active..]) {
                if new != old {
                    added.push(new);
                    removed.push(old);
                }
            }
            // Two rows a change: many changes cost more than all rows.
            if 2 * added.len() > active {
                kernels::sum_rows(instructions, matrix, rows, sums);
            } else {
                kernels::change_rows(
                    instructions,
                    matrix,
                    parent.seen_by(seat),
                    added,
                    removed,
                    sums,
                );
            }
        }
    }
}
