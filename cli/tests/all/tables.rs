//! `alea solve` and `alea probe` from outside: shapes, streams, files that are killed, damaged and
//! missing.

use crate::support::{Folder, MIDDLE, alea, keys, list, names, number, read, run, word};
use serde_json::{Value, json};
use std::fs;

const THREE: &str = "...../.1.../...../...../...fa r";

#[test]
fn a_probe_has_the_fixed_shape_and_needs_no_files() {
    let folder = Folder::new();
    let none = folder.path();
    let probe = |die: &str, extra: &str| {
        alea!("probe '{THREE} {die}' --json --tables {none} {extra}").json()
    };
    let answer = probe("-", "");
    assert_eq!(keys(&answer), "position value moves");
    assert!((number(&answer["value"]) - 41.0 / 216.0).abs() < 4e-5);
    let moves = list(&answer["moves"]);
    assert_eq!(moves.len(), 3);
    assert!(moves.iter().all(|mv| keys(mv) == "move value best"));
    // With a die the best legal move counts; one stone has the same moves whatever is rolled.
    let rolled = probe("4", "");
    let values = list(&rolled["moves"]).iter().map(|mv| number(&mv["value"]));
    assert_eq!(number(&rolled["value"]), values.fold(0.0, f64::max));
    let nearest = probe("-", "--variant nearest");
    assert!((number(&nearest["value"]) - 0.625).abs() < 4e-5);
    assert!(names(&none).is_empty(), "nothing is written");
}

#[test]
fn a_stream_of_probes_goes_on_after_a_bad_line() {
    let input = format!("{THREE} -\nnonsense\n...../...../...../....a/....1 b -\n{MIDDLE} 1\n");
    let folder = Folder::new();
    let line = format!("probe - --json --tables {}", folder.path());
    let ran = run(&line, input.as_bytes());
    assert_eq!(ran.code, 1);
    let [_, bad, over, many] = &*ran.lines() else {
        panic!("{ran}")
    };
    assert_eq!(keys(bad), "position error");
    assert_eq!(over["value"], 0.0);
    assert_eq!(over["winner"], "r");
    assert_eq!(over["moves"], json!([]));
    assert_eq!(many["value"], Value::Null);
    assert_eq!(many["moves"], json!([]));
    assert!(word(&many["reason"]).contains("12 stones"), "{many}");
}

#[test]
fn tables_are_built_once_and_a_damaged_file_is_refused_by_name() {
    let folder = Folder::new();
    let (tables, file) = (folder.path(), folder.at("classic-2v2.ends"));
    let solve = |extra: &str| alea!("solve --stones 4 --tables {tables} --json {extra}").json();
    assert_eq!(list(&solve("--facts")["facts"]).len(), 6);
    let whole = fs::read(&file).unwrap();
    let changed = || fs::metadata(&file).unwrap().modified().unwrap();
    let began = changed();
    solve("");
    assert_eq!(changed(), began, "what is there is kept");
    let probe = || alea!("probe '{THREE} -' --json --tables {tables}");
    probe().json();
    let mut damaged = whole.clone();
    damaged[1_000_000] ^= 1;
    fs::write(&file, &damaged).unwrap();
    probe().fails("classic-2v2.ends: ");
    solve("");
    assert!(fs::read(&file).unwrap() == whole);
}

#[test]
fn wrong_sizes_are_refused() {
    for stones in ["1", "7", "x"] {
        alea!("solve --stones {stones}").is_wrong_usage();
    }
    let place = "/dev/null/tables";
    alea!("solve --stones 3 --json --tables {place}").fails(place);
}

#[test]
fn a_proof_is_kept_part_by_part_and_checked() {
    let folder = Folder::new();
    let path = folder.at("a1.proof");
    let prove = "--json --game havannah(base=3) --memory 8";
    let proof = |extra: &str| alea!("prove a1 {prove} --out {path} {extra}");
    proof("--check").fails("there is no such proof");
    let first = proof("").json();
    let shape = "proof position winner won replies nodes moves checked seconds";
    assert_eq!(keys(&first), shape);
    assert_eq!(first["won"], true);
    let whole = read(&path);
    assert_eq!(first["replies"], whole.lines().count() - 1);
    // Killed in the middle of its last line.
    fs::write(&path, &whole[..whole.len() - 9]).unwrap();
    proof("--check").fails("not finished");
    let again = proof("").json();
    assert_eq!(again["checked"], first["checked"]);
    assert_eq!(proof("--check").json()["nodes"], again["nodes"]);
    proof("--winner 2").fails("its winner is 1, not 2");
    fs::write(&path, whole.replacen("\"nodes\":", "\"nodes\":1", 1)).unwrap();
    proof("--check").fails("checksum");
    let lost = alea!("prove a2 {prove}");
    assert_eq!(lost.code, 1);
    assert_eq!(lost.lines()[0]["won"], false);
}
