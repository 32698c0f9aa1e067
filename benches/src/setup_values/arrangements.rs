//! Set-ups and their symmetries. A side's stones 1 to k stand on any k of its six home squares.
//!
//! With six stones, reversing a side's labels (1 ↔ 6, 2 ↔ 5, 3 ↔ 4) changes no value. A *row* is a
//! set-up up to this reversal; a *class* is a row and its image in the board's diagonal, which have
//! equal values against all opponents together.

use engine::games::einstein::{
    GONE, MAX_STONES, Position, RED,
    position::Side,
    setup::{SETUPS, setup_stones},
};
use std::collections::BTreeSet;

/// Stones on the home squares a5 b5 c5 a4 b4 a3; 0 for an empty square.
pub(crate) type Arrangement = [u8; MAX_STONES];

const HOME_SQUARES: [u8; MAX_STONES] = [0, 1, 2, 5, 6, 10];

/// `TRANSPOSED_SQUARES[i]` is the index of the image of home square i in the board's diagonal.
const TRANSPOSED_SQUARES: [usize; MAX_STONES] = [0, 3, 5, 1, 4, 2];

/// All arrangements of stones 1 to `stones`, sorted with empty squares last; with six, in the order
/// of set-up indices.
pub(crate) fn arrangements(stones: usize) -> Vec<Arrangement> {
    let empty = stones as u8 + 1;
    let set_ups = (0..SETUPS).map(|setup| {
        let order = setup_stones(setup, MAX_STONES);
        std::array::from_fn(|square| order[square].min(empty))
    });
    let different: BTreeSet<Arrangement> = set_ups.collect();
    let orders = different.into_iter();
    orders
        .map(|order| order.map(|stone| stone % empty))
        .collect()
}

pub(crate) fn transposed(order: &Arrangement) -> Arrangement {
    TRANSPOSED_SQUARES.map(|square| order[square])
}

pub(crate) fn reverse_labels(order: &Arrangement) -> Arrangement {
    order.map(|stone| MAX_STONES as u8 + 1 - stone)
}

pub(crate) fn text(order: &Arrangement) -> String {
    let letter = |&stone: &u8| {
        if stone == 0 {
            '.'
        } else {
            char::from(b'0' + stone)
        }
    };
    order.iter().map(letter).collect()
}

pub(crate) fn start(first: &Arrangement, second: &Arrangement) -> Position {
    let side = |order: &Arrangement| {
        let mut squares = [GONE; MAX_STONES];
        for (&stone, square) in order
            .iter()
            .zip(HOME_SQUARES)
            .filter(|(stone, _)| **stone > 0)
        {
            squares[usize::from(stone) - 1] = square;
        }
        Side::new(squares)
    };
    Position::new(side(first), side(second), RED)
}

pub(crate) struct Rows {
    pub orders: Vec<Arrangement>,
    pub transposed: Vec<usize>,
    pub class: Vec<usize>,
    pub classes: Vec<usize>,
    pub labels_reverse: bool,
}

impl Rows {
    pub(crate) fn new(stones: usize) -> Self {
        let labels_reverse = stones == MAX_STONES;
        let canonical = |order: Arrangement| {
            if labels_reverse {
                order.min(reverse_labels(&order))
            } else {
                order
            }
        };
        let mut orders = arrangements(stones);
        orders.retain(|order| canonical(*order) == *order);
        let row_of = |order| orders.iter().position(|other| *other == canonical(order));
        let transposed: Vec<usize> = (orders.iter())
            .map(|order| row_of(transposed(order)).unwrap_or_default())
            .collect();
        let classes: Vec<usize> = (0..orders.len())
            .filter(|&row| row <= transposed[row])
            .collect();
        let class = |row: usize| {
            classes
                .iter()
                .position(|&first| first == row.min(transposed[row]))
        };
        Self {
            class: (0..orders.len())
                .map(|row| class(row).unwrap_or_default())
                .collect(),
            orders,
            transposed,
            classes,
            labels_reverse,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.orders.len()
    }

    pub(crate) fn arrangements_of_row(&self, row: usize) -> Vec<Arrangement> {
        let order = self.orders[row];
        let mut all = vec![order];
        all.extend(self.labels_reverse.then(|| reverse_labels(&order)));
        all
    }

    pub(crate) fn of_class(&self, class: usize) -> Vec<Arrangement> {
        let rows = (0..self.len()).filter(|&row| self.class[row] == class);
        rows.flat_map(|row| self.arrangements_of_row(row)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::games::einstein::{Standard, symmetry::transform_position};

    #[test]
    fn arrangements_are_the_set_ups_in_order() {
        let all = arrangements(6);
        assert_eq!(all.len(), 720);
        for setup in [0, 5, 311, 719] {
            assert_eq!(all[setup].to_vec(), setup_stones(setup, 6).to_vec());
            let game = Standard::default();
            assert_eq!(start(&all[setup], &all[77]), game.start([setup, 77], RED));
        }
        let counts = [1, 2, 3].map(|stones| arrangements(stones).len());
        assert_eq!(counts, [6, 30, 120]);
        assert_eq!(text(&arrangements(2)[0]), "12....");
    }

    #[test]
    fn images_are_those_of_the_symmetries_of_positions() {
        for (stones, pairs) in [
            (6, [[0, 719], [5, 77], [311, 312]]),
            (3, [[0, 119], [7, 50], [99, 3]]),
        ] {
            let all = arrangements(stones);
            for [first, second] in pairs.map(|pair| pair.map(|at| &all[at])) {
                let image = |symmetry| transform_position(&start(first, second), symmetry);
                assert_eq!(image(1), start(&transposed(first), &transposed(second)));
                if stones == 6 {
                    assert_eq!(image(2), start(&reverse_labels(first), second));
                    assert_eq!(image(4), start(first, &reverse_labels(second)));
                }
            }
        }
    }

    #[test]
    fn rows_and_classes_hold_every_arrangement_once() {
        for (stones, rows, classes) in [(1, 6, 4), (2, 30, 16), (3, 120, 60), (6, 360, 180)] {
            let found = Rows::new(stones);
            assert_eq!((found.len(), found.classes.len()), (rows, classes));
            let all: Vec<_> = (0..classes)
                .flat_map(|class| found.of_class(class))
                .collect();
            let [all, expected] = [all, arrangements(stones)].map(|mut all| {
                all.sort_unstable();
                all
            });
            assert_eq!(all, expected);
        }
    }
}
