//! Records from outside: how they are made, and what `alea data` says of them.

use crate::support::{
    Folder, Ran, alea, content, exists, has_package, here, json_lines, keys, list, number, read,
};
use serde_json::{Value, json};
use std::{fs, iter, process::Command};

fn selfplay(out: &str, extra: &str) -> Ran {
    alea!("selfplay --out {out} --player greedy --player star1(depth=1) {extra}")
}

#[test]
fn the_games_are_like_those_of_the_arena() {
    let folder = Folder::new();
    let out = folder.at("out");
    let player = "--player 'star1(depth=1, eval=schwarz)'";
    let plain = "--opening-plies 0 --exploration 0 --games 8192";
    let ours = alea!("selfplay --out {out} {player} {plain} --json").json();
    let theirs = alea!("arena --games 8000 {player} {player} --json").json();
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
    let folder = Folder::new();
    let starts = folder.file("starts.txt", ".1..2/...../..3../...b./....a r -\n");
    let (out, other) = (folder.at("out"), folder.at("other"));
    let options = format!(
        "--target-positions 2000 --json --hours 5 --exploration-until 20 --exploration-half-life 9 \
         --temperature 0.1 --temperature-until 15 --temperature-half-life 7 --adjudicate 3 \
         --starts {starts} --starts-share 0.25 --endgames 4-6 --endgames-share 0.5"
    );
    let done = selfplay(&out, &options).json();
    assert_eq!(done["stopped"], false);
    assert!(number(&done["positions"]) >= 2000.0, "{done}");
    assert!(number(&done["time"]["outside_players"]) > 0.0, "{done}");
    let manifest: Value = serde_json::from_str(&read(&format!("{out}/run.json"))).unwrap();
    let written = json!({
        "exploration_until": 20, "exploration_half_life": 9.0,
        "temperature": 0.1, "temperature_until": 15, "temperature_half_life": 7.0,
        "starts": {"file": starts, "share": 0.25}, "endgames": {"stones": [4, 6], "share": 0.5}, "adjudicate": 3
    });
    assert_eq!(manifest["run"]["options"], written);
    assert_eq!(manifest["run"]["starts"].as_str().map(str::len), Some(16));
    alea!("data verify {out}").succeeds();
    // What is refused leaves nothing behind.
    for (wrong, expected) in [
        ("--hours -1", "--hours"),
        ("--hours nan", "--hours"),
        ("--endgames 2-4 --endgames-share 2", "share of 'endgames'"),
        ("--starts no-such-file", "no-such-file"),
    ] {
        selfplay(&other, wrong).fails(expected);
    }
    for wrong in [
        "--endgames x",
        "--temperature-until 3",
        "--starts-share 0.5",
        "--target-positions 0",
    ] {
        selfplay(&other, wrong).is_wrong_usage();
    }
    assert!(!exists(&other));
}

#[test]
fn records_are_counted_verified_and_made_into_sets() {
    let folder = Folder::new();
    let (records, plots) = (folder.at("records"), folder.at("out"));
    selfplay(&records, "--games 300").succeeds();
    let info = alea!("data info {records} --plots {plots} --json").json();
    assert!(
        keys(&info).starts_with("shards bytes games positions bytes_per_position draws points ")
    );
    assert_eq!(info["games"], 300);
    let points = &info["points"];
    assert_eq!(number(&points[0]) + number(&points[1]), 300.0);
    assert!(exists(&format!("{plots}/values.svg")));
    let shown = alea!("data info {records}");
    shown.shows(&["star1(depth=1)"]);
    assert!(shown.out.starts_with("300 games, "), "{shown}");

    let verified = alea!("data verify {records} --json").json();
    assert_eq!(verified["games"], 300);
    assert_eq!(verified["positions"], info["positions"]);
    let shard = format!("{records}/000000.games");
    let bytes = fs::read(&shard).unwrap();
    let mut flipped = bytes.clone();
    flipped[bytes.len() - 9] ^= 0x40;
    fs::write(&shard, &flipped).unwrap();
    let ran = alea!("data verify {records}");
    assert_eq!(ran.failure(), "1 record is bad");
    let problem = "000000.games: game 299: its checksum does not fit";
    assert!(ran.out.contains(problem), "{ran}");
    fs::write(&shard, &bytes).unwrap();

    let made = |command: &str, out: &str, extra: &str| {
        let out = folder.at(out);
        alea!("data {command} {records} --out {out} --json {extra}")
    };
    for (command, out, extra, games) in [
        ("merge", "merged", "", 300),
        ("shuffle", "shuffled", "--seed 2", 300),
        ("sample", "sampled", "--games 10", 10),
    ] {
        assert_eq!(
            made(command, out, extra).json()["games"],
            games,
            "{command}"
        );
    }
    let parts = made("split", "split", "--part train=0.8 --part test=0.2").json();
    let games = list(&parts).iter().map(|part| number(&part["games"]));
    assert_eq!((list(&parts).len(), games.sum()), (2, 300.0));
    let wanted = "--stones -8 --plies 3- --chosen --disagreement 0.9";
    let filtered = made("filter", "filtered", wanted).json();
    assert!(number(&filtered["values"]) < number(&info["values"]));
    for set in ["merged", "shuffled", "sampled", "split/train", "filtered"] {
        alea!("data verify {}", folder.at(set)).succeeds();
    }
    for (command, out, extra, problem) in [
        ("merge", "merged", "", "exists already"),
        ("filter", "x", "--stones 8-3", "--stones '8-3'"),
        ("split", "x", "--part train=1 --part test", "NAME=SHARE"),
        ("filter", "x", "--disagreement 2", "from 0 to 1"),
    ] {
        made(command, out, extra).fails(problem);
    }

    alea!("data info {}", folder.at("missing")).fails("missing");
}

#[test]
fn labels_are_made_with_games_and_later() {
    let folder = Folder::new();
    selfplay(&folder.at("plain"), "--games 50").succeeds();
    let labels = "--games 50 --label end=tables(3) --label 'race = race'";
    selfplay(&folder.at("labelled"), labels).succeeds();
    let relabel = |from: &str, out: &str, extra: &str| {
        let (from, out) = (folder.at(from), folder.at(out));
        alea!("data relabel {from} --out {out} {extra}")
    };
    relabel("plain", "one", "--name end --tables 3").succeeds();
    let both = relabel("one", "both", "--name race --by race --json").json();
    assert_eq!(
        keys(&both),
        "directory shards games positions values labels"
    );
    alea!("data info {}", folder.at("both")).shows(&[
        "label       race by race: 100.0 % of positions",
        "end by tables(stones=3): ",
    ]);
    relabel("plain", "x", "--name x --tables 9").fails("2 to 6");
    relabel("plain", "x", "--name x").is_wrong_usage();
    let timed = relabel("plain", "timed", "--name x --by 'star1(depth=1, ms=50)'");
    timed.succeeds();
    assert!(timed.err.contains("time limit"), "{timed}");
    selfplay("x", "--label race").fails("NAME=PLAYER");
}

#[test]
fn python_reads_what_parquet_holds_and_writes_it() {
    let folder = Folder::new();
    let (records, file) = (folder.at("a"), folder.at("a.parquet"));
    let labels = "--games 300 --label end=tables(3) --label race=race";
    selfplay(&records, labels).succeeds();
    for file in [&file, &folder.at("a.jsonl")] {
        alea!("data export {records} --out {file}").succeeds();
    }
    let imported = |file: &str, out: &str| {
        let out = folder.at(out);
        let written = alea!("data import {file} --out {out} --json").json();
        assert_eq!(written["games"], 300);
        assert!(content(&out) == content(&records), "{file}");
    };
    imported(&file, "b");
    imported(&folder.at("a.jsonl"), "c");
    let expected = json_lines(&read(&folder.at("a.jsonl")));
    let python = |arguments: &[&str]| {
        let ran = Command::new("python3").args(arguments).output().unwrap();
        let error = String::from_utf8_lossy(&ran.stderr);
        assert!(ran.status.success(), "{error}");
        String::from_utf8(ran.stdout).unwrap()
    };
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
        if !has_package(package) {
            continue;
        }
        // Values are 32-bit floats there and shortest decimals here: read as 32 bits they are the
        // same.
        let script = here("docs/read_parquet.py");
        let read = json_lines(&python(&[&script, &file, "--lines", "--with", package]));
        assert_eq!(read.len(), 300);
        for (read, expected) in iter::zip(&read, &expected[1..]) {
            assert!(same(read, expected), "{package}");
        }
        let again = folder.at(&format!("{package}.parquet"));
        python(&["-c", rewrite, &file, &again]);
        imported(&again, package);
    }
}

/// Whether two values of JSON are the same, numbers as 32-bit floats.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => {
            a.as_f64().map(|a| a as f32) == b.as_f64().map(|b| b as f32)
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && iter::zip(a, b).all(|(a, b)| same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            let mut fields = a.iter();
            a.len() == b.len() && fields.all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        _ => a == b,
    }
}

#[test]
fn reversi_is_played_looked_at_and_written_as_others_write_it() {
    let folder = Folder::new();
    let [records, file, again] = ["records", "games.ggf", "again"].map(|name| folder.at(name));
    let game = "--game reversi(size=6)";
    let played =
        alea!("selfplay --out {records} --games 40 --player star1(depth=1) --json {game}").json();
    assert!(number(&played["distinct"]) > 30.0);
    alea!("data info {records}").shows(&["reversi(size=6)", " % by Black, "]);
    alea!("data export {records} --out {file}").succeeds();
    let imported = alea!("data import {file} --out {again} --json {game}").json();
    assert_eq!(
        imported["positions"], played["positions"],
        "every ply came back"
    );
    alea!("data export {records} --out {file} --format pgn")
        .fails("there are jsonl, parquet, dataset, ggf, transcript");
    alea!("data import {file} --out no --format ggf").fails("einstein has no form 'ggf'");
    alea!("selfplay --out no --game reversi --endgames 3-7")
        .fails("reversi has none of 3 to 7 empties");
}
