//! Playouts without SIMD, of single games or of 64 lanes: the reference for the vector kernels.
//! Squares of both sides are in the perspective of the side that begins, so that finding a captured
//! stone is one look-up.

use super::{
    LANES, Tally,
    lockstep::{Lanes, PLIES_PER_BATCH, Status, first_lanes},
    random_bits::{LaneRandom, NUM_CODES, PlyBits, SplitMix64},
    start_queue::Starts,
};
use crate::{EinStein, GONE, MAX_STONES, Position, Variant, allowed_stones};
use alea_core::arrays::map_array;
use alea_core::bits::bit_indices;
use std::{hint::select_unpredictable, sync::LazyLock};

#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(4))]
struct AllowedStep {
    first: u8,
    last: u8,
    /// 32 · step (0–2).
    step: u8,
}

type StoneTableEntries = [[AllowedStep; 32]; 64];

/// Look-up table of playouts: the allowed stones and the step, by set of living stones and
/// [`PlyBits::face_step_code`].
#[derive(Clone, Copy, Debug)]
pub struct StoneTable {
    entries: &'static StoneTableEntries,
}

impl StoneTable {
    /// The table of a variant, for the fair die of six faces.
    pub fn new(variant: Variant) -> Self {
        static CLASSIC: LazyLock<Box<StoneTableEntries>> =
            LazyLock::new(|| table_entries(Variant::Classic));
        static NEAREST: LazyLock<Box<StoneTableEntries>> =
            LazyLock::new(|| table_entries(Variant::NearestOnly));
        let entries = match variant {
            Variant::Classic => &CLASSIC,
            Variant::NearestOnly => &NEAREST,
        };
        Self { entries }
    }
}

fn table_entries(variant: Variant) -> Box<StoneTableEntries> {
    let mut entries = Box::new([[AllowedStep::default(); 32]; 64]);
    for (alive, row) in entries.iter_mut().enumerate().skip(1) {
        for (code, entry) in row[..usize::from(NUM_CODES)].iter_mut().enumerate() {
            let (first, last) = allowed_stones(variant, alive as u8, (code / 3) as u8 + 1);
            *entry = AllowedStep {
                first,
                last,
                step: 32 * (code % 3) as u8,
            };
        }
    }
    entries
}

const NO_STONE: u8 = 31;

const ONE_STEP_FLAG: u8 = 128;

impl<const COLUMNS: usize, const ROWS: usize> EinStein<COLUMNS, ROWS> {
    /// Destination at `[32 · step + square]`; from squares with one possible step, that step's.
    pub(super) const PLAYOUT_DESTINATIONS: [u8; 128] = {
        let mut destinations = [0; 128];
        let mut index = 0;
        while index < 128 {
            let square = index % 32;
            let steps = Self::DIRECTION_SETS[square];
            let step = match steps {
                0 => 0,
                0b010 => Self::STEP_OFFSETS[1],
                0b100 => Self::STEP_OFFSETS[2],
                _ => Self::STEP_OFFSETS[if index / 32 < 3 { index / 32 } else { 0 }],
            };
            destinations[index] = square as u8 + step;
            index += 1;
        }
        destinations
    };
    pub(super) const SINGLE_STEP_SQUARES: u32 = {
        let mut squares = 0;
        let mut square = 0;
        while square < 32 {
            squares |= ((Self::STEP_COUNT[square] == 1) as u32) << square;
            square += 1;
        }
        squares
    };

    /// Destination at `[side][square | 32 · step]`; squares are in the perspective of side 0,
    /// flagged as by [`Self::with_flag`].
    const FLAGGED_DESTINATIONS: [[u8; 256]; 2] = {
        let mut destinations = [[0; 256]; 2];
        let mut index = 0;
        while index < 256 {
            let square = index % 32;
            if square < COLUMNS * ROWS {
                let to = Self::PLAYOUT_DESTINATIONS[index % 128];
                destinations[0][index] = Self::with_flag(to);
                let flipped = Self::GOAL as usize - square;
                let to = Self::PLAYOUT_DESTINATIONS[index % 128 / 32 * 32 + flipped];
                destinations[1][index] = (Self::GOAL - to) | Self::with_flag(to) & ONE_STEP_FLAG;
            }
            index += 1;
        }
        destinations
    };

    /// Adds [`ONE_STEP_FLAG`] if `square`, in its owner's perspective, has a single step.
    const fn with_flag(square: u8) -> u8 {
        if square < 32 && Self::SINGLE_STEP_SQUARES >> square & 1 == 1 {
            square | ONE_STEP_FLAG
        } else {
            square
        }
    }
}

#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct ScalarGame {
    /// Stone on each square in the perspective of side 0: its own 0–5, side 1's 8–13, or
    /// [`NO_STONE`].
    board: [u8; 32],
    /// Square of each stone, at `[side][stone]`, in the perspective of side 0, flagged as by
    /// [`EinStein::with_flag`]; arbitrary for captured stones.
    squares: [[u8; 8]; 2],
    /// Bit set of living stones, side 1's from bit 8.
    alive: u32,
}

impl ScalarGame {
    const EMPTY: Self = Self {
        board: [NO_STONE; 32],
        squares: [[0; 8]; 2],
        alive: 0,
    };

    /// Creates a game; `sides` has a byte per stone, its square in its owner's perspective.
    #[inline(always)]
    fn new<const COLUMNS: usize, const ROWS: usize>(sides: [u64; 2], alive: [u8; 2]) -> Self {
        let mut game = Self {
            alive: u32::from(alive[0]) | u32::from(alive[1]) << 8,
            ..Self::EMPTY
        };
        for stone in 0..MAX_STONES {
            let [own, other] = map_array(sides, |side| (side >> (8 * stone)) as u8 & 31);
            game.squares[0][stone] = EinStein::<COLUMNS, ROWS>::with_flag(own);
            game.board[usize::from(own)] = stone as u8;
            let seen = EinStein::<COLUMNS, ROWS>::GOAL.wrapping_sub(other) & 31;
            game.squares[1][stone] =
                seen | EinStein::<COLUMNS, ROWS>::with_flag(other) & ONE_STEP_FLAG;
            let seen = if other == GONE { 31 } else { seen };
            game.board[usize::from(seen)] = stone as u8 | 8;
        }
        game
    }

    #[inline(always)]
    pub(super) fn from_position<const COLUMNS: usize, const ROWS: usize>(
        position: &Position,
    ) -> Self {
        let sides = [position.mover(), position.other()];
        let packed = map_array(sides, |side| {
            (0..MAX_STONES).fold(0, |packed, stone| {
                packed | u64::from(side.square(stone)) << (8 * stone)
            })
        });
        Self::new::<COLUMNS, ROWS>(packed, map_array(sides, |side| side.living_set()))
    }

    #[cfg(test)]
    pub(super) fn own_squares<const COLUMNS: usize, const ROWS: usize>(
        &self,
    ) -> [[u8; MAX_STONES]; 2] {
        let mut sides = [[GONE; MAX_STONES]; 2];
        let (squares, _) = self.board.split_at(COLUMNS * ROWS);
        for (square, &stone) in (0u8..)
            .zip(squares)
            .filter(|(_, stone)| **stone != NO_STONE)
        {
            let (side, stone) = (usize::from(stone / 8), usize::from(stone % 8));
            assert_eq!(self.squares[side][stone] & 31, square);
            assert_eq!(self.alive >> (8 * side + stone) & 1, 1);
            sides[side][stone] = if side == 0 {
                square
            } else {
                EinStein::<COLUMNS, ROWS>::GOAL - square
            };
        }
        assert_eq!(
            sides
                .as_flattened()
                .iter()
                .filter(|square| **square != GONE)
                .count(),
            self.alive.count_ones() as usize
        );
        sides
    }

    /// Plays a ply of `SIDE`; returns whether that wins. `BRANCHES`: branch on captures, faster
    /// unless games overlap.
    #[inline(always)]
    pub(super) fn ply<
        const COLUMNS: usize,
        const ROWS: usize,
        const SIDE: usize,
        const BY_STONES: bool,
        const BRANCHES: bool,
    >(
        &mut self,
        table: StoneTable,
        draw: PlyBits,
    ) -> bool {
        let entry =
            table.entries[(self.alive >> (8 * SIDE) & 63) as usize][draw.face_step_code() & 31];
        let squares = &mut self.squares[SIDE];
        let (from_first, from_last) = (
            squares[usize::from(entry.first & 7)],
            squares[usize::from(entry.last & 7)],
        );
        // In units of the flag; −31 makes the comparison depend on the flags alone.
        let scaled_stone_choice = u32::from(draw.stone_choice()) * u32::from(ONE_STEP_FLAG);
        let takes_first = if BY_STONES {
            draw.stone_choice() < 2
        } else {
            scaled_stone_choice + u32::from(from_first)
                < u32::from(from_last) + 2 * u32::from(ONE_STEP_FLAG) - 31
        };
        let stone = select_unpredictable(takes_first, entry.first, entry.last);
        let from = select_unpredictable(takes_first, from_first, from_last);
        let flagged =
            EinStein::<COLUMNS, ROWS>::FLAGGED_DESTINATIONS[SIDE][usize::from(from | entry.step)];
        let to = flagged & 31;
        squares[usize::from(stone & 7)] = flagged;
        self.board[usize::from(from & 31)] = NO_STONE;
        let captured = self.board[usize::from(to)];
        self.board[usize::from(to)] = stone | (8 * SIDE) as u8;
        if !BRANCHES || captured != NO_STONE {
            self.alive &= !(1 << (captured & 31));
        }
        let goal = if SIDE == 0 {
            EinStein::<COLUMNS, ROWS>::GOAL
        } else {
            0
        };
        (to == goal) | (self.alive >> (8 * (1 - SIDE)) & 63 == 0)
    }
}

/// Plays a game from an unfinished position; returns whether the side to move wins. Each
/// `next_word` serves four plies, lowest bits first.
#[inline]
pub(crate) fn playout_from<const COLUMNS: usize, const ROWS: usize>(
    table: StoneTable,
    position: &Position,
    mut next_word: impl FnMut() -> u64,
) -> bool {
    let mut game = ScalarGame::from_position::<COLUMNS, ROWS>(position);
    loop {
        let word = next_word();
        if game.ply::<COLUMNS, ROWS, 0, false, true>(table, PlyBits(word as u16)) {
            return true;
        }
        if game.ply::<COLUMNS, ROWS, 1, false, true>(table, PlyBits((word >> 16) as u16)) {
            return false;
        }
        if game.ply::<COLUMNS, ROWS, 0, false, true>(table, PlyBits((word >> 32) as u16)) {
            return true;
        }
        if game.ply::<COLUMNS, ROWS, 1, false, true>(table, PlyBits((word >> 48) as u16)) {
            return false;
        }
    }
}

#[inline]
pub(crate) fn playout_from_seed<const COLUMNS: usize, const ROWS: usize>(
    table: StoneTable,
    position: &Position,
    seed: u64,
) -> bool {
    let mut random = SplitMix64::new(seed);
    playout_from::<COLUMNS, ROWS>(table, position, || random.next_u64())
}

pub(super) struct ScalarLanes {
    table: StoneTable,
    games: [ScalarGame; LANES],
    status: Status,
    /// Rounds played; `begun`: their number when each lane's game began.
    rounds: u64,
    begun: [u64; LANES],
    /// Bit set of the lanes running before each ply of the last round.
    running_by_ply: [u64; PLIES_PER_BATCH],
}

impl ScalarLanes {
    pub(super) fn new(table: StoneTable) -> Self {
        Self {
            table,
            games: [ScalarGame::EMPTY; LANES],
            status: Status::default(),
            rounds: 0,
            begun: [0; LANES],
            running_by_ply: [0; PLIES_PER_BATCH],
        }
    }

    /// Plays a ply of `SIDE`; returns the bit set of lanes it wins, arbitrary for finished games.
    #[inline(always)]
    fn ply<const SIDE: usize, const BY_STONES: bool>(&mut self, outputs: &[[u64; 8]; 2]) -> u64 {
        let mut won = 0;
        // Eight lanes share two words of [`LaneRandom`].
        for (eight, games) in self.games.as_chunks_mut::<8>().0.iter_mut().enumerate() {
            if self.status.running >> (8 * eight) & 0xFF == 0 {
                continue;
            }
            let mut words = [outputs[0][eight], outputs[1][eight]];
            for (lane, game) in games.iter_mut().enumerate() {
                let word = &mut words[lane % 2];
                let wins =
                    game.ply::<5, 5, SIDE, BY_STONES, false>(self.table, PlyBits(*word as u16));
                *word >>= 16;
                won |= u64::from(wins) << (8 * eight + lane);
            }
        }
        won
    }
}

impl Lanes for ScalarLanes {
    fn status(&self) -> Status {
        self.status
    }

    fn count_plies(&mut self, lanes: u64, tally: &mut Tally) {
        for lane in bit_indices(lanes) {
            let rounds_before = self.rounds - self.begun[lane] - 1;
            let in_last_round: u64 = self
                .running_by_ply
                .iter()
                .map(|running| running >> lane & 1)
                .sum();
            tally.count_plies(PLIES_PER_BATCH as u64 * rounds_before + in_last_round);
        }
    }

    fn load_starts(&mut self, lanes: u64, starts: &Starts) {
        for (index, lane) in bit_indices(lanes).enumerate() {
            self.games[lane] = ScalarGame::new::<5, 5>(starts.packed_start(index), starts.alive);
            self.begun[lane] = self.rounds;
        }
        self.status.mark_running(lanes);
    }

    fn load_positions(&mut self, positions: &[Position]) {
        for ((game, begun), position) in self.games.iter_mut().zip(&mut self.begun).zip(positions) {
            *game = ScalarGame::from_position::<5, 5>(position);
            *begun = self.rounds;
        }
        self.status.mark_running(first_lanes(positions.len()));
    }

    fn play_plies<const BY_STONES: bool>(&mut self, random: &mut LaneRandom) {
        for ply in 0..PLIES_PER_BATCH {
            self.running_by_ply[ply] = self.status.running;
            let outputs = random.next();
            if ply % 2 == 0 {
                let won = self.ply::<0, BY_STONES>(&outputs);
                self.status.first_won |= won & self.status.running;
                self.status.running &= !won;
            } else {
                self.status.running &= !self.ply::<1, BY_STONES>(&outputs);
            }
        }
        self.rounds += 1;
    }
}
