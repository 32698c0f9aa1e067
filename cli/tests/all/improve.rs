//! Learning in generations from outside: killed anywhere it comes to the same; promotion, labels,
//! ends, refusals.

use crate::support::{Folder, Ran, alea, exists, here, list, number, read, word};
use std::{fs, iter, path::Path};

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

fn improve(settings: &str, out: &str, extra: &str) -> Ran {
    alea!("improve --config {settings} --out '{out}' {extra}")
}

/// Everything that has to be the same each time: the ledger, every model and every shard, byte for
/// byte.
fn outcome(out: &str) -> Vec<(String, Vec<u8>)> {
    fn walk(directory: &Path, found: &mut Vec<(String, Vec<u8>)>) {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            let name = path.to_str().unwrap();
            let ends = ["/ledger.json", "/ledger.md", ".safetensors", ".games"];
            if path.is_dir() {
                walk(&path, found);
            } else if ends.iter().any(|end| name.ends_with(end)) {
                found.push((name.to_owned(), fs::read(&path).unwrap()));
            }
        }
    }
    let mut found = Vec::new();
    walk(Path::new(out), &mut found);
    for (name, _) in &mut found {
        *name = name.strip_prefix(out).unwrap().to_owned();
    }
    found.sort();
    found
}

/// Asserts that two runs came to the same, and names the first file that differs.
fn assert_same(a: &[(String, Vec<u8>)], b: &[(String, Vec<u8>)]) {
    let names = |outcome: &[(String, _)]| outcome.iter().map(|one| one.0.clone()).collect();
    let [a_names, b_names]: [Vec<String>; 2] = [names(a), names(b)];
    assert_eq!(a_names, b_names);
    for ((name, a), (_, b)) in iter::zip(a, b) {
        assert!(a == b, "{name} differs");
    }
}

#[test]
fn models_are_promoted_by_the_gate_and_everything_is_told() {
    let folder = Folder::new();
    let (settings, out) = (folder.file("tiny.toml", TINY), folder.at("with a space"));
    let result = improve(&settings, &out, "--json --threads 1").json();
    let generations = list(&result["ledger"]["generations"]);
    assert_eq!(generations.len(), 3);
    assert_eq!(result["ended"], "generations");
    // Better than random play; after that it is for the games to say.
    assert_eq!(generations[0]["accepted"], true);
    let (mut best, mut promoted) = ("random".to_owned(), String::new());
    for (entry, number) in iter::zip(generations, 1..) {
        assert_eq!(entry["generation"], number);
        assert_eq!(entry["best_before"], best);
        assert_eq!(entry["accepted"], entry["gate"]["verdict"] == "accepted");
        let model = format!("{out}/{}", word(&entry["model"]));
        assert_eq!(alea!("models '{model}' --json").json()["ok"], true);
        let head = String::from_utf8_lossy(&fs::read(&model).unwrap()).into_owned();
        let checksum = format!("\"checksum\":{}", entry["checksum"]);
        assert!(head.contains(&checksum), "{entry}");
        // The records of all generations it learned from are named, by their seeds.
        let records = head.matches("opening_plies").count();
        assert_eq!(records, if number == 1 { 1 } else { 2 });
        if entry["accepted"] == true {
            (best, promoted) = (format!("model:generation-{number}"), model);
            assert_eq!(entry["strength"][0]["opponent"], "random");
        }
    }
    assert_eq!(result["best"], best);
    let copy = fs::read(format!("{out}/best.safetensors")).unwrap();
    assert_eq!(fs::read(&promoted).unwrap(), copy);
    // The second generation learned from the games of both, the third from the last two.
    let samples = |index: usize| number(&generations[index]["training"]["samples"]);
    assert!(
        samples(1) > samples(0) * 1.5 && samples(2) < samples(0) * 2.5,
        "{generations:?}"
    );
    let page = read(&format!("{out}/history.html"));
    for part in [
        "<svg",
        "All 3 generations are done.",
        "generation 3: training",
    ] {
        assert!(page.contains(part), "{part}");
    }
    let ledger = read(&format!("{out}/ledger.md"));
    let rows = ledger.lines().filter(|line| line.starts_with("| "));
    assert_eq!(rows.count(), 4, "{ledger}");
    // No path of this machine is in what is kept.
    let whole = outcome(&out);
    let needle = folder.path().into_bytes();
    for (name, bytes) in &whole {
        let mut windows = bytes.windows(needle.len());
        assert!(windows.all(|window| window != needle), "{name}");
    }

    // Done again nothing happens; elsewhere, with other threads and in two goes the same comes out.
    let again = improve(&settings, &out, "--json").json();
    assert_eq!(again["stages"], result["stages"]);
    assert_same(&outcome(&out), &whole);
    let (elsewhere, moved) = (folder.at("elsewhere"), folder.at("moved"));
    let first = improve(&settings, &elsewhere, "--json --generations 1 --threads 2").json();
    assert_eq!(list(&first["ledger"]["generations"]).len(), 1);
    fs::rename(&elsewhere, &moved).unwrap();
    let shown = improve(&settings, &moved, "--threads 2");
    shown.shows(&["all 3 generations are done"]);
    assert!(shown.err.contains("── generation 2: gate"), "{shown}");
    assert_same(&outcome(&moved), &whole);

    // The directory belongs to these settings, and the models to the ledger.
    improve(&settings, &out, "--seed 4")
        .fails("made with other settings ('seed = 3', not 'seed = 4')");
    fs::copy(here("models/quick-ntuple.safetensors"), &promoted).unwrap();
    improve(&settings, &out, "")
        .fails("this is another model (xxh3 7b35d82d13de37af) than the ledger says");
}

#[test]
fn another_game_learns_in_generations_too() {
    let folder = Folder::new();
    let toml = TINY
        .replace("\"einstein\"", "\"reversi(size=6)\"")
        .replace("generations = 3", "generations = 2")
        .replace("opening_plies = 2", "opening_plies = 6")
        .replace("set = \"stones\"", "set = \"lines-and-corners\"")
        .replace("\"schwarz\"", "\"discs\"");
    let settings = folder.file("tiny.toml", &toml);
    let outs = [1, 2].map(|threads| {
        let out = folder.at(&format!("threads-{threads}"));
        let told = improve(&settings, &out, &format!("--json --threads {threads}")).json();
        let generations = list(&told["ledger"]["generations"]);
        assert_eq!(generations.len(), 2);
        assert_eq!(generations[0]["accepted"], true, "{told}");
        // Without chance two players would play one game over and over, were there no openings.
        assert!(number(&generations[0]["gate"]["games"]) > 10.0, "{told}");
        outcome(&out)
    });
    assert_same(&outs[0], &outs[1]);
}

#[test]
fn it_ends_when_nothing_is_gained_and_says_so() {
    let folder = Folder::new();
    // Nobody gains 400 Elo on a shipped model, nor shows it in two pairs.
    let model = fs::read(here("models/quick-ntuple.safetensors")).unwrap();
    let copy = folder.file("copy.safetensors", &model);
    let toml = TINY
        .replace("start = \"random\"", &format!("start = \"model:{copy}\""))
        .replace("elo1 = 60.0", "elo1 = 400.0")
        .replace("pairs = 300", "pairs = 2")
        .replace("generations = 3", "generations = 9")
        .replace("patience = 3", "patience = 1");
    let (settings, out) = (folder.file("tiny.toml", &toml), folder.at("out"));
    let result = improve(&settings, &out, "--json").json();
    assert_eq!(result["ended"], "patience");
    assert_eq!(result["best"], "model:start");
    let generations = list(&result["ledger"]["generations"]);
    assert_eq!(generations.len(), 1);
    assert_eq!(generations[0]["accepted"], false);
    let strength = &result["ledger"]["start"]["strength"];
    assert_eq!(generations[0]["strength"], *strength);
    // The model of generation 0 was kept: the file it came from is not needed any more. Patience
    // may be raised later.
    fs::remove_file(&copy).unwrap();
    folder.file("tiny.toml", toml.replace("patience = 1", "patience = 2"));
    improve(&settings, &out, "").shows(&["ended: 2 generations in a row brought no gain"]);
    let again = improve(&settings, &out, "--json").json();
    assert_eq!(list(&again["ledger"]["generations"]).len(), 2);
    assert_eq!(fs::read(format!("{out}/best.safetensors")).unwrap(), model);
}

#[test]
fn bad_settings_are_refused_in_one_line_before_anything_is_written() {
    let folder = Folder::new();
    let out = folder.at("out");
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
            "must be network or ntuple",
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
        assert!(TINY.contains(from), "{from}");
        let settings = folder.file("tiny.toml", TINY.replacen(from, to, 1));
        improve(&settings, &out, "").fails(expected);
        assert!(!exists(&out), "{to}");
    }
    let none = TINY
        .replace("eval={model})\"\nweight", "eval=race)\"\nweight")
        .replace("leaf={model}", "leaf=race");
    improve(&folder.file("tiny.toml", none), &out, "")
        .fails("selfplay.players: one of them needs a place");
    improve("/no/such", &out, "").fails("/no/such");
    alea!("improve --print-config").shows(&["last_generations = 3"]);
}

#[test]
fn presets_are_of_a_game_and_play_by_the_rules_that_are_named() {
    for (line, rules) in [
        ("improve --game havannah", "havannah(base=4)"),
        ("improve --game havannah(base=5)", "havannah(base=5)"),
        ("improve --variant nearest", "einstein(variant=nearest)"),
        ("pipeline --game reversi(size=6)", "reversi(size=6)"),
    ] {
        let shown = format!("\ngame = \"{rules}\"\n");
        alea!("{line} --print-config").shows(&[&shown]);
    }
    for (line, problem) in [
        ("--preset nonsense", "no such preset; there are quick"),
        ("--game reversixt", "reversixt has no presets"),
        ("--game chess", "there is no game 'chess'"),
    ] {
        alea!("improve {line} --out /no/such").fails(problem);
    }
    alea!("improve --config /no/such --game reversi --out /no/such").is_wrong_usage();
}

#[test]
fn tuples_are_looked_for_on_the_board_of_the_records() {
    let folder = Folder::new();
    let (data, out) = (folder.at("data"), folder.at("tuples.toml"));
    alea!("selfplay --game reversi(size=6) --games 200 --player star1(depth=1) --out {data}")
        .succeeds();
    let options = "--rows 2000 --samples 2000 --epochs 1 --refitted 1 --candidates 3";
    alea!("tuples --data {data} --out {out} {options}").succeeds();
    // Cells of a board of 36 squares.
    assert!(read(&out).contains("tuples = ["), "{}", read(&out));
    alea!(
        "train --data {data} --family ntuple --config {out} --out {}",
        folder.at("model")
    )
    .succeeds();
}

#[cfg(unix)]
#[test]
fn generations_as_tasks_come_to_the_same() {
    let folder = Folder::new();
    let text = TINY.replace("games = 600", "games = 9000")
        + "[relabel]\nname = \"deep\"\nby = \"star1(depth=1, eval={model})\"\n";
    let text = text.replace("generations = 3", "generations = 2");
    let settings = folder.file("tiny.toml", text);
    let [whole, parts, jobs] = ["whole", "parts", "jobs"].map(|name| folder.at(name));
    let stage = |stage: &str| improve(&settings, &parts, &format!("--stage {stage}"));
    stage("train --generation 1").fails("generation 1: the one before it is not finished");
    let run = folder.file("run.toml", format!(
        "name = \"run\"\ndirectory = '{jobs}'\n[improve]\nconfig = '{settings}'\nout = '{parts}'\ngenerations = 2\ntasks = 3\ngate = 2\nrounds = 2\n"
    ));
    alea!("cluster local '{run}'").shows(&["2-gate-2: 2 of 2 tasks done", "2-finish: 1 of 1"]);
    improve(&settings, &whole, "").succeeds();
    assert_same(&outcome(&parts), &outcome(&whole));
    stage("selfplay --generation 2 --shard 1/3").shows(&["that is over"]);
    stage("train --generation 3 --shard 1/3").fails("--shard: this stage is one task");
    improve(&settings, &parts, "--shard 1/3")
        .fails("--shard: needs --stage selfplay, relabel or gate");
}
