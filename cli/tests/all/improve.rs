//! Learning in generations from outside: killed anywhere it comes to the same; promotion, labels,
//! ends, refusals.

use crate::support::{Ran, alea, text};
use serde_json::Value;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Generations of a second. From `random` everybody learns something; the tests at the gate are
/// short.
const TINY: &str = r#"
seed = 3
generations = 3
patience = 3
start = "random"
[selfplay]
games = 600
opening_plies = 2
exploration = 0.06
game = "einstein"
[[selfplay.players]]
player = "star1(depth=1, eval={model})"
weight = 0.9
[[selfplay.players]]
player = "mcts(sims=20, leaf={model})"
weight = 0.1
[train]
family = "ntuple"
last_generations = 2
[train.target]
search_share = 0.0
[train.training]
epochs = 3
[train.ntuple]
set = "stones"
[gate]
player = "star1(depth=1, eval={model})"
elo0 = 0.0
elo1 = 60.0
alpha = 0.05
beta = 0.05
pairs = 300
[measure]
player = "star1(depth=1, eval={model})"
opponents = ["schwarz"]
pairs = 50
"#;

fn settings(directory: &Path, toml: &str) -> PathBuf {
    let path = directory.join("tiny.toml");
    fs::write(&path, toml).unwrap();
    path
}

fn run(settings: &Path, out: &Path, extra: &[&str]) -> Ran {
    alea(
        &[
            &["improve", "--config", text(settings), "--out", text(out)][..],
            extra,
        ]
        .concat(),
    )
}

/// Everything that has to be the same each time: the ledger, every model and every shard, byte for
/// byte.
fn outcome(out: &Path) -> Vec<(String, Vec<u8>)> {
    fn walk(directory: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, found)
            } else {
                found.push(path)
            }
        }
    }
    let mut paths = Vec::new();
    walk(out, &mut paths);
    let wanted = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_str().unwrap();
        ["ledger.json", "ledger.md"].contains(&name)
            || name.ends_with(".safetensors")
            || name.ends_with(".games")
    };
    paths.retain(wanted);
    paths.sort();
    paths
        .iter()
        .map(|path| {
            (
                text(path.strip_prefix(out).unwrap()).to_owned(),
                fs::read(path).unwrap(),
            )
        })
        .collect()
}

fn names(outcome: &[(String, Vec<u8>)]) -> Vec<&str> {
    outcome.iter().map(|(name, _)| name.as_str()).collect()
}

/// Asserts that two runs came to the same, and names the first file that differs.
fn assert_same(a: &[(String, Vec<u8>)], b: &[(String, Vec<u8>)]) {
    assert_eq!(names(a), names(b));
    for ((name, a), (_, b)) in a.iter().zip(b) {
        assert!(a == b, "{name} differs");
    }
}

#[test]
fn models_are_promoted_by_the_gate_and_everything_is_told() {
    let directory = tempfile::tempdir().unwrap();
    let (settings, out) = (
        settings(directory.path(), TINY),
        directory.path().join("with a space"),
    );
    let result = run(&settings, &out, &["--json", "--threads", "1"]).json();
    let generations = result["ledger"]["generations"].as_array().unwrap();
    assert_eq!(
        (generations.len(), &result["ended"]),
        (3, &"generations".into())
    );
    // Better than random play; after that it is for the games to say.
    assert_eq!(
        (&generations[0]["accepted"], &generations[0]["best_before"]),
        (&true.into(), &"random".into())
    );
    let mut best = "random".to_owned();
    for (entry, number) in generations.iter().zip(1..) {
        assert_eq!(
            (&entry["generation"], &entry["best_before"]),
            (&number.into(), &best.as_str().into())
        );
        assert_eq!(entry["accepted"], entry["gate"]["verdict"] == "accepted");
        let model = out.join(entry["model"].as_str().unwrap());
        assert_eq!(alea(&["models", text(&model), "--json"]).json()["ok"], true);
        let head = String::from_utf8_lossy(&fs::read(&model).unwrap()).into_owned();
        assert!(
            head.contains(&format!("\"checksum\":{}", entry["checksum"])),
            "{entry}"
        );
        // The records of all generations it learned from are named, by their seeds.
        assert_eq!(
            head.matches("opening_plies").count(),
            if number == 1 { 1 } else { 2 }
        );
        if entry["accepted"] == true {
            best = format!("model:generation-{number}");
            assert_eq!(entry["strength"][0]["opponent"], "random");
        }
    }
    assert_eq!(result["best"], best);
    let promoted = generations
        .iter()
        .rev()
        .find(|entry| entry["accepted"] == true)
        .unwrap();
    let promoted = out.join(promoted["model"].as_str().unwrap());
    assert_eq!(
        fs::read(&promoted).unwrap(),
        fs::read(out.join("best.safetensors")).unwrap()
    );
    // The second generation learned from the games of both, the third from the last two.
    let samples = |index: usize| generations[index]["training"]["samples"].as_u64().unwrap();
    assert!(
        samples(1) > samples(0) * 3 / 2 && samples(2) < samples(0) * 5 / 2,
        "{generations:?}"
    );
    let page = fs::read_to_string(out.join("history.html")).unwrap();
    assert!(
        page.contains("<svg")
            && page.contains("All 3 generations are done.")
            && page.contains("generation 3: training")
    );
    let ledger = fs::read_to_string(out.join("ledger.md")).unwrap();
    assert_eq!(
        ledger.lines().filter(|line| line.starts_with("| ")).count(),
        4,
        "{ledger}"
    );
    // No path of this machine is in what is kept.
    let whole = outcome(&out);
    let needle = text(directory.path()).as_bytes();
    for (name, bytes) in &whole {
        assert!(
            !bytes.windows(needle.len()).any(|window| window == needle),
            "{name}"
        );
    }

    // Done again nothing happens; elsewhere, with other threads and in two goes the same comes out.
    assert_eq!(
        run(&settings, &out, &["--json"]).json()["stages"],
        result["stages"]
    );
    assert_same(&outcome(&out), &whole);
    let elsewhere = directory.path().join("elsewhere");
    let first = run(
        &settings,
        &elsewhere,
        &["--json", "--generations", "1", "--threads", "2"],
    )
    .json();
    assert_eq!(first["ledger"]["generations"].as_array().unwrap().len(), 1);
    let moved = directory.path().join("moved");
    fs::rename(&elsewhere, &moved).unwrap();
    let shown = run(&settings, &moved, &["--threads", "2"]);
    assert!(
        shown.code == 0
            && shown.out.contains("all 3 generations are done")
            && shown.err.contains("── generation 2: gate"),
        "{}",
        shown.err
    );
    assert_same(&outcome(&moved), &whole);

    // The directory belongs to these settings, and the models to the ledger.
    assert!(
        run(&settings, &out, &["--seed", "4"])
            .failure()
            .contains("made with other settings ('seed = 3', not 'seed = 4')")
    );
    fs::copy(
        concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../models/quick-ntuple.safetensors"
        ),
        &promoted,
    )
    .unwrap();
    assert!(
        run(&settings, &out, &[])
            .failure()
            .contains("this is another model (xxh3 7b35d82d13de37af) than the ledger says")
    );
}

#[test]
fn another_game_learns_in_generations_too() {
    let directory = tempfile::tempdir().unwrap();
    let toml = TINY
        .replace("\"einstein\"", "\"reversi(size=6)\"")
        .replace("generations = 3", "generations = 2")
        .replace("opening_plies = 2", "opening_plies = 6")
        .replace("set = \"stones\"", "set = \"lines-and-corners\"")
        .replace("\"schwarz\"", "\"discs\"");
    let path = settings(directory.path(), &toml);
    let outs = ["one", "two"].map(|name| directory.path().join(name));
    let results = [0, 1].map(|run_number| {
        let threads = ["1", "2"][run_number];
        run(&path, &outs[run_number], &["--json", "--threads", threads]).json()
    });
    let generations = results[0]["ledger"]["generations"].as_array().unwrap();
    assert_eq!(generations.len(), 2);
    // Without chance a match of two players would be one game over and over, were there no openings.
    let first = &generations[0];
    assert_eq!(first["accepted"], true, "{first}");
    assert!(first["gate"]["games"].as_u64().unwrap() > 10, "{first}");
    assert_same(&outcome(&outs[0]), &outcome(&outs[1]));
}

#[test]
fn it_ends_when_nothing_is_gained_and_says_so() {
    let directory = tempfile::tempdir().unwrap();
    // Nobody gains 400 Elo on a shipped model, nor shows it in two pairs.
    let model = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../models/quick-ntuple.safetensors"
    );
    let copy = directory.path().join("copy.safetensors");
    fs::copy(model, &copy).unwrap();
    let start = format!("start = \"model:{}\"", text(&copy));
    let toml = TINY
        .replace("start = \"random\"", &start)
        .replace("elo1 = 60.0", "elo1 = 400.0")
        .replace("pairs = 300", "pairs = 2");
    let toml = toml
        .replace("generations = 3", "generations = 9")
        .replace("patience = 3", "patience = 1");
    let (path, out) = (
        settings(directory.path(), &toml),
        directory.path().join("out"),
    );
    let result = run(&path, &out, &["--json"]).json();
    assert_eq!(
        (&result["ended"], &result["best"]),
        (&"patience".into(), &"model:start".into())
    );
    let generations = result["ledger"]["generations"].as_array().unwrap();
    assert_eq!(
        (generations.len(), &generations[0]["accepted"]),
        (1, &false.into())
    );
    assert_eq!(
        generations[0]["strength"],
        result["ledger"]["start"]["strength"]
    );
    // The model of generation 0 was kept: the file it came from is not needed any more. Patience
    // may be raised later.
    fs::remove_file(&copy).unwrap();
    let path = settings(
        directory.path(),
        &toml.replace("patience = 1", "patience = 2"),
    );
    let shown = run(&path, &out, &[]);
    assert!(
        shown
            .out
            .contains("ended: 2 generations in a row brought no gain"),
        "{}{}",
        shown.out,
        shown.err
    );
    let again: Value = run(&path, &out, &["--json"]).json();
    assert_eq!(again["ledger"]["generations"].as_array().unwrap().len(), 2);
    assert_eq!(
        fs::read(out.join("best.safetensors")).unwrap(),
        fs::read(model).unwrap()
    );
}

#[test]
fn bad_settings_are_refused_in_one_line_before_anything_is_written() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("out");
    let refused = |from: &str, to: &str| {
        assert!(TINY.contains(from), "{from}");
        let path = settings(directory.path(), &TINY.replacen(from, to, 1));
        let ran = run(&path, &out, &[]);
        assert!(!out.exists(), "{to}");
        ran.failure().to_owned()
    };
    for (from, to, expected) in [
        ("patience = 3", "patiense = 3", "unknown field `patiense`"),
        ("last_generations", "window", "unknown field `window`"),
        (
            "elo1 = 60.0",
            "elo1 = -1.0",
            "gate: a sequential test needs elo0 < elo1, not 0 and -1",
        ),
        ("alpha = 0.05", "alpha = 0.7", "between 0 and 0.5"),
        (
            "generations = 3",
            "generations = 0",
            "generations = 0: it must be at least 1",
        ),
        ("patience = 3", "patience = 0", "patience = 0"),
        (
            "games = 600",
            "games = 0",
            "selfplay.games = 0: it must be at least 1",
        ),
        ("pairs = 50\n", "pairs = 0\n", "measure.pairs = 0"),
        (
            "family = \"ntuple\"",
            "family = \"tuple\"",
            "must be network, integer or ntuple",
        ),
        (
            "start = \"random\"",
            "start = \"nobody\"",
            "there is no evaluator 'nobody'",
        ),
        (
            "start = \"random\"",
            "start = \"model:/no/such\"",
            "/no/such",
        ),
        (
            "[train]",
            "[relabel]\nname = \"Deep\"\nby = \"random\"\n[train]",
            "relabel",
        ),
        (
            "opponents = [\"schwarz\"]",
            "opponents = [\"nobody\"]",
            "there is no evaluator 'nobody'",
        ),
        (
            "[gate]\nplayer = \"star1(depth=1, eval={model})\"",
            "[gate]\nplayer = \"star1(depth=1)\"",
            "gate.player: a player with a place",
        ),
        ("set = \"stones\"", "set = \"stone\"", "'stone'"),
    ] {
        let problem = refused(from, to);
        assert!(problem.contains(expected), "{to}: {problem}");
    }
    let none = TINY
        .replace("eval={model})\"\nweight", "eval=race)\"\nweight")
        .replace("leaf={model}", "leaf=race");
    let path = settings(directory.path(), &none);
    assert!(
        run(&path, &out, &[])
            .failure()
            .contains("selfplay.players: one of them needs a place")
    );
    assert!(
        alea(&["improve", "--config", "/no/such", "--out", text(&out)])
            .failure()
            .contains("/no/such")
    );
    assert!(
        alea(&["improve", "--print-config"])
            .out
            .contains("last_generations = 3")
    );
}
