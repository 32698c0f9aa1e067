//! UBGI 0.2, the engine interface of backgammon programs (`bungogood/bgci`), for all games of two
//! seats.
//!
//! Ours is the type of position, `position alea NOTATION`, one number after `dice`, and moves in the
//! notation of the game; `keys` tells what can be set. Invariant: what is not understood is answered
//! by one `error` line with one of the four codes, and changes nothing.

use crate::protocol::{Outside, Protocol, not_too_long, one_line};
use crate::session::{Open, Refusal, Session, change_game};

/// What is wrong: a code, and in words.
type Wrong = (&'static str, String);

const BAD_COMMAND: &str = "bad_command";
const BAD_VALUE: &str = "bad_value";
const BAD_STATE: &str = "bad_state";
const UNSUPPORTED: &str = "unsupported";

fn wrong<T>(code: &'static str, problem: impl Into<String>) -> Result<T, Wrong> {
    Err((code, problem.into()))
}

fn value(problem: Refusal) -> Wrong {
    (BAD_VALUE, problem)
}

/// A conversation.
pub struct Ubgi {
    session: Box<dyn Session>,
    open: Open,
    /// The player that the game began with.
    usual: String,
    /// Whether a position was given since the game began.
    placed: bool,
}

impl Ubgi {
    /// A conversation that begins with a game.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub fn new(open: Open, game: &str) -> Result<Self, Refusal> {
        let session = open(game)?;
        Ok(Self {
            usual: session.player(),
            session,
            open,
            placed: false,
        })
    }

    fn position(&mut self, words: &[&str]) -> Result<(), Wrong> {
        match words {
            ["alea", notation @ ..] if !notation.is_empty() => {
                let text = notation.join(" ");
                // What is rolled is said later.
                let open = match self.session.faces() {
                    Some(_) => self.session.set_position(&format!("{text} -")),
                    None => Err(String::new()),
                };
                open.or_else(|_| self.session.set_position(&text))
                    .map_err(value)?;
                self.placed = true;
                Ok(())
            }
            ["gnubgid" | "xgid", ..] => wrong(UNSUPPORTED, "this is no backgammon: position alea"),
            _ => wrong(BAD_COMMAND, "expected: position alea NOTATION"),
        }
    }

    fn dice(&mut self, words: &[&str]) -> Result<(), Wrong> {
        let Some([first, last]) = self.session.faces() else {
            return wrong(UNSUPPORTED, "this game has no dice");
        };
        if !self.placed {
            return wrong(BAD_STATE, "missing position");
        }
        let [die] = words else {
            return wrong(BAD_COMMAND, format!("expected: dice {first}..{last}"));
        };
        let Ok(face) = die.parse() else {
            return wrong(BAD_VALUE, format!("dice must_be {first}..{last}"));
        };
        match self.session.winner() {
            Some(_) => wrong(BAD_STATE, "the game is over"),
            None => self.session.set_die(face).map_err(value),
        }
    }

    fn go(&mut self, words: &[&str]) -> Result<String, Wrong> {
        match words {
            [] | ["chequer"] => {}
            ["cube" | "turn"] => return wrong(UNSUPPORTED, format!("go {}", words[0])),
            _ => return wrong(BAD_COMMAND, "expected: go"),
        }
        if !self.placed {
            return wrong(BAD_STATE, "missing position");
        }
        if self.session.winner().is_some() {
            return wrong(BAD_STATE, "the game is over");
        }
        if self.session.faces().is_some() && self.session.die().is_none() {
            return wrong(BAD_STATE, "missing dice");
        }
        let choice = self.session.think(None);
        let choice = choice.map_err(|problem| (BAD_STATE, problem))?;
        let (cost, mv) = (choice.cost, choice.mv);
        let mut info = format!(
            "info nodes {} time_ms {}",
            cost.nodes,
            cost.time.as_millis()
        );
        if cost.depth > 0 {
            info += &format!(" depth {}", cost.depth);
        }
        if let Some(value) = choice.value {
            info += &format!(" score {value:.4}");
        }
        Ok(format!("{info} pv {mv}\nbestmove {mv}"))
    }

    /// The parameters of the game: name, type, and the value that counts.
    fn parameters(&self) -> Vec<(&'static str, String, String)> {
        let game = self.session.game();
        let said = |name: &str| {
            let (_, rest) = game.split_once(&format!("{name}="))?;
            Some(rest.split([',', ')']).next()?.to_owned())
        };
        let parts = self.session.parameters().split(", ");
        let one = |(name, values): (&'static str, &str)| {
            let usual = values.split('|').next().unwrap_or_default().to_owned();
            let kind = match values.contains('|') {
                true => format!("enum {values}"),
                false => "string *".to_owned(),
            };
            (name, kind, said(name).unwrap_or(usual))
        };
        parts
            .filter_map(|part| part.split_once('='))
            .map(one)
            .collect()
    }

    fn keys(&self) -> String {
        let mut lines = Vec::new();
        for (name, kind, value) in self.parameters() {
            lines.push(format!("key game.{name} {kind} {value} a rule of the game"));
        }
        let player = self.session.player();
        lines.push(format!(
            "key engine.player string * {player} the player, in notation"
        ));
        for option in self.session.options() {
            let value = self.session.option(&option);
            let value = value.as_deref().unwrap_or("default");
            lines.push(match &*option {
                "depth" => format!("key engine.ply int 1..127 {value} root-inclusive depth"),
                _ => format!("key engine.{option} string * {value} an option of the player"),
            });
        }
        lines.join("\n")
    }

    fn set(&mut self, words: &[&str]) -> Result<(), Wrong> {
        let [key, value_words @ ..] = words else {
            return wrong(BAD_COMMAND, "expected: set KEY VALUE");
        };
        if value_words.is_empty() {
            return wrong(BAD_COMMAND, "expected: set KEY VALUE");
        }
        let text = value_words.join(" ");
        match key.split_once('.') {
            Some(("engine", "player")) => self.session.set_player(&text).map_err(value),
            Some(("engine", option)) => {
                let option = self.option_named(option)?;
                self.session.set_option(&option, &text).map_err(value)
            }
            Some(("game", name)) => self.set_parameter(name, &text),
            _ => wrong(UNSUPPORTED, (*key).to_owned()),
        }
    }

    fn option_named(&self, name: &str) -> Result<String, Wrong> {
        let option = if name == "ply" { "depth" } else { name };
        match self.session.options().iter().any(|known| known == option) {
            true => Ok(option.to_owned()),
            false => wrong(UNSUPPORTED, format!("engine.{name}")),
        }
    }

    fn set_parameter(&mut self, name: &str, text: &str) -> Result<(), Wrong> {
        let parameters = self.parameters();
        if parameters.iter().all(|(known, ..)| *known != name) {
            return wrong(UNSUPPORTED, format!("game.{name}"));
        }
        let is_word = |sign: char| sign.is_ascii_alphanumeric() || "/._-".contains(sign);
        if !text.chars().all(is_word) {
            return wrong(BAD_VALUE, format!("game.{name} is one word"));
        }
        let game = self.session.game();
        let (own, said) = game.split_once('(').unwrap_or((&game, ""));
        let others = said.trim_end_matches(')').split(", ").filter(|part| {
            let named = part.split_once('=').map(|(key, _)| key);
            named.is_some_and(|key| key != name)
        });
        let mut arguments: Vec<String> = others.map(str::to_owned).collect();
        arguments.push(format!("{name}={text}"));
        let game = format!("{own}({})", arguments.join(", "));
        change_game(&mut self.session, &mut self.usual, &self.open, &game).map_err(value)?;
        self.placed = false;
        Ok(())
    }

    fn get(&self, words: &[&str]) -> Result<String, Wrong> {
        let [key] = words else {
            return wrong(BAD_COMMAND, "expected: get KEY");
        };
        let found = match key.split_once('.') {
            Some(("engine", "player")) => self.session.player(),
            Some(("engine", option)) => {
                let value = self.session.option(&self.option_named(option)?);
                value.unwrap_or("default".to_owned())
            }
            Some(("game", name)) => {
                let parameters = self.parameters();
                match parameters.into_iter().find(|(known, ..)| *known == name) {
                    Some((_, _, value)) => value,
                    None => return wrong(UNSUPPORTED, (*key).to_owned()),
                }
            }
            _ => return wrong(UNSUPPORTED, (*key).to_owned()),
        };
        Ok(format!("value {key} {found}"))
    }

    fn answer(&mut self, words: &[&str]) -> Result<String, Wrong> {
        let nothing = |()| String::new();
        match words {
            ["ubgi"] => Ok(format!(
                "id name Alea {}\nid author the authors of Alea\nproto 0.2\nubgiok",
                env!("CARGO_PKG_VERSION")
            )),
            ["isready"] => Ok("readyok".to_owned()),
            ["newgame"] => {
                self.session.clear();
                self.placed = false;
                Ok(String::new())
            }
            ["position", words @ ..] => self.position(words).map(nothing),
            ["dice", words @ ..] => self.dice(words).map(nothing),
            ["go", words @ ..] => self.go(words),
            ["keys"] => Ok(self.keys()),
            ["set", words @ ..] => self.set(words).map(nothing),
            ["get", words @ ..] => self.get(words),
            [first, ..] => wrong(BAD_COMMAND, (*first).to_owned()),
            [] => Ok(String::new()),
        }
    }
}

impl Protocol for Ubgi {
    fn hear(&mut self, line: &str, outside: &mut dyn Outside) -> bool {
        let words: Vec<&str> = line.split_whitespace().collect();
        if words == ["quit"] {
            return false;
        }
        let fits = not_too_long(line).map_err(|problem| (BAD_COMMAND, problem));
        match fits.and_then(|()| self.answer(&words)) {
            Ok(text) if text.is_empty() => {}
            Ok(text) => outside.say(&text),
            Err((code, problem)) => outside.say(&format!("error {code} {}", one_line(&problem))),
        }
        true
    }
}
