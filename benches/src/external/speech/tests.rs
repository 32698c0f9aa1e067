//! What is said to programs, held against the published texts of their protocols.

use super::*;
use engine::core::random::RandomStream;
use engine::games::{einstein::Standard, havannah::Havannah, reversi::Reversi};
use engine::play::notation::{Arguments, Notation};

fn try_speech<G: Playable>(game: &G, keys: &str) -> Result<Speech, String> {
    let notation = Notation::parse(&format!("external({keys})")).unwrap();
    let mut arguments = Arguments::of(&notation);
    let dialect = Dialect::read(&mut arguments).map_err(|(_, problem)| problem)?;
    arguments.finish().map_err(|(_, problem)| problem)?;
    Speech::of(dialect, game)
}

fn speech<G: Playable>(game: &G, keys: &str) -> Speech {
    try_speech(game, keys).unwrap()
}

/// A position by its text, which may name what chance said.
fn asked<G: Playable>(game: &G, text: &str) -> Asked {
    let (position, outcome) = game.parse_position(text).unwrap();
    Asked {
        position: [None, outcome].map(|outcome| game.format_position(&position, outcome)),
        outcome: outcome.unwrap_or(0),
        seat: game.to_move(&position),
        first: 0,
    }
}

/// Where a game without chance begins.
fn start<G: Playable>(game: &G) -> Asked {
    let start = game.random_start(&mut RandomStream::new(0), 0);
    asked(game, &game.format_position(&start, None))
}

fn lines(steps: &[Step]) -> Vec<&str> {
    steps.iter().map(|step| &*step.line).collect()
}

/// Both sides in reading order, as the published example has it: Red from the upper left.
const READING_ORDER: &str = "123../45.../6...f/...ed/..cba r 3";

#[test]
fn tcga_as_its_example_has_it() {
    let game = Standard::default();
    let speech = speech(&game, "protocol=tcga, ms=12000, think=12000");
    let greeting = speech.greeting();
    let expected = ["name", "version", "time_setting 240", "board_setting 5 6 2"];
    assert_eq!(lines(&greeting), expected);
    assert!(greeting.iter().all(|step| step.reply == Reply::Line));
    let asked = asked(&game, READING_ORDER);
    assert!(speech.begin(&asked, 7).is_empty());
    assert_eq!(
        lines(&speech.question(&asked)),
        ["get R 3 E5 D5 C5 E4 D4 E3 A1 B1 C1 A2 B2 A3"]
    );
    // C1 is the third square of the uppermost row.
    assert_eq!(speech.answer("C1 D2").unwrap(), "c5d4");
    assert_eq!(speech.answer("c1 d2  thought 0.1 s").unwrap(), "c5d4");
    assert_eq!(speech.goodbye(), Some("exit"));
}

#[test]
fn tcga_names_captured_stones_zero() {
    let game = Standard::default();
    let speech = speech(&game, "dialect=tcga, time=none, game=ini");
    assert_eq!(lines(&speech.greeting()).len(), 3);
    let asked = asked(&game, "..3../...../...../.b.../e.... b 6");
    assert_eq!(lines(&speech.begin(&asked, 7)), ["ini"]);
    assert_eq!(
        lines(&speech.question(&asked)),
        ["get B 6 0 B4 0 0 A5 0 0 0 C1 0 0 0"]
    );
}

#[test]
fn gtp_as_its_programs_want_it() {
    let game = Reversi::EIGHT;
    let start = start(&game);
    let grhino = speech(&game, "dialect=grhino");
    assert_eq!(
        lines(&grhino.begin(&start, 7)),
        ["boardsize 8", "clear_board"]
    );
    assert_eq!(lines(&grhino.told(&start, "d3")), ["play black D3"]);
    assert!(grhino.told(&start, "pass").is_empty());
    let passing = speech(&game, "protocol=gtp");
    assert_eq!(lines(&passing.told(&start, "pass")), ["play black pass"]);
    assert_eq!(lines(&grhino.question(&start)), ["genmove black"]);
    assert_eq!(grhino.answer("PASS").unwrap(), "pass");
    let timed = speech(&game, "protocol=gtp, time=left, ms=5500, think=5000");
    assert_eq!(
        lines(&timed.question(&start)),
        ["time_left black 5 1", "genmove black"]
    );
    let settings = speech(&game, "protocol=gtp, time=settings, game=clear_board");
    assert_eq!(
        lines(&settings.begin(&start, 7)),
        ["clear_board", "time_settings 0 9 1"]
    );
    assert_eq!(
        grhino.answer("resign"),
        Err(OfPlayer("resigned".to_owned()))
    );
    // Havannah: White begins, and programs are told of it in letters.
    let game = Havannah::new(5, true);
    let after = asked(&game, "e5");
    let lajkonik = speech(&game, "dialect=lajkonik, ms=3000, think=2000");
    assert_eq!(
        lines(&lajkonik.begin(&after, 7)),
        ["boardsize 5", "clear_board"]
    );
    assert_eq!(lines(&lajkonik.told(&after, "swap")), ["play b swap"]);
    assert_eq!(lines(&lajkonik.question(&after)), ["genmove b 2"]);
    let castro = speech(&game, "dialect=castro, ms=3000, think=2000, squares=golem");
    assert_eq!(
        lines(&castro.begin(&after, 7)),
        ["boardsize 5", "clear_board", "time -m 2"]
    );
    // Little Golem begins each letter with 1: the last cell of the last row is i5 there.
    assert_eq!(lines(&castro.told(&after, "i9")), ["play b i5"]);
    assert_eq!(castro.answer("I5").unwrap(), "i9");
}

#[test]
fn gtp_with_dice_tells_every_roll() {
    let game = Standard::default();
    let speech = speech(&game, "protocol=gtp");
    let asked = asked(&game, READING_ORDER);
    let unrolled = &READING_ORDER.replace(" 3", " -");
    assert_eq!(
        lines(&speech.begin(&asked, 7)),
        ["clear_board", &format!("position {unrolled}")]
    );
    assert_eq!(
        lines(&speech.told(&asked, "c5d4")),
        ["dice 3", "play red c5d4"]
    );
    assert_eq!(lines(&speech.question(&asked)), ["dice 3", "genmove red"]);
    // The first colour may be that of whoever begins.
    let first = super::tests::speech(&game, "protocol=gtp, begins=first, colours=\"b w\"");
    let began = Asked {
        first: 0,
        seat: 1,
        ..asked
    };
    assert_eq!(lines(&first.question(&began))[1], "genmove w");
    let began = Asked { first: 1, ..began };
    assert_eq!(lines(&first.question(&began))[1], "genmove b");
}

#[test]
fn ubgi_and_nboard_are_told_positions() {
    let game = Standard::default();
    let ubgi = speech(&game, "protocol=ubgi, init=\"set engine.ply 2\"");
    let greeting = ubgi.greeting();
    assert_eq!(lines(&greeting), ["ubgi", "set engine.ply 2", "isready"]);
    assert_eq!(greeting[0].reply, Reply::Word("ubgiok"));
    let at = asked(&game, READING_ORDER);
    let position = format!("position alea {}", READING_ORDER.replace(" 3", " -"));
    assert_eq!(lines(&ubgi.question(&at)), [&*position, "dice 3", "go"]);
    assert_eq!(ubgi.answer("c5d4").unwrap(), "c5d4");
    // Black is *, White O, and the last sign is the side to move.
    let game = Reversi::EIGHT;
    let nboard = speech(&game, "protocol=nboard, init=\"set depth 6\"");
    assert_eq!(
        lines(&nboard.greeting()),
        ["nboard 2", "set depth 6", "ping 1"]
    );
    let question = nboard.question(&start(&game));
    let board = [
        "--------", "--------", "--------", "---O*---", "---*O---", "--------", "--------",
        "--------",
    ];
    assert!(
        question[0]
            .line
            .ends_with(&format!("BO[8 {} *];)", board.concat()))
    );
    assert!(question[0].line.starts_with("set game (;GM[Othello]"));
    assert_eq!(question[2].reply, Reply::Word("==="));
    assert_eq!(nboard.answer("F5/1.00/0.3").unwrap(), "f5");
    assert_eq!(nboard.answer("PA").unwrap(), "pass");
}

#[test]
fn version_2_tells_rolls_moves_and_results() {
    let game = Standard::default();
    let at = asked(&game, READING_ORDER);
    let [old, new] = ["", "version=2"].map(|keys| speech(&game, keys));
    assert_eq!(lines(&old.greeting()), ["alea 1 classic"]);
    assert_eq!(lines(&new.greeting()), ["alea 2 classic"]);
    assert!(old.told(&at, "c5d4").is_empty() && old.result("r").is_none());
    assert_eq!(
        lines(&new.told(&at, "c5d4")),
        [format!("played {READING_ORDER} c5d4")]
    );
    assert_eq!(new.result("r").as_deref(), Some("result r"));
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
            "told to think for 1 s, and be stopped after 1000 ms: say ms=1500 or more",
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
        let found = try_speech(&game, keys).err().unwrap();
        assert!(found.contains(problem), "{keys}: {found}");
    }
    let other = try_speech(&Reversi::EIGHT, "protocol=tcga").err();
    assert_eq!(other.unwrap(), "tcga is for einstein, not for reversi");
    for (name, set) in super::super::dialect::SETS {
        assert!(Notation::parse(set).is_ok(), "{name}");
    }
}
