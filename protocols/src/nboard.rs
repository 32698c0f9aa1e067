//! NBoard protocol, version 2 (Chris Welty), for Reversi.
//!
//! Moves are `F5`, a pass is `PA`; games are GGF. `go` does not play its move: the client sends it
//! back with `move`. Values are discs for the side to move, exact where proven, else from 64 for a
//! win to −64 for a loss.

use crate::session::{MoveAnalysis, Query, Session};
use crate::{Action, Handler, Output, one_line, split_words};
use alea_play::playable::Playable;
use alea_search::SearchStats;
use std::time::Duration;

const HINT_INTERVAL: Duration = Duration::from_millis(250);
const WIN_DISCS: f32 = 64.0;

#[derive(Default)]
pub(crate) struct NBoard {
    depth: Option<u32>,
}

fn play<G: Playable>(session: &mut Session<G>, word: &str) -> Result<(), String> {
    let mv = word.split('/').next().unwrap_or_default();
    let is_pass = mv.eq_ignore_ascii_case("PA");
    let mv = if is_pass { "pass" } else { mv };
    session.play(mv).or_else(|problem| {
        session.play("pass").map_err(|_| problem)?;
        let played = session.play(mv);
        played.or_else(|problem| session.undo().and(Err(problem)))
    })
}

fn go<G: Playable>(session: &mut Session<G>, output: &mut dyn Output) -> Result<String, String> {
    output.write_lines("status thinking");
    let choice = session.choose(&Query::single(None), output);
    output.write_lines("status");
    let choice = choice?;
    let seconds = choice.stats.time.as_secs_f64();
    let exact = choice.exact.map(|score| score as f32);
    let value = exact.or_else(|| choice.value.map(discs));
    let value = value.map(|value| format!("/{value:.2}/{seconds:.3}"));
    let (stats, mv) = (
        format_stats(&choice.stats),
        nboard_move(&session.format_move(choice.mv)),
    );
    Ok(format!("{stats}\n=== {mv}{}", value.unwrap_or_default()))
}

fn hint<G: Playable>(
    session: &mut Session<G>,
    depth: Option<u32>,
    count: usize,
    output: &mut dyn Output,
) -> Result<String, String> {
    let query = Query {
        is_continuous: true,
        ..Query::single(Some(HINT_INTERVAL))
    };
    loop {
        let analysis = session.analyse(&query, output)?;
        if !analysis.is_interrupted {
            output.write_lines(&format_hint(session, &analysis, count));
            output.write_lines(&format_stats(&analysis.stats));
        }
        let is_deep = depth.is_some_and(|depth| analysis.stats.depth >= depth);
        let has_ended = !analysis.is_timed || analysis.stats.time < HINT_INTERVAL / 2;
        if is_deep || has_ended || output.input_pending() {
            return Ok("status".to_owned());
        }
    }
}

fn nboard_move(mv: &str) -> String {
    match mv {
        "pass" => "PA".to_owned(),
        square => square.to_uppercase(),
    }
}

fn discs(value: f32) -> f32 {
    WIN_DISCS * (2.0 * value - 1.0)
}

fn format_stats(stats: &SearchStats) -> String {
    format!("nodestats {} {:.3}", stats.nodes, stats.time.as_secs_f64())
}

/// Formats `search PV EVAL 0 DEPTH TEXT` for each of the `count` best moves.
fn format_hint<G: Playable>(
    session: &Session<G>,
    analysis: &MoveAnalysis<G::Move>,
    count: usize,
) -> String {
    let (nodes, depth) = (analysis.stats.nodes, analysis.stats.depth);
    let lines = analysis.moves.iter().take(count.max(1)).map(|info| {
        let line = match analysis.line.first() {
            Some(first) if *first == info.mv => session.format_line(&analysis.line),
            _ => vec![session.format_move(info.mv)],
        };
        let line: String = line.iter().map(|mv| nboard_move(mv)).collect();
        match info.score {
            Some(exact) => format!("search {line} {exact} 0 {depth} exact"),
            None => {
                let value = discs(info.value.unwrap_or(0.5));
                format!("search {line} {value:.2} 0 {depth} {nodes} nodes")
            }
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

impl<G: Playable> Handler<G> for NBoard {
    const ERROR_PREFIX: &'static str = "status";

    fn handle(
        &mut self,
        session: &mut Session<G>,
        line: &str,
        output: &mut dyn Output,
    ) -> Result<String, String> {
        match *split_words(line)? {
            ["quit", ..] => session.action = Action::Quit,
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
                session.set_transcript(game)?;
            }
            ["go", ..] => return go(session, output),
            ["hint", ref count @ ..] => {
                let count = count.first().and_then(|count| count.parse().ok());
                return hint(session, self.depth, count.unwrap_or(1), output);
            }
            ["move", mv, ..] => play(session, mv)?,
            [mv] if mv.len() == 2 => play(session, mv)?,
            _ => {}
        }
        Ok(String::new())
    }
}
