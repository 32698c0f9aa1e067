//! Runs for schedulers from outside: which arrays there are and what they wait for, what is refused,
//! and that tasks come to what one run comes to. A scheduler itself is in `.ci/slurm`.

use crate::support::{Folder, alea, read};

/// Ten tasks where an array has three at most, and a test in two rounds after them.
const STAGES: &str = r#"
name = "run"
directory = "jobs"
program = "alea"
needs = { memory = 500, cores = 2 }
limits = { array = 3, submit = 1000 }
[[stage]]
name = "play"
command = "selfplay --out 'the games' --games 50000"
tasks = 10
needs = { throttle = 2, partition = "long" }
core_hours = 20.0
[[stage]]
name = "gate"
command = "arena --state gate.jsonl --games 400"
tasks = 2
rounds = 2
[[stage]]
name = "other"
command = "perft --depth 1"
after = []
[kubernetes]
image = "alea:1"
volume = "games"
storage = "10Gi"
"#;

#[test]
fn arrays_are_split_and_wait_for_each_other() {
    let folder = Folder::new();
    let file = folder.file("run.toml", STAGES);
    let ran = alea!("cluster slurm '{file}' --print");
    ran.succeeds();
    let sent = ran
        .out
        .lines()
        .filter_map(|line| line.split_once("$(sbatch --parsable --kill-on-invalid-dep=yes "));
    let here = std::env::current_dir().unwrap();
    let jobs = format!("{}/jobs/", here.display());
    let sent: Vec<String> = sent
        .map(|(job, words)| format!("{job} {}", words.replace(&jobs, "")))
        .collect();
    // Two cores for 1.5 of the 20 core-hours that ten tasks share, and six minutes to begin.
    ran.shows(&[
        "#SBATCH --time=96\n",
        "#SBATCH --partition=long\n",
        "#SBATCH --mem=500M\n",
        "#SBATCH --cpus-per-task=2\n",
    ]);
    ran.shows(&["alea --threads 2 selfplay --out 'the games' --games 50000 --shard auto/10 &"]);
    ran.shows(&["alea --threads 2 arena --state gate.jsonl --games 400 --shard merge/4 &"]);
    assert_eq!(
        sent,
        [
            "job1= --array=0-2%2 play.sh 0)",
            "job2= --array=0-2%2 play.sh 3)",
            "job3= --array=0-2%2 play.sh 6)",
            "job4= --array=0%2 play.sh 9)",
            "job5= --dependency=afterok:$job1:$job2:$job3:$job4 play-merge.sh 0)",
            "job6= --dependency=afterok:$job5 --array=0-1 gate-1.sh 0)",
            "job7= --dependency=afterok:$job6 --array=0-1 gate-2.sh 0)",
            "job8= --dependency=afterok:$job7 gate-merge.sh 0)",
            "job9= other.sh 0)",
        ]
    );
    // The second round has the last two of four numbers.
    ran.shows(&["export ALEA_SHARD_OFFSET=$((2 + ${1:-0}))"]);
    // A queue of seven: six tasks, and the job that submits the rest.
    let file = folder.file("short.toml", STAGES.replace("submit = 1000", "submit = 7"));
    let ran = alea!("cluster slurm '{file}' --print");
    ran.shows(&["job2=", "--dependency=afterok:$job1:$job2 ", "--resubmit"]);
    assert!(!ran.out.contains("job4="), "{ran}");
}

#[test]
fn indexed_jobs_begin_one_after_the_other() {
    let folder = Folder::new();
    let file = folder.file("run.toml", STAGES);
    let ran = alea!("cluster kubernetes '{file}' --print");
    ran.shows(&[
        "completions: 10",
        "parallelism: 2",
        "image: \"alea:1\"",
        "claimName: \"games\"",
        "value: \"2\"",
    ]);
    ran.shows(&[
        r#"["--threads","2","selfplay","--out","the games","--games","50000","--shard","auto/10"]"#,
    ]);
    // All but the first of six wait.
    let count = |text: &str| ran.out.matches(text).count();
    assert_eq!(
        [
            count("suspend: false\n"),
            count("suspend: true\n"),
            count("\"wait\"")
        ],
        [1, 5, 6]
    );
    assert_eq!(count("@"), 0, "{ran}");
}

#[test]
fn what_is_wrong_is_said_by_its_key() {
    let folder = Folder::new();
    for (wrong, right, expected) in [
        ("tasks = 10", "task = 10", "unknown field `task`"),
        (
            "tasks = 10",
            "tasks = 0",
            "stage 'play': tasks, in each of 'rounds' if it has some: 1 to 1000000 in all",
        ),
        (
            "memory = 500",
            "memory = 0",
            "needs.memory = 0: it must be at least 1",
        ),
        ("memory = 500", "memory = \"1G\"", "line 5: invalid type"),
        (
            "core_hours = 20.0",
            "core_hours = -1.0",
            "stage 'play': core_hours = -1: a number above 0",
        ),
        (
            "after = []",
            "after = [\"label\"]",
            "stage.after = 'label' of 'other': no stage before it",
        ),
        ("name = \"other\"", "name = \"gate\"", "there are two of it"),
        (
            "name = \"other\"",
            "name = \"play-merge\"",
            "stage.name = 'play-merge': there are two of it",
        ),
        (
            "name = \"run\"",
            "name = \"a b\"",
            "name = 'a b': up to 20 of a to z",
        ),
        (
            "array = 3",
            "array = 1",
            "limits.array = 1: it must be at least 2",
        ),
        ("'the games'", "'the games", "stage 'play': command: words"),
        ("[kubernetes]", "[improve]", "image"),
    ] {
        let text = STAGES.replacen(wrong, right, 1);
        let file = folder.file("wrong.toml", text);
        alea!("cluster slurm '{file}' --print").fails(expected);
    }
    let file = folder.file("none.toml", "name = \"run\"\ndirectory = \"jobs\"");
    alea!("cluster local '{file}'").fails("it needs either [[stage]] or [improve]");
    let file = folder.file("run.toml", STAGES.split("[kubernetes]").next().unwrap());
    alea!("cluster kubernetes '{file}' --print").fails("[kubernetes] is needed");
}

#[test]
fn tasks_of_this_machine_come_to_what_one_run_comes_to() {
    let folder = Folder::new();
    let [jobs, games, whole] = ["jobs", "games", "whole"].map(|name| folder.at(name));
    let stage = |seed: u64| {
        format!(
            "name = \"run\"\ndirectory = '{jobs}'\n[[stage]]\nname = \"play\"\ncommand = \"selfplay --out '{games}' --games 9000 --player random --seed {seed}\"\ntasks = 2\n"
        )
    };
    let file = folder.file("run.toml", stage(1));
    alea!("cluster local '{file}'")
        .shows(&["play: 2 of 2 tasks done", "play-merge: 1 of 1 tasks done"]);
    alea!("cluster local '{file}' --status").shows(&["play: 2 of 2"]);
    alea!("selfplay --out '{whole}' --games 9000 --player random").succeeds();
    for name in ["run.json", "000000.games", "000001.games", "000002.games"] {
        let [ours, theirs] =
            [&games, &whole].map(|place| std::fs::read(format!("{place}/{name}")).unwrap());
        assert!(ours == theirs, "{name}");
    }
    // Other steps do not take its marks for theirs.
    let other = folder.file("other.toml", stage(2));
    let ran = alea!("cluster local '{other}'");
    assert!(
        ran.code == 1 && ran.err.contains("made for other steps"),
        "{ran}"
    );
    // A task that fails says why, and nothing begins after it.
    let text = stage(2).replace(&jobs, &folder.at("failed"));
    let ran = alea!("cluster local '{}'", folder.file("failed.toml", text));
    assert!(
        ran.err.contains("made with other settings")
            && !ran.err.contains("play-merge: 1 tasks left"),
        "{ran}"
    );
    assert!(read(&folder.at("failed/log/play.0")).contains("made with other settings"));
}
