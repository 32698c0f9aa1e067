//! UBGI 0.2, the engine interface of backgammon programs (`bungogood/bgci`), for all games of two
//! seats.
//!
//! Ours is the type of position, `position alea NOTATION`, one number after `dice`, and moves in the
//! notation of the game; `keys` tells what can be set. Invariant: what is not understood is answered
//! by one `error` line with one of the four codes, and changes nothing.

use crate::session::{Asked, Choice, Session, value_of};
use crate::{Answers, Next, Outside, ProtocolGame, words};
use engine::play::notation::Notation;
use std::fmt::Display;

const BAD_COMMAND: &str = "bad_command";
const BAD_VALUE: &str = "bad_value";
const BAD_STATE: &str = "bad_state";
const UNSUPPORTED: &str = "unsupported";

/// A code and what is wrong in words.
fn wrong<T>(code: &str, problem: impl Display) -> Result<T, String> {
    Err(format!("{code} {problem}"))
}

fn bad_value(problem: String) -> String {
    format!("{BAD_VALUE} {problem}")
}

#[derive(Default)]
pub(crate) struct Ubgi {
    /// Whether a position was given since the game began.
    placed: bool,
}

fn go<G: ProtocolGame>(
    session: &mut Session<G>,
    outside: &mut dyn Outside,
) -> Result<String, String> {
    let chosen = session.think(&Asked::once(None), outside);
    let chosen = chosen.or_else(|problem| wrong(BAD_STATE, problem))?;
    let Choice {
        mv, value, stats, ..
    } = chosen;
    let (nodes, depth, ms) = (stats.nodes, stats.depth, stats.time.as_millis());
    let score = value.map_or(String::new(), |value| format!(" score {value:.4}"));
    Ok(format!(
        "info nodes {nodes} time_ms {ms} depth {depth}{score} pv {mv}\nbestmove {mv}"
    ))
}

/// Every key with its type and its value.
fn keys<G: ProtocolGame>(session: &Session<G>) -> Vec<[String; 3]> {
    let game = Notation::parse(&session.game.notation());
    let mut keys = Vec::new();
    for part in G::PARAMETERS.split(", ") {
        let (Some((name, values)), Ok(game)) = (part.split_once('='), &game) else {
            continue;
        };
        let usual = values.split('|').next().unwrap_or_default();
        let kind = match values == usual {
            true => "string *".to_owned(),
            false => format!("enum {values}"),
        };
        keys.push([format!("game.{name}"), kind, value_of(game, name, usual)]);
    }
    for (key, value) in session.options() {
        keys.push(match &*key {
            "depth" => ["engine.ply".to_owned(), "int 1..127".to_owned(), value],
            _ => [format!("engine.{key}"), "string *".to_owned(), value],
        });
    }
    keys
}

fn set<G: ProtocolGame>(session: &mut Session<G>, key: &str, value: &str) -> Result<(), String> {
    get(session, key)?;
    let set = match key.split_once('.') {
        Some(("game", name)) => {
            let game = session.with_parameter(name, value);
            game.and_then(|game| session.change_game(&game))
        }
        Some((_, "ply")) => session.set_option("depth", value),
        Some((_, option)) => session.set_option(option, value),
        None => Ok(()),
    };
    set.map_err(bad_value)
}

fn get<G: ProtocolGame>(session: &Session<G>, key: &str) -> Result<String, String> {
    let found = keys(session).into_iter().find(|[known, ..]| known == key);
    found.map_or_else(|| wrong(UNSUPPORTED, key), |[_, _, value]| Ok(value))
}

impl<G: ProtocolGame> Answers<G> for Ubgi {
    const PROBLEM: &'static str = "error";

    fn answer(
        &mut self,
        session: &mut Session<G>,
        line: &str,
        outside: &mut dyn Outside,
    ) -> Result<String, String> {
        let words = words(line).or_else(|problem| wrong(BAD_COMMAND, problem))?;
        match *words {
            ["quit"] => session.next = Next::End,
            ["ubgi"] => {
                let version = env!("CARGO_PKG_VERSION");
                return Ok(format!(
                    "id name Alea {version}\nid author the authors of Alea\nproto 0.2\nubgiok"
                ));
            }
            ["isready"] => return Ok("readyok".to_owned()),
            ["newgame"] => {
                session.clear();
                self.placed = false;
            }
            ["position", "alea", ref notation @ ..] => {
                let text = notation.join(" ");
                // The die is said later.
                let open = session.set_position(&format!("{text} -"));
                let read = open.or_else(|_| session.set_position(&text));
                read.map_err(bad_value)?;
                self.placed = true;
            }
            ["position", kind, ..] => {
                return wrong(UNSUPPORTED, format!("position {kind}: alea NOTATION"));
            }
            ["dice", ..] if !Session::<G>::has_dice() => return wrong(UNSUPPORTED, "dice"),
            ["dice", ..] | ["go"] | ["go", "chequer"] if !self.placed => {
                return wrong(BAD_STATE, "missing position");
            }
            ["dice", face] => {
                let face = face.parse();
                let face = face.or_else(|_| wrong(BAD_VALUE, words.join(" ")))?;
                session.set_die(face).map_err(bad_value)?;
            }
            ["go"] | ["go", "chequer"] => return go(session, outside),
            ["go", _] => return wrong(UNSUPPORTED, words.join(" ")),
            ["keys"] => {
                let keys = keys(session).into_iter();
                let lines = keys.map(|[key, kind, value]| format!("key {key} {kind} {value}"));
                return Ok(lines.collect::<Vec<_>>().join("\n"));
            }
            ["set", key, ref value @ ..] if !value.is_empty() => {
                set(session, key, &value.join(" "))?;
            }
            ["get", key] => return Ok(format!("value {key} {}", get(session, key)?)),
            // By then the search that it came to end has ended.
            [] | ["stop"] => {}
            _ => return wrong(BAD_COMMAND, words.join(" ")),
        }
        Ok(String::new())
    }
}
