//! Random games without vectors, one at a time or lane by lane: the definition of the vector
//! engines' results.
//!
//! A game is a board of stones and a list of squares, both in the perspective of the side that
//! began, so that a capture is one look-up. A single game branches on captures, so that a ply does
//! not wait for the captures of the one before. Lanes do not branch: a processor works on several
//! lanes at once, and only a misprediction stops it.

use super::{
    LANES, Tally,
    draw::{CODES, Draw, LaneRandom, SmallRandom},
    lanes::{Lanes, ROUND, Status, first_lanes},
    starts::Starts,
};
use crate::core::arrays::each;
use crate::core::bits::members;
use crate::games::einstein::{EinStein, GONE, MAX_STONES, Position, Variant, stones_permitted};
use std::{hint::select_unpredictable, sync::LazyLock};

/// Result of a draw for a set of living stones.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(4))]
struct Permitted {
    /// First and last allowed stone; equal if there is one.
    first: u8,
    last: u8,
    /// 32 times the step.
    step: u8,
}

/// For each set of living stones and each code of a draw its result.
type Entries = [[Permitted; 32]; 64];

/// Allowed stones of each draw, with the fair die of six faces.
#[derive(Clone, Copy, Debug)]
pub struct StoneTable {
    entries: &'static Entries,
}

impl StoneTable {
    /// Table of a variant.
    #[must_use]
    pub fn new(variant: Variant) -> Self {
        static CLASSIC: LazyLock<Box<Entries>> = LazyLock::new(|| entries(Variant::Classic));
        static NEAREST: LazyLock<Box<Entries>> = LazyLock::new(|| entries(Variant::NearestOnly));
        let entries = match variant {
            Variant::Classic => &CLASSIC,
            Variant::NearestOnly => &NEAREST,
        };
        Self { entries }
    }
}

fn entries(variant: Variant) -> Box<Entries> {
    let mut entries = Box::new([[Permitted::default(); 32]; 64]);
    for (alive, row) in entries.iter_mut().enumerate().skip(1) {
        for (code, entry) in row[..usize::from(CODES)].iter_mut().enumerate() {
            let (first, last) = stones_permitted(variant, alive as u8, (code / 3) as u8 + 1);
            *entry = Permitted {
                first,
                last,
                step: 32 * (code % 3) as u8,
            };
        }
    }
    entries
}

/// No stone, on the board.
const NONE: u8 = 31;

/// Flag of a square with only one step.
const ONE_STEP_FLAG: u8 = 128;

impl<const COLUMNS: usize, const ROWS: usize> EinStein<COLUMNS, ROWS> {
    /// `[32 · step + square]`: target square; a stone with a single step takes it whatever the
    /// draw. On the goal and outside the board it stays.
    pub(super) const PLAYOUT_DESTINATIONS: [u8; 128] = {
        let mut destinations = [0; 128];
        let mut index = 0;
        while index < 128 {
            let square = index % 32;
            let steps = Self::STEPS_FROM[square];
            let step = match steps {
                0 => 0,
                0b010 => Self::STEPS[1],
                0b100 => Self::STEPS[2],
                _ => Self::STEPS[if index / 32 < 3 { index / 32 } else { 0 }],
            };
            destinations[index] = square as u8 + step;
            index += 1;
        }
        destinations
    };
    /// Squares with only one step.
    pub(super) const ONE_STEP: u32 = {
        let mut squares = 0;
        let mut square = 0;
        while square < 32 {
            squares |= ((Self::MOBILITY[square] == 1) as u32) << square;
            square += 1;
        }
        squares
    };

    /// For each side, target squares: `[32 · step + square]`, or with the flag instead of a step;
    /// squares in the perspective of side 0, flagged by their owner's.
    const MARKED_DESTINATIONS: [[u8; 256]; 2] = {
        let mut destinations = [[0; 256]; 2];
        let mut index = 0;
        while index < 256 {
            let square = index % 32;
            if square < COLUMNS * ROWS {
                // With the flag, the step is ignored.
                let to = Self::PLAYOUT_DESTINATIONS[index % 128];
                destinations[0][index] = Self::marked(to);
                let flipped = Self::GOAL as usize - square;
                let to = Self::PLAYOUT_DESTINATIONS[index % 128 / 32 * 32 + flipped];
                destinations[1][index] = (Self::GOAL - to) | Self::marked(to) & ONE_STEP_FLAG;
            }
            index += 1;
        }
        destinations
    };

    /// A square in its owner's perspective, with its flag.
    const fn marked(square: u8) -> u8 {
        if square < 32 && Self::ONE_STEP >> square & 1 == 1 {
            square | ONE_STEP_FLAG
        } else {
            square
        }
    }
}

/// A running game; side 0 is the one that began.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct ScalarGame {
    /// Stone on each square, in the perspective of side 0: 0–5 and 8–13, or [`NONE`].
    board: [u8; 32],
    /// Square of each stone, in the perspective of side 0, flagged by its owner's; arbitrary for
    /// gone stones.
    squares: [[u8; 8]; 2],
    /// One bit a living stone, those of side 1 from bit 8.
    alive: u32,
}

impl ScalarGame {
    const EMPTY: Self = Self {
        board: [NONE; 32],
        squares: [[0; 8]; 2],
        alive: 0,
    };

    /// Game from the squares of both sides, a byte a stone, each in its own perspective;
    /// [`GONE_BYTE`] for gone stones.
    #[inline(always)]
    fn new<const COLUMNS: usize, const ROWS: usize>(sides: [u64; 2], alive: [u8; 2]) -> Self {
        let mut game = Self {
            alive: u32::from(alive[0]) | u32::from(alive[1]) << 8,
            ..Self::EMPTY
        };
        for stone in 0..MAX_STONES {
            // Gone stones get squares outside the board.
            let [own, other] = each(sides, |side| (side >> (8 * stone)) as u8 & 31);
            game.squares[0][stone] = EinStein::<COLUMNS, ROWS>::marked(own);
            game.board[usize::from(own)] = stone as u8;
            let seen = EinStein::<COLUMNS, ROWS>::GOAL.wrapping_sub(other) & 31;
            game.squares[1][stone] =
                seen | EinStein::<COLUMNS, ROWS>::marked(other) & ONE_STEP_FLAG;
            // A square outside the board may look like one on it from the other side.
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
        let packed = each(sides, |side| {
            (0..MAX_STONES).fold(0, |packed, stone| {
                packed | u64::from(side.square(stone)) << (8 * stone)
            })
        });
        Self::new::<COLUMNS, ROWS>(packed, each(sides, |side| side.alive()))
    }

    /// Squares of both sides, each in its own perspective, read from the board.
    #[cfg(test)]
    pub(super) fn own_squares<const COLUMNS: usize, const ROWS: usize>(
        &self,
    ) -> [[u8; MAX_STONES]; 2] {
        let mut sides = [[GONE; MAX_STONES]; 2];
        let (squares, _) = self.board.split_at(COLUMNS * ROWS);
        for (square, &stone) in (0u8..).zip(squares).filter(|(_, stone)| **stone != NONE) {
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

    /// Plays one ply of side `SIDE`; returns whether it has won. `BRANCHES` selects branching on
    /// captures; the result is the same.
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
        draw: Draw,
    ) -> bool {
        let entry = table.entries[(self.alive >> (8 * SIDE) & 63) as usize][draw.code() & 31];
        let squares = &mut self.squares[SIDE];
        let (from_first, from_last) = (
            squares[usize::from(entry.first & 7)],
            squares[usize::from(entry.last & 7)],
        );
        // See `Draw::coin`: whether it is below 2, plus the flag of the last, minus that of the
        // first. In units of the flags, and 31 less than that, so that squares, which stand below
        // the flags, decide nothing.
        let coin = u32::from(draw.coin()) * u32::from(ONE_STEP_FLAG);
        let takes_first = if BY_STONES {
            draw.coin() < 2
        } else {
            coin + u32::from(from_first) < u32::from(from_last) + 2 * u32::from(ONE_STEP_FLAG) - 31
        };
        let stone = select_unpredictable(takes_first, entry.first, entry.last);
        let from = select_unpredictable(takes_first, from_first, from_last);
        let marked =
            EinStein::<COLUMNS, ROWS>::MARKED_DESTINATIONS[SIDE][usize::from(from | entry.step)];
        let to = marked & 31;
        squares[usize::from(stone & 7)] = marked;
        self.board[usize::from(from & 31)] = NONE;
        let captured = self.board[usize::from(to)];
        self.board[usize::from(to)] = stone | (8 * SIDE) as u8;
        if !BRANCHES || captured != NONE {
            // Bit 31 stands for no stone.
            self.alive &= !(1 << (captured & 31));
        }
        let goal = if SIDE == 0 {
            EinStein::<COLUMNS, ROWS>::GOAL
        } else {
            0
        };
        // One test for both, as both are rare.
        (to == goal) | (self.alive >> (8 * (1 - SIDE)) & 63 == 0)
    }
}

/// Plays to the end from an unfinished position; returns whether the side to move wins, all allowed
/// moves being equally likely. `next_word` gives 64 random bits, four draws, the lowest bits first.
#[inline]
pub(in crate::games::einstein) fn play_out<const COLUMNS: usize, const ROWS: usize>(
    table: StoneTable,
    position: &Position,
    mut next_word: impl FnMut() -> u64,
) -> bool {
    let mut game = ScalarGame::from_position::<COLUMNS, ROWS>(position);
    loop {
        let word = next_word();
        if game.ply::<COLUMNS, ROWS, 0, false, true>(table, Draw(word as u16)) {
            return true;
        }
        if game.ply::<COLUMNS, ROWS, 1, false, true>(table, Draw((word >> 16) as u16)) {
            return false;
        }
        if game.ply::<COLUMNS, ROWS, 0, false, true>(table, Draw((word >> 32) as u16)) {
            return true;
        }
        if game.ply::<COLUMNS, ROWS, 1, false, true>(table, Draw((word >> 48) as u16)) {
            return false;
        }
    }
}

/// Plays to the end with its own stream from `seed`.
#[inline]
pub(in crate::games::einstein) fn play_out_from_seed<const COLUMNS: usize, const ROWS: usize>(
    table: StoneTable,
    position: &Position,
    seed: u64,
) -> bool {
    let mut random = SmallRandom::new(seed);
    play_out::<COLUMNS, ROWS>(table, position, || random.next_u64())
}

/// 64 games; every lane makes its ply before any makes the next, so that a processor works on
/// several at once.
pub(super) struct ScalarLanes {
    table: StoneTable,
    games: [ScalarGame; LANES],
    status: Status,
    /// Number of played rounds, and its value when each lane's game began.
    rounds: u64,
    begun: [u64; LANES],
    /// Lanes that were running at each ply of the last round.
    were_running: [u64; ROUND],
}

impl ScalarLanes {
    pub(super) fn new(table: StoneTable) -> Self {
        Self {
            table,
            games: [ScalarGame::EMPTY; LANES],
            status: Status::default(),
            rounds: 0,
            begun: [0; LANES],
            were_running: [0; ROUND],
        }
    }

    /// Plays one ply of all lanes; returns those whose side `SIDE` has won. Finished lanes continue
    /// with arbitrary data, as a branch costs more than a ply.
    #[inline(always)]
    fn ply<const SIDE: usize, const BY_STONES: bool>(&mut self, outputs: &[[u64; 8]; 2]) -> u64 {
        let mut won = 0;
        // The eight lanes that two words feed, see `LaneRandom`.
        for (eight, games) in self.games.as_chunks_mut::<8>().0.iter_mut().enumerate() {
            if self.status.running >> (8 * eight) & 0xFF == 0 {
                continue;
            }
            let mut words = [outputs[0][eight], outputs[1][eight]];
            for (lane, game) in games.iter_mut().enumerate() {
                let word = &mut words[lane % 2];
                let wins = game.ply::<5, 5, SIDE, BY_STONES, false>(self.table, Draw(*word as u16));
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
        for lane in members(lanes) {
            let rounds_before = self.rounds - self.begun[lane] - 1;
            let in_last_round: u64 = self
                .were_running
                .iter()
                .map(|running| running >> lane & 1)
                .sum();
            tally.count_plies(ROUND as u64 * rounds_before + in_last_round);
        }
    }

    fn take_starts(&mut self, lanes: u64, starts: &Starts) {
        for (index, lane) in members(lanes).enumerate() {
            self.games[lane] = ScalarGame::new::<5, 5>(starts.packed(index), starts.alive);
            self.begun[lane] = self.rounds;
        }
        self.status.begin(lanes);
    }

    fn load_positions(&mut self, positions: &[Position]) {
        for ((game, begun), position) in self.games.iter_mut().zip(&mut self.begun).zip(positions) {
            *game = ScalarGame::from_position::<5, 5>(position);
            *begun = self.rounds;
        }
        self.status.begin(first_lanes(positions.len()));
    }

    fn round<const BY_STONES: bool>(&mut self, random: &mut LaneRandom) {
        for ply in 0..ROUND {
            self.were_running[ply] = self.status.running;
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
