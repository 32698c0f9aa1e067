//! `alea engine` from outside: the conversations that `cli/tests/conversations` holds, written from
//! the texts of the protocols and the rules of the games, and what is said while it thinks.

use crate::support::{command, is_like, json_lines, list, number, run, word};
use std::{
    fs,
    io::{BufRead, BufReader, Write},
    path::Path,
    process::Stdio,
};

/// `$` is the command, `>` a line that is heard, `<` one that is said, where `[..]` stands for
/// anything; an answer of GTP has an empty line behind it.
fn holds(path: &Path) {
    let text = fs::read_to_string(path).unwrap();
    let (mut line, mut heard, mut wanted) = ("", String::new(), Vec::new());
    for written in text.lines() {
        if let Some(command) = written.strip_prefix("$ ") {
            line = command;
        } else if let Some(said) = written.strip_prefix("< ") {
            wanted.push(said);
        } else if let Some(next) = written.strip_prefix('>') {
            let next = next.trim_start().replace("\\a", "\u{7}");
            heard += &(next.replace("\\t", "\t").replace("\\r", "\r") + "\n");
            let answered = wanted.last().is_some_and(|last| !last.is_empty());
            wanted.extend((answered && line.contains("gtp")).then_some(""));
        }
    }
    let ran = run(line, heard.as_bytes());
    assert_eq!((ran.code, &*ran.err), (0, ""), "{path:?}");
    let mut said = ran.out.lines();
    for (number, wanted) in wanted.iter().enumerate() {
        let said = said.next().unwrap_or("nothing more");
        assert!(
            is_like(wanted.trim_end(), said.trim_end()),
            "{path:?}, line {number}: {said:?} is not {wanted:?}"
        );
    }
    assert_eq!(said.find(|rest| !rest.is_empty()), None, "{path:?}");
}

#[test]
fn conversations_go_as_they_are_written() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conversations");
    let files = fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().path());
    assert_eq!(files.inspect(|path| holds(path)).count(), 8);
}

#[test]
fn gtp_thinks_aloud_until_the_next_line() {
    for (player, lines) in [
        ("star1(eval=schwarz)", 3),
        ("mcts(sims=100)", 3),
        ("random", 1),
    ] {
        let mut engine = command(&format!("engine --protocol gtp --player {player}"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = engine.stdin.take().unwrap();
        let mut said = BufReader::new(engine.stdout.take().unwrap()).lines();
        let mut said = || said.next().unwrap().unwrap();
        writeln!(
            stdin,
            "position 215../64.../3...e/...fb/..acd b 1\n8 lz-analyze b 2"
        )
        .unwrap();
        assert_eq!([said(), said(), said()], ["=", "", "=8"]);
        for _ in 0..lines {
            let line = said();
            assert_eq!(
                line.matches("info move c1").count(),
                3,
                "the moves of stone a: {line}"
            );
        }
        writeln!(stdin, "9 name").unwrap();
        while !said().is_empty() {}
        assert_eq!(said(), "=9 Alea");
        drop(stdin);
        assert!(engine.wait().unwrap().success());
    }
}

#[test]
fn nboard_tells_the_exact_difference() {
    let vectors = json_lines(include_str!("../../../engine/tests/vectors/ffo.jsonl"));
    // With 14 empty squares, 6, and 15, where the side to move loses.
    for vector in [&vectors[0], &vectors[19], &vectors[8]] {
        let board = word(&vector["board"]).replace('X', "*");
        let side = word(&vector["to_move"]).replace('X', "*");
        let game = format!("(;GM[Othello]PC[x]PB[a]PW[b]RE[?]TI[0]TY[8]BO[8 {board} {side}];)");
        let heard = format!("set game {game}\ngo\nhint 1\n");
        let ran = run(
            "engine --protocol nboard --player endgame",
            heard.as_bytes(),
        );
        let line = |begins: &str| {
            let line = ran.out.lines().find_map(|line| line.strip_prefix(begins));
            line.unwrap_or_else(|| panic!("{ran}"))
        };
        let score = number(&vector["score"]);
        let answer: Vec<&str> = line("=== ").split('/').collect();
        assert_eq!(answer[1], format!("{score:.2}"), "{ran}");
        let best = list(&vector["best"]).iter().map(word);
        assert!(
            best.into_iter()
                .any(|best| best == answer[0].to_lowercase()),
            "{ran}"
        );
        let hint = format!("{} {score} 0 ", answer[0]);
        assert!(line("search ").starts_with(&hint), "{ran}");
    }
}
