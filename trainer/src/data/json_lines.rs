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
    text::{LineRead, read_line, strip_bom},
};
use alea_play::{
    game_jsonl::{GameLine, LINES_FORMAT},
    playable::Playable,
};
use serde::{Deserialize, Serialize};
use std::{
    fmt::Display,
    fs::File,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
};

/// Maximum length of a line, enough for thousands of plies with all their data.
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

/// Writes all games as JSON lines; returns the number of games.
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

/// Game notation in a JSON-lines file's heading; `None` if unreadable.
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

/// Converts a game to a line of JSON; `labels` are those of the game's shard header.
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

/// Imports a JSON-lines file as a new set, without games that ended by a forfeit.
pub fn import<G: Playable>(
    path: &Path,
    target: &Path,
    bad: BadGames,
) -> Result<WriteSummary, Error> {
    let mut lines = GameLines::<G>::open(path)?;
    let mut sink = ImportSink::<G>::create(path, target, lines.header.clone(), bad)?;
    while let Some((number, line)) = lines.next_line()? {
        match line.and_then(|line| lines.replay(line)) {
            Ok((_, None)) => sink.skip_forfeited(),
            Ok((_, Some(game))) => sink.take(format_args!("line {number}"), Ok(game))?,
            Err(rejection) => sink.take(format_args!("line {number}"), Err(rejection))?,
        }
    }
    sink.finish()
}

pub(super) fn verify<G: Playable>(path: &Path, all: &mut Verification) {
    all.shards += 1;
    let mut verify_lines = || {
        let mut lines = GameLines::<G>::open(path)?;
        while let Some((number, line)) = lines.next_line()? {
            match line.and_then(|line| lines.replay(line)) {
                Ok((plies, _)) => {
                    all.games += 1;
                    all.positions += plies;
                }
                Err(rejection) => {
                    let problem = line_error(path, number, &rejection);
                    all.problems.push(problem.to_string());
                }
            }
        }
        Ok::<_, Error>(())
    };
    if let Err(error) = verify_lines() {
        all.problems.push(error.to_string());
    }
}

type Read<G> = (u64, Option<PlayedGame<G>>);

type NumberedLine = (u64, Result<GameLine, Rejection>);

fn line_error(path: &Path, number: u64, problem: &impl Display) -> Error {
    Error::at_path(path, format!("line {number}: {problem}"))
}

/// Whether `path` is a regular file that begins with `{`.
#[must_use]
pub fn is_json_lines(path: &Path) -> bool {
    let begins_with_brace = || {
        let mut file = BufReader::new(files::open(path).ok()?);
        strip_bom(file.fill_buf().ok()?).first().copied()
    };
    path.is_file() && begins_with_brace() == Some(b'{')
}

/// JSON-lines file of games, read line by line.
pub struct GameLines<G> {
    path: PathBuf,
    file: BufReader<File>,
    number: u64,
    line: Vec<u8>,
    /// Rules of the games.
    pub rules: G,
    /// Heading of the file, its first line, as a shard header.
    pub header: ShardHeader,
}

impl<G: Playable> GameLines<G> {
    /// Opens a file and reads its first line.
    ///
    /// # Errors
    /// If the file cannot be read, or is not of game `G`.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let mut file = BufReader::new(files::open(path)?);
        let mut line = Vec::new();
        if !read_bounded_line(&mut file, path, 1, &mut line)? {
            return Err(line_error(path, 1, &"the file is empty"));
        }
        let heading: Heading = serde_json::from_slice(&line).map_err(|error| {
            let problem = format!("not the heading of a set of games ({error})");
            line_error(path, 1, &problem)
        })?;
        let (rules, header) = heading
            .into_header::<G>()
            .map_err(|problem| line_error(path, 1, &problem))?;
        Ok(Self {
            path: path.to_owned(),
            file,
            number: 1,
            line,
            rules,
            header,
        })
    }

    /// Reads and replays the next game; returns its line number, the game and whether it has a
    /// result, or `None` at the end of the file.
    ///
    /// # Errors
    /// If the file cannot be read, or the game is damaged.
    pub fn next_game(&mut self) -> Result<Option<(u64, GameLine, bool)>, Error> {
        let Some((number, line)) = self.next_line()? else {
            return Ok(None);
        };
        let replayed = line.and_then(|line| match self.replay(line.clone()) {
            Ok(_) => Ok((number, line, true)),
            Err(Rejection::Stopped) => Ok((number, line, false)),
            Err(damaged) => Err(damaged),
        });
        let replayed = replayed.map_err(|problem| line_error(&self.path, number, &problem));
        replayed.map(Some)
    }

    fn next_line(&mut self) -> Result<Option<NumberedLine>, Error> {
        loop {
            self.number += 1;
            if !read_bounded_line(&mut self.file, &self.path, self.number, &mut self.line)? {
                return Ok(None);
            }
            if !self.line.trim_ascii().is_empty() {
                let line = serde_json::from_slice(&self.line);
                let line = line.map_err(|error| Rejection::from(error.to_string()));
                return Ok(Some((self.number, line)));
            }
        }
    }

    fn replay(&self, line: GameLine) -> Result<Read<G>, Rejection> {
        parse_game(line, &self.rules, &self.header)
    }
}

fn read_bounded_line(
    file: &mut BufReader<File>,
    path: &Path,
    number: u64,
    line: &mut Vec<u8>,
) -> Result<bool, Error> {
    let read = read_line(file, MAX_LINE_BYTES, line);
    let read = read.map_err(|cause| FileError::Read(path.to_owned(), cause))?;
    if read == LineRead::Truncated {
        let problem = format!("the line is longer than {MAX_LINE_BYTES} bytes");
        return Err(line_error(path, number, &problem));
    }
    Ok(read == LineRead::Complete)
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
            .parse_move(game.replay.position(), Some(ply.outcome), &ply.mv)
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
