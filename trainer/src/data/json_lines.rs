//! Records as JSON lines: a line about all games, then a game a line.
//!
//! Invariant: what was exported and is imported again is the same set, to the last bit.

use super::output::{Output, Written};
use super::{DataError, Source};
use crate::shard::{self, Label, PlayedGame, Replay, ShardHeader, labels};
use engine::core::files::{self, FileError};
use engine::core::game::won_by;
use engine::core::record::{GameRecord, Ply};
use engine::games::einstein::dice::Die;
use engine::games::einstein::{BLUE, RED, Standard};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;

const FORMAT: &str = "alea-games-1";

/// The first line.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Heading {
    format: String,
    variant: String,
    players: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    labels: Vec<Label>,
    #[serde(default)]
    run: serde_json::Value,
}

impl Heading {
    /// What is said of these games.
    pub(super) fn of(source: &Source) -> Self {
        let run = if let [run] = &source.runs[..] {
            run.clone()
        } else {
            serde_json::json!({ "sources": source.runs })
        };
        let (players, labels) = (source.players.clone(), source.labels.clone());
        Self {
            format: FORMAT.to_owned(),
            variant: source.variant.clone(),
            players,
            labels,
            run,
        }
    }

    /// The rules of these games, and the header of their shards.
    ///
    /// # Errors
    /// In words, if it is another format, or says what cannot be.
    pub(super) fn into_header(self) -> Result<(Standard, ShardHeader), String> {
        let variant = shard::variant_named(&self.variant).filter(|_| self.format == FORMAT);
        let variant = variant
            .ok_or_else(|| format!("'format' is {FORMAT} and 'variant' classic or nearest"))?;
        labels::check(&self.labels)?;
        let Self {
            variant: name,
            players,
            labels,
            run,
            ..
        } = self;
        Ok((
            Standard::new(variant, Die::fair()),
            ShardHeader {
                run,
                players,
                variant: name,
                labels,
                first_game: 0,
                games: 0,
            },
        ))
    }
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
    /// What the labels say of the position before the roll, by their names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    labels: BTreeMap<String, f32>,
}

/// Writes all games into a file; returns how many there are.
///
/// # Errors
/// If records cannot be read or the file not be written.
pub fn export(source: &Source, path: &Path) -> Result<u64, DataError> {
    let heading = Heading::of(source);
    let rules = Standard::default();
    let mut games = 0;
    // Whatever stops the reading of games has to get out through the writing of the file.
    let mut failure = None;
    let written = files::write_atomically(path, |file| {
        write_line(file, &heading)?;
        let stopped = source.each_game(|game| {
            games += 1;
            write_line(file, &line(&game, &rules, &source.labels)).map_err(|cause| {
                FileError::Write {
                    path: path.to_owned(),
                    cause,
                }
                .into()
            })
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

fn line(game: &PlayedGame, rules: &Standard, labels: &[Label]) -> Line {
    let record = &game.record;
    let labels_of = |ply: usize| {
        let values = labels
            .iter()
            .enumerate()
            .filter_map(|(index, label)| Some((label.name.clone(), game.label(index, ply)?)));
        values.collect()
    };
    let plies =
        record
            .positions(rules)
            .zip(&record.plies)
            .enumerate()
            .map(|(number, (position, ply))| LinePly {
                die: ply.outcome,
                mv: rules.format_move(&position, ply.mv),
                value: ply.value,
                explored: ply.explored,
                labels: labels_of(number),
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
        std::io::ErrorKind::NotFound => FileError::NotFound {
            path: path.to_owned(),
        },
        _ => FileError::Read {
            path: path.to_owned(),
            cause,
        },
    })?;
    let mut lines = (1..).zip(BufReader::new(file).lines());
    let wrong = |line: u64, problem: String| DataError::Line {
        path: path.to_owned(),
        line,
        problem,
    };
    let first = lines
        .next()
        .ok_or_else(|| wrong(1, "the file is empty".to_owned()))?
        .1;
    let first = first.map_err(|cause| FileError::Read {
        path: path.to_owned(),
        cause,
    })?;
    let heading: Heading = serde_json::from_str(&first)
        .map_err(|error| wrong(1, format!("not the heading of a set of games ({error})")))?;
    let (rules, header) = heading.into_header().map_err(|problem| wrong(1, problem))?;
    let mut output = Output::create(place, header.clone())?;
    for (number, text) in lines {
        let text = text.map_err(|cause| FileError::Read {
            path: path.to_owned(),
            cause,
        })?;
        if text.trim().is_empty() {
            continue;
        }
        let line: Line =
            serde_json::from_str(&text).map_err(|error| wrong(number, error.to_string()))?;
        let game = game(line, &rules, &header).map_err(|problem| wrong(number, problem))?;
        output.push(game)?;
    }
    output.finish()
}

fn game(line: Line, rules: &Standard, header: &ShardHeader) -> Result<PlayedGame, String> {
    let (start, _) = rules
        .parse_position(&line.start)
        .map_err(|error| format!("start: {error}"))?;
    let mut replay = Replay::new(rules, start, line.players, header.players.len())?;
    let mut plies = Vec::with_capacity(line.plies.len());
    let mut labels = vec![vec![None; line.plies.len()]; header.labels.len()];
    for (number, ply) in line.plies.into_iter().enumerate() {
        if replay.winner().is_some() {
            return Err(replay.wrong("the game was over before"));
        }
        let mv = rules
            .parse_move(replay.position(), &ply.mv)
            .map_err(|error| replay.wrong(&error.to_string()))?;
        if ply
            .value
            .iter()
            .chain(ply.labels.values())
            .any(|value| !(0.0..=1.0).contains(value))
        {
            return Err(replay.wrong("the value is no probability"));
        }
        for (name, value) in ply.labels {
            let index = header.labels.iter().position(|label| label.name == name);
            labels[index
                .ok_or_else(|| replay.wrong("has a label that the first line does not name"))?]
                [number] = Some(shard::rounded(value));
        }
        replay.play(ply.die, mv)?;
        plies.push(Ply {
            outcome: ply.die,
            mv,
            value: ply.value.map(shard::rounded),
            explored: ply.explored,
        });
    }
    let winner = match line.winner {
        'r' => RED,
        'b' => BLUE,
        _ => return Err("'winner' is r or b".to_owned()),
    };
    let winner = replay.finish(winner as u8)?;
    let mut game = PlayedGame {
        record: GameRecord {
            start,
            plies,
            payoffs: won_by(winner),
        },
        players: line.players,
        labels,
    };
    game.tidy_labels();
    Ok(game)
}
