//! `alea arena`, `tournament` and `bench playouts` from outside.

use crate::support::{alea, text};
use serde_json::Value;
use std::fs;

fn arena(a: &str, b: &str, extra: &[&str]) -> crate::support::Ran {
    alea(
        &[
            &["arena", "--player", a, "--player", b, "--json"][..],
            extra,
        ]
        .concat(),
    )
}

/// A result without what the clock says.
fn timeless(mut result: Value) -> Value {
    for key in ["seconds_per_move", "games_per_second", "wall_seconds"] {
        assert!(result.as_object_mut().unwrap().remove(key).is_some());
    }
    result
}

#[test]
fn a_player_scores_half_against_itself() {
    for player in ["star1(depth=2)", "greedy", "MrBlack(0)", "mcts(sims=20)"] {
        let result = arena(player, player, &["--games", "40"]).json();
        assert_eq!(result["score"], 0.5, "{player}");
        assert_eq!(result["games"], 40);
        assert_eq!(
            result["pair_counts"]["split"], 20,
            "the pairs share their luck"
        );
    }
}

#[test]
fn the_stronger_player_wins_whoever_is_named_first() {
    let result = arena("MrBlack(0)", "random", &["--games", "200"]).json();
    let mirrored = arena("random", "MrBlack(0)", &["--games", "200"]).json();
    assert!(result["score"].as_f64().unwrap() > 0.8);
    assert_eq!(
        (&result["a"], &result["b"], &result["games"]),
        (&"MrBlack(0)".into(), &"random".into(), &200.into())
    );
    assert!(mirrored["score"].as_f64().unwrap() < 0.2);
    let (lower, upper) = (
        result["interval"]["lower"].as_f64().unwrap(),
        result["interval"]["upper"].as_f64().unwrap(),
    );
    assert!(lower < result["score"].as_f64().unwrap() && result["score"].as_f64().unwrap() < upper);
}

#[test]
fn results_do_not_depend_on_threads_or_interruptions() {
    let directory = tempfile::tempdir().unwrap();
    let state = directory.path().join("state");
    let play = |extra: &[&str]| {
        arena(
            "star1(depth=2)",
            "mcts(sims=30)",
            &[&["--games", "60"][..], extra].concat(),
        )
    };
    let whole = timeless(play(&[]).json());
    assert_eq!(timeless(play(&["--threads", "1"]).json()), whole);
    assert_eq!(
        timeless(play(&["--threads", "3", "--state", text(&state)]).json()),
        whole
    );
    let lines = fs::read_to_string(&state).unwrap();
    assert_eq!(lines.lines().count(), 31, "a header and 30 pairs");
    // Killed in the middle of a line.
    fs::write(&state, &lines[..lines.len() / 2]).unwrap();
    assert_eq!(timeless(play(&["--state", text(&state)]).json()), whole);
    let finished = fs::read(&state).unwrap();
    assert_eq!(timeless(play(&["--state", text(&state)]).json()), whole);
    assert_eq!(
        fs::read(&state).unwrap(),
        finished,
        "nothing was left to play"
    );
    // The same file serves a longer match, but no other one.
    assert_eq!(
        play(&["--state", text(&state), "--games", "80"]).code,
        2,
        "--games twice"
    );
    let longer = arena(
        "star1(depth=2)",
        "mcts(sims=30)",
        &["--games", "80", "--state", text(&state)],
    )
    .json();
    assert_eq!(
        timeless(longer),
        timeless(arena("star1(depth=2)", "mcts(sims=30)", &["--games", "80"]).json())
    );
    for other in [
        arena(
            "star1(depth=1)",
            "mcts(sims=30)",
            &["--state", text(&state)],
        ),
        play(&["--state", text(&state), "--seed", "2"]),
        play(&["--state", text(&state), "--variant", "nearest"]),
        play(&["--state", text(&state), "--setups", "0:0"]),
    ] {
        assert!(
            other.failure().contains("the state of another match"),
            "{}",
            other.err
        );
    }
    fs::write(&state, "no match\n").unwrap();
    assert!(
        play(&["--state", text(&state)])
            .failure()
            .contains("no state file")
    );
}

#[test]
fn setups_are_chosen_by_index_by_order_or_from_a_file() {
    let directory = tempfile::tempdir().unwrap();
    let list = directory.path().join("setups.txt");
    let play = |setups: &str| {
        arena(
            "greedy",
            "MrBlack(0)",
            &["--games", "40", "--setups", setups],
        )
    };
    let by_index = timeless(play("0:719").json());
    assert_eq!(
        timeless(play("123456:654321").json()),
        by_index,
        "the first and the last order"
    );
    fs::write(&list, "0:719\n").unwrap();
    assert_eq!(timeless(play(text(&list)).json()), by_index);
    for wrong in ["720:0", "123455:123456", "x", "1"] {
        assert!(play(wrong).failure().contains("0-719"), "{wrong}");
    }
    fs::write(&list, "0:1\n5:x\n").unwrap();
    assert!(play(text(&list)).failure().contains("setups.txt:2:"));
}

#[test]
fn two_players_make_a_match_and_names_differ_in_a_tournament() {
    assert!(
        alea(&["arena", "--player", "random"])
            .failure()
            .contains("two players, not 1")
    );
    assert!(
        alea(&["tournament", "--player", "random"])
            .failure()
            .contains("at least two")
    );
    assert!(
        alea(&["tournament", "--player", "random", "--player", " random()"])
            .failure()
            .contains("names must differ")
    );
}

#[test]
fn a_tournament_is_all_of_its_matches() {
    let directory = tempfile::tempdir().unwrap();
    let state = directory.path().join("state");
    let names = ["random", "greedy", "MrBlack(0)"];
    let mut arguments = vec!["tournament", "--games", "60", "--state", text(&state)];
    names
        .iter()
        .for_each(|name| arguments.extend(["--player", name]));
    let table = alea(&arguments);
    assert_eq!(table.code, 0);
    assert!(
        table.out.lines().nth(1).unwrap().contains("MrBlack(0)"),
        "best first: {}",
        table.out
    );
    arguments.push("--json");
    let again = alea(&arguments).json();
    assert_eq!(again["names"], serde_json::json!(names));
    let matches = again["matches"].as_array().unwrap();
    for (found, (a, b)) in matches.iter().zip([(0, 1), (0, 2), (1, 2)]) {
        assert_eq!(
            timeless(found.clone()),
            timeless(arena(names[a], names[b], &["--games", "60"]).json())
        );
    }
    assert_eq!(fs::read_dir(&state).unwrap().count(), 3);
}

#[test]
fn random_play_has_the_published_statistics() {
    let report = alea(&["bench", "playouts", "--games", "40000", "--json"]).json();
    assert_eq!(report["counts"]["games"], 40_000);
    let near = |key: &str, expected: f64, error: f64| {
        let found = report[key].as_f64().unwrap();
        assert!((found - expected).abs() < error, "{key} = {found}");
    };
    // Published: 53.4 % ± 0.5, 21.6 plies, 3.11 moves a turn; three standard errors of both
    // samples.
    near("first_mover_share", 0.534, 0.012);
    near("mean_plies", 21.6, 0.15);
    near("moves_per_turn", 3.11, 0.02);
    let again = alea(&[
        "bench",
        "playouts",
        "--games",
        "40000",
        "--json",
        "--threads",
        "1",
    ])
    .json();
    assert_eq!(again["counts"], report["counts"]);
}

#[test]
fn games_without_chance_begin_with_openings_and_are_told_apart() {
    let play = |extra: &[&str]| {
        let reversi = ["--game", "reversi(size=4)", "--games", "40"];
        arena("star1(depth=2)", "random", &[&reversi, extra].concat())
    };
    let result = play(&[]).json();
    assert_eq!(result["starts"], "8 random plies");
    assert!(result["distinct_games"].as_u64().unwrap() <= result["games"].as_u64().unwrap());
    assert_eq!(
        play(&["--opening-plies", "2"]).json()["starts"],
        "2 random plies"
    );
    assert!(
        play(&["--setups", "nash"])
            .failure()
            .contains("--setups: reversi has none")
    );
    assert!(play(&["--luck"]).failure().contains("no luck to tell"));
    let both = ["--setups", "nash", "--opening-plies", "2"];
    assert_eq!(arena("greedy", "random", &both).code, 2);
}

/// A match that takes hours, begun in the background; no signal is ignored, as it is where whoever
/// runs the tests runs in the background.
#[cfg(target_os = "linux")]
fn begun(arguments: &[&str]) -> std::process::Child {
    std::process::Command::new("env")
        .args(["--default-signal=HUP,INT,TERM", env!("CARGO_BIN_EXE_alea")])
        .args(arguments)
        .stdin(std::process::Stdio::null())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap()
}

#[cfg(target_os = "linux")]
fn wait_for(what: impl Fn() -> bool) -> bool {
    let began = std::time::Instant::now();
    while !what() {
        if began.elapsed().as_secs() > 60 {
            return false;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    true
}

#[cfg(target_os = "linux")]
fn send(signal: &str, to: &std::process::Child) {
    let sent = std::process::Command::new("kill")
        .args([signal, &to.id().to_string()])
        .status();
    assert!(sent.unwrap().success());
}

#[cfg(target_os = "linux")]
#[test]
fn a_signal_ends_a_match_with_a_line_and_the_match_goes_on_where_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state.jsonl");
    let players = [
        "arena",
        "--player",
        "star1(depth=2)",
        "--player",
        "greedy",
        "--json",
    ];
    let played = |games: &'static str| [&players[..], &["--games", games]].concat();
    let kept = |games| [&played(games)[..], &["--state", text(&state)]].concat();
    for (signal, name, code) in [
        ("-INT", "SIGINT", 130),
        ("-TERM", "SIGTERM", 143),
        ("-HUP", "SIGHUP", 129),
    ] {
        let lines = || fs::read_to_string(&state).map_or(0, |lines| lines.lines().count());
        let before = lines();
        let child = begun(&kept("10000000"));
        assert!(wait_for(|| lines() > before + 100));
        send(signal, &child);
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{said}");
        let place = text(&state);
        assert_eq!(
            said,
            format!(
                "alea: ended by {name}: what is finished is kept in {place}, and the same command goes on there\n"
            )
        );
    }
    let games = fs::read_to_string(&state).unwrap().lines().count() * 2;
    let games: &'static str = games.to_string().leak();
    let resumed = timeless(alea(&kept(games)).json());
    assert_eq!(resumed, timeless(alea(&played(games)).json()));
    // Without a file nothing is kept, and nothing is left that was being written.
    let child = begun(&played("10000000"));
    std::thread::sleep(std::time::Duration::from_millis(200));
    send("-TERM", &child);
    let said = String::from_utf8(child.wait_with_output().unwrap().stderr).unwrap();
    assert_eq!(said, "alea: ended by SIGTERM: nothing was kept\n");
}

#[cfg(target_os = "linux")]
#[test]
fn programs_that_play_and_what_they_started_end_with_us_however_that_is() {
    for signal in ["-INT", "-TERM", "-HUP", "-KILL"] {
        let folder = tempfile::tempdir().unwrap();
        let pids = folder.path().join("pids");
        // It never answers; one of its children has left its group.
        let script = format!(
            "sleep 1000 & echo $! >> {0}; setsid sh -c 'echo $$ >> {0}; exec sleep 1000' & \
             echo $$ >> {0}; wait",
            text(&pids)
        );
        let program = folder.path().join("bot.sh");
        fs::write(&program, script).unwrap();
        let bot = format!("external(cmd=\"sh {}\", ms=80000000)", text(&program));
        let mut child = begun(&[
            "arena", "--player", &bot, "--player", "greedy", "--games", "2",
        ]);
        let started = || fs::read_to_string(&pids).unwrap_or_default();
        assert!(wait_for(|| started().lines().count() == 3));
        send(signal, &child);
        child.wait().unwrap();
        let lives = |pid: &str| {
            let state = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            !state.is_empty() && !state.contains(") Z ")
        };
        assert!(
            wait_for(|| !started().lines().any(lives)),
            "something outlived {signal}"
        );
    }
}
