//! Tests of players in other programs: the scenes in `programs.txt`, and arbitrary bytes.

use super::*;
use crate::matches::{Contestant, MatchOptions, MatchResult, play_match};
use crate::test_players::{contestant, first, greedy_contestant};
use alea_play::{
    build::PlayerRecipe,
    playable::{ChanceSources, Rules},
    player_notation::{Notation, trusted_text},
};
use alea_search::limits::Limits;
use engine::games::{einstein::Standard, havannah::Havannah, reversi::Reversi};
use proptest::prelude::*;
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};

fn external<G: Playable>(game: G, keys: &str, words: &[&str]) -> External<G> {
    let notation = Notation::parse(&format!("external({keys})")).unwrap();
    let dialect = Dialect::read(&mut Arguments::of(&notation)).unwrap();
    let adapter = ProtocolAdapter::new(dialect, game).unwrap();
    let words = words.iter().map(|&word| word.to_owned()).collect();
    let folder = None;
    External::with_adapter(CommandLine { words, folder }, Arc::new(adapter))
}

fn file() -> (tempfile::TempDir, String) {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("file").display().to_string();
    (directory, file)
}

fn read(path: &str) -> String {
    std::fs::read_to_string(path).unwrap()
}

fn scenes() -> (&'static str, std::str::Split<'static, &'static str>) {
    let (functions, scenes) = include_str!("programs.txt").split_once("\n$ ").unwrap();
    (functions, scenes.split("\n$ "))
}

fn play<G: Playable>(game: &G, keys: &str, script: &str, lines: &[&str]) {
    let (_directory, log) = file();
    let script = format!("log={log}\n{}\n{script}", scenes().0);
    let mut player = external(game.clone(), keys, &["sh", "-c", &script]);
    let start = game.random_start(&mut RandomStream::new(0), 0);
    let (mut position, mut outcome) = (start, 0);
    let (mut sent_lines, mut dead) = (Vec::new(), 0);
    for line in lines {
        let (act, rest) = line.split_once(' ').unwrap_or((line, ""));
        match act {
            "new" => {
                player.new_game(7);
                let named = game.parse_position(rest).ok();
                let (from, rolled) = named.unwrap_or((start, None));
                outcome = rolled.unwrap_or(*game.outcome_numbers().start());
                position = from;
            }
            "ask" | "stop" => {
                let mut legal = G::Moves::default();
                game.allowed_moves(&position, outcome, &mut legal);
                let mut ask = |limits: &Limits| player.decide(&position, &legal, limits);
                let decided = match act {
                    "ask" => ask(&Limits::NONE),
                    _ => stopped(Duration::from_millis(200), ask).0,
                };
                match (decided, rest.strip_prefix("! ")) {
                    (Ok(decision), None) => {
                        assert_eq!(game.format_move(&position, decision.best), rest);
                    }
                    (decided, reason) => {
                        let failure = format!("{:?}", decided.err());
                        assert!(
                            failure.contains(reason.unwrap_or("none")),
                            "{script}: {failure}"
                        );
                    }
                }
            }
            "hear" => {
                let mv = game.parse_move(&position, None, rest).unwrap();
                player.notify(GameEvent::Ply(&position, outcome, mv));
                position = game.play(&position, mv);
            }
            "end" => player.notify(GameEvent::End(&[0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])),
            "wait" => std::thread::sleep(Duration::from_millis(rest.parse().unwrap())),
            "told" => sent_lines.push(rest),
            _ => dead = rest.parse().unwrap(),
        }
    }
    drop(player);
    if !sent_lines.is_empty() {
        let log = read(&log);
        let received = log.lines().filter(|line| *line != "quit");
        assert_eq!(received.collect::<Vec<_>>(), sent_lines);
    }
    if dead > 0 {
        let pids = read(&log);
        let lives = |pid: &&str| {
            let state = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            !state.is_empty() && !state.contains(") Z ")
        };
        let living = pids.lines().filter(lives).count();
        assert_eq!((pids.lines().count(), living), (dead, 0));
    }
}

fn stopped<R>(after: Duration, ask: impl FnOnce(&Limits) -> R) -> (R, Duration) {
    let stop = Arc::new(AtomicBool::new(false));
    let limits = Limits::from(&stop);
    std::thread::scope(|scope| {
        let stopped = scope.spawn(move || {
            std::thread::sleep(after);
            stop.store(true, Ordering::Relaxed);
            Instant::now()
        });
        let answer = ask(&limits);
        let answered = Instant::now();
        let took = answered.saturating_duration_since(stopped.join().unwrap());
        assert!(took < Duration::from_secs(5), "{took:?}");
        (answer, took)
    })
}

const SOON: Duration = Duration::from_secs(1);

#[test]
fn a_program_that_thinks_ends_soon_whenever_it_is_stopped() {
    let mut random = RandomStream::new(5);
    let game = Reversi::EIGHT;
    let legal = game.legal_moves(&game.start(), None);
    for (keys, script) in [
        ("ms=600000, protocol=gtp", "mute"),
        ("ms=600000", "greets; exec sleep 600"),
        ("ms=600000, dialect=bgci", "thinks e6"),
        ("ms=600000, dialect=nboard", "thinks E6"),
        ("ms=600000, start_ms=600000", "sleep 600"),
    ] {
        let (_directory, log) = file();
        let script = format!("log={log}\n{}\n{script}", scenes().0);
        let mut player = external(game, keys, &["sh", "-c", &script]);
        let mut taken: Vec<Duration> = Vec::new();
        for _ in 0..50 {
            let after = Duration::from_micros(random.below(30_000) as u64);
            let ask = |limits: &Limits| player.decide(&game.start(), &legal, limits);
            let (decision, took) = stopped(after, ask);
            assert!(legal.contains(&decision.unwrap().best));
            taken.push(took);
        }
        taken.sort_unstable();
        assert!(taken[taken.len() / 2] < SOON, "{keys}: {taken:?}");
    }
}

#[test]
fn programs_play_as_it_is_written() {
    scenes().1.par_bridge().for_each(|scene| {
        let lines = scene
            .lines()
            .filter(|line| !line.starts_with('#') && !line.is_empty());
        let lines: Vec<&str> = lines.collect();
        let [game, keys, script] = *lines[0].splitn(3, '|').map(str::trim).collect::<Vec<_>>()
        else {
            panic!("{}", lines[0])
        };
        let is_known = cfg!(target_os = "linux") || !scene.contains("\ndead");
        match game {
            _ if !is_known => {}
            "einstein" => play(&Standard::default(), keys, script, &lines[1..]),
            "reversi" => play(&Reversi::EIGHT, keys, script, &lines[1..]),
            game => {
                let game = Havannah::from_notation(game, None).unwrap();
                play(&game, keys, script, &lines[1..]);
            }
        }
    });
}

#[test]
fn commands_are_split_at_blanks_outside_quotes() {
    for (command, expected) in [
        ("python3  bot.py", vec!["python3", "bot.py"]),
        ("sh -c 'a b  c' ''", vec!["sh", "-c", "a b  c", ""]),
        ("sh -c \"a b  c\" \"\"", vec!["sh", "-c", "a b  c", ""]),
        ("a 'say \"no\"' \"it's\"", vec!["a", "say \"no\"", "it's"]),
        ("a' b'\" c\"d", vec!["a b cd"]),
    ] {
        assert_eq!(split_command(command).unwrap(), expected);
    }
    for none in ["", "  ", "a 'b", "''", "a \"b", "\"\"", "a 'b\""] {
        assert_eq!(split_command(none), None);
    }
}

#[test]
fn what_cannot_be_started_is_no_failure_of_a_program() {
    let (_directory, nothing) = file();
    assert!(check_executable("sh").is_ok() && check_executable("/bin/sh").is_ok());
    for missing in [&nothing, "/", "no-such-program", "/etc/passwd"] {
        let problem = check_executable(missing).unwrap_err();
        assert!(problem.contains("cannot be started"), "{problem}");
    }
    let start = Standard::default().start([0, 0], 0);
    let mut missing = external(Standard::default(), "", &[&nothing]);
    let answer = missing.ask(&start, &[], &Limits::NONE);
    assert!(matches!(answer, Err(Failure::SystemFault(_))));
}

#[test]
fn a_program_that_reads_nothing_fails_in_time() {
    let deadline = Deadline::after(Duration::from_millis(300));
    let words = ["sh", "-c", "exec sleep 60"].map(str::to_owned);
    let mut program = Program::start(&words, None, reply::ChatterPolicy::Comments)
        .ok()
        .unwrap();
    let sent = (0..2000).try_for_each(|_| program.send(&"x".repeat(100), deadline));
    assert_eq!(
        sent,
        Err(Failure::PlayerFault(
            "read nothing within 300 ms".to_owned()
        ))
    );
}

#[test]
#[cfg(target_os = "linux")]
fn cpu_time_is_that_of_all_processes_of_a_program_in_a_game() {
    let (_directory, flag) = file();
    let taken = |before: &str, work: &str| {
        let script = format!("{}\n{before}\nasked; {work}; echo c5d4; cat", scenes().0);
        let mut player = external(Standard::default(), "ms=60000", &["sh", "-c", &script]);
        let position = Standard::default().parse_position("123../45.../6...f/...ed/..cba r 3");
        let position = position.unwrap().0;
        player.new_game(7);
        let legal = Standard::default().legal_moves(&position, 3);
        let decision = player.decide(&position, &legal, &Limits::NONE);
        decision.unwrap().cpu_time.unwrap()
    };
    let count = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done";
    let [idle, busy] = [taken(count, ":"), taken(":", count)];
    assert!(idle < busy / 2, "{idle:?}, {busy:?}");
    let ended = taken(":", &format!("({count})"));
    let lives =
        format!("({count}; echo >{flag}; sleep 1000) & until [ -e {flag} ]; do sleep 0.01; done");
    let lives = taken(":", &lives);
    assert!(
        lives.min(ended) > busy / 4,
        "{lives:?}, {ended:?}, {busy:?}"
    );
}

#[test]
fn a_program_starts_in_the_folder_it_is_told() {
    let directory = tempfile::tempdir().unwrap();
    let bot = directory.path().join("bot");
    let script = format!(
        "#!/bin/sh\n{}\npwd >here; asked; echo c5d4; cat",
        scenes().0
    );
    std::fs::write(&bot, script).unwrap();
    std::fs::set_permissions(&bot, PermissionsExt::from_mode(0o755)).unwrap();
    provide_external::<Standard>();
    let game = Standard::default();
    let folder = directory.path().display();
    for cmd in ["./bot", "sh bot"] {
        let notation = format!("external(cmd='{cmd}', dir='{folder}')");
        let made = PlayerRecipe::parse(trusted_text(&notation), &game);
        let mut player = made.unwrap().make();
        player.new_game(7);
        let (position, _) = game
            .parse_position("123../45.../6...f/...ed/..cba r 3")
            .unwrap();
        let legal = game.legal_moves(&position, 3);
        player.decide(&position, &legal, &Limits::NONE).unwrap();
        let here = directory.path().join("here");
        let found = std::fs::canonicalize(read(&here.display().to_string()).trim());
        assert_eq!(found.unwrap(), directory.path().canonicalize().unwrap());
        std::fs::remove_file(here).unwrap();
    }
    for (keys, problem) in [
        ("cmd=./bot", "./bot cannot be started"),
        (
            "cmd=sh, dir='no such folder'",
            "there is none called 'no such folder'",
        ),
        (&format!("cmd=./other, dir='{folder}'"), "cannot be started"),
    ] {
        let error = PlayerRecipe::parse(trusted_text(&format!("external({keys})")), &game);
        let error = error.map(|_| ()).unwrap_err().to_string();
        assert!(error.contains(problem), "{error}");
    }
}

#[test]
fn the_reference_bot_plays_as_its_twin_does() {
    if check_executable("python3").is_err() {
        return;
    }
    let against_first = |player: &Contestant<Standard>| -> MatchResult {
        let options = MatchOptions {
            threads: 2,
            ..MatchOptions::new(Standard::default(), 10, 5)
        };
        play_match(player, &first(), &options).unwrap()
    };
    let bot = contestant("bot", || {
        let words = ["python3", "../docs/bot.py"];
        Box::new(external(Standard::default(), "ms=20000", &words))
    });
    let result = against_first(&bot);
    assert!(result.forfeits[0].is_empty(), "{:?}", result.forfeits);
    let twin = against_first(&greedy_contestant());
    assert_eq!(
        (result.pair_counts, result.mean_plies),
        (twin.pair_counts, twin.mean_plies)
    );
    let has_cpu_time = result.cpu_seconds_per_move.map(|time| time.is_some());
    assert_eq!(has_cpu_time, [cfg!(target_os = "linux"), false]);
    let lines = read("../docs/bot.py").lines().count();
    assert!(lines < 60, "{lines} lines");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn any_answer_is_a_move_or_a_failure(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
        let (_directory, file) = file();
        std::fs::write(&file, &bytes).unwrap();
        let script = format!("{}\nasked; cat {file}", scenes().0);
        let mut player = external(Standard::default(), "ms=300", &["sh", "-c", &script]);
        player.new_game(7);
        let start = Standard::default().start([0, 0], 0);
        let legal = Standard::default().legal_moves(&start, 3);
        match player.decide(&start, &legal, &Limits::NONE) {
            Err(Failure::SystemFault(reason)) => panic!("{reason}"),
            Err(Failure::PlayerFault(reason)) => {
                prop_assert!(!reason.contains('\n') && reason.len() < 300, "{reason}");
            }
            Ok(_) => {}
        }
    }
}
