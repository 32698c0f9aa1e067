//! `alea setups`, `reproduce`, `bench opening` and `bench strength` from outside.

use crate::support::{alea, keys, text};
use serde_json::Value;
use std::fs;

#[test]
fn set_ups_are_ranked_and_the_arena_takes_what_was_found() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let (best, mix, csv, svg, state) = (
        path("best.txt"),
        path("mix.txt"),
        path("all.csv"),
        path("best.svg"),
        path("state"),
    );
    let study = [
        "setups",
        "--player",
        "MrBlack(0)",
        "--json",
        "--state",
        text(&state),
    ];
    let files = [
        "--best",
        text(&best),
        "--mix",
        text(&mix),
        "--csv",
        text(&csv),
        "--svg",
        text(&svg),
    ];
    let found = alea(&[&study[..], &files].concat()).json();
    assert_eq!(found["setups"].as_array().unwrap().len(), 720);
    assert_eq!(
        (&found["games"], &found["opponents"]),
        (&517_680.into(), &719.into())
    );
    let rate = [
        "setup",
        "order",
        "pair_counts",
        "score",
        "interval",
        "class",
        "class_score",
        "class_interval",
    ];
    assert_eq!(keys(&found["setups"][0]), rate);
    let shares: f64 = found["mix"]["shares"]
        .as_array()
        .unwrap()
        .iter()
        .map(|share| share.as_f64().unwrap())
        .sum();
    assert!((shares - 1.0).abs() < 1e-9);
    // Published: 42 to 56 %.
    let score = |place: usize| {
        let setup = found["ranking"][place].as_u64().unwrap() as usize;
        found["setups"][setup]["class_score"].as_f64().unwrap()
    };
    assert!(
        (score(0) - 0.56).abs() < 0.02 && (score(719) - 0.42).abs() < 0.02,
        "{} {}",
        score(0),
        score(719)
    );
    assert_eq!(alea(&study).json(), found, "nothing is left to play");
    assert_eq!(fs::read_to_string(&best).unwrap().lines().count(), 1 + 512);
    assert_eq!(fs::read_to_string(&csv).unwrap().lines().count(), 721);
    assert!(fs::read_to_string(&svg).unwrap().starts_with("<svg"));
    let play = |setups: &str| {
        alea(&[
            "arena",
            "--player",
            "greedy",
            "--player",
            "MrBlack(0)",
            "--games",
            "40",
            "--setups",
            setups,
            "--json",
        ])
    };
    assert_eq!(play(text(&best)).json()["starts"], "512 given pairs");
    for setups in ["nash".to_owned(), format!("nash:{}", text(&mix))] {
        assert!(
            play(&setups).json()["starts"]
                .as_str()
                .unwrap()
                .starts_with("a mix of"),
            "{setups}"
        );
    }
    assert!(
        play(&format!("nash:{}", text(&best)))
            .failure()
            .contains("best.txt:2:")
    );
}

#[test]
fn fewer_opponents_give_no_mix() {
    let table = alea(&["setups", "--player", "MrBlack(0)", "--opponents", "4"]);
    assert!(
        table.code == 0 && table.out.contains("worst, as Red's") && table.out.contains("no mix"),
        "{}",
        table.out
    );
    let folder = tempfile::tempdir().unwrap();
    let mix = folder.path().join("mix.txt");
    assert_eq!(
        alea(&[
            "setups",
            "--player",
            "MrBlack(0)",
            "--opponents",
            "4",
            "--mix",
            text(&mix)
        ])
        .code,
        1
    );
    assert!(!mix.exists());
    assert_eq!(alea(&["setups", "--opponents", "720"]).code, 2);
}

#[test]
fn published_tables_are_measured_again() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    let run = |extra: &[&str]| {
        alea(
            &[
                &[
                    "reproduce",
                    "rocknroll",
                    "--only",
                    "1,8",
                    "--games",
                    "400",
                    "--state",
                    text(&state),
                ],
                extra,
            ]
            .concat(),
        )
    };
    let found = run(&["--json"]).json();
    assert_eq!(
        keys(&found),
        [
            "target",
            "source",
            "full",
            "comparisons",
            "claims",
            "assumptions",
            "details"
        ]
    );
    let figure = &found["comparisons"][0]["figures"][0];
    assert_eq!(
        keys(figure),
        [
            "label",
            "published",
            "published_error",
            "measured",
            "interval",
            "games"
        ]
    );
    assert_eq!(figure["published"], 10.02);
    assert!(
        (figure["measured"].as_f64().unwrap() - 10.02).abs() < 5.0,
        "{figure}"
    );
    let shown = run(&[]);
    assert!(
        shown.err.contains("on one thread") && shown.out.contains("mean absolute difference"),
        "{}",
        shown.out
    );
    assert!(
        alea(&["reproduce", "rocknroll", "--only", "25"])
            .err
            .contains("no player 25")
    );
    assert!(
        alea(&["reproduce", "star", "--games", "5"])
            .failure()
            .contains("leave out --games")
    );
    assert!(
        alea(&["reproduce", "depth", "--only", "1"])
            .failure()
            .contains("belong to 'rocknroll'")
    );
    assert_eq!(alea(&["reproduce", "chess"]).code, 2);
    assert!(
        alea(&["reproduce", "star", "--csv", "star.csv"])
            .failure()
            .contains("'star' has no --csv")
    );
}

#[test]
fn opening_value_and_strength_have_tables_and_a_curve() {
    let opening = alea(&[
        "bench",
        "opening",
        "--player",
        "random",
        "--player",
        "star1(depth={depth})",
        "--max-depth",
        "2",
        "--games",
        "200",
        "--json",
    ]);
    let players: Vec<Value> = opening
        .lines()
        .iter()
        .map(|line| line["player"].clone())
        .collect();
    assert_eq!(players, ["random", "star1(depth=1)", "star1(depth=2)"]);
    assert_eq!(
        keys(&opening.lines()[0]),
        ["player", "games", "score", "interval", "mean_plies"]
    );
    let folder = tempfile::tempdir().unwrap();
    let svg = folder.path().join("curve.svg");
    let study = [
        "bench",
        "strength",
        "--player",
        "star1(depth={n})",
        "--against",
        "greedy",
        "--numbers",
        "2,1",
        "--games",
        "100",
        "--name",
        "depth",
    ];
    let found = alea(&[&study[..], &["--svg", text(&svg), "--json"]].concat()).json();
    assert_eq!(keys(&found), ["player", "against", "number", "points"]);
    assert_eq!(
        (
            &found["points"][0]["number"],
            &found["points"][1]["result"]["a"]
        ),
        (&1.0.into(), &"star1(depth=2)".into())
    );
    assert!(fs::read_to_string(&svg).unwrap().contains("games won, %"));
    assert!(
        alea(&["bench", "strength", "--player", "greedy"])
            .failure()
            .contains("has no {n}")
    );
    assert!(
        alea(&["bench", "strength", "--numbers", "0"])
            .failure()
            .contains("are positive")
    );
}
