//! Games in SGF where the game has no form of its own: `(;FF[4]AP[Alea]GN[game]C[start];B[move]DI[3])`,
//! moves and positions in the game's notation, `DI` what was rolled for the move.
//!
//! Invariant: what is written reads back as the same, and a game that is read is a legal one.

use super::{black, has_dice};
use crate::Spoken;
use engine::play::registry::PlainGame;

/// A game that began at `start`, with the position before each move and what was rolled for it.
pub(super) fn written<G: Spoken>(
    game: &G,
    start: &G::Position,
    plies: &[(G::Position, u8, G::Move)],
) -> String {
    let (name, start) = (game.notation(), game.format_position(start, None));
    let mut text = format!("(;FF[4]AP[Alea]GN[{name}]C[{start}]");
    for (position, outcome, mv) in plies {
        let is_black = game.to_move(position) == black(game);
        let mv = game.format_move(position, *mv);
        text += &format!(";{}[{mv}]", if is_black { "B" } else { "W" });
        if has_dice::<G>() {
            text += &format!("DI[{outcome}]");
        }
    }
    text + ")"
}

/// The first game of a text; properties that are not of this form mean nothing.
pub(super) fn read<G: Spoken>(game: &G, text: &str) -> Result<PlainGame<G>, String> {
    let properties = properties(text)?;
    let value = |name: &str| {
        let mut found = properties.iter().filter(|property| property.0 == name);
        found.next().map(|property| &*property.1)
    };
    let name = game.notation();
    if let Some(other) = value("GN").filter(|other| *other != name) {
        return Err(format!("GN[{other}] is another game than {name}"));
    }
    let start = value("C").ok_or("there is no C[…] with the position at the start")?;
    let (start, _) = game
        .parse_position(start)
        .map_err(|error| format!("C[{start}]: {error}"))?;
    let (mut position, mut plies) = (start, Vec::new());
    for (place, (name, mv)) in properties.iter().enumerate() {
        if !["B", "W"].contains(&&**name) {
            continue;
        }
        let wrong = |problem: &str| format!("move {}, {name}[{mv}]: {problem}", plies.len() + 1);
        if game.payoffs(&position).is_some() {
            return Err(wrong("the game is over"));
        }
        if (game.to_move(&position) == black(game)) != (name == "B") {
            return Err(wrong("it is the other side's turn"));
        }
        let die = properties.get(place + 1).filter(|next| next.0 == "DI");
        let outcome = match die {
            Some((_, face)) => face.parse().map_err(|_| wrong("DI is a number"))?,
            None => 0,
        };
        let mut legal = G::Moves::default();
        if !has_dice::<G>() || game.outcome_names().contains(&outcome) {
            game.permitted(&position, outcome, &mut legal);
        }
        let read = game.parse_move(&position, mv);
        let read = read.map_err(|error| wrong(&error.problem))?;
        if !legal.contains(&read) {
            return Err(wrong(&format!("it is not permitted with a {outcome}")));
        }
        plies.push((outcome, read));
        position = game.play(&position, read);
    }
    Ok(PlainGame {
        start,
        plies,
        players: vec![String::new(); 2],
        result: None,
    })
}

/// Names and values, in order, up to the end of the first game.
fn properties(text: &str) -> Result<Vec<(String, String)>, String> {
    let begun = text.trim_start().strip_prefix('(');
    let mut rest = begun.ok_or("SGF begins with '('")?;
    let mut properties = Vec::new();
    loop {
        rest = rest.trim_start_matches(|sign: char| sign.is_whitespace() || sign == ';');
        if rest.starts_with(')') {
            return Ok(properties);
        }
        let (name, value) = rest.split_once('[').ok_or("SGF ends without ')'")?;
        let (mut end, mut signs) = (None, value.char_indices());
        while let Some((at, sign)) = signs.next() {
            match sign {
                '\\' => drop(signs.next()),
                ']' => {
                    end = Some(at);
                    break;
                }
                _ => {}
            }
        }
        let end = end.ok_or("SGF ends in a value, without ']'")?;
        properties.push((name.trim().to_owned(), value[..end].replace('\\', "")));
        rest = &value[end + 1..];
    }
}
