//! Moves, and positions packed in 61 bits: the squares of the side to move in six fields of five
//! bits, those of the other side from bit 30, and the seat to move in bit 60. Squares are in their
//! owner's perspective; 31 is a captured stone.

use super::playout::SplitMix64;
use alea_core::arrays::build_array;

/// Maximum number of stones per side.
pub const MAX_STONES: usize = 6;

/// Square number of captured stones.
pub const GONE: u8 = 31;

const LANE_BITS: u32 = 5;
const ALL_LANES: u32 = (1 << (LANE_BITS * MAX_STONES as u32)) - 1;
const LANE_LOW_BITS: u32 = 0x0210_8421;
const LANE_HIGH_BITS: u32 = LANE_LOW_BITS << (LANE_BITS - 1);
const SEAT_BIT: u32 = 60;

/// One side's six stones: the square of each, in that side's perspective.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Side(u32);

impl Side {
    /// A side whose stones are all captured.
    pub const EMPTY: Self = Self(ALL_LANES);

    /// A side whose stone `i` (from 0) is on `squares[i]`; [`GONE`] if captured.
    pub fn new(squares: [u8; MAX_STONES]) -> Self {
        Self(squares.iter().rev().fold(0, |lanes, &square| {
            lanes << LANE_BITS | u32::from(square & 31)
        }))
    }

    /// Square of stone `stone` (from 0); [`GONE`] if captured.
    #[inline]
    pub fn square(self, stone: usize) -> u8 {
        (self.0 >> (LANE_BITS * stone as u32) & 31) as u8
    }

    /// Squares of stones 0–5; [`GONE`] if captured.
    #[inline]
    pub fn squares(self) -> [u8; MAX_STONES] {
        build_array(|stone| self.square(stone))
    }

    /// Entry i: the square of stone 2i plus 32 times that of stone 2i + 1.
    #[inline]
    pub(super) fn square_pairs(self) -> [usize; MAX_STONES / 2] {
        build_array(|pair| {
            (self.0 >> (2 * LANE_BITS * pair as u32)) as usize % (1 << (2 * LANE_BITS))
        })
    }

    /// Replaces each pair p of [`Self::square_pairs`] by `squares[p]`.
    #[inline]
    pub(super) fn map_squares(self, squares: &[u16; 1 << (2 * LANE_BITS)]) -> Self {
        let pair = |pair: u32| {
            let shift = 2 * LANE_BITS * pair;
            u32::from(squares[(self.0 >> shift) as usize % squares.len()]) << shift
        };
        Self(pair(0) | pair(1) | pair(2))
    }

    /// This side with stone `i` on the square of stone `5 - i`.
    #[inline]
    pub(super) fn reverse_labels(self) -> Self {
        let exchanged = |near: u32, far: u32| {
            let (near, far) = (LANE_BITS * near, LANE_BITS * far);
            (self.0 >> far & 31) << near | (self.0 >> near & 31) << far
        };
        Self(exchanged(0, 5) | exchanged(1, 4) | exchanged(2, 3))
    }

    /// Bit set of the living stones (bit i = stone i).
    #[inline]
    pub fn living_set(self) -> u8 {
        // Gathers one bit of every five, three at a time.
        let bits = u64::from(self.lanes_other_than(GONE) >> (LANE_BITS - 1));
        let low = bits & 0x421;
        let high = bits >> 15;
        ((low | low >> 4 | low >> 8) & 7 | ((high | high >> 4 | high >> 8) & 7) << 3) as u8
    }

    #[inline]
    pub(crate) fn hash(self) -> u32 {
        self.0.wrapping_mul(0x9E37_79B9) >> 26
    }

    /// Number of living stones.
    #[inline]
    pub fn num_stones(self) -> u32 {
        self.lanes_other_than(GONE).count_ones()
    }

    /// Whether all stones are captured.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.0 == ALL_LANES
    }

    /// Whether a stone of this side is on `square`.
    #[inline]
    pub fn occupies(self, square: u8) -> bool {
        self.lanes_other_than(square) != LANE_HIGH_BITS
    }

    /// Bit set of the squares that this side occupies, with bit 31 if any stone is captured.
    #[inline]
    pub fn occupied_squares(self) -> u32 {
        (0..MAX_STONES).fold(0, |occupied, stone| occupied | 1 << self.square(stone))
    }

    /// Number of the stone (from 0) on `square`; `None` without one.
    #[inline]
    pub fn stone_on(self, square: u8) -> Option<usize> {
        let equal = !self.lanes_other_than(square) & LANE_HIGH_BITS;
        (equal != 0).then(|| (equal.trailing_zeros() / LANE_BITS) as usize)
    }

    /// This side after the capture of its stone on `square`, if any.
    #[must_use]
    #[inline]
    pub fn without_stone_on(self, square: u8) -> Self {
        let equal = !self.lanes_other_than(square) & LANE_HIGH_BITS;
        Self(self.0 | ((equal >> (LANE_BITS - 1)) * 31))
    }

    /// This side with stone `stone` (from 0) on `square`; captures nothing there.
    #[must_use]
    #[inline]
    pub fn with_stone_on(self, stone: usize, square: u8) -> Self {
        let shift = LANE_BITS * stone as u32;
        Self(self.0 & !(31 << shift) | u32::from(square & 31) << shift)
    }

    /// This side with stones `stone` and above captured.
    #[must_use]
    #[inline]
    pub fn stones_below(self, stone: usize) -> Self {
        Self(self.0 | ALL_LANES & ALL_LANES << (LANE_BITS * stone as u32))
    }

    /// High bits of the fields of stones not on `square`; no carry leaves a field.
    #[inline]
    fn lanes_other_than(self, square: u8) -> u32 {
        let difference = self.0 ^ (u32::from(square) * LANE_LOW_BITS);
        const LOW_FOUR_BITS: u32 = LANE_LOW_BITS * 15;
        (((difference & LOW_FOUR_BITS) + LOW_FOUR_BITS) | difference) & LANE_HIGH_BITS
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
    /// Position by the side to move, the other side, and the seat to move.
    #[inline]
    pub fn new(mover: Side, other: Side, seat: usize) -> Self {
        Self(u64::from(mover.0) | u64::from(other.0) << 30 | (seat as u64) << SEAT_BIT)
    }

    /// Stones of the side to move.
    #[inline]
    pub fn mover(&self) -> Side {
        Side(self.0 as u32 & ALL_LANES)
    }

    /// Stones of the side that is not to move.
    #[inline]
    pub fn other(&self) -> Side {
        Side((self.0 >> 30) as u32 & ALL_LANES)
    }

    /// The seat to move, 0 or 1.
    #[inline]
    pub fn seat(&self) -> usize {
        (self.0 >> SEAT_BIT) as usize
    }

    /// Stones of seat `seat`.
    pub fn side(&self, seat: usize) -> Side {
        if seat == self.seat() {
            self.mover()
        } else {
            self.other()
        }
    }

    /// The same board with the other side to move.
    #[inline]
    pub fn pass_turn(&self) -> Self {
        Self::new(self.other(), self.mover(), 1 - self.seat())
    }

    /// Number of both sides' living stones.
    #[inline]
    pub fn num_stones(&self) -> u32 {
        self.mover().num_stones() + self.other().num_stones()
    }

    /// The packed position, as in game records; see [`crate::position`].
    #[inline]
    pub fn bits(&self) -> u64 {
        self.0
    }

    /// Inverse of [`Self::bits`]; `None` unless living stones are on distinct squares below
    /// `squares` and bits above 60 are 0.
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

    /// Hash key: SplitMix64 of [`Self::bits`], a bijection, so keys never collide.
    #[inline]
    pub fn key(&self) -> u64 {
        SplitMix64::new(self.0).next_u64()
    }

    /// `stone` steps to `destination`, which is `destination_of_other` in the other side's
    /// perspective, and captures any stone there.
    #[inline]
    pub(super) fn after_step(
        &self,
        stone: usize,
        destination: u8,
        destination_of_other: u8,
    ) -> Self {
        let moved = self
            .mover()
            .without_stone_on(destination)
            .with_stone_on(stone, destination);
        Self::new(
            self.other().without_stone_on(destination_of_other),
            moved,
            1 - self.seat(),
        )
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

/// A stone, 0–5, and the direction of its step, 0–2.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Move(u8);

impl Move {
    /// Move of a stone, 0–5, in a [`Self::direction`], 0–2.
    #[inline]
    pub fn new(stone: u8, direction: u8) -> Self {
        Self(stone * 3 + direction)
    }

    /// Index of the move: 3 · stone + direction, 0–17.
    #[inline]
    pub fn number(self) -> u8 {
        self.0
    }

    /// The moving stone, 0–5.
    #[inline]
    pub fn stone(self) -> usize {
        usize::from(self.0 / 3)
    }

    /// Direction, seen from home: 0 diagonal, 1 sideways (next column), 2 forward (next row).
    #[inline]
    pub fn direction(self) -> usize {
        usize::from(self.0 % 3)
    }
}
