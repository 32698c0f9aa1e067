//! The first layer's sums over the stones, kept up to date from move to move.
//!
//! Seats change with every move, so both views are kept: that in which the side to move is the
//! mover, and that in which it is the other. After a move they change places. Invariant: integers,
//! so the order of additions does not matter and an update equals a refresh to the last bit.

use super::kernels;
use super::{MAX_WIDTH, NetworkWeights};
use crate::core::simd::Instructions;
use crate::games::einstein::inputs::{ACTIVE, sparse, sparse_row};
use crate::games::einstein::{GONE, MAX_STONES, Position};

/// The sums of both views in fixed point. Empty until first filled; from then on nothing is
/// allocated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Accumulators {
    /// First the view of the side to move, then that of the other side.
    sums: Vec<i32>,
}

/// Rows to add and rows to take away, in one view.
#[derive(Default)]
struct Changes {
    added: [u16; ACTIVE],
    removed: [u16; ACTIVE],
    count: usize,
}

impl Changes {
    /// Stone `stone` of the mover (0–5) or the other (6–11) goes from one square to another.
    #[inline]
    fn push(&mut self, stone: usize, from: u8, to: u8) {
        self.removed[self.count] = sparse_row(stone, from);
        self.added[self.count] = sparse_row(stone, to);
        self.count += 1;
    }
}

impl Accumulators {
    /// The sums in which the side to move is the mover.
    #[must_use]
    #[inline]
    pub fn mover(&self) -> &[i32] {
        &self.sums[..self.sums.len() / 2]
    }

    /// The sums in which the side to move is the other.
    #[must_use]
    #[inline]
    pub fn other(&self) -> &[i32] {
        &self.sums[self.sums.len() / 2..]
    }

    pub(super) fn refresh(
        &mut self,
        instructions: Instructions,
        weights: &NetworkWeights<i32>,
        position: &Position,
    ) {
        let width = weights.bias.len();
        self.sums.resize(2 * width, 0);
        let (mover, other) = self.sums.split_at_mut(width);
        let turned = Position::new(position.other(), position.mover(), 1 - position.seat());
        kernels::sum_rows(instructions, &weights.sparse, &sparse(position), mover);
        kernels::sum_rows(instructions, &weights.sparse, &sparse(&turned), other);
    }

    /// Sums of `after` from those of `before`, the position one move earlier.
    pub(super) fn update(
        &mut self,
        instructions: Instructions,
        weights: &NetworkWeights<i32>,
        parent: &Self,
        before: &Position,
        after: &Position,
    ) {
        let width = weights.bias.len();
        debug_assert!(width <= MAX_WIDTH);
        if parent.sums.len() != 2 * width {
            self.refresh(instructions, weights, after);
            return;
        }
        // The side that moved is the mover before and the other after.
        let (mut moved, mut waiting) = (Changes::default(), Changes::default());
        let sides = [
            (before.mover(), after.other()),
            (before.other(), after.mover()),
        ];
        for (side, (old, new)) in sides.into_iter().enumerate() {
            if old == new {
                continue;
            }
            for stone in 0..MAX_STONES {
                let (from, to) = (old.square(stone), new.square(stone));
                if from != to {
                    debug_assert!(from != GONE, "no stone comes back");
                    moved.push(side * MAX_STONES + stone, from, to);
                    waiting.push((1 - side) * MAX_STONES + stone, from, to);
                }
            }
        }
        self.sums.resize(2 * width, 0);
        let (mover, other) = self.sums.split_at_mut(width);
        for (changes, old, new) in [
            (waiting, parent.other(), mover),
            (moved, parent.mover(), other),
        ] {
            let count = changes.count;
            kernels::change_rows(
                instructions,
                &weights.sparse,
                old,
                &changes.added[..count],
                &changes.removed[..count],
                new,
            );
        }
    }
}
