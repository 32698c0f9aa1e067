//! Where a position stands in the tables: a dense index up to symmetry.
//!
//! A *class* is a number of stones of the mover and of the other side. Its positions stand in
//! *blocks*: one block for each arrangement of stones regardless of labels' gaps, holding the
//! values of all label patterns, the other side's pattern outside, the mover's inside. Blocks stand
//! in *rows*: one for each orbit of the mover's tuple of squares under transposition of the board
//! and reversal of labels, found in a table of all tuples. Within a row the other side's tuple,
//! read in the direction in which its first square is less than its last, is ranked among the
//! squares still free. So the eight symmetries (two reversals, one transposition) are used up, and
//! every index is a position.
//!
//! Squares are those of the mover's perspective. A mover's stone is never on 24, its goal, nor
//! another's on 0, theirs. Invariant: symmetric positions have the same index; the only other
//! positions that share values are those whose mover's tuple is its own image, where both images of
//! the other side are kept (3 % of five stones).

mod find;

use super::patterns::{MAX_TABLE_STONES, PATTERNS};
use crate::core::arrays::by_index;
use crate::games::einstein::symmetry::transposed;

/// The mover's goal; a square s of one side is GOAL − s for the other.
const GOAL: u8 = 24;

/// Squares a mover's stone can stand on.
const SQUARES: usize = 24;
/// A tuple with two stones on one square.
const NO_TUPLE: u32 = u32::MAX;

/// Squares of one side's stones in the order of labels; only the first few count.
pub(super) type Squares = [u8; MAX_TABLE_STONES];

/// Numbers of stones of the mover and of the other side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Class {
    /// Stones of the side to move, 1 to 5.
    pub mover: usize,
    /// Stones of the other side, 1 to 5.
    pub other: usize,
}

impl Class {
    /// The class after a move without a capture.
    pub(super) fn swapped(self) -> Self {
        Self {
            mover: self.other,
            other: self.mover,
        }
    }

    /// Stones in all.
    #[must_use]
    pub fn stones(self) -> usize {
        self.mover + self.other
    }

    /// The class, and the one with the sides exchanged if it differs.
    pub(super) fn both(self) -> Vec<Self> {
        let mut both = vec![self, self.swapped()];
        both.dedup();
        both
    }

    /// Values in a block.
    pub(super) fn block(self) -> usize {
        PATTERNS[self.mover] * PATTERNS[self.other]
    }

    /// All classes of at most `stones` stones, by number of stones; a class and the one with the
    /// sides exchanged are neighbours.
    #[must_use]
    pub fn up_to(stones: usize) -> Vec<Self> {
        Self::firsts_up_to(stones).flat_map(Self::both).collect()
    }

    /// The first of each pair of classes with the sides exchanged.
    pub(super) fn firsts_up_to(stones: usize) -> impl Iterator<Item = Self> {
        (2..=stones).flat_map(|stones| {
            (1..=stones / 2).map(move |mover| Self {
                mover,
                other: stones - mover,
            })
        })
    }
}

/// Runs an expression with the numbers of stones of a class as constants, which gives loops over
/// stones and patterns constant lengths.
macro_rules! with_class {
    ($class:expr, $own:ident, $enemy:ident => $body:expr) => {
        with_class!(@ $class, $own, $enemy, $body,
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
pub(super) use with_class;

impl std::fmt::Display for Class {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}v{}", self.mover, self.other)
    }
}

/// Orbits of one side's tuples of `stones` squares.
struct Orbits {
    /// For each tuple, as a number to the base 24: its row, and in bits 1 and 0 whether
    /// transposition and reversal lead to the row's own tuple.
    entries: Vec<u32>,
    /// Tuple of each row.
    rows: Vec<Squares>,
    /// Number of rows whose tuple does not contain square 0; they come first.
    plain: usize,
}

impl Orbits {
    fn new(stones: usize) -> Self {
        let mut entries = vec![NO_TUPLE; SQUARES.pow(stones as u32)];
        let mut rows = Vec::new();
        let mut plain = 0;
        for with_zero in [false, true] {
            for number in 0..entries.len() {
                let tuple = tuple(number, stones);
                let squares = &tuple[..stones];
                if !are_distinct(squares) || squares.contains(&0) != with_zero {
                    continue;
                }
                // The smallest number of an orbit makes the row.
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
                plain = rows.len();
            }
        }
        Self {
            entries,
            rows,
            plain,
        }
    }
}

/// Set of squares, one bit each.
#[inline]
pub(super) fn occupied(squares: &[u8]) -> u32 {
    squares
        .iter()
        .fold(0, |occupied, square| occupied | 1 << square)
}

fn are_distinct(squares: &[u8]) -> bool {
    occupied(squares).count_ones() as usize == squares.len()
}

fn tuple(number: usize, stones: usize) -> Squares {
    let mut rest = number;
    by_index(|index| {
        let square = rest % SQUARES;
        rest /= SQUARES;
        if index < stones { square as u8 } else { 0 }
    })
}

#[inline(always)]
fn number(squares: impl DoubleEndedIterator<Item = u8>) -> usize {
    squares
        .rev()
        .fold(0, |number, square| number * SQUARES + usize::from(square))
}

/// Square on a board that may be transposed.
#[inline(always)]
fn seen(square: u8, is_transposed: bool) -> u8 {
    if is_transposed {
        transposed(square)
    } else {
        square
    }
}

/// Number of a tuple transposed (bit 1 of `flags`) and reversed (bit 0).
fn image_number(squares: &[u8], flags: u32) -> usize {
    let squares = squares.iter().map(|&square| seen(square, flags & 2 != 0));
    if flags & 1 != 0 {
        number(squares.rev())
    } else {
        number(squares)
    }
}

/// The mover's part of an index.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Anchor {
    pub(super) row: usize,
    /// Whether the row has the mover's labels reversed.
    pub(super) reversed: bool,
    /// Whether the row has the board transposed.
    pub(super) transposed: bool,
    /// Squares that no stone of the other side can be on: those of the mover's stones, and 0.
    occupied: u32,
}

impl Anchor {
    /// Rank of the other side in the row, and whether its labels are reversed there; `others` are
    /// its squares in the mover's perspective, in the order of labels.
    #[inline(always)]
    pub(super) fn rank(&self, others: &[u8]) -> (usize, bool) {
        let free = 25 - self.occupied.count_ones();
        let among_free = |square: u8| {
            let square = seen(square, self.transposed);
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

/// Number of arrangements of `stones` other stones on `free` squares, up to reversal.
const fn width(free: usize, stones: usize) -> usize {
    let (mut ordered, mut placed) = (1, 0);
    while placed < stones {
        ordered *= free - placed;
        placed += 1;
    }
    if stones > 1 { ordered / 2 } else { ordered }
}

/// Index of all classes of at most some number of stones.
pub(super) struct Index {
    /// By the number of stones minus one.
    orbits: Vec<Orbits>,
}

impl std::fmt::Debug for Index {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Index(at most {} stones)", self.orbits.len() + 1)
    }
}

impl Index {
    /// Index of classes of at most `stones` stones, 2 to 6.
    pub(super) fn new(stones: usize) -> Self {
        Self {
            orbits: (1..stones).map(Orbits::new).collect(),
        }
    }

    /// The mover's part of the index, for distinct squares in the order of labels.
    #[inline(always)]
    pub(super) fn anchor(&self, squares: &[u8]) -> Anchor {
        let entry = self.orbits[squares.len() - 1].entries[number(squares.iter().copied())];
        debug_assert_ne!(entry, NO_TUPLE);
        let (reversed, transpose) = (entry & 1 != 0, entry & 2 != 0);
        let occupied = squares.iter().fold(1, |occupied, &square| {
            occupied | 1 << seen(square, transpose)
        });
        Anchor {
            row: (entry >> 2) as usize,
            reversed,
            transposed: transpose,
            occupied,
        }
    }

    /// Tuple of each row of movers with `stones` stones.
    pub(super) fn rows(&self, stones: usize) -> &[Squares] {
        &self.orbits[stones - 1].rows
    }

    /// First block of a row; for the number of rows, the number of blocks.
    #[inline]
    pub(super) fn first_block(&self, class: Class, row: usize) -> usize {
        let plain = self.orbits[class.mover - 1].plain;
        let narrow = width(24 - class.mover, class.other);
        row.min(plain) * narrow + row.saturating_sub(plain) * width(25 - class.mover, class.other)
    }

    pub(super) fn blocks(&self, class: Class) -> usize {
        self.first_block(class, self.rows(class.mover).len())
    }
}

/// All tuples of `stones` squares of the other side (without 0), first less than last, in the
/// mover's perspective and in the order of numbers.
pub(super) fn other_tuples(stones: usize) -> Vec<Squares> {
    let mut tuples = Vec::new();
    for code in 0..SQUARES.pow(stones as u32) {
        let mut squares = tuple(code, stones);
        if are_distinct(&squares[..stones]) && (stones == 1 || squares[0] < squares[stones - 1]) {
            squares[..stones].iter_mut().for_each(|square| *square += 1);
            tuples.push(squares);
        }
    }
    tuples
}

/// Steps of a stone from its start corner, 0 to 8, in its own perspective.
#[inline]
pub(super) fn progress(square: u8) -> usize {
    usize::from(square / 5 + square % 5)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_block_of_a_class_is_one_arrangement() {
        let index = Index::new(5);
        for class in Class::up_to(4) {
            let mut seen = vec![false; index.blocks(class)];
            let others = other_tuples(class.other);
            for (row, tuple) in index.rows(class.mover).iter().enumerate() {
                let movers = &tuple[..class.mover];
                let anchor = index.anchor(movers);
                assert_eq!(
                    (anchor.row, anchor.reversed, anchor.transposed),
                    (row, false, false)
                );
                for other in others.iter().filter(|other| {
                    other[..class.other]
                        .iter()
                        .all(|square| !movers.contains(square))
                }) {
                    let (rank, reversed) = anchor.rank(&other[..class.other]);
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
        // Counts of an independent program, orbit by orbit.
        let index = Index::new(5);
        let size = |class: Class| index.blocks(class) * class.block();
        let cells = |stones| Class::up_to(stones).into_iter().map(size).sum::<usize>();
        assert_eq!((cells(4), cells(5)), (10_551_513, 452_915_373));
    }
}
