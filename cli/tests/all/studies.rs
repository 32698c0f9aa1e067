//! `alea atlas`, `reproduce` and `bench strength` from outside.

use crate::support::{Folder, alea, keys, list, number, read, word};
use serde_json::Value;

#[test]
fn set_ups_are_ranked_and_the_arena_takes_what_was_found() {
    let folder = Folder::new();
    let [best, mix, csv, svg, state] =
        ["best.txt", "mix.txt", "all.csv", "best.svg", "state"].map(|name| folder.at(name));
    let study = format!("atlas --eval schwarz --games 4 --checks 100 --json --state {state}");
    let files = format!("--best {best} --mix {mix} --csv {csv} --svg {svg}");
    let found = alea!("{study} {files}").json();
    assert_eq!(found["games"], 4 * 64_800);
    let classes = list(&found["classes"]);
    assert_eq!(classes.len(), 180);
    let class = "orders first second score share_first share_second share";
    assert_eq!(keys(&classes[0]), class);
    let sum = |key| classes.iter().map(|class| number(&class[key])).sum::<f64>();
    assert!((sum("share") - 1.0).abs() < 1e-9 && (sum("share_first") - 1.0).abs() < 1e-9);
    // Published: 42 to 56 %, of single set-ups.
    for (place, published) in [(0, 0.56), (179, 0.42)] {
        let score = number(&classes[place]["score"]);
        assert!((score - published).abs() < 0.02, "{place}: {score}");
    }
    // Published: 53.5 %.
    let random = &found["random"];
    assert!((number(&random["value"]) - 0.535).abs() < 0.004 && number(&random["error"]) < 0.001);
    assert_eq!(list(&found["better"]).len(), 2);
    assert_eq!(
        alea!("--threads 1 {study}").json(),
        found,
        "nothing is left to play"
    );
    assert_eq!(read(&best).lines().count(), 1 + 512);
    assert_eq!(read(&csv).lines().count(), 1 + 64_800);
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
fn few_stones_are_known_exactly() {
    let found = alea!("atlas --stones 1 --json").json();
    assert_eq!((&found["games"], &found["fit"]), (&0.into(), &Value::Null));
    assert!(number(&found["within"]) < 1e-4);
    alea!("atlas --stones 2").shows(&["exact, by endgame tables", "who begins wins"]);
    alea!("atlas --stones 4").is_wrong_usage();
    alea!("atlas --stones 2 --mix mix.txt").fails("set-ups of six stones");
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
fn strength_has_a_curve() {
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
