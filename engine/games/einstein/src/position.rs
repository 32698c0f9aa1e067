//! Moves, and positions in 61 bits: six five-bit lanes per side, the side to move in the low half,
//! with each stone's square in its owner's perspective (31 = gone); bit 60 is the seat to move.

use super::playout::SplitMix64;
use alea_core::arrays::build_array;

/// Most stones per side.
pub const MAX_STONES: usize = 6;

/// The square of a captured stone.
pub const GONE: u8 = 31;

const LANE_BITS: u32 = 5;
const ALL_LANES: u32 = (1 << (LANE_BITS * MAX_STONES as u32)) - 1;
const LANE_LOW_BITS: u32 = 0x0210_8421;
const LANE_HIGH_BITS: u32 = LANE_LOW_BITS << (LANE_BITS - 1);
const SEAT_BIT: u32 = 60;

/// The squares of one side's stones, in its own perspective.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Side(u32);

impl Side {
    /// A side without living stones.
    pub const EMPTY: Self = Self(ALL_LANES);

    /// A side whose stone `i` is on `squares[i]` or [`GONE`].
    pub fn new(squares: [u8; MAX_STONES]) -> Self {
        Self(squares.iter().rev().fold(0, |lanes, &square| {
            lanes << LANE_BITS | u32::from(square & 31)
        }))
    }

    /// A stone's square; [`GONE`] if captured.
    #[inline]
    pub fn square(self, stone: usize) -> u8 {
        (self.0 >> (LANE_BITS * stone as u32) & 31) as u8
    }

    /// The stones' squares; [`GONE`] if captured.
    #[inline]
    pub fn squares(self) -> [u8; MAX_STONES] {
        build_array(|stone| self.square(stone))
    }

    /// For stones 2i and 2i + 1: the first's square plus 32 times the second's.
    #[inline]
    pub(super) fn square_pairs(self) -> [usize; MAX_STONES / 2] {
        build_array(|pair| {
            (self.0 >> (2 * LANE_BITS * pair as u32)) as usize % (1 << (2 * LANE_BITS))
        })
    }

    /// Replaces each of [`Self::square_pairs`] by its entry in `squares`.
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

    /// Six bits for the index in a small cache.
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

    /// Whether a stone stands on `square`.
    #[inline]
    pub fn occupies(self, square: u8) -> bool {
        self.lanes_other_than(square) != LANE_HIGH_BITS
    }

    /// Bit set of the occupied squares, and bit 31 if a stone is gone.
    #[inline]
    pub fn occupied_squares(self) -> u32 {
        (0..MAX_STONES).fold(0, |occupied, stone| occupied | 1 << self.square(stone))
    }

    /// The stone (from 0) on `square`.
    #[inline]
    pub fn stone_on(self, square: u8) -> Option<usize> {
        let equal = !self.lanes_other_than(square) & LANE_HIGH_BITS;
        (equal != 0).then(|| (equal.trailing_zeros() / LANE_BITS) as usize)
    }

    /// This side with any stone on `square` captured.
    #[must_use]
    #[inline]
    pub fn without_stone_on(self, square: u8) -> Self {
        let equal = !self.lanes_other_than(square) & LANE_HIGH_BITS;
        Self(self.0 | ((equal >> (LANE_BITS - 1)) * 31))
    }

    /// This side with `stone` moved to `square`.
    #[must_use]
    #[inline]
    pub fn with_stone_on(self, stone: usize, square: u8) -> Self {
        let shift = LANE_BITS * stone as u32;
        Self(self.0 & !(31 << shift) | u32::from(square & 31) << shift)
    }

    /// This side with only the stones before `stone`.
    #[must_use]
    #[inline]
    pub fn stones_below(self, stone: usize) -> Self {
        Self(self.0 | ALL_LANES & ALL_LANES << (LANE_BITS * stone as u32))
    }

    /// The highest bits of stones elsewhere than on `square`. No carry leaves a lane.
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
    /// A position from the side to move, the other side, and the seat to move.
    #[inline]
    pub fn new(mover: Side, other: Side, seat: usize) -> Self {
        Self(u64::from(mover.0) | u64::from(other.0) << 30 | (seat as u64) << SEAT_BIT)
    }

    /// Stones of the side to move.
    #[inline]
    pub fn mover(&self) -> Side {
        Side(self.0 as u32 & ALL_LANES)
    }

    /// Stones of the side that moved last.
    #[inline]
    pub fn other(&self) -> Side {
        Side((self.0 >> 30) as u32 & ALL_LANES)
    }

    /// The seat to move, 0 or 1.
    #[inline]
    pub fn seat(&self) -> usize {
        (self.0 >> SEAT_BIT) as usize
    }

    /// Stones of a seat.
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

    /// Number of both sides' stones.
    #[inline]
    pub fn num_stones(&self) -> u32 {
        self.mover().num_stones() + self.other().num_stones()
    }

    /// The packed form, also used in game records.
    #[inline]
    pub fn bits(&self) -> u64 {
        self.0
    }

    /// Unpacks a position; `None` unless stones stand on distinct squares below `squares` and bits
    /// above 60 are 0.
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

    /// Hash key: a bijection of the packed form (SplitMix64).
    #[inline]
    pub fn key(&self) -> u64 {
        SplitMix64::new(self.0).next_u64()
    }

    /// The position after a step with any capture; `destination_of_other` is in the other side's
    /// perspective.
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

/// A stone (from 0) and its direction (0 diagonal, 1 sideways, 2 forward, for the mover).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Move(u8);

impl Move {
    /// The move of a stone, 0–5, in a direction, 0–2.
    #[inline]
    pub fn new(stone: u8, direction: u8) -> Self {
        Self(stone * 3 + direction)
    }

    /// Stone · 3 + direction: 0–17.
    #[inline]
    pub fn number(self) -> u8 {
        self.0
    }

    /// The stone, from 0.
    #[inline]
    pub fn stone(self) -> usize {
        usize::from(self.0 / 3)
    }

    /// 0 diagonal, 1 sideways, 2 forward, for the mover.
    #[inline]
    pub fn direction(self) -> usize {
        usize::from(self.0 % 3)
    }
}
