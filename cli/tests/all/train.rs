//! `alea train` from outside: several sources and labels, learning from own games, killed and
//! started again.

use crate::support::{alea, text};
use std::{fs, path::Path};

/// Settings under which training takes a moment.
const QUICK: &str = "[training]\nepochs = 2\ncheckpoint_minutes = 0.0001\n[ntuple]\nset = \"stones\"\n[online]\nreport_every = 5000\n";

#[test]
fn games_and_endgames_with_exact_labels_are_two_sources() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let (games, endgames, settings) = (at("games"), at("endgames"), at("train.toml"));
    let play = ["--player", "star1(depth=1)", "--games"];
    assert_eq!(
        alea(&[&["selfplay", "--out", text(&games)], &play[..], &["200"]].concat()).code,
        0
    );
    let exact = ["--endgames", "2-3", "--label", "exact=tables(stones=3)"];
    assert_eq!(
        alea(
            &[
                &["selfplay", "--out", text(&endgames)],
                &play[..],
                &["300"],
                &exact
            ]
            .concat()
        )
        .code,
        0
    );
    fs::write(&settings, QUICK).unwrap();
    let train = |out: &str, data: &[&Path], label: &str| {
        fs::write(
            &settings,
            format!("{QUICK}[target]\nfinal_search_share = 0.2\nlabel = \"{label}\"\n"),
        )
        .unwrap();
        let out = at(out);
        let data: Vec<&str> = data
            .iter()
            .flat_map(|path| ["--data", text(path)])
            .collect();
        alea(
            &[
                &[
                    "train",
                    "--family",
                    "ntuple",
                    "--json",
                    "--config",
                    text(&settings),
                    "--out",
                    text(&out),
                ],
                &data[..],
            ]
            .concat(),
        )
    };
    let story = |model: &serde_json::Value| {
        alea(&["models", model["model"].as_str().unwrap(), "--json"]).json()["provenance"].clone()
    };
    let both = story(&train("both", &[&games, &endgames], "").json());
    assert_eq!(
        both["data"]["records"]["sources"].as_array().unwrap().len(),
        2
    );
    let tables = &both["table_labels"][0];
    // Every position of an endgame before a roll, and nothing else: the other games have no labels.
    assert!(
        tables["by"] == "tables(stones=3)" && tables["samples"].as_u64().unwrap() > 600,
        "{tables}"
    );
    let plain = story(&train("plain", &[&games], "").json());
    assert!(
        plain.get("table_labels").is_none() && plain["data"]["records"]["seed"] == 1,
        "{plain}"
    );
    let problem = train("no", &[&games, &endgames], "deep")
        .failure()
        .to_owned();
    assert!(
        problem.contains("target.label = 'deep'") && problem.ends_with("there is 'exact'"),
        "{problem}"
    );
}

#[test]
fn learning_from_own_games_has_settings_of_its_own() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let (out, settings) = (at("out"), at("train.toml"));
    fs::write(&settings, QUICK).unwrap();
    let words = ["train", "--family", "ntuple", "--games", "30000", "--json"];
    let files = ["--config", text(&settings), "--out", text(&out)];
    let train = |seed: &str| alea(&[&words[..], &files, &["--seed", seed]].concat());
    let report = train("1").json();
    assert_eq!(
        (
            report["games"].as_u64(),
            report["curve"].as_array().unwrap().len()
        ),
        (Some(30_000), 6)
    );
    assert!(report["loss"].as_f64().unwrap() < 0.68, "{report}");
    // Other settings are another training, and other families do not learn so.
    assert!(train("2").failure().contains("seed = 1, not seed = 2"));
    let ran = alea(&["train", "--games", "10", "--out", text(&at("x"))]);
    assert!(ran.failure().contains("add --family ntuple"), "{}", ran.err);
    assert_eq!(
        alea(&[
            "train",
            "--games",
            "10",
            "--data",
            "x",
            "--family",
            "ntuple",
            "--out",
            text(&at("x"))
        ])
        .code,
        2
    );
}
