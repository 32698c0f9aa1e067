//! Records as JSON lines: a line about all games, then a game a line.
//!
//! Invariant: what was exported and is imported again is the same set, to the last bit.

use super::output::{Output, Written};
use super::{DataError, Source};
use crate::shard::{self, PlayedGame};
use engine::dice::Die;
use engine::files::{self, FileError};
use engine::game::{Game, won_by};
use engine::games::einstein::{BLUE, RED, Standard};
use engine::record::{GameRecord, Ply};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;

const FORMAT: &str = "alea-games-1";

/// The first line.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Heading {
    format: String,
    variant: String,
    players: Vec<String>,
    #[serde(default)]
    run: serde_json::Value,
}

/// Every other line.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    /// Indices of Red's and Blue's player in the first line.
    players: [u8; 2],
    start: String,
    /// `r` or `b`.
    winner: char,
    plies: Vec<LinePly>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LinePly {
    die: u8,
    #[serde(rename = "move")]
    mv: String,
    #[serde(default)]
    value: Option<f32>,
    #[serde(default)]
    explored: bool,
}

/// Writes all games into a file; returns how many there are.
///
/// # Errors
/// If records cannot be read or the file not be written.
pub fn export(source: &Source, path: &Path) -> Result<u64, DataError> {
    let run = if let [run] = &source.runs[..] { run.clone() } else { serde_json::json!({ "sources": source.runs }) };
    let heading = Heading { format: FORMAT.to_owned(), variant: source.variant.clone(), players: source.players.clone(), run };
    let rules = Standard::default();
    let mut games = 0;
    // Whatever stops the reading of games has to get out through the writing of the file.
    let mut failure = None;
    let written = files::write_atomically(path, |file| {
        write_line(file, &heading)?;
        let stopped = source.each_game(|game| {
            games += 1;
            write_line(file, &line(&game, &rules)).map_err(|cause| FileError::Write { path: path.to_owned(), cause }.into())
        });
        stopped.map_err(|error| {
            failure = Some(error);
            std::io::Error::other("the games cannot be read")
        })
    });
    match (failure, written) {
        (Some(error), _) => Err(error),
        (None, written) => Ok(written.map(|()| games)?),
    }
}

fn write_line(file: &mut dyn Write, value: &impl Serialize) -> std::io::Result<()> {
    let mut text = serde_json::to_vec(value)?;
    text.push(b'\n');
    file.write_all(&text)
}

fn line(game: &PlayedGame, rules: &Standard) -> Line {
    let record = &game.record;
    let plies = record.positions(rules).zip(&record.plies).map(|(position, ply)| LinePly {
        die: ply.outcome,
        mv: rules.format_move(&position, ply.mv),
        value: ply.value,
        explored: ply.explored,
    });
    Line {
        players: game.players,
        start: rules.format_position(&record.start, None),
        winner: if record.payoffs[RED] > 0.5 { 'r' } else { 'b' },
        plies: plies.collect(),
    }
}

/// Makes a set of a file of JSON lines.
///
/// # Errors
/// If a line is no game by the rules, which is named, or the set cannot be written.
pub fn import(path: &Path, place: &Path) -> Result<Written, DataError> {
    let file = File::open(path).map_err(|cause| match cause.kind() {
        std::io::ErrorKind::NotFound => FileError::NotFound { path: path.to_owned() },
        _ => FileError::Read { path: path.to_owned(), cause },
    })?;
    let mut lines = (1..).zip(BufReader::new(file).lines());
    let wrong = |line: u64, problem: String| DataError::Line { path: path.to_owned(), line, problem };
    let first = lines.next().ok_or_else(|| wrong(1, "the file is empty".to_owned()))?.1;
    let first = first.map_err(|cause| FileError::Read { path: path.to_owned(), cause })?;
    let heading: Heading =
        serde_json::from_str(&first).map_err(|error| wrong(1, format!("not the heading of a set of games ({error})")))?;
    let variant = shard::variant_named(&heading.variant).filter(|_| heading.format == FORMAT);
    let Some(variant) = variant else {
        return Err(wrong(1, format!("'format' is {FORMAT} and 'variant' classic or nearest")));
    };
    let rules = Standard::new(variant, Die::fair());
    let mut output = Output::create(place, heading.run, &heading.players, &heading.variant)?;
    for (number, text) in lines {
        let text = text.map_err(|cause| FileError::Read { path: path.to_owned(), cause })?;
        if text.trim().is_empty() {
            continue;
        }
        let line: Line = serde_json::from_str(&text).map_err(|error| wrong(number, error.to_string()))?;
        let game = game(line, &rules, heading.players.len()).map_err(|problem| wrong(number, problem))?;
        output.push(game)?;
    }
    output.finish()
}

fn game(line: Line, rules: &Standard, players: usize) -> Result<PlayedGame, String> {
    if line.players.iter().any(|&player| usize::from(player) >= players) {
        return Err("names a player that the first line does not".to_owned());
    }
    let (start, _) = rules.parse_position(&line.start).map_err(|error| format!("start: {error}"))?;
    let mut position = start;
    let mut plies = Vec::with_capacity(line.plies.len());
    for (number, ply) in line.plies.into_iter().enumerate() {
        let wrong = |problem: &str| format!("ply {number}: {problem}");
        if rules.winner(&position).is_some() {
            return Err(wrong("the game was over before"));
        }
        let mv = rules.parse_move(&position, &ply.mv).map_err(|error| wrong(&error.to_string()))?;
        if !rules.permits(&position, ply.die, mv) {
            return Err(wrong("the die does not permit the move"));
        }
        if ply.value.is_some_and(|value| !(0.0..=1.0).contains(&value)) {
            return Err(wrong("the value is no probability"));
        }
        plies.push(Ply { outcome: ply.die, mv, value: ply.value.map(shard::rounded), explored: ply.explored });
        position = rules.play(&position, mv);
    }
    let winner = rules.winner(&position).ok_or("it has no end")?;
    let expected = match line.winner {
        'r' => RED,
        'b' => BLUE,
        _ => return Err("'winner' is r or b".to_owned()),
    };
    if winner != expected {
        return Err("the winner is another than the moves say".to_owned());
    }
    Ok(PlayedGame { record: GameRecord { start, plies, payoffs: won_by(winner) }, players: line.players })
}
