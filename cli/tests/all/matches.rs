//! `alea arena`, `tournament` and `bench playouts` from outside.

use crate::support::{Folder, Ran, alea, list, names, number, read};
use serde_json::{Value, json};
#[cfg(target_os = "linux")]
use std::process::{Child, Command, Stdio};
use std::{fs, iter};

fn arena(a: &str, b: &str, extra: &str) -> Ran {
    alea!("arena --player {a} --player {b} --json {extra}")
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
        let result = arena(player, player, "--games 40").json();
        assert_eq!(result["score"], 0.5, "{player}");
        assert_eq!(
            (&result["a"], &result["games"]),
            (&player.into(), &40.into())
        );
        let split = &result["pair_counts"]["split"];
        assert_eq!(*split, 20, "the pairs share their luck");
    }
}

#[test]
fn results_do_not_depend_on_threads_or_interruptions() {
    let folder = Folder::new();
    let state = folder.at("state");
    let kept = format!("--state {state}");
    let play = |extra: &str| {
        let extra = format!("--games 60 {extra}");
        arena("star1(depth=2)", "mcts(sims=30)", &extra)
    };
    let whole = timeless(play("").json());
    let same = |extra: &str| assert_eq!(timeless(play(extra).json()), whole);
    same("--threads 1");
    same(&format!("--threads 3 {kept}"));
    let finished = read(&state);
    assert_eq!(finished.lines().count(), 31, "a header and 30 pairs");
    same(&kept);
    assert_eq!(read(&state), finished, "nothing was left to play");
    // The same file serves no other match.
    play(&format!("{kept} --games 80")).is_wrong_usage();
    for other in [
        arena("star1(depth=1)", "mcts(sims=30)", &kept),
        play(&format!("{kept} --seed 2")),
        play(&format!("{kept} --variant nearest")),
        play(&format!("{kept} --setups 0:0")),
    ] {
        other.fails("the state of another match");
    }
}

#[test]
fn setups_are_chosen_by_index_by_order_or_from_a_file() {
    let folder = Folder::new();
    let play = |setups: &str| {
        arena(
            "greedy",
            "MrBlack(0)",
            &format!("--games 40 --setups {setups}"),
        )
    };
    let by_index = timeless(play("0:719").json());
    // The first and the last order.
    for same in ["123456:654321", &folder.file("setups.txt", "0:719\n")] {
        assert_eq!(timeless(play(same).json()), by_index, "{same}");
    }
    for wrong in ["720:0", "123455:123456", "x", "1"] {
        play(wrong).fails("0-719");
    }
    play(&folder.file("setups.txt", "0:1\n5:x\n")).fails("setups.txt:2:");
}

#[test]
fn two_players_make_a_match_and_names_differ_in_a_tournament() {
    alea!("arena --player random").fails("two players, not 1");
    alea!("tournament --player random").fails("at least two");
    alea!("tournament --player random --player ' random()'").fails("names must differ");
}

#[test]
fn a_tournament_is_all_of_its_matches() {
    let folder = Folder::new();
    let state = folder.at("state");
    let players = ["random", "greedy", "MrBlack(0)"];
    let [a, b, c] = players;
    let line =
        format!("tournament --games 60 --state {state} --player {a} --player {b} --player {c}");
    let table = alea!("{line}");
    table.succeeds();
    let best = table.out.lines().nth(1).unwrap();
    assert!(best.contains("MrBlack(0)"), "best first: {table}");
    let again = alea!("{line} --json").json();
    assert_eq!(again["names"], json!(players));
    for (found, (a, b)) in iter::zip(list(&again["matches"]), [(a, b), (a, c), (b, c)]) {
        let alone = arena(a, b, "--games 60").json();
        assert_eq!(timeless(found.clone()), timeless(alone));
    }
    assert_eq!(names(&state).len(), 3);
}

#[test]
fn random_play_has_the_published_statistics() {
    let line = "bench playouts --games 40000 --json";
    let report = alea!("{line}").json();
    assert_eq!(report["counts"]["games"], 40_000);
    // Published: 53.4 % ± 0.5, 21.6 plies, 3.11 moves a turn; three standard errors of both
    // samples.
    for (key, expected, error) in [
        ("first_mover_share", 0.534, 0.012),
        ("mean_plies", 21.6, 0.15),
        ("moves_per_turn", 3.11, 0.02),
    ] {
        let found = number(&report[key]);
        assert!((found - expected).abs() < error, "{key} = {found}");
    }
    let again = alea!("{line} --threads 1").json();
    assert_eq!(again["counts"], report["counts"]);
}

#[test]
fn games_without_chance_begin_with_openings_and_are_told_apart() {
    let play = |extra: &str| {
        let options = format!("--game reversi(size=4) --games 40 {extra}");
        arena("star1(depth=2)", "random", &options)
    };
    let result = play("").json();
    assert_eq!(result["starts"], "8 random plies");
    assert!(number(&result["distinct_games"]) <= number(&result["games"]));
    let shorter = play("--opening-plies 2").json();
    assert_eq!(shorter["starts"], "2 random plies");
    play("--setups nash").fails("--setups: reversi has none");
    play("--luck").fails("no luck to tell");
    arena("greedy", "random", "--setups nash --opening-plies 2").is_wrong_usage();
}

/// A match that takes hours, begun in the background; no signal is ignored, as it is where whoever
/// runs the tests runs in the background.
#[cfg(target_os = "linux")]
fn begun(line: &str) -> Child {
    Command::new("env")
        .args(["--default-signal=HUP,INT,TERM", env!("CARGO_BIN_EXE_alea")])
        .args(crate::support::words(line))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
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
fn send(signal: &str, to: &Child) {
    let sent = Command::new("kill")
        .args([signal, &to.id().to_string()])
        .status();
    assert!(sent.unwrap().success());
}

#[cfg(target_os = "linux")]
#[test]
fn a_signal_ends_a_match_with_a_line_and_the_match_goes_on_where_it_was() {
    let folder = Folder::new();
    let state = folder.at("state.jsonl");
    let played = |games: usize| {
        format!("arena --player star1(depth=2) --player greedy --json --games {games}")
    };
    let kept = |games| format!("{} --state {state}", played(games));
    for (signal, name, code) in [
        ("-INT", "SIGINT", 130),
        ("-TERM", "SIGTERM", 143),
        ("-HUP", "SIGHUP", 129),
    ] {
        let lines = || fs::read_to_string(&state).map_or(0, |lines| lines.lines().count());
        let before = lines();
        let child = begun(&kept(10_000_000));
        assert!(wait_for(|| lines() > before + 100));
        send(signal, &child);
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{said}");
        let expected = format!(
            "alea: ended by {name}: what is finished is kept in {state}, and the same command goes on there\n"
        );
        assert_eq!(said, expected);
    }
    let games = read(&state).lines().count() * 2;
    let [resumed, afresh] = [kept(games), played(games)].map(|line| alea!("{line}").json());
    assert_eq!(timeless(resumed), timeless(afresh));
    // Without a file nothing is kept, and nothing is left that was being written.
    let child = begun(&played(10_000_000));
    std::thread::sleep(std::time::Duration::from_millis(200));
    send("-TERM", &child);
    let said = String::from_utf8(child.wait_with_output().unwrap().stderr).unwrap();
    assert_eq!(said, "alea: ended by SIGTERM: nothing was kept\n");
}

#[cfg(target_os = "linux")]
#[test]
fn programs_that_play_and_what_they_started_end_with_us_however_that_is() {
    for signal in ["-INT", "-TERM", "-HUP", "-KILL"] {
        let folder = Folder::new();
        let pids = folder.at("pids");
        // It never answers; one of its children has left its group.
        let script = format!(
            "sleep 1000 & echo $! >> {pids}; setsid sh -c 'echo $$ >> {pids}; exec sleep 1000' & \
             echo $$ >> {pids}; wait"
        );
        let program = folder.file("bot.sh", script);
        let bot = format!("external(cmd=\"sh {program}\", ms=80000000)");
        let mut child = begun(&format!("arena --player '{bot}' --player greedy --games 2"));
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

#[test]
fn every_game_of_a_match_is_written_and_verified() {
    let folder = Folder::new();
    let [games, state, set] = ["games.jsonl", "state.jsonl", "set"].map(|name| folder.at(name));
    let kept = format!("--games 20 --records {games} --state {state}");
    arena("greedy", "star1(depth=1)", &kept).succeeds();
    let lines = read(&games);
    assert_eq!(lines.lines().count(), 21, "a heading and the games");
    // Killed within a game; it goes on.
    fs::write(&games, &lines[..lines.len() - 9]).unwrap();
    let states = read(&state);
    let cut = states.trim_end().rfind('\n').unwrap();
    fs::write(&state, &states[..=cut]).unwrap();
    arena("greedy", "star1(depth=1)", &kept).succeeds();
    let found = alea!("data verify {games} --json").json();
    assert_eq!(
        (&found["games"], &found["problems"]),
        (&json!(20), &json!([]))
    );
    // They are a set like any other, with a time for every move.
    alea!("data import {games} --out {set}").succeeds();
    let found = alea!("data verify {set} --json").json();
    assert_eq!(found["games"], 20);
    let back = folder.at("back.jsonl");
    alea!("data export {set} --out {back}").succeeds();
    let text = read(&back);
    assert_eq!(
        text.matches("\"move\"").count(),
        text.matches("\"time\"").count()
    );
    // A move that the rules do not know is named with its line.
    let wrong = read(&games).replacen("\"outcome\":", "\"outcome\":9", 1);
    fs::write(&games, wrong).unwrap();
    let refused = alea!("data verify {games}");
    assert_eq!(refused.code, 1);
    assert!(refused.out.contains("games.jsonl: line 2"), "{refused}");
}

#[test]
fn a_league_is_played_in_a_directory_and_says_how_it_stands() {
    let folder = Folder::new();
    let directory = folder.at("league");
    fs::create_dir(&directory).unwrap();
    let toml = |more: &str| {
        let entrant = |name: &str, player: &str| {
            format!("[[entrant]]\nname = \"{name}\"\nplayer = \"{player}\"\n")
        };
        let own =
            entrant("black", "MrBlack(0)") + &entrant("any", "random") + &entrant("near", "greedy");
        fs::write(
            format!("{directory}/league.toml"),
            format!("luck = \"abt\"\n{own}{more}"),
        )
        .unwrap();
    };
    toml(
        "[[entrant]]\nname = \"gone\"\ncommand = \"no-such-program\"\noptions = \"protocol=tcga\"\n",
    );
    let ran = alea!("league {directory} --games 400 --json");
    let found = ran.json();
    assert!(
        ran.err
            .contains("gone is skipped: no-such-program cannot be started"),
        "{ran}"
    );
    let standings = list(&found["standings"]);
    assert_eq!(standings[2]["name"], "any");
    assert_eq!(standings[3]["games"], 0);
    assert_eq!(
        (&standings[2]["group"], &standings[3]["group"]),
        (&json!(3), &json!(0))
    );
    assert_eq!(found["settled"], true, "{found}");
    // Nothing is left to do, and everybody may see it.
    assert_eq!(alea!("league {directory} --games 400 --json").json(), found);
    assert_eq!(alea!("league {directory} --status --json").json(), found);
    alea!("league {directory} --status").shows(&[
        "black",
        "% of",
        "without luck",
        "gone was skipped",
    ]);
    let page = read(&format!("{directory}/league.html"));
    assert!(page.contains("<svg") && page.contains("Crosstable"));
    toml("[[entrant]]\nname = \"x\"\n");
    let refused = alea!("league {directory}");
    assert_eq!(refused.code, 1);
    assert!(
        refused
            .err
            .contains("entrant x: needs either 'player', or 'command'"),
        "{refused}"
    );
}

#[cfg(unix)]
#[test]
fn a_program_is_asked_what_it_believes() {
    if std::process::Command::new("python3")
        .arg("--version")
        .output()
        .is_err()
    {
        return;
    }
    let folder = Folder::new();
    let script = folder.at("bot.sh");
    let believes = |script_text: &str| {
        fs::write(&script, script_text).unwrap();
        alea!("referee check --cmd 'sh {script}' --json").json()
    };
    let classic = believes("exec python3 ../docs/bot.py");
    assert_eq!(classic["variant"], "classic");
    for key in [
        "takes_own_stones",
        "obeys_the_die",
        "moves_along_the_edge",
        "takes_the_last_stone",
    ] {
        assert_eq!(classic[key], true, "{key}");
    }
    // The bot knows both variants; here it is told the other one.
    let nearest = believes("sed -u s/classic/nearest/ | python3 ../docs/bot.py");
    assert_eq!(nearest["variant"], "nearest");
    let silent = believes("read line; echo alea 1; exit 1");
    assert_eq!(
        (&silent["variant"], &silent["obeys_the_die"]),
        (&Value::Null, &json!(false))
    );
}
