//! Records as Parquet, read and written by Python.

use crate::support::{Folder, alea, content, has_package, here, json_lines, read};
use serde_json::Value;
use std::{iter, process::Command};

#[test]
fn python_reads_what_parquet_holds_and_writes_it() {
    let folder = Folder::new();
    let (records, file) = (folder.at("a"), folder.at("a.parquet"));
    let labels = "--games 300 --label end=tables(3) --label race=race";
    alea!("selfplay --out {records} --player greedy --player star1(depth=1) {labels}").succeeds();
    for file in [&file, &folder.at("a.jsonl")] {
        alea!("data export {records} --out {file}").succeeds();
    }
    let imported = |file: &str, out: &str| {
        let out = folder.at(out);
        let written = alea!("data import {file} --out {out} --json").json();
        assert_eq!(written["games"], 300);
        assert!(content(&out) == content(&records), "{file}");
    };
    imported(&file, "b");
    imported(&folder.at("a.jsonl"), "c");
    let expected = json_lines(&read(&folder.at("a.jsonl")));
    let python = |arguments: &[&str]| {
        let ran = Command::new("python3").args(arguments).output().unwrap();
        let error = String::from_utf8_lossy(&ran.stderr);
        assert!(ran.status.success(), "{error}");
        String::from_utf8(ran.stdout).unwrap()
    };
    let rewrites = [
        (
            "pyarrow",
            "import sys, pyarrow.parquet as p; p.write_table(p.read_table(sys.argv[1]), sys.argv[2])",
        ),
        (
            "polars",
            "import sys, polars as p; a = sys.argv[1]; m = {'alea': p.read_parquet_metadata(a)['alea']}; \
             p.read_parquet(a).write_parquet(sys.argv[2], compression='snappy', metadata=m)",
        ),
    ];
    for (package, rewrite) in rewrites {
        if !has_package(package) {
            continue;
        }
        // Values are `f32` in Parquet and shortest decimals in JSON.
        let script = here("docs/read_parquet.py");
        let read = json_lines(&python(&[&script, &file, "--lines", "--with", package]));
        assert_eq!(read.len(), 300);
        for (read, expected) in iter::zip(&read, &expected[1..]) {
            assert!(is_same_value(read, expected), "{package}");
        }
        let again = folder.at(&format!("{package}.parquet"));
        python(&["-c", rewrite, &file, &again]);
        imported(&again, package);
    }
}

fn is_same_value(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => {
            a.as_f64().map(|a| a as f32) == b.as_f64().map(|b| b as f32)
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && iter::zip(a, b).all(|(a, b)| is_same_value(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            let mut fields = a.iter();
            a.len() == b.len()
                && fields.all(|(key, a)| b.get(key).is_some_and(|b| is_same_value(a, b)))
        }
        _ => a == b,
    }
}
