//! Fuzz targets for texts of all games.

use arena::external::{
    dialect_options::Dialect,
    parse_move_of_reply,
    reply::{ChatterPolicy, Reply, ReplyBuffer},
};
use engine::core::text::TextError;
use engine::games::{
    backgammon::Backgammon,
    einstein::Standard,
    havannah::Havannah,
    reversi::Reversi,
    reversixt::{ReversiXt, map::Map},
};
use engine::play::{
    playable::Playable,
    player_notation::{Arguments, Notation},
};
use std::sync::{Arc, LazyLock};

/// Calls a function with every game, with default and other rules.
macro_rules! with_every_game {
    ($function:ident, $($arguments:expr),*) => {
        crate::game_texts::BACKGAMMON.iter().for_each(|game| $function(game, $($arguments),*));
        crate::game_texts::EINSTEIN.iter().for_each(|game| $function(game, $($arguments),*));
        crate::game_texts::HAVANNAH.iter().for_each(|game| $function(game, $($arguments),*));
        crate::game_texts::REVERSI.iter().for_each(|game| $function(game, $($arguments),*));
        crate::game_texts::REVERSIXT.iter().for_each(|game| $function(game, $($arguments),*));
    };
}
pub(crate) use with_every_game;

type Rules<G> = LazyLock<Vec<G>>;
pub(crate) static BACKGAMMON: Rules<Backgammon> = LazyLock::new(|| games([""]));
pub(crate) static EINSTEIN: Rules<Standard> = LazyLock::new(|| games(["", "(variant=nearest)"]));
pub(crate) static HAVANNAH: Rules<Havannah> =
    LazyLock::new(|| games(["", "(base=4)", "(base=3, swap=on)"]));
pub(crate) static REVERSI: Rules<Reversi> = LazyLock::new(|| games(["", "(size=6)", "(size=4)"]));
pub(crate) static REVERSIXT: Rules<ReversiXt> = LazyLock::new(|| {
    let small = include_str!("../seeds/maps/small");
    let small = Map::parse(small).expect("a map");
    [games([""]), vec![ReversiXt::new(Arc::new(small))]].concat()
});

fn games<G: Playable, const N: usize>(rules: [&str; N]) -> Vec<G> {
    let named = |rules| G::from_notation(&format!("{}{rules}", G::INFO.name), None).expect("rules");
    rules.map(named).into()
}

pub(crate) fn positions(bytes: &[u8]) {
    fn read<G: Playable>(game: &G, bytes: &[u8]) {
        if let Ok(position) = game.decode(&mut &*bytes) {
            check(game, &position, None);
        }
        let text = String::from_utf8_lossy(bytes);
        match game.parse_position(&text) {
            Ok((position, outcome)) => check(game, &position, outcome),
            Err(error) => check_text_error(&text, &error),
        }
    }
    with_every_game!(read, bytes);
}

/// Checks that an error has one line and names a character of the text or its end.
fn check_text_error(text: &str, error: &TextError) {
    assert!(
        (1..=text.chars().count() + 1).contains(&error.character),
        "{text:?} {error:?}"
    );
    assert!(
        !error.problem.is_empty() && !error.to_string().contains(char::is_control),
        "{error:?}"
    );
}

/// Checks that texts and bytes of a position, its symmetries and successors read back.
fn check<G: Playable>(game: &G, position: &G::Position, outcome: Option<u8>) {
    let reads_back = |position: &G::Position, outcome| {
        let text = game.format_position(position, outcome);
        assert_eq!(
            game.parse_position(&text),
            Ok((*position, outcome)),
            "{text}"
        );
    };
    reads_back(position, outcome);
    let mut bytes = Vec::new();
    game.encode(position, &mut bytes);
    assert_eq!(game.decode(&mut &*bytes), Ok(*position));
    (0..game.symmetries())
        .for_each(|symmetry| reads_back(&game.transform_position(position, symmetry), None));
    if game.payoffs(position).is_some() {
        return;
    }
    let (mut moves, mut count) = (G::Moves::default(), 0);
    for outcome in game.outcome_numbers() {
        game.allowed_moves(position, outcome, &mut moves);
        for &mv in &*moves {
            let name = game.format_move(position, mv);
            let read = game.parse_move(position, Some(outcome), &name);
            assert_eq!(read, Ok(mv), "{name}");
            reads_back(&game.play(position, mv), None);
            count += 1;
        }
    }
    assert_ne!(count, 0, "no moves");
}

/// Parses a position on the first line and a move on the second, and plays it.
pub(crate) fn moves(bytes: &[u8]) {
    fn read<G: Playable>(game: &G, position: &str, mv: &str) {
        let Ok((position, _)) = game.parse_position(position) else {
            return;
        };
        if game.payoffs(&position).is_some() {
            return;
        }
        match game.parse_move(&position, None, mv) {
            Ok(mv) => {
                let mut moves = G::Moves::default();
                game.moves(&position, &mut moves);
                assert!(moves.contains(&mv), "{mv:?} is no move");
            }
            Err(error) => check_text_error(mv, &error),
        }
    }
    let text = String::from_utf8_lossy(bytes);
    let (position, mv) = text.split_once('\n').unwrap_or((&text, ""));
    with_every_game!(read, position, mv);
}

pub(crate) fn transcripts(bytes: &[u8]) {
    fn read<G: Playable>(game: &G, bytes: &[u8]) {
        for form in G::registry().transcripts {
            for plain in (form.read)(game, bytes).into_iter().flatten() {
                let Ok(written) = (form.write)(game, &plain) else {
                    continue;
                };
                let again = (form.read)(game, written.as_bytes())
                    .remove(0)
                    .expect(&written);
                assert_eq!(
                    (&again.plies, again.start),
                    (&plain.plies, plain.start),
                    "{written}"
                );
            }
        }
    }
    with_every_game!(read, bytes);
}

pub(crate) fn maps(bytes: &[u8]) {
    if let Ok(map) = Map::parse(&String::from_utf8_lossy(bytes)) {
        assert_eq!(Map::parse(&map.to_string()).as_ref(), Ok(&map));
        let game = ReversiXt::new(Arc::new(map));
        if game.map().cells().len() <= 100 {
            check(&game, &game.start(), None);
        }
    }
}

static DIALECTS: LazyLock<Vec<Dialect>> = LazyLock::new(|| {
    let keys = [
        "lines",
        "tcga",
        "gtp",
        "gtp, squares=golem",
        "ubgi, squares=top",
        "nboard",
    ];
    let read = |keys| {
        let notation = Notation::parse(&format!("x(protocol={keys})")).expect("a notation");
        Dialect::read(&mut Arguments::of(&notation)).expect("a dialect")
    };
    keys.map(read).into()
});

/// Parses a program's reply; the first byte is the length of the pieces in which it arrives.
pub(crate) fn answers(bytes: &[u8]) {
    fn read<G: Playable>(game: &G, line: &str) {
        let start = game.random_start(&mut engine::core::random::RandomStream::new(1), 0);
        let mut legal = G::Moves::default();
        game.moves(&start, &mut legal);
        for dialect in &*DIALECTS {
            let answer = parse_move_of_reply(dialect, game, (&start, &legal), line);
            assert!(answer.is_err() || answer.is_ok_and(|mv| legal.contains(&mv)));
        }
    }
    let Some((&length, bytes)) = bytes.split_first() else {
        return;
    };
    const REPLY_WORDS: &[&str] = &["===", "pong", "bestmove"];
    for (chatter, reply) in [
        (ChatterPolicy::Comments, Reply::Line),
        (ChatterPolicy::Blanks, Reply::Line),
        (ChatterPolicy::Blanks, Reply::Block),
        (ChatterPolicy::AllExcept(REPLY_WORDS), Reply::Word("===")),
        (
            ChatterPolicy::AllExcept(REPLY_WORDS),
            Reply::Word("bestmove"),
        ),
    ] {
        let mut buffer = ReplyBuffer::new(chatter);
        for piece in bytes.chunks(usize::from(length).max(1)) {
            buffer.push(piece);
            while let Ok(Some(answer)) = buffer.take_reply(reply) {
                with_every_game!(read, &answer);
            }
        }
        assert!(buffer.check_complete().is_err() || buffer.expect_silence().is_ok());
    }
}
