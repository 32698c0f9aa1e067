//! Queue of starts for games in lockstep.
//!
//! Random set-ups: the side that begins takes the 720 arrangements in a random order; the other
//! side reads the same ring at a random distance, new for every round. So both are uniform and
//! independent of each other in each game, without cost a game. Invariant: [`LANES`] starts can be
//! read from any cursor without wrapping.

use super::LANES;
use crate::core::arrays::{by_index, each};
use crate::core::random::RandomStream;
use crate::games::einstein::{GONE, MAX_STONES, Position, Standard, position::Side, setup::SETUPS};

/// The ring twice, and a margin for reads past its end.
const LENGTH: usize = 2 * SETUPS + LANES;

pub(super) const GONE_BYTE: u8 = 0xFF;

/// Arrangements: for each stone its squares in its owner's perspective.
struct Ring {
    /// For vectors: `stones[stone][index]`.
    stones: Box<[[u8; LENGTH]; MAX_STONES]>,
    /// For one game: byte `stone` is its square, the two highest bytes are gone.
    packed: Box<[u64; LENGTH]>,
}

impl Ring {
    fn new() -> Self {
        Self {
            stones: Box::new([[GONE_BYTE; LENGTH]; MAX_STONES]),
            packed: Box::new([!0; LENGTH]),
        }
    }

    fn set(&mut self, index: usize, squares: [u8; MAX_STONES]) {
        let mut packed = !0u64;
        for (stone, square) in squares.into_iter().enumerate() {
            let byte = if square == GONE { GONE_BYTE } else { square };
            self.stones[stone][index] = byte;
            packed = packed & !(0xFF << (8 * stone)) | u64::from(byte) << (8 * stone);
        }
        self.packed[index] = packed;
    }
}

pub(super) struct Starts {
    setups: Ring,
    /// A single position: the side that begins at 0, the other at [`LANES`].
    one: Ring,
    /// Which of the two is in use, and each side's living stones and those with only one step,
    /// equal for all starts.
    from_setups: bool,
    pub(super) alive: [u8; 2],
    pub(super) edge: [u8; 2],
    cursor: usize,
    distance: usize,
}

impl Starts {
    /// Set-ups in an order that `stream` shuffles.
    pub(super) fn new(game: &Standard, stream: &mut RandomStream) -> Self {
        let mut squares: Vec<_> = (0..SETUPS)
            .map(|setup| game.side_of(setup).squares())
            .collect();
        stream.shuffle(&mut squares);
        let mut setups = Ring::new();
        for (index, squares) in squares.iter().cycle().take(LENGTH).enumerate() {
            setups.set(index, *squares);
        }
        let mut starts = Self {
            setups,
            one: Ring::new(),
            from_setups: true,
            alive: [0; 2],
            edge: [0; 2],
            cursor: 0,
            distance: stream.below(SETUPS),
        };
        starts.describe(&game.start([0, 0], 0));
        starts
    }

    /// Switches to random set-ups.
    pub(super) fn random_setups(&mut self) {
        if !self.from_setups {
            self.from_setups = true;
            let squares = |index: usize| by_index(|stone| self.setups.stones[stone][index]);
            let side = Side::new(squares(0));
            self.describe(&Position::new(side, side, 0));
        }
    }

    /// Switches to one position.
    pub(super) fn position(&mut self, position: &Position) {
        self.from_setups = false;
        for index in 0..LANES {
            self.one.set(index, position.mover().squares());
            self.one.set(LANES + index, position.other().squares());
        }
        self.describe(position);
    }

    fn describe(&mut self, position: &Position) {
        let sides = [position.mover(), position.other()];
        self.alive = each(sides, |side| side.alive());
        self.edge = each(sides, |side| {
            let on_edge = |stone: &usize| Standard::mobility_from(side.square(*stone)) == 1;
            (0..MAX_STONES)
                .filter(on_edge)
                .fold(0, |edge, stone| edge | 1 << stone)
        });
    }

    fn offsets(&self) -> (&Ring, [usize; 2]) {
        if self.from_setups {
            (&self.setups, [self.cursor, self.cursor + self.distance])
        } else {
            (&self.one, [0, LANES])
        }
    }

    /// Next starts, as many as lanes: for each side, from the side that begins, for each stone its
    /// squares.
    #[inline]
    pub(super) fn stones(&self) -> [[&[u8; LANES]; MAX_STONES]; 2] {
        let (ring, offsets) = self.offsets();
        let mut stones = [[&[GONE_BYTE; LANES]; MAX_STONES]; 2];
        for (side, offset) in stones.iter_mut().zip(offsets) {
            for (squares, ring) in side.iter_mut().zip(ring.stones.iter()) {
                if let Some(chunk) = ring[offset..].first_chunk() {
                    *squares = chunk;
                }
            }
        }
        stones
    }

    /// Start `index` after the next one, both sides packed.
    #[inline]
    pub(super) fn packed(&self, index: usize) -> [u64; 2] {
        let (ring, offsets) = self.offsets();
        each(offsets, |offset| ring.packed[offset + index])
    }

    /// Advances by `count` starts, at most [`LANES`].
    #[inline]
    pub(super) fn advance(&mut self, count: usize, stream: &mut RandomStream) {
        if self.from_setups {
            self.cursor += count;
            if self.cursor >= SETUPS {
                self.cursor -= SETUPS;
                self.distance = stream.below(SETUPS);
            }
        }
    }
}
