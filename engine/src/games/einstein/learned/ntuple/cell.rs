//! The cells that tuples are made of: their names, places in a view, and alphabets.
//!
//! Invariant: a cell is written as a letter and a number and read back from that; names never
//! change their meaning.

use crate::games::einstein::{MAX_STONES, Standard};
use std::fmt;
use std::str::FromStr;

pub(super) const SQUARES: usize = Standard::SQUARES as usize;
pub(super) const STONES: usize = 2 * MAX_STONES;

// Where each kind begins in a view. The first 64 places are what every set may use; the reduced
// alphabets follow, each in a vector of 32 bytes.
pub(super) const BOARD: usize = 0;
pub(super) const STONE_SQUARES: usize = BOARD + SQUARES;
pub(super) const DISTANCES: usize = STONE_SQUARES + STONES;
pub(super) const ALIVE: usize = DISTANCES + STONES;
pub(super) const OWNERS: usize = 64;
pub(super) const MOBILE: usize = 96;
/// Places of a view.
pub(super) const CELLS: usize = 128;

const _: () =
    assert!(ALIVE + STONES <= OWNERS && OWNERS + SQUARES <= MOBILE && MOBILE + SQUARES <= CELLS);

/// One place of a view. Stones 0–5 are the mover's 1–6, stones 6–11 the other side's; squares 0–24
/// are in the mover's perspective.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Cell {
    /// What stands on a square: 0 nothing, 1–12 stone 0–11.
    Board(usize),
    /// The square of a stone in its owner's perspective, 25 when gone.
    Square(usize),
    /// The distance of a stone to its goal, 1–4; 0 when gone (or on the goal, where the game is
    /// over).
    Distance(usize),
    /// Whether a stone is alive.
    Alive(usize),
    /// Whose stone stands on a square: 0 nobody's, 1 the mover's, 2 the other side's.
    Owner(usize),
    /// How mobile the stone on a square is: 0 no stone, 1 one of the mover's that only its own
    /// number permits, 2 one that other numbers permit too, 3 and 4 the same of the other side.
    Mobile(usize),
}

/// A text that names no cell.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is no cell; there are b0-24, s0-11, d0-11, a0-11, o0-24 and m0-24")]
pub struct UnknownCell(pub String);

impl Cell {
    /// The cell with this letter and number, if there is one.
    fn with_letter(letter: char, number: usize) -> Option<Self> {
        let (cell, count) = match letter {
            'b' => (Self::Board(number), SQUARES),
            's' => (Self::Square(number), STONES),
            'd' => (Self::Distance(number), STONES),
            'a' => (Self::Alive(number), STONES),
            'o' => (Self::Owner(number), SQUARES),
            'm' => (Self::Mobile(number), SQUARES),
            _ => return None,
        };
        (number < count).then_some(cell)
    }

    /// Where the cell is in the view.
    pub(super) fn place(self) -> usize {
        match self {
            Self::Board(square) => BOARD + square,
            Self::Square(stone) => STONE_SQUARES + stone,
            Self::Distance(stone) => DISTANCES + stone,
            Self::Alive(stone) => ALIVE + stone,
            Self::Owner(square) => OWNERS + square,
            Self::Mobile(square) => MOBILE + square,
        }
    }

    /// Whether it is one of the reduced alphabets.
    pub(super) fn is_reduced(self) -> bool {
        matches!(self, Self::Owner(_) | Self::Mobile(_))
    }

    /// How many symbols the cell may hold.
    #[must_use]
    pub fn symbols(self) -> usize {
        match self {
            Self::Board(_) => STONES + 1,
            Self::Square(_) => SQUARES + 1,
            Self::Distance(_) | Self::Mobile(_) => 5,
            Self::Alive(_) => 2,
            Self::Owner(_) => 3,
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
            Self::Owner(square) => write!(formatter, "o{square}"),
            Self::Mobile(square) => write!(formatter, "m{square}"),
        }
    }
}

impl FromStr for Cell {
    type Err = UnknownCell;

    fn from_str(text: &str) -> Result<Self, UnknownCell> {
        let mut characters = text.chars();
        let cell = characters
            .next()
            .and_then(|letter| Self::with_letter(letter, characters.as_str().parse().ok()?));
        // One text a cell: neither b+1 nor b01.
        cell.filter(|cell| cell.to_string() == text)
            .ok_or_else(|| UnknownCell(text.to_owned()))
    }
}
