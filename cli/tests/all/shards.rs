//! Commands as many tasks: in any order, some twice, one killed and done again, they come to what one
//! run comes to, byte for byte but for times; and what is missing, damaged or of other settings is
//! named and never taken.

use crate::support::{Folder, Ran, alea, command, exists, json_lines, names, read, run};
use serde_json::Value;
use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    process::{Command, Stdio},
    thread::sleep,
    time::{Duration, SystemTime},
};

/// The same without what depends on clocks.
fn timeless(mut value: Value) -> Value {
    match &mut value {
        Value::Object(keys) => {
            keys.retain(|key, _| {
                let is_time = [
                    "time",
                    "elapsed",
                    "session",
                    "nanoseconds",
                    "checksum",
                    "stopped",
                ];
                !is_time.contains(&&**key) && !key.contains("second")
            });
            keys.values_mut()
                .for_each(|value| *value = timeless(value.take()));
        }
        Value::Array(values) => values
            .iter_mut()
            .for_each(|value| *value = timeless(value.take())),
        _ => {}
    }
    value
}

/// What is kept in a directory, but for what single tasks left: journals line by line.
fn content(directory: &Path, found: &mut BTreeMap<String, Vec<u8>>, prefix: &str) {
    for entry in fs::read_dir(directory).unwrap() {
        let entry = entry.unwrap();
        let name = format!("{prefix}/{}", entry.file_name().into_string().unwrap());
        if entry.path().is_dir() {
            content(&entry.path(), found, &name);
        } else if !name.contains("-of-") {
            let mut bytes = fs::read(entry.path()).unwrap();
            if let Ok(text) = String::from_utf8(bytes.clone())
                && text
                    .lines()
                    .all(|line| serde_json::from_str::<Value>(line).is_ok())
            {
                let lines = json_lines(&text).into_iter();
                let mut lines: Vec<String> = lines.map(|line| timeless(line).to_string()).collect();
                // Threads finish parts in any order.
                lines[1..].sort();
                bytes = lines.join("\n").into_bytes();
            }
            found.insert(name, bytes);
        }
    }
}

/// All that a command came to; `{}` in its line stood for the directory.
fn outcome(ran: &Ran, directory: &str) -> (String, BTreeMap<String, Vec<u8>>) {
    ran.succeeds();
    let out = ran.out.replace(directory, "{}");
    let out = match serde_json::from_str::<Value>(&out) {
        Ok(value) => timeless(value).to_string(),
        Err(_) => out,
    };
    let mut found = BTreeMap::new();
    content(Path::new(directory), &mut found, "");
    (out, found)
}

/// Does the tasks of a command in an order that looks like none, some twice, and kills one first.
fn spread(line: &str, of: u64) {
    let task = |task: u64| format!("{line} --shard {task}/{of}");
    let mut killed = command(&task(of));
    killed.stdout(Stdio::null()).stderr(Stdio::null());
    let mut killed = killed.spawn().unwrap();
    sleep(Duration::from_millis(60));
    killed.kill().unwrap();
    killed.wait().unwrap();
    // Every number once, for the step has no divisor in common with the number of tasks.
    let step = if of.is_multiple_of(3) { 2 } else { 3 };
    let order = (0..of).map(|place| place * step % of + 1);
    for number in order.chain([1, of]) {
        run(&task(number), b"").succeeds();
    }
}

#[track_caller]
fn same_as_whole(line: &str, of: u64) {
    let [whole, parts] = [Folder::new(), Folder::new()].map(|folder| {
        let path = folder.path();
        (folder, path)
    });
    let of_whole = outcome(&run(&line.replace("{}", &whole.1), b""), &whole.1);
    let line = line.replace("{}", &parts.1);
    // Before there is anything to collect.
    let refused = run(&format!("{line} --shard merge/{of}"), b"");
    assert!(
        refused
            .failure()
            .contains(&format!("not all of {of} tasks are done: 1-{of} lack")),
        "{refused}"
    );
    spread(&line, of);
    let merged = run(&format!("{line} --shard merge/{of}"), b"");
    let of_parts = outcome(&merged, &parts.1);
    assert_eq!(of_parts.0, of_whole.0);
    let names = |(_, files): &(String, BTreeMap<String, Vec<u8>>)| {
        files.keys().cloned().collect::<Vec<_>>()
    };
    assert_eq!(names(&of_parts), names(&of_whole));
    assert!(of_parts.1 == of_whole.1, "{line}");
}

#[test]
fn matches_are_those_of_one_run() {
    let players = "--player star1(depth=1) --player greedy";
    same_as_whole(
        &format!(
            "arena {players} --games 61 --luck --state {{}}/state --records {{}}/games --json"
        ),
        7,
    );
    // Of games without chance some repeat others, and there are more tasks than pairs.
    same_as_whole(
        "arena --game reversi(size=4) --player random --player star1(depth=1) --games 14 --state {}/state --json",
        10,
    );
    same_as_whole(
        &format!(
            "tournament {players} --player random --games 20 --state {{}}/state --records {{}}/games --json"
        ),
        3,
    );
    same_as_whole(
        "bench strength --player star1(depth={n}) --player random --numbers 1,2 --against greedy --games 20 --state {}/state --json",
        4,
    );
    same_as_whole(
        "reproduce rocknroll --only 1,8 --games 40 --state {}/state --json",
        4,
    );
}

#[test]
fn studies_are_those_of_one_run() {
    let folder = Folder::new();
    let tables = folder.at("tables");
    alea!("solve --stones 4 --tables {tables}").succeeds();
    same_as_whole(
        "atlas --player greedy --games 2 --checks 20 --state {}/state --json",
        3,
    );
    let players =
        "--player greedy --player star1(depth=2) --player random --player greedy --eval abt";
    same_as_whole(
        &format!(
            "regret --tables {tables} --stones 4 --positions 203 {players} --state {{}}/state --json"
        ),
        5,
    );
    same_as_whole(
        &format!(
            "suite --tables {tables} --stones 5 --stones 6 --positions 7 --limit 200 --from greedy --by 'rollout(error=0.05, tablebase=4)' --out {{}}/out"
        ),
        4,
    );
}

#[test]
fn directories_are_those_of_one_run() {
    let folder = Folder::new();
    let records = folder.at("records");
    let players = "--games 12300 --player greedy --player random";
    same_as_whole(&format!("selfplay {players} --out {{}}/out --json"), 3);
    alea!("selfplay {players} --out {records}").succeeds();
    // Fewer tasks than shards.
    for by in ["race", "'rollout(games=1, eval=race)'"] {
        same_as_whole(
            &format!("data relabel {records} --name new --by {by} --out {{}}/out --json"),
            3,
        );
    }
}

#[test]
fn tables_are_made_layer_after_layer() {
    let folder = Folder::new();
    let [whole, parts] = ["whole", "parts"].map(|name| folder.at(name));
    alea!("solve --stones 4 --tables {whole}").succeeds();
    let solve = |stones: u32, shard: &str| {
        alea!("solve --stones {stones} --tables {parts} --shard {shard} --json")
    };
    solve(3, "1/1").fails("there are no tables of 2 stones, which those of 3 are made from");
    solve(2, "1/1").succeeds();
    solve(3, "1/1").succeeds();
    solve(4, "2/2").succeeds();
    solve(4, "merge/2").fails("1v3.ends: no such file");
    for shard in ["1/2", "2/2", "merge/2"] {
        solve(4, shard).succeeds();
    }
    let files = |directory: &str| {
        names(directory)
            .into_iter()
            .map(|name| (fs::read(format!("{directory}/{name}")).unwrap(), name))
            .collect::<Vec<_>>()
    };
    assert!(files(&whole) == files(&parts));
}

#[test]
fn a_sequential_test_is_decided_by_rounds_of_tasks() {
    let folder = Folder::new();
    let [whole, state] = ["whole", "state"].map(|name| folder.at(name));
    let line =
        "arena --player greedy --player random --sprt elo0=0 elo1=60 --games 2000 --json --state";
    let expected = timeless(run(&format!("{line} {whole}"), b"").json());
    let task = |round: u64, index: u64| {
        let line = format!("{line} {state} --shard auto/200");
        let mut task = command(&line);
        task.env("SLURM_ARRAY_TASK_ID", index.to_string());
        task.env("ALEA_SHARD_OFFSET", (4 * round).to_string());
        Ran::of(&mut task, &line, b"").json()
    };
    let mut rounds = 0..50;
    let found = loop {
        let round = rounds.next().expect("2000 games decide it");
        for index in [3, 1, 0, 2] {
            assert_eq!(task(round, index)["remark"], "");
        }
        let merged = run(&format!("{line} {state} --shard merge/200"), b"");
        if merged.code == 0 {
            break merged.json();
        }
        let missing = format!("{}-200 lack something", 4 * round + 5);
        assert!(merged.failure().contains(&missing), "{merged}");
    };
    assert_eq!(timeless(found), expected);
    // Pairs of 10 games a task: as many rounds as it took, and not one more.
    let pairs = expected["pairs"].as_u64().unwrap();
    assert_eq!(rounds.start, pairs.div_ceil(4 * 5));
    let late = task(30, 0);
    assert!(
        late["remark"]
            .as_str()
            .unwrap()
            .contains("the test is decided"),
        "{late}"
    );
    assert_eq!(read(&format!("{state}.121-of-200")).lines().count(), 1);
}

#[test]
fn nothing_wrong_is_collected() {
    let folder = Folder::new();
    let [whole, state] = ["whole", "state"].map(|name| folder.at(name));
    let line = |state: &str, extra: &str| {
        format!("arena --player greedy --player random --games 40 --state {state} {extra}")
    };
    let task = |extra: &str| run(&line(&state, extra), b"");
    let place = |task: u64| format!("{state}.{task}-of-4");
    let lines = || read(&state).lines().count() - 1;
    for number in 1..=4 {
        task(&format!("--shard {number}/4")).succeeds();
    }
    // Of another seed; damaged; cut; of a node whose clock is a day ahead.
    let good = [2, 3, 4].map(|number| read(&place(number)));
    fs::remove_file(place(2)).unwrap();
    task("--seed 2 --shard 2/4").succeeds();
    task("--shard merge/4").fails("4 tasks are done: 2 lack something; ");
    task("--shard merge/4").fails("its seed is 2, not 1; name another file or remove it");
    assert_eq!(lines(), 15);
    fs::remove_file(&state).unwrap();
    fs::write(place(3), good[1].replace("\"plies\"", "\"pliez\"")).unwrap();
    fs::write(place(4), &good[2][..good[2].len() - 20]).unwrap();
    let refused = task("--shard merge/4");
    for part in ["2-4 lack something", "and 1 more like that"] {
        assert!(refused.failure().contains(part), "{refused}");
    }
    assert_eq!(lines(), 5 + 4);
    task("--shard 2/4").fails("its seed is 2, not 1");
    task("--shard 3/4").fails("its checksum does not fit");
    task("--shard 4/4").succeeds();
    fs::write(place(2), &good[0]).unwrap();
    fs::write(place(3), &good[1]).unwrap();
    let ahead = SystemTime::now() + Duration::from_secs(86_400);
    fs::File::open(place(3))
        .unwrap()
        .set_modified(ahead)
        .unwrap();
    let timeless = |ran: Ran| timeless(ran.json());
    let merged = timeless(task("--shard merge/4 --json"));
    assert_eq!(merged, timeless(run(&line(&whole, "--json"), b"")));
    // The state of another match is not replaced, and tasks of other settings say so at once.
    task("--seed 2 --shard merge/4").fails("its seed is 1, not 2");
    task("--seed 2 --shard 1/3").fails("its seed is 1, not 2");
    // As many games as there were: what was collected is known.
    alea!("arena --player greedy --player random --shard 1/2").fails("say where (--state)");
    alea!("reproduce star --shard 1/2").fails("is no work for many tasks");
    alea!("arena --player greedy --player random --shard auto/2").is_wrong_usage();
}

#[cfg(unix)]
#[test]
fn a_disk_that_is_full_or_gone_and_a_second_job_are_named() {
    let folder = Folder::new();
    let [disk, whole] = ["disk", "whole"].map(|name| folder.at(name));
    fs::create_dir(&disk).unwrap();
    let line = |state: &str, games: u64| {
        format!(
            "arena --player star1(depth=1) --player greedy --games {games} --state {state}/state --json"
        )
    };
    let task = |games| line(&disk, games) + " --shard 2/2";
    // No file may grow beyond 10 KB.
    let quoted: String = crate::support::words(&task(400))
        .iter()
        .map(|word| format!(" '{word}'"))
        .collect();
    let script = format!(
        "trap '' XFSZ; ulimit -f 20; exec '{}'{quoted}",
        env!("CARGO_BIN_EXE_alea")
    );
    Ran::of(Command::new("sh").args(["-c", &script]), &script, b"")
        .fails("state.2-of-2: File too large");
    run(&(line(&disk, 400) + " --shard 1/2"), b"").succeeds();
    run(&(line(&disk, 400) + " --shard merge/2"), b"").fails("2 lack something");
    run(&task(400), b"").succeeds();
    fs::create_dir(&whole).unwrap();
    let [merged, one] = [
        run(&(line(&disk, 400) + " --shard merge/2"), b""),
        run(&line(&whole, 400), b""),
    ];
    assert_eq!(timeless(merged.json()), timeless(one.json()));
    // A task that is at work, a second one of the same number, and the directory of both going away.
    fs::remove_dir_all(&disk).unwrap();
    fs::create_dir(&disk).unwrap();
    let mut long = command(&task(60_000));
    let long = long
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while !exists(&format!("{disk}/state.2-of-2")) {
        sleep(Duration::from_millis(1));
    }
    sleep(Duration::from_millis(20));
    run(&task(60_000), b"").fails("another match is writing this file");
    fs::remove_dir_all(&disk).unwrap();
    let ended = long.wait_with_output().unwrap();
    let said = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(
        (ended.status.code(), said.lines().count()),
        (Some(1), 1),
        "{said}"
    );
    assert!(said.contains("state.2-of-2: No such file"), "{said}");
}
