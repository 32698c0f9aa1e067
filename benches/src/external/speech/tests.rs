//! What is said to programs, held against the published texts of their protocols.

use super::*;
use engine::core::random::RandomStream;
use engine::games::{einstein::Standard, havannah::Havannah, reversi::Reversi};
use engine::play::notation::{Arguments, Notation};

fn speech<G: Playable>(game: &G, keys: &str) -> Result<Speech<G>, String> {
    let notation = Notation::parse(&format!("external({keys})")).unwrap();
    let mut arguments = Arguments::of(&notation);
    let dialect = Dialect::read(&mut arguments).map_err(|(_, problem)| problem)?;
    arguments.finish().map_err(|(_, problem)| problem)?;
    Speech::of(dialect, game.clone())
}

/// Holds what a program of these keys is told against what is expected, all lines in a row: at its
/// start, when a game begins, of a move, and when it is asked; and reads an answer.
#[track_caller]
fn check<G: Playable>(
    game: &G,
    keys: &str,
    (position, mv): (&str, &str),
    expected: &[&str],
    (answer, understood): (&str, &str),
) {
    let speech = speech(game, keys).unwrap();
    let (position, outcome) = game.parse_position(position).unwrap();
    let mut named = speech.position(&position, outcome.unwrap_or(0), 1);
    named.extend([("seed", Some("7".to_owned())), speech.mv(mv)]);
    let protocol = speech.protocol;
    let texts = [
        protocol.start,
        protocol.begin,
        protocol.told,
        protocol.question,
    ];
    let steps = texts.map(|text| speech.steps(text, &named));
    let lines: Vec<&str> = steps.iter().flatten().map(|step| &*step.line).collect();
    assert_eq!(lines, expected, "{keys}");
    assert_eq!(speech.answer(answer).unwrap(), understood, "{keys}");
}

/// Both sides in reading order, as the published example has it: Red from the upper left.
const START: &str = "123../45.../6...f/...ed/..cba r 3";

#[test]
fn dice_are_told_as_every_protocol_has_it() {
    let game = Standard::default();
    let check = |keys: &str, position: &str, expected: &[&str], answer| {
        check(&game, keys, (position, "c5d4"), expected, (answer, "c5d4"));
    };
    let get = "get R 3 E5 D5 C5 E4 D4 E3 A1 B1 C1 A2 B2 A3";
    let settings = ["name", "version", "time_setting 240", "board_setting 5 6 2"];
    check(
        "protocol=tcga, ms=13000, think=12000",
        START,
        &[&settings[..], &[get]].concat(),
        "C1 D2",
    );
    // What is gone is 0; what follows an answer is for people.
    let gone = "get B 6 0 B4 0 0 A5 0 0 0 C1 0 0 0";
    check(
        "dialect=tcga, time=none, game=ini",
        "..3../...../...../.b.../e.... b 6",
        &["name", "version", "board_setting 5 6 2", "ini", gone],
        "c1 d2  thought 0.1 s",
    );
    let unrolled = START.replace(" 3", " -");
    let (gtp, ubgi) = (
        format!("position {unrolled}"),
        format!("position alea {unrolled}"),
    );
    let told = [
        "clear_board",
        &gtp,
        "dice 3",
        "play red c5d4",
        "dice 3",
        "genmove red",
    ];
    check("protocol=gtp", START, &told, "c5d4");
    // Blue began, so that the second word is Red's.
    let told = [
        "clear_board",
        &gtp,
        "dice 3",
        "play w c5d4",
        "dice 3",
        "genmove w",
    ];
    let keys = "protocol=gtp, begins=first, colours=\"b w\"";
    check(keys, START, &told, "c5d4");
    let begin = ["ubgi", "set engine.ply 2", "isready", "newgame", "isready"];
    let told = [&begin[..], &[&ubgi, "dice 3", "go"]].concat();
    check(
        "protocol=ubgi, init=\"set engine.ply 2\"",
        START,
        &told,
        "c5d4",
    );
    let asked = format!("move {START}");
    check("", START, &["alea 1 classic", "game 7", &asked], "c5d4");
    let played = format!("played {START} c5d4");
    let told = ["alea 2 classic", "game 7", &played, &asked];
    check("version=2", START, &told, "c5d4");
    let hear_all = ["", "version=2"].map(|keys| speech(&game, keys).unwrap().hears_all());
    assert_eq!(hear_all, [false, true]);
}

#[test]
fn programs_that_follow_a_game_are_told_it_as_they_want_it() {
    let game = Reversi::EIGHT;
    let start = game.random_start(&mut RandomStream::new(0), 0);
    let start = &Playable::format_position(&game, &start, None);
    let begin = ["boardsize 8", "clear_board"];
    let check_start = |keys: &str, mv, told: &[&str], answer| {
        check(&game, keys, (start, mv), told, answer);
    };
    let told = [&begin[..], &["play black D3", "genmove black"]].concat();
    check_start("dialect=grhino", "d3", &told, ("F5", "f5"));
    let told = [&begin[..], &["genmove black"]].concat();
    check_start("dialect=grhino", "pass", &told, ("pass", "pass"));
    let told = [
        "clear_board",
        "play black PA",
        "time_left black 5 1",
        "genmove black",
    ];
    let keys = "protocol=gtp, time=left, pass=PA, game=clear_board, ms=5500, think=5000";
    check_start(keys, "pass", &told, ("PA", "pass"));
    let resigned = speech(&game, keys).unwrap().answer("resign");
    assert_eq!(resigned, Err(OfPlayer("resigned".to_owned())));
    // Black is *, White O, and the last sign is the side to move.
    let board = "-".repeat(27) + "O*------*O" + &"-".repeat(27);
    let set =
        format!("set game (;GM[Othello]PC[alea]PB[Black]PW[White]RE[?]TI[0]TY[8]BO[8 {board} *];)");
    let told = [
        "nboard 2",
        "set depth 6",
        "ping 1",
        "ping 1",
        &set,
        "ping 2",
        "go",
    ];
    let keys = "protocol=nboard, init=\"set depth 6\"";
    check_start(keys, "d3", &told, ("F5/1.00/0.3", "f5"));
    // Havannah: White begins, and programs are told of it in letters.
    let game = Havannah::new(5, true);
    let told = ["boardsize 5", "clear_board", "play b swap", "genmove b 2"];
    let keys = "dialect=lajkonik, ms=3000, think=2000";
    check(&game, keys, ("e5", "swap"), &told, ("swap", "swap"));
    // Little Golem begins each letter with 1: the last cell of the last row is i5 there.
    let told = [
        "boardsize 5",
        "clear_board",
        "time -m 2",
        "play b i5",
        "genmove b",
    ];
    let keys = "dialect=castro, ms=3000, think=2000, squares=golem";
    check(&game, keys, ("e5", "i9"), &told, ("I5", "i9"));
}

#[test]
fn what_fits_no_program_is_refused() {
    let game = Standard::default();
    for (keys, problem) in [
        (
            "protocol=nboard",
            "nboard is for reversi on 8 by 8 squares, not for einstein",
        ),
        (
            "protocol=uci",
            "'protocol' is lines or tcga or gtp or ubgi or nboard, not 'uci'",
        ),
        ("dialect=gnu", "'dialect' is lajkonik or castro or"),
        (
            "dialect=grhino, protocol=tcga",
            "'grhino' speaks gtp: leave 'protocol' out",
        ),
        (
            "time=left",
            "'time' is none, in GTP settings, left or genmove",
        ),
        (
            "protocol=gtp, time=genmove, ms=1000",
            "told to think for 1 s, and be stopped after 1000 ms: say ms=1500",
        ),
        (
            "protocol=gtp, colours=red",
            "two words for those who move first and second",
        ),
        (
            "squares=chess",
            "'squares' is ours or golem or top, not 'chess'",
        ),
        ("level=3", "there is no 'level' here"),
    ] {
        let found = speech(&game, keys).err().unwrap();
        assert!(found.contains(problem), "{keys}: {found}");
    }
    let other = speech(&Reversi::EIGHT, "protocol=tcga").err();
    assert_eq!(other.unwrap(), "tcga is for einstein, not for reversi");
    let mut sets = super::super::dialect::SETS.iter();
    assert!(sets.all(|(_, set)| Notation::parse(set).is_ok()));
}
