//! `alea` ends with one line on standard error at limits of the system: file size, memory, threads,
//! and a table truncated while it is mapped.

use crate::support::{Folder, Ran, alea, command, names, run};
use std::{
    collections::BTreeSet,
    fs::{self, File},
    io::{BufRead as _, BufReader, Read as _, Write as _},
    process::{Command, Stdio},
};

fn run_with_ulimit(limit: &str, line: &str, input: &[u8]) -> Ran {
    let alea = command(line);
    let mut shell = Command::new("bash");
    shell.args(["-c", &format!("ulimit {limit} && exec \"$0\" \"$@\"")]);
    shell.arg(alea.get_program()).args(alea.get_args());
    Ran::of(&mut shell, &format!("{line} (ulimit {limit})"), input)
}

fn only_line(ran: &Ran) -> &str {
    assert_eq!(ran.code, 1, "{ran}");
    let line = ran
        .err
        .strip_prefix("alea: ")
        .and_then(|line| line.strip_suffix('\n'));
    let line = line.unwrap_or_else(|| panic!("no line of ours: {ran}"));
    assert!(!line.contains('\n'), "{ran}");
    line
}

#[test]
fn files_above_the_limit_of_their_kind_are_refused() {
    let folder = Folder::new();
    let [text, archive, data] = [
        ("16.1 MB", "a file of this kind has at most 16.0 MB"),
        (
            "1.0 GB",
            "a file of games or positions has at most 256.0 MB; split it",
        ),
        ("33.0 GB", "a file of data has at most 32.0 GB"),
    ];
    let havannah = "--game 'havannah(base=4)'";
    for ((size, bound), name, line) in [
        (text, "a.toml", "pipeline --config FILE --out OUT"),
        (text, "a.toml", "improve --config FILE --out OUT"),
        (
            text,
            "a.toml",
            "train --data none --family network --config FILE --out OUT",
        ),
        (text, "a.toml", "league OUT --config FILE"),
        (text, "a.toml", "cluster local FILE"),
        (text, "a.json", "report FILE --out OUT.html"),
        (text, "a.jsonl", "play --resume FILE"),
        (text, "a.map", "map check FILE"),
        (text, "a.map", "moves '' --game 'reversixt(map=FILE)'"),
        (
            text,
            "a.txt",
            "arena --player greedy --player random --setups nash:FILE",
        ),
        (
            text,
            "a.txt",
            &format!("analyse '' {havannah} --player 'mcts(playout=havannah(patterns=FILE))'"),
        ),
        (
            archive,
            "a.sgf",
            &format!("data import FILE {havannah} --out OUT"),
        ),
        (
            archive,
            "a.ggf",
            "data import FILE --game reversi --out OUT",
        ),
        (
            archive,
            "a.pgn",
            "data import FILE --game reversi --out OUT",
        ),
        (
            archive,
            "a.wtb",
            "data import FILE --game reversi --out OUT",
        ),
        (archive, "a.jsonl", "regret --suite FILE --player greedy"),
        (data, "a.safetensors", "models FILE"),
        (data, "a.safetensors", "evaluate - --eval 'model:FILE'"),
        (data, "a.games", "data info FILE"),
        (data, "a.games", "data verify FILE"),
        (
            data,
            "a.jsonl",
            "arena --player greedy --player random --games 2 --state FILE",
        ),
    ] {
        let [file, out] = [name, "out"].map(|name| folder.at(name));
        let bytes = [
            (text, 16_100_000),
            (archive, 1_000_000_000),
            (data, 33_000_000_000),
        ];
        let bytes = bytes.iter().find(|(kind, _)| *kind == (size, bound));
        File::create(&file)
            .unwrap()
            .set_len(bytes.unwrap().1)
            .unwrap();
        let ran = run(&line.replace("FILE", &file).replace("OUT", &out), b"");
        only_line(&ran);
        let problem = format!("{file}: it has {size}, and {bound}");
        assert!((ran.out.clone() + &ran.err).contains(&problem), "{ran}");
        fs::remove_file(&file).unwrap();
        assert_eq!(names(&folder.path()), [""; 0], "{line}");
    }
    let ran = run("report - --out none.html", &vec![b' '; 16_000_001]);
    assert!(
        only_line(&ran).ends_with("has no end within 16.0 MB"),
        "{ran}"
    );
}

fn min_memory_kib() -> u64 {
    let starts = |kib: &u64| {
        let mut shell = Command::new("bash");
        shell.args(["-c", &format!("ulimit -v {kib} && exec \"$0\" --version")]);
        shell.arg(command("").get_program()).stderr(Stdio::null());
        shell.output().unwrap().status.success()
    };
    (10_000..).step_by(5_000).find(starts).unwrap()
}

#[test]
fn memory_that_is_missing_is_one_line() {
    let base = min_memory_kib();
    let folder = Folder::new();
    let [archive, line] = ["a.sgf", "a.txt"].map(|name| folder.at(name));
    fs::write(
        &archive,
        "(;FF[4]GM[11]SZ[4];W[a1];B[d4])\n".repeat(300_000),
    )
    .unwrap();
    fs::write(&line, "x".repeat(60_000)).unwrap();
    let mut seen = BTreeSet::new();
    for line in [
        format!("data import {archive} --game 'havannah(base=4)' --out OUT"),
        format!("arena --setups {line} --player greedy --player random --games 2"),
        "perft --depth 1 --threads 8".to_owned(),
        "analyse '215../64.../3...e/...fb/..acd b -' --threads 1 --player 'star2(ms=1000, threads=64)'"
            .to_owned(),
        "evaluate '1...../' --eval best".to_owned(),
    ] {
        for more in [10_000, 15_000, 20_000, 40_000, 80_000, 160_000, 320_000] {
            let out = folder.at("out");
            let ran = run_with_ulimit(
                &format!("-v {}", base + more),
                &line.replace("OUT", &out),
                b"",
            );
            if ran.code != 0 {
                let line = only_line(&ran);
                for message in [
                    "out of memory: ",
                    "out of memory or threads: ",
                    "cannot start ",
                ] {
                    seen.extend(line.starts_with(message).then_some(message));
                }
            }
            let _ = fs::remove_dir_all(out);
        }
    }
    assert!(seen.len() >= 2, "{seen:?}");
}

#[test]
fn a_table_that_is_cut_short_while_it_is_mapped_is_named() {
    let folder = Folder::new();
    let tables = folder.at("tables");
    alea!("solve --stones 4 --tables {tables}").succeeds();
    let position = "...../.1.../...../....e/...fa r -\n";
    let probe = format!("probe - --tables {tables} --json");
    let mut child = command(&probe)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut answer = String::new();
    input.write_all(position.as_bytes()).unwrap();
    output.read_line(&mut answer).unwrap();
    assert!(answer.contains("\"value\":0."), "{answer}");
    for file in fs::read_dir(&tables).unwrap() {
        let file = File::options().write(true).open(file.unwrap().path());
        file.unwrap().set_len(64).unwrap();
    }
    let _ = input.write_all(position.as_bytes());
    drop(input);
    let mut err = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut err)
        .unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1), "{err}");
    let (file, problem) = err
        .strip_prefix("alea: ")
        .unwrap()
        .split_once(": ")
        .unwrap();
    assert!(
        file.starts_with(&tables) && file.ends_with(".ends"),
        "{err}"
    );
    assert!(
        problem.starts_with("a part that was there is gone"),
        "{err}"
    );
    assert_eq!(err.lines().count(), 1, "{err}");
    let ran = run(&probe, position.as_bytes());
    assert_eq!(ran.code, 1, "{ran}");
    assert!(
        ran.out.contains(".ends: it has 64 bytes instead of "),
        "{ran}"
    );
}

#[test]
fn a_line_without_end_takes_no_memory() {
    let folder = Folder::new();
    let endless = vec![b'x'; 200_000_000];
    let lines = folder.at("a.jsonl");
    fs::write(&lines, &endless).unwrap();
    let limit = format!("-v {}", min_memory_kib() + 150_000);
    for (line, input, expected) in [
        (
            "evaluate - --game reversi",
            &endless,
            "a line of more than 65536 bytes",
        ),
        (
            "engine --protocol gtp --game reversi --player random",
            &endless,
            "65536 bytes",
        ),
        (
            "engine --protocol nboard --player random",
            &endless,
            "65536 bytes",
        ),
        ("play", &endless, "xx' is no move here"),
        (
            &format!("data import {lines} --out {}", folder.at("out")),
            &Vec::new(),
            "16777216 bytes",
        ),
    ] {
        let ran = run_with_ulimit(&limit, line, input);
        assert!((ran.out.clone() + &ran.err).contains(expected), "{ran}");
        assert!(!ran.err.contains("out of memory"), "{ran}");
        assert!(ran.out.len() + ran.err.len() < 20_000, "{ran}");
    }
}
