//! SGF for games without their own: `(;FF[4]AP[Alea]GN[game]C[start];B[move]DI[3];W[move]DI[5])`.
//! `DI` is the move's chance outcome; Black is the seat whose name begins with B, else the first.

use super::{
    playable::Playable,
    registry::{PlainGame, TranscriptFormat},
    sgf_properties::{self, SgfProperties},
    stated_result::StatedResult,
};
use alea_core::{
    game::{OutcomeList, Seat},
    text::{TextError, error_at},
};

/// The SGF transcript format of a game.
pub const fn transcript_format<G: Playable>() -> TranscriptFormat<G> {
    TranscriptFormat {
        name: "sgf",
        help: "SGF with moves in the game's own notation and what was rolled for them",
        read,
        write,
    }
}

fn black_seat<G: Playable>(game: &G) -> Seat {
    usize::from(game.seat_title(1).starts_with('B'))
}

fn has_rolls<G: Playable>() -> bool {
    G::Outcomes::CAPACITY > 1
}

fn write<G: Playable>(game: &G, whole: &PlainGame<G>) -> Result<String, String> {
    if game.seats() != 2 {
        return Err("SGF is for two seats; jsonl holds others".to_owned());
    }
    let value = |text: &str| {
        let text = text.replace('\\', "\\\\").replace(']', "\\]");
        text.replace(char::is_control, " ")
    };
    let (name, start) = (game.notation(), game.format_position(&whole.start, None));
    let mut text = format!("(;FF[4]AP[Alea]GN[{}]C[{}]", value(&name), value(&start));
    let black = black_seat(game);
    for (key, seat) in [("PB", black), ("PW", 1 - black)] {
        if let Some(name) = whole.players.get(seat).filter(|name| !name.is_empty()) {
            text += &format!("{key}[{}]", value(name));
        }
    }
    if let Some(result) = whole.result {
        text += &format!("RE[{}]", result.to_sgf(black));
    }
    let mut position = whole.start;
    for &(outcome, mv) in &whole.plies {
        let sign = if game.to_move(&position) == black {
            "B"
        } else {
            "W"
        };
        text += &format!(";{sign}[{}]", value(&game.format_move(&position, mv)));
        if has_rolls::<G>() {
            text += &format!("DI[{outcome}]");
        }
        position = game.play(&position, mv);
    }
    Ok(text + ")")
}

fn read<G: Playable>(game: &G, bytes: &[u8]) -> Vec<Result<PlainGame<G>, TextError>> {
    if game.seats() != 2 {
        return vec![error_at(1, "SGF is for two seats")];
    }
    sgf_properties::read_games(game, bytes, true, parse_game, None)
}

fn parse_game<G: Playable>(
    game: &G,
    begin: usize,
    properties: SgfProperties,
) -> Result<PlainGame<G>, TextError> {
    let properties = properties?;
    let find = |name: &str| properties.iter().find(|property| property.name == name);
    let name = game.notation();
    if let Some(other) = find("GN").filter(|other| other.value != name) {
        let problem = format!("GN[{}] is another game than {name}", other.value);
        return error_at(other.at + 1, problem);
    }
    let Some(start) = find("C") else {
        return error_at(begin + 1, "there is no C[…] with the position at the start");
    };
    let read = game.parse_position(&start.value);
    let (start, _) =
        read.map_err(|error| TextError::new(start.at + error.character, error.problem))?;
    let black = black_seat(game);
    let mut players = vec![String::new(); 2];
    for (key, seat) in [("PB", black), ("PW", 1 - black)] {
        players[seat] = find(key).map_or(String::new(), |name| name.value.clone());
    }
    let mut whole = PlainGame {
        start,
        plies: Vec::new(),
        players,
        result: None,
    };
    let mut position = start;
    for (index, property) in properties.iter().enumerate() {
        let (mv, at) = (property.value.trim(), property.at);
        let seat = match &*property.name {
            "B" => black,
            "W" => 1 - black,
            _ => continue,
        };
        if game.payoffs(&position).is_some() {
            return error_at(at + 1, "the game is over before this move");
        }
        if game.to_move(&position) != seat {
            return error_at(at + 1, "it is the other side's turn");
        }
        let rolled = properties.get(index + 1).filter(|next| next.name == "DI");
        let outcome = match rolled {
            Some(rolled) => game
                .parse_outcome(rolled.value.trim())
                .or_else(|problem| error_at(rolled.at + 1, format!("DI: {problem}")))?,
            None => 0,
        };
        let mut legal = G::Moves::default();
        game.allowed_moves(&position, outcome, &mut legal);
        let read = game.parse_move(&position, Some(outcome), mv);
        let mv = read.map_err(|error| TextError::new(at + error.character, error.problem))?;
        if !legal.contains(&mv) {
            return error_at(
                at + 1,
                format!("it is not permitted with a {}", game.outcome_name(outcome)),
            );
        }
        whole.plies.push((outcome, mv));
        position = game.play(&position, mv);
    }
    let stated = find("RE").and_then(|result| StatedResult::from_sgf(&result.value, black));
    let set = whole.set_result(game, &position, stated);
    set.map_err(|problem| TextError::new(begin + 1, problem))?;
    Ok(whole)
}
