//! A position of EinStein würfelt nicht in 61 bits, and its moves.
//!
//! Two sides of six five-bit lanes (the square of each stone in its owner's perspective, 31 =
//! gone), the side to move in the low half, and one bit for the seat to move. Captures are found by
//! comparing all six lanes of a side at once.

use super::playout::SmallRandom;
use crate::core::arrays::by_index;

/// Maximum stones of a side.
pub const MAX_STONES: usize = 6;

/// The square of a stone that has been captured.
pub const GONE: u8 = 31;

const LANE_BITS: u32 = 5;
const ALL_LANES: u32 = (1 << (LANE_BITS * MAX_STONES as u32)) - 1;
/// Lowest, and highest, bit of each lane.
const LOW_BITS: u32 = 0x0210_8421;
const HIGH_BITS: u32 = LOW_BITS << (LANE_BITS - 1);
const SEAT_BIT: u32 = 60;

/// The six stones of one side, in its own perspective.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Side(u32);

impl Side {
    /// No stones.
    pub const EMPTY: Self = Self(ALL_LANES);

    /// Stone `i` (from 0) on `squares[i]`, or [`GONE`].
    #[must_use]
    pub fn new(squares: [u8; MAX_STONES]) -> Self {
        Self(squares.iter().rev().fold(0, |lanes, &square| {
            lanes << LANE_BITS | u32::from(square & 31)
        }))
    }

    /// The square of a stone (from 0), or [`GONE`].
    #[must_use]
    #[inline]
    pub fn square(self, stone: usize) -> u8 {
        (self.0 >> (LANE_BITS * stone as u32) & 31) as u8
    }

    /// The squares of all stones.
    #[must_use]
    #[inline]
    pub fn squares(self) -> [u8; MAX_STONES] {
        by_index(|stone| self.square(stone))
    }

    /// Squares of two stones each: that of stone 2 i, plus 32 times that of the next one.
    #[inline]
    pub(super) fn in_pairs(self) -> [usize; MAX_STONES / 2] {
        by_index(|pair| (self.0 >> (2 * LANE_BITS * pair as u32)) as usize % (1 << (2 * LANE_BITS)))
    }

    /// The side with each square replaced by a table: `squares` has those of two stones at the
    /// index of [`Self::in_pairs`].
    #[inline]
    pub(super) fn mapped(self, squares: &[u16; 1 << (2 * LANE_BITS)]) -> Self {
        let pair = |pair: u32| {
            let shift = 2 * LANE_BITS * pair;
            u32::from(squares[(self.0 >> shift) as usize % squares.len()]) << shift
        };
        Self(pair(0) | pair(1) | pair(2))
    }

    /// The same squares in reverse order of stones.
    #[inline]
    pub(super) fn reversed(self) -> Self {
        let exchanged = |near: u32, far: u32| {
            let (near, far) = (LANE_BITS * near, LANE_BITS * far);
            (self.0 >> far & 31) << near | (self.0 >> near & 31) << far
        };
        Self(exchanged(0, 5) | exchanged(1, 4) | exchanged(2, 3))
    }

    /// One bit a living stone.
    #[must_use]
    #[inline]
    pub fn alive(self) -> u8 {
        // One bit every five positions, at 0, 5, …, 25: gathered three at a time.
        let bits = u64::from(self.lanes_other_than(GONE) >> (LANE_BITS - 1));
        let low = bits & 0x421;
        let high = bits >> 15;
        // Shifts by 0, -4 and -8 bring bits 0, 5, 10 to 0, 1, 2.
        ((low | low >> 4 | low >> 8) & 7 | ((high | high >> 4 | high >> 8) & 7) << 3) as u8
    }

    /// How many stones are alive.
    #[must_use]
    #[inline]
    pub fn count(self) -> u32 {
        self.lanes_other_than(GONE).count_ones()
    }

    /// Whether no stone is left.
    #[must_use]
    #[inline]
    pub fn is_empty(self) -> bool {
        self.0 == ALL_LANES
    }

    /// Whether a stone stands on `square`.
    #[must_use]
    #[inline]
    pub fn occupies(self, square: u8) -> bool {
        self.lanes_other_than(square) != HIGH_BITS
    }

    /// Squares of the stones, one bit a square; bit 31 is set if a stone is gone.
    #[must_use]
    #[inline]
    pub fn occupied_squares(self) -> u32 {
        (0..MAX_STONES).fold(0, |occupied, stone| occupied | 1 << self.square(stone))
    }

    /// The stone (from 0) on `square`.
    #[must_use]
    #[inline]
    pub fn stone_on(self, square: u8) -> Option<usize> {
        let equal = !self.lanes_other_than(square) & HIGH_BITS;
        (equal != 0).then(|| (equal.trailing_zeros() / LANE_BITS) as usize)
    }

    /// The side without the stone on `square`, if there is one.
    #[must_use]
    #[inline]
    pub fn without(self, square: u8) -> Self {
        let equal = !self.lanes_other_than(square) & HIGH_BITS;
        Self(self.0 | ((equal >> (LANE_BITS - 1)) * 31))
    }

    /// The side with a stone on another square.
    #[must_use]
    #[inline]
    pub fn with(self, stone: usize, square: u8) -> Self {
        let shift = LANE_BITS * stone as u32;
        Self(self.0 & !(31 << shift) | u32::from(square & 31) << shift)
    }

    /// Stones below `stone` (from 0); the others are gone.
    #[must_use]
    #[inline]
    pub fn before(self, stone: usize) -> Self {
        Self(self.0 | ALL_LANES & ALL_LANES << (LANE_BITS * stone as u32))
    }

    /// Highest bit of every lane that does not contain `square`. Exact: no carry leaves a lane.
    #[inline]
    fn lanes_other_than(self, square: u8) -> u32 {
        let difference = self.0 ^ (u32::from(square) * LOW_BITS);
        const LOWER: u32 = LOW_BITS * 15;
        (((difference & LOWER) + LOWER) | difference) & HIGH_BITS
    }
}

impl std::fmt::Debug for Side {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_list().entries(self.squares()).finish()
    }
}

/// A position before the roll.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Position(u64);

impl Position {
    /// A position from the side to move, the other side, and the seat (0 or 1) to move.
    #[must_use]
    #[inline]
    pub fn new(mover: Side, other: Side, seat: usize) -> Self {
        Self(u64::from(mover.0) | u64::from(other.0) << 30 | (seat as u64) << SEAT_BIT)
    }

    /// The side to move.
    #[must_use]
    #[inline]
    pub fn mover(&self) -> Side {
        Side(self.0 as u32 & ALL_LANES)
    }

    /// The side that moved last.
    #[must_use]
    #[inline]
    pub fn other(&self) -> Side {
        Side((self.0 >> 30) as u32 & ALL_LANES)
    }

    /// The seat to move.
    #[must_use]
    #[inline]
    pub fn seat(&self) -> usize {
        (self.0 >> SEAT_BIT) as usize
    }

    /// The side of a seat.
    #[must_use]
    pub fn side(&self, seat: usize) -> Side {
        if seat == self.seat() {
            self.mover()
        } else {
            self.other()
        }
    }

    /// The same board with the other side to move.
    #[must_use]
    #[inline]
    pub fn passed(&self) -> Self {
        Self::new(self.other(), self.mover(), 1 - self.seat())
    }

    /// Stones on the board.
    #[must_use]
    #[inline]
    pub fn stones(&self) -> u32 {
        self.mover().count() + self.other().count()
    }

    /// Packed form, for records.
    #[must_use]
    #[inline]
    pub fn bits(&self) -> u64 {
        self.0
    }

    /// Position of a valid packed form: no two stones of a side on one square, no stones of both
    /// sides on one square, squares on a board of `squares` squares.
    #[must_use]
    pub fn from_bits(bits: u64, squares: u8) -> Option<Self> {
        let position = Self(bits);
        let mut occupied = 0u32;
        for (side, is_flipped) in [(position.mover(), false), (position.other(), true)] {
            for square in side.squares().into_iter().filter(|&square| square != GONE) {
                if square >= squares {
                    return None;
                }
                let bit = 1
                    << if is_flipped {
                        squares - 1 - square
                    } else {
                        square
                    };
                if occupied & bit != 0 {
                    return None;
                }
                occupied |= bit;
            }
        }
        (bits >> (SEAT_BIT + 1) == 0).then_some(position)
    }

    /// A key that is a bijection of the packed form, mixed so that any of its bits may index a
    /// table (SplitMix64: Steele, Lea and Flood 2014, variant 13 of Stafford).
    #[must_use]
    #[inline]
    pub fn key(&self) -> u64 {
        SmallRandom::new(self.0).next_u64()
    }

    /// Position after `stone` moved to `destination` (`seen_by_other` in the other side's
    /// perspective) and captured its occupant.
    #[inline]
    pub(super) fn after(&self, stone: usize, destination: u8, seen_by_other: u8) -> Self {
        let moved = self.mover().without(destination).with(stone, destination);
        Self::new(self.other().without(seen_by_other), moved, 1 - self.seat())
    }
}

impl std::fmt::Debug for Position {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            formatter,
            "Position(mover {:?}, other {:?}, seat {})",
            self.mover(),
            self.other(),
            self.seat()
        )
    }
}

/// A move: which stone (from 0) takes which step (0 diagonal, 1 sideways, 2 forward, in the mover's
/// perspective).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Move(u8);

impl Move {
    /// A move of `stone` (0–5) in `direction` (0–2).
    #[must_use]
    #[inline]
    pub fn new(stone: u8, direction: u8) -> Self {
        Self(stone * 3 + direction)
    }

    /// Stone · 3 + direction, 0–17.
    #[must_use]
    #[inline]
    pub fn number(self) -> u8 {
        self.0
    }

    /// The stone, from 0.
    #[must_use]
    #[inline]
    pub fn stone(self) -> usize {
        usize::from(self.0 / 3)
    }

    /// The step: 0 diagonal, 1 sideways, 2 forward.
    #[must_use]
    #[inline]
    pub fn direction(self) -> usize {
        usize::from(self.0 % 3)
    }
}
