//! `alea play`, by lines of a pipe and at a terminal of its own.

use crate::support::{Folder, Ran, alea, list, number, read, run};
use std::process::Command;

/// Red's last stone is beside its goal e1, and so is Blue's beside a5: who moves wins.
const RACE: &str = "...../a..../...../...1./..... r 3";

#[test]
fn a_blunder_is_priced_and_taken_back_and_the_win_is_in_the_ledger() {
    let line = format!("play --start '{RACE}' --opponent person");
    let played = run(&line, b"moves\nhint\nd2d1\nundo\nd2e1\nquit\n");
    played.shows(&[
        "d2e1 (100.0 %)",
        // Blue would then go to a5, whatever it rolls.
        "d2d1 costs 100.0 points (blunder); better is d2e1, 100.0 %",
        "1 taken back",
        "d2e1: nothing is better (100.0 %)",
        "Red has won",
        // Who moves first wins: neither luck nor, in what was left, an error.
        "ledger, in points              Red   Blue",
        "start                      +100.00  +0.00",
        "luck                         +0.00  +0.00",
        "errors                       +0.00  +0.00",
        "result                     +100.00  +0.00",
    ]);
    let mut lines = played.out.lines();
    let moves = lines.find(|line| line.contains("d2e2") && line.contains("d2d1"));
    let mut moves: Vec<&str> = moves.unwrap().split(' ').collect();
    moves.sort_unstable();
    assert_eq!(moves, ["d2d1", "d2e1", "d2e2"]);
    assert!(!played.out.contains('\x1b'), "no terminal, no colours");
}

#[test]
fn a_game_is_saved_and_gone_on_with_and_is_a_record_once_it_is_over() {
    let folder = Folder::new();
    let (half, whole) = (folder.at("half.jsonl"), folder.at("whole.jsonl"));
    let start = "...../a..../...../..1../..... r -";
    // There is no 7 on the die.
    let typed = format!("7\n2\nc2d1\n4\nsave {half}\nquit\n");
    let line = format!("play --start '{start}' --dice hand --opponent person --seed 7");
    run(&line, typed.as_bytes()).shows(&["what the die shows"]);
    // Rolls of the program are those of the seed that was saved; Blue wins by going to a5.
    let again = format!("play --resume {half}");
    run(&again, b"").shows(&["against each other, dice of seed 7", "so far"]);
    let typed = format!("4\nundo\n2\nc2d1\n4\na4a5\nsave {whole}\nquit\n");
    run(&format!("{again} --dice hand"), typed.as_bytes()).shows(&["1 taken back", "Blue has won"]);
    run(&format!("play --resume {whole}"), b"").shows(&["Blue has won", "result"]);
    let (data, page) = (folder.at("data"), folder.at("page.html"));
    alea!("data import {whole} --out {data}").succeeds();
    let ledger = alea!("judge {data} --json").json();
    assert_eq!(number(&ledger["seats"][0]["result"]), 0.0);
    assert_eq!(number(&list(&ledger["plies"])[0]["face"]), 2.0);
    alea!("judge {data} --html {page}").shows(&["error a decision", "person"]);
    let page = read(&page);
    assert!(page.contains("Game 1") && page.contains("a4a5") && !page.contains("<script"));

    let (saved, broken) = (read(&whole), folder.at("broken.jsonl"));
    for (wrong, says) in [
        (String::new(), "no saved game"),
        (
            saved.replace("alea-games-2", "alea-games-9"),
            "no game of alea-games-2",
        ),
        (
            saved.replace("a4a5", "a4b5"),
            "ply 2 of the saved game: there is no move 'a4b5'",
        ),
        (
            saved.replace("\"outcome\":2", "\"outcome\":9"),
            "ply 1 of the saved game",
        ),
        (
            saved.replace("einstein", "chess"),
            "there is no game 'chess'",
        ),
    ] {
        std::fs::write(&broken, wrong).unwrap();
        run(&format!("play --resume {broken}"), b"").fails(says);
    }
    run(&format!("{again} --game reversi"), b"").is_wrong_usage();
}

#[test]
fn every_game_is_played_and_the_seed_rolls() {
    for game in [
        "einstein(variant=nearest)",
        "reversi(size=6)",
        "havannah(base=4)",
        "reversixt",
        "reversixt(map=three)",
    ] {
        let line = format!("play --game '{game}' --opponent beginner --seat 2 --seed 3");
        run(&line, b"hint\n").shows(&[game, " plays ", " %)"]);
    }
    let roll = |line: &str| {
        let shown = run(line, b"").out;
        let line = shown.lines().find(|line| line.contains("rolled"));
        line.unwrap().to_owned()
    };
    let fifth = roll("play --seed 5");
    assert_eq!(fifth, roll("play --seed 5 --opponent random"));
    assert!((1..20).any(|seed| roll(&format!("play --seed {seed}")) != fifth));
    run("play --opponent nobody", b"").fails("nobody");
    run("play --seat 3", b"").fails("there is no seat 3");
    run("play --seat 9", b"").is_wrong_usage();
}

/// At a terminal made by `script`, words are coloured, unless NO_COLOR asks for none.
#[cfg(target_os = "linux")]
#[test]
fn a_terminal_has_colours_unless_they_are_unwanted() {
    let alea = env!("CARGO_BIN_EXE_alea");
    let is_coloured = |variable: &str| {
        let line = format!("{alea} play --start '{RACE}' --opponent person");
        let mut script = Command::new("script");
        script
            .args(["-qec", &line, "/dev/null"])
            .env("TERM", "xterm")
            .env_remove("NO_COLOR")
            .env(variable, "1");
        let ran = Ran::of(&mut script, "script", b"d2e1\nquit\n");
        ran.shows(&["Red has won"]);
        ran.out.contains("\x1b[32md2e1: nothing is better")
    };
    assert!(is_coloured("ANYTHING"));
    assert!(!is_coloured("NO_COLOR"));
}
