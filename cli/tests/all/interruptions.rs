//! New sets of records when the program is killed or the disk is full: they go on, or nothing half
//! is there.

use crate::support::{alea, killed_after, text};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

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
fn what_makes_sets_at_once_leaves_nothing_half() {
    let directory = tempfile::tempdir().unwrap();
    let records = records(directory.path());
    let commands: [(&str, &[&str]); 5] = [
        ("merge", &[]),
        ("filter", &["--stones", "2-12"]),
        ("shuffle", &[]),
        ("sample", &["--games", "9000"]),
        ("split", &["--part", "train=0.9", "--part", "test=0.1"]),
    ];
    for (name, extra) in commands {
        let arguments = |out: &'static str| -> Vec<String> {
            let out = directory.path().join(out);
            let words = ["data", name, &records, "--out", text(&out)];
            words
                .iter()
                .chain(extra)
                .map(|&word| word.to_owned())
                .collect()
        };
        let began = Instant::now();
        let whole = arguments("whole");
        assert_eq!(
            alea(&whole.iter().map(String::as_str).collect::<Vec<_>>()).code,
            0
        );
        let time = began.elapsed();
        let (whole, broken) = (
            directory.path().join("whole"),
            directory.path().join("broken"),
        );
        let arguments = arguments("broken");
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let mut killed = 0;
        for part in 1..=10 {
            killed += u32::from(killed_after(&arguments, time * part / 11));
            if broken.exists() {
                // Whole or not at all: a kill after the last step came too late.
                assert!(same(&broken, &whole), "{name}");
                fs::remove_dir_all(&broken).unwrap();
            }
        }
        assert!(killed > 0, "{name}: none was killed");
        assert_eq!(alea(&arguments).code, 0);
        assert!(same(&broken, &whole), "{name}");
        // What was begun and killed has been removed by those that came after.
        assert_eq!(
            names(directory.path()),
            ["broken", "records", "whole"],
            "{name}"
        );
        fs::remove_dir_all(&broken).unwrap();
        fs::remove_dir_all(&whole).unwrap();
    }
}

/// Whether two trees hold the same.
fn same(a: &Path, b: &Path) -> bool {
    names(a) == names(b)
        && names(a).iter().all(|name| {
            let (a, b) = (a.join(name), b.join(name));
            if a.is_dir() {
                same(&a, &b)
            } else {
                fs::read(a).unwrap() == fs::read(b).unwrap()
            }
        })
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
