//! `alea regret` from outside: JSON, files, suites and refusals.

use crate::support::{Folder, Ran, alea, keys, list, number, read, word};

/// Tables of at most four stones are there at once.
fn regret(extra: &str) -> Ran {
    alea!("regret --stones 4 --positions 300 {extra}")
}

#[test]
fn json_has_every_figure() {
    let report = regret("--player random --player greedy --eval schwarz --json").json();
    assert_eq!(keys(&report), "truth from seed positions contestants");
    assert_eq!(report["positions"], 300);
    let found = list(&report["contestants"]);
    let names: Vec<&str> = found.iter().map(|one| word(&one["name"])).collect();
    assert_eq!(names, ["random", "greedy", "schwarz"]);
    let expected = "name kind positions regret of_labels regret_of_choices choices optimal above_1 above_5 values classes calibration seconds";
    for measured in found {
        assert_eq!(keys(measured), expected);
        assert_eq!(keys(&measured["regret"]), "value error");
        let classes = measured["classes"].as_object().unwrap().values();
        let positions = classes.map(|class| number(&class["positions"]));
        assert_eq!(positions.sum::<f64>(), 300.0);
    }
    let of = |index: usize| number(&found[index]["regret"]["value"]);
    assert!(of(0) > of(1) && of(1) > of(2) && of(2) > 0.0);
    assert!(found[0]["values"].is_null() && list(&found[0]["calibration"]).is_empty());
    assert_eq!(keys(&found[2]["values"]), "rmse bias");
    assert_eq!(
        keys(&found[2]["calibration"][0]),
        "from positions predicted exact"
    );
}

#[test]
fn tables_and_files_say_the_same() {
    let folder = Folder::new();
    let (csv, svg) = (folder.at("a.csv"), folder.at("a.svg"));
    regret(&format!(
        "--eval race --calibration --csv {csv} --svg {svg}"
    ))
    .shows(&["300 positions, each with six faces", "predicted"]);
    let csv = read(&csv);
    assert!(
        csv.starts_with("contestant,kind,class,positions,regret,")
            && csv.contains("race,evaluator,all,300,"),
        "{csv}"
    );
    assert!(read(&svg).starts_with("<svg"));
    // Without an evaluator: by stone class.
    regret(&format!("--player greedy --svg {svg}")).succeeds();
}

#[test]
fn a_suite_is_made_and_used() {
    let folder = Folder::new();
    let (tables, path) = (folder.at("tables"), folder.at("suites"));
    alea!("solve --stones 3 --tables {tables}").succeeds();
    let made = alea!(
        "suite --out {path} --tables {tables} --stones 5 --stones 6 --positions 5 --limit 2000 \
         --from greedy --by 'rollout(games=40, tablebase=3)'"
    );
    made.shows(&["stones-5.jsonl", "stones-6.jsonl"]);
    let line = format!("regret --suite {path} --player greedy --json");
    let report = alea!("{line}").json();
    assert_eq!(report["positions"], 10);
    let measured = &report["contestants"][0];
    assert_eq!(keys(&measured["classes"]), "5 6");
    assert!(number(&measured["of_labels"]) > 0.0);
}

#[test]
fn what_cannot_be_measured_is_refused_in_one_line() {
    for (extra, part) in [
        ("--player star9", "no player 'star9'"),
        ("--eval star9", "no evaluator 'star9'"),
        (
            "--stones 6 --tables no/such",
            "no/such: there are no tables of 6 stones",
        ),
        ("--suite no/such.jsonl", "no/such.jsonl: no such file"),
    ] {
        let ran = alea!("regret {extra}");
        ran.fails(part);
        assert_eq!(ran.out, "");
    }
    for wrong in ["--stones 7", "--positions 0", "--suite a --stones 4"] {
        alea!("regret {wrong}").is_wrong_usage();
    }
}
