//! GTP, the Go Text Protocol, version 2 (Gunnar Farnebäck, draft 2 of 2002), for all games of two
//! seats, with what Lajkonik adds for Havannah, an extension for dice, and live information.
//!
//! `[id] command arguments` is answered by `=[id] text` or `?[id] problem`, and an empty line.
//! Control characters are dropped, tabs are blanks, `#` begins a comment, and underscores in names of
//! commands do not count. Invariant: every line that is not empty is answered once.

mod analysis;
mod commands;

use crate::clock::Clock;
use crate::session::Session;
use crate::{Answers, MAX_LINE, Outside, ProtocolGame, not_too_long, one_line};

/// The time of each seat, if it is limited.
#[derive(Default)]
pub(crate) struct Gtp {
    clocks: [Option<Clock>; 2],
}

/// A command as it was given.
struct Call<'a, G: ProtocolGame> {
    session: &'a mut Session<G>,
    clocks: &'a mut [Option<Clock>; 2],
    id: &'a str,
    words: &'a [&'a str],
    outside: &'a mut dyn Outside,
}

/// The text of the answer; `None` if all of it has been said.
type Answered = Result<Option<String>, String>;

fn done() -> Answered {
    text("")
}

fn text(text: impl Into<String>) -> Answered {
    Ok(Some(text.into()))
}

/// The standard's words for arguments that are wrong, and what would be right.
fn syntax<T>(usage: &str) -> Result<T, String> {
    Err(format!("syntax error: {usage}"))
}

impl<G: ProtocolGame> Answers<G> for Gtp {
    const PROBLEM: &'static str = "?";

    fn answer(
        &mut self,
        session: &mut Session<G>,
        line: &str,
        outside: &mut dyn Outside,
    ) -> Result<String, String> {
        let heard = cleaned(line);
        let words: Vec<&str> = heard.split_ascii_whitespace().collect();
        // An id is a number of 31 bits.
        let is_id = |word: &&str| word.parse::<u32>().is_ok();
        let (id, words) = match *words {
            [id, ref words @ ..] if is_id(&id) => (id, words),
            _ => ("", &*words),
        };
        let Some((name, words)) = words.split_first() else {
            return Ok(match id {
                "" => String::new(),
                _ => format!("?{id} syntax error: a command follows the id\n"),
            });
        };
        let mut commands = Call::<G>::COMMANDS.iter();
        let known = commands.find(|(known, _)| same(known, name));
        let answer = not_too_long(line).and_then(|()| match known {
            Some((_, answer)) => answer(&mut Call {
                session,
                clocks: &mut self.clocks,
                id,
                words,
                outside,
            }),
            None => Err("unknown command".to_owned()),
        });
        Ok(match answer {
            Ok(None) => String::new(),
            Ok(Some(text)) => {
                // An empty line would be the end.
                let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
                let begins = ["", " ", " \n"][lines.len().min(2)];
                format!("={id}{begins}{}\n", lines.join("\n"))
            }
            Err(problem) => format!("?{id} {}\n", one_line(&problem)),
        })
    }
}

/// A line without what the standard has dropped, as far as it is read at all.
fn cleaned(line: &str) -> String {
    let line = line.split('#').next().unwrap_or_default().chars();
    let line = line
        .take(MAX_LINE)
        .map(|sign| if sign == '\t' { ' ' } else { sign });
    line.filter(|sign| !sign.is_control()).collect()
}

/// Whether two names are the same command.
fn same(known: &str, name: &str) -> bool {
    let counts = |sign: &u8| *sign != b'_';
    known.bytes().filter(counts).eq(name.bytes().filter(counts))
}

impl<G: ProtocolGame> Call<'_, G> {
    /// The seat that a word names: a colour of Go, or a seat's own name or its first letter.
    fn seat(&self, word: &str) -> Result<usize, String> {
        let titles = [0, 1].map(|seat| self.session.game.seat_title(seat));
        let word = word.to_ascii_lowercase();
        let is_named = |title: &&str| {
            let title = title.to_ascii_lowercase();
            title == word || title.get(..1) == Some(&word)
        };
        let seat = match &*word {
            "b" | "black" => Some(self.session.black()),
            "w" | "white" => Some(1 - self.session.black()),
            _ => titles.iter().position(is_named),
        };
        let [one, other] = titles;
        seat.ok_or_else(|| format!("invalid color: black, white, {one} or {other}, not '{word}'"))
    }

    /// Refuses to do something for a seat whose turn it is not.
    fn turn(&self, word: &str) -> Result<(), String> {
        let (game, position) = (&self.session.game, &self.session.position);
        let (seat, to_move) = (self.seat(word)?, game.to_move(position));
        if seat == to_move || game.payoffs(position).is_some() {
            return Ok(());
        }
        Err(format!("it is {}'s turn", game.seat_title(to_move)))
    }
}
