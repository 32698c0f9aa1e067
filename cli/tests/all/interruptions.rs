//! New sets of records when the disk is full: finished shards stay, and nothing half is there.

use crate::support::{alea, text};
use std::{fs, path::Path, process::Command};

fn names(directory: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Three shards of fast players.
fn records(directory: &Path) -> String {
    let out = directory.join("records");
    assert_eq!(
        alea(&[
            "selfplay",
            "--out",
            text(&out),
            "--games",
            "10000",
            "--player",
            "star1(depth=1)"
        ])
        .code,
        0
    );
    text(&out).to_owned()
}

#[test]
fn a_full_disk_is_named_and_finished_shards_stay() {
    let directory = tempfile::tempdir().unwrap();
    let records = records(directory.path());
    let out = directory.path().join("out");
    // No file may grow beyond so many KB; the signal that would kill the program is ignored, so
    // that writing fails.
    let limited = |arguments: &[&str], blocks: u32| {
        let quoted: String = arguments
            .iter()
            .map(|argument| format!(" '{argument}'"))
            .collect();
        let script = format!(
            "trap '' XFSZ; ulimit -f {blocks}; exec '{}'{quoted}",
            env!("CARGO_BIN_EXE_alea")
        );
        let ran = Command::new("sh").args(["-c", &script]).output().unwrap();
        let error = String::from_utf8(ran.stderr).unwrap();
        assert_eq!(
            (ran.status.code(), error.lines().count()),
            (Some(1), 1),
            "{error}"
        );
        assert!(error.contains("cannot write"), "{error}");
        error
    };
    let relabel = [
        "data",
        "relabel",
        &records,
        "--out",
        text(&out),
        "--name",
        "race",
        "--by",
        "race",
    ];
    assert!(limited(&relabel, 20).contains("000000.games"));
    assert!(!out.exists());
    // The last shard is the shortest, and the manifest there already: the first two stay whatever
    // follows.
    let working = directory.path().join("out.unfinished");
    assert_eq!(names(&working), ["run.json"]);
    assert_eq!(alea(&relabel).code, 0);
    assert_eq!(
        names(&out),
        ["000000.games", "000001.games", "000002.games", "run.json"]
    );
    let (exported, set) = (
        directory.path().join("x.parquet"),
        directory.path().join("set"),
    );
    limited(&["data", "export", &records, "--out", text(&exported)], 20);
    limited(&["data", "merge", &records, "--out", text(&set)], 20);
    assert_eq!(names(directory.path()), ["out", "records"]);
}
