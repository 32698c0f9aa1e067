//! The NBoard protocol, version 2 (Chris Welty), for Reversi.
//!
//! Moves are `F5`, `PA` passes; games are GGF. An engine does not play what it answers to `go`: it
//! waits for `move`. Values are discs from the view of the side to move: the exact difference where it
//! is proven, else 64 for a certain win to −64 for a certain defeat. Invariant: what is not understood
//! is ignored, as the protocol asks, and `pong` comes after all that was asked before it.

use crate::session::{Asked, Rates, Session};
use crate::{Answers, Next, Outside, ProtocolGame, one_line, words};
use engine::search::SearchStats;
use std::time::Duration;

/// Between two pieces of information of a hint.
const SLICE: Duration = Duration::from_millis(250);
/// Discs that a certain win counts.
const MAX_DISCS: f32 = 64.0;

#[derive(Default)]
pub(crate) struct NBoard {
    /// Plies of a search, if that was said.
    depth: Option<u32>,
}

fn play<G: ProtocolGame>(session: &mut Session<G>, word: &str) -> Result<(), String> {
    let mv = word.split('/').next().unwrap_or_default();
    let is_pass = mv.eq_ignore_ascii_case("PA");
    let mv = if is_pass { "pass" } else { mv };
    session.play(mv).or_else(|problem| {
        // Some leave a pass out.
        session.play("pass").map_err(|_| problem)?;
        let played = session.play(mv);
        played.or_else(|problem| session.undo().and(Err(problem)))
    })
}

fn go<G: ProtocolGame>(
    session: &mut Session<G>,
    outside: &mut dyn Outside,
) -> Result<String, String> {
    outside.say("status thinking");
    let chosen = session.think(&Asked::once(None), outside);
    outside.say("status");
    let chosen = chosen?;
    let seconds = chosen.stats.time.as_secs_f64();
    let exact = chosen.exact.map(|score| score as f32);
    let value = exact.or_else(|| chosen.value.map(discs));
    let value = value.map(|value| format!("/{value:.2}/{seconds:.3}"));
    let (spent, mv) = (spent(&chosen.stats), theirs(&chosen.mv));
    Ok(format!("{spent}\n=== {mv}{}", value.unwrap_or_default()))
}

/// Thinks until a depth is reached or the next line comes.
fn hint<G: ProtocolGame>(
    session: &mut Session<G>,
    depth: Option<u32>,
    count: usize,
    outside: &mut dyn Outside,
) -> Result<String, String> {
    let asked = Asked {
        is_endless: true,
        ..Asked::once(Some(SLICE))
    };
    loop {
        let rates = session.rate(&asked, outside)?;
        // What was looked at when a line came is not worth a line any more.
        if !rates.is_cut {
            outside.say(&searched(&rates, count));
            outside.say(&spent(&rates.stats));
        }
        let is_deep = depth.is_some_and(|depth| rates.stats.depth >= depth);
        // A search that ends of itself has seen all that it looks at.
        let has_ended = !rates.is_timed || rates.stats.time < SLICE / 2;
        if is_deep || has_ended || outside.calls() {
            return Ok("status".to_owned());
        }
    }
}

fn theirs(mv: &str) -> String {
    match mv {
        "pass" => "PA".to_owned(),
        square => square.to_uppercase(),
    }
}

fn discs(value: f32) -> f32 {
    MAX_DISCS * (2.0 * value - 1.0)
}

fn spent(stats: &SearchStats) -> String {
    format!("nodestats {} {:.3}", stats.nodes, stats.time.as_secs_f64())
}

/// A line `search PV EVAL 0 DEPTH TEXT` for each of the best moves.
fn searched(rates: &Rates, count: usize) -> String {
    let (nodes, depth) = (rates.stats.nodes, rates.stats.depth);
    let lines = rates.moves.iter().take(count.max(1)).map(|rate| {
        let line: String = match rates.line.first() {
            Some(first) if *first == rate.mv => rates.line.iter().map(|mv| theirs(mv)).collect(),
            _ => theirs(&rate.mv),
        };
        match rate.exact {
            Some(exact) => format!("search {line} {exact} 0 {depth} exact"),
            None => {
                let value = discs(rate.value.unwrap_or(0.5));
                format!("search {line} {value:.2} 0 {depth} {nodes} nodes")
            }
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

impl<G: ProtocolGame> Answers<G> for NBoard {
    /// There is no line for problems but that for people.
    const PROBLEM: &'static str = "status";

    fn answer(
        &mut self,
        session: &mut Session<G>,
        line: &str,
        outside: &mut dyn Outside,
    ) -> Result<String, String> {
        match *words(line)? {
            ["quit", ..] => session.next = Next::End,
            ["nboard", ..] => return Ok("set myname Alea".to_owned()),
            ["ping", number, ..] => return Ok(format!("pong {}", one_line(number))),
            ["learn", ..] => return Ok("learned".to_owned()),
            ["set", "depth", word] => {
                let depth: u32 = word
                    .parse()
                    .map_err(|_| "the depth is a number from 1 to 127")?;
                session.set_option("depth", word)?;
                self.depth = Some(depth);
                return Ok(format!("set myname Alea{depth}"));
            }
            ["set", "game", ..] => {
                let game = line.split_once("game").map_or("", |(_, game)| game);
                session.set_game(game)?;
            }
            ["go", ..] => return go(session, outside),
            ["hint", ref count @ ..] => {
                let count = count.first().and_then(|count| count.parse().ok());
                return hint(session, self.depth, count.unwrap_or(1), outside);
            }
            ["move", mv, ..] => play(session, mv)?,
            // Older boards send the move alone.
            [mv] if mv.len() == 2 => play(session, mv)?,
            _ => {}
        }
        Ok(String::new())
    }
}
