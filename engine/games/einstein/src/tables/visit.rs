//! Iterates over a class's stored positions, with seat 0 to move: one of each set of symmetric
//! positions, except those that [`super::index`] stores twice. A single stone has label 1.

use super::{
    index::{Class, Index, Squares, other_tuples, steps_from_start},
    label_patterns::pattern_masks,
};
use crate::{GONE, MAX_STONES, Position, Standard, position::Side};

pub(super) struct PositionVisitor<'a> {
    index: &'a Index,
    class: Class,
    others: Vec<Squares>,
    own_masks: Vec<u8>,
    other_masks: Vec<u8>,
}

impl<'a> PositionVisitor<'a> {
    pub(super) fn new(index: &'a Index, class: Class) -> Self {
        let (own_masks, other_masks) = (pattern_masks(class.mover), pattern_masks(class.other));
        Self {
            index,
            class,
            others: other_tuples(class.other),
            own_masks,
            other_masks,
        }
    }

    pub(super) fn rows(&self) -> usize {
        self.index.rows(self.class.mover).len()
    }

    pub(super) fn visit_row(
        &self,
        row: usize,
        layer: Option<usize>,
        mut visit: impl FnMut(Position),
    ) {
        let own = &self.index.rows(self.class.mover)[row][..self.class.mover];
        for others in &self.others {
            let others = &others[..self.class.other];
            let steps = || {
                let of_others: usize = others
                    .iter()
                    .map(|&square| steps_from_start(Standard::GOAL - square))
                    .sum();
                of_others
                    + own
                        .iter()
                        .map(|&square| steps_from_start(square))
                        .sum::<usize>()
            };
            if others.iter().any(|square| own.contains(square))
                || layer.is_some_and(|layer| layer != steps())
            {
                continue;
            }
            for &other_mask in &self.other_masks {
                let other = side_of_squares(
                    others.iter().map(|&square| Standard::GOAL - square),
                    other_mask,
                );
                for &own_mask in &self.own_masks {
                    visit(Position::new(
                        side_of_squares(own.iter().copied(), own_mask),
                        other,
                        0,
                    ));
                }
            }
        }
    }
}

fn side_of_squares(squares: impl Iterator<Item = u8>, mask: u8) -> Side {
    let mut stones = [GONE; MAX_STONES];
    for (label, square) in (0..MAX_STONES)
        .filter(|label| mask >> label & 1 == 1)
        .zip(squares)
    {
        stones[label] = square;
    }
    Side::new(stones)
}
