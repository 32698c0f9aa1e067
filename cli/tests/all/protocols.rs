//! `alea engine` from outside: the conversations that `cli/tests/conversations` holds, written from
//! the texts of the protocols and the rules of the games, and what is said while it thinks.

use crate::support::{Folder, command, is_like, json_lines, list, number, run, word};
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
    assert_eq!(files.inspect(|path| holds(path)).count(), 9);
}

#[test]
fn gtp_thinks_aloud_until_the_next_line() {
    for (player, lines, visits) in [
        ("star1(eval=schwarz)", 3, " visits 1 "),
        ("mcts(sims=100)", 3, " visits "),
        ("random", 1, " visits 0 "),
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
            assert_eq!(line.matches(visits).count(), 3, "{line}");
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

#[test]
fn visits_are_those_of_each_move() {
    let heard = "position 215../64.../3...e/...fb/..acd b 1\nlz-genmove_analyze b\n";
    let ran = run(
        "engine --protocol gtp --player mcts(sims=3000)",
        heard.as_bytes(),
    );
    let line = ran.out.lines().find(|line| line.starts_with("info"));
    let line = line.unwrap_or_else(|| panic!("{ran}"));
    let visits = line.split(" visits ").skip(1);
    let visits = visits.map(|rest| rest.split(' ').next().unwrap().parse::<u32>().unwrap());
    let visits: Vec<u32> = visits.collect();
    // Each simulation tries one of the three moves.
    assert!(
        (2900..=3100).contains(&visits.iter().sum::<u32>()),
        "{line}"
    );
    assert!(visits.is_sorted_by(|more, fewer| more >= fewer), "{line}");
    // The move is played.
    let best = line.split(' ').nth(2).unwrap();
    assert!(ran.out.ends_with(&format!("\nplay {best}\n\n")), "{ran}");
}

#[test]
fn games_are_loaded_as_they_were_written() {
    let folder = Folder::new();
    for (number, game) in ["einstein", "reversi(size=6)", "havannah(base=4)"]
        .iter()
        .enumerate()
    {
        let roll = if number == 0 { "roll\n" } else { "" };
        let moves = format!("{roll}genmove\nposition\n").repeat(6);
        let line = format!("engine --protocol gtp --player random --game {game}");
        let ran = run(&line, format!("{moves}get_sgf\n").as_bytes());
        let answers: Vec<&str> = ran.out.split("\n\n").collect();
        let step = moves.lines().count() / 6;
        let positions: Vec<&str> = answers
            .iter()
            .skip(step - 1)
            .step_by(step)
            .copied()
            .collect();
        let file = folder.at("a game.sgf");
        fs::write(&file, answers[6 * step].trim_start_matches("= ")).unwrap();

        let heard = format!(
            "loadsgf {file}\nposition\nloadsgf {file} 4\nposition\nundo\nloadsgf {file} 99\nposition\n"
        );
        let loaded = run(&line, heard.as_bytes());
        let loaded: Vec<&str> = loaded.out.split("\n\n").collect();
        assert_eq!([loaded[0], loaded[2], loaded[5]], ["="; 3], "{ran}");
        let found = [loaded[1], loaded[3], loaded[6]];
        assert_eq!(found, [positions[5], positions[2], positions[5]], "{ran}");
    }
    // What was written for one game is not read as another.
    let file = folder.at("a game.sgf");
    let heard = format!("loadsgf {file}\nposition\n");
    let ran = run("engine --protocol gtp", heard.as_bytes());
    assert!(ran.out.starts_with("? cannot load file: "), "{ran}");
}
