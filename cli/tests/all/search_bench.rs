//! `alea bench search` from outside: tables, files, studies and refusals.

use crate::support::{Ran, alea, keys, text};
use serde_json::Value;
use std::fs;

fn search(arguments: &[&str]) -> Ran {
    alea(&[&["bench", "search"][..], arguments].concat())
}

fn line<'a>(report: &'a Value, player: &str, phase: &str) -> &'a Value {
    let lines = report["lines"].as_array().unwrap();
    lines
        .iter()
        .find(|line| line["player"] == player && line["phase"] == phase)
        .unwrap()
}

#[test]
fn players_are_compared_with_the_first() {
    let players = [
        "--player",
        "unified(depth=3)",
        "--player",
        "star1(depth=3, table=0)",
        "--player",
        "mcts(sims=20)",
    ];
    let report = search(&[&players[..], &["--json"]].concat()).json();
    assert_eq!(
        keys(&report),
        ["study", "suite", "seed", "repeat", "lines", "players"]
    );
    assert_eq!(
        (&report["study"], report["lines"].as_array().unwrap().len()),
        (&"compare".into(), 12)
    );
    let counts =
        |line: &Value| ["positions", "nodes", "leaves"].map(|key| line[key].as_u64().unwrap());
    for phase in ["opening", "middle", "endgame", "all"] {
        let (full, cut) = (
            line(&report, "unified(depth=3)", phase),
            line(&report, "star1(depth=3, table=0)", phase),
        );
        let (full_counts, cut_counts) = (counts(full), counts(cut));
        assert_eq!(full_counts[0], if phase == "all" { 24 } else { 8 });
        assert!(cut_counts[2] < full_counts[2], "{phase}");
        assert_eq!(full["leaves_ratio"], 1.0);
        assert_eq!(
            cut["leaves_ratio"].as_f64().unwrap(),
            cut_counts[2] as f64 / full_counts[2] as f64
        );
        assert!((0.0..=1.0).contains(&cut["evaluation_share"].as_f64().unwrap()));
    }
    let again =
        search(&[&players[..], &["--json", "--repeat", "2", "--threads", "1"]].concat()).json();
    for (one, other) in report["lines"]
        .as_array()
        .unwrap()
        .iter()
        .zip(again["lines"].as_array().unwrap())
    {
        assert_eq!(counts(one), counts(other), "counts depend on no clock");
    }
}

#[test]
fn tables_and_files_say_the_same() {
    let directory = tempfile::tempdir().unwrap();
    let (csv, svg) = (
        directory.path().join("a.csv"),
        directory.path().join("a.svg"),
    );
    let arguments = [
        "--player",
        "star1(depth=2)",
        "--phase",
        "endgame",
        "--csv",
        text(&csv),
        "--svg",
        text(&svg),
    ];
    let ran = search(&arguments);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    assert!(
        ran.out.contains("8 positions of data/suites/search.txt") && ran.out.contains("nodes/s"),
        "{}",
        ran.out
    );
    let csv = fs::read_to_string(&csv).unwrap();
    assert_eq!(csv.lines().count(), 2);
    assert!(
        csv.starts_with("player,phase,positions,nodes,leaves,")
            && csv.contains("star1(depth=2),endgame,8,"),
        "{csv}"
    );
    assert!(fs::read_to_string(&svg).unwrap().starts_with("<svg"));
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 2);
}

#[test]
fn the_study_of_depth_stands_beside_the_published_times() {
    let report = search(&[
        "--study",
        "depth",
        "--max-depth",
        "2",
        "--games",
        "1",
        "--phase",
        "middle",
        "--json",
    ])
    .json();
    let depths = report["searches"][0]["depths"].as_array().unwrap();
    assert_eq!(depths.len(), 2);
    assert_eq!(
        (
            &depths[1]["depth"],
            &depths[1]["games"],
            &depths[1]["published_seconds_a_game"]
        ),
        (&2.into(), &1.into(), &0.01.into())
    );
    let own = search(&[
        "--study",
        "depth",
        "--max-depth",
        "1",
        "--games",
        "1",
        "--player",
        "unified(depth={depth}, eval=race)",
    ]);
    assert!(
        own.out.contains("times faster") && own.out.contains("unified(depth={depth}, eval=race)"),
        "{}",
        own.out
    );
}

#[test]
fn the_study_of_table_sizes_takes_any_player_with_a_size() {
    let report = search(&[
        "--study",
        "table-size",
        "--player",
        "star1(depth=5, entries={entries})",
        "--json",
    ])
    .json();
    let tables = report["tables"].as_array().unwrap();
    let of_size = |entries: u64| tables.iter().find(|one| one["entries"] == entries).unwrap();
    assert_eq!(tables.len(), 12);
    assert!(
        of_size(1 << 22)["nodes"].as_u64() < of_size(1)["nodes"].as_u64(),
        "a table saves something"
    );
    assert!(report["largest_disagreement"].as_f64().unwrap() < 1e-6);
    // What a player cannot have is refused in one line, before anything is searched.
    let refused = search(&[
        "--study",
        "table-size",
        "--player",
        "star1(depth=2, table={entries})",
    ]);
    assert!(
        refused
            .failure()
            .contains("'table' is a number from 0 to 4096, not '16384'"),
        "{}",
        refused.err
    );
}

#[test]
fn what_cannot_be_measured_is_refused_in_one_line() {
    let directory = tempfile::tempdir().unwrap();
    let suite = directory.path().join("suite.txt");
    fs::write(&suite, "# mine\nopening 123../45.../6...f/...ed/..cba r -\nmiddle 123../45.../6...f/...ed/..cba r 3\n").unwrap();
    let missing = directory.path().join("no").join("a.csv");
    for (arguments, part) in [
        (&["--player", "star9"][..], "no player 'star9'"),
        (
            &["--player", "star1(depth=64)", "--player", "greedy"],
            "greedy gives positions no value",
        ),
        (
            &["--suite", text(&suite)],
            "suite.txt:3: position '123../45.../6...f/...ed/..cba r 3' has a die",
        ),
        (&["--suite", "no/such.txt"], "no/such.txt: no such file"),
        (
            &["--study", "chance", "--player", "star1"],
            "'chance' has its own players",
        ),
        (
            &["--study", "depth", "--player", "star1(depth=3)"],
            "has no {depth}",
        ),
        (
            &["--study", "table-size", "--phase", "middle"],
            "one fixed position",
        ),
        (&["--max-depth", "3"], "belong to the study 'depth'"),
        (&["--csv", text(&missing)], "there is no directory"),
    ] {
        let ran = search(arguments);
        assert!(ran.failure().contains(part), "{arguments:?}: {}", ran.err);
        assert_eq!(ran.out, "");
    }
    fs::write(&suite, "opening 123../45.../6...f/...ed/..cba r -\n").unwrap();
    let ran = search(&["--suite", text(&suite), "--phase", "endgame"]);
    assert!(
        ran.failure()
            .contains("there is no position of the phase endgame"),
        "{}",
        ran.err
    );
    let ran = search(&["--suite", text(&suite), "--player", "star1(depth=2)"]);
    assert!(ran.out.starts_with("1 position of"), "{}", ran.out);
    for wrong in [
        &["--study", "star"][..],
        &["--phase", "late"],
        &["--repeat", "0"],
        &["--max-depth", "65"],
        &["--games", "0"],
    ] {
        let ran = search(wrong);
        assert_eq!(
            (ran.code, ran.out.as_str()),
            (2, ""),
            "{wrong:?}: {}",
            ran.err
        );
    }
}
