//! UBGI 0.2, the engine interface of backgammon programs (`bungogood/bgci`), for all games of two
//! seats.
//!
//! Ours is the type of position, `position alea NOTATION`, one number after `dice`, and moves in the
//! notation of the game; `keys` tells what can be set. Invariant: what is not understood is answered
//! by one `error` line with one of the four codes, and changes nothing.

use crate::sitting::{Sitting, value_of};
use crate::{Next, Open, Outside, Protocol, Spoken, not_too_long, one_line};
use engine::play::notation::Notation;

/// A code and what is wrong in words.
type Wrong = (&'static str, String);

const BAD_COMMAND: &str = "bad_command";
const BAD_VALUE: &str = "bad_value";
const BAD_STATE: &str = "bad_state";
const UNSUPPORTED: &str = "unsupported";

fn wrong<T>(code: &'static str, problem: impl Into<String>) -> Result<T, Wrong> {
    Err((code, problem.into()))
}

fn bad_value(problem: String) -> Wrong {
    (BAD_VALUE, problem)
}

/// A conversation.
pub(crate) struct Ubgi<G: Spoken> {
    sitting: Sitting<G>,
    open: Open,
    /// Whether a position was given since the game began.
    placed: bool,
    next: Next,
}

impl<G: Spoken> Ubgi<G> {
    pub(crate) fn new(sitting: Sitting<G>, open: Open) -> Self {
        Self {
            sitting,
            open,
            placed: false,
            next: Next::Line,
        }
    }

    fn go(&mut self) -> Result<String, Wrong> {
        if !self.placed {
            return wrong(BAD_STATE, "missing position");
        }
        let chosen = self.sitting.think(None);
        let (mv, value, stats) = chosen.map_err(|problem| (BAD_STATE, problem))?;
        let (nodes, depth, ms) = (stats.nodes, stats.depth, stats.time.as_millis());
        let score = value.map_or(String::new(), |value| format!(" score {value:.4}"));
        Ok(format!(
            "info nodes {nodes} time_ms {ms} depth {depth}{score} pv {mv}\nbestmove {mv}"
        ))
    }

    /// Every key with its type and its value.
    fn keys(&self) -> Vec<[String; 3]> {
        let game = Notation::parse(&self.sitting.game.notation());
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
        let player = ("player".to_owned(), self.sitting.player.to_string());
        for (key, value) in [vec![player], self.sitting.options()].concat() {
            keys.push(match &*key {
                "depth" => ["engine.ply".to_owned(), "int 1..127".to_owned(), value],
                _ => [format!("engine.{key}"), "string *".to_owned(), value],
            });
        }
        keys
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), Wrong> {
        self.get(key)?;
        match key.split_once('.') {
            Some(("game", name)) => {
                let game = self
                    .sitting
                    .with_parameter(name, value)
                    .map_err(bad_value)?;
                let player = self.sitting.player.to_string();
                let player = self.sitting.is_asked.then_some(&*player);
                let other = (self.open)(&game, player).or_else(|_| (self.open)(&game, None));
                self.next = Next::Other(other.map_err(bad_value)?);
                Ok(())
            }
            Some((_, "player")) => self.sitting.set_player(value).map_err(bad_value),
            Some((_, "ply")) => self.sitting.set_option("depth", value).map_err(bad_value),
            Some((_, option)) => self.sitting.set_option(option, value).map_err(bad_value),
            None => Ok(()),
        }
    }

    fn get(&self, key: &str) -> Result<String, Wrong> {
        let found = self.keys().into_iter().find(|[known, ..]| known == key);
        found.map_or_else(|| wrong(UNSUPPORTED, key), |[_, _, value]| Ok(value))
    }

    fn answer(&mut self, words: &[&str]) -> Result<String, Wrong> {
        let version = env!("CARGO_PKG_VERSION");
        match words {
            ["ubgi"] => Ok(format!(
                "id name Alea {version}\nid author the authors of Alea\nproto 0.2\nubgiok"
            )),
            ["isready"] => Ok("readyok".to_owned()),
            ["newgame"] => {
                self.sitting.clear();
                self.placed = false;
                Ok(String::new())
            }
            ["position", "alea", notation @ ..] => {
                let text = notation.join(" ");
                // The die is said later.
                let open = self.sitting.set_position(&format!("{text} -"));
                let read = open.or_else(|_| self.sitting.set_position(&text));
                read.map_err(bad_value)?;
                self.placed = true;
                Ok(String::new())
            }
            ["position", kind, ..] => wrong(UNSUPPORTED, format!("position {kind}: alea NOTATION")),
            ["dice", ..] if !Sitting::<G>::has_dice() => wrong(UNSUPPORTED, "dice"),
            ["dice", ..] if !self.placed => wrong(BAD_STATE, "missing position"),
            ["dice", face] => {
                let face = face
                    .parse()
                    .or_else(|_| wrong(BAD_VALUE, format!("dice {face}")))?;
                self.sitting.set_die(face).map_err(bad_value)?;
                Ok(String::new())
            }
            ["go"] | ["go", "chequer"] => self.go(),
            ["go", kind] => wrong(UNSUPPORTED, format!("go {kind}")),
            ["keys"] => {
                let keys = self.keys();
                let lines = keys
                    .iter()
                    .map(|[key, kind, value]| format!("key {key} {kind} {value}"));
                Ok(lines.collect::<Vec<_>>().join("\n"))
            }
            ["set", key, value @ ..] if !value.is_empty() => {
                self.set(key, &value.join(" "))?;
                Ok(String::new())
            }
            ["get", key] => Ok(format!("value {key} {}", self.get(key)?)),
            [] => Ok(String::new()),
            _ => wrong(BAD_COMMAND, words.join(" ")),
        }
    }
}

impl<G: Spoken> Protocol for Ubgi<G> {
    fn hear(&mut self, line: &str, outside: &mut dyn Outside) -> Next {
        let words: Vec<&str> = line.split_whitespace().collect();
        if words == ["quit"] {
            return Next::End;
        }
        let fits = not_too_long(line).map_err(|problem| (BAD_COMMAND, problem));
        match fits.and_then(|()| self.answer(&words)) {
            Ok(text) if text.is_empty() => {}
            Ok(text) => outside.say(&text),
            Err((code, problem)) => outside.say(&format!("error {code} {}", one_line(&problem))),
        }
        std::mem::replace(&mut self.next, Next::Line)
    }
}
