//! The NBoard protocol, version 2 (Chris Welty), for Reversi.
//!
//! Moves are `F5`, `PA` passes; games are GGF. An engine does not play what it answers to `go`: it
//! waits for `move`. Values are discs from the view of the side to move: the exact difference where it
//! is proven, else 64 for a certain win to −64 for a certain defeat. Invariant: what is not understood
//! is ignored, as the protocol asks, and `pong` comes after all that was asked before it.

use crate::protocol::{Outside, Protocol, not_too_long, one_line};
use crate::session::{Rate, Rates, Refusal, Session};
use std::time::Duration;

/// Between two pieces of information of a hint, at first; twice as long each time, up to the other.
const FIRST_SLICE: Duration = Duration::from_millis(100);
const LAST_SLICE: Duration = Duration::from_millis(800);
/// Discs that a certain win counts.
const MOST_DISCS: f32 = 64.0;

/// A conversation.
pub struct NBoard {
    session: Box<dyn Session>,
    /// Plies of a search, if that was said.
    depth: Option<u32>,
}

impl NBoard {
    /// A conversation about a session of Reversi.
    #[must_use]
    pub fn new(session: Box<dyn Session>) -> Self {
        Self {
            session,
            depth: None,
        }
    }

    fn set(
        &mut self,
        words: &[&str],
        line: &str,
        outside: &mut dyn Outside,
    ) -> Result<(), Refusal> {
        match words {
            ["depth", depth] => {
                let depth = depth.parse().ok().filter(|depth| (1..=127).contains(depth));
                let depth: u32 = depth.ok_or("the depth is a number from 1 to 127")?;
                self.session.set_option("depth", &depth.to_string())?;
                self.depth = Some(depth);
                outside.say(&format!("set myname Alea{depth}"));
                Ok(())
            }
            ["game", ..] => {
                let game = line.split_once("game").map_or("", |(_, game)| game);
                self.session.set_game(game)
            }
            // Contempt and what else other programs know.
            _ => Ok(()),
        }
    }

    fn play(&mut self, word: &str) -> Result<(), Refusal> {
        let mv = word.split('/').next().unwrap_or_default();
        let mv = if mv.eq_ignore_ascii_case("PA") {
            "pass"
        } else {
            mv
        };
        self.session.play(mv).or_else(|problem| {
            // Some leave a pass out.
            self.session.play("pass").map_err(|_| problem.clone())?;
            self.session.play(mv).inspect_err(|_| {
                self.session.undo();
            })
        })
    }

    fn go(&mut self, outside: &mut dyn Outside) -> Result<(), Refusal> {
        outside.say("status thinking");
        let chosen = self.session.think(None);
        outside.say("status");
        let choice = chosen?;
        let seconds = choice.cost.time.as_secs_f64();
        outside.say(&format!("nodestats {} {seconds:.3}", choice.cost.nodes));
        let mv = theirs(&choice.mv);
        outside.say(&match choice.value {
            Some(value) => format!("=== {mv}/{:.2}/{seconds:.3}", discs(value)),
            None => format!("=== {mv}"),
        });
        Ok(())
    }

    /// Thinks until the depth is reached or the next line comes.
    fn hint(&mut self, words: &[&str], outside: &mut dyn Outside) -> Result<(), Refusal> {
        let count = words.first().and_then(|word| word.parse().ok());
        let mut slice = FIRST_SLICE;
        outside.say("status analysing");
        loop {
            let rates = self.session.rate(Some(slice));
            let rates = rates.inspect_err(|_| outside.say("status"))?;
            for rate in rates.moves.iter().take(count.unwrap_or(1).max(1)) {
                outside.say(&searched(rate, &rates));
            }
            let seconds = rates.cost.time.as_secs_f64();
            outside.say(&format!("nodestats {} {seconds:.3}", rates.cost.nodes));
            let is_deep = self.depth.is_some_and(|depth| rates.cost.depth >= depth);
            // A search that ends of itself has seen all that it looks at.
            let ended = !rates.is_timed || rates.cost.time < slice / 2;
            if is_deep || ended || outside.calls() {
                outside.say("status");
                return Ok(());
            }
            slice = (2 * slice).min(LAST_SLICE);
        }
    }
}

fn theirs(mv: &str) -> String {
    match mv {
        "pass" => "PA".to_owned(),
        square => square.to_ascii_uppercase(),
    }
}

fn discs(value: f32) -> f32 {
    MOST_DISCS * (2.0 * value - 1.0)
}

/// `search PV EVAL 0 DEPTH TEXT`
fn searched(rate: &Rate, rates: &Rates) -> String {
    let line: String = match rates.line.first() {
        Some(first) if *first == rate.mv => rates.line.iter().map(|mv| theirs(mv)).collect(),
        _ => theirs(&rate.mv),
    };
    let (value, is_exact) = match (rate.exact, rate.value) {
        (Some(exact), _) => (exact as f32, " exact"),
        (None, value) => (discs(value.unwrap_or(0.5)), ""),
    };
    let depth = rates.cost.depth;
    format!(
        "search {line} {value:.2} 0 {depth} {} nodes{is_exact}",
        rates.cost.nodes
    )
}

impl Protocol for NBoard {
    fn hear(&mut self, line: &str, outside: &mut dyn Outside) -> bool {
        let words: Vec<&str> = line.split_whitespace().collect();
        let Some((&request, words)) = words.split_first() else {
            return true;
        };
        let done = not_too_long(line).and_then(|()| match (request, words) {
            ("quit", _) => Err(String::new()),
            ("nboard", _) => {
                outside.say("set myname Alea");
                Ok(())
            }
            ("ping", [number, ..]) => {
                outside.say(&format!("pong {}", one_line(number)));
                Ok(())
            }
            ("set", _) => self.set(words, line, outside),
            ("move", [mv, ..]) => self.play(mv),
            ("go", _) => self.go(outside),
            ("hint", _) => self.hint(words, outside),
            ("learn", _) => {
                outside.say("learned");
                Ok(())
            }
            // Older boards send the move alone.
            (mv, _) if mv.len() == 2 => self.play(mv),
            _ => Ok(()),
        });
        match done {
            Err(problem) if problem.is_empty() => return false,
            // There is no line for errors but that for people.
            Err(problem) => outside.say(&format!("status {}", one_line(&problem))),
            Ok(()) => {}
        }
        true
    }
}
