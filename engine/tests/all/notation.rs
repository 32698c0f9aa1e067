//! Positions, moves and games as text: error messages, and no panic on any text.

use crate::support::{moves_of, parse_json_rows, random_game};
use engine::games::{
    einstein::{
        EinStein, Position, Standard, Variant,
        dice::{Die, RandomStream},
    },
    havannah::Havannah,
    reversi::Reversi,
    reversixt::ReversiXt,
};
use engine::play::playable::Playable;
use proptest::prelude::*;

fn parse_error<G: Playable>(
    game: &str,
    map: Option<&str>,
    [kind, from, text]: [&str; 3],
) -> String {
    let game = G::from_notation(game, map).unwrap();
    let position = |text| game.parse_position(text).map(|(position, _)| position);
    let read = match kind {
        "position" => position(text).map(drop),
        "move" => game
            .parse_move(&position(from).unwrap(), None, text)
            .map(drop),
        _ => {
            let games = (G::registry().transcripts[0].read)(&game, text.as_bytes()).into_iter();
            games.collect::<Result<Vec<_>, _>>().map(drop)
        }
    };
    read.expect_err(text).to_string()
}

#[test]
fn what_cannot_be_read_is_refused_at_the_right_character() {
    let two_stones =
        EinStein::<3, 2>::with_stones(Variant::Classic, Die::with_faces(4).unwrap(), 2);
    let (position, die) = two_stones.parse_position("12./.ba b 4").unwrap();
    assert_eq!(two_stones.format_position(&position, die), "12./.ba b 4");
    let cases = include_str!("../cases/refused.jsonl");
    for (game, case, message) in parse_json_rows::<(String, [String; 3], String)>(cases) {
        let what = case.each_ref().map(String::as_str);
        let found = match game.split('(').next().unwrap() {
            "einstein" => parse_error::<Standard>(&game, None, what),
            "havannah" => parse_error::<Havannah>(&game, None, what),
            "reversi" => parse_error::<Reversi>(&game, None, what),
            "reversixt" => parse_error::<ReversiXt>(&game, Some("2\n1\n1 1\n1 4\n1 2 0 -\n"), what),
            _ => two_stones.parse_position(what[2]).unwrap_err().to_string(),
        };
        assert_eq!(found, message, "{game}: {case:?}");
    }
}

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
