//! Tasks in any order, some repeated, one killed and restarted, give the files and output of one
//! run.

use crate::support::{Folder, Ran, alea, command, content, json_lines, run};
use serde_json::Value;
use std::{fs, process::Stdio, thread::sleep, time::Duration};

fn remove_times(value: &mut Value) {
    const TIMES: [&str; 5] = ["time", "elapsed", "session", "nanoseconds", "checksum"];
    if let Value::Object(keys) = value {
        keys.retain(|key, _| !TIMES.contains(&&**key) && !key.contains("second"));
        keys.values_mut().for_each(remove_times);
    } else if let Value::Array(values) = value {
        values.iter_mut().for_each(remove_times);
    }
}

fn lines(text: &str) -> Vec<String> {
    let mut lines = json_lines(text);
    for line in &mut lines {
        if let Value::Array(parts) = line {
            parts.pop();
        }
        remove_times(line);
    }
    let mut lines: Vec<String> = lines.iter().map(Value::to_string).collect();
    lines.sort();
    lines
}

/// Asserts that `of` tasks give the output and files of one run; `{}` in `line` is a directory.
#[track_caller]
fn tasks_equal_one_run(line: &str, of: u64) {
    let outcome = |directory: &Folder, ran: &Ran| {
        ran.succeeds();
        let text = |name| fs::read_to_string(directory.at(name)).unwrap_or_default();
        let files = ["s", "r"].map(|name| lines(&text(name)));
        let output = ran.out.replace(&directory.path(), "{}");
        let output = if line.contains("--json") {
            lines(&output)
        } else {
            vec![output]
        };
        (output, files, content(&directory.at("o")))
    };
    let [single, parts] = [Folder::new(), Folder::new()];
    let of_single = outcome(&single, &run(&line.replace("{}", &single.path()), b""));
    let shard = |which: &str| format!("{} --shard {which}/{of}", line.replace("{}", &parts.path()));
    let early = run(&shard("merge"), b"");
    let missing = format!("not all of {of} tasks are done: ");
    assert!(early.code == 1 && early.err.contains(&missing), "{early}");
    let mut killed = command(&shard("1"));
    let mut killed = killed
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    sleep(Duration::from_millis(60));
    killed.kill().unwrap();
    killed.wait().unwrap();
    // 11 is coprime to the number of tasks, so that every index occurs, some twice.
    for index in 0..of + 2 {
        run(&shard(&(index * 11 % of + 1).to_string()), b"").succeeds();
    }
    assert!(
        outcome(&parts, &run(&shard("merge"), b"")) == of_single,
        "{line}"
    );
}

#[test]
fn merged_tasks_equal_one_run() {
    let folder = Folder::new();
    let [tables, records] = ["tables", "records"].map(|name| folder.at(name));
    alea!("solve --stones 4 --tables {tables}").succeeds();
    let games = "selfplay --games 12300 --player greedy --player random --out";
    run(&format!("{games} {records}"), b"").succeeds();
    let two = "--player star1(depth=1) --player greedy";
    for (line, of) in [
        (format!("arena {two} --games 61 --luck --state {{}}/s --records {{}}/r --json"), 7),
        ("arena --game reversi(size=4) --player random --player star1(depth=1) --games 14 --state {}/s --json".into(), 10),
        (format!("tournament {two} --player random --games 20 --state {{}}/s --records {{}}/r --json"), 3),
        (format!("regret --tables {tables} --stones 4 --positions 203 {two} --eval abt --state {{}}/s --json"), 2),
        (format!("suite --tables {tables} --stones 5 --stones 6 --positions 7 --limit 200 --from greedy --by rollout(error=0.05,tablebase=4) --out {{}}/o"), 4),
        (format!("{games} {{}}/o --json"), 3),
        (format!("data relabel {records} --name new --by rollout(games=1,eval=race) --out {{}}/o --json"), 3),
    ] {
        tasks_equal_one_run(&line, of);
    }
}
