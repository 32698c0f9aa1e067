//! Records from outside: runs killed anywhere, shards made one by one, a disk that is full, and
//! what `alea data` says.

use crate::support::{alea, keys, text};
use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
};

const PLAYERS: [&str; 4] = ["--player", "greedy", "--player", "star1(depth=1)"];

/// Name and content of every file, by name.
fn content(directory: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap());
    let mut files: Vec<_> = entries
        .map(|entry| {
            (
                entry.file_name().into_string().unwrap(),
                fs::read(entry.path()).unwrap(),
            )
        })
        .collect();
    files.sort();
    files
}

fn selfplay<'a>(out: &'a str, extra: &[&'a str]) -> Vec<&'a str> {
    [&["selfplay", "--out", out], &PLAYERS[..], extra].concat()
}

#[test]
fn shards_made_one_by_one_are_those_of_a_whole_run() {
    let directory = tempfile::tempdir().unwrap();
    let whole = directory.path().join("whole");
    assert_eq!(alea(&selfplay(text(&whole), &["--games", "20000"])).code, 0);
    // One by one, in another order, elsewhere.
    let single = directory.path().join("single");
    for part in ["5/5", "1/5", "3/5", "2/5", "4/5"] {
        assert_eq!(
            alea(&selfplay(
                text(&single),
                &["--games", "20000", "--shard", part]
            ))
            .code,
            0
        );
    }
    assert!(content(&single) == content(&whole));
    let wrong = alea(&selfplay(
        text(&single),
        &["--games", "20000", "--shard", "3/6"],
    ));
    assert!(
        wrong.failure().contains("20000 games make 5 shards"),
        "{}",
        wrong.err
    );
    for part in ["0/5", "6/5", "5", "a/b", "1/0"] {
        assert_eq!(
            alea(&selfplay(text(&single), &["--shard", part])).code,
            2,
            "{part}"
        );
    }
}

#[test]
fn the_games_are_like_those_of_the_arena() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("out");
    let player = "star1(depth=1, eval=schwarz)";
    let plain = [
        "--opening-plies",
        "0",
        "--exploration",
        "0",
        "--games",
        "8192",
        "--json",
    ];
    let ours = alea(
        &[
            &["selfplay", "--out", text(&out), "--player", player][..],
            &plain,
        ]
        .concat(),
    )
    .json();
    let theirs = alea(&[
        "arena", "--games", "8000", "--player", player, "--player", player, "--json",
    ])
    .json();
    let number = |value: &serde_json::Value| value.as_f64().unwrap();
    let games = number(&ours["games"]);
    // Both games of a pair are the same one: of 8000 games 4000 count. A game has 16.3 plies, with
    // a deviation below 4.
    let deviation = (1.0 / games + 1.0 / 4000.0_f64).sqrt();
    let first = number(&ours["first_mover_points"]) / games - number(&theirs["first_mover_share"]);
    assert!(first.abs() < 4.0 * 0.5 * deviation, "{first}");
    let plies = number(&ours["positions"]) / games - number(&theirs["mean_plies"]);
    assert!(plies.abs() < 4.0 * 4.0 * deviation, "{plies}");
}

#[test]
fn the_options_of_self_play_reach_the_games() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let starts = at("starts.txt");
    fs::write(&starts, ".1..2/...../..3../...b./....a r -\n").unwrap();
    let (out, file) = (at("out"), text(&starts).to_owned());
    let mut options = vec![
        "--target-positions",
        "2000",
        "--json",
        "--hours",
        "5",
        "--exploration-until",
        "20",
        "--exploration-half-life",
        "9",
    ];
    options.extend([
        "--temperature",
        "0.1",
        "--temperature-until",
        "15",
        "--temperature-half-life",
        "7",
        "--adjudicate",
        "3",
    ]);
    options.extend([
        "--starts",
        &file,
        "--starts-share",
        "0.25",
        "--endgames",
        "4-6",
        "--endgames-share",
        "0.5",
    ]);
    let done = alea(&selfplay(text(&out), &options)).json();
    assert_eq!(done["stopped"], false);
    assert!(
        done["positions"].as_u64().unwrap() >= 2000
            && done["time"]["outside_players"].as_f64().unwrap() > 0.0,
        "{done}"
    );
    let manifest: serde_json::Value =
        serde_json::from_slice(&fs::read(out.join("run.json")).unwrap()).unwrap();
    let written = serde_json::json!({
        "exploration_until": 20, "exploration_half_life": 9.0,
        "temperature": 0.1, "temperature_until": 15, "temperature_half_life": 7.0,
        "starts": {"file": file, "share": 0.25}, "endgames": {"stones": [4, 6], "share": 0.5}, "adjudicate": 3
    });
    assert_eq!(manifest["run"]["options"], written);
    assert_eq!(manifest["run"]["starts"].as_str().map(str::len), Some(16));
    assert_eq!(alea(&["data", "verify", text(&out)]).code, 0);
    // What is refused leaves nothing behind.
    for (wrong, expected) in [
        (&["--hours", "-1"][..], "--hours"),
        (&["--hours", "nan"], "--hours"),
        (&["--temperature", "-1"], "'temperature' is"),
        (&["--adjudicate", "9"], "'adjudicate' is a number"),
        (&["--endgames", "5-4"], "has none of 5 to 4 stones"),
        (
            &["--endgames", "2-4", "--endgames-share", "2"],
            "share of 'endgames'",
        ),
        (&["--starts", "no-such-file"], "no-such-file"),
    ] {
        let ran = alea(&selfplay(text(&at("other")), wrong));
        assert!(
            ran.code != 0 && ran.err.contains(expected) && !ran.err.contains("panicked"),
            "{wrong:?}: {}",
            ran.err
        );
    }
    for wrong in [
        &["--endgames", "x"][..],
        &["--temperature-until", "3"],
        &["--starts-share", "0.5"],
        &["--target-positions", "0"],
    ] {
        assert_eq!(
            alea(&selfplay(text(&at("other")), wrong)).code,
            2,
            "{wrong:?}"
        );
    }
    assert!(!at("other").exists());
}

#[cfg(unix)]
#[test]
fn a_full_disk_is_named_and_finished_shards_stay() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("out");
    assert_eq!(alea(&selfplay(text(&out), &["--games", "4096"])).code, 0);
    let before = content(&out);
    // No file may grow beyond 10 KB or so; the signal that would kill the program is ignored, so
    // that writing fails.
    let arguments = selfplay(text(&out), &["--games", "8192"]);
    let quoted: String = arguments
        .iter()
        .map(|argument| format!(" '{argument}'"))
        .collect();
    let script = format!(
        "trap '' XFSZ; ulimit -f 20; exec '{}'{quoted}",
        env!("CARGO_BIN_EXE_alea")
    );
    let ran = std::process::Command::new("sh")
        .args(["-c", &script])
        .output()
        .unwrap();
    let error = String::from_utf8(ran.stderr).unwrap();
    assert_eq!(
        (ran.status.code(), error.lines().count()),
        (Some(1), 1),
        "{error}"
    );
    assert!(
        error.contains("cannot write") && error.contains("000001.games"),
        "{error}"
    );
    let after = content(&out);
    assert!(
        after[0] == before[0] && after.len() == 2,
        "the first shard, the manifest, and nothing else"
    );
    assert_eq!(alea(&selfplay(text(&out), &["--games", "8192"])).code, 0);
    assert_eq!(content(&out).len(), 3);
}

#[test]
fn records_are_counted_verified_and_made_into_sets() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let (records, out) = (at("records"), at("out"));
    let (records, out) = (text(&records), text(&out));
    assert_eq!(alea(&selfplay(records, &["--games", "300"])).code, 0);
    let info = alea(&["data", "info", records, "--plots", out, "--json"]).json();
    assert_eq!(
        keys(&info)[..7],
        [
            "shards",
            "bytes",
            "games",
            "positions",
            "bytes_per_position",
            "draws",
            "points"
        ]
    );
    assert_eq!(
        (
            &info["games"],
            info["points"][0].as_f64().unwrap() + info["points"][1].as_f64().unwrap()
        ),
        (&300.into(), 300.0)
    );
    assert!(Path::new(out).join("values.svg").exists());
    let shown = alea(&["data", "info", records]);
    assert!(
        shown.out.starts_with("300 games, ") && shown.out.contains("star1(depth=1)"),
        "{}",
        shown.out
    );

    let verified = alea(&["data", "verify", records, "--json"]).json();
    assert_eq!(
        (&verified["games"], &verified["positions"]),
        (&300.into(), &info["positions"])
    );
    let shard = Path::new(records).join("000000.games");
    let bytes = fs::read(&shard).unwrap();
    let mut flipped = bytes.clone();
    flipped[bytes.len() - 9] ^= 0x40;
    fs::write(&shard, &flipped).unwrap();
    let ran = alea(&["data", "verify", records]);
    assert_eq!(ran.failure(), "1 record is bad");
    assert!(
        ran.out
            .contains("000000.games: game 299: its checksum does not fit"),
        "{}",
        ran.out
    );
    fs::write(&shard, &bytes).unwrap();

    let made = |command: &str, out: &str, extra: &[&str]| {
        alea(
            &[
                &["data", command, records, "--out", text(&at(out)), "--json"][..],
                extra,
            ]
            .concat(),
        )
    };
    assert_eq!(made("merge", "merged", &[]).json()["games"], 300);
    assert_eq!(
        made("shuffle", "shuffled", &["--seed", "2"]).json()["games"],
        300
    );
    assert_eq!(
        made("sample", "sampled", &["--games", "10"]).json()["games"],
        10
    );
    let parts = made(
        "split",
        "split",
        &["--part", "train=0.8", "--part", "test=0.2"],
    )
    .json();
    assert_eq!(
        parts[0]["games"].as_u64().unwrap() + parts[1]["games"].as_u64().unwrap(),
        300
    );
    let filtered = made(
        "filter",
        "filtered",
        &[
            "--stones",
            "-8",
            "--plies",
            "3-",
            "--chosen",
            "--disagreement",
            "0.9",
        ],
    )
    .json();
    assert!(filtered["values"].as_u64().unwrap() < info["values"].as_u64().unwrap());
    for set in ["merged", "shuffled", "sampled", "split/train", "filtered"] {
        assert_eq!(alea(&["data", "verify", text(&at(set))]).code, 0, "{set}");
    }
    assert!(
        made("merge", "merged", &[])
            .failure()
            .contains("exists already")
    );
    assert!(
        made("filter", "x", &["--stones", "8-3"])
            .failure()
            .contains("--stones '8-3'")
    );
    assert!(
        made("split", "x", &["--part", "train=1", "--part", "test"])
            .failure()
            .contains("NAME=SHARE")
    );
    assert!(
        made("filter", "x", &["--disagreement", "2"])
            .failure()
            .contains("from 0 to 1")
    );

    let file = at("games.jsonl");
    assert_eq!(
        alea(&["data", "export", records, "--out", text(&file), "--json"]).json()["games"],
        300
    );
    assert_eq!(
        alea(&[
            "data",
            "import",
            text(&file),
            "--out",
            text(&at("imported")),
            "--json"
        ])
        .json()["games"],
        300
    );
    assert!(content(&at("imported")) == content(Path::new(records)));
    assert!(
        alea(&["data", "info", text(&at("missing"))])
            .failure()
            .contains("missing")
    );
}

#[test]
fn labels_are_made_with_games_and_later() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let (plain, labelled) = (at("plain"), at("labelled"));
    assert_eq!(alea(&selfplay(text(&plain), &["--games", "50"])).code, 0);
    assert_eq!(
        alea(&selfplay(
            text(&labelled),
            &[
                "--games",
                "50",
                "--label",
                "end=tables(3)",
                "--label",
                "race = race"
            ]
        ))
        .code,
        0
    );
    let relabel = |from: &str, out: &str, extra: &[&str]| {
        alea(
            &[
                &["data", "relabel", text(&at(from)), "--out", text(&at(out))][..],
                extra,
            ]
            .concat(),
        )
    };
    assert_eq!(
        relabel("plain", "one", &["--name", "end", "--tables", "3"]).code,
        0
    );
    let both = relabel("one", "both", &["--name", "race", "--by", "race", "--json"]).json();
    assert_eq!(
        keys(&both),
        [
            "directory",
            "shards",
            "games",
            "positions",
            "values",
            "labels"
        ]
    );
    let lines = |name: &str| {
        let file = at(name).with_extension("jsonl");
        assert_eq!(
            alea(&["data", "export", text(&at(name)), "--out", text(&file)]).code,
            0
        );
        fs::read_to_string(file).unwrap()
    };
    let games = |text: &str| text.lines().skip(1).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(games(&lines("both")), games(&lines("labelled")));
    let info = alea(&["data", "info", text(&at("both"))]);
    assert!(
        info.out
            .contains("label       race by race: 100.0 % of positions"),
        "{}",
        info.out
    );
    assert!(
        info.out.contains("end by tables(stones=3): "),
        "{}",
        info.out
    );
    for (extra, expected) in [
        (&["--name", "Race", "--by", "race"][..], "lower-case"),
        (&["--name", "x", "--by", "random"], "values no positions"),
        (&["--name", "x", "--tables", "9"], "2 to 6"),
    ] {
        let ran = relabel("plain", "x", extra);
        assert!(ran.failure().contains(expected), "{}", ran.err);
    }
    assert_eq!(relabel("plain", "x", &["--name", "x"]).code, 2);
    let timed = relabel(
        "plain",
        "timed",
        &["--name", "x", "--by", "star1(depth=1, ms=50)"],
    );
    assert!(
        timed.code == 0 && timed.err.contains("time limit"),
        "{}",
        timed.err
    );
    assert!(
        alea(&selfplay("x", &["--label", "race"]))
            .failure()
            .contains("NAME=PLAYER")
    );
}

/// A Python with one of the packages that read Parquet.
fn reads_parquet(package: &str) -> bool {
    let ran = Command::new("python3")
        .args(["-c", &format!("import {package}")])
        .stderr(Stdio::null())
        .status();
    ran.is_ok_and(|status| status.success())
}

#[test]
fn python_reads_what_parquet_holds_and_writes_it() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    assert_eq!(
        alea(&selfplay(
            text(&at("a")),
            &[
                "--games",
                "300",
                "--label",
                "end=tables(3)",
                "--label",
                "race=race"
            ]
        ))
        .code,
        0
    );
    for file in ["a.parquet", "a.jsonl"] {
        assert_eq!(
            alea(&["data", "export", text(&at("a")), "--out", text(&at(file))]).code,
            0
        );
    }
    let imported = |file: &str, out: &str| {
        assert_eq!(
            alea(&[
                "data",
                "import",
                text(&at(file)),
                "--out",
                text(&at(out)),
                "--json"
            ])
            .json()["games"],
            300
        );
        assert!(content(&at(out)) == content(&at("a")), "{file}");
    };
    imported("a.parquet", "b");
    let lines = |text: &str| {
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect::<Vec<serde_json::Value>>()
    };
    let expected = lines(&fs::read_to_string(at("a.jsonl")).unwrap());
    let rewrites = [
        (
            "pyarrow",
            "import sys, pyarrow.parquet as p; p.write_table(p.read_table(sys.argv[1]), sys.argv[2])",
        ),
        (
            "polars",
            "import sys, polars as p; a = sys.argv[1]; m = {'alea': p.read_parquet_metadata(a)['alea']}; \
             p.read_parquet(a).write_parquet(sys.argv[2], compression='snappy', metadata=m)",
        ),
    ];
    for (package, rewrite) in rewrites {
        if !reads_parquet(package) {
            eprintln!("skipped: python3 has no package {package}");
            continue;
        }
        // Values are 32-bit floats there and shortest decimals here: read as 32 bits they are the
        // same.
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/read_parquet.py");
        let ran = Command::new("python3")
            .args([script, text(&at("a.parquet")), "--lines", "--with", package])
            .output()
            .unwrap();
        assert!(
            ran.status.success(),
            "{}",
            String::from_utf8_lossy(&ran.stderr)
        );
        let read = lines(&String::from_utf8(ran.stdout).unwrap());
        assert!(
            read.len() == 300
                && read
                    .iter()
                    .zip(&expected[1..])
                    .all(|(read, expected)| same(read, expected)),
            "{package}"
        );
        let file = format!("{package}.parquet");
        let ran = Command::new("python3")
            .args(["-c", rewrite, text(&at("a.parquet")), text(&at(&file))])
            .output()
            .unwrap();
        assert!(
            ran.status.success(),
            "{}",
            String::from_utf8_lossy(&ran.stderr)
        );
        imported(&file, package);
    }
}

/// Whether two values of JSON are the same, numbers as 32-bit floats.
fn same(a: &serde_json::Value, b: &serde_json::Value) -> bool {
    use serde_json::Value::{Array, Number, Object};
    match (a, b) {
        (Number(a), Number(b)) => a.as_f64().map(|a| a as f32) == b.as_f64().map(|b| b as f32),
        (Array(a), Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Object(a), Object(b)) => {
            a.len() == b.len()
                && a.iter()
                    .all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        _ => a == b,
    }
}

#[test]
fn reversi_is_played_looked_at_and_written_as_others_write_it() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let (records, file, again) = (at("records"), at("games.ggf"), at("again"));
    let (records, file, again) = (text(&records), text(&file), text(&again));
    let game = ["--game", "reversi(size=6)"];
    let played = [
        &[
            "selfplay",
            "--out",
            records,
            "--games",
            "40",
            "--player",
            "star1(depth=1)",
            "--json",
        ][..],
        &game,
    ];
    let played = alea(&played.concat()).json();
    assert!(played["distinct"].as_u64().unwrap() > 30);
    let info = alea(&["data", "info", records]);
    assert!(
        info.out.contains("reversi(size=6)") && info.out.contains(" % by Black, "),
        "{}",
        info.out
    );
    assert_eq!(alea(&["data", "export", records, "--out", file]).code, 0);
    let import = [
        &["data", "import", file, "--out", again, "--json"][..],
        &game,
    ]
    .concat();
    assert_eq!(
        alea(&import).json()["positions"],
        played["positions"],
        "every ply came back"
    );
    for (arguments, expected) in [
        (
            &["data", "export", records, "--out", file, "--format", "pgn"][..],
            "there are jsonl, parquet, ggf, transcript",
        ),
        (
            &["data", "import", file, "--out", "no", "--format", "ggf"],
            "einstein has no form 'ggf'",
        ),
        (
            &[
                "selfplay",
                "--out",
                "no",
                "--game",
                "reversi",
                "--endgames",
                "3-7",
            ],
            "reversi has none of 3 to 7 empties",
        ),
    ] {
        assert!(
            alea(arguments).failure().contains(expected),
            "{arguments:?}"
        );
    }
}
