//! Index of the positions of a *class* (numbers of stones of mover and other side), shared by
//! symmetric positions.
//!
//! A class consists of *rows*: orbits of the mover's tuple of squares (by label) under
//! transposition and label reversal. A row consists of *blocks*, one per tuple of the other side,
//! reversed if its first square exceeds its last, and ranked among the free squares. A block has a
//! cell per pair of label patterns; the other side's pattern is the outer index.
//!
//! Squares are in the mover's perspective; the mover is never on 24, its goal, nor the other side
//! on 0. If a symmetry leaves the mover's tuple unchanged, both images of the other side's tuple
//! are stored.

mod position_to_cell;

use super::label_patterns::{MAX_SIDE_STONES, NUM_PATTERNS};
use crate::symmetry::transpose;
use alea_core::arrays::build_array;

/// Square s of one side is GOAL − s for the other.
const GOAL: u8 = 24;

const NUM_MOVER_SQUARES: usize = 24;
const INVALID_TUPLE: u32 = u32::MAX;

/// A side's squares in ascending order of labels, then padding.
pub(super) type Squares = [u8; MAX_SIDE_STONES];

/// Class of an endgame position: how many stones each side has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Class {
    /// Stones of the side to move, 1 to 5.
    pub mover: usize,
    /// Stones of the other side, 1 to 5.
    pub other: usize,
}

impl Class {
    pub(super) fn swap_sides(self) -> Self {
        Self {
            mover: self.other,
            other: self.mover,
        }
    }

    /// Number of stones of both sides together.
    pub fn stones(self) -> usize {
        self.mover + self.other
    }

    pub(super) fn with_mirror(self) -> Vec<Self> {
        let mut both = vec![self, self.swap_sides()];
        both.dedup();
        both
    }

    pub(super) fn cells_per_block(self) -> usize {
        NUM_PATTERNS[self.mover] * NUM_PATTERNS[self.other]
    }

    /// All classes of at most `stones` stones by total, each next to the class with sides swapped.
    pub fn up_to(stones: usize) -> Vec<Self> {
        Self::pairs_up_to(stones)
            .flat_map(Self::with_mirror)
            .collect()
    }

    /// The classes of [`Self::up_to`] whose mover has no more stones than the other side.
    pub(super) fn pairs_up_to(stones: usize) -> impl Iterator<Item = Self> {
        (2..=stones).flat_map(|stones| {
            (1..=stones / 2).map(move |mover| Self {
                mover,
                other: stones - mover,
            })
        })
    }
}

macro_rules! dispatch_class {
    ($class:expr, $own:ident, $enemy:ident => $body:expr) => {
        dispatch_class!(@ $class, $own, $enemy, $body,
            (1, 1)(1, 2)(2, 1)(1, 3)(3, 1)(2, 2)(1, 4)(4, 1)(2, 3)(3, 2)(1, 5)(5, 1)(2, 4)(4, 2)(3, 3))
    };
    (@ $class:expr, $own:ident, $enemy:ident, $body:expr, $(($mover:literal, $other:literal))*) => {
        match ($class.mover, $class.other) {
            $(($mover, $other) => {
                const $own: usize = $mover;
                const $enemy: usize = $other;
                $body
            })*
            _ => unreachable!("there are no tables of class {}", $class),
        }
    };
}
pub(super) use dispatch_class;

impl std::fmt::Display for Class {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}v{}", self.mover, self.other)
    }
}

struct Orbits {
    /// Row of each tuple, by its base-24 number, and whether transposition (bit 1) and reversal
    /// (bit 0) map it to the row's tuple.
    entries: Vec<u32>,
    rows: Vec<Squares>,
    rows_without_zero: usize,
}

impl Orbits {
    fn new(stones: usize) -> Self {
        let mut entries = vec![INVALID_TUPLE; NUM_MOVER_SQUARES.pow(stones as u32)];
        let mut rows = Vec::new();
        let mut rows_without_zero = 0;
        for with_zero in [false, true] {
            for number in 0..entries.len() {
                let tuple = tuple_squares(number, stones);
                let squares = &tuple[..stones];
                if !are_distinct(squares) || squares.contains(&0) != with_zero {
                    continue;
                }
                let (least, flags) = (0..4)
                    .map(|flags| (image_number(squares, flags), flags))
                    .min()
                    .unwrap_or((number, 0));
                if least == number {
                    entries[number] = (rows.len() as u32) << 2;
                    rows.push(tuple);
                } else {
                    entries[number] = entries[least] | flags;
                }
            }
            if !with_zero {
                rows_without_zero = rows.len();
            }
        }
        Self {
            entries,
            rows,
            rows_without_zero,
        }
    }
}

#[inline]
pub(super) fn square_set(squares: &[u8]) -> u32 {
    squares
        .iter()
        .fold(0, |occupied, square| occupied | 1 << square)
}

fn are_distinct(squares: &[u8]) -> bool {
    square_set(squares).count_ones() as usize == squares.len()
}

fn tuple_squares(number: usize, stones: usize) -> Squares {
    let mut rest = number;
    build_array(|index| {
        let square = rest % NUM_MOVER_SQUARES;
        rest /= NUM_MOVER_SQUARES;
        if index < stones { square as u8 } else { 0 }
    })
}

#[inline(always)]
fn tuple_number(squares: impl DoubleEndedIterator<Item = u8>) -> usize {
    squares.rev().fold(0, |number, square| {
        number * NUM_MOVER_SQUARES + usize::from(square)
    })
}

#[inline(always)]
fn map_square(square: u8, is_transposed: bool) -> u8 {
    if is_transposed {
        transpose(square)
    } else {
        square
    }
}

fn image_number(squares: &[u8], flags: u32) -> usize {
    let squares = squares
        .iter()
        .map(|&square| map_square(square, flags & 2 != 0));
    if flags & 1 != 0 {
        tuple_number(squares.rev())
    } else {
        tuple_number(squares)
    }
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MoverIndex {
    pub(super) row: usize,
    pub(super) reversed: bool,
    pub(super) transposed: bool,
    /// Bit set of squares that the other side cannot occupy: the mover's, and 0.
    occupied: u32,
}

impl MoverIndex {
    /// Rank in a row of `others` (mover's perspective), and whether their labels are reversed.
    #[inline(always)]
    pub(super) fn rank(&self, others: &[u8]) -> (usize, bool) {
        let free = 25 - self.occupied.count_ones();
        let among_free = |square: u8| {
            let square = map_square(square, self.transposed);
            u32::from(square) - (self.occupied & ((1 << square) - 1)).count_ones()
        };
        let first = among_free(others[0]);
        if others.len() == 1 {
            return (first as usize, false);
        }
        let last = among_free(others[others.len() - 1]);
        let (low, high) = (first.min(last), first.max(last));
        let mut rank = high * (high - 1) / 2 + low;
        let mut seen = [low, high, 0, 0, 0];
        let middle = others.len() - 2;
        for index in 0..middle {
            let rank_of_square = among_free(
                others[1 + if first < last {
                    index
                } else {
                    middle - 1 - index
                }],
            );
            let below = seen[..2 + index]
                .iter()
                .filter(|&&other| other < rank_of_square)
                .count() as u32;
            rank = rank * (free - 2 - index as u32) + rank_of_square - below;
            seen[2 + index] = rank_of_square;
        }
        (rank as usize, first > last)
    }
}

const fn num_other_tuples(free: usize, stones: usize) -> usize {
    let (mut ordered, mut placed) = (1, 0);
    while placed < stones {
        ordered *= free - placed;
        placed += 1;
    }
    if stones > 1 { ordered / 2 } else { ordered }
}

pub(super) struct Index {
    orbits: Vec<Orbits>,
}

impl std::fmt::Debug for Index {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Index(at most {} stones)", self.orbits.len() + 1)
    }
}

impl Index {
    pub(super) fn new(stones: usize) -> Self {
        Self {
            orbits: (1..stones).map(Orbits::new).collect(),
        }
    }

    #[inline(always)]
    pub(super) fn mover_index(&self, squares: &[u8]) -> MoverIndex {
        let entry = self.orbits[squares.len() - 1].entries[tuple_number(squares.iter().copied())];
        debug_assert_ne!(entry, INVALID_TUPLE);
        let (reversed, transpose) = (entry & 1 != 0, entry & 2 != 0);
        let occupied = squares.iter().fold(1, |occupied, &square| {
            occupied | 1 << map_square(square, transpose)
        });
        MoverIndex {
            row: (entry >> 2) as usize,
            reversed,
            transposed: transpose,
            occupied,
        }
    }

    pub(super) fn rows(&self, stones: usize) -> &[Squares] {
        &self.orbits[stones - 1].rows
    }

    /// Index of the first block of `row`; the number of blocks if `row` is the number of rows.
    #[inline]
    pub(super) fn first_block(&self, class: Class, row: usize) -> usize {
        let rows_without_zero = self.orbits[class.mover - 1].rows_without_zero;
        let narrow = num_other_tuples(24 - class.mover, class.other);
        row.min(rows_without_zero) * narrow
            + row.saturating_sub(rows_without_zero)
                * num_other_tuples(25 - class.mover, class.other)
    }

    pub(super) fn num_blocks(&self, class: Class) -> usize {
        self.first_block(class, self.rows(class.mover).len())
    }
}

/// One of each tuple and its reversal, in the mover's perspective.
pub(super) fn other_tuples(stones: usize) -> Vec<Squares> {
    let mut tuples = Vec::new();
    for code in 0..NUM_MOVER_SQUARES.pow(stones as u32) {
        let mut squares = tuple_squares(code, stones);
        if are_distinct(&squares[..stones]) && (stones == 1 || squares[0] < squares[stones - 1]) {
            squares[..stones].iter_mut().for_each(|square| *square += 1);
            tuples.push(squares);
        }
    }
    tuples
}

#[inline]
pub(super) fn steps_from_start(square: u8) -> usize {
    usize::from(square / 5 + square % 5)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_block_of_a_class_is_one_arrangement() {
        let index = Index::new(5);
        for class in Class::up_to(4) {
            let mut seen = vec![false; index.num_blocks(class)];
            let others = other_tuples(class.other);
            for (row, tuple) in index.rows(class.mover).iter().enumerate() {
                let movers = &tuple[..class.mover];
                let mover_index = index.mover_index(movers);
                assert_eq!(
                    (
                        mover_index.row,
                        mover_index.reversed,
                        mover_index.transposed
                    ),
                    (row, false, false)
                );
                for other in others.iter().filter(|other| {
                    other[..class.other]
                        .iter()
                        .all(|square| !movers.contains(square))
                }) {
                    let (rank, reversed) = mover_index.rank(&other[..class.other]);
                    let block = index.first_block(class, row) + rank;
                    assert!(
                        !reversed
                            && block < index.first_block(class, row + 1)
                            && !std::mem::replace(&mut seen[block], true)
                    );
                }
            }
            assert!(
                seen.into_iter().all(|seen| seen),
                "{class} has an index without a position"
            );
        }
    }

    #[test]
    fn sizes_are_those_that_were_counted_apart() {
        // Counted orbit by orbit by a program in another language.
        let index = Index::new(5);
        let size = |class: Class| index.num_blocks(class) * class.cells_per_block();
        let cells = |stones| Class::up_to(stones).into_iter().map(size).sum::<usize>();
        assert_eq!((cells(4), cells(5)), (10_551_513, 452_915_373));
    }
}
