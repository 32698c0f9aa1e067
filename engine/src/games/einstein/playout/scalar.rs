//! Random games without vectors: one game at a time, or lane by lane; this defines what the vector engines compute.
//!
//! Both sides stand in bytes of a word, and one bit a square says what is taken, so most plies need a table look-up, a
//! step and one test; captures, every fourth ply or so, are the only branch besides the end of the game. Bytes equal to
//! a square are found exactly (the shorter test for a zero byte, without masking carries, also reports neighbours of a
//! byte that is equal, and makes games too short).

use super::LANES;
use super::Tally;
use super::draw::{CODES, Draw, LaneRandom, SmallRandom};
use super::lanes::{Lanes, ROUND};
use super::starts::{GONE_BYTE, Starts};
use crate::games::einstein::{EinStein, GONE, MAX_STONES, Position, Variant, stones_permitted};
use std::hint::select_unpredictable;

/// For each set of living stones and each code of a draw, one after the other in bytes: eight times the first and the
/// last permitted stone, and 32 times the step.
#[derive(Clone, Copy, Debug)]
pub struct StoneTable {
    entries: &'static [[u32; 32]; 64],
}

impl StoneTable {
    /// The table of a variant with the fair die of six faces.
    #[must_use]
    pub fn new(variant: Variant) -> Self {
        static CLASSIC: std::sync::LazyLock<Box<[[u32; 32]; 64]>> = std::sync::LazyLock::new(|| entries(Variant::Classic));
        static NEAREST: std::sync::LazyLock<Box<[[u32; 32]; 64]>> = std::sync::LazyLock::new(|| entries(Variant::NearestOnly));
        let entries = match variant {
            Variant::Classic => &CLASSIC,
            Variant::NearestOnly => &NEAREST,
        };
        Self { entries }
    }
}

fn entries(variant: Variant) -> Box<[[u32; 32]; 64]> {
    let mut entries = Box::new([[0; 32]; 64]);
    for (alive, row) in entries.iter_mut().enumerate().skip(1) {
        for (code, entry) in row[..usize::from(CODES)].iter_mut().enumerate() {
            let (first, last) = stones_permitted(variant, alive as u8, (code / 3) as u8 + 1);
            *entry = 8 * u32::from(first) | 8 * u32::from(last) << 8 | 32 * (code as u32 % 3) << 16;
        }
    }
    entries
}

impl<const COLUMNS: usize, const ROWS: usize> EinStein<COLUMNS, ROWS> {
    /// `[32 · step + square]`: where a stone goes; one that has a single step takes it whatever the draw says. From the
    /// goal and from squares that do not exist it stays.
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
    /// The squares from which there is but one step.
    pub(super) const ONE_STEP: u32 = {
        let mut squares = 0;
        let mut square = 0;
        while square < 32 {
            squares |= ((Self::MOBILITY[square] == 1) as u32) << square;
            square += 1;
        }
        squares
    };
}

/// A byte in each of the eight places.
const ONES: u64 = 0x0101_0101_0101_0101;

/// The highest bit of every byte that equals `square`. Exact: no carry leaves a byte.
#[inline(always)]
fn bytes_equal(bytes: u64, square: u8) -> u64 {
    const LOWER: u64 = ONES * 0x7F;
    let difference = bytes ^ (u64::from(square) * ONES);
    !(((difference & LOWER) + LOWER) | difference) & (ONES << 7)
}

/// One side: byte `i` is the square of stone `i` in its own perspective, or [`GONE_BYTE`].
#[derive(Clone, Copy, Debug)]
struct Bytes {
    squares: u64,
    alive: u8,
}

impl Bytes {
    /// Takes the stone on `square` from the board, if there is one.
    #[inline(always)]
    fn remove(&mut self, square: u8) {
        let equal = bytes_equal(self.squares, square);
        self.squares |= (equal >> 7) * u64::from(GONE_BYTE);
        // No stone: 64 / 8 is a bit above all stones.
        self.alive &= !(1u16 << (equal.trailing_zeros() / 8)) as u8;
    }
}

/// A game that goes on; the side that began at the start is side 0.
#[derive(Clone, Copy, Debug)]
struct ScalarGame {
    sides: [Bytes; 2],
    /// The squares with a stone, one bit a square, in the perspective of side 0.
    taken: u32,
}

impl ScalarGame {
    #[inline]
    fn new<const COLUMNS: usize, const ROWS: usize>(position: &Position) -> Self {
        let sides = [position.mover(), position.other()].map(|side| {
            let mut squares = !0;
            for stone in (0..MAX_STONES).rev() {
                let square = side.square(stone);
                squares = squares << 8 | u64::from(if square == GONE { GONE_BYTE } else { square });
            }
            Bytes { squares, alive: side.alive() }
        });
        let board = ((1u64 << EinStein::<COLUMNS, ROWS>::SQUARES) - 1) as u32;
        let other = position.other().squares_taken_seen_from_the_other_side(EinStein::<COLUMNS, ROWS>::SQUARES);
        Self { sides, taken: position.mover().squares_taken() & board | other }
    }

    /// One ply of side `SIDE`; whether it has won.
    #[inline(always)]
    fn ply<const COLUMNS: usize, const ROWS: usize, const SIDE: usize, const BY_STONES: bool>(
        &mut self,
        table: StoneTable,
        draw: Draw,
    ) -> bool {
        let goal = EinStein::<COLUMNS, ROWS>::GOAL;
        let own = self.sides[SIDE];
        let entry = table.entries[usize::from(own.alive & 63)][draw.code() & 31];
        let (first, last) = (entry & 63, entry >> 8 & 63);
        let (from_first, from_last) = (own.squares >> first & 31, own.squares >> last & 31);
        let of_first = if BY_STONES {
            2
        } else {
            let one_step = |square: u64| EinStein::<COLUMNS, ROWS>::ONE_STEP >> square & 1;
            2 + one_step(from_last) - one_step(from_first)
        };
        let takes_first = u32::from(draw.coin()) < of_first;
        let shift = select_unpredictable(takes_first, first, last);
        let from = select_unpredictable(takes_first, from_first, from_last) as usize;
        let to = EinStein::<COLUMNS, ROWS>::PLAYOUT_DESTINATIONS[(entry >> 16) as usize + from & 127];
        let seen_by_0 = |square: u8| if SIDE == 0 { square } else { goal - square };
        self.taken ^= 1 << (seen_by_0(from as u8) & 31);
        if self.taken >> (seen_by_0(to) & 31) & 1 == 1 {
            self.sides[SIDE].remove(to);
            self.sides[1 - SIDE].remove(goal - to);
        }
        self.taken |= 1 << (seen_by_0(to) & 31);
        self.sides[SIDE].squares ^= (from as u64 ^ u64::from(to)) << shift;
        // One test for both, as both are rare.
        (to == goal) | (self.sides[1 - SIDE].alive == 0)
    }
}

/// Plays on to the end from a position that is not over: whether the side to move wins, all permitted moves being equally
/// likely. `next_word` gives 64 random bits, four draws, the lowest bits first.
#[inline]
pub(in crate::games::einstein) fn play_out<const COLUMNS: usize, const ROWS: usize>(
    table: StoneTable,
    position: &Position,
    mut next_word: impl FnMut() -> u64,
) -> bool {
    let mut game = ScalarGame::new::<COLUMNS, ROWS>(position);
    loop {
        let word = next_word();
        if game.ply::<COLUMNS, ROWS, 0, false>(table, Draw(word as u16)) {
            return true;
        }
        if game.ply::<COLUMNS, ROWS, 1, false>(table, Draw((word >> 16) as u16)) {
            return false;
        }
        if game.ply::<COLUMNS, ROWS, 0, false>(table, Draw((word >> 32) as u16)) {
            return true;
        }
        if game.ply::<COLUMNS, ROWS, 1, false>(table, Draw((word >> 48) as u16)) {
            return false;
        }
    }
}

/// The same with a stream of its own that begins at `seed`.
#[inline]
pub(in crate::games::einstein) fn play_out_from_seed<const COLUMNS: usize, const ROWS: usize>(
    table: StoneTable,
    position: &Position,
    seed: u64,
) -> bool {
    let mut random = SmallRandom::new(seed);
    play_out::<COLUMNS, ROWS>(table, position, || random.next_u64())
}

/// 64 games, played one after the other in each round.
pub(super) struct ScalarLanes {
    table: StoneTable,
    games: [ScalarGame; LANES],
    plies: [u8; LANES],
    running: u64,
    first_won: u64,
}

impl ScalarLanes {
    pub(super) fn new(table: StoneTable) -> Self {
        let empty = ScalarGame { sides: [Bytes { squares: !0, alive: 0 }; 2], taken: 0 };
        Self { table, games: [empty; LANES], plies: [0; LANES], running: 0, first_won: 0 }
    }
}

impl Lanes for ScalarLanes {
    fn running(&self) -> u64 {
        self.running
    }

    fn first_won(&self) -> u64 {
        self.first_won
    }

    fn count_plies(&mut self, lanes: u64, tally: &mut Tally) {
        count_plies(&self.plies, lanes, tally);
    }

    fn take_starts(&mut self, lanes: u64, starts: &Starts) {
        for (index, lane) in bits(lanes).enumerate() {
            let packed = starts.packed(index);
            let side = |side: usize| Bytes { squares: packed[side], alive: starts.alive[side] };
            self.games[lane] = ScalarGame { sides: [side(0), side(1)], taken: starts.taken };
            self.plies[lane] = 0;
        }
        self.running |= lanes;
        self.first_won &= !lanes;
    }

    fn round<const BY_STONES: bool>(&mut self, random: &mut LaneRandom) {
        let outputs: [_; ROUND] = std::array::from_fn(|_| random.next());
        for lane in bits(self.running) {
            let mut game = self.games[lane];
            let mut over = false;
            for (ply, outputs) in outputs.iter().enumerate() {
                let draw = LaneRandom::draw(outputs, lane);
                let first = ply % 2 == 0;
                over = if first {
                    game.ply::<5, 5, 0, BY_STONES>(self.table, draw)
                } else {
                    game.ply::<5, 5, 1, BY_STONES>(self.table, draw)
                };
                self.plies[lane] += 1;
                if over {
                    self.first_won |= u64::from(first) << lane;
                    break;
                }
            }
            self.running &= !(u64::from(over) << lane);
            self.games[lane] = game;
        }
    }
}

/// The members of a set of lanes.
#[inline]
pub(super) fn bits(mut lanes: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (lanes != 0).then(|| {
            let lane = lanes.trailing_zeros() as usize;
            lanes &= lanes - 1;
            lane
        })
    })
}

/// Adds the plies of some lanes.
#[inline]
pub(super) fn count_plies(plies: &[u8; LANES], lanes: u64, tally: &mut Tally) {
    for lane in bits(lanes) {
        let plies = u64::from(plies[lane]);
        tally.plies += plies;
        tally.squared_plies += plies * plies;
        tally.longest = tally.longest.max(plies);
    }
}
