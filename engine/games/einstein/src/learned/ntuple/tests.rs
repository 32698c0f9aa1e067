//! Tuple rows against symbols parsed from the board's text, and sums against plain arithmetic.

mod successors;

use super::{
    cells::{ALIVE_CELLS, CELL_GROUPS, MOBILE_CELLS},
    *,
};
use crate::{
    MAX_STONES,
    evaluators::test_support::{self, Board, Stone},
    position::Side,
};
use alea_core::{evaluator::Evaluator, random::RandomStream, text::parse_json_rows};
use alea_learned::{inputs::format_cell, tuples::CUSTOM_NAME};
use std::collections::HashSet;

fn random_positions(games: usize) -> Vec<Position> {
    test_support::random_positions(&Standard::default(), 31, 20 * games)
}

fn set_by_name(name: &str) -> TupleSet {
    TupleSet::from_name(&Standard::default(), name).unwrap()
}

fn custom_set(tuples: &[impl AsRef<str>]) -> TupleSet {
    TupleSet::parse_custom(&Standard::default(), tuples).unwrap()
}

fn random_network(set: &TupleSet, seed: u64, bias: f32) -> NTuple {
    let mut random = RandomStream::new(seed);
    let weights = (0..set.row_count()).map(|_| random.uniform_f64() as f32 - 0.5);
    NTuple::new(set.clone(), weights.collect(), bias).unwrap()
}

fn table_ends(set: &TupleSet) -> Vec<usize> {
    let mut end = 0;
    set.tuple_cells()
        .iter()
        .map(|tuple| {
            end += tuple
                .iter()
                .map(|cell| cell.alphabet_size())
                .product::<usize>();
            end
        })
        .collect()
}

fn symbol(position: &Position, cell: Cell) -> usize {
    let board = Board::from_position(&Standard::default(), position);
    let mover_is_red = board.red_to_move;
    let number = |stone: &Stone| stone.label - 1 + if stone.red == mover_is_red { 0 } else { 6 };
    let square = |stone: &Stone, red: bool| {
        let (row, column) = stone.in_perspective(red);
        (5 * row + column) as usize
    };
    let stone_on = |at: usize| {
        let mut stones = board.stones.iter();
        stones
            .find(|stone| square(stone, mover_is_red) == at)
            .map(number)
    };
    let own_square = |at: usize| {
        let mut stones = board.stones.iter();
        stones
            .find(|stone| number(stone) == at)
            .map(|stone| square(stone, stone.red))
    };
    let text = format_cell(&CELL_GROUPS, cell);
    let at: usize = text[1..].parse().unwrap();
    match &text[..1] {
        "b" => stone_on(at).map_or(0, |stone| stone + 1),
        "s" => own_square(at).unwrap_or(25),
        "d" => own_square(at).map_or(0, |square| (4 - square / 5).max(4 - square % 5)),
        "a" => usize::from(own_square(at).is_some()),
        "o" => stone_on(at).map_or(0, |stone| 1 + stone / 6),
        _ => stone_on(at).map_or(0, |stone| {
            let own = if stone < 6 {
                *position
            } else {
                position.pass_turn()
            };
            let faces = (1..=6).filter(|&face| {
                Standard::default()
                    .legal_moves(&own, face)
                    .iter()
                    .any(|mv| mv.stone() == stone % 6)
            });
            2 * (stone / 6) + faces.count().min(2)
        }),
    }
}

fn mixed_set() -> TupleSet {
    let mut random = RandomStream::new(77);
    let kinds = [
        ('b', 25),
        ('s', 12),
        ('d', 12),
        ('a', 12),
        ('o', 25),
        ('m', 25),
    ];
    let mut tuples = Vec::new();
    for number in 0..45 {
        let (length, kinds) = if number % 12 < 4 {
            (1 + number % 12, &kinds[..])
        } else {
            (1 + number % 12, &kinds[3..5])
        };
        let mut cells = HashSet::new();
        while cells.len() < length {
            let (letter, count) = kinds[random.below(kinds.len())];
            cells.insert(format!("{letter}{}", random.below(count)));
        }
        let mut cells: Vec<String> = cells.into_iter().collect();
        cells.sort();
        tuples.push(cells.join(" "));
    }
    custom_set(&tuples)
}

fn sets() -> Vec<TupleSet> {
    let mut sets: Vec<TupleSet> = SETS.iter().map(|set| set_by_name(set.name)).collect();
    sets.extend([
        mixed_set(),
        mixed_set().with_phases([5, 8]).unwrap(),
        set_by_name("race").with_phases([11]).unwrap(),
    ]);
    sets
}

#[test]
fn sizes_are_those_documented() {
    let expected = [
        ("stones", 12, 312),
        ("race", 7, 6 * 15_625 + 4096),
        ("stone-pairs", 68, 66 * 676 + 2 * 15_625),
        ("race-and-pairs", 73, 66 * 676 + 6 * 15_625 + 4096),
        ("rows-and-diagonals", 28, 28 * 28_561),
        ("board-windows", 44, 44 * 28_561),
        ("stone-triples", 136, 66 * 676 + 2 * 15_625 + 68 * 17_576),
        (
            "everything",
            185,
            66 * 676 + 6 * 15_625 + 68 * 17_576 + 44 * 28_561 + 4096,
        ),
        ("walks-6", 64, 1_000_000),
    ];
    assert_eq!(
        HashSet::from(expected.map(|(name, ..)| name)),
        SETS.iter().map(|set| set.name).collect()
    );
    for (name, tuples, rows) in expected {
        let set = set_by_name(name);
        assert_eq!(
            (set.name(), set.tuple_count(), set.row_count()),
            (name, tuples, rows)
        );
        let distinct: HashSet<_> = set.tuple_cells().iter().collect();
        assert_eq!(distinct.len(), tuples, "{name} has a tuple twice");
    }
    let error = TupleSet::from_name(&Standard::default(), "stone-pears")
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with(
            "'stone-pears' is no tuple set (did you mean 'stone-pairs'?); there are race-and-pairs, stones, race, stone-pairs,"
        ),
        "{error}"
    );
}

#[test]
fn indices_are_the_mixed_radix_numbers_of_the_symbols() {
    for set in sets() {
        let name = set.name();
        let mut rows = vec![0; set.tuple_count()];
        for position in random_positions(6) {
            set.row_indices(&position, &mut rows);
            let stones = (0..12)
                .filter(|&stone| symbol(&position, ALIVE_CELLS.cell(stone)) == 1)
                .count();
            let phase = set
                .phases()
                .limits()
                .iter()
                .position(|&max_stones| stones <= usize::from(max_stones))
                .unwrap_or(set.phases().limits().len());
            let first = phase * set.row_count() / (set.phases().limits().len() + 1);
            let mut base = 0;
            for ((tuple, end), row) in set.tuple_cells().iter().zip(table_ends(&set)).zip(&rows) {
                let index = tuple.iter().rev().fold(0, |index, cell| {
                    index * cell.alphabet_size() + symbol(&position, *cell)
                });
                assert_eq!(
                    *row as usize,
                    first + base + index,
                    "{name} {position:?} {tuple:?}"
                );
                base = end;
            }
            assert_eq!(base * (set.phases().limits().len() + 1), set.row_count());
        }
    }
}

#[test]
fn every_tuple_has_a_row_of_its_own_and_different_positions_differ() {
    let set = set_by_name("everything");
    let mut seen = HashSet::new();
    let mut positions = HashSet::new();
    for position in random_positions(40) {
        let mut rows = vec![0; set.tuple_count()];
        set.row_indices(&position, &mut rows);
        assert!(
            rows.is_sorted_by(|a, b| a < b)
                && (rows[set.tuple_count() - 1] as usize) < set.row_count()
        );
        positions.insert((position.mover(), position.other()));
        seen.insert(rows);
    }
    assert_eq!(seen.len(), positions.len());
}

#[test]
fn descriptions_of_different_sets_differ() {
    let all: HashSet<String> = sets().iter().map(TupleSet::schema_text).collect();
    assert_eq!(all.len(), sets().len());
    let stones = set_by_name("stones").schema_text();
    assert!(
        stones.ends_with("; set stones: s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11"),
        "{stones}"
    );
}

#[test]
fn impossible_weights_are_refused() {
    let refused = |weights: Vec<f32>, bias| {
        let network = NTuple::new(set_by_name("stones"), weights, bias);
        network.unwrap_err().to_string()
    };
    let mut infinite = vec![0.0; 312];
    infinite[7] = f32::INFINITY;
    for (weights, bias, expected) in [
        (
            vec![0.0; 311],
            0.0,
            "311 weights for 312 rows of the tuple set",
        ),
        (
            infinite,
            0.0,
            "the weight of row 7 is inf; weights must be finite",
        ),
        (
            vec![0.0; 312],
            f32::NAN,
            "the bias is NaN; it must be finite",
        ),
        (
            vec![1e6; 312],
            0.0,
            "the log odds may reach 12000000; weights must keep them below 4194304",
        ),
    ] {
        assert_eq!(refused(weights, bias), expected);
    }
}

#[test]
fn rows_fit_their_tables_whatever_the_position() {
    for set in sets() {
        let ends = table_ends(&set);
        let of_a_phase = ends[ends.len() - 1];
        let mut rows = vec![0; set.tuple_count()];
        for position in test_support::impossible_positions(500) {
            set.row_indices(&position, &mut rows);
            for (tuple, &row) in rows.iter().enumerate() {
                let row = row as usize % of_a_phase;
                assert!(
                    row < ends[tuple] && (tuple == 0 || row >= ends[tuple - 1]),
                    "{position:?}"
                );
            }
        }
    }
}

#[test]
fn compact_alphabets_are_separate() {
    for position in random_positions(3) {
        let (plain, complete) = (Symbols::without_compact(&position), Symbols::new(&position));
        assert_eq!(plain.symbols()[..64], complete.symbols()[..64]);
        assert!(plain.symbols()[64..].iter().all(|&symbol| symbol == 0));
        assert_eq!(complete.symbols()[61..64], [0; 3]);
    }
}

#[test]
fn a_set_is_read_back_from_its_texts() {
    let set = custom_set(&["b3 b4  s0", "d1", "m24 o0"]);
    assert_eq!(
        (set.name(), set.tuple_texts()),
        (
            CUSTOM_NAME,
            ["d1", "m24 o0", "b3 b4 s0"].map(str::to_owned).to_vec()
        )
    );
    assert_eq!(set.row_count(), 5 + 15 + 13 * 13 * 26);
    for set in sets() {
        let again = custom_set(&set.tuple_texts())
            .with_phases(set.phases().limits())
            .unwrap();
        assert_eq!(again.tuple_cells(), set.tuple_cells());
        assert_eq!(again.row_count(), set.row_count());
        let list = |text: String| text.rsplit_once(": ").unwrap().1.to_owned();
        assert_eq!(list(again.schema_text()), list(set.schema_text()));
    }
    let phases = set.with_phases([5, 8]).unwrap();
    assert_eq!(phases.row_count(), 3 * (5 + 15 + 13 * 13 * 26));
    assert!(phases.schema_text().contains(
        "4 other: others too); phases by living stones up to 5 8; set custom: d1, m24 o0, b3 b4 s0"
    ));
}

#[test]
fn invalid_descriptions_fail_with_one_line() {
    let many = |count: usize| -> Vec<String> {
        (0..count)
            .map(|number| format!("s{} b{}", number / 25, number % 25))
            .collect()
    };
    let refused = |tuples: &[&str]| {
        let error = TupleSet::parse_custom(&Standard::default(), tuples);
        error.unwrap_err().to_string()
    };
    for [tuples, expected] in parse_json_rows::<[String; 2]>(include_str!("refused.jsonl")) {
        let error = refused(&tuples.split(',').collect::<Vec<_>>());
        assert!(
            error.starts_with(&expected) && !error.contains('\n'),
            "{error}"
        );
    }
    assert_eq!(refused(&[]), "0 tuples; a set has 1 to 256");
    assert_eq!(refused(&["s0"; 257]), "257 tuples; a set has 1 to 256");
    assert_eq!(custom_set(&many(256)).tuple_count(), 256);
    for phases in [&[1][..], &[12], &[5, 5], &[8, 5]] {
        let error = set_by_name("stones")
            .with_phases(phases)
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with("phases [") && error.ends_with("must ascend, from 2 to 11"),
            "{error}"
        );
    }
    let large = custom_set(&["s0 s1 s2 s3 s4", "s0 s1 s2 s3 s5"]);
    let error = large.with_phases([4, 7]).unwrap_err().to_string();
    let expected = "71288256 rows in all tables and phases; there may be 67108864";
    assert_eq!(error, expected);
}

#[test]
fn walks_are_six_connected_squares() {
    let set = set_by_name("walks-6");
    for walk in set.tuple_cells() {
        let squares: Vec<usize> = walk
            .iter()
            .map(|cell| MOBILE_CELLS.index_in_group(*cell).unwrap())
            .collect();
        assert_eq!(squares.len(), 6);
        let mut reached = vec![squares[0]];
        for _ in 0..6 {
            let near = |&square: &usize| {
                reached.iter().any(|&other| {
                    (square / 5)
                        .abs_diff(other / 5)
                        .max((square % 5).abs_diff(other % 5))
                        <= 1
                })
            };
            reached = squares.iter().copied().filter(near).collect();
        }
        assert_eq!(reached, squares);
    }
}
