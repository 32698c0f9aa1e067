//! Positions and moves as text: what is refused and with which words, and that no text whatever
//! causes a panic.

use engine::core::game::Game;
use engine::games::einstein::{
    EinStein, MoveList, Position, Standard, Variant,
    dice::{Die, RandomStream},
};
use proptest::prelude::*;

fn position_error<const COLUMNS: usize, const ROWS: usize>(
    game: &EinStein<COLUMNS, ROWS>,
    text: &str,
) -> String {
    match game.parse_position(text) {
        Ok(read) => panic!("{text:?} was accepted: {read:?}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn malformed_positions_are_refused_at_the_right_character() {
    let game = Standard::default();
    for (text, message) in [
        (
            "",
            "character 1: the text ends inside row 5; a board has 5 rows of 5 squares",
        ),
        (
            "1..",
            "character 4: the text ends inside row 5; a board has 5 rows of 5 squares",
        ),
        (
            "1....",
            "character 6: the text ends where '/' and the next row should follow",
        ),
        (
            "1..../",
            "character 7: the text ends inside row 4; a board has 5 rows of 5 squares",
        ),
        (
            "1.../...../...../...../....a r 1",
            "character 5: row 5 ends after 4 of 5 squares",
        ),
        (
            "/1.../...../...../...../....a r 1",
            "character 1: row 5 ends after 0 of 5 squares",
        ),
        (
            "1..../.... /...../...../....a r 1",
            "character 11: row 4 ends after 4 of 5 squares",
        ),
        (
            "1...../...../...../...../....a r 1",
            "character 6: expected '/' before the next row, found '.'",
        ),
        (
            "1....\\...../...../...../....a r 1",
            "character 6: expected '/' before the next row, found '\\\\'",
        ),
        (
            "1..../...../...../...../....a/ r 1",
            "character 30: expected ' ' before the side to move, found '/'",
        ),
        (
            "1..../...../...../...../....a",
            "character 30: the text ends where ' ' and the side to move should follow",
        ),
        (
            "7..../...../...../...../....a r 1",
            "character 1: '7' is no square; expected '.', a red stone 1-6 or a blue stone a-f",
        ),
        (
            "1..../..g../...../...../....a r 1",
            "character 9: 'g' is no square; expected '.', a red stone 1-6 or a blue stone a-f",
        ),
        (
            "1..../..A../...../...../....a r 1",
            "character 9: 'A' is no square; expected '.', a red stone 1-6 or a blue stone a-f",
        ),
        (
            "1..../..é../...../...../....a r 1",
            "character 9: 'é' is no square; expected '.', a red stone 1-6 or a blue stone a-f",
        ),
        (
            "1..../..0../...../...../....a r 1",
            "character 9: '0' is no square; expected '.', a red stone 1-6 or a blue stone a-f",
        ),
        (
            "1..../..1../...../...../....a r 1",
            "character 9: stone '1' stands on two squares",
        ),
        (
            "1...a/...../...../...../....a r 1",
            "character 29: stone 'a' stands on two squares",
        ),
        (
            "1..../...../...../...../....a ",
            "character 31: the side to move, 'r' or 'b', is missing",
        ),
        (
            "1..../...../...../...../....a  r 1",
            "character 31: the side to move is 'r' or 'b', not ' '",
        ),
        (
            "1..../...../...../...../....a w 1",
            "character 31: the side to move is 'r' or 'b', not 'w'",
        ),
        (
            "1..../...../...../...../....a R 1",
            "character 31: the side to move is 'r' or 'b', not 'R'",
        ),
        (
            "1..../...../...../...../....a r",
            "character 32: the die is missing: ' ' and a face, or ' -' before the roll",
        ),
        (
            "1..../...../...../...../....a r1",
            "character 32: expected ' ' before the die, found '1'",
        ),
        (
            "1..../...../...../...../....a r ",
            "character 33: the die is missing: 1-6, or '-' before the roll",
        ),
        (
            "1..../...../...../...../....a r 0",
            "character 33: the die is 1-6, or '-' before the roll, not '0'",
        ),
        (
            "1..../...../...../...../....a r 7",
            "character 33: the die is 1-6, or '-' before the roll, not '7'",
        ),
        (
            "1..../...../...../...../....a r −",
            "character 33: the die is 1-6, or '-' before the roll, not '−'",
        ),
        (
            "1..../...../...../...../....a r 1 ",
            "character 34: nothing may follow the die, found ' '",
        ),
        (
            "1..../...../...../...../....a r 12",
            "character 34: nothing may follow the die, found '2'",
        ),
        (
            "1..../...../...../...../....a r -\n",
            "character 34: nothing may follow the die, found '\\n'",
        ),
        (
            "...../...../...../...../..... r -",
            "character 1: there is no stone on the board",
        ),
        (
            "a..../...../...../...../....1 r -",
            "character 1: both sides stand on their goals; a game ends with the first",
        ),
    ] {
        assert_eq!(position_error(&game, text), message, "{text:?}");
    }
}

#[test]
fn messages_name_the_stones_and_faces_of_the_rules_in_force() {
    let die = Die::with_faces(4).expect("a die");
    let game = EinStein::<3, 2>::with_stones(Variant::Classic, die, 2);
    for (text, message) in [
        (
            "12./.ba r 5",
            "character 11: the die is 1-4, or '-' before the roll, not '5'",
        ),
        (
            "13./.ba r 1",
            "character 2: stone '3' does not exist with 2 stones a side",
        ),
        (
            "12./cba r 1",
            "character 5: stone 'c' does not exist with 2 stones a side",
        ),
        (
            "12x/.ba r 1",
            "character 3: 'x' is no square; expected '.', a red stone 1-2 or a blue stone a-b",
        ),
        (
            "12",
            "character 3: the text ends inside row 2; a board has 2 rows of 3 squares",
        ),
        (
            "12./.b",
            "character 7: the text ends inside row 1; a board has 2 rows of 3 squares",
        ),
        (
            "12./.ba/... r 1",
            "character 8: expected ' ' before the side to move, found '/'",
        ),
        (
            "a.../..1 r -",
            "character 4: expected '/' before the next row, found '.'",
        ),
    ] {
        assert_eq!(position_error(&game, text), message, "{text:?}");
    }
    let (position, die) = game
        .parse_position("12./.ba b 4")
        .expect("a position of these rules");
    assert_eq!(
        (game.format_position(&position, die).as_str(), die),
        ("12./.ba b 4", Some(4))
    );
}

#[test]
fn malformed_moves_are_refused_at_the_right_character() {
    let game = Standard::default();
    let (red, _) = game
        .parse_position("1..../...2./...../...../....a r -")
        .expect("a position");
    let (blue, _) = game
        .parse_position("1..../...2./...../...../....a b -")
        .expect("a position");
    for (position, text, message) in [
        (
            red,
            "",
            "character 1: a move is a from-square and a to-square, for example c1b2",
        ),
        (
            red,
            "a5b",
            "character 4: a move is a from-square and a to-square, for example c1b2",
        ),
        (
            red,
            "a5b4 ",
            "character 5: a move is a from-square and a to-square, for example c1b2",
        ),
        (
            red,
            "a5-b4",
            "character 5: a move is a from-square and a to-square, for example c1b2",
        ),
        (
            red,
            "ééééé",
            "character 5: a move is a from-square and a to-square, for example c1b2",
        ),
        (red, "é5b4", "character 1: 'é' is no column of this board"),
        (red, "f5b4", "character 1: 'f' is no column of this board"),
        (red, "A5b4", "character 1: 'A' is no column of this board"),
        (red, "a6b4", "character 2: '6' is no row of this board"),
        (red, "a0b4", "character 2: '0' is no row of this board"),
        (red, "a🎲b4", "character 2: '🎲' is no row of this board"),
        (
            red,
            "a5\u{0}4",
            "character 3: '\\0' is no column of this board",
        ),
        (red, "a5b٣", "character 4: '٣' is no row of this board"),
        (
            red,
            "b5b4",
            "character 1: no stone of the side to move stands on b5",
        ),
        (
            red,
            "e1d2",
            "character 1: no stone of the side to move stands on e1",
        ),
        (
            blue,
            "a5b4",
            "character 1: no stone of the side to move stands on a5",
        ),
        (red, "a5a5", "character 3: a stone on a5 cannot step to a5"),
        (red, "a5c3", "character 3: a stone on a5 cannot step to c3"),
        (red, "d4c4", "character 3: a stone on d4 cannot step to c4"),
        (blue, "e1e1", "character 3: a stone on e1 cannot step to e1"),
        (blue, "e1a1", "character 3: a stone on e1 cannot step to a1"),
    ] {
        assert_eq!(
            game.parse_move(&position, text)
                .map_err(|error| error.to_string()),
            Err(message.to_owned()),
            "{text:?}"
        );
    }
    // The step over the edge: forward from e4 must not wrap to the next row.
    let (edge, _) = game
        .parse_position("...../....1/...../...../a.... r -")
        .expect("a position");
    assert_eq!(
        game.parse_move(&edge, "e4a3")
            .map_err(|error| error.to_string()),
        Err("character 3: a stone on e4 cannot step to a3".to_owned())
    );
    assert_eq!(
        game.parse_move(&edge, "e4e3")
            .map(|mv| game.format_move(&edge, mv)),
        Ok("e4e3".to_owned())
    );
}

/// A position some plies into a random game.
fn random_position(seed: u64, plies: usize) -> Position {
    let game = Standard::default();
    let mut random = RandomStream::new(seed);
    let mut position = game.random_start(&mut random, (seed % 2) as usize);
    for _ in 0..plies {
        if game.winner(&position).is_some() {
            break;
        }
        let mut moves = MoveList::default();
        game.moves(&position, &mut moves);
        position = game.play(&position, moves[random.below(moves.len())]);
    }
    position
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
        let mut moves = MoveList::default();
        game.moves(&position, &mut moves);
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
