//! Tuple indices against a view read off the board's text, and sums against `f64`.

use super::super::test_support;
use super::*;
use crate::random::RandomStream;
use std::collections::HashSet;

/// Positions of about so many random games.
fn random_positions(games: usize) -> Vec<Position> {
    test_support::random_positions(&Standard::default(), 31, 20 * games)
}

/// The symbol of a cell from the position's text instead of its lanes.
fn symbol(position: &Position, cell: Cell) -> usize {
    let text = Standard::default().format_position(position, None);
    let mut board: Vec<char> = text.chars().take_while(|character| *character != ' ').filter(|character| *character != '/').collect();
    let mover_is_red = text.contains(" r ");
    if !mover_is_red {
        board.reverse();
    }
    // In the text seen by the mover, its stones are 0–5 and the other's 6–11.
    let stone_of = |character: char| -> Option<usize> {
        match character {
            '1'..='6' => Some(character as usize - '1' as usize + if mover_is_red { 0 } else { 6 }),
            'a'..='f' => Some(character as usize - 'a' as usize + if mover_is_red { 6 } else { 0 }),
            _ => None,
        }
    };
    let own_square = |stone: usize| {
        let at = board.iter().position(|&character| stone_of(character) == Some(stone));
        at.map(|at| if stone < 6 { at } else { 24 - at })
    };
    match cell {
        Cell::Board(square) => stone_of(board[square]).map_or(0, |stone| stone + 1),
        Cell::Square(stone) => own_square(stone).unwrap_or(25),
        Cell::Distance(stone) => own_square(stone).map_or(0, |square| (4 - square / 5).max(4 - square % 5)),
        Cell::Alive(stone) => usize::from(own_square(stone).is_some()),
    }
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
        ("everything", 185, 66 * 676 + 6 * 15_625 + 68 * 17_576 + 44 * 28_561 + 4096),
    ];
    assert_eq!(expected.map(|(name, ..)| name), SET_NAMES);
    for (name, tuples, rows) in expected {
        let set = TupleSet::named(name).unwrap();
        assert_eq!((set.name(), set.tuples(), set.rows()), (name, tuples, rows));
        let distinct: HashSet<_> = set.cells().iter().collect();
        assert_eq!(distinct.len(), tuples, "{name} has a tuple twice");
    }
    let error = TupleSet::named("stone-pears").unwrap_err().to_string();
    assert!(error.starts_with("'stone-pears' is no tuple set; there are stones, race, stone-pairs,"), "{error}");
}

#[test]
fn indices_are_the_mixed_radix_numbers_of_the_symbols() {
    for name in SET_NAMES {
        let set = TupleSet::named(name).unwrap();
        let mut rows = vec![0; set.tuples()];
        for position in random_positions(6) {
            set.indices(&position, &mut rows);
            let mut base = 0;
            for (tuple, row) in set.cells().iter().zip(&rows) {
                let index = tuple.iter().rev().fold(0, |index, cell| index * cell.symbols() + symbol(&position, *cell));
                assert_eq!(*row as usize, base + index, "{name} {position:?} {tuple:?}");
                base += tuple.iter().map(|cell| cell.symbols()).product::<usize>();
            }
            assert_eq!(base, set.rows());
        }
    }
}

#[test]
fn every_tuple_has_a_row_of_its_own_and_different_positions_differ() {
    let set = TupleSet::named("everything").unwrap();
    let mut seen = HashSet::new();
    let mut positions = HashSet::new();
    for position in random_positions(40) {
        let mut rows = vec![0; set.tuples()];
        set.indices(&position, &mut rows);
        assert!(rows.is_sorted_by(|a, b| a < b) && (rows[set.tuples() - 1] as usize) < set.rows());
        // The side to move has no colour: the same sides with the other seat to move look the same.
        positions.insert((position.mover(), position.other()));
        seen.insert(rows);
    }
    assert_eq!(seen.len(), positions.len());
}

#[test]
fn descriptions_tell_sets_apart() {
    let all: HashSet<String> = SET_NAMES.iter().map(|name| TupleSet::named(name).unwrap().description()).collect();
    assert_eq!(all.len(), SET_NAMES.len());
    let stones = TupleSet::named("stones").unwrap().description();
    assert!(stones.ends_with("; set stones: s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11"), "{stones}");
}

#[test]
fn values_are_logistic_sums() {
    let game = Standard::default();
    let mut random = RandomStream::new(5);
    for name in SET_NAMES {
        let set = TupleSet::named(name).unwrap();
        let weights: Vec<f32> = (0..set.rows()).map(|_| random.unit() as f32 - 0.5).collect();
        let model = NTuple::new(set, weights, 0.25).unwrap();
        for position in random_positions(5) {
            let mut rows = vec![0; model.set().tuples()];
            model.set().indices(&position, &mut rows);
            let logit = 0.25 + rows.iter().map(|row| f64::from(model.weights()[*row as usize])).sum::<f64>();
            let expected = 1.0 / (1.0 + (-logit).exp());
            assert!((f64::from(model.value(&game, &position, &())) - expected).abs() < 1e-5);
        }
    }
}

#[test]
fn impossible_weights_are_refused() {
    let set = TupleSet::named("stones").unwrap();
    assert_eq!(NTuple::new(set.clone(), vec![0.0; 311], 0.0), Err(NTupleError::Length { found: 311, expected: 312 }));
    let mut weights = vec![0.0; 312];
    weights[7] = f32::INFINITY;
    assert_eq!(NTuple::new(set.clone(), weights, 0.0), Err(NTupleError::NotFinite { row: 7, weight: f32::INFINITY }));
    assert!(matches!(NTuple::new(set, vec![0.0; 312], f32::NAN), Err(NTupleError::Bias(_))));
}
