//! Positions and moves as text: what is refused and with which words, and that no text whatever
//! causes a panic.

use crate::support::{moves_of, position, random_game};
use engine::games::einstein::{
    EinStein, Position, Standard, Variant,
    dice::{Die, RandomStream},
};
use proptest::prelude::*;

/// A text is no position; the message begins with a character.
fn refused<const COLUMNS: usize, const ROWS: usize>(
    game: &EinStein<COLUMNS, ROWS>,
    text: &str,
    message: &str,
) {
    let error = game.parse_position(text).expect_err(text).to_string();
    assert_eq!(error, format!("character {message}"), "{text:?}");
}

/// A board that what follows it may spoil.
const BOARD: &str = "1..../...../...../...../....a";

#[test]
fn malformed_positions_are_refused_at_the_right_character() {
    let game = Standard::default();
    for (text, message) in [
        (
            "",
            "1: the text ends inside row 5; a board has 5 rows of 5 squares",
        ),
        (
            "1..",
            "4: the text ends inside row 5; a board has 5 rows of 5 squares",
        ),
        (
            "1....",
            "6: the text ends where '/' and the next row should follow",
        ),
        (
            "1..../",
            "7: the text ends inside row 4; a board has 5 rows of 5 squares",
        ),
        (
            "1.../...../...../...../....a r 1",
            "5: row 5 ends after 4 of 5 squares",
        ),
        (
            "/1.../...../...../...../....a r 1",
            "1: row 5 ends after 0 of 5 squares",
        ),
        (
            "1..../.... /...../...../....a r 1",
            "11: row 4 ends after 4 of 5 squares",
        ),
        (
            "1...../...../...../...../....a r 1",
            "6: expected '/' before the next row, found '.'",
        ),
        (
            "1....\\...../...../...../....a r 1",
            "6: expected '/' before the next row, found '\\\\'",
        ),
        (
            "7..../...../...../...../....a r 1",
            "1: '7' is no square; expected '.', a red stone 1-6 or a blue stone a-f",
        ),
        (
            "1..../..1../...../...../....a r 1",
            "9: stone '1' stands on two squares",
        ),
        (
            "1...a/...../...../...../....a r 1",
            "29: stone 'a' stands on two squares",
        ),
        (
            "...../...../...../...../..... r -",
            "1: there is no stone on the board",
        ),
        (
            "a..../...../...../...../....1 r -",
            "1: both sides stand on their goals; a game ends with the first",
        ),
    ] {
        refused(&game, text, message);
    }
    for square in ['g', 'A', 'é', '0'] {
        let text = format!("1..../..{square}../...../...../....a r 1");
        let wanted = "is no square; expected '.', a red stone 1-6 or a blue stone a-f";
        refused(&game, &text, &format!("9: '{square}' {wanted}"));
    }
    for (rest, message) in [
        (
            "/ r 1",
            "30: expected ' ' before the side to move, found '/'",
        ),
        (
            "",
            "30: the text ends where ' ' and the side to move should follow",
        ),
        (" ", "31: the side to move, 'r' or 'b', is missing"),
        ("  r 1", "31: the side to move is 'r' or 'b', not ' '"),
        (" w 1", "31: the side to move is 'r' or 'b', not 'w'"),
        (" R 1", "31: the side to move is 'r' or 'b', not 'R'"),
        (
            " r",
            "32: the die is missing: ' ' and a face, or ' -' before the roll",
        ),
        (" r1", "32: expected ' ' before the die, found '1'"),
        (" r ", "33: the die is missing: 1-6, or '-' before the roll"),
        (
            " r 0",
            "33: the die is 1-6, or '-' before the roll, not '0'",
        ),
        (
            " r 7",
            "33: the die is 1-6, or '-' before the roll, not '7'",
        ),
        (
            " r −",
            "33: the die is 1-6, or '-' before the roll, not '−'",
        ),
        (" r 1 ", "34: nothing may follow the die, found ' '"),
        (" r 12", "34: nothing may follow the die, found '2'"),
        (" r -\n", "34: nothing may follow the die, found '\\n'"),
    ] {
        refused(&game, &format!("{BOARD}{rest}"), message);
    }
}

#[test]
fn messages_name_the_stones_and_faces_of_the_rules_in_force() {
    let die = Die::with_faces(4).unwrap();
    let game = EinStein::<3, 2>::with_stones(Variant::Classic, die, 2);
    for (text, message) in [
        (
            "12./.ba r 5",
            "11: the die is 1-4, or '-' before the roll, not '5'",
        ),
        (
            "13./.ba r 1",
            "2: stone '3' does not exist with 2 stones a side",
        ),
        (
            "12./cba r 1",
            "5: stone 'c' does not exist with 2 stones a side",
        ),
        (
            "12x/.ba r 1",
            "3: 'x' is no square; expected '.', a red stone 1-2 or a blue stone a-b",
        ),
        (
            "12",
            "3: the text ends inside row 2; a board has 2 rows of 3 squares",
        ),
        (
            "12./.b",
            "7: the text ends inside row 1; a board has 2 rows of 3 squares",
        ),
        (
            "12./.ba/... r 1",
            "8: expected ' ' before the side to move, found '/'",
        ),
        (
            "a.../..1 r -",
            "4: expected '/' before the next row, found '.'",
        ),
    ] {
        refused(&game, text, message);
    }
    let (position, die) = game.parse_position("12./.ba b 4").unwrap();
    assert_eq!(die, Some(4));
    assert_eq!(game.format_position(&position, die), "12./.ba b 4");
}

#[test]
fn malformed_moves_are_refused_at_the_right_character() {
    let game = Standard::default();
    let [red, blue] = ["r", "b"].map(|side| {
        let text = format!("1..../...2./...../...../....a {side} -");
        position(&text)
    });
    let no_move = "a move is a from-square and a to-square, for example c1b2";
    for (text, character) in [
        ("", 1),
        ("a5b", 4),
        ("a5b4 ", 5),
        ("a5-b4", 5),
        ("ééééé", 5),
    ] {
        let error = game.parse_move(&red, text).unwrap_err().to_string();
        assert_eq!(
            error,
            format!("character {character}: {no_move}"),
            "{text:?}"
        );
    }
    // The step over the edge: forward from e4 must not wrap to the next row.
    let edge = position("...../....1/...../...../a.... r -");
    let mv = game.parse_move(&edge, "e4e3").unwrap();
    assert_eq!(game.format_move(&edge, mv), "e4e3");
    for (position, text, message) in [
        (red, "é5b4", "1: 'é' is no column of this board"),
        (red, "f5b4", "1: 'f' is no column of this board"),
        (red, "A5b4", "1: 'A' is no column of this board"),
        (red, "a6b4", "2: '6' is no row of this board"),
        (red, "a0b4", "2: '0' is no row of this board"),
        (red, "a🎲b4", "2: '🎲' is no row of this board"),
        (red, "a5\u{0}4", "3: '\\0' is no column of this board"),
        (red, "a5b٣", "4: '٣' is no row of this board"),
        (red, "b5b4", "1: no stone of the side to move stands on b5"),
        (red, "e1d2", "1: no stone of the side to move stands on e1"),
        (blue, "a5b4", "1: no stone of the side to move stands on a5"),
        (red, "a5a5", "3: a stone on a5 cannot step to a5"),
        (red, "a5c3", "3: a stone on a5 cannot step to c3"),
        (red, "d4c4", "3: a stone on d4 cannot step to c4"),
        (blue, "e1e1", "3: a stone on e1 cannot step to e1"),
        (edge, "e4a3", "3: a stone on e4 cannot step to a3"),
        (blue, "e1a1", "3: a stone on e1 cannot step to a1"),
    ] {
        let error = game.parse_move(&position, text).unwrap_err().to_string();
        assert_eq!(error, format!("character {message}"), "{text:?}");
    }
}

/// A position some plies into a random game.
fn random_position(seed: u64, plies: usize) -> Position {
    let game = Standard::default();
    let mut random = RandomStream::new(seed);
    let start = game.random_start(&mut random, (seed % 2) as usize);
    random_game(&game, start, &mut random)
        .take(plies + 1)
        .last()
        .unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn positions_are_read_as_written(seed in any::<u64>(), plies in 0usize..24, die in prop::option::of(1u8..=6)) {
        let (game, position) = (Standard::default(), random_position(seed, plies));
        prop_assert_eq!(game.parse_position(&game.format_position(&position, die)), Ok((position, die)));
    }

    /// Moves of pairs of squares: those that exist are those of the move list.
    #[test]
    fn exactly_the_listed_moves_are_read(seed in any::<u64>(), plies in 0usize..16) {
        let game = Standard::default();
        let position = random_position(seed, plies);
        prop_assume!(game.winner(&position).is_none());
        let moves = moves_of(&game, &position);
        let listed: Vec<String> = moves.iter().map(|&mv| game.format_move(&position, mv)).collect();
        let squares: Vec<String> = (0..25).map(|square| format!("{}{}", char::from(b'a' + square % 5), square / 5 + 1)).collect();
        for from in &squares {
            for to in &squares {
                let text = format!("{from}{to}");
                prop_assert_eq!(game.parse_move(&position, &text).is_ok(), listed.contains(&text), "{}", text);
            }
        }
    }
}
