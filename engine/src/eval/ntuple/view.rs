//! What n-tuples look at: a position as an array of small symbols, all seen by the side to move.

use crate::eval::race_tables::distance;
use crate::games::einstein::{GONE, MAX_STONES, Position, Standard};
use std::fmt;

const SQUARES: usize = Standard::SQUARES as usize;
const STONES: usize = 2 * MAX_STONES;
const STONE_SQUARES: usize = SQUARES;
const DISTANCES: usize = STONE_SQUARES + STONES;
const ALIVE: usize = DISTANCES + STONES;
const CELLS: usize = ALIVE + STONES;

/// One place of a view. Stones 0–5 are the mover's 1–6, stones 6–11 the other side's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cell {
    /// What stands on a square (0–24, in the mover's perspective): 0 nothing, 1–12 stone 0–11.
    Board(usize),
    /// The square of a stone in its owner's perspective, 25 when gone.
    Square(usize),
    /// The distance of a stone to its goal, 1–4; 0 when gone (or on the goal, where the game is over).
    Distance(usize),
    /// Whether a stone is alive.
    Alive(usize),
}

impl Cell {
    /// Where the cell is in the view.
    pub(super) fn place(self) -> usize {
        match self {
            Self::Board(square) => square,
            Self::Square(stone) => STONE_SQUARES + stone,
            Self::Distance(stone) => DISTANCES + stone,
            Self::Alive(stone) => ALIVE + stone,
        }
    }

    /// How many symbols the cell may hold.
    #[must_use]
    pub fn symbols(self) -> usize {
        match self {
            Self::Board(_) => STONES + 1,
            Self::Square(_) => SQUARES + 1,
            Self::Distance(_) => 5,
            Self::Alive(_) => 2,
        }
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Board(square) => write!(formatter, "b{square}"),
            Self::Square(stone) => write!(formatter, "s{stone}"),
            Self::Distance(stone) => write!(formatter, "d{stone}"),
            Self::Alive(stone) => write!(formatter, "a{stone}"),
        }
    }
}

/// The symbols of all cells of one position.
#[derive(Clone, Copy, Debug)]
pub struct View {
    /// 61 cells; the length lets an index of six bits go unchecked.
    symbols: [u8; 64],
}

impl View {
    /// The canonical text of what the cells hold.
    pub(super) const DESCRIPTION: &'static str = "b0-24 board seen by the mover (0 empty, 1-6 mover, 7-12 other), \
        s0-11 square of mover 1-6, other 1-6 in the owner's perspective (25 gone), d0-11 distance (0 gone), a0-11 alive";

    /// The view of a position.
    #[must_use]
    #[inline]
    pub fn new(position: &Position) -> Self {
        const { assert!(CELLS <= 64) };
        let mut symbols = [0u8; 64];
        let sides = [position.mover(), position.other()];
        for stone in 0..STONES {
            let square = sides[stone / MAX_STONES].square(stone % MAX_STONES);
            symbols[STONE_SQUARES + stone] = square.min(SQUARES as u8);
            if square != GONE {
                let seen_by_mover = if stone < MAX_STONES { square } else { Standard::GOAL.wrapping_sub(square) };
                symbols[usize::from(seen_by_mover & 31)] = stone as u8 + 1;
            }
        }
        // Filled last, so that no square, however wrong, could leave its mark in another part of the view.
        for stone in 0..STONES {
            let square = symbols[STONE_SQUARES + stone];
            symbols[DISTANCES + stone] = distance(square);
            symbols[ALIVE + stone] = u8::from(square != SQUARES as u8);
        }
        Self { symbols }
    }

    /// The symbol at a place.
    #[inline(always)]
    pub(super) fn symbol(&self, place: usize) -> u8 {
        self.symbols[place & 63]
    }

    /// The symbol of a cell.
    #[must_use]
    pub fn get(&self, cell: Cell) -> u8 {
        self.symbol(cell.place())
    }
}
