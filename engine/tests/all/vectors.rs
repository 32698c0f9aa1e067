//! The rules against positions of random games that an independent program (OpenSpiel) has played.

use engine::core::game::Game;
use engine::games::einstein::{BLUE, RED, Standard};
use serde_json::Value;

#[test]
fn moves_boards_and_winners_agree_with_an_independent_program() {
    let game = Standard::default();
    let mut lines = 0;
    for line in include_str!("../vectors/rules.jsonl").lines() {
        let vector: Value = serde_json::from_str(line).expect("a line is a JSON object");
        let text = vector["position"].as_str().expect("a position is a string");
        let (position, die) = game.parse_position(text).expect("a position of a game");
        assert_eq!(game.format_position(&position, die), text);
        let face = die.expect("the die is rolled");

        let legal = game.legal_moves(&position, face);
        let mut names: Vec<String> = legal
            .iter()
            .map(|&mv| game.format_move(&position, mv))
            .collect();
        names.sort();
        let expected: Vec<&str> = vector["moves"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        assert_eq!(names, expected, "{text}");
        for &mv in legal.iter() {
            assert_eq!(
                game.parse_move(&position, &game.format_move(&position, mv)),
                Ok(mv),
                "{text}"
            );
        }

        let played = vector["played"].as_str().expect("a move is a string");
        let after = game.play(
            &position,
            game.parse_move(&position, played)
                .expect("the played move is one"),
        );
        let after_text = game.format_position(&after, None);
        assert_eq!(
            after_text.split(' ').next(),
            vector["board_after"].as_str(),
            "{text} {played}"
        );
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
