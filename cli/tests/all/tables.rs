//! `alea solve` and `alea probe` from outside: shapes, streams, files that are killed, damaged and
//! missing.

use crate::support::{MIDDLE, alea, fed, keys, text};
use serde_json::Value;
use std::fs;

const THREE: &str = "...../.1.../...../...../...fa r";

#[test]
fn a_probe_has_the_fixed_shape_and_needs_no_files() {
    let directory = tempfile::tempdir().unwrap();
    let none = text(directory.path());
    let answer = alea(&["probe", &format!("{THREE} -"), "--json", "--tables", none]).json();
    assert_eq!(keys(&answer), ["position", "value", "moves"]);
    assert!((answer["value"].as_f64().unwrap() - 41.0 / 216.0).abs() < 4e-5);
    let moves = answer["moves"].as_array().unwrap();
    assert_eq!(moves.len(), 3);
    assert!(moves.iter().all(|mv| keys(mv) == ["move", "value", "best"]));
    // With a die the best legal move counts; one stone has the same moves whatever is rolled.
    let rolled = alea(&["probe", &format!("{THREE} 4"), "--json", "--tables", none]).json();
    let best = rolled["moves"]
        .as_array()
        .unwrap()
        .iter()
        .map(|mv| mv["value"].as_f64().unwrap())
        .fold(0.0, f64::max);
    assert_eq!(rolled["value"].as_f64().unwrap(), best);
    let nearest = alea(&[
        "probe",
        &format!("{THREE} -"),
        "--json",
        "--tables",
        none,
        "--variant",
        "nearest",
    ])
    .json();
    assert!((nearest["value"].as_f64().unwrap() - 0.625).abs() < 4e-5);
    assert!(
        fs::read_dir(directory.path()).unwrap().next().is_none(),
        "nothing is written"
    );
}

#[test]
fn a_stream_of_probes_goes_on_after_a_bad_line() {
    let input = format!("{THREE} -\nnonsense\n...../...../...../....a/....1 b -\n{MIDDLE} 1\n");
    let directory = tempfile::tempdir().unwrap();
    let ran = fed(
        &["probe", "-", "--json", "--tables", text(directory.path())],
        input.as_bytes(),
    );
    assert_eq!(ran.code, 1);
    let lines = ran.lines();
    assert_eq!(lines.len(), 4);
    assert_eq!(keys(&lines[1]), ["position", "error"]);
    assert_eq!(
        (&lines[2]["value"], &lines[2]["winner"], &lines[2]["moves"]),
        (&0.0.into(), &"r".into(), &Value::Array(vec![]))
    );
    assert_eq!(
        (&lines[3]["value"], &lines[3]["moves"]),
        (&Value::Null, &Value::Array(vec![]))
    );
    assert!(
        lines[3]["reason"].as_str().unwrap().contains("12 stones"),
        "{}",
        lines[3]
    );
}

#[test]
fn tables_are_built_once_and_a_damaged_file_is_refused_by_name() {
    let directory = tempfile::tempdir().unwrap();
    let tables = text(directory.path());
    let solved = alea(&[
        "solve", "--stones", "4", "--tables", tables, "--json", "--facts",
    ])
    .json();
    assert_eq!(solved["facts"].as_array().unwrap().len(), 6);
    let file = directory.path().join("classic-2v2.ends");
    let whole = fs::read(&file).unwrap();
    let began = fs::metadata(&file).unwrap().modified().unwrap();
    alea(&["solve", "--stones", "4", "--tables", tables, "--json"]).json();
    assert_eq!(
        fs::metadata(&file).unwrap().modified().unwrap(),
        began,
        "what is there is kept"
    );
    let probe = || alea(&["probe", &format!("{THREE} -"), "--json", "--tables", tables]);
    probe().json();
    let mut damaged = whole.clone();
    damaged[1_000_000] ^= 1;
    fs::write(&file, &damaged).unwrap();
    assert!(
        probe().failure().contains("classic-2v2.ends: "),
        "{}",
        probe().err
    );
    alea(&["solve", "--stones", "4", "--tables", tables, "--json"]).json();
    assert!(fs::read(&file).unwrap() == whole);
}

#[test]
fn wrong_sizes_are_refused() {
    for stones in ["1", "7", "x"] {
        assert_eq!(alea(&["solve", "--stones", stones]).code, 2);
    }
    assert!(
        alea(&[
            "solve",
            "--stones",
            "3",
            "--json",
            "--tables",
            "/dev/null/tables"
        ])
        .failure()
        .contains("/dev/null/tables")
    );
}

#[test]
fn a_proof_is_kept_part_by_part_and_checked() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a1.proof");
    let proof = |more: &[&str]| {
        let usual = ["--game", "havannah(base=3)", "--memory", "8", "--out"];
        alea(&[&["prove", "a1", "--json"], &usual[..], &[text(&path)], more].concat())
    };
    assert!(
        proof(&["--check"])
            .failure()
            .contains("there is no such proof")
    );
    let first = proof(&[]).json();
    let shape = [
        "proof", "position", "winner", "won", "replies", "nodes", "moves", "checked", "seconds",
    ];
    assert_eq!(
        (keys(&first), &first["won"]),
        (shape.to_vec(), &true.into())
    );
    let whole = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = whole.split_inclusive('\n').collect();
    assert_eq!(first["replies"], lines.len() - 1);
    // Killed in the middle of its last line.
    fs::write(&path, &whole[..whole.len() - 9]).unwrap();
    assert!(proof(&["--check"]).failure().contains("not finished"));
    let again = proof(&[]).json();
    assert_eq!(again["checked"], first["checked"]);
    assert_eq!(proof(&["--check"]).json()["nodes"], again["nodes"]);
    assert!(
        proof(&["--winner", "2"])
            .failure()
            .contains("its winner is 1, not 2")
    );
    fs::write(&path, whole.replacen("\"nodes\":", "\"nodes\":1", 1)).unwrap();
    assert!(proof(&["--check"]).failure().contains("checksum"));
    let lost = alea(&[
        "prove",
        "a2",
        "--game",
        "havannah(base=3)",
        "--memory",
        "8",
        "--json",
    ]);
    assert_eq!(lost.code, 1);
    assert_eq!(lost.lines()[0]["won"], false);
}
