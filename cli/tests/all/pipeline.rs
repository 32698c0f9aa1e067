//! The pipeline from outside: end to end, stopped anywhere and resumed, and the same whatever the
//! directory and the number of threads.

use crate::support::{Folder, MIDDLE, TINY, alea, list, names, number, read, word};
use serde_json::Value;
use std::{fs, iter};

/// What a pipeline makes that has to be the same each time.
#[derive(Debug, PartialEq)]
struct Outcome {
    records: Vec<Vec<u8>>,
    models: Vec<Vec<u8>>,
    /// Names and games won.
    scores: Vec<[Value; 3]>,
    /// Losses of all epochs.
    losses: Vec<[f64; 2]>,
}

fn model(out: &str, family: &str) -> String {
    format!("{out}/{family}/{family}.safetensors")
}

fn run(settings: &str, out: &str, threads: u8) -> Outcome {
    let line = format!("pipeline --config {settings} --out '{out}' --json --threads {threads}");
    let result = alea!("{line}").json();
    let mut shards = names(&format!("{out}/selfplay"));
    shards.retain(|name| name.ends_with(".games"));
    let shards = shards.iter().map(|name| format!("{out}/selfplay/{name}"));
    let families = ["ntuple", "network"].map(|family| model(out, family));
    let matches = list(&result["matches"])
        .iter()
        .map(|found| &found["result"]);
    let models = list(&result["models"]).iter();
    let points = models.flat_map(|model| list(&model["curve"]));
    Outcome {
        records: shards.map(|path| fs::read(path).unwrap()).collect(),
        models: families.map(|path| fs::read(path).unwrap()).into(),
        scores: matches
            .map(|found| ["a", "b", "wins"].map(|key| found[key].clone()))
            .collect(),
        losses: points
            .map(|point| ["training_loss", "validation_loss"].map(|key| number(&point[key])))
            .collect(),
    }
}

#[test]
fn it_runs_end_to_end_and_its_models_play() {
    let folder = Folder::new();
    let settings = folder.file("tiny.toml", TINY);
    let out = folder.at("run with a space");
    let whole = run(&settings, &out, 1);
    assert_eq!(
        (whole.records.len(), whole.scores.len(), whole.losses.len()),
        (1, 4, 4)
    );
    let report = read(&format!("{out}/report.html"));
    assert!(report.contains("<svg"));
    // Nothing is loaded from elsewhere: the only addresses are names of XML dialects.
    let dialects = report.matches("xmlns=\"http://www.w3.org/2000/svg\"");
    assert_eq!(report.matches("http").count(), dialects.count());
    assert!(!report.contains("<script src") && !report.contains("<link"));
    assert!(report.contains("star1(depth=1, eval=schwarz)"));

    // What is finished is not done again.
    let changed = || {
        let watched = [
            "selfplay/000000.games",
            "ntuple/checkpoint.bin",
            "network/checkpoint.bin",
        ];
        watched.map(|path| {
            let metadata = fs::metadata(format!("{out}/{path}")).unwrap();
            metadata.modified().unwrap()
        })
    };
    let before = changed();
    assert_eq!(run(&settings, &out, 1), whole);
    assert_eq!(changed(), before);

    // Elsewhere, and with other threads, the same comes out.
    assert_eq!(run(&settings, &folder.at("elsewhere"), 2), whole);

    // The directory belongs to these settings.
    alea!("pipeline --config {settings} --out '{out}' --seed 4").fails("made with other settings");

    models_are_verified_and_play(&out);
    a_replaced_model_is_another_contestant(&folder, &out);
}

fn models_are_verified_and_play(out: &str) {
    for family in ["ntuple", "network"] {
        let path = model(out, family);
        let verified = alea!("models '{path}' --json").json();
        assert_eq!(verified["ok"], true);
        assert_eq!(verified["kind"], family);
        assert_eq!(verified["provenance"]["data"]["records"]["seed"], 3);
        let player = format!("star1(depth=1, eval=\"model:{path}\")");
        let rated = alea!("analyse '{MIDDLE} 1' --json --player '{player}'").json();
        let successors = alea!("moves '{MIDDLE} 1' --json").json();
        for (mv, successor) in iter::zip(list(&rated["moves"]), list(&successors["moves"])) {
            let position = word(&successor["position"]);
            let line = format!("evaluate '{position}' --json --eval '\"model:{path}\"'");
            let value = 1.0 - number(&alea!("{line}").json()["value"]);
            // The search updates what it knows move by move, the evaluator starts afresh.
            assert!((number(&mv["value"]) - value).abs() < 1e-6);
        }
        let mut whole = fs::read(path).unwrap();
        let damaged = format!("{out}/damaged.safetensors");
        for cut in [whole.len() - 1, whole.len() / 2, 100] {
            fs::write(&damaged, &whole[..cut]).unwrap();
            alea!("evaluate '{MIDDLE}' --eval '\"model:{damaged}\"'").fails("damaged");
        }
        *whole.last_mut().unwrap() ^= 1;
        fs::write(&damaged, &whole).unwrap();
        assert_eq!(
            alea!("models '{damaged}'").failure(),
            "1 of 1 model files cannot be used"
        );
    }
}

fn a_replaced_model_is_another_contestant(folder: &Folder, out: &str) {
    let (current, state) = (folder.at("current.safetensors"), folder.at("state"));
    let player = format!("star1(depth=1, eval=\"model:{current}\")");
    let line = format!("--games 20 --player '{player}' --player greedy --state {state}");
    let play = || alea!("arena --json {line}");
    fs::copy(model(out, "ntuple"), &current).unwrap();
    let first = play().json();
    assert!(word(&first["a"]).starts_with("star1("));
    assert_eq!(play().json()["a"], first["a"]);
    fs::copy(model(out, "network"), &current).unwrap();
    play().fails("its player_a is");
}
