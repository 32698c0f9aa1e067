//! Commands as many tasks: in any order, some twice, one killed and done again, they come to what one
//! run comes to, byte for byte but for times; and what is missing, damaged or of other settings is
//! named and never taken.

use crate::support::{
    Folder, Ran, alea, command, content, fails_on_a_full_disk, json_lines, read, run,
};
use serde_json::Value;
use std::{
    fs,
    process::Stdio,
    thread::sleep,
    time::{Duration, SystemTime},
};

/// The same without what depends on clocks.
fn timeless(value: &mut Value) {
    const TIMES: [&str; 5] = ["time", "elapsed", "session", "nanoseconds", "checksum"];
    if let Value::Object(keys) = value {
        keys.retain(|key, _| !TIMES.contains(&&**key) && !key.contains("second"));
        keys.values_mut().for_each(timeless);
    } else if let Value::Array(values) = value {
        values.iter_mut().for_each(timeless);
    }
}

/// Lines of JSON without times, in an order that threads have nothing to do with.
fn lines(text: &str) -> Vec<String> {
    let mut lines = json_lines(text);
    for line in &mut lines {
        if let Value::Array(parts) = line {
            // The checksum.
            parts.pop();
        }
        timeless(line);
    }
    let mut lines: Vec<String> = lines.iter().map(Value::to_string).collect();
    lines.sort();
    lines
}

/// A command comes to the same in one run and as many tasks; `{}` in its line is a directory.
#[track_caller]
fn same_as_whole(line: &str, of: u64) {
    let outcome = |directory: &Folder, ran: &Ran| {
        ran.succeeds();
        let text = |name| fs::read_to_string(directory.at(name)).unwrap_or_default();
        let kept = ["s", "r"].map(|name| lines(&text(name)));
        let said = ran.out.replace(&directory.path(), "{}");
        let said = if line.contains("--json") {
            lines(&said)
        } else {
            vec![said]
        };
        (said, kept, content(&directory.at("o")))
    };
    let [whole, parts] = [Folder::new(), Folder::new()];
    let of_whole = outcome(&whole, &run(&line.replace("{}", &whole.path()), b""));
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
    // Eleven has no divisor in common with the number of tasks: each once, and some again.
    for place in 0..of + 2 {
        run(&shard(&(place * 11 % of + 1).to_string()), b"").succeeds();
    }
    assert!(
        outcome(&parts, &run(&shard("merge"), b"")) == of_whole,
        "{line}"
    );
}

#[test]
fn tasks_come_to_what_one_run_comes_to() {
    let folder = Folder::new();
    let [tables, records] = ["tables", "records"].map(|name| folder.at(name));
    alea!("solve --stones 4 --tables {tables}").succeeds();
    let games = "selfplay --games 12300 --player greedy --player random --out";
    run(&format!("{games} {records}"), b"").succeeds();
    let two = "--player star1(depth=1) --player greedy";
    for (line, of) in [
        (format!("arena {two} --games 61 --luck --state {{}}/s --records {{}}/r --json"), 7),
        // Some games repeat others, and there are more tasks than pairs.
        ("arena --game reversi(size=4) --player random --player star1(depth=1) --games 14 --state {}/s --json".into(), 10),
        (format!("tournament {two} --player random --games 20 --state {{}}/s --records {{}}/r --json"), 3),
        (format!("bench strength {two} --against random --games 20 --state {{}}/s --json"), 4),
        ("reproduce rocknroll --only 1,8 --games 40 --state {}/s --json".into(), 4),
        ("atlas --player greedy --games 2 --checks 20 --state {}/s --json".into(), 3),
        (format!("regret --tables {tables} --stones 4 --positions 203 {two} --eval abt --state {{}}/s --json"), 2),
        (format!("suite --tables {tables} --stones 5 --stones 6 --positions 7 --limit 200 --from greedy --by rollout(error=0.05,tablebase=4) --out {{}}/o"), 4),
        // Fewer tasks than the four shards.
        (format!("{games} {{}}/o --json"), 3),
        (format!("data relabel {records} --name new --by rollout(games=1,eval=race) --out {{}}/o --json"), 3),
    ] {
        same_as_whole(&line, of);
    }
    let parts = folder.at("parts");
    let solve = |stones: u32, shard: &str| {
        alea!("solve --stones {stones} --tables {parts} --shard {shard} --json")
    };
    solve(3, "1/1").fails("tables of 3 stones are made from those of 2");
    for (stones, shard) in [(2, "1/1"), (3, "1/1"), (4, "2/2")] {
        solve(stones, shard).succeeds();
    }
    solve(4, "merge/2").fails("1v3.ends: no such file");
    for shard in ["1/2", "2/2", "merge/2"] {
        solve(4, shard).succeeds();
    }
    assert!(content(&parts) == content(&tables));
    run(&format!("{games} {parts} --shard 3/6"), b"").fails("12300 games make 4 shards");
    alea!("arena {two} --shard 1/2").fails("say where (--state)");
    alea!("reproduce star --shard 1/2").fails("is no work for many tasks");
    alea!("arena {two} --shard auto/2").is_wrong_usage();
}

#[test]
fn a_sequential_test_is_decided_by_rounds_of_tasks() {
    let folder = Folder::new();
    let state = folder.at("state");
    let run = |extra: &str, task: u64| {
        let line = format!(
            "arena --player greedy --player random --sprt elo0=0 elo1=60 --games 2000 --json {extra}"
        );
        let mut command = command(&line);
        command.env("SLURM_ARRAY_TASK_ID", (task % 4).to_string());
        command.env("ALEA_SHARD_OFFSET", (task - task % 4).to_string());
        Ran::of(&mut command, &line, b"")
    };
    let expected = run("", 0);
    // Five pairs a task, four tasks a round: as many rounds as the pairs take that decide it.
    let rounds = expected.json()["pairs"].as_u64().unwrap().div_ceil(4 * 5);
    for round in 1..=rounds {
        for task in [3, 1, 0, 2] {
            run(
                &format!("--state {state} --shard auto/200"),
                4 * (round - 1) + task,
            )
            .succeeds();
        }
        let merged = run(&format!("--state {state} --shard merge/200"), 0);
        if round < rounds {
            merged.fails(&format!("{}-200 lack something", 4 * round + 1));
        } else {
            assert_eq!(lines(&merged.out), lines(&expected.out));
        }
    }
    // Now there is nothing to do, whoever looks: what tasks did says so without what was collected.
    fs::remove_file(&state).unwrap();
    run(&format!("--state {state} --shard auto/200"), 120).succeeds();
    assert_eq!(read(&format!("{state}.121-of-200")).lines().count(), 1);
}

#[test]
fn nothing_wrong_is_collected() {
    let folder = Folder::new();
    let state = folder.at("state");
    let task =
        |extra: &str| alea!("arena --player greedy --player random --games 40 --json {extra}");
    let shard = |which: &str| task(&format!("--state {state} --shard {which}"));
    let place = |task: u64| format!("{state}.{task}-of-4");
    (1..=4).for_each(|number| shard(&format!("{number}/4")).succeeds());
    // One is of another seed, one damaged, one cut off.
    let good = [2, 3, 4].map(|number| read(&place(number)));
    fs::write(place(2), good[0].replace("\"seed\":1", "\"seed\":2")).unwrap();
    fs::write(place(3), good[1].replace("\"plies\"", "\"pliez\"")).unwrap();
    fs::write(place(4), &good[2][..good[2].len() - 20]).unwrap();
    for part in [
        "4 tasks are done: 2-4 lack something; ",
        "its seed is 2, not 1",
        "its checksum does not fit",
    ] {
        shard("merge/4").fails(part);
    }
    assert_eq!(read(&state).lines().count(), 1 + 5 + 4);
    shard("2/4").fails("its seed is 2, not 1");
    shard("3/4").fails("its checksum does not fit");
    shard("4/4").succeeds();
    fs::write(place(2), &good[0]).unwrap();
    fs::write(place(3), &good[1]).unwrap();
    // The clock of a node is a day ahead.
    let ahead = SystemTime::now() + Duration::from_secs(86_400);
    fs::File::open(place(3))
        .unwrap()
        .set_modified(ahead)
        .unwrap();
    assert_eq!(lines(&shard("merge/4").out), lines(&task("").out));
    for other in ["1/3", "merge/4"] {
        shard(&format!("{other} --seed 2")).fails("its seed is 1, not 2");
    }
}

#[cfg(unix)]
#[test]
fn a_disk_that_is_full_or_gone_and_a_second_job_are_named() {
    let folder = Folder::new();
    let disk = folder.at("disk");
    let task = |games: u64| {
        format!(
            "arena --player star1(depth=1) --player greedy --games {games} --state {disk}/state --shard 2/2"
        )
    };
    fs::create_dir(&disk).unwrap();
    let said = fails_on_a_full_disk(&task(400));
    assert!(said.contains("state.2-of-2: File too large"), "{said}");
    run(&task(400), b"").succeeds();
    // One is at work, a second one of the same number comes, and the directory goes.
    let state = format!("{disk}/state.2-of-2");
    fs::remove_file(&state).unwrap();
    let mut long = command(&task(60_000));
    let long = long
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while !fs::metadata(&state).is_ok_and(|state| state.len() > 1000) {
        sleep(Duration::from_millis(1));
    }
    run(&task(60_000), b"").fails("another match is writing this file");
    fs::remove_dir_all(&disk).unwrap();
    let said = long.wait_with_output().unwrap().stderr;
    let said = String::from_utf8(said).unwrap();
    assert!(said.contains("state.2-of-2: No such file"), "{said}");
}
