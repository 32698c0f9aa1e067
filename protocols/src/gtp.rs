//! GTP, the Go Text Protocol, version 2 (Gunnar Farnebäck, draft 2 of 2002), for all games of two
//! seats, with what Lajkonik adds for Havannah, an extension for dice, and live information.
//!
//! `[id] command arguments` is answered by `=[id] text` or `?[id] problem`, and an empty line.
//! Control characters are dropped, tabs are blanks, `#` begins a comment, and underscores in names of
//! commands do not count. Invariant: every line that is not empty is answered once.

mod analysis;
mod commands;

use crate::clock::Clock;
use crate::protocol::{LONGEST_LINE, Outside, Protocol, not_too_long, one_line};
use crate::session::{Open, Refusal, Session, change_game};
use crate::sitting::black;
use commands::COMMANDS;

/// A conversation.
pub struct Gtp {
    session: Box<dyn Session>,
    open: Open,
    /// The player that the game began with.
    usual: String,
    /// The time of each seat, if it is limited.
    clocks: [Option<Clock>; 2],
    quits: bool,
}

/// A command as it was given.
struct Call<'a> {
    id: &'a str,
    words: &'a [&'a str],
    outside: &'a mut dyn Outside,
}

/// How a command is answered.
enum Answer {
    /// By this text.
    Text(String),
    /// It has said its answer itself, but for the empty line.
    Said,
}

type Answered = Result<Answer, Refusal>;
/// A command's name and what it does.
type Command = (&'static str, fn(&mut Gtp, &mut Call<'_>) -> Answered);

fn done() -> Answered {
    Ok(Answer::Text(String::new()))
}

fn text(text: impl Into<String>) -> Answered {
    Ok(Answer::Text(text.into()))
}

/// The standard's words for arguments that are wrong, and what would be right.
fn syntax<T>(usage: &str) -> Result<T, Refusal> {
    Err(format!("syntax error: {usage}"))
}

impl Protocol for Gtp {
    fn hear(&mut self, line: &str, outside: &mut dyn Outside) -> bool {
        let heard = cleaned(line);
        let words: Vec<&str> = heard.split_ascii_whitespace().collect();
        let is_id = |word: &&&str| word.bytes().all(|digit| digit.is_ascii_digit());
        let (id, words) = match words.first().filter(is_id) {
            // An id is a number of 31 bits.
            Some(id) if id.len() <= 10 => (*id, &words[1..]),
            _ => ("", &words[..]),
        };
        let Some((&name, words)) = words.split_first() else {
            if !id.is_empty() {
                outside.say(&format!("?{id} syntax error: a command follows the id\n"));
            }
            return true;
        };
        let known = COMMANDS.iter().find(|(known, _)| same(known, name));
        let mut call = Call { id, words, outside };
        let answer = not_too_long(line).and_then(|()| match known {
            Some((_, answer)) => answer(self, &mut call),
            None => Err("unknown command".to_owned()),
        });
        outside.say(&match answer {
            Ok(Answer::Said) => String::new(),
            Ok(Answer::Text(text)) if text.is_empty() => format!("={id}\n"),
            Ok(Answer::Text(text)) => {
                // An empty line would be the end.
                let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
                let begins = if lines.len() > 1 { "\n" } else { "" };
                format!("={id} {begins}{}\n", lines.join("\n"))
            }
            Err(problem) => format!("?{id} {}\n", one_line(&problem)),
        });
        !self.quits
    }
}

/// A line without what the standard has dropped, as far as it is read at all.
fn cleaned(line: &str) -> String {
    let line: String = line.chars().take(LONGEST_LINE).collect();
    let line = line.split('#').next().unwrap_or_default();
    let kept = line
        .chars()
        .filter(|&sign| sign == '\t' || !sign.is_control());
    kept.map(|sign| if sign == '\t' { ' ' } else { sign })
        .collect()
}

/// Whether two names are the same command: underscores do not count, nor does the sign that
/// others have in their place.
fn same(known: &str, name: &str) -> bool {
    let counts = |sign: &u8| !b"_-".contains(sign);
    known.bytes().filter(counts).eq(name.bytes().filter(counts))
}

impl Gtp {
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
            clocks: [None; 2],
            quits: false,
        })
    }

    /// Goes over to another game.
    fn change_game(&mut self, game: &str) -> Result<(), Refusal> {
        change_game(&mut self.session, &mut self.usual, &self.open, game)
    }

    /// The seat that a word names: a colour of Go, or a seat's own name or its first letter.
    fn seat(&self, word: &str) -> Result<usize, Refusal> {
        let titles = self.session.titles();
        let named = |title: &&str| {
            let initial = title.get(..1).unwrap_or_default();
            title.eq_ignore_ascii_case(word) || initial.eq_ignore_ascii_case(word)
        };
        let dark = black(titles);
        let seat = match &*word.to_ascii_lowercase() {
            "b" | "black" => Some(dark),
            "w" | "white" => Some(1 - dark),
            _ => titles.iter().position(named),
        };
        let [first, second] = titles;
        seat.ok_or_else(|| {
            format!("invalid color: black, white, {first} or {second}, not '{word}'")
        })
    }

    /// Refuses to do something for a seat whose turn it is not.
    fn turn(&self, word: &str) -> Result<(), Refusal> {
        let (seat, to_move) = (self.seat(word)?, self.session.to_move());
        match self.session.winner() {
            None if seat != to_move => {
                let title = self.session.titles()[to_move];
                Err(format!("it is {title}'s turn"))
            }
            _ => Ok(()),
        }
    }

    /// A seat as answers name it: `white`.
    fn name_of(&self, seat: usize) -> String {
        let title = self.session.titles()[seat];
        title.to_ascii_lowercase().replace(' ', "_")
    }
}
