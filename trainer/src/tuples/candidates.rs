//! What may be added to a set: tuples by rule, joined with their images under the symmetries of the
//! game.
//!
//! The kinds: pairs and triples of stones by square, subsets of distances, living stones, windows
//! (lines, diagonals and rectangles) and random walks of squares, these by stone, by how mobile it
//! is, or by whose it is. Invariant: a candidate holds every image of its tuples, and no two
//! candidates have a tuple in common.

use engine::core::random::RandomStream;
use engine::games::einstein::MAX_STONES;
use engine::games::einstein::learned::ntuple::Cell;
use std::collections::BTreeSet;

/// Tuples that are added together.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// What they are.
    pub kind: &'static str,
    /// Each as [`engine::games::einstein::learned::ntuple::TupleSet::custom`] takes it, its cells in ascending order.
    pub tuples: Vec<String>,
}

const STONES: usize = 2 * MAX_STONES;

/// Drawn for each kind of walk before images are joined.
const WALKS: usize = 40;

/// Alphabets of squares: a name, how they are written, and the most cells of a window and of a
/// walk.
type Alphabet = (&'static str, &'static str, fn(usize) -> Cell, usize, usize);

/// By stone 13⁴ rows, by mobility 5⁶, by owner 3⁸ or 3⁹.
const ALPHABETS: [Alphabet; 3] = [
    ("windows by stone", "walks by stone", Cell::Board, 4, 4),
    (
        "windows by mobility",
        "walks by mobility",
        Cell::Mobile,
        6,
        6,
    ),
    ("windows by owner", "walks by owner", Cell::Owner, 9, 8),
];

/// All candidates, in a fixed order; of a kind that has more than `most` so many, drawn from a
/// seed.
#[must_use]
pub fn candidates(most: usize, seed: u64) -> Vec<Candidate> {
    let mut random = RandomStream::new(seed);
    let mut kinds: Vec<(&'static str, Vec<Vec<Cell>>)> = vec![
        ("pairs of stones", subsets(STONES, 2, Cell::Square)),
        ("triples of stones", subsets(STONES, 3, Cell::Square)),
        (
            "distances",
            (2..=6)
                .flat_map(|count| subsets(STONES, count, Cell::Distance))
                .collect(),
        ),
        (
            "living stones",
            [0..STONES, 0..MAX_STONES, MAX_STONES..STONES]
                .map(|stones| stones.map(Cell::Alive).collect())
                .to_vec(),
        ),
    ];
    for (windows_name, walks_name, cell, most_window, walk) in ALPHABETS {
        let written = |squares: Vec<Vec<usize>>| {
            squares
                .into_iter()
                .map(|squares| squares.into_iter().map(cell).collect())
                .collect()
        };
        kinds.push((windows_name, written(windows(most_window))));
        kinds.push((
            walks_name,
            written((0..WALKS).map(|_| random_walk(walk, &mut random)).collect()),
        ));
    }
    let mut seen = BTreeSet::new();
    let mut all = Vec::new();
    for (kind, tuples) in kinds {
        let mut orbits: Vec<Vec<Vec<Cell>>> = Vec::new();
        for tuple in tuples {
            let orbit = orbit(&tuple);
            if seen.insert(orbit[0].clone()) {
                orbits.push(orbit);
            }
        }
        if orbits.len() > most {
            random.shuffle(&mut orbits);
            orbits.truncate(most);
        }
        let text = |tuple: Vec<Cell>| {
            tuple
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
                .join(" ")
        };
        all.extend(orbits.into_iter().map(|orbit| Candidate {
            kind,
            tuples: orbit.into_iter().map(text).collect(),
        }));
    }
    all
}

/// A tuple and its images, each once, in ascending order.
pub(super) fn orbit(tuple: &[Cell]) -> Vec<Vec<Cell>> {
    let images = (0..8).map(|symmetry| {
        let mut cells: Vec<Cell> = tuple.iter().map(|&cell| image(cell, symmetry)).collect();
        cells.sort_unstable();
        cells
    });
    images.collect::<BTreeSet<_>>().into_iter().collect()
}

/// The cell that holds, but for other names of its symbols, in a position what this cell holds in
/// the position's image under a symmetry of [`engine::games::einstein::symmetry`].
pub(super) fn image(cell: Cell, symmetry: usize) -> Cell {
    let square = |square: usize| {
        if symmetry & 1 == 1 {
            square % 5 * 5 + square / 5
        } else {
            square
        }
    };
    let stone = |stone: usize| match stone {
        0..MAX_STONES if symmetry & 2 != 0 => MAX_STONES - 1 - stone,
        MAX_STONES.. if symmetry & 4 != 0 => 3 * MAX_STONES - 1 - stone,
        _ => stone,
    };
    match cell {
        Cell::Board(at) => Cell::Board(square(at)),
        Cell::Owner(at) => Cell::Owner(square(at)),
        Cell::Mobile(at) => Cell::Mobile(square(at)),
        Cell::Square(which) => Cell::Square(stone(which)),
        Cell::Distance(which) => Cell::Distance(stone(which)),
        Cell::Alive(which) => Cell::Alive(stone(which)),
    }
}

/// All choices of so many of the first numbers, as cells.
fn subsets(of: usize, count: usize, cell: fn(usize) -> Cell) -> Vec<Vec<Cell>> {
    let chosen = |set: u32| {
        (0..of)
            .filter(|&number| set >> number & 1 == 1)
            .map(cell)
            .collect()
    };
    (0..1u32 << of)
        .filter(|set| set.count_ones() as usize == count)
        .map(chosen)
        .collect()
}

/// Lines and diagonals of three or more squares and rectangles, of at most so many squares.
fn windows(most: usize) -> Vec<Vec<usize>> {
    let mut windows = Vec::new();
    for row in 0..5usize {
        for column in 0..5usize {
            for height in 1..=5 - row {
                for width in 1..=5 - column {
                    if (3..=most).contains(&(height * width)) {
                        windows.push(
                            (0..height * width)
                                .map(|at| (row + at / width) * 5 + column + at % width)
                                .collect(),
                        );
                    }
                }
            }
            for length in 3..=most.min(5) {
                if row + length <= 5 && column + length <= 5 {
                    windows.push((0..length).map(|at| (row + at) * 5 + column + at).collect());
                }
                if row + length <= 5 && column + 1 >= length {
                    windows.push((0..length).map(|at| (row + at) * 5 + column - at).collect());
                }
            }
        }
    }
    windows
}

/// From a random square to random neighbours until so many squares were visited, as in the set
/// `walks-6`.
fn random_walk(squares: usize, random: &mut RandomStream) -> Vec<usize> {
    let near = |one: usize, other: usize| {
        one != other && (one / 5).abs_diff(other / 5) <= 1 && (one % 5).abs_diff(other % 5) <= 1
    };
    let mut at = random.below(25);
    let mut visited = vec![at];
    while visited.len() < squares {
        let neighbours: Vec<usize> = (0..25).filter(|&other| near(at, other)).collect();
        at = neighbours[random.below(neighbours.len())];
        if !visited.contains(&at) {
            visited.push(at);
        }
    }
    visited
}
