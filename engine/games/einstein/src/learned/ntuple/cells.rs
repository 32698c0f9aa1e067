//! Tuple cells: indices, names (whose meaning never changes) and alphabets. Stones 0–5 are the
//! mover's 1–6, stones 6–11 the other side's; squares are in the mover's perspective.

use crate::{MAX_STONES, Standard, symmetry::transpose};
use alea_learned::inputs::{Cell, CellGroup};

pub(super) const SQUARES: usize = Standard::SQUARES as usize;
pub(super) const STONES: usize = 2 * MAX_STONES;

// First cell of each kind. The first 64 cells are always computed; the compact alphabets, 32 bytes
// each, only for sets with such cells.
pub(super) const BOARD_START: usize = 0;
pub(super) const SQUARES_START: usize = BOARD_START + SQUARES;
pub(super) const DISTANCES_START: usize = SQUARES_START + STONES;
pub(super) const ALIVE_START: usize = DISTANCES_START + STONES;
pub(super) const OWNERS_START: usize = 64;
pub(super) const MOBILE_START: usize = 96;
pub(super) const CELLS: usize = 128;

const _: () = assert!(
    ALIVE_START + STONES <= OWNERS_START
        && OWNERS_START + SQUARES <= MOBILE_START
        && MOBILE_START + SQUARES <= CELLS
);

const fn cell_group(
    letter: char,
    start: usize,
    count: usize,
    symbols: usize,
    meaning: &'static str,
) -> CellGroup {
    CellGroup {
        letter,
        start,
        count,
        symbols,
        meaning,
        optional: start >= OWNERS_START,
    }
}

pub(super) const BOARD_CELLS: CellGroup = cell_group(
    'b',
    BOARD_START,
    SQUARES,
    STONES + 1,
    "board seen by the mover (0 empty, 1-6 mover, 7-12 other)",
);
pub(super) const STONE_SQUARE_CELLS: CellGroup = cell_group(
    's',
    SQUARES_START,
    STONES,
    SQUARES + 1,
    "square of mover 1-6, other 1-6 in the owner's perspective (25 gone)",
);
/// Cell for each stone: king's moves to the goal, 1–4; 0 for a captured stone.
pub(super) const DISTANCE_CELLS: CellGroup =
    cell_group('d', DISTANCES_START, STONES, 5, "distance (0 gone)");
pub(super) const ALIVE_CELLS: CellGroup = cell_group('a', ALIVE_START, STONES, 2, "alive");
pub(super) const OWNER_CELLS: CellGroup = cell_group(
    'o',
    OWNERS_START,
    SQUARES,
    3,
    "whose stone (0 empty, 1 mover, 2 other)",
);
/// Cell for each square: the owner of its stone, and whether faces other than the stone's number
/// allow it.
pub(super) const MOBILE_CELLS: CellGroup = cell_group(
    'm',
    MOBILE_START,
    SQUARES,
    5,
    "the faces that permit it (0 empty, 1 mover: its own, 2 mover: others too, 3 other: its own, 4 other: others too)",
);

pub(crate) static CELL_GROUPS: [CellGroup; 6] = [
    BOARD_CELLS,
    STONE_SQUARE_CELLS,
    DISTANCE_CELLS,
    ALIVE_CELLS,
    OWNER_CELLS,
    MOBILE_CELLS,
];

/// Image of `cell` under a symmetry of [`crate::symmetry`]; its symbols may have to be renamed.
pub(crate) fn transform_cell(cell: Cell, symmetry: usize) -> Cell {
    let square = |square: usize| {
        if symmetry & 1 == 1 {
            usize::from(transpose(square as u8))
        } else {
            square
        }
    };
    let stone = |stone: usize| match stone {
        0..MAX_STONES if symmetry & 2 != 0 => MAX_STONES - 1 - stone,
        MAX_STONES.. if symmetry & 4 != 0 => 3 * MAX_STONES - 1 - stone,
        _ => stone,
    };
    let flipped = CELL_GROUPS.iter().find_map(|group| {
        let number = group.index_in_group(cell)?;
        Some(group.cell(if group.count == SQUARES {
            square(number)
        } else {
            stone(number)
        }))
    });
    flipped.unwrap_or(cell)
}
