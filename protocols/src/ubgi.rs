//! UBGI 0.2, the engine interface of backgammon programs (`bungogood/bgci`), for all games of two
//! seats.
//!
//! Extensions are `position alea NOTATION`, one number after `dice`, and moves in the notation of
//! the game; `keys` lists the options.

use crate::session::{Choice, Query, Session, value_of};
use crate::{Action, Handler, Output, split_words};
use alea_play::playable::Playable;
use alea_play::player_notation::Notation;
use std::fmt::Display;

const BAD_COMMAND: &str = "bad_command";
const BAD_VALUE: &str = "bad_value";
const BAD_STATE: &str = "bad_state";
const UNSUPPORTED: &str = "unsupported";

fn error<T>(code: &str, problem: impl Display) -> Result<T, String> {
    Err(format!("{code} {problem}"))
}

fn bad_value(problem: String) -> String {
    format!("{BAD_VALUE} {problem}")
}

#[derive(Default)]
pub(crate) struct Ubgi {
    has_position: bool,
}

fn go<G: Playable>(session: &mut Session<G>, output: &mut dyn Output) -> Result<String, String> {
    let choice = session.choose(&Query::single(None), output);
    let choice = choice.or_else(|problem| error(BAD_STATE, problem))?;
    let Choice {
        mv, value, stats, ..
    } = choice;
    let mv = session.format_move(mv);
    let (nodes, depth, ms) = (stats.nodes, stats.depth, stats.time.as_millis());
    let score = value.map_or(String::new(), |value| format!(" score {value:.4}"));
    Ok(format!(
        "info nodes {nodes} time_ms {ms} depth {depth}{score} pv {mv}\nbestmove {mv}"
    ))
}

fn keys<G: Playable>(session: &Session<G>) -> Vec<[String; 3]> {
    let game = Notation::parse(&session.game.notation());
    let mut keys = Vec::new();
    for part in G::INFO.parameters.split(", ") {
        let (Some((name, values)), Ok(game)) = (part.split_once('='), &game) else {
            continue;
        };
        let default = values.split('|').next().unwrap_or_default();
        let kind = match values == default {
            true => "string *".to_owned(),
            false => format!("enum {values}"),
        };
        keys.push([format!("game.{name}"), kind, value_of(game, name, default)]);
    }
    for (key, value) in session.options() {
        keys.push(match &*key {
            "depth" => ["engine.ply".to_owned(), "int 1..127".to_owned(), value],
            _ => [format!("engine.{key}"), "string *".to_owned(), value],
        });
    }
    keys
}

fn set<G: Playable>(session: &mut Session<G>, key: &str, value: &str) -> Result<(), String> {
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

fn get<G: Playable>(session: &Session<G>, key: &str) -> Result<String, String> {
    let found = keys(session).into_iter().find(|[name, ..]| name == key);
    found.map_or_else(|| error(UNSUPPORTED, key), |[_, _, value]| Ok(value))
}

impl<G: Playable> Handler<G> for Ubgi {
    const ERROR_PREFIX: &'static str = "error";

    fn handle(
        &mut self,
        session: &mut Session<G>,
        line: &str,
        output: &mut dyn Output,
    ) -> Result<String, String> {
        let words = split_words(line).or_else(|problem| error(BAD_COMMAND, problem))?;
        match *words {
            ["quit"] => session.action = Action::Quit,
            ["ubgi"] => {
                let version = env!("CARGO_PKG_VERSION");
                return Ok(format!(
                    "id name Alea {version}\nid author the authors of Alea\nproto 0.2\nubgiok"
                ));
            }
            ["isready"] => return Ok("readyok".to_owned()),
            ["newgame"] => {
                session.start_new_game();
                self.has_position = false;
            }
            ["position", "alea", ref notation @ ..] => {
                let text = notation.join(" ");
                // A `dice` command usually follows, so the text is first tried as a position before
                // its roll.
                let before_roll = session.continue_at(&format!("{text} -"));
                let set = before_roll.or_else(|_| session.continue_at(&text));
                set.map_err(bad_value)?;
                self.has_position = true;
            }
            ["position", kind, ref text @ ..] if G::INFO.ubgi_positions.contains(&kind) => {
                session.continue_at(&text.join(" ")).map_err(bad_value)?;
                self.has_position = true;
            }
            ["position", kind, ..] => {
                let kinds = ["alea"].iter().chain(G::INFO.ubgi_positions);
                let kinds: Vec<_> = kinds.copied().collect();
                let kinds = kinds.join(", ");
                return error(UNSUPPORTED, format!("position {kind}; there is {kinds}"));
            }
            ["dice", ..] if !Session::<G>::has_dice() => return error(UNSUPPORTED, "dice"),
            ["dice", ..] | ["go"] | ["go", "chequer"] if !self.has_position => {
                return error(BAD_STATE, "missing position");
            }
            ["dice", ref dice @ ..] => {
                let set = session.set_die(&dice.join(" "));
                set.map_err(|problem| match dice.len() {
                    1 => bad_value(problem),
                    _ => format!("{BAD_COMMAND} {}", words.join(" ")),
                })?;
            }
            ["go"] | ["go", "chequer"] => return go(session, output),
            ["go", _] => return error(UNSUPPORTED, words.join(" ")),
            ["keys"] => {
                let keys = keys(session).into_iter();
                let lines = keys.map(|[key, kind, value]| format!("key {key} {kind} {value}"));
                return Ok(lines.collect::<Vec<_>>().join("\n"));
            }
            ["set", key, ref value @ ..] if !value.is_empty() => {
                set(session, key, &value.join(" "))?;
            }
            ["get", key] => return Ok(format!("value {key} {}", get(session, key)?)),
            [] | ["stop"] => {}
            _ => return error(BAD_COMMAND, words.join(" ")),
        }
        Ok(String::new())
    }
}
