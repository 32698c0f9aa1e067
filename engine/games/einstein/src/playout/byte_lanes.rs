//! 64 games as byte vectors: each holds the squares of one side's stone in all games.

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod kernels;

use super::{
    LANES, Tally,
    lockstep::{Lanes, Status, first_lanes},
    random_bits::LaneRandom,
    start_queue::{GONE_BYTE, Starts, lane_square},
};
use crate::{MAX_STONES, Position, Standard};
use alea_core::simd::{Instructions, SimdLevel, multiversion};

#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct ByteRow(pub(super) [u8; LANES]);

#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct SideRows {
    /// Squares ([`lane_square`]) in the owner's perspective; arbitrary for captured stones.
    pub(super) stones: [ByteRow; MAX_STONES],
    pub(super) alive: ByteRow,
    /// Bit set of stones with a single possible step; arbitrary for captured stones.
    pub(super) edge: ByteRow,
}

multiversion! {
    fn play_plies<const BY_STONES: bool>(lanes: &mut ByteLanes, random: &mut LaneRandom) {
        Avx512Vbmi => kernels::avx512::play_plies::<BY_STONES>,
        Avx2 => kernels::avx2::play_plies::<BY_STONES>,
        Neon => kernels::neon::play_plies::<BY_STONES>,
    }
}

multiversion! {
    fn load_starts(lanes: &mut ByteLanes, free: u64, starts: &Starts) {
        Avx512Vbmi => kernels::avx512::load_starts,
        Avx2 => kernels::avx2::load_starts,
        Neon => kernels::neon::load_starts,
    }
}

multiversion! {
    fn count_plies(lanes: &ByteLanes, over: u64, tally: &mut Tally) {
        Avx512Vbmi => kernels::avx512::count_plies,
        Avx2 => kernels::avx2::count_plies,
        Neon => kernels::neon::count_plies,
    }
}

#[derive(Clone, Debug)]
#[repr(C)]
pub(super) struct ByteLanes {
    pub(super) sides: [SideRows; 2],
    pub(super) plies: ByteRow,
    pub(super) status: Status,
    instructions: Instructions,
}

impl ByteLanes {
    pub(super) fn new(instructions: Instructions) -> Option<Self> {
        let instructions = instructions.widest_of(&[
            #[cfg(target_arch = "aarch64")]
            SimdLevel::Neon,
            SimdLevel::Avx2,
            SimdLevel::Avx512Vbmi,
        ]);
        let none = SideRows {
            stones: [ByteRow([GONE_BYTE; LANES]); MAX_STONES],
            alive: ByteRow([0; LANES]),
            edge: ByteRow([0; LANES]),
        };
        (instructions != Instructions::PORTABLE).then(|| Self {
            sides: [none; 2],
            plies: ByteRow([0; LANES]),
            status: Status::default(),
            instructions,
        })
    }

    pub(super) fn instructions(&self) -> Instructions {
        self.instructions
    }
}

impl Lanes for ByteLanes {
    #[inline]
    fn status(&self) -> Status {
        self.status
    }

    #[inline]
    fn count_plies(&mut self, lanes: u64, tally: &mut Tally) {
        count_plies(self.instructions, self, lanes, tally);
    }

    #[inline]
    fn load_starts(&mut self, lanes: u64, starts: &Starts) {
        load_starts(self.instructions, self, lanes, starts);
    }

    #[inline]
    fn play_plies<const BY_STONES: bool>(&mut self, random: &mut LaneRandom) {
        play_plies::<BY_STONES>(self.instructions, self, random);
    }

    #[inline]
    fn load_positions(&mut self, positions: &[Position]) {
        for (lane, position) in positions.iter().enumerate() {
            for (rows, side) in self
                .sides
                .iter_mut()
                .zip([position.mover(), position.other()])
            {
                let mut edge = 0;
                for (stone, (row, square)) in rows.stones.iter_mut().zip(side.squares()).enumerate()
                {
                    row.0[lane] = lane_square(square);
                    edge |= ((Standard::SINGLE_STEP_SQUARES >> (square & 31) & 1) as u8) << stone;
                }
                rows.alive.0[lane] = side.living_set();
                rows.edge.0[lane] = edge;
            }
            self.plies.0[lane] = 0;
        }
        self.status.mark_running(first_lanes(positions.len()));
    }
}
