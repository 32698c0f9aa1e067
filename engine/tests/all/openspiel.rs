//! EinStein's rules against random games of an independent program (OpenSpiel).

use crate::support::parse_json_rows;
use engine::core::game::Game;
use engine::games::einstein::{BLUE, RED, Standard};
use serde_json::Value;

#[test]
fn moves_boards_and_winners_agree_with_an_independent_program() {
    let game = Standard::default();
    let mut lines = 0;
    for vector in parse_json_rows::<Value>(include_str!("../vectors/rules.jsonl")) {
        let text = vector["position"].as_str().unwrap();
        let (position, die) = game.parse_position(text).unwrap();
        assert_eq!(game.format_position(&position, die), text);

        let legal = game.legal_moves(&position, die.unwrap());
        let mut names = Vec::new();
        for &mv in legal.iter() {
            let name = game.format_move(&position, mv);
            assert_eq!(game.parse_move(&position, &name), Ok(mv), "{text}");
            names.push(name);
        }
        names.sort();
        let expected: Vec<String> = serde_json::from_value(vector["moves"].clone()).unwrap();
        assert_eq!(names, expected, "{text}");

        let played = vector["played"].as_str().unwrap();
        let after = game.play(&position, game.parse_move(&position, played).unwrap());
        let after_text = game.format_position(&after, None);
        let board = after_text.split(' ').next();
        assert_eq!(board, vector["board_after"].as_str(), "{text} {played}");
        assert_eq!(game.to_move(&after), 1 - game.to_move(&position));
        let winner = match vector["winner"].as_str() {
            Some("r") => Some(RED),
            Some("b") => Some(BLUE),
            _ => None,
        };
        assert_eq!(game.winner(&after), winner, "{text} {played}");
        assert_eq!(game.winner(&position), None, "{text}");
        lines += 1;
    }
    assert_eq!(lines, 10_766);
}
