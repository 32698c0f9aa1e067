//! `alea bench search` from outside: tables, files, studies and refusals.

use crate::support::{Folder, Ran, alea, keys, list, names, number, read};
use serde_json::Value;
use std::iter;

fn search(extra: &str) -> Ran {
    alea!("bench search {extra}")
}

fn line<'a>(report: &'a Value, player: &str, phase: &str) -> &'a Value {
    let mut lines = list(&report["lines"]).iter();
    let line = lines.find(|line| line["player"] == player && line["phase"] == phase);
    line.unwrap()
}

#[test]
fn players_are_compared_with_the_first() {
    let (full, cut) = ("unified(depth=3)", "star1(depth=3, table=0)");
    let players = format!("--player {full} --player '{cut}' --player mcts(sims=20) --json");
    let report = search(&players).json();
    assert_eq!(keys(&report), "study suite seed repeat lines players");
    assert_eq!(report["study"], "compare");
    assert_eq!(list(&report["lines"]).len(), 12);
    let counts =
        |line: &Value| ["positions", "nodes", "leaves"].map(|key| line[key].as_u64().unwrap());
    for phase in ["opening", "middle", "endgame", "all"] {
        let (full, cut) = (line(&report, full, phase), line(&report, cut, phase));
        let (full_counts, cut_counts) = (counts(full), counts(cut));
        assert_eq!(full_counts[0], if phase == "all" { 24 } else { 8 });
        assert!(cut_counts[2] < full_counts[2], "{phase}");
        assert_eq!(full["leaves_ratio"], 1.0);
        let ratio = cut_counts[2] as f64 / full_counts[2] as f64;
        assert_eq!(cut["leaves_ratio"], ratio);
        assert!((0.0..=1.0).contains(&number(&cut["evaluation_share"])));
    }
    let again = search(&format!("{players} --repeat 2 --threads 1")).json();
    for (one, other) in iter::zip(list(&report["lines"]), list(&again["lines"])) {
        assert_eq!(counts(one), counts(other), "counts depend on no clock");
    }
}

#[test]
fn tables_and_files_say_the_same() {
    let folder = Folder::new();
    let (csv, svg) = (folder.at("a.csv"), folder.at("a.svg"));
    let ran = search(&format!(
        "--player star1(depth=2) --phase endgame --csv {csv} --svg {svg}"
    ));
    ran.shows(&["8 positions of data/suites/search.txt", "nodes/s"]);
    assert_eq!(ran.err, "");
    let csv = read(&csv);
    assert_eq!(csv.lines().count(), 2);
    assert!(
        csv.starts_with("player,phase,positions,nodes,leaves,")
            && csv.contains("star1(depth=2),endgame,8,"),
        "{csv}"
    );
    assert!(read(&svg).starts_with("<svg"));
    assert_eq!(names(&folder.path()).len(), 2);
}

#[test]
fn the_study_of_depth_stands_beside_the_published_times() {
    let report = search("--study depth --max-depth 2 --games 1 --phase middle --json").json();
    let depths = list(&report["searches"][0]["depths"]);
    assert_eq!(depths.len(), 2);
    assert_eq!(depths[1]["depth"], 2);
    assert_eq!(depths[1]["games"], 1);
    assert_eq!(depths[1]["published_seconds_a_game"], 0.01);
    let own = "unified(depth={depth}, eval=race)";
    search(&format!(
        "--study depth --max-depth 1 --games 1 --player '{own}'"
    ))
    .shows(&["times faster", own]);
}

#[test]
fn the_study_of_table_sizes_takes_any_player_with_a_size() {
    let study = |player: &str| search(&format!("--study table-size --json --player '{player}'"));
    let report = study("star1(depth=5, entries={entries})").json();
    let tables = list(&report["tables"]);
    let of_size = |entries: u64| tables.iter().find(|one| one["entries"] == entries).unwrap();
    assert_eq!(tables.len(), 12);
    let [large, small] = [1 << 22, 1].map(|entries| number(&of_size(entries)["nodes"]));
    assert!(large < small, "a table saves something");
    assert!(number(&report["largest_disagreement"]) < 1e-6);
    // What a player cannot have is refused in one line, before anything is searched.
    study("star1(depth=2, table={entries})")
        .fails("'table' is a number from 0 to 4096, not '16384'");
}

#[test]
fn what_cannot_be_measured_is_refused_in_one_line() {
    let folder = Folder::new();
    let start = "123../45.../6...f/...ed/..cba r";
    let suite = format!("# mine\nopening {start} -\nmiddle {start} 3\n");
    let suite = folder.file("suite.txt", suite);
    let missing = folder.at("no/a.csv");
    for (extra, part) in [
        ("--player star9", "no player 'star9'"),
        (
            "--player star1(depth=64) --player greedy",
            "greedy gives positions no value",
        ),
        (
            &format!("--suite {suite}"),
            &format!("suite.txt:3: position '{start} 3' has a die"),
        ),
        ("--suite no/such.txt", "no/such.txt: no such file"),
        (
            "--study chance --player star1",
            "'chance' has its own players",
        ),
        ("--study depth --player star1(depth=3)", "has no {depth}"),
        ("--study table-size --phase middle", "one fixed position"),
        ("--max-depth 3", "belong to the study 'depth'"),
        (&format!("--csv {missing}"), "there is no directory"),
    ] {
        let ran = search(extra);
        ran.fails(part);
        assert_eq!(ran.out, "");
    }
    folder.file("suite.txt", format!("opening {start} -\n"));
    search(&format!("--suite {suite} --phase endgame"))
        .fails("there is no position of the phase endgame");
    let ran = search(&format!("--suite {suite} --player star1(depth=2)"));
    assert!(ran.out.starts_with("1 position of"), "{ran}");
    for wrong in [
        "--study star",
        "--phase late",
        "--repeat 0",
        "--max-depth 65",
        "--games 0",
    ] {
        search(wrong).is_wrong_usage();
    }
}
