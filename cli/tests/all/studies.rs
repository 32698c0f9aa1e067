//! `alea setups`, `reproduce`, `bench opening` and `bench strength` from outside.

use crate::support::{Folder, alea, exists, keys, list, number, read, word};
use serde_json::Value;

#[test]
fn set_ups_are_ranked_and_the_arena_takes_what_was_found() {
    let folder = Folder::new();
    let [best, mix, csv, svg, state] =
        ["best.txt", "mix.txt", "all.csv", "best.svg", "state"].map(|name| folder.at(name));
    let study = format!("setups --player MrBlack(0) --json --state {state}");
    let files = format!("--best {best} --mix {mix} --csv {csv} --svg {svg}");
    let found = alea!("{study} {files}").json();
    let setups = list(&found["setups"]);
    assert_eq!(setups.len(), 720);
    assert_eq!(found["games"], 517_680);
    assert_eq!(found["opponents"], 719);
    let rate = "setup order pair_counts score interval class class_score class_interval";
    assert_eq!(keys(&setups[0]), rate);
    let shares = list(&found["mix"]["shares"]).iter().map(number);
    assert!((shares.sum::<f64>() - 1.0).abs() < 1e-9);
    // Published: 42 to 56 %.
    for (place, published) in [(0, 0.56), (719, 0.42)] {
        let setup = number(&found["ranking"][place]) as usize;
        let score = number(&setups[setup]["class_score"]);
        assert!((score - published).abs() < 0.02, "{place}: {score}");
    }
    assert_eq!(alea!("{study}").json(), found, "nothing is left to play");
    assert_eq!(read(&best).lines().count(), 1 + 512);
    assert_eq!(read(&csv).lines().count(), 721);
    assert!(read(&svg).starts_with("<svg"));
    let players = "--player greedy --player MrBlack(0)";
    let play = |setups: &str| alea!("arena {players} --games 40 --setups {setups} --json");
    assert_eq!(play(&best).json()["starts"], "512 given pairs");
    for setups in ["nash", &format!("nash:{mix}")] {
        let starts = &play(setups).json()["starts"];
        assert!(word(starts).starts_with("a mix of"), "{setups}");
    }
    play(&format!("nash:{best}")).fails("best.txt:2:");
}

#[test]
fn fewer_opponents_give_no_mix() {
    let study = "setups --player MrBlack(0) --opponents 4";
    alea!("{study}").shows(&["worst, as Red's", "no mix"]);
    let folder = Folder::new();
    let mix = folder.at("mix.txt");
    assert_eq!(alea!("{study} --mix {mix}").code, 1);
    assert!(!exists(&mix));
    alea!("setups --opponents 720").is_wrong_usage();
}

#[test]
fn published_tables_are_measured_again() {
    let folder = Folder::new();
    let state = folder.at("state");
    let line = format!("reproduce rocknroll --only 1,8 --games 400 --state {state}");
    let found = alea!("{line} --json").json();
    assert_eq!(
        keys(&found),
        "target source full comparisons claims assumptions details"
    );
    let figure = &found["comparisons"][0]["figures"][0];
    assert_eq!(
        keys(figure),
        "label published published_error measured interval games"
    );
    assert_eq!(figure["published"], 10.02);
    let measured = number(&figure["measured"]);
    assert!((measured - 10.02).abs() < 5.0, "{figure}");
    let shown = alea!("{line}");
    shown.shows(&["mean absolute difference"]);
    assert!(shown.err.contains("on one thread"), "{shown}");
    for (wrong, problem) in [
        ("rocknroll --only 25", "no player 25"),
        ("star --games 5", "leave out --games"),
        ("depth --only 1", "belong to 'rocknroll'"),
        ("star --csv star.csv", "'star' has no --csv"),
    ] {
        alea!("reproduce {wrong}").fails(problem);
    }
    alea!("reproduce chess").is_wrong_usage();
}

#[test]
fn opening_value_and_strength_have_tables_and_a_curve() {
    let players = "--player random --player star1(depth={depth}) --max-depth 2";
    let opening = alea!("bench opening {players} --games 200 --json").lines();
    let players: Vec<&Value> = opening.iter().map(|line| &line["player"]).collect();
    assert_eq!(players, ["random", "star1(depth=1)", "star1(depth=2)"]);
    assert_eq!(keys(&opening[0]), "player games score interval mean_plies");
    let folder = Folder::new();
    let svg = folder.at("curve.svg");
    let players = "--player star1(depth={n}) --player random";
    let study = "--against greedy --numbers 2,1 --games 100 --luck";
    let found = alea!("bench strength {players} {study} --svg {svg} --json").json();
    assert_eq!(keys(&found), "against curves");
    let (curve, random) = (&found["curves"][0], &found["curves"][1]);
    assert_eq!(curve["player"], "star1(depth={n})");
    assert_eq!(curve["points"][0]["number"], 1.0);
    assert_eq!(curve["points"][1]["result"]["a"], "star1(depth=2)");
    assert_eq!(keys(&random["points"][0]), "result");
    assert!(read(&svg).contains("score, %"));
    alea!("bench strength --numbers 0").fails("are positive");
}
