//! Tests of other programs as players: good, silent, wrong, dying ones, and any bytes.

use super::*;
use crate::arena::{Contestant, MatchOptions, MatchResult, play_match};
use crate::test_players::{first, greedy};
use engine::core::game::Game;
use engine::games::{
    einstein::{Move, Standard},
    havannah::Havannah,
    reversi::Reversi,
};
use engine::play::notation::Notation;
use proptest::prelude::*;

/// Greets back.
const GREETS: &str = "read line; echo alea 1; ";

/// Greets back, and hears of a game and the first question.
const ASKED: &str = "read line; echo alea 1; read line; read line; ";

/// A player that asks a program by a dialect, which is the keys of a notation.
fn external<G: Playable>(game: G, keys: &str, words: &[&str]) -> External<G> {
    let notation = Notation::parse(&format!("external({keys})")).unwrap();
    let dialect = Dialect::read(&mut Arguments::of(&notation)).unwrap();
    let speech = Speech::of(dialect, game).unwrap();
    let words = words.iter().map(|&word| word.to_owned()).collect();
    External::speaking(words, Arc::new(speech))
}

/// A player whose program is the shell with this script.
fn shell<G: Playable>(game: G, keys: &str, script: &str) -> External<G> {
    external(game, keys, &["sh", "-c", script])
}

/// A folder that is gone after the test, and a file in it.
fn file() -> (tempfile::TempDir, String) {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("file").display().to_string();
    (directory, file)
}

fn read(path: &str) -> String {
    std::fs::read_to_string(path).unwrap()
}

/// What comes of one question at the start of a game.
fn one_question(script: &str) -> Result<Move, String> {
    let mut player = shell(Standard::default(), "ms=300", script);
    let answer = ask_often(&mut player, 1).remove(0);
    answer.map_err(|failure| match failure {
        Failure::OfPlayer(reason) => reason,
        Failure::OfSystem(reason) => panic!("{reason}"),
    })
}

fn contestant(keys: &'static str, words: &'static [&'static str]) -> Contestant<Standard> {
    crate::test_players::contestant(&words.join(" "), move || {
        Box::new(external(Standard::default(), keys, words))
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
    for (before, script, reason) in [
        (
            "",
            "read line; echo hello; read line",
            "greeted with 'hello' instead of 'alea 1'",
        ),
        ("", "exit 3", "ended with exit status: 3"),
        (ASKED, "echo e4e5", "'e4e5', which is no move"),
        (ASKED, "printf c1", "broke off after 'c1'"),
        (ASKED, "exit 1", "ended with exit status: 1"),
        (GREETS, "sleep 5", "no answer within 300 ms"),
        (
            ASKED,
            "yes x | tr -d '\\n'",
            "a line of more than 4096 bytes: 'xxx",
        ),
        (
            ASKED,
            "printf '%05000d\\n' 1; read line",
            "a line of more than 4096 bytes: '000",
        ),
        (
            ASKED,
            "while :; do echo '#'; done",
            "no answer within 300 ms",
        ),
        (
            "",
            "read line; echo 'alea 1\nc1c2'; read line; read line",
            "said 'c1c2' without being asked",
        ),
        (
            ASKED,
            "printf 'c1c2\nc1'; read line",
            "said 'c1' without being asked",
        ),
        (ASKED, "kill -9 $$", "ended with signal: 9"),
    ] {
        let found = one_question(&format!("{before}{script}")).unwrap_err();
        assert!(found.contains(reason), "{script}: {found}");
    }
}

#[test]
fn what_cannot_be_started_is_no_failure_of_a_program() {
    let (_directory, nothing) = file();
    assert!(find("sh").is_ok() && find("/bin/sh").is_ok());
    for missing in [&nothing, "/", "no-such-program", "/etc/passwd"] {
        let problem = find(missing).unwrap_err();
        assert!(problem.contains("cannot be started"), "{problem}");
    }
    let start = Standard::default().start([0, 0], 0);
    let mut missing = external(Standard::default(), "", &[&nothing]);
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
    let words = ["sh", "-c", "exec sleep 60"].map(str::to_owned);
    let mut program = Program::start(&words, said::Talk::Comments).ok().unwrap();
    let said = (0..2000).try_for_each(|_| program.say(&"x".repeat(100), deadline));
    assert_eq!(
        said,
        Err(Failure::OfPlayer("read nothing within 300 ms".to_owned()))
    );
}

#[test]
fn an_answer_that_came_before_its_question_is_none() {
    let legal = legal_answer();
    let script = format!("{ASKED}echo {legal}; sleep 0.1; echo {legal}; cat > /dev/null");
    let mut player = shell(Standard::default(), "ms=2000", &script);
    assert!(ask_often(&mut player, 1)[0].is_ok());
    std::thread::sleep(Duration::from_millis(300));
    let unasked = format!("said '{legal}' without being asked");
    assert_eq!(ask_often(&mut player, 1), [Err(Failure::OfPlayer(unasked))]);
}

#[cfg(target_os = "linux")]
#[test]
fn nothing_that_a_program_started_outlives_it() {
    let (_directory, pids) = file();
    // A child, one in a session of its own, and one whose parent has ended.
    let script = format!(
        "sleep 1000 & echo $! >> {pids}; setsid sh -c 'echo $$ >> {pids}; exec sleep 1000' & \
         (sleep 1000 & echo $! >> {pids}); sleep 0.1; {ASKED}echo no"
    );
    let mut player = shell(Standard::default(), "ms=1000", &script);
    let answers = ask_often(&mut player, 5);
    assert!(answers.iter().all(Result::is_err), "{answers:?}");
    drop(player);
    let pids = read(&pids);
    let lives = |pid: &&str| {
        let state = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        !state.is_empty() && !state.contains(") Z ")
    };
    assert_eq!(pids.lines().count(), 15);
    assert_eq!(pids.lines().filter(lives).count(), 0);
}

#[test]
fn what_is_asked_is_what_the_documentation_says() {
    let (_directory, log) = file();
    // Comments are passed over. A new game is told, and not a question.
    let script = format!(
        "while read line; do echo \"$line\" >> {log};
         case $line in game*) ;; *) echo '# a word'; echo alea 1;; esac; done"
    );
    let found = one_question(&script).unwrap_err();
    assert!(found.contains("'alea 1', which is no move"), "{found}");
    let game = Standard::default();
    let position = game.format_position(&game.start([0, 0], 0), Some(3));
    let told = format!("alea 1 classic\ngame 7\nmove {position}\n");
    assert_eq!(read(&log), told);
}

#[test]
fn rules_that_are_told_may_have_blanks() {
    let script = format!("{GREETS}cat > /dev/null");
    let mut player = shell(Havannah::new(5, true), "", &script);
    player.new_game(1);
    assert_eq!(player.failure(), None);
}

#[test]
fn a_silent_program_loses_by_time_and_is_started_again() {
    const WORDS: &[&str] = &["sh", "-c", "read line; echo alea 1; cat > /dev/null"];
    let silent = contestant("ms=20", WORDS);
    let result = against_first(&silent, 3);
    assert_eq!(result.wins, 0);
    assert_eq!(result.forfeits[0].get("no answer within 20 ms"), Some(&6));
}

/// The moves of a position without chance.
fn legal<G: Playable>(game: &G, position: &G::Position) -> Vec<G::Move> {
    let mut moves = G::Moves::default();
    game.moves(position, &mut moves);
    moves.to_vec()
}

/// A program of GTP that keeps what it is told, and makes these moves.
fn gtp_program(log: &str, moves: &str) -> String {
    format!(
        "set -- {moves}; while read -r line; do echo \"$line\" >> {log}; case $line in
         genmove*) printf '= %s\n\n' $1; shift;; komi*) printf '? no komi\n\n';;
         *) printf '=\r\n\r\n';; esac; done"
    )
}

#[test]
fn a_program_that_follows_the_game_is_told_what_it_does_not_know() {
    let (_directory, log) = file();
    let script = gtp_program(&log, "D3 C4 F6");
    let game = Reversi::EIGHT;
    let mut player = shell(game, "dialect=grhino", &script);
    let mut position = game.start();
    let play = |player: &mut External<Reversi>, position: &mut _, text: Option<&str>| {
        let legal = legal(&game, position);
        let mv = match text {
            Some(text) => game.parse_move(position, text).unwrap(),
            None => player.decide(position, &legal).best,
        };
        assert_eq!(player.failure(), None);
        player.hear(News::Ply(position, 0, mv));
        *position = game.play(position, mv);
    };
    player.new_game(7);
    // An opening that both sides were given.
    play(&mut player, &mut position, Some("d3"));
    play(&mut player, &mut position, Some("c3"));
    player.new_game(8);
    position = game.start();
    for told in [None, Some("c3"), None, Some("e3"), None] {
        play(&mut player, &mut position, told);
    }
    // It cannot be asked about what was not played from the start.
    let mut other = shell(game, "dialect=grhino", &script);
    other.new_game(9);
    other.decide(&position, &legal(&game, &position));
    assert!(matches!(other.failure(), Some(Failure::OfSystem(_))));
    let told = "boardsize 8\nclear_board\ngenmove black\nplay white C3\ngenmove black\n\
                play white E3\ngenmove black\n";
    assert_eq!(read(&log), told);
}

#[test]
fn a_program_that_refuses_a_line_is_told_which() {
    let script = gtp_program("/dev/null", "d3");
    let keys = "protocol=gtp, init=\"komi 0\"";
    let mut player = shell(Reversi::EIGHT, keys, &script);
    player.new_game(1);
    let start = Reversi::EIGHT.start();
    player.decide(&start, &legal(&Reversi::EIGHT, &start));
    let refused = Failure::OfPlayer("refused, saying 'no komi' to 'komi 0'".to_owned());
    assert_eq!(player.failure(), Some(refused));
}

#[test]
fn the_time_of_a_start_is_not_that_of_a_move() {
    // It starts in 300 ms and answers at once.
    let legal = legal_answer();
    let script = format!(
        "sleep 0.3; read line; echo alea 1; while read line; do case $line in move*) echo {legal};; esac; done"
    );
    let mut player = shell(Standard::default(), "ms=100, start_ms=5000", &script);
    let answers = ask_often(&mut player, 2);
    assert!(answers.iter().all(Result::is_ok), "{answers:?}");
    let mut slow = shell(Standard::default(), "ms=5000, start_ms=100", &script);
    let late = Failure::OfPlayer("no answer within 100 ms".to_owned());
    assert_eq!(ask_often(&mut slow, 1), [Err(late)]);
}

#[test]
fn a_game_may_have_a_process_of_its_own() {
    let (_directory, log) = file();
    let legal = legal_answer();
    let script = format!(
        "echo started >> {log}; while read line; do echo $line >> {log}; case $line in
         alea*) echo alea 2;; move*) echo {legal};; esac; done"
    );
    let mut player = shell(Standard::default(), "version=2, process=game", &script);
    for _ in 0..2 {
        assert!(ask_often(&mut player, 1)[0].is_ok());
        player.hear(News::End(&[0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]));
    }
    drop(player);
    let told = read(&log);
    let words = told.lines().map(|line| line.split(' ').next().unwrap());
    let once = ["started", "alea", "game", "move", "result"];
    assert_eq!(words.collect::<Vec<_>>(), [once, once].concat());
    assert!(told.ends_with("result b\n"), "{told}");
}

#[test]
fn the_reference_bot_plays_as_its_twin_does() {
    if find("python3").is_err() {
        return;
    }
    // The tests run in the folder of this crate.
    let bot = contestant("ms=20000", &["python3", "../docs/bot.py"]);
    let result = against_first(&bot, 10);
    assert!(result.forfeits[0].is_empty(), "{:?}", result.forfeits);
    // It moves greedily, so it does exactly as well as the greedy player of the tests.
    let twin = against_first(&greedy(), 10);
    assert_eq!(
        (result.pair_counts, result.mean_plies),
        (twin.pair_counts, twin.mean_plies)
    );
    let lines = read("../docs/bot.py").lines().count();
    assert!(lines < 60, "{lines} lines");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn any_answer_is_a_move_or_a_failure(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
        let (_directory, file) = file();
        std::fs::write(&file, &bytes).unwrap();
        if let Err(reason) = one_question(&format!("{ASKED}cat {file}")) {
            prop_assert!(!reason.contains('\n') && reason.len() < 300, "{reason}");
        }
    }
}
