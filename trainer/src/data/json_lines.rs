//! Game records as JSON lines: a heading with rules, players and labels, then a line per game.
//! Export and import give the same set to the last bit.

use super::{
    ShardReader,
    game_builder::{GameBuilder, PlyExtras},
    import_sink::{BadGames, ImportSink, Rejection},
    shard_writer::WriteSummary,
    verify::Verification,
    write_games,
};
use crate::Error;
use crate::shard::{BoardMap, Estimate, Label, PlayedGame, ShardHeader, labels, parse_rules};
use alea_core::{
    files::{self, FileError},
    text::{LineRead, read_line},
};
use alea_play::{
    game_jsonl::{GameLine, LINES_FORMAT},
    playable::Playable,
};
use serde::{Deserialize, Serialize};
use std::{
    io::{BufReader, Write},
    path::Path,
};

/// Enough for thousands of plies with all their data.
const MAX_LINE_BYTES: usize = 16 << 20;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Heading {
    format: String,
    pub(super) game: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    map: Option<BoardMap>,
    players: Vec<String>,
    #[serde(default, skip_serializing_if = "labels::is_false")]
    times: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    labels: Vec<Label>,
    #[serde(default)]
    run: serde_json::Value,
}

impl Heading {
    pub(super) fn new<G: Playable>(source: &ShardReader<G>) -> Self {
        let run = if let [run] = &source.runs[..] {
            run.clone()
        } else {
            serde_json::json!({ "sources": source.runs })
        };
        let ShardHeader {
            run,
            game,
            map,
            players,
            times,
            labels,
            ..
        } = source.new_header(run);
        Self {
            format: LINES_FORMAT.to_owned(),
            game,
            map,
            players,
            times,
            labels,
            run,
        }
    }

    pub(super) fn into_header<G: Playable>(self) -> Result<(G, ShardHeader), String> {
        if self.format != LINES_FORMAT {
            return Err(format!("'format' is {LINES_FORMAT}, not {}", self.format));
        }
        let rules: G = parse_rules(&self.game, self.map.as_ref())?;
        labels::check(&self.labels)?;
        let header = ShardHeader {
            players: self.players,
            times: self.times,
            labels: self.labels,
            ..ShardHeader::new(&rules, self.run)
        };
        Ok((rules, header))
    }
}

/// Writes all games; returns their number.
pub fn export<G: Playable>(source: &ShardReader<G>, path: &Path) -> Result<u64, Error> {
    write_games(path, |file| {
        write_line(file, &Heading::new(source)).map_err(Error::write_failed(path))?;
        source.for_each_game(|game| {
            let line = line(&game, &source.rules, &source.labels);
            write_line(file, &line).map_err(Error::write_failed(path))
        })
    })?;
    Ok(source.games)
}

/// Game notation in the heading; `None` if unreadable.
#[must_use]
pub fn game_notation(path: &Path) -> Option<String> {
    let mut first = Vec::new();
    let mut file = BufReader::new(files::open(path).ok()?);
    read_line(&mut file, MAX_LINE_BYTES, &mut first).ok()?;
    serde_json::from_slice(&first)
        .ok()
        .map(|heading: Heading| heading.game)
}

fn write_line(file: &mut dyn Write, value: &impl Serialize) -> std::io::Result<()> {
    let mut text = serde_json::to_vec(value)?;
    text.push(b'\n');
    file.write_all(&text)
}

/// A game as JSON.
pub fn line<G: Playable>(game: &PlayedGame<G>, rules: &G, labels: &[Label]) -> GameLine {
    let mut line = GameLine::from_record(rules, &game.record, game.players.clone());
    for (number, ply) in line.plies.iter_mut().enumerate() {
        ply.time = game.times.get(number).copied().flatten();
        for (index, Label { name, .. }) in labels.iter().enumerate() {
            let Some(Estimate { value, error }) = game.label_estimate(index, number) else {
                continue;
            };
            ply.labels.insert(name.clone(), value);
            if let Some(error) = error {
                ply.errors.insert(name.clone(), error);
            }
        }
    }
    line
}

/// Imports a new set, without games that ended by a forfeit.
pub fn import<G: Playable>(
    path: &Path,
    target: &Path,
    bad: BadGames,
) -> Result<WriteSummary, Error> {
    let mut sink = None;
    let create = |header| ImportSink::<G>::create(path, target, header, bad);
    let header = read::<G>(path, |header, number, game| {
        let sink = match &mut sink {
            Some(sink) => sink,
            None => sink.insert(create(header.clone())?),
        };
        match game {
            Ok((_, None)) => sink.skip_forfeited(),
            Ok((_, Some(game))) => sink.take(format_args!("line {number}"), Ok(game))?,
            Err(rejection) => sink.take(format_args!("line {number}"), Err(rejection))?,
        }
        Ok(())
    })?;
    match sink {
        Some(sink) => sink.finish(),
        None => create(header)?.finish(),
    }
}

pub(super) fn verify<G: Playable>(path: &Path, all: &mut Verification) {
    all.shards += 1;
    let read = read::<G>(path, |_, number, game| {
        match game {
            Ok((plies, _)) => {
                all.games += 1;
                all.positions += plies;
            }
            Err(rejection) => {
                let problem = Error::at_path(path, format!("line {number}: {rejection}"));
                all.problems.push(problem.to_string());
            }
        }
        Ok(())
    });
    if let Err(error) = read {
        all.problems.push(error.to_string());
    }
}

/// Number of plies, and the game; `None` for a forfeit.
type Read<G> = (u64, Option<PlayedGame<G>>);

/// Calls `each` with the header, and line number and content of each game.
fn read<G: Playable>(
    path: &Path,
    mut each: impl FnMut(&ShardHeader, u64, Result<Read<G>, Rejection>) -> Result<(), Error>,
) -> Result<ShardHeader, Error> {
    let mut file = BufReader::new(files::open(path)?);
    let wrong =
        |line: u64, problem: String| Error::at_path(path, format!("line {line}: {problem}"));
    let mut next_line = |line: &mut Vec<u8>, number: u64| -> Result<bool, Error> {
        let read = read_line(&mut file, MAX_LINE_BYTES, line);
        let read = read.map_err(|cause| FileError::Read(path.to_owned(), cause))?;
        if read == LineRead::Truncated {
            let problem = format!("the line is longer than {MAX_LINE_BYTES} bytes");
            return Err(wrong(number, problem));
        }
        Ok(read == LineRead::Complete)
    };
    let mut line = Vec::new();
    if !next_line(&mut line, 1)? {
        return Err(wrong(1, "the file is empty".to_owned()));
    }
    let heading: Heading = serde_json::from_slice(&line)
        .map_err(|error| wrong(1, format!("not the heading of a set of games ({error})")))?;
    let (rules, header) = heading
        .into_header::<G>()
        .map_err(|problem| wrong(1, problem))?;
    for number in 2.. {
        if !next_line(&mut line, number)? {
            break;
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let line =
            serde_json::from_slice(&line).map_err(|error| Rejection::from(error.to_string()));
        each(
            &header,
            number,
            line.and_then(|line| parse_game(line, &rules, &header)),
        )?;
    }
    Ok(header)
}

fn parse_game<G: Playable>(
    line: GameLine,
    rules: &G,
    header: &ShardHeader,
) -> Result<Read<G>, Rejection> {
    let (start, _) = rules
        .parse_position(&line.start)
        .map_err(|error| format!("start: {error}"))?;
    let mut game = GameBuilder::new(rules, start, line.players, header)?;
    for mut ply in line.plies {
        if game.replay.payoffs().is_some() {
            return Err(game.replay.ply_error("the game was over before").into());
        }
        let mv = rules
            .parse_move(game.replay.position(), &ply.mv)
            .map_err(|error| game.replay.ply_error(&error.to_string()))?;
        let take_values =
            |Label { name, .. }: &Label| (ply.labels.remove(name), ply.errors.remove(name));
        let labels = header.labels.iter().map(take_values).collect();
        if !ply.labels.is_empty() || !ply.errors.is_empty() {
            let problem = "has a label that the first line does not name";
            return Err(game.replay.ply_error(problem).into());
        }
        let extras = PlyExtras {
            value: ply.value,
            explored: ply.explored,
            time: ply.time,
            labels,
        };
        game.play(ply.outcome, mv, extras)?;
    }
    let plies = game.plies() as u64;
    if line.forfeit.is_some() {
        return match game.replay.payoffs() {
            None => Ok((plies, None)),
            Some(_) => Err("the forfeit comes after the end of the game"
                .to_owned()
                .into()),
        };
    }
    game.result.0 = line.ending;
    if !line.ending.is_played() {
        let payoffs = &line.payoffs;
        let payoffs = game.result.1[..rules.seats()].iter_mut().zip(payoffs);
        payoffs.for_each(|(own, &payoff)| *own = payoff);
    }
    let game = game.finish()?;
    if game.record.payoffs[..rules.seats()] != line.payoffs {
        return Err("the payoffs contradict the moves".to_owned().into());
    }
    Ok((plies, Some(game)))
}
