//! The pipeline from outside: end to end, stopped anywhere and resumed, and the same whatever the
//! directory and the number of threads.

use crate::support::{MIDDLE, TINY, alea, text};
use serde_json::Value;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// What a pipeline makes that has to be the same each time.
#[derive(Debug, PartialEq)]
struct Outcome {
    records: Vec<Vec<u8>>,
    models: Vec<Vec<u8>>,
    /// Names and games won.
    scores: Vec<(String, String, u64)>,
    /// Losses of all epochs.
    losses: Vec<(f64, f64)>,
}

fn settings(directory: &Path, toml: &str) -> PathBuf {
    let path = directory.join("tiny.toml");
    fs::write(&path, toml).unwrap();
    path
}

fn outcome(result: &Value, out: &Path) -> Outcome {
    let mut shards: Vec<PathBuf> = fs::read_dir(out.join("selfplay"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    shards.retain(|path| {
        path.extension()
            .is_some_and(|extension| extension == "games")
    });
    shards.sort();
    let matches = result["matches"]
        .as_array()
        .unwrap()
        .iter()
        .map(|found| &found["result"]);
    let name = |value: &Value| value.as_str().unwrap().to_owned();
    let curves = result["models"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|model| model["curve"].as_array().unwrap());
    Outcome {
        records: shards.iter().map(|path| fs::read(path).unwrap()).collect(),
        models: ["ntuple", "network"]
            .map(|family| {
                fs::read(out.join(family).join(family).with_extension("safetensors")).unwrap()
            })
            .into(),
        scores: matches
            .map(|found| {
                (
                    name(&found["a"]),
                    name(&found["b"]),
                    found["wins"].as_u64().unwrap(),
                )
            })
            .collect(),
        losses: curves
            .map(|point| {
                (
                    point["training_loss"].as_f64().unwrap(),
                    point["validation_loss"].as_f64().unwrap(),
                )
            })
            .collect(),
    }
}

fn run(settings: &Path, out: &Path, threads: &str) -> Outcome {
    let result = alea(&[
        "pipeline",
        "--config",
        text(settings),
        "--out",
        text(out),
        "--json",
        "--threads",
        threads,
    ])
    .json();
    outcome(&result, out)
}

#[test]
fn it_runs_end_to_end_and_its_models_play() {
    let directory = tempfile::tempdir().unwrap();
    let (settings, out) = (
        settings(directory.path(), TINY),
        directory.path().join("run with a space"),
    );
    let whole = run(&settings, &out, "1");
    assert_eq!(
        (whole.records.len(), whole.scores.len(), whole.losses.len()),
        (1, 4, 4)
    );
    let report = fs::read_to_string(out.join("report.html")).unwrap();
    assert!(report.contains("<svg"));
    // Nothing is loaded from elsewhere: the only addresses are names of XML dialects.
    assert_eq!(
        report.matches("http").count(),
        report
            .matches("xmlns=\"http://www.w3.org/2000/svg\"")
            .count()
    );
    assert!(!report.contains("<script src") && !report.contains("<link"));
    assert!(report.contains("star1(depth=1, eval=schwarz)"));

    // What is finished is not done again.
    let untouched = |path: &str| fs::metadata(out.join(path)).unwrap().modified().unwrap();
    let watched = [
        "selfplay/000000.games",
        "ntuple/checkpoint.bin",
        "network/checkpoint.bin",
    ];
    let before = watched.map(untouched);
    assert_eq!(run(&settings, &out, "1"), whole);
    assert_eq!(watched.map(untouched), before);

    // Elsewhere, and with other threads, the same comes out.
    assert_eq!(
        run(&settings, &directory.path().join("elsewhere"), "2"),
        whole
    );

    // The directory belongs to these settings.
    let ran = alea(&[
        "pipeline",
        "--config",
        text(&settings),
        "--out",
        text(&out),
        "--seed",
        "4",
    ]);
    assert!(
        ran.failure().contains("made with other settings"),
        "{}",
        ran.err
    );

    models_are_verified_and_play(&out);
    a_replaced_model_is_another_contestant(directory.path(), &out);
}

fn models_are_verified_and_play(out: &Path) {
    for family in ["ntuple", "network"] {
        let path = out.join(family).join(family).with_extension("safetensors");
        let path = text(&path);
        let verified = alea(&["models", path, "--json"]).json();
        assert_eq!(
            (&verified["ok"], &verified["kind"]),
            (&true.into(), &family.into())
        );
        assert_eq!(verified["provenance"]["data"]["records"]["seed"], 3);
        let evaluator = format!("\"model:{path}\"");
        let position = format!("{MIDDLE} 1");
        let rated = alea(&[
            "analyse",
            &position,
            "--json",
            "--player",
            &format!("star1(depth=1, eval={evaluator})"),
        ])
        .json();
        let successors = alea(&["moves", &position, "--json"]).json();
        for (mv, successor) in rated["moves"]
            .as_array()
            .unwrap()
            .iter()
            .zip(successors["moves"].as_array().unwrap())
        {
            let successor = alea(&[
                "evaluate",
                successor["position"].as_str().unwrap(),
                "--json",
                "--eval",
                &evaluator,
            ])
            .json();
            let value = 1.0 - successor["value"].as_f64().unwrap();
            // The search updates what it knows move by move, the evaluator starts afresh.
            assert!((mv["value"].as_f64().unwrap() - value).abs() < 1e-6);
        }
        let whole = fs::read(path).unwrap();
        let damaged = out.join("damaged.safetensors");
        for cut in [whole.len() - 1, whole.len() / 2, 100] {
            fs::write(&damaged, &whole[..cut]).unwrap();
            assert!(
                alea(&[
                    "evaluate",
                    MIDDLE,
                    "--eval",
                    &format!("\"model:{}\"", damaged.display())
                ])
                .failure()
                .contains("damaged")
            );
        }
        let mut flipped = whole.clone();
        *flipped.last_mut().unwrap() ^= 1;
        fs::write(&damaged, &flipped).unwrap();
        assert_eq!(
            alea(&["models", text(&damaged)]).failure(),
            "1 of 1 model files cannot be used"
        );
    }
}

fn a_replaced_model_is_another_contestant(directory: &Path, out: &Path) {
    let (model, state) = (
        directory.join("current.safetensors"),
        directory.join("state"),
    );
    let player = format!("star1(depth=1, eval=\"model:{}\")", model.display());
    let play = || {
        alea(&[
            "arena",
            "--json",
            "--games",
            "20",
            "--player",
            &player,
            "--player",
            "greedy",
            "--state",
            text(&state),
        ])
    };
    fs::copy(out.join("ntuple/ntuple.safetensors"), &model).unwrap();
    let first = play().json();
    assert!(first["a"].as_str().unwrap().starts_with("star1("));
    assert_eq!(play().json()["a"], first["a"]);
    fs::copy(out.join("network/network.safetensors"), &model).unwrap();
    assert!(play().failure().contains("its player_a is"));
}
