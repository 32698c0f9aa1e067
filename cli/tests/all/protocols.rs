//! `alea engine` with the conversations in `cli/tests/conversations`, and with input during a
//! search.

use crate::shell_transcripts::is_like;
use crate::support::{Folder, command, json_lines, list, number, run, word};
use engine::core::random::RandomStream;
use serde_json::Value;
use std::{
    fs,
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, ChildStdin, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::{Duration, Instant},
};

/// Runs a conversation: after `$` the command, `>` input, `<` output, where `[..]` matches
/// anything.
fn assert_conversation(path: &Path) {
    let text = fs::read_to_string(path).unwrap();
    let (mut line, mut input, mut expected) = ("", String::new(), Vec::new());
    for written in text.lines() {
        if let Some(command) = written.strip_prefix("$ ") {
            line = command;
        } else if let Some(reply) = written.strip_prefix("< ") {
            expected.push(reply);
        } else if let Some(next) = written.strip_prefix('>') {
            let next = next.trim_start().replace("\\a", "\u{7}");
            input += &(next.replace("\\t", "\t").replace("\\r", "\r") + "\n");
            let answered = expected.last().is_some_and(|last| !last.is_empty());
            expected.extend((answered && line.contains("gtp")).then_some(""));
        }
    }
    let ran = run(line, input.as_bytes());
    assert_eq!((ran.code, &*ran.err), (0, ""), "{path:?}");
    let mut replies = ran.out.lines();
    for (number, expected) in expected.iter().enumerate() {
        let reply = replies.next().unwrap_or("nothing more");
        assert!(
            is_like(expected.trim_end(), reply.trim_end()),
            "{path:?}, line {number}: {reply:?} is not {expected:?}"
        );
    }
    assert_eq!(replies.find(|rest| !rest.is_empty()), None, "{path:?}");
}

#[test]
fn conversations_go_as_they_are_written() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conversations");
    let files = fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().path());
    assert_eq!(files.inspect(|path| assert_conversation(path)).count(), 9);
}

#[test]
fn gtp_thinks_aloud_until_the_next_line() {
    for (player, lines, visits) in [
        ("star1(eval=schwarz)", 3, " visits 1 "),
        ("mcts(sims=100)", 3, " visits "),
        ("random", 1, " visits 0 "),
    ] {
        let mut engine = command(&format!("engine --protocol gtp --player {player}"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = engine.stdin.take().unwrap();
        let mut replies = BufReader::new(engine.stdout.take().unwrap()).lines();
        let mut next_reply = || replies.next().unwrap().unwrap();
        writeln!(
            stdin,
            "position 215../64.../3...e/...fb/..acd b 1\n8 lz-analyze b 2"
        )
        .unwrap();
        assert_eq!([next_reply(), next_reply(), next_reply()], ["=", "", "=8"]);
        for _ in 0..lines {
            let line = next_reply();
            assert_eq!(
                line.matches("info move c1").count(),
                3,
                "the moves of stone a: {line}"
            );
            assert_eq!(line.matches(visits).count(), 3, "{line}");
        }
        writeln!(stdin, "9 name").unwrap();
        while !next_reply().is_empty() {}
        assert_eq!(next_reply(), "=9 Alea");
        drop(stdin);
        assert!(engine.wait().unwrap().success());
    }
}

fn ggf(vector: &Value) -> String {
    let text = format!("{} {}", word(&vector["board"]), word(&vector["to_move"]));
    let text = text.replace('X', "*");
    format!("(;GM[Othello]PC[x]PB[a]PW[b]RE[?]TI[0]TY[8]BO[8 {text}];)")
}

#[test]
fn nboard_reports_the_exact_difference() {
    let vectors = json_lines(include_str!("../../../engine/tests/vectors/ffo.jsonl"));
    for vector in [&vectors[0], &vectors[19], &vectors[8]] {
        let input = format!("set game {}\ngo\nhint 1\n", ggf(vector));
        let ran = run(
            "engine --protocol nboard --player endgame",
            input.as_bytes(),
        );
        let line = |begins: &str| {
            let line = ran.out.lines().find_map(|line| line.strip_prefix(begins));
            line.unwrap_or_else(|| panic!("{ran}"))
        };
        let score = number(&vector["score"]);
        let answer: Vec<&str> = line("=== ").split('/').collect();
        assert_eq!(answer[1], format!("{score:.2}"), "{ran}");
        let best = list(&vector["best"]).iter().map(word);
        assert!(
            best.into_iter()
                .any(|best| best == answer[0].to_lowercase()),
            "{ran}"
        );
        let hint = format!("{} {score} 0 ", answer[0]);
        assert!(line("search ").starts_with(&hint), "{ran}");
    }
}

#[test]
fn visits_are_those_of_each_move() {
    let input = "position 215../64.../3...e/...fb/..acd b 1\nlz-genmove_analyze b\n";
    let ran = run(
        "engine --protocol gtp --player mcts(sims=3000)",
        input.as_bytes(),
    );
    let line = ran.out.lines().rfind(|line| line.starts_with("info"));
    let line = line.unwrap_or_else(|| panic!("{ran}"));
    let visits = line.split(" visits ").skip(1);
    let visits = visits.map(|rest| rest.split(' ').next().unwrap().parse::<u32>().unwrap());
    let visits: Vec<u32> = visits.collect();
    assert!(
        (2900..=3100).contains(&visits.iter().sum::<u32>()),
        "{line}"
    );
    assert!(visits.is_sorted_by(|more, fewer| more >= fewer), "{line}");
    let best = line.split(' ').nth(2).unwrap();
    assert!(ran.out.ends_with(&format!("\nplay {best}\n\n")), "{ran}");
}

#[test]
fn games_are_loaded_as_they_were_written() {
    let folder = Folder::new();
    for (number, game) in ["einstein", "reversi(size=6)", "havannah(base=4)"]
        .iter()
        .enumerate()
    {
        let roll = if number == 0 { "roll\n" } else { "" };
        let moves = format!("{roll}genmove\nposition\n").repeat(6);
        let line = format!("engine --protocol gtp --player random --game {game}");
        let ran = run(&line, format!("{moves}get_sgf\n").as_bytes());
        let answers: Vec<&str> = ran.out.split("\n\n").collect();
        let step = moves.lines().count() / 6;
        let positions: Vec<&str> = answers
            .iter()
            .skip(step - 1)
            .step_by(step)
            .copied()
            .collect();
        let file = folder.at("a game.sgf");
        fs::write(&file, answers[6 * step].trim_start_matches("= ")).unwrap();

        let input = format!(
            "loadsgf {file}\nposition\nloadsgf {file} 4\nposition\nundo\nloadsgf {file} 99\nposition\n"
        );
        let loaded = run(&line, input.as_bytes());
        let loaded: Vec<&str> = loaded.out.split("\n\n").collect();
        assert_eq!([loaded[0], loaded[2], loaded[5]], ["="; 3], "{ran}");
        let found = [loaded[1], loaded[3], loaded[6]];
        assert_eq!(found, [positions[5], positions[2], positions[5]], "{ran}");
    }
    let file = folder.at("a game.sgf");
    let first = fs::read_to_string(&file).unwrap();
    for other in ["(;W[z99])", "(;W[a1", "(;GN[reversi]C[x])", &first] {
        let both = folder.at("games.sgf");
        fs::write(&both, format!("{first}\n{other}")).unwrap();
        let line = "engine --protocol gtp --game havannah(base=4)";
        let [one, all] = [&file, &both].map(|file| {
            let input = format!("loadsgf {file}\nposition\n");
            run(line, input.as_bytes()).out
        });
        assert!(one.starts_with("=\n\n= ") && one == all, "{other}: {all}");
    }
    fs::write(folder.at("games.sgf"), format!("(;W[z99]){first}")).unwrap();
    let input = format!("loadsgf {}\n", folder.at("games.sgf"));
    let ran = run(
        "engine --protocol gtp --game havannah(base=4)",
        input.as_bytes(),
    );
    assert!(ran.out.starts_with("? cannot load file: "), "{ran}");
    let input = format!("loadsgf {file}\nposition\n");
    let ran = run("engine --protocol gtp", input.as_bytes());
    assert!(ran.out.starts_with("? cannot load file: "), "{ran}");
}

struct Engine {
    child: Child,
    stdin: Option<ChildStdin>,
    replies: Receiver<String>,
}

impl Engine {
    fn start(line: &str) -> Self {
        let mut child = command(&format!("engine {line}"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (send, replies) = channel();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        thread::spawn(move || {
            let mut lines = stdout.lines().map_while(Result::ok);
            lines.try_for_each(|line| send.send(line))
        });
        let stdin = child.stdin.take();
        Self {
            child,
            stdin,
            replies,
        }
    }

    fn send_lines(&mut self, lines: &str) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(lines.as_bytes()).unwrap();
    }

    fn receive_until(&self, last: &str, within: Duration, lines: &mut Vec<String>) -> bool {
        let until = Instant::now() + within;
        while !lines.iter().any(|line| line == last) {
            let left = until.saturating_duration_since(Instant::now());
            match self.replies.recv_timeout(left) {
                Ok(line) => lines.push(line),
                Err(_) => return false,
            }
        }
        true
    }
}

/// Protocol, game, a command that searches, prefix of its answer, another command and its answer;
/// then players that would think for minutes.
const THINKERS: [([&str; 6], &[&str]); 13] = [
    (
        [
            "gtp",
            "einstein",
            "position 215../64.../3...e/...fb/..acd b 1\n2 genmove",
            "=2 c1",
            "9 version",
            "=9 ",
        ],
        &[
            "star1(depth=60)",
            "star2(ms=600000)",
            "star1(depth=12, eval=mrmonte)",
            "mcts(ms=600000)",
            "mcts(sims=1000000000, threads=2)",
            "rollout(games=1000000, eval=schwarz)",
        ],
    ),
    (
        [
            "gtp",
            "einstein",
            "position 215../64.../3...e/...fb/..acd b -\n2 get_eval",
            "=2 ",
            "9 version",
            "=9 ",
        ],
        &[
            "star1(depth=60)",
            "mcts(ms=600000)",
            "rollout(games=1000000, eval=schwarz)",
        ],
    ),
    (
        [
            "gtp",
            "einstein",
            "position 215../64.../3...e/...fb/..acd b 1\n2 dump_tree",
            "=2 ",
            "9 version",
            "=9 ",
        ],
        &["star1(depth=60)", "mcts(ms=600000)"],
    ),
    (
        [
            "gtp",
            "reversi",
            "position O-OOOO--XOXXOX--XOOOXXX-XOOOXX--XOOXOX--XOXXX---X-XX------------ O\n2 genmove",
            "=2 ",
            "9 version",
            "=9 ",
        ],
        &[
            "endgame(empties=26)",
            "alphabeta(depth=30, endgame=20)",
            "mcts(ms=600000, endgame=20)",
        ],
    ),
    // The first supports `stop`, the second has to be killed.
    (
        [
            "gtp",
            "reversi",
            "clear_board\n2 genmove",
            "=2 ",
            "9 version",
            "=9 ",
        ],
        &[
            concat!(
                "external(dialect=bgci, ms=600000, cmd=\"",
                env!("CARGO_BIN_EXE_alea"),
                " engine --protocol ubgi --game reversi --player star1(depth=60)\")"
            ),
            concat!(
                "external(protocol=gtp, ms=600000, cmd=\"",
                env!("CARGO_BIN_EXE_alea"),
                " engine --protocol gtp --game reversi --player star1(depth=60)\")"
            ),
        ],
    ),
    (
        [
            "gtp",
            "einstein",
            "position 215../64.../3...e/...fb/..acd b 1\n2 lz-genmove_analyze b",
            "play c1",
            "9 version",
            "=9 ",
        ],
        &["star1(ms=600000)", "mcts(sims=1000000000)"],
    ),
    (
        [
            "gtp",
            "einstein",
            "position 215../64.../3...e/...fb/..acd b 1\n2 kata-genmove_analyze b 3",
            "play c1",
            "9 version",
            "=9 ",
        ],
        &["star1(depth=60)", "mcts(ms=600000)"],
    ),
    (
        [
            "gtp",
            "havannah(base=5)",
            "2 lz-analyze 60000",
            "=2",
            "9 version",
            "=9 ",
        ],
        &["mcts(sims=10)", "star1(depth=9)"],
    ),
    (
        [
            "gtp",
            "reversi",
            "clear_board\n2 solve 600",
            "=2",
            "9 version",
            "=9 ",
        ],
        &["random"],
    ),
    (
        [
            "tcga",
            "einstein",
            "get R 3 E5 D5 C5 E4 D4 E3 A1 B1 C1 A2 B2 A3",
            "C1 ",
            "name",
            "Alea",
        ],
        &["star1(depth=60)", "mcts(ms=600000)"],
    ),
    (
        [
            "ubgi",
            "einstein",
            "position alea 215../64.../3...e/...fb/..acd b\ndice 1\ngo",
            "bestmove c1",
            "isready",
            "readyok",
        ],
        &["star1(depth=60)", "mcts(ms=600000)"],
    ),
    (
        ["nboard", "reversi", "hint 3", "status", "ping 9", "pong 9"],
        &["star1(depth=60)", "mcts(ms=600000)", "endgame(empties=40)"],
    ),
    (
        ["nboard", "reversi", "go", "=== ", "ping 9", "pong 9"],
        &["star1(depth=60)", "mcts(ms=600000)", "endgame(empties=40)"],
    ),
];

const INTERRUPTIONS: usize = 50;
const SOON: Duration = Duration::from_millis(if cfg!(debug_assertions) { 1000 } else { 100 });
const LATE: Duration = Duration::from_secs(5);

#[test]
fn a_line_ends_every_search() {
    let mut random = RandomStream::new(1);
    let endgames = json_lines(include_str!("../../../engine/tests/vectors/ffo.jsonl"));
    for ([protocol, game, question, answer, line, reply], players) in THINKERS {
        for player in players {
            let name = format!("{protocol}, {question}, {player}");
            let words = format!("--protocol {protocol} --game {game} --player '{player}'");
            let (mut engine, mut received) = (Engine::start(&words), Vec::new());
            if protocol == "nboard" {
                engine.send_lines(&format!("set game {}\n", ggf(&endgames[38])));
            }
            let reply = match protocol {
                "gtp" => format!("{reply}{}", env!("CARGO_PKG_VERSION")),
                _ => reply.to_owned(),
            };
            engine.send_lines(&format!("{line}\n"));
            assert!(
                engine.receive_until(&reply, LATE * 10, &mut received),
                "{name}: {received:?}"
            );
            let (mut delays, mut unanswered) = (Vec::new(), 0);
            for number in 0..INTERRUPTIONS {
                engine.send_lines(&format!("{question}\n"));
                thread::sleep(Duration::from_millis(4 + random.below(20) as u64));
                received.clear();
                let lines = ["", "stop\n", "\n"][number % 3].to_owned() + line + "\n";
                let mut sent_at = Instant::now();
                engine.send_lines(&lines);
                while !engine.receive_until(&reply, LATE, &mut received) {
                    unanswered += 1;
                    assert!(unanswered < INTERRUPTIONS / 5, "{name}: {received:?}");
                    sent_at = Instant::now();
                    engine.send_lines("\n");
                }
                delays.push(sent_at.elapsed());
                let answered = received.iter().any(|line| line.starts_with(answer));
                assert!(answered, "{name}: {received:?}");
            }
            delays.sort_unstable();
            assert!(delays[INTERRUPTIONS / 2] < SOON, "{name}: {delays:?}");
            drop(engine.stdin.take());
            assert!(engine.child.wait().unwrap().success());
        }
    }
}

#[test]
fn the_end_of_input_and_quit_end_every_search() {
    for ([protocol, game, question, answer, ..], players) in THINKERS {
        let words = format!(
            "--protocol {protocol} --game {game} --player '{}'",
            players[0]
        );
        for quits in [false, true] {
            let mut engine = Engine::start(&words);
            engine.send_lines(&format!("{question}\n"));
            // Long enough for the search to begin on a busy machine.
            thread::sleep(Duration::from_millis(700));
            let quit = if protocol == "tcga" {
                "exit\n"
            } else {
                "quit\n"
            };
            engine.send_lines(if quits { quit } else { "" });
            let ended = Instant::now();
            let stdin = engine.stdin.take().filter(|_| quits);
            assert!(engine.child.wait().unwrap().success());
            assert!(ended.elapsed() < LATE, "{words}");
            drop(stdin);
            let mut replies = engine.replies.iter();
            assert!(replies.any(|line| line.starts_with(answer)), "{words}");
        }
    }
}

#[test]
fn every_line_of_a_script_is_answered() {
    let position = "position 215../64.../3...e/...fb/..acd b 1";
    let line = "engine --protocol gtp --player mcts(sims=20000)";
    let script = format!("{position}\nlz-genmove_analyze b\nundo\ngenmove\nquit\n");
    let ran = run(line, script.as_bytes());
    let visits = ran.out.split(" visits ").skip(1);
    let visits = visits.filter_map(|rest| rest.split(' ').next()?.parse::<u32>().ok());
    assert!(visits.sum::<u32>() > 19_000, "{ran}");
}
