//! Games in the formats of other programs, for saving and loading on the page.

use crate::api_types::{PlayedPly, Problem};
use crate::limits::MAX_PLIES;
use crate::position_values::has_chance;
use engine::core::{
    game::OutcomeList as _,
    random::RandomStream,
    record::Ending,
    text::{joined, printable, shorten},
};
use engine::play::{
    playable::Playable,
    registry::{PlainGame, TranscriptFormat},
    stated_result::StatedResult,
};
use serde_json::{Value, json};

const MAX_GAMES: usize = 100;

pub(crate) fn text_formats<G: Playable>() -> impl Iterator<Item = &'static TranscriptFormat<G>> {
    let formats = G::registry().transcripts.iter();
    formats.filter(|format| format.name != "wtb")
}

/// Names of the text formats in which games can be written.
pub(crate) fn written_formats<G: Playable>(game: &G) -> impl Iterator<Item = &'static str> {
    let empty = PlainGame {
        start: game.random_start(&mut RandomStream::new(0), 0),
        plies: Vec::new(),
        players: Vec::new(),
        result: None,
    };
    let formats = text_formats::<G>().filter(move |format| (format.write)(game, &empty).is_ok());
    formats.map(|format| format.name)
}

fn format_of<G: Playable>(name: &str) -> Result<&'static TranscriptFormat<G>, Problem> {
    text_formats()
        .find(|format| format.name == name)
        .ok_or_else(|| {
            let names = joined(text_formats::<G>().map(|format| format.name), ", ");
            let name = shorten(name, 80);
            Problem::invalid_request(format!(
                "there is no format '{name}' here; there are {names}"
            ))
        })
}

/// Writes a game in a format; if a seat `resigned`, that ended it.
///
/// # Errors
/// If a ply is illegal, or the format does not exist or cannot hold the game.
pub(crate) fn write_game<G: Playable>(
    game: &G,
    start: G::Position,
    plies: &[PlayedPly],
    players: &[String],
    resigned: Option<usize>,
    format: &str,
) -> Result<Value, Problem> {
    let format = format_of::<G>(format)?;
    let mut position = start;
    let mut played = Vec::with_capacity(plies.len());
    for (number, ply) in (1..).zip(plies) {
        let wrong = |problem: &str| Problem::invalid_request(format!("ply {number}: {problem}"));
        let mv = game.parse_move(&position, ply.face, &ply.mv);
        let mv = mv.map_err(|error| wrong(&shorten(&error.to_string(), 200)))?;
        let face = ply.face.filter(|_| has_chance::<G>());
        if !game.legal_moves(&position, face).contains(&mv) {
            return Err(wrong(&format!(
                "the move '{}' is not permitted",
                shorten(&ply.mv, 80)
            )));
        }
        played.push((face.unwrap_or(0), mv));
        position = game.play(&position, mv);
    }
    let is_ended = game.payoffs(&position).is_some();
    let resigned = resigned.filter(|&seat| !is_ended && seat < 2);
    let plain = PlainGame {
        start,
        plies: played,
        players: players
            .iter()
            .map(|name| printable(shorten(name, 200).as_ref()).into_owned())
            .collect(),
        result: resigned.map(StatedResult::by_resignation),
    };
    let text = (format.write)(game, &plain).map_err(Problem::invalid_request)?;
    Ok(json!({ "text": text + "\n" }))
}

/// Reads the games of a text into the form of JSON game records; damaged games are left out.
///
/// # Errors
/// If the format does not exist or no game can be read.
pub(crate) fn read_games<G: Playable>(
    game: &G,
    text: &str,
    format: &str,
) -> Result<Value, Problem> {
    let mut first_error = None;
    let mut games = Vec::new();
    for read in (format_of::<G>(format)?.read)(game, text.as_bytes())
        .into_iter()
        .take(MAX_GAMES)
    {
        match read {
            Ok(plain) if plain.plies.len() <= MAX_PLIES => games.push(game_json(game, &plain)),
            Ok(_) => {
                first_error = first_error.or(Some(format!("a game of more than {MAX_PLIES} plies")))
            }
            Err(error) => first_error = first_error.or(Some(error.to_string())),
        }
    }
    match (games.is_empty(), first_error) {
        (true, error) => Err(Problem::invalid_request(shorten(
            &error.unwrap_or_else(|| "the file has no game".to_owned()),
            300,
        ))),
        _ => Ok(json!({ "game": game.notation(), "games": games })),
    }
}

fn game_json<G: Playable>(game: &G, plain: &PlainGame<G>) -> Value {
    let mut position = plain.start;
    let mut plies = Vec::new();
    for &(outcome, mv) in &plain.plies {
        let mut ply = json!({ "move": game.format_move(&position, mv) });
        if G::Outcomes::CAPACITY > 1 {
            ply["outcome"] = outcome.into();
        }
        plies.push(ply);
        position = game.play(&position, mv);
    }
    let player = |seat: usize| {
        let name = plain.players.get(seat).map_or("", String::as_str);
        printable(name).into_owned()
    };
    let stated = || Some(plain.result?.payoffs(game.points()));
    let payoffs = game.payoffs(&position).or_else(stated);
    let payoffs = payoffs.map(|payoffs| payoffs[..game.seats()].to_vec());
    json!({
        "players": (0..game.seats()).map(player).collect::<Vec<_>>(),
        "start": game.format_position(&plain.start, None),
        "plies": plies,
        "payoffs": payoffs,
        "ending": plain.result.map_or(Ending::default(), |result| result.ending),
    })
}
