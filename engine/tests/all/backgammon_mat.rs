//! Jellyfish's match format: games written and read, and files of other programs.

use engine::core::{
    game::{Game, Seat},
    random::RandomStream,
    search_game::Playouts,
    text::TextError,
};
use engine::games::backgammon::{BLACK, Backgammon, WHITE};
use engine::play::{
    playable::Playable,
    registry::{PlainGame, TranscriptFormat},
    stated_result::StatedResult,
};

const GAME: Backgammon = Backgammon;

fn format() -> &'static TranscriptFormat<Backgammon> {
    &Backgammon::registry().transcripts[0]
}

fn read(text: &str) -> Vec<Result<PlainGame<Backgammon>, TextError>> {
    (format().read)(&GAME, text.as_bytes())
}

fn empty_game() -> PlainGame<Backgammon> {
    PlainGame {
        start: GAME.start(WHITE),
        plies: Vec::new(),
        players: vec![String::new(); 2],
        result: None,
    }
}

fn resignation(loser: Seat, points: u16) -> StatedResult {
    StatedResult {
        points: Some(points),
        ..StatedResult::by_resignation(loser)
    }
}

#[test]
fn random_games_read_back() {
    let mut random = RandomStream::new(13);
    for number in 0..6 {
        let mut parsed = empty_game();
        parsed.start = GAME.start(number % 2);
        parsed.players = vec!["Ann B".to_owned(), "Bob".to_owned()];
        let mut position = parsed.start;
        while GAME.payoffs(&position).is_none()
            && (number % 3 == 0 || parsed.plies.len() < 20 + number)
        {
            let play = GAME.sample_move(&position, random.next_u64());
            parsed.plies.push((play.roll() as u8, play));
            position = GAME.play(&position, play);
        }
        if GAME.payoffs(&position).is_none() {
            parsed.result = Some(resignation(number % 2, 1 + number as u16 / 2));
        }
        let text = (format().write)(&GAME, &parsed).unwrap();
        assert_eq!(
            read(&text.repeat(2)),
            [Ok(parsed.clone()), Ok(parsed)],
            "{text}"
        );
    }
}

#[test]
fn matches_of_other_programs_are_read() {
    let text = "; [Site \"x\"]\n\n 5 point match\n\n Game 1\n Ann : 0                             Bob : 0\n\
        \u{20} 1)                             52: 13/8 13/11\n\
        \u{20} 2) 66: 24/18(2) 13/7(2)        41: 24/23 13/9\n\
        \u{20} 3)  Doubles => 2                Takes\n\
        \u{20} 4) 31: 8/4\n      Wins 2 points\n\n\
        Game 2\n Ann : 2                             Bob : 0\n\
        \u{20} 1) 31: 8/5 6/5                  Doubles => 2\n\
        \u{20} 2)  Drops\n                                  Wins 1 point\n\n\
        Game 3\n a : 1  b : 0\n 1) 31: 8/5 6/4\n\nGame 4\n a : 1  b : 0\n 1) 31: 8/5 6/5 31: 8/5 6/5\n 2)          \n";
    let games = read(text);
    let first = games[0].as_ref().unwrap();
    assert_eq!((first.start, first.plies.len()), (GAME.start(BLACK), 4));
    assert_eq!(first.players, ["Ann", "Bob"]);
    assert_eq!(first.result, Some(resignation(BLACK, 1)));
    let second = games[1].as_ref().unwrap();
    assert_eq!(
        (second.plies.len(), second.result),
        (1, Some(resignation(WHITE, 1)))
    );
    let error = games[2].as_ref().unwrap_err().to_string();
    assert!(
        error.contains("no play of 31") && error.contains("line 21"),
        "{error}"
    );
    assert_eq!(games[3].as_ref().unwrap().plies.len(), 2);
    assert_eq!(games.len(), 4);
}

#[test]
fn points_are_those_of_an_undoubled_game() {
    for (line, points) in [
        ("  Wins 1 point", 1),
        ("  Wins 2 points", 2),
        ("  Wins 3 points", 3),
        ("  Wins 9 points", 3),
        ("  Wins", 1),
        ("  1) Doubles => 2   Takes\n  Wins 2 points", 1),
        ("  1) Doubles => 2   Takes\n  Wins 4 points", 2),
        (
            "  1) Doubles => 2   Beavers\n  2) Takes\n  Wins 12 points",
            3,
        ),
        ("  1) Doubles => 0   Takes\n  Wins 1 point", 1),
        ("  1) Doubles => 2   Drops", 1),
    ] {
        let text = format!("Game 1\n a : 0  b : 0\n 1) 31: 8/5 6/5\n{line}\n");
        let parsed = read(&text).remove(0).unwrap();
        assert_eq!(parsed.result, Some(resignation(BLACK, points)), "{line}");
        let written = (format().write)(&GAME, &parsed).unwrap();
        assert_eq!(read(&written), [Ok(parsed)], "{written}");
    }
}

#[test]
fn texts_that_are_no_match_are_refused() {
    assert!(read("").is_empty() && read("x")[0].is_err());
    for line in [
        "x",
        "1) 71: 8/5",
        "1) 31 8/5 6/5",
        "1) 31: 8/5 6/5\n 2) 31: 8/5 6/5",
    ] {
        let error = &read(&format!("Game 1\na : 0  b : 0\n {line}\n"))[0];
        assert!(error.is_err(), "{line}");
    }
    let mut other = empty_game();
    other.start = GAME.parse_position("4HPwATDgc/ABMA -").unwrap().0;
    assert!((format().write)(&GAME, &other).is_err());
}
