//! The queue of start positions for games in lockstep. Random set-ups are the 720 arrangements in
//! random order, as a ring that the side that begins reads in order, the other side at an offset
//! sampled for every pass.

use super::LANES;
use crate::{GONE, MAX_STONES, Position, Standard, position::Side, setup::SETUPS};
use alea_core::arrays::{build_array, map_array};
use alea_core::random::RandomStream;

const RING_LEN: usize = 2 * SETUPS + LANES;

pub(super) const GONE_BYTE: u8 = 0xFF;

/// Byte code of a square: 16 · row + 3 · column + 64, so that the highest bit is the last row's,
/// and bits 0–3 leave room for a step (0–2). The codes of a square and its opposite have a constant
/// sum.
pub(super) const fn lane_square(square: u8) -> u8 {
    if square == GONE {
        GONE_BYTE
    } else {
        16 * (square / 5) + 3 * (square % 5) + 64
    }
}

struct StartRing {
    /// Square ([`lane_square`]) in the owner's perspective, at `[stone][ring index]`.
    stones: Box<[[u8; RING_LEN]; MAX_STONES]>,
    /// One side at each ring index: byte `i` is the square of stone `i`; the two highest bytes are
    /// unused.
    packed: Box<[u64; RING_LEN]>,
}

impl StartRing {
    fn new() -> Self {
        Self {
            stones: Box::new([[GONE_BYTE; RING_LEN]; MAX_STONES]),
            packed: Box::new([!0; RING_LEN]),
        }
    }

    fn set_start(&mut self, index: usize, squares: [u8; MAX_STONES]) {
        let mut packed = !0u64;
        for (stone, square) in squares.into_iter().enumerate() {
            self.stones[stone][index] = lane_square(square);
            packed = packed & !(0xFF << (8 * stone)) | u64::from(square) << (8 * stone);
        }
        self.packed[index] = packed;
    }
}

pub(super) struct Starts {
    setups: StartRing,
    /// One position for all lanes: from index 0 the side that begins, from [`LANES`] the other.
    single: StartRing,
    from_setups: bool,
    pub(super) alive: [u8; 2],
    pub(super) edge: [u8; 2],
    cursor: usize,
    distance: usize,
}

impl Starts {
    pub(super) fn new(game: &Standard, stream: &mut RandomStream) -> Self {
        let mut squares: Vec<_> = (0..SETUPS)
            .map(|setup| game.side_with_setup(setup).squares())
            .collect();
        stream.shuffle(&mut squares);
        let mut setups = StartRing::new();
        for (index, squares) in squares.iter().cycle().take(RING_LEN).enumerate() {
            setups.set_start(index, *squares);
        }
        let mut starts = Self {
            setups,
            single: StartRing::new(),
            from_setups: true,
            alive: [0; 2],
            edge: [0; 2],
            cursor: 0,
            distance: stream.below(SETUPS),
        };
        starts.set_side_flags(&game.start([0, 0], 0));
        starts
    }

    pub(super) fn use_random_setups(&mut self) {
        if !self.from_setups {
            self.from_setups = true;
            let squares = self.setups.packed[0].to_le_bytes();
            let side = Side::new(build_array(|stone| squares[stone]));
            self.set_side_flags(&Position::new(side, side, 0));
        }
    }

    pub(super) fn use_position(&mut self, position: &Position) {
        self.from_setups = false;
        for index in 0..LANES {
            self.single.set_start(index, position.mover().squares());
            self.single
                .set_start(LANES + index, position.other().squares());
        }
        self.set_side_flags(position);
    }

    fn set_side_flags(&mut self, position: &Position) {
        let sides = [position.mover(), position.other()];
        self.alive = map_array(sides, |side| side.living_set());
        self.edge = map_array(sides, |side| {
            let on_edge = |stone: &usize| Standard::step_count(side.square(*stone)) == 1;
            (0..MAX_STONES)
                .filter(on_edge)
                .fold(0, |edge, stone| edge | 1 << stone)
        });
    }

    fn offsets(&self) -> (&StartRing, [usize; 2]) {
        if self.from_setups {
            (&self.setups, [self.cursor, self.cursor + self.distance])
        } else {
            (&self.single, [0, LANES])
        }
    }

    /// `[side][stone]`: the squares of the next starts, by lane; side 0 begins.
    #[cfg_attr(
        not(any(target_arch = "x86_64", target_arch = "aarch64")),
        expect(dead_code, reason = "for kernels")
    )]
    #[inline]
    pub(super) fn next_squares(&self) -> [[&[u8; LANES]; MAX_STONES]; 2] {
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

    /// Both sides of the start that comes `index` starts later; byte `i` is stone `i`.
    #[inline]
    pub(super) fn packed_start(&self, index: usize) -> [u64; 2] {
        let (ring, offsets) = self.offsets();
        map_array(offsets, |offset| ring.packed[offset + index])
    }

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
