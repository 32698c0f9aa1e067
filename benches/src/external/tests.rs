//! Tests of other programs as players: good, silent, wrong, dying ones, and any bytes.

use super::*;
use crate::arena::{Contestant, MatchOptions, MatchResult, play_match};
use crate::test_players::{first, greedy};
use engine::games::einstein::{Move, Standard};
use proptest::prelude::*;

/// A player that asks a program, and waits so long for it.
fn external(words: &[&str], milliseconds: u64) -> External<Standard> {
    External::new(
        Standard::default(),
        words.iter().map(|&word| word.to_owned()).collect(),
        Duration::from_millis(milliseconds),
    )
}

/// A player whose program is the shell with this script.
fn shell(script: &str, milliseconds: u64) -> External<Standard> {
    external(&["sh", "-c", script], milliseconds)
}

/// What comes of one question at the start of a game.
fn one_question(script: &str) -> Result<Move, String> {
    let answer = ask_often(&mut shell(script, 300), 1).remove(0);
    answer.map_err(|failure| match failure {
        Failure::OfPlayer(reason) => reason,
        Failure::OfSystem(reason) => panic!("{reason}"),
    })
}

fn contestant(words: &'static [&'static str], milliseconds: u64) -> Contestant<Standard> {
    crate::test_players::contestant(&words.join(" "), move || {
        Box::new(external(words, milliseconds))
    })
}

fn against_first(player: &Contestant<Standard>, pairs: u64) -> MatchResult {
    let options = MatchOptions {
        threads: 2,
        ..MatchOptions::new(Standard::default(), pairs, 5)
    };
    play_match(player, &first(), &options).unwrap()
}

#[test]
fn commands_are_split_at_blanks_outside_apostrophes() {
    assert_eq!(words("python3  bot.py").unwrap(), ["python3", "bot.py"]);
    assert_eq!(
        words("sh -c 'a b  c' ''").unwrap(),
        ["sh", "-c", "a b  c", ""]
    );
    for none in ["", "  ", "a 'b", "''"] {
        assert_eq!(words(none), None);
    }
}

#[test]
fn every_failure_has_its_reason() {
    // What comes of a program at once; after its greeting; when it is asked.
    let begun = "read line; echo alea 1; ";
    let asked = &format!("{begun}read line; read line; ");
    for (before, script, reason) in [
        (
            "",
            "read line; echo hello; read line",
            "greeted with 'hello' instead of 'alea 1'",
        ),
        ("", "exit 3", "ended with exit status: 3"),
        (asked, "echo e4e5", "'e4e5', which is no move"),
        (asked, "printf c1", "broke off after 'c1'"),
        (asked, "exit 1", "ended with exit status: 1"),
        (begun, "sleep 5", "no answer within 300 ms"),
        (
            asked,
            "yes x | tr -d '\\n'",
            "a line of more than 4096 bytes: 'xxx",
        ),
        (
            asked,
            "printf '%05000d\\n' 1; read line",
            "a line of more than 4096 bytes: '000",
        ),
        (
            asked,
            "while :; do echo '#'; done",
            "no answer within 300 ms",
        ),
        (
            "",
            "read line; echo 'alea 1\nc1c2'; read line; read line",
            "said 'c1c2' without being asked",
        ),
        (
            asked,
            "printf 'c1c2\nc1'; read line",
            "said 'c1' without being asked",
        ),
        (asked, "kill -9 $$", "ended with signal: 9"),
    ] {
        let found = one_question(&(before.to_owned() + script)).unwrap_err();
        assert!(found.contains(reason), "{script}: {found}");
    }
}

#[test]
fn what_cannot_be_started_is_no_failure_of_a_program() {
    let directory = tempfile::tempdir().unwrap();
    let nothing = directory.path().join("nothing").display().to_string();
    assert!(find("sh").is_ok() && find("/bin/sh").is_ok());
    for missing in [&nothing, "/", "no-such-program", "/etc/passwd"] {
        let problem = find(missing).unwrap_err();
        assert!(problem.contains("cannot be started"), "{problem}");
    }
    let start = Standard::default().start([0, 0], 0);
    let mut missing = External::new(Standard::default(), vec![nothing], STARTING);
    assert!(missing.ask(&start, &[]).is_none());
    assert!(matches!(missing.failure(), Some(Failure::OfSystem(_))));
}

/// Asks so many times about the start of a game, and gives the answers.
fn ask_often(player: &mut External<Standard>, times: usize) -> Vec<Result<Move, Failure>> {
    let game = Standard::default();
    player.new_game(7);
    let position = game.start([0, 0], 0);
    let legal = game.legal_moves(&position, 3);
    let asked = (0..times).map(|_| {
        let decision = player.decide(&position, &legal);
        player.failure().map_or(Ok(decision.best), Err)
    });
    asked.collect()
}

/// A legal answer of a shell script to every question.
fn legal_answer() -> String {
    let game = Standard::default();
    let position = game.start([0, 0], 0);
    game.format_move(&position, game.legal_moves(&position, 3)[0])
}

#[test]
fn a_program_that_reads_nothing_fails_in_time() {
    // Nothing but questions: 65,536 bytes of a pipe are 1,000 of them and more.
    let deadline = Deadline::after(Duration::from_millis(300));
    let words = ["sh", "-c", "read line; echo alea 1; sleep 60"].map(str::to_owned);
    let mut program = Program::start(&words, "classic", STARTING).ok().unwrap();
    let said = (0..2000).try_for_each(|_| program.say(&"x".repeat(100), deadline));
    assert_eq!(
        said,
        Err(Failure::OfPlayer("read nothing within 300 ms".to_owned()))
    );
}

#[test]
fn an_answer_that_came_before_its_question_is_none() {
    let legal = legal_answer();
    let script = format!(
        "read line; echo alea 1; read line; read line; echo {legal}; sleep 0.1; echo {legal}; \
         cat > /dev/null"
    );
    let mut player = shell(&script, 2000);
    assert!(ask_often(&mut player, 1)[0].is_ok());
    std::thread::sleep(Duration::from_millis(300));
    let unasked = format!("said '{legal}' without being asked");
    assert_eq!(ask_often(&mut player, 1), [Err(Failure::OfPlayer(unasked))]);
}

/// How many descriptors and threads this program has, and whether each process of a file lives.
#[cfg(target_os = "linux")]
fn living(pids: &std::path::Path) -> Vec<String> {
    let pids = std::fs::read_to_string(pids).unwrap();
    let lives = |pid: &&str| {
        let state = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        !state.is_empty() && !state.contains(") Z ")
    };
    pids.split_whitespace()
        .filter(lives)
        .map(str::to_owned)
        .collect()
}

#[cfg(target_os = "linux")]
#[test]
fn nothing_that_a_program_started_outlives_it() {
    let directory = tempfile::tempdir().unwrap();
    let pids = directory.path().join("pids");
    // A child, one in a session of its own, and one whose parent has ended.
    let script = format!(
        "read line; sleep 1000 & echo $! >> {0}; setsid sh -c 'echo $$ >> {0}; exec sleep 1000' & \
         (sleep 1000 & echo $! >> {0}); sleep 0.1; echo alea 1; read line; read line; echo no",
        pids.display()
    );
    let mut player = shell(&script, 1000);
    let answers = ask_often(&mut player, 5);
    assert!(answers.iter().all(Result::is_err), "{answers:?}");
    drop(player);
    assert_eq!(std::fs::read_to_string(&pids).unwrap().lines().count(), 15);
    assert_eq!(living(&pids), Vec::<String>::new());
}

#[test]
fn what_is_asked_is_what_the_documentation_says() {
    let directory = tempfile::tempdir().unwrap();
    let log = directory.path().join("log");
    // Comments are passed over. A new game is told, and not a question.
    let script = format!(
        "while read line; do echo \"$line\" >> {};
         case $line in game*) ;; *) echo '# a word'; echo alea 1;; esac; done",
        log.display()
    );
    assert!(
        one_question(&script)
            .unwrap_err()
            .contains("'alea 1', which is no move")
    );
    let game = Standard::default();
    let position = game.format_position(&game.start([0, 0], 0), Some(3));
    assert_eq!(
        std::fs::read_to_string(&log).unwrap(),
        format!("alea 1 classic\ngame 7\nmove {position}\n")
    );
}

#[test]
fn a_silent_program_loses_by_time_and_is_started_again() {
    let silent = contestant(&["sh", "-c", "read line; echo alea 1; cat > /dev/null"], 20);
    let result = against_first(&silent, 3);
    assert_eq!(result.wins, 0);
    assert_eq!(result.forfeits[0].get("no answer within 20 ms"), Some(&6));
}

#[test]
fn the_reference_bot_plays_as_its_twin_does() {
    if find("python3").is_err() {
        return;
    }
    // The tests run in the folder of this crate.
    let bot = contestant(&["python3", "../docs/bot.py"], 20_000);
    let result = against_first(&bot, 10);
    assert!(result.forfeits[0].is_empty(), "{:?}", result.forfeits);
    // It moves greedily, so it does exactly as well as the greedy player of the tests.
    let twin = against_first(&greedy(), 10);
    assert_eq!(
        (result.pair_counts, result.mean_plies),
        (twin.pair_counts, twin.mean_plies)
    );
    let lines = std::fs::read_to_string("../docs/bot.py")
        .unwrap()
        .lines()
        .count();
    assert!(lines < 60, "{lines} lines");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn any_answer_is_a_move_or_a_failure(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("answer");
        std::fs::write(&file, &bytes).unwrap();
        let script = format!("read line; echo alea 1; read line; read line; cat {}", file.display());
        if let Err(reason) = one_question(&script) {
            prop_assert!(!reason.contains('\n') && reason.len() < 300, "{reason}");
        }
    }
}
