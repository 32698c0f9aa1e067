//! `alea train` from outside: several sources and labels, learning from own games, killed and
//! started again.

use crate::support::{alea, killed_after, text};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// Settings under which training takes a moment.
const QUICK: &str = "[training]\nepochs = 2\ncheckpoint_minutes = 0.0001\n[ntuple]\nset = \"stones\"\n[online]\nreport_every = 5000\n";

/// All columns of the curve of a training from own games but the last, which tells the speed.
fn curve(directory: &Path) -> Vec<String> {
    let table = fs::read_to_string(directory.join("ntuple/curve.csv")).unwrap();
    table
        .lines()
        .map(|line| line.rsplit_once(',').unwrap().0.to_owned())
        .collect()
}

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
fn learning_from_own_games_killed_at_any_moment_goes_on_to_the_same_model() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let (whole, broken, settings) = (at("whole"), at("broken"), at("train.toml"));
    fs::write(&settings, QUICK).unwrap();
    let train = |out: &'static str| -> Vec<String> {
        let out = directory.path().join(out);
        let words = [
            "train",
            "--family",
            "ntuple",
            "--games",
            "30000",
            "--config",
            text(&settings),
            "--json",
            "--out",
            text(&out),
        ];
        words.map(str::to_owned).to_vec()
    };
    let run =
        |arguments: &[String]| alea(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
    let began = Instant::now();
    let report = run(&train("whole")).json();
    let time = began.elapsed();
    assert_eq!(
        (
            report["games"].as_u64(),
            report["curve"].as_array().unwrap().len()
        ),
        (Some(30_000), 6)
    );
    assert!(report["loss"].as_f64().unwrap() < 0.68, "{report}");
    let model = |directory: &Path| directory.join("ntuple/ntuple.safetensors");
    let arguments = train("broken");
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut killed = 0;
    for part in 1..=8 {
        if model(&broken).exists() {
            break;
        }
        killed += u32::from(killed_after(
            &arguments,
            time * part / 12 + Duration::from_micros(u64::from(part) * 731),
        ));
    }
    assert!(killed > 0, "none was killed");
    run(&train("broken")).json();
    assert!(fs::read(model(&broken)).unwrap() == fs::read(model(&whole)).unwrap());
    assert_eq!(curve(&broken), curve(&whole));
    // Other settings are another training, and other families do not learn so.
    let other: Vec<String> = train("broken")
        .into_iter()
        .chain(["--seed".to_owned(), "2".to_owned()])
        .collect();
    assert!(run(&other).failure().contains("seed = 1, not seed = 2"));
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
