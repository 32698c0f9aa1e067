//! Moves and exact scores against results of independent programs.

use crate::support::{alea, json_lines, list, number, run, word};
use serde_json::Value;
use std::{collections::BTreeSet, iter};

#[test]
fn moves_agree_with_an_independent_program() {
    let vectors = json_lines(include_str!("../../../engine/tests/vectors/rules.jsonl"));
    let sample: Vec<Value> = vectors.into_iter().step_by(29).collect();
    assert!(sample.len() > 300);
    let positions = sample.iter().map(|vector| word(&vector["position"]));
    let input: String = positions.flat_map(|position| [position, "\n"]).collect();
    let ran = run("moves - --json", input.as_bytes());
    ran.succeeds();
    let answers = ran.lines();
    assert_eq!(answers.len(), sample.len());
    let mut won = 0;
    for (vector, answer) in iter::zip(&sample, &answers) {
        assert_eq!(vector["position"], answer["position"]);
        let found = list(&answer["moves"]);
        let names: BTreeSet<&str> = found.iter().map(|mv| word(&mv["move"])).collect();
        assert_eq!(names.len(), found.len());
        assert_eq!(names, list(&vector["moves"]).iter().map(word).collect());
        let mut moves = found.iter();
        let played = moves.find(|mv| mv["move"] == vector["played"]).unwrap();
        let red_moved = word(&vector["position"]).contains(" r ");
        let side = if red_moved { "b" } else { "r" };
        let after = format!("{} {side} -", word(&vector["board_after"]));
        assert_eq!(played["position"], after);
        assert_eq!(played["winner"], vector["winner"]);
        won += usize::from(!vector["winner"].is_null());
    }
    assert!(won > 0);
}

fn solved_endgames() -> Vec<(String, Value)> {
    let vectors = json_lines(include_str!("../../../engine/tests/vectors/ffo.jsonl"));
    let few = |vector: &Value| number(&vector["empties"]) <= 16.0;
    let vectors = vectors.into_iter().filter(few);
    let text = |vector: &Value| format!("{} {}", word(&vector["board"]), word(&vector["to_move"]));
    vectors.map(|vector| (text(&vector), vector)).collect()
}

#[test]
fn positions_and_moves_have_exact_scores() {
    let vectors = solved_endgames();
    let line = "analyse - --json --game reversi --player endgame";
    let input: String = vectors
        .iter()
        .map(|(text, _)| format!("{text}\n"))
        .collect();
    let ran = run(line, input.as_bytes());
    ran.succeeds();
    let answers = ran.lines();
    assert_eq!((answers.len(), vectors.len()), (21, 21));
    for ((text, vector), answer) in iter::zip(&vectors, &answers) {
        assert_eq!(answer["discs"], vector["score"], "{text}");
        let moves = list(&answer["moves"]);
        let scores = moves
            .iter()
            .map(|mv| (word(&mv["move"]).to_owned(), mv["discs"].clone()));
        assert_eq!(Value::Object(scores.collect()), vector["moves"], "{text}");
    }
    let (text, _) = &vectors[0];
    let analysis = alea!("analyse --game reversi --player endgame -- '{text}'");
    assert!(analysis.out.contains("best play: +18\n"), "{analysis}");
    let offsets =
        ["+18  best", "+12", "+6", "+4", "-4", "-22", "-24"].map(|score| analysis.out.find(score));
    assert!(offsets.is_sorted() && offsets[0].is_some(), "{analysis}");
    let over = format!("XXXXXXXX{}OO{} O", "-".repeat(46), "-".repeat(8));
    let answer = run(line, over.as_bytes()).json();
    assert_eq!(
        (&answer["discs"], &answer["value"]),
        (&(-60).into(), &0.0.into()),
        "{answer}"
    );
    let other = run(
        "analyse - --game reversi --player star1(depth=1)",
        text.as_bytes(),
    )
    .json();
    assert!(other.get("discs").is_none(), "{other}");
}

#[test]
fn positions_may_begin_with_a_hyphen() {
    let start = "---------------------------OX------XO--------------------------- X";
    let rows = "--------/--------/--------/---OX---/---XO---/--------/--------/-------- X";
    for position in [start, rows] {
        for line in [
            format!("moves '{position}' --game reversi --json"),
            format!("moves --game reversi --json '{position}'"),
            format!("moves --game reversi --json -- '{position}'"),
            format!("analyse '{position}' --player 'star1(depth=1)' --game reversi --json"),
            format!("evaluate '{position}' --game reversi --json"),
        ] {
            assert_eq!(
                word(&run(&line, b"").json()["position"]),
                position,
                "{line}"
            );
        }
        let lines = alea!("perft '{position}' --depth 1 --game reversi --json").json();
        assert_eq!(number(&lines["leaves"]), 4.0, "{lines}");
        let ran = run(
            &format!("play --start '{position}' --game reversi --opponent random"),
            b"quit\n",
        );
        ran.succeeds();
    }
    let map = "-0/10/-2 play 1 0,0 0,0";
    let ran = alea!("moves '{map}' --game reversixt");
    assert!(ran.err.contains("position"), "{ran}");
    for (line, named) in [
        ("moves --jsn 'x'".to_owned(), "'--jsn'"),
        (format!("moves '{start}' --gmae reversi"), "'--gmae'"),
        (format!("moves --gmae reversi '{start}'"), "'--gmae'"),
        (format!("evaluate -x '{start}'"), "'-x'"),
        ("arena '-X-- O'".to_owned(), "'-X-- O'"),
    ] {
        let ran = run(&line, b"");
        assert!(ran.code == 2 && ran.err.contains(named), "{ran}");
    }
    let ran = run("moves - --game reversi", format!("{start}\n").as_bytes());
    assert_eq!(word(&ran.json()["position"]), start);
}
