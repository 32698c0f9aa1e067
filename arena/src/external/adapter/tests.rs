//! Tests of the conversations in `conversations.txt`.

use super::*;
use crate::external::dialect_options::PRESETS;
use alea_core::random::RandomStream;
use alea_play::playable::Rules;
use alea_play::player_notation::{Arguments, Notation};
use engine::games::{einstein::Standard, havannah::Havannah, reversi::Reversi};

fn adapter<G: Playable>(game: &G, keys: &str) -> Result<ProtocolAdapter<G>, String> {
    let notation = Notation::parse(&format!("external({keys})")).unwrap();
    let mut arguments = Arguments::of(&notation);
    let dialect = Dialect::read(&mut arguments).map_err(|(_, problem)| problem)?;
    arguments.finish().map_err(|(_, problem)| problem)?;
    ProtocolAdapter::new(dialect, game.clone())
}

fn lines_sent<G: Playable>(adapter: &ProtocolAdapter<G>, position: &str, mv: &str) -> Vec<String> {
    let (game, protocol) = (&adapter.game, adapter.protocol);
    let (position, outcome) = match position {
        "start" => (game.random_start(&mut RandomStream::new(0), 0), None),
        text => game.parse_position(text).unwrap(),
    };
    let mut substitutions = adapter.position_placeholders(&position, outcome.unwrap_or(0), 1);
    substitutions.extend([("seed", Some("7".to_owned())), adapter.move_placeholder(mv)]);
    [
        protocol.start,
        protocol.begin,
        protocol.move_message,
        protocol.move_request,
    ]
    .iter()
    .flat_map(|text| adapter.requests(text, &substitutions))
    .map(|request| request.line)
    .collect()
}

fn assert_conversation<G: Playable>(game: &G, keys: &str, lines: &[(&str, &str)]) {
    let adapter = match adapter(game, keys) {
        Ok(adapter) => adapter,
        Err(found) => {
            let [("!", problem)] = lines else {
                panic!("{keys}: {found}")
            };
            return assert!(found.contains(problem), "{keys}: {found}");
        }
    };
    for (at, &(sign, text)) in lines.iter().enumerate() {
        match sign {
            "@" => {
                let (position, mv) = text.split_once(", ").unwrap();
                let wanted = lines.iter().filter(|(sign, _)| *sign == ">");
                let wanted: Vec<&str> = wanted.map(|(_, line)| *line).collect();
                assert_eq!(lines_sent(&adapter, position, mv), wanted, "{keys}");
            }
            "~" => {
                let (ours, theirs) = text.split_once(' ').unwrap();
                assert_eq!(adapter.move_placeholder(ours).1.unwrap(), theirs, "{keys}");
                assert_eq!(adapter.translate_answer(theirs).unwrap(), ours, "{keys}");
            }
            "<" => {
                let found = adapter.translate_answer(text);
                let found = found.as_deref().map_err(|failure| format!("{failure:?}"));
                match (found, lines[at + 1]) {
                    (Err(failure), ("!", why)) => assert!(failure.contains(why), "{failure}"),
                    (found, (_, meaning)) => assert_eq!(found, Ok(meaning), "{keys}: {text}"),
                }
            }
            _ => assert!([">", "=", "!"].contains(&sign), "{keys}: {sign}"),
        }
    }
}

#[test]
fn programs_are_told_and_understood_as_it_is_written() {
    let all = include_str!("../conversations.txt").lines();
    let all: Vec<&str> = all
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .collect();
    let mut lines = &all[..];
    while let Some((head, rest)) = lines.split_first() {
        let end = rest.iter().position(|line| line.starts_with('$'));
        let (of_it, next) = rest.split_at(end.unwrap_or(rest.len()));
        lines = next;
        let of_it = of_it
            .iter()
            .map(|line| line.split_once(' ').unwrap_or((line, "")));
        let of_it: Vec<_> = of_it.collect();
        let (game, keys) = head[2..].split_once(" |").unwrap();
        match game {
            "einstein" => assert_conversation(&Standard::default(), keys, &of_it),
            "reversi" => assert_conversation(&Reversi::EIGHT, keys, &of_it),
            game => {
                assert_conversation(&Havannah::from_notation(game, None).unwrap(), keys, &of_it)
            }
        }
    }
}

#[test]
fn the_named_sets_are_notations() {
    assert!(PRESETS.iter().all(|(_, set)| Notation::parse(set).is_ok()));
}
