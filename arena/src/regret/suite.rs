//! Certified suites of EinStein: files of positions with the value of every move, exact where
//! endgame tables or a solver reach, else by rollouts. No two positions are symmetric images of
//! each other.
//!
//! Rollouts have two independent halves: the best move is chosen by one half and valued by the
//! other, which avoids the bias of a maximum.

use super::{
    positions::{Source, draw_positions},
    reference_values::Labelled,
};
use crate::error::Result;
use crate::matches::compute_missing;
use crate::progress_bar::resume_at;
use alea_core::{
    files::{self, FileKind, write_atomically},
    game::Game,
    job_array::TaskSlice,
    journal::{ErrorWording, Journal},
    random::{SeedSpace, derive_seed},
};
use alea_einstein::{Position, Standard, tables::Tables};
use alea_play::playable::Rules;
use alea_play::{build::PlayerRecipe, player::Player};
use alea_search::limits::Limits;
use indicatif::ProgressBar;
use serde::{Deserialize, Serialize};
use std::{
    collections::{BTreeSet, HashSet},
    fs, io,
    path::{Path, PathBuf},
};

const SUITE_FORMAT: &str = "alea regret suite 2";

/// Maximum stones of a position in the smallest suite; its minimum is two.
pub const MIN_SUITE_STONES: u32 = 5;
/// Number of stones of each position in the largest suite.
pub const MAX_SUITE_STONES: u32 = 12;

/// Margin, in standard errors, within which moves are valued again by the next player in
/// [`Header::by`].
const RECHECK_SIGMAS: f32 = 3.0;

/// First line of a suite file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// Name and version of the file format.
    pub format: String,
    /// Spec of the game.
    pub game: String,
    /// Number of stones of each position; [`MIN_SUITE_STONES`] stands for two to five.
    pub stones: u32,
    /// Number of positions in the suite.
    pub positions: u64,
    /// Source of the positions: `mixed` or the spec of a self-play player.
    pub from: String,
    /// Maximum stones of a position in the endgame tables.
    pub tables: usize,
    /// Maximum number of positions outside the tables that are solved for one position of the
    /// suite.
    pub limit: usize,
    /// Specs of the players for rollouts: each values again the moves that the one before could not
    /// separate from the best.
    pub by: Vec<String>,
    /// Seed of positions and rollouts.
    pub seed: u64,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    position: String,
    /// Values of the moves in list order, for the side to move: exact, or by the first half of the
    /// rollouts.
    values: Vec<f32>,
    /// Values by the second half of the rollouts; empty if exact.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    others: Vec<f32>,
    /// Standard errors of the values over both halves; empty if exact.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    errors: Vec<f32>,
}

/// A suite read from its file.
#[derive(Clone, Debug)]
pub struct LabelledSuite {
    /// First line of the suite's file.
    pub header: Header,
    /// Positions with the values of all their moves.
    pub labelled: Vec<Labelled<Standard>>,
}

/// Builder of suites, with the same settings for all numbers of stones.
pub struct SuiteBuilder<'a> {
    /// Rules of the game.
    pub game: &'a Standard,
    /// Games from which the positions are sampled.
    pub source: &'a Source<Standard>,
    /// Endgame tables for exact values.
    pub tables: &'a Tables,
    /// Limit of the solver; see [`Header::limit`].
    pub limit: usize,
    /// Players whose rollouts give the values that are not exact; see [`Header::by`].
    pub by: &'a [PlayerRecipe<Standard>],
    /// Seed of positions and rollouts.
    pub seed: u64,
    /// Positions that this process values; a task of a job array stores its values and writes no
    /// suite.
    pub slice: TaskSlice,
}

/// Path of the suite of positions with `stones` stones.
#[must_use]
pub fn suite_path(directory: &Path, stones: u32) -> PathBuf {
    directory.join(format!("stones-{stones}.jsonl"))
}

impl SuiteBuilder<'_> {
    /// Writes a suite of `positions` positions with `stones` stones into `directory`, unless the
    /// same suite is there; resumes interrupted work.
    ///
    /// # Errors
    /// If games do not reach enough positions, a player does not value them, another suite was
    /// begun there, or a file cannot be written.
    pub fn make(
        &self,
        directory: &Path,
        stones: u32,
        positions: u64,
        progress: &ProgressBar,
    ) -> Result<()> {
        let header = Header {
            format: SUITE_FORMAT.to_owned(),
            game: self.game.notation(),
            stones,
            positions,
            from: self.source.name().to_owned(),
            tables: self.tables.max_stones(),
            limit: self.solve_limit(stones),
            by: self.by.iter().map(|by| by.name().to_owned()).collect(),
            seed: self.seed,
        };
        let path = suite_path(directory, stones);
        let state = path.with_extension("unfinished");
        if path.exists() {
            let stored = LabelledSuite::read(&path, self.game)?.header;
            return if stored == header {
                // A run that ended between the suite and this left it.
                self.remove_state(&state)
            } else {
                let problem = "there is another suite; remove it, or name another directory";
                Err(format!("{}: {problem}", path.display()).into())
            };
        }
        let wording = ErrorWording {
            work: "suite",
            part: "position",
        };
        let identity = serde_json::to_value(&header)?;
        let number = |line: &(u64, Entry)| line.0;
        let slice = (self.slice, positions);
        let (journal, entries) = Journal::open(Some(&state), wording, &identity, number, slice)?;
        journal.check_complete()?;
        let sampled = self.draw(stones, positions, progress)?;
        let ours = self.slice.part_range(positions);
        progress.set_length(ours.end - ours.start);
        resume_at(progress, entries.range(ours.clone()).count() as u64);
        let entry = |(): &mut (), number| {
            let entry = self.entry(&sampled[number as usize], number)?;
            progress.inc(1);
            Ok(entry)
        };
        let entries = compute_missing((journal, entries), ours, || (), entry)?;
        if self.slice.is_task() {
            return Ok(());
        }
        write_atomically(&path, |file| {
            writeln!(file, "{identity}")?;
            entries
                .values()
                .try_for_each(|(_, entry)| writeln!(file, "{}", serde_json::to_string(entry)?))
        })?;
        self.remove_state(&state)
    }

    /// Removes the journals of a finished suite.
    fn remove_state(&self, state: &Path) -> Result<()> {
        let journals = match self.slice {
            TaskSlice::Task { .. } => Vec::new(),
            TaskSlice::All => vec![state.to_owned()],
            TaskSlice::Merge { of } => {
                let tasks = (0..of).map(|number| TaskSlice::Task { number, of }.path_for(state));
                tasks.chain([state.to_owned()]).collect()
            }
        };
        for journal in journals {
            match fs::remove_file(&journal) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(format!("{}: {error}", journal.display()).into());
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn draw(&self, stones: u32, positions: u64, progress: &ProgressBar) -> Result<Vec<Position>> {
        let min_stones = if stones == MIN_SUITE_STONES {
            2
        } else {
            stones
        };
        let count = positions + positions / 4 + 8;
        progress.set_length(count);
        progress.set_position(0);
        let seed = derive_seed(
            self.seed,
            SeedSpace::Regret,
            &[u64::from(stones), 0, SUITE_SEED_STREAM],
        );
        let range = |_| min_stones as usize..=stones as usize;
        let mut sampled = draw_positions(self.game, self.source, range, count, seed, progress)?;
        let mut seen = HashSet::new();
        sampled.retain(|position| seen.insert(position.canonical_bits()));
        sampled.truncate(positions as usize);
        if (sampled.len() as u64) < positions {
            return Err(format!(
                "games of {} come to no more than {} different positions of {stones} stones",
                self.source.name(),
                sampled.len()
            )
            .into());
        }
        Ok(sampled)
    }

    fn solve_limit(&self, stones: u32) -> usize {
        if stones as usize <= self.tables.max_stones() + 2 {
            self.limit
        } else {
            0
        }
    }

    fn entry(&self, position: &Position, number: u64) -> Result<Entry> {
        let game = self.game;
        let mut entry = Entry {
            position: game.format_position(position, None),
            values: Vec::new(),
            others: Vec::new(),
            errors: Vec::new(),
        };
        if let Some(moves) = (self.tables).solve_moves_within(
            game,
            position,
            self.solve_limit(position.num_stones()),
        ) {
            entry.values = moves.iter().map(|(_, value)| round_value(*value)).collect();
            return Ok(entry);
        }
        let moves = game.all_moves(position);
        let mut labelled = Labelled::new(game, position);
        let mut open = vec![true; moves.len()];
        for (stage, by) in (0..).zip(self.by) {
            let mut player = by.make();
            for (index, &mv) in moves.iter().enumerate().filter(|(index, _)| open[*index]) {
                let after = game.play(position, mv);
                let exact = game.payoff(&after, position.seat());
                let exact = exact.or_else(|| Some(1.0 - self.tables.value_of(&after)?));
                let mut errors = [0.0; 2];
                for (half, error) in errors.iter_mut().enumerate() {
                    let indices = [number, stage, half as u64, SUITE_SEED_STREAM];
                    let seed = derive_seed(self.seed, SeedSpace::Regret, &indices);
                    (labelled.split[half][index], *error) = match exact {
                        Some(value) => (round_value(value), 0.0),
                        None => measured_value(&mut *player, &after, seed, by.name())?,
                    };
                }
                labelled.errors[index] = round_value(errors[0].hypot(errors[1]) / 2.0);
                let [one, other] = labelled.split.each_ref().map(|half| half[index]);
                labelled.values[index] = (one + other) / 2.0;
            }
            let mut again = vec![false; moves.len()];
            for outcome in labelled.outcomes(game).iter() {
                let best = outcome
                    .move_range()
                    .max_by(|&one, &other| labelled.values[one].total_cmp(&labelled.values[other]));
                let Some(best) = best else { continue };
                for index in outcome.move_range() {
                    let behind = labelled.values[best] - labelled.values[index];
                    let error = labelled.errors[best].hypot(labelled.errors[index]);
                    again[index] |= behind <= RECHECK_SIGMAS * error;
                }
            }
            open = again;
        }
        [entry.values, entry.others] = labelled.split;
        entry.errors = labelled.errors;
        Ok(entry)
    }
}

const SUITE_SEED_STREAM: u64 = 2;

/// Value of `after` for the seat that moved there, with standard error.
fn measured_value(
    player: &mut dyn Player<Standard>,
    after: &Position,
    seed: u64,
    name: &str,
) -> Result<(f32, f32)> {
    player.new_game(seed);
    let value = player.value(after, &Limits::NONE);
    match (value.value, value.error) {
        (Some(value), Some(error)) => Ok((round_value(1.0 - value), error)),
        _ => Err(format!(
            "'{name}' does not know how far its values may be off; rollout(error=0.002) does"
        )
        .into()),
    }
}

fn round_value(value: f32) -> f32 {
    (value * 1e5).round() / 1e5
}

/// Writes `held-out.bin` in the suites' directory: the canonical images of all their positions,
/// which training leaves out.
///
/// # Errors
/// If a suite cannot be read, or the file cannot be written.
pub fn write_held_out(directory: &Path, game: &Standard) -> Result<()> {
    let images = read_canonical_positions(directory, game)?;
    Ok(write_atomically(&directory.join("held-out.bin"), |file| {
        images
            .iter()
            .try_for_each(|image| file.write_all(&image.to_le_bytes()))
    })?)
}

pub(super) fn read_canonical_positions(directory: &Path, game: &Standard) -> Result<BTreeSet<u64>> {
    let mut images = BTreeSet::new();
    for suite in LabelledSuite::read_all(directory, game)? {
        let positions = suite.labelled.iter();
        images.extend(positions.map(|labelled| labelled.position.canonical_bits()));
    }
    Ok(images)
}

impl LabelledSuite {
    /// Class of a position in reports: its number of stones, `5` for at most five.
    #[must_use]
    pub fn class(position: &Position) -> String {
        position.num_stones().max(MIN_SUITE_STONES).to_string()
    }

    /// Reads the suite in a file, or all suites in a directory.
    ///
    /// # Errors
    /// If a file cannot be read, a line is invalid, or there is no suite.
    pub fn read_all(path: &Path, game: &Standard) -> Result<Vec<Self>> {
        let listed = match files::list(path) {
            Ok(listed) => listed,
            Err(error) if path.is_dir() => return Err(error.into()),
            Err(_) => return Ok(vec![Self::read(path, game)?]),
        };
        let suites = (2..=MAX_SUITE_STONES).map(|stones| {
            let name = suite_path(path, stones);
            let is_suite = |one: &&PathBuf| one.file_name() == name.file_name();
            listed.iter().find(is_suite)
        });
        let suites: Vec<_> = suites
            .flatten()
            .map(|path| Self::read(path, game))
            .collect::<Result<_>>()?;
        if suites.is_empty() {
            return Err(format!("{}: no suites there", path.display()).into());
        }
        Ok(suites)
    }

    /// Description of the games from which the positions were sampled.
    #[must_use]
    pub fn source_description(&self) -> String {
        format!("games of {} with 10 % random moves", self.header.from)
    }

    fn read(path: &Path, game: &Standard) -> Result<Self> {
        Self::parse(
            &path.display().to_string(),
            &files::read_text(path, FileKind::Archive)?,
            game,
        )
    }

    /// Parses a suite's file; `name` names the file in errors.
    ///
    /// # Errors
    /// Names the first invalid line.
    pub fn parse(name: &str, text: &str, game: &Standard) -> Result<Self> {
        let mut lines = text.lines();
        let header = lines.next().unwrap_or_default();
        let header =
            parse_header(header, game).map_err(|problem| format!("{name}:1: {problem}"))?;
        let lines = lines.zip(2..).map(|(line, number)| {
            let read = parse_line(line, game);
            read.map_err(|problem| format!("{name}:{number}: {problem}"))
        });
        let labelled = lines.collect::<Result<Vec<_>, _>>()?;
        if labelled.is_empty() || labelled.len() as u64 != header.positions {
            let (expected, value) = (header.positions, labelled.len());
            return Err(format!(
                "{name}:1: {expected} positions should follow and at least one, not {value}"
            )
            .into());
        }
        Ok(Self { header, labelled })
    }
}

fn parse_header(text: &str, game: &Standard) -> Result<Header, String> {
    let header: Header = serde_json::from_str(text)
        .map_err(|error| format!("this is no header of a suite: {error}"))?;
    let (format, of) = (&header.format, &header.game);
    if format != SUITE_FORMAT {
        return Err(format!("the format is '{format}', not '{SUITE_FORMAT}'"));
    }
    match game.notation() {
        game if *of == game => Ok(header),
        game => Err(format!("a suite of {of}, not of {game}")),
    }
}

fn parse_line(text: &str, game: &Standard) -> Result<Labelled<Standard>, String> {
    let line: Entry = serde_json::from_str(text)
        .map_err(|error| format!("this is no position of a suite: {error}"))?;
    let (position, die) = game
        .parse_position(&line.position)
        .map_err(|error| error.to_string())?;
    if die.is_some() || game.winner(&position).is_some() {
        return Err("positions of a suite are before the roll and not over".to_owned());
    }
    let mut labelled = Labelled::new(game, &position);
    let moves = labelled.moves.len();
    let exact = vec![0.0; moves];
    let [others, errors] = if line.others.is_empty() && line.errors.is_empty() {
        [&line.values, &exact]
    } else {
        [&line.others, &line.errors]
    };
    let [one, other] = &mut labelled.split;
    let parts = [one, other, &mut labelled.errors];
    for (numbers, part) in [&line.values, others, errors].into_iter().zip(parts) {
        if numbers.len() != moves {
            return Err(format!("there are {moves} moves, not {}", numbers.len()));
        }
        if let Some(value) = numbers.iter().find(|value| !(0.0..=1.0).contains(*value)) {
            return Err(format!("{value} is no probability"));
        }
        part.copy_from_slice(numbers);
    }
    for index in 0..moves {
        let [one, other] = labelled.split.each_ref().map(|half| half[index]);
        labelled.values[index] = (one + other) / 2.0;
    }
    Ok(labelled)
}
