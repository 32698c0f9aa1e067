//! The shown value of a position is equal in `alea analyse`, over HTTP and in the page's API;
//! Python's tests compare with the same file, as does the page's check.
//!
//! `VALUES=overwrite` rewrites the file, from random games.

use crate::{
    shell_transcripts::root,
    support::{alea, json_lines, list, run, word},
    web::Server,
};
use engine::core::random::RandomStream;
use serde_json::{Value, json};
use std::{collections::BTreeMap, env, fs};
use web::{answer::answer, limits::RequestLimits};

const POSITIONS: usize = 200;
const MAX_PLIES: usize = 70;
const QUESTIONS: [(&str, &str); 6] = [
    ("einstein", "star2(depth=2, eval=best)"),
    ("einstein", "star2(depth=2)"),
    ("einstein", "mcts(sims=300)"),
    ("reversi", "star1(depth=2, eval=best)"),
    ("havannah(base=4)", "star1(depth=1)"),
    ("reversixt(map=three)", "maxn(depth=1, eval=shares(best))"),
];

fn answer_request(request: &Value) -> Value {
    answer(request.to_string().as_bytes(), &RequestLimits::default())
}

fn random_positions(game: &str) -> Vec<String> {
    let mut random = RandomStream::new(58);
    let mut positions = Vec::new();
    for seed in 0.. {
        let mut at = answer_request(&json!({ "ask": "new", "game": game, "seed": seed }));
        for ply in 0..random.below(MAX_PLIES) {
            let moves = list(&at["moves"]);
            let mv = &moves[random.below(moves.len())];
            if !mv["payoffs"].is_null() {
                break;
            }
            let next = json!({ "game": game, "position": mv["position"] });
            let mut request = next;
            request["ask"] = "position".into();
            if ply % 2 == 1 {
                request["ask"] = "roll".into();
                request["seed"] = seed.into();
                request["ply"] = ply.into();
            }
            at = answer_request(&request);
        }
        // Tree searches divide their simulations otherwise after a roll.
        positions.push(word(&at["position"]).to_owned());
        if positions.len() == POSITIONS {
            return positions;
        }
    }
    unreachable!("seeds do not end")
}

/// The value and those of the moves, rounded as they are shown; without the moves where one wins,
/// so that no other is searched deeper.
fn displayed_values(answer: &Value) -> (Value, BTreeMap<String, Value>) {
    let rounded = |valued: &Value| {
        let fitted = valued.get("calibrated").and_then(Value::as_f64);
        match fitted.or(valued["value"].as_f64()) {
            Some(value) => format!("{value:.4}").into(),
            None => valued["value"].clone(),
        }
    };
    let moves = list(&answer["moves"]).iter();
    let moves = moves.map(|rated| (word(&rated["move"]).to_owned(), rounded(rated)));
    let value = rounded(answer);
    let moves = moves.filter(|_| value != "1.0000").collect();
    (value, moves)
}

fn has_exact_moves(answer: &Value) -> bool {
    list(&answer["moves"])
        .iter()
        .any(|rated| rated["exact"] == true)
}

#[test]
fn a_position_has_the_same_value_wherever_it_is_asked() {
    let path = root().join("engine/tests/vectors/same_values.jsonl");
    if env::var_os("VALUES").is_some_and(|mode| mode == "overwrite") {
        let mut lines = String::new();
        for (game, player) in QUESTIONS {
            let mut positions = random_positions(game);
            if player.starts_with("mcts") {
                for position in &mut positions {
                    let end = position.rfind(' ').unwrap();
                    position.replace_range(end.., " -");
                }
            }
            for position in positions {
                let request = json!({ "ask": "analyse", "game": game, "player": player, "position": position });
                let answer = answer_request(&request);
                let (value, _) = displayed_values(&answer);
                let line = json!({ "game": game, "player": player, "position": position,
                    "value": value, "exact": has_exact_moves(&answer) });
                lines += &format!("{line}\n");
            }
        }
        fs::write(&path, lines).unwrap();
    }
    let lines = json_lines(&fs::read_to_string(&path).unwrap());
    assert_eq!(lines.len(), POSITIONS * QUESTIONS.len());
    let server = Server::with("");
    for ((game, player), lines) in QUESTIONS.iter().zip(lines.chunks(POSITIONS)) {
        let positions: String = (lines.iter())
            .map(|line| format!("{}\n", word(&line["position"])))
            .collect();
        let printed = run(
            &format!("analyse - --game '{game}' --player '{player}'"),
            positions.as_bytes(),
        );
        printed.succeeds();
        let printed = printed.lines();
        assert_eq!(printed.len(), POSITIONS);
        for (index, (line, printed)) in lines.iter().zip(printed).enumerate() {
            let position = word(&line["position"]);
            let request =
                json!({ "ask": "analyse", "game": game, "player": player, "position": position });
            let api = answer_request(&request);
            let http = server.answer(&request);
            let expected = displayed_values(&api);
            assert_eq!(expected.0, line["value"], "{game}, {player}: {position}");
            // JSON of the command has the values of the player alone.
            if !has_exact_moves(&api) {
                assert_eq!(
                    displayed_values(&printed),
                    expected,
                    "{game}, {player}: {position}"
                );
            }
            assert_eq!(
                displayed_values(&http),
                expected,
                "{game}, {player}: {position}"
            );
            if index % 50 == 0 && !line["value"].is_null() {
                let text = alea!("analyse '{position}' --game '{game}' --player '{player}'");
                let value = word(&line["value"]);
                assert!(
                    text.out.contains(&format!("the side to move: {value}\n")),
                    "{text}"
                );
            }
        }
    }
}
