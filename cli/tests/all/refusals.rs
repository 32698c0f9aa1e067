//! Bad input: one clear line and exit code 1, or wrong usage and exit code 2; never a panic, never
//! half a file.

use crate::support::{MIDDLE, TINY, alea, fed, text};
use std::{fs, path::Path};

fn entries(directory: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn analysis_failure(player: &str) -> String {
    alea(&["analyse", &format!("{MIDDLE} 1"), "--player", player])
        .failure()
        .to_owned()
}

#[test]
fn wrong_players_are_told_where_and_what_would_fit() {
    for (player, parts) in [
        (
            "star1(dpth=3)",
            &["character 7", "'dpth'", "star1 takes depth, eval"][..],
        ),
        ("star9", &["character 1", "no player 'star9'", "mcts(sims"]),
        (
            "star1(eval=foo)",
            &["character 12", "no evaluator 'foo'", "attack_block_threat"],
        ),
        (
            "star1(depth=0)",
            &["character 13", "'depth' is a number from 1 to 127, not '0'"],
        ),
        ("star1(depth=999)", &["from 1 to 127"]),
        ("star1(depth=-1)", &["from 1 to 127"]),
        (
            "star1(depth=2, table=1000000)",
            &["character 22", "'table' is a number from 0 to 4096"],
        ),
        ("textbook(ms=3)", &["textbook takes no limit but depth"]),
        (
            "star2(depths=1:2)",
            &[
                "character 14",
                "three joined by ':' (opening, middle, endgame)",
            ],
        ),
        (
            "star2(order=best)",
            &[
                "character 13",
                "any of table, tactics, history, eval joined by ':'",
            ],
        ),
        (
            "star2(ms=10, clock=x)",
            &["only one of 'ms', 'cpu_ms' and 'clock' can be given"],
        ),
        ("star2(clock=x)", &["character 13", "60+0.5"]),
        (
            "star2(cpu_ms=10, threads=2)",
            &["'cpu_ms' is a limit of one thread"],
        ),
        (
            "star2(cpu_ms=0)",
            &["character 14", "'cpu_ms' is a number from 0.01"],
        ),
        (
            "star2(probcut=-1)",
            &[
                "character 15",
                "'probcut' is a number from 0 to 100, not '-1'",
            ],
        ),
        (
            "star2(tablebase=1)",
            &[
                "character 17",
                "'tablebase' is a number of stones from 2 to 6, or 0 for none, not '1'",
            ],
        ),
        (
            "star2(tablebase=4, die=1:1:1:1:1:5)",
            &["character 17", "for a fair die"],
        ),
        (
            "mcts(sims=0)",
            &["character 11", "'sims' is a number from 1"],
        ),
        ("mcts(ms=nan)", &["'ms' is a number"]),
        ("star1(depth=3", &["character 14", "expected ',' or ')'"]),
        ("star1(die=1:2)", &["six weights"]),
        (
            "star1(eval=model:no/such.safetensors)",
            &["character 12", "no/such.safetensors: no such file"],
        ),
        ("", &["expected a name"]),
    ] {
        let failure = analysis_failure(player);
        assert!(
            parts.iter().all(|part| failure.contains(part)),
            "{player}: {failure}"
        );
    }
    assert!(
        alea(&["evaluate", MIDDLE, "--eval", "schwarz(x=1)"])
            .failure()
            .contains("schwarz takes")
    );
}

#[test]
fn wrong_positions_are_told_where() {
    for (position, part) in [
        ("", "character 1"),
        (MIDDLE, "the die is missing"),
        ("215../64.../3...e/...fb/..acd b 7", "character 33"),
        ("215../64.../3...e/...fb/..acd x -", "'r' or 'b', not 'x'"),
        (
            "115../64.../3...e/...fb/..acd b -",
            "stone '1' stands on two squares",
        ),
        ("...../...../...../...../..... r -", "no stone"),
        ("a..../...../...../...../....1 r -", "both sides"),
        ("é15../64.../3...e/...fb/..acd b 1", "'é' is no square"),
    ] {
        for command in ["moves", "analyse", "evaluate"] {
            let ran = alea(&[command, position, "--json"]);
            assert!(ran.failure().contains(part), "{position}: {}", ran.err);
            assert_eq!(ran.out, "");
        }
    }
    assert!(alea(&["moves", &"1".repeat(100_000)]).failure().len() < 300);
}

#[test]
fn wrong_usage_is_exit_code_two() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("out");
    let out = text(&out);
    let players = ["--player", "random", "--player", "greedy"];
    for arguments in [
        &["selfplay", "--out", out, "--games", "0"][..],
        &["selfplay", "--out", out, "--games", "-5"],
        &["selfplay", "--out", out, "--games", "99999999999999999999"],
        &["selfplay"],
        &["train", "--data", out],
        &["bench", "playouts", "--games", "0"],
        &["calibrate", "--games", "0"],
        &["--threads", "99999999", "bench", "playouts"],
        &["no-such-command"],
        &[],
    ] {
        let ran = alea(arguments);
        assert_eq!(
            (ran.code, ran.out.as_str()),
            (2, ""),
            "{arguments:?}: {}",
            ran.err
        );
        assert!(!ran.err.contains("panicked"));
    }
    for games in ["0", "18446744073709551615"] {
        for command in ["arena", "tournament"] {
            let ran = alea(&[&[command][..], &players, &["--games", games]].concat());
            assert_eq!(ran.code, 2);
            assert!(ran.err.contains("--games"), "{}", ran.err);
        }
    }
    assert!(!Path::new(out).exists());
}

#[test]
fn every_command_shows_an_example() {
    for command in [
        "",
        "pipeline",
        "selfplay",
        "train",
        "arena",
        "tournament",
        "moves",
        "analyse",
        "evaluate",
        "models",
        "network",
        "network serve",
        "network play",
        "calibrate",
        "bench",
        "bench playouts",
        "bench search",
    ] {
        let arguments: Vec<&str> = command.split_whitespace().chain(["--help"]).collect();
        let ran = alea(&arguments);
        assert_eq!(ran.code, 0);
        assert!(
            ran.out.contains(&format!("Example: alea {command}")),
            "{command}: {}",
            ran.out
        );
    }
}

#[test]
fn foreign_model_files_are_refused_by_name() {
    let directory = tempfile::tempdir().unwrap();
    let noise: Vec<u8> = (0..5000u32)
        .map(|index| (index.wrapping_mul(2_654_435_761) >> 13) as u8)
        .collect();
    let foreign: [(&str, &[u8]); 4] = [
        ("noise", &noise),
        ("png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"),
        ("empty", b""),
        ("json", b"\x02\0\0\0\0\0\0\0{}"),
    ];
    for (name, bytes) in foreign {
        let path = directory.path().join(name).with_extension("safetensors");
        fs::write(&path, bytes).unwrap();
        let path = text(&path);
        assert!(
            alea(&["evaluate", MIDDLE, "--eval", &format!("model:{path}")])
                .failure()
                .contains(path)
        );
        let ran = alea(&["models", path]);
        assert_eq!(ran.failure(), "1 of 1 model files cannot be used");
        assert!(ran.out.starts_with(&format!("BAD  {path}")), "{}", ran.out);
    }
    let ran = alea(&["models", text(directory.path()), "--json"]);
    assert_eq!(ran.failure(), "4 of 4 model files cannot be used");
    assert!(
        ran.lines()
            .iter()
            .all(|line| line["ok"] == false && line["error"].is_string())
    );
    let none = tempfile::tempdir().unwrap();
    assert_eq!(alea(&["models", text(none.path())]).code, 0);
    assert!(
        alea(&["models", "no/such/directory"])
            .out
            .contains("no/such/directory")
    );
}

#[test]
fn wrong_settings_name_file_line_and_key() {
    let directory = tempfile::tempdir().unwrap();
    let (settings, out) = (
        directory.path().join("settings.toml"),
        directory.path().join("out"),
    );
    let failure = |toml: &str| {
        fs::write(&settings, toml).unwrap();
        let ran = alea(&["pipeline", "--config", text(&settings), "--out", text(&out)]);
        assert!(!out.exists(), "nothing is begun");
        ran.failure().to_owned()
    };
    let found = failure(&TINY.replace("epochs = 2", "epohcs = 2"));
    let line = TINY
        .lines()
        .position(|line| line.starts_with("epochs"))
        .unwrap()
        + 1;
    assert!(
        found.contains(text(&settings))
            && found.contains(&format!("line {line}:"))
            && found.contains("epohcs"),
        "{found}"
    );
    assert!(failure(&TINY.replace("games = 300", "games = 0")).contains("'games' is from 1"));
    assert!(failure(&TINY.replace("games = 20\n", "games = 0\n")).contains("arena.rounds"));
    assert!(
        failure(&TINY.replace("depth = 1\n", "depth = 65\n")).contains("'depth' is from 1 to 64")
    );
    assert!(failure(&TINY.replace("\"abt\"", "\"star\"")).contains("no evaluator 'star'"));
    assert!(failure(&TINY.replace("\"einstein\"", "\"draughts\"")).contains("no game 'draughts'"));
    assert!(failure("seed = ").contains("line 1"));
    assert!(
        alea(&["pipeline", "--config", "no/such.toml"])
            .failure()
            .contains("no/such.toml: no such file")
    );
    fs::write(&settings, b"\xff\xff").unwrap();
    assert!(
        alea(&["pipeline", "--config", text(&settings)])
            .failure()
            .contains("not a text file")
    );
    fs::write(&settings, "[training]\nepochs = 1\nepoch = 1\n").unwrap();
    let found = alea(&[
        "train",
        "--data",
        "x",
        "--out",
        text(&out),
        "--config",
        text(&settings),
    ])
    .failure()
    .to_owned();
    assert!(
        found.contains(text(&settings)) && found.contains("line 3") && found.contains("`epoch`"),
        "{found}"
    );
    for preset in [
        &["pipeline", "--print-config"][..],
        &["train", "--print-config"],
    ] {
        let printed = alea(preset);
        fs::write(&settings, &printed.out).unwrap();
        assert!(printed.out.contains("epochs") && printed.out.contains('#'));
    }
}

#[test]
fn records_that_are_missing_cut_or_of_another_run_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let (data, out) = (at("data"), at("out"));
    let (data, out) = (text(&data), text(&out));
    let play = |extra: &[&str]| {
        alea(
            &[
                &[
                    "selfplay",
                    "--out",
                    data,
                    "--games",
                    "40",
                    "--player",
                    "star1(depth=1)",
                ][..],
                extra,
            ]
            .concat(),
        )
    };
    assert!(
        alea(&["train", "--data", data, "--out", out])
            .failure()
            .contains(data)
    );
    fs::create_dir(data).unwrap();
    assert!(
        alea(&["train", "--data", data, "--out", out])
            .failure()
            .contains("no game records there")
    );
    assert_eq!(play(&[]).code, 0);
    assert_eq!(entries(Path::new(data)), ["000000.games", "run.json"]);
    let shard = Path::new(data).join("000000.games");
    let whole = fs::read(&shard).unwrap();
    assert_eq!(play(&["--json"]).json()["games"], 40);
    assert_eq!(
        fs::read(&shard).unwrap(),
        whole,
        "a finished run is left alone"
    );
    assert!(
        play(&["--seed", "2"])
            .failure()
            .contains("made with other settings")
    );
    for cut in [0, 7, 13, whole.len() / 2, whole.len() - 1] {
        fs::write(&shard, &whole[..cut]).unwrap();
        for ran in [play(&[]), alea(&["train", "--data", data, "--out", out])] {
            assert!(ran.failure().contains("000000.games"), "{}", ran.err);
        }
    }
    assert!(!Path::new(out).exists() || entries(Path::new(out)).is_empty());
    fs::remove_file(&shard).unwrap();
    assert_eq!(play(&[]).code, 0);
    assert_eq!(
        fs::read(&shard).unwrap(),
        whole,
        "the same seed makes the same bytes"
    );
}

#[test]
fn places_that_cannot_be_written_are_named() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("file");
    fs::write(&file, "mine").unwrap();
    let below = file.join("out");
    let players = ["--player", "random", "--player", "greedy", "--games", "2"];
    for place in [text(&below), text(&file)] {
        assert!(
            alea(&[
                "selfplay", "--out", place, "--games", "2", "--player", "random"
            ])
            .failure()
            .contains(place)
        );
        assert!(
            alea(&["pipeline", "--out", place])
                .failure()
                .contains(place)
        );
        assert!(
            alea(&[&["arena", "--state", place][..], &players].concat())
                .failure()
                .contains(place)
        );
        assert!(
            alea(&[&["tournament", "--state", place][..], &players].concat())
                .failure()
                .contains(place)
        );
    }
    assert_eq!(fs::read(&file).unwrap(), b"mine");
    assert_eq!(entries(directory.path()), ["file"]);
    #[cfg(unix)]
    assert!(
        alea(&[&["arena", "--state", "/dev/null"][..], &players].concat())
            .failure()
            .contains("no regular file")
    );
}

/// Writing to `/dev/full` fails as writing to a full disk does.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_under_standard_output_is_a_failure() {
    for arguments in [
        &["moves", "215../64.../3...e/...fb/..acd b 1"][..],
        &["bench", "playouts", "--games", "10"],
    ] {
        let full = fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .unwrap();
        let output = crate::support::command(arguments)
            .stdout(full)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(1));
        assert!(
            String::from_utf8(output.stderr)
                .unwrap()
                .contains("No space left")
        );
    }
}

#[test]
fn evaluators_without_a_raw_score_cannot_be_calibrated() {
    let ran = alea(&[
        "calibrate",
        "--games",
        "100000000",
        "--eval",
        "schwarz",
        "--eval",
        "race",
    ]);
    assert!(
        ran.failure().contains("'race' has no raw score"),
        "said before any game is played"
    );
    assert_eq!(ran.out, "");
    let fits = fed(
        &["calibrate", "--games", "300", "--eval", "schwarz", "--json"],
        b"",
    )
    .json();
    assert!(fits["fit"]["slope"].as_f64().unwrap() > 0.0);
}

#[cfg(unix)]
#[test]
fn arguments_that_are_no_text_and_values_without_end_are_refused_in_one_line() {
    use std::os::unix::ffi::OsStrExt;
    let odd = std::ffi::OsStr::from_bytes(b"mod\xffels");
    let output = crate::support::command(&["models"]).arg(odd).output();
    let output = output.unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        said,
        "alea: 'mod\u{fffd}els' is no text in UTF-8; rename it\n"
    );
    // A file of that name is listed under one that can be told.
    let directory = tempfile::tempdir().unwrap();
    fs::write(
        directory.path().join(odd).with_extension("safetensors"),
        b"x",
    )
    .unwrap();
    let listed = alea(&["models", text(directory.path()), "--json"]);
    assert_eq!(listed.code, 1);
    let listed = &listed.lines()[0];
    assert!(listed["path"].as_str().unwrap().contains("mod\u{fffd}els"));
    let long = "9".repeat(100_000);
    for arguments in [
        &[
            "arena", "--player", "greedy", "--player", "random", "--games", &long,
        ][..],
        &["arena", "--player", "greedy", "--player", &long],
        &["evaluate", &long],
        &["data", "info", &long],
    ] {
        let ran = alea(arguments);
        assert!(ran.code != 0 && ran.err.len() < 2000, "{}", ran.err.len());
    }
}

#[cfg(target_os = "linux")]
#[test]
fn what_never_ends_is_refused() {
    for arguments in [
        &["models", "/dev/zero"][..],
        &["report", "/dev/zero", "--out", "/nowhere/page.html"],
        &["pipeline", "--config", "/dev/zero", "--out", "/nowhere"],
        &[
            "arena",
            "--player",
            "greedy",
            "--player",
            "random",
            "--setups",
            "nash:/dev/zero",
        ],
    ] {
        let ran = alea(arguments);
        assert_eq!(ran.code, 1, "{arguments:?}: {}", ran.err);
        let said = format!("{}{}", ran.out, ran.err);
        assert!(said.contains("no end within 64 MiB"), "{said}");
    }
}
