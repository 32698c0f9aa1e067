//! The tuple sets that have a name.
//!
//! Invariant: a name keeps its tuples for ever; a better set gets a new name, so that old model
//! files stay valid.

use super::{Cell, TupleError, TupleSet};
use crate::core::random::RandomStream;
use crate::games::einstein::MAX_STONES;

/// The names. Rows are `f32` weights of four bytes:
///
/// | name | tuples | rows | what |
/// |---|---|---|---|
/// | `stones` | 12 | 312 | the square of each stone: a linear baseline |
/// | `race` | 7 | 97,846 | distances of either side, halves of both sides crossed, who is alive |
/// | `stone-pairs` | 68 | 75,866 | all pairs of stones by square, and the distances of either side |
/// | `race-and-pairs` | 73 | 142,462 | `race` and all pairs of stones by square |
/// | `rows-and-diagonals` | 28 | 799,708 | board windows of four: in rows, columns and diagonals |
/// | `board-windows` | 44 | 1,256,684 | `rows-and-diagonals` and the 16 squares of 2×2 |
/// | `stone-triples` | 136 | 1,271,034 | `stone-pairs`, and triples of neighbouring labels within and across the sides |
/// | `everything` | 185 | 2,594,314 | `stone-triples`, `board-windows` and the crossed part of `race` |
/// | `walks-6` | 64 | 1,000,000 | random walks of six neighbouring squares, by how mobile the stones there are |
pub const SET_NAMES: [&str; 9] = [
    "stones",
    "race",
    "stone-pairs",
    "race-and-pairs",
    "rows-and-diagonals",
    "board-windows",
    "stone-triples",
    "everything",
    "walks-6",
];

pub(super) fn named(name: &str) -> Result<TupleSet, TupleError> {
    let Some(name) = SET_NAMES.into_iter().find(|known| *known == name) else {
        return Err(TupleError::UnknownSet(name.to_owned()));
    };
    let parts = match name {
        "stones" => vec![stones()],
        "race" => vec![distance_vectors(), race_crossings()],
        "stone-pairs" => vec![pairs(), distance_vectors()],
        "race-and-pairs" => vec![pairs(), distance_vectors(), race_crossings()],
        "rows-and-diagonals" => vec![lines()],
        "board-windows" => vec![lines(), blocks()],
        "stone-triples" => vec![pairs(), distance_vectors(), triples()],
        "walks-6" => vec![walks()],
        _ => vec![
            pairs(),
            distance_vectors(),
            triples(),
            lines(),
            blocks(),
            race_crossings(),
        ],
    };
    TupleSet::new(name, parts.concat())
}

/// The first stone of each side; a side's stones follow one another.
const SIDES: [usize; 2] = [0, MAX_STONES];

fn squares(stones: &[usize]) -> Vec<Cell> {
    stones.iter().map(|&stone| Cell::Square(stone)).collect()
}

fn stones() -> Vec<Vec<Cell>> {
    (0..2 * MAX_STONES).map(|stone| squares(&[stone])).collect()
}

/// All 66 pairs of the twelve stones: 26² rows each.
fn pairs() -> Vec<Vec<Cell>> {
    (0..2 * MAX_STONES)
        .flat_map(|second| (0..second).map(move |first| squares(&[first, second])))
        .collect()
}

/// The distances of all six stones of a side: 5⁶ rows, everything a race without captures depends
/// on.
fn distance_vectors() -> Vec<Vec<Cell>> {
    SIDES
        .map(|first| (first..first + MAX_STONES).map(Cell::Distance).collect())
        .to_vec()
}

/// Half of one side's distances with half of the other's (four times 5⁶ rows), and all twelve alive
/// bits (2¹²).
fn race_crossings() -> Vec<Vec<Cell>> {
    let half = |first: usize| (first..first + 3).map(Cell::Distance);
    let mut tuples: Vec<Vec<Cell>> = [(0, 6), (0, 9), (3, 6), (3, 9)]
        .map(|(own, other)| half(own).chain(half(other)).collect())
        .to_vec();
    tuples.push((0..2 * MAX_STONES).map(Cell::Alive).collect());
    tuples
}

/// Three stones with neighbouring labels of one side, and two of one side with any stone of the
/// other: 26³ rows each.
fn triples() -> Vec<Vec<Cell>> {
    let mut tuples = Vec::new();
    for side in SIDES {
        tuples.extend(
            (side..side + MAX_STONES - 2).map(|first| squares(&[first, first + 1, first + 2])),
        );
    }
    for (side, enemy_side) in [(0, MAX_STONES), (MAX_STONES, 0)] {
        for first in side..side + MAX_STONES - 1 {
            tuples.extend(
                (enemy_side..enemy_side + MAX_STONES)
                    .map(|enemy| squares(&[first, first + 1, enemy])),
            );
        }
    }
    tuples
}

/// Four squares in line on the board, 13⁴ rows each: rows and columns (two windows each), and the
/// diagonals of at least four squares in both directions.
fn lines() -> Vec<Vec<Cell>> {
    let mut tuples = Vec::new();
    for (row_step, column_step) in [(0, 1), (1, 0), (1, 1), (1, -1)] {
        for row in 0..5i32 {
            for column in 0..5i32 {
                let (last_row, last_column) = (row + 3 * row_step, column + 3 * column_step);
                if (0..5).contains(&last_row) && (0..5).contains(&last_column) {
                    let square =
                        |at: i32| ((row + at * row_step) * 5 + column + at * column_step) as usize;
                    tuples.push((0..4).map(|at| Cell::Board(square(at))).collect());
                }
            }
        }
    }
    tuples
}

/// The sixteen 2×2 squares of the board: 13⁴ rows each.
fn blocks() -> Vec<Vec<Cell>> {
    let corners = (0..4).flat_map(|row| (0..4).map(move |column| row * 5 + column));
    corners
        .map(|corner| [0, 1, 5, 6].map(|step| Cell::Board(corner + step)).to_vec())
        .collect()
}

/// What the walks of `walks-6` are drawn from: a set of its own for every seed.
const WALK_SEED: u64 = 6;
const WALKS: usize = 64;
const WALK_SQUARES: usize = 6;

/// Random walks on the board (Lucas 2008): from a random square to random ones of its up to eight
/// neighbours, until so many different squares were visited; no two walks with the same squares. 5⁶
/// rows each.
fn walks() -> Vec<Vec<Cell>> {
    let mut random = RandomStream::new(WALK_SEED);
    let mut walks: Vec<Vec<Cell>> = Vec::new();
    while walks.len() < WALKS {
        let mut square = random.below(25);
        let mut visited = vec![square];
        while visited.len() < WALK_SQUARES {
            let neighbours: Vec<usize> = (0..25)
                .filter(|&other| are_neighbours(square, other))
                .collect();
            square = neighbours[random.below(neighbours.len())];
            if !visited.contains(&square) {
                visited.push(square);
            }
        }
        visited.sort_unstable();
        let walk: Vec<Cell> = visited.into_iter().map(Cell::Mobile).collect();
        if !walks.contains(&walk) {
            walks.push(walk);
        }
    }
    walks
}

/// Whether a king moves from one square to the other.
fn are_neighbours(one: usize, other: usize) -> bool {
    one != other && (one / 5).abs_diff(other / 5) <= 1 && (one % 5).abs_diff(other % 5) <= 1
}
