//! Bad input: one clear line and exit code 1, or wrong usage and exit code 2; never a panic, never
//! half a file.

use crate::support::{Folder, MIDDLE, TINY, alea, exists, names, number, read};
use std::fs;

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
        let ran = alea!("analyse '{MIDDLE} 1' --player '{player}'");
        parts.iter().for_each(|part| ran.fails(part));
    }
    alea!("evaluate '{MIDDLE}' --eval schwarz(x=1)").fails("schwarz takes");
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
            let ran = alea!("{command} '{position}' --json");
            ran.fails(part);
            assert_eq!(ran.out, "");
        }
    }
    assert!(alea!("moves {}", "1".repeat(100_000)).failure().len() < 300);
}

#[test]
fn wrong_usage_is_exit_code_two() {
    let folder = Folder::new();
    let out = folder.at("out");
    for line in [
        &*format!("selfplay --out {out} --games 0"),
        &format!("selfplay --out {out} --games -5"),
        &format!("selfplay --out {out} --games 99999999999999999999"),
        "selfplay",
        &format!("train --data {out}"),
        "bench playouts --games 0",
        "calibrate --games 0",
        "--threads 99999999 bench playouts",
        "no-such-command",
        "",
    ] {
        alea!("{line}").is_wrong_usage();
    }
    for games in ["0", "18446744073709551615"] {
        for command in ["arena", "tournament"] {
            let ran = alea!("{command} --player random --player greedy --games {games}");
            ran.is_wrong_usage();
            assert!(ran.err.contains("--games"), "{ran}");
        }
    }
    assert!(!exists(&out));
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
        alea!("{command} --help").shows(&[&format!("Example: alea {command}")]);
    }
}

#[test]
fn foreign_model_files_are_refused_by_name() {
    let folder = Folder::new();
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
        let path = folder.file(&format!("{name}.safetensors"), bytes);
        alea!("evaluate '{MIDDLE}' --eval model:{path}").fails(&path);
        let ran = alea!("models {path}");
        assert_eq!(ran.failure(), "1 of 1 model files cannot be used");
        assert!(ran.out.starts_with(&format!("BAD  {path}")), "{ran}");
    }
    let ran = alea!("models {} --json", folder.path());
    assert_eq!(ran.failure(), "4 of 4 model files cannot be used");
    for line in ran.lines() {
        assert!(line["ok"] == false && line["error"].is_string(), "{line}");
    }
    let none = Folder::new();
    alea!("models {}", none.path()).succeeds();
    let missing = alea!("models no/such/directory");
    assert!(missing.out.contains("no/such/directory"), "{missing}");
}

#[test]
fn wrong_settings_name_file_line_and_key() {
    let folder = Folder::new();
    let (settings, out) = (folder.at("settings.toml"), folder.at("out"));
    let ran = |content: &[u8]| {
        fs::write(&settings, content).unwrap();
        let ran = alea!("pipeline --config {settings} --out {out}");
        assert!(!exists(&out), "nothing is begun");
        ran
    };
    let mut lines = TINY.lines();
    let line = 1 + lines.position(|line| line.starts_with("epochs")).unwrap();
    for (from, to, parts) in [
        (
            "epochs = 2",
            "epohcs = 2",
            &[&*settings, &format!("line {line}:"), "epohcs"][..],
        ),
        ("games = 300", "games = 0", &["'games' is from 1"]),
        ("games = 20\n", "games = 0\n", &["arena.rounds"]),
        ("depth = 1\n", "depth = 65\n", &["'depth' is from 1 to 64"]),
        ("\"abt\"", "\"star\"", &["no evaluator 'star'"]),
        ("\"einstein\"", "\"draughts\"", &["no game 'draughts'"]),
        (TINY, "seed = ", &["line 1"]),
    ] {
        let ran = ran(TINY.replace(from, to).as_bytes());
        parts.iter().for_each(|part| ran.fails(part));
    }
    ran(b"\xff\xff").fails("no text in UTF-8");
    alea!("pipeline --config no/such.toml").fails("no/such.toml: no such file");
    fs::write(&settings, "[training]\nepochs = 1\nepoch = 1\n").unwrap();
    let ran = alea!("train --data x --out {out} --config {settings}");
    [&*settings, "line 3", "`epoch`"]
        .iter()
        .for_each(|part| ran.fails(part));
    for command in ["pipeline", "train"] {
        alea!("{command} --print-config").shows(&["epochs", "#"]);
    }
}

#[test]
fn records_that_are_missing_cut_or_of_another_run_are_refused() {
    let folder = Folder::new();
    let (data, out) = (folder.at("data"), folder.at("out"));
    let play =
        |extra: &str| alea!("selfplay --out {data} --games 40 --player star1(depth=1) {extra}");
    let train = || alea!("train --data {data} --out {out}");
    train().fails(&data);
    fs::create_dir(&data).unwrap();
    train().fails("no game records there");
    play("").succeeds();
    let shard = format!("{data}/000000.games");
    let whole = fs::read(&shard).unwrap();
    play("--seed 2").fails("made with other settings");
    fs::write(&shard, &whole[..whole.len() / 2]).unwrap();
    for ran in [play(""), train()] {
        ran.fails("000000.games");
    }
    assert!(!exists(&out) || names(&out).is_empty());
}

#[test]
fn places_that_cannot_be_written_are_named() {
    let folder = Folder::new();
    let file = folder.file("file", "mine");
    let players = "--player random --player greedy --games 2";
    for place in [&format!("{file}/out"), &file] {
        for line in [
            "selfplay --games 2 --player random --out",
            "pipeline --out",
            &format!("arena {players} --state"),
            &format!("tournament {players} --state"),
        ] {
            alea!("{line} {place}").fails(place);
        }
    }
    assert_eq!(read(&file), "mine");
    assert_eq!(names(&folder.path()), ["file"]);
    #[cfg(unix)]
    alea!("arena {players} --state /dev/null").fails("no regular file");
}

/// Writing to `/dev/full` fails as writing to a full disk does.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_under_standard_output_is_a_failure() {
    for line in [
        "moves '215../64.../3...e/...fb/..acd b 1'",
        "bench playouts --games 10",
    ] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full");
        let output = crate::support::command(line)
            .stdout(full.unwrap())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(1));
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(error.contains("No space left"), "{error}");
    }
}

#[test]
fn evaluators_without_a_raw_score_cannot_be_calibrated() {
    let ran = alea!("calibrate --games 100000000 --eval schwarz --eval race");
    // Said before any game is played.
    ran.fails("'race' has no raw score");
    assert_eq!(ran.out, "");
    let fits = alea!("calibrate --games 300 --eval schwarz --json").json();
    assert!(number(&fits["fit"]["slope"]) > 0.0);
}

#[cfg(unix)]
#[test]
fn arguments_that_are_no_text_and_values_without_end_are_refused_in_one_line() {
    use std::os::unix::ffi::OsStrExt;
    let odd = std::ffi::OsStr::from_bytes(b"mod\xffels.safetensors");
    let output = crate::support::command("models").arg(odd).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        said,
        "alea: 'mod\u{fffd}els.safetensors' is no text in UTF-8; rename it\n"
    );
    // A file of that name is listed under one that can be told.
    let folder = Folder::new();
    fs::write(std::path::Path::new(&folder.path()).join(odd), b"x").unwrap();
    let listed = alea!("models {} --json", folder.path());
    assert_eq!(listed.code, 1);
    assert!(
        listed.lines()[0]["path"]
            .as_str()
            .unwrap()
            .contains("mod\u{fffd}els")
    );
    let long = "9".repeat(100_000);
    for line in [
        "arena --player greedy --player random --games",
        "arena --player greedy --player",
        "evaluate",
        "data info",
    ] {
        let ran = alea!("{line} {long}");
        assert!(ran.code != 0 && ran.err.len() < 2000, "{line}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn what_never_ends_is_refused() {
    for line in [
        "models /dev/zero",
        "report /dev/zero --out /nowhere/page.html",
        "pipeline --config /dev/zero --out /nowhere",
        "arena --player greedy --player random --setups nash:/dev/zero",
    ] {
        let ran = alea!("{line}");
        assert_eq!(ran.code, 1, "{ran}");
        let said = format!("{}{}", ran.out, ran.err);
        assert!(said.contains("no end within 64 MiB"), "{ran}");
    }
}
