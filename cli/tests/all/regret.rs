//! `alea regret` from outside: JSON, files, suites and refusals.

use crate::support::{Ran, alea, keys, text};
use std::fs;

/// Tables of at most four stones are there at once.
const QUICK: [&str; 5] = ["regret", "--stones", "4", "--positions", "300"];

fn regret(arguments: &[&str]) -> Ran {
    alea(&[&QUICK[..], arguments].concat())
}

#[test]
fn json_has_every_figure() {
    let contestants = [
        "--player", "random", "--player", "greedy", "--eval", "schwarz", "--json",
    ];
    let report = regret(&contestants).json();
    assert_eq!(
        keys(&report),
        [
            "truth",
            "from",
            "seed",
            "positions",
            "label_errors",
            "contestants"
        ]
    );
    assert_eq!(
        (&report["positions"], &report["label_errors"]),
        (&300.into(), &serde_json::Value::Null)
    );
    let found = report["contestants"].as_array().unwrap();
    let names: Vec<&str> = found
        .iter()
        .map(|measured| measured["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["random", "greedy", "schwarz"]);
    let expected = [
        "name",
        "kind",
        "positions",
        "regret",
        "regret_of_choices",
        "choices",
        "optimal",
        "above_1",
        "above_5",
        "by_check",
        "values",
        "classes",
        "calibration",
        "seconds",
    ];
    for measured in found {
        assert_eq!(keys(measured), expected);
        assert_eq!(keys(&measured["regret"]), ["value", "error"]);
        let classes = measured["classes"].as_object().unwrap();
        assert_eq!(
            classes
                .values()
                .map(|class| class["positions"].as_u64().unwrap())
                .sum::<u64>(),
            300
        );
    }
    let of = |index: usize| found[index]["regret"]["value"].as_f64().unwrap();
    assert!(of(0) > of(1) && of(1) > of(2) && of(2) > 0.0);
    assert!(found[0]["values"].is_null() && found[0]["calibration"].as_array().unwrap().is_empty());
    assert_eq!(keys(&found[2]["values"]), ["rmse", "bias"]);
    assert_eq!(
        keys(&found[2]["calibration"][0]),
        ["from", "positions", "predicted", "exact"]
    );

    let again = regret(&[&contestants[..], &["--threads", "1"]].concat()).json();
    for (one, other) in found.iter().zip(again["contestants"].as_array().unwrap()) {
        for key in expected.iter().filter(|key| **key != "seconds") {
            assert_eq!(one[key], other[key], "threads change nothing");
        }
    }
}

#[test]
fn tables_and_files_say_the_same() {
    let directory = tempfile::tempdir().unwrap();
    let (csv, svg) = (
        directory.path().join("a.csv"),
        directory.path().join("a.svg"),
    );
    let ran = regret(&[
        "--eval",
        "race",
        "--calibration",
        "--csv",
        text(&csv),
        "--svg",
        text(&svg),
    ]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(
        ran.out.contains("300 positions, each with six faces") && ran.out.contains("predicted"),
        "{}",
        ran.out
    );
    let csv = fs::read_to_string(&csv).unwrap();
    assert!(
        csv.starts_with("contestant,kind,class,positions,regret,")
            && csv.contains("race,evaluator,all,300,"),
        "{csv}"
    );
    assert!(fs::read_to_string(&svg).unwrap().starts_with("<svg"));
    assert!(
        regret(&["--player", "greedy", "--svg", text(&svg)]).code == 0,
        "without an evaluator: by stone class"
    );
}

#[test]
fn a_suite_is_made_and_used() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("suite.jsonl");
    let made = alea(&[
        "regret",
        "--write-suite",
        text(&path),
        "--positions",
        "7",
        "--label",
        "star2(depth=2, eval=schwarz)",
    ]);
    assert_eq!((made.code, made.out.as_str()), (0, ""), "{}", made.err);
    let report = alea(&[
        "regret",
        "--suite",
        text(&path),
        "--player",
        "star2(depth=2, eval=schwarz)",
        "--json",
    ])
    .json();
    assert_eq!(
        keys(&report["label_errors"]),
        ["of_moves", "of_positions", "of_decisions"]
    );
    let measured = &report["contestants"][0];
    assert!(measured["regret"]["value"].as_f64().unwrap() < 1e-5);
    assert_eq!(measured["classes"].as_object().unwrap().len(), 7);
}

#[test]
fn what_cannot_be_measured_is_refused_in_one_line() {
    for (arguments, part) in [
        (&["regret", "--player", "star9"][..], "no player 'star9'"),
        (&["regret", "--eval", "star9"], "no evaluator 'star9'"),
        (
            &["regret", "--stones", "6", "--tables", "no/such"],
            "no/such: there are no tables of 6 stones",
        ),
        (
            &["regret", "--suite", "no/such.jsonl"],
            "no/such.jsonl: no such file",
        ),
        (
            &[
                "regret",
                "--write-suite",
                "x.jsonl",
                "--label",
                "greedy",
                "--positions",
                "1",
            ],
            "cannot label a suite",
        ),
    ] {
        let ran = alea(arguments);
        assert!(ran.failure().contains(part), "{arguments:?}: {}", ran.err);
        assert_eq!(ran.out, "");
    }
    for wrong in [
        &["--stones", "7"][..],
        &["--positions", "0"],
        &["--suite", "a", "--stones", "4"],
        &["--label", "greedy"],
    ] {
        let ran = alea(&[&["regret"][..], wrong].concat());
        assert_eq!(
            (ran.code, ran.out.as_str()),
            (2, ""),
            "{wrong:?}: {}",
            ran.err
        );
    }
}
