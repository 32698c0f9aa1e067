//! The named tuple sets, and the candidates of tuple searches. A name keeps its tuples for ever.

use super::cells::{
    ALIVE_CELLS, BOARD_CELLS, DISTANCE_CELLS, MOBILE_CELLS, OWNER_CELLS, STONE_SQUARE_CELLS, STONES,
};
use crate::{MAX_STONES, Standard};
use alea_core::random::RandomStream;
use alea_learned::inputs::{Cell, CellGroup, NamedTuples, TupleCandidates};

/// The named sets; `docs/train.md` lists their numbers of tuples and weights.
pub(crate) static SETS: [NamedTuples<Standard>; 9] = [
    named_tuples("race-and-pairs", |_| {
        [stone_pair_tuples(), distance_vectors(), race_crossings()].concat()
    }),
    named_tuples("stones", |_| single_stone_tuples()),
    named_tuples("race", |_| [distance_vectors(), race_crossings()].concat()),
    named_tuples("stone-pairs", |_| {
        [stone_pair_tuples(), distance_vectors()].concat()
    }),
    named_tuples("rows-and-diagonals", |_| windows_of_four()),
    named_tuples("board-windows", |_| {
        [windows_of_four(), two_by_two_windows()].concat()
    }),
    named_tuples("stone-triples", |_| {
        [
            stone_pair_tuples(),
            distance_vectors(),
            stone_triple_tuples(),
        ]
        .concat()
    }),
    named_tuples("everything", |_| {
        [
            stone_pair_tuples(),
            distance_vectors(),
            stone_triple_tuples(),
            windows_of_four(),
            two_by_two_windows(),
            race_crossings(),
        ]
        .concat()
    }),
    named_tuples("walks-6", |_| walk_tuples()),
];

const fn named_tuples(
    name: &'static str,
    tuples: fn(&Standard) -> Vec<Vec<Cell>>,
) -> NamedTuples<Standard> {
    NamedTuples {
        name,
        tuples,
        symmetric: false,
    }
}

const SIDE_FIRST_STONES: [usize; 2] = [0, MAX_STONES];

fn cells(group: CellGroup, numbers: impl IntoIterator<Item = usize>) -> Vec<Cell> {
    numbers
        .into_iter()
        .map(|number| group.cell(number))
        .collect()
}

fn stone_square_cells<const COUNT: usize>(stones: [usize; COUNT]) -> Vec<Cell> {
    cells(STONE_SQUARE_CELLS, stones)
}

fn single_stone_tuples() -> Vec<Vec<Cell>> {
    (0..STONES)
        .map(|stone| stone_square_cells([stone]))
        .collect()
}

fn stone_pair_tuples() -> Vec<Vec<Cell>> {
    (0..STONES)
        .flat_map(|second| (0..second).map(move |first| stone_square_cells([first, second])))
        .collect()
}

fn distance_vectors() -> Vec<Vec<Cell>> {
    SIDE_FIRST_STONES
        .map(|first| cells(DISTANCE_CELLS, first..first + MAX_STONES))
        .to_vec()
}

fn race_crossings() -> Vec<Vec<Cell>> {
    let mut tuples: Vec<Vec<Cell>> = [(0, 6), (0, 9), (3, 6), (3, 9)]
        .map(|(own, other)| cells(DISTANCE_CELLS, (own..own + 3).chain(other..other + 3)))
        .to_vec();
    tuples.push(cells(ALIVE_CELLS, 0..STONES));
    tuples
}

fn stone_triple_tuples() -> Vec<Vec<Cell>> {
    let mut tuples = Vec::new();
    for side in SIDE_FIRST_STONES {
        tuples.extend(
            (side..side + MAX_STONES - 2)
                .map(|first| stone_square_cells([first, first + 1, first + 2])),
        );
    }
    for (side, enemy_side) in [(0, MAX_STONES), (MAX_STONES, 0)] {
        for first in side..side + MAX_STONES - 1 {
            tuples.extend(
                (enemy_side..enemy_side + MAX_STONES)
                    .map(|enemy| stone_square_cells([first, first + 1, enemy])),
            );
        }
    }
    tuples
}

fn windows_of_four() -> Vec<Vec<Cell>> {
    let mut tuples = Vec::new();
    for (row_step, column_step) in [(0, 1), (1, 0), (1, 1), (1, -1)] {
        for row in 0..5i32 {
            for column in 0..5i32 {
                let (last_row, last_column) = (row + 3 * row_step, column + 3 * column_step);
                if (0..5).contains(&last_row) && (0..5).contains(&last_column) {
                    let square =
                        |at: i32| ((row + at * row_step) * 5 + column + at * column_step) as usize;
                    tuples.push(cells(BOARD_CELLS, (0..4).map(square)));
                }
            }
        }
    }
    tuples
}

fn two_by_two_windows() -> Vec<Vec<Cell>> {
    let corners = (0..4).flat_map(|row| (0..4).map(move |column| row * 5 + column));
    corners
        .map(|corner| cells(BOARD_CELLS, [0, 1, 5, 6].map(|step| corner + step)))
        .collect()
}

const WALK_SEED: u64 = 6;
const NUM_WALKS: usize = 64;
const SQUARES_PER_WALK: usize = 6;

/// Random walks (Lucas 2008), each over different squares.
fn walk_tuples() -> Vec<Vec<Cell>> {
    let mut random = RandomStream::new(WALK_SEED);
    let mut walks: Vec<Vec<Cell>> = Vec::new();
    while walks.len() < NUM_WALKS {
        let mut visited = random_walk(SQUARES_PER_WALK, &mut random);
        visited.sort_unstable();
        let walk = cells(MOBILE_CELLS, visited);
        if !walks.contains(&walk) {
            walks.push(walk);
        }
    }
    walks
}

fn random_walk(squares: usize, random: &mut RandomStream) -> Vec<usize> {
    let mut square = random.below(25);
    let mut visited = vec![square];
    while visited.len() < squares {
        let neighbours: Vec<usize> = (0..25)
            .filter(|&other| are_neighbours(square, other))
            .collect();
        square = neighbours[random.below(neighbours.len())];
        if !visited.contains(&square) {
            visited.push(square);
        }
    }
    visited
}

fn are_neighbours(one: usize, other: usize) -> bool {
    one != other && (one / 5).abs_diff(other / 5) <= 1 && (one % 5).abs_diff(other % 5) <= 1
}

const NUM_CANDIDATE_WALKS: usize = 40;

/// For each kind of square cells: names of its windows and of its walks, the cells, the maximal
/// squares of a window, the squares of a walk.
const SQUARE_ALPHABETS: [(&str, &str, CellGroup, usize, usize); 3] = [
    ("windows by stone", "walks by stone", BOARD_CELLS, 4, 4),
    (
        "windows by mobility",
        "walks by mobility",
        MOBILE_CELLS,
        6,
        6,
    ),
    ("windows by owner", "walks by owner", OWNER_CELLS, 9, 8),
];

pub(crate) fn candidates(random: &mut RandomStream) -> Vec<TupleCandidates> {
    let distances = (2..=6).flat_map(|count| tuples_of_subsets(DISTANCE_CELLS, count));
    let mut kinds: Vec<TupleCandidates> = vec![
        ("pairs of stones", tuples_of_subsets(STONE_SQUARE_CELLS, 2)),
        (
            "triples of stones",
            tuples_of_subsets(STONE_SQUARE_CELLS, 3),
        ),
        ("distances", distances.collect()),
        (
            "living stones",
            [0..STONES, 0..MAX_STONES, MAX_STONES..STONES]
                .map(|stones| cells(ALIVE_CELLS, stones))
                .to_vec(),
        ),
    ];
    for (windows_name, walks_name, alphabet, max_window, walk) in SQUARE_ALPHABETS {
        let windows = windows(max_window).into_iter();
        let windows = windows.map(|window| cells(alphabet, window));
        kinds.push((windows_name, windows.collect()));
        let walks = (0..NUM_CANDIDATE_WALKS).map(|_| cells(alphabet, random_walk(walk, random)));
        kinds.push((walks_name, walks.collect()));
    }
    kinds
}

fn tuples_of_subsets(group: CellGroup, count: u32) -> Vec<Vec<Cell>> {
    (0..1u32 << group.count)
        .filter(|set| set.count_ones() == count)
        .map(|set| {
            cells(
                group,
                (0..group.count).filter(|number| set >> number & 1 == 1),
            )
        })
        .collect()
}

/// Rectangles and diagonals of 3 to `max_cells` squares.
fn windows(max_cells: usize) -> Vec<Vec<usize>> {
    let mut windows = Vec::new();
    for row in 0..5usize {
        for column in 0..5usize {
            for height in 1..=5 - row {
                for width in 1..=5 - column {
                    if (3..=max_cells).contains(&(height * width)) {
                        windows.push(
                            (0..height * width)
                                .map(|at| (row + at / width) * 5 + column + at % width)
                                .collect(),
                        );
                    }
                }
            }
            for length in 3..=max_cells.min(5) {
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
