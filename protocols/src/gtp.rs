//! GTP, the Go Text Protocol, version 2 (Gunnar Farnebäck, draft 2 of 2002), for all games of two
//! seats, with Lajkonik's commands for Havannah, an extension for dice, and live analysis.
//!
//! `[id] command arguments` is answered by `=[id] text` or `?[id] problem`, and an empty line.
//! Underscores in command names are ignored.

mod analysis;
mod commands;

use crate::clock::Clock;
use crate::session::Session;
use crate::{Handler, MAX_LINE, Output, check_length, one_line};
use alea_play::playable::Playable;

#[derive(Default)]
pub(crate) struct Gtp {
    clocks: [Option<Clock>; 2],
}

struct Call<'a, G: Playable> {
    session: &'a mut Session<G>,
    clocks: &'a mut [Option<Clock>; 2],
    id: &'a str,
    words: &'a [&'a str],
    output: &'a mut dyn Output,
}

type Reply = Result<Option<String>, String>;

fn empty_reply() -> Reply {
    text_reply("")
}

fn text_reply(text: impl Into<String>) -> Reply {
    Ok(Some(text.into()))
}

fn syntax_error<T>(usage: &str) -> Result<T, String> {
    Err(format!("syntax error: {usage}"))
}

impl<G: Playable> Handler<G> for Gtp {
    const ERROR_PREFIX: &'static str = "?";

    fn handle(
        &mut self,
        session: &mut Session<G>,
        line: &str,
        output: &mut dyn Output,
    ) -> Result<String, String> {
        let cleaned = strip_comment(line);
        let words: Vec<&str> = cleaned.split_ascii_whitespace().collect();
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
        let command = commands.find(|(command, _)| is_same_command(command, name));
        let reply = check_length(line).and_then(|()| match command {
            Some((_, run)) => run(&mut Call {
                session,
                clocks: &mut self.clocks,
                id,
                words,
                output,
            }),
            None => Err("unknown command".to_owned()),
        });
        Ok(match reply {
            Ok(None) => String::new(),
            Ok(Some(text)) => {
                // An empty line would end the reply.
                let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
                let separator = ["", " ", " \n"][lines.len().min(2)];
                format!("={id}{separator}{}\n", lines.join("\n"))
            }
            Err(problem) => format!("?{id} {}\n", one_line(&problem)),
        })
    }
}

fn strip_comment(line: &str) -> String {
    let line = line.split('#').next().unwrap_or_default().chars();
    let line = line
        .take(MAX_LINE)
        .map(|letter| if letter == '\t' { ' ' } else { letter });
    line.filter(|letter| !letter.is_control()).collect()
}

fn is_same_command(one: &str, other: &str) -> bool {
    let letters = |name: &str| name.replace('_', "");
    letters(one) == letters(other)
}

impl<G: Playable> Call<'_, G> {
    fn parse_seat(&self, word: &str) -> Result<usize, String> {
        let titles = [0, 1].map(|seat| self.session.game.seat_title(seat));
        let word = word.to_ascii_lowercase();
        let is_named = |title: &&str| {
            let title = title.to_ascii_lowercase();
            title == word || title.get(..1) == Some(&word)
        };
        let seat = match &*word {
            "b" | "black" => Some(self.session.black_seat()),
            "w" | "white" => Some(1 - self.session.black_seat()),
            _ => titles.iter().position(is_named),
        };
        let [one, other] = titles;
        seat.ok_or_else(|| format!("invalid color: black, white, {one} or {other}, not '{word}'"))
    }

    fn check_turn(&self, word: &str) -> Result<(), String> {
        let (game, position) = (&self.session.game, &self.session.position);
        let (seat, to_move) = (self.parse_seat(word)?, game.to_move(position));
        if seat == to_move || game.payoffs(position).is_some() {
            return Ok(());
        }
        Err(format!("it is {}'s turn", game.seat_title(to_move)))
    }
}
