//! Suites of positions with more stones than tables know, labelled by deep search.
//!
//! A suite is JSON Lines: a header, then a position a line with the value of each of its moves, by
//! the deepest search there was time for and by one a ply shallower. The difference of the two is
//! the estimate of a label's error. Invariant: what is read has every move of its position, before
//! the roll, and values in `[0, 1]`.

use super::{
    FACES,
    positions::{Source, draw_positions},
    truth::{Labelled, MOST_MOVES},
};
use crate::error::{MeasuringError, Result};
use engine::core::{
    files::{self, write_atomically},
    game::Game,
};
use engine::games::einstein::{MoveList, Position, Standard};
use engine::play::{build::PlayerRecipe, notation::Notation, player::Player};
use indicatif::ProgressBar;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, path::Path};

/// Stones of the positions of a suite, in all: as many positions of each number.
pub(crate) const FEWEST_STONES: u32 = 6;
/// Most stones of a position of a suite.
pub(crate) const MOST_STONES: u32 = 12;

/// What the first line of a suite says.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// The name and version of the format.
    pub format: String,
    /// The player whose values are the labels.
    pub label: String,
    /// The same player, one ply shallower.
    pub check: String,
    /// Plies of the labelling search.
    pub depth: u32,
    /// Who played the games the positions are from.
    pub from: String,
    /// The seed of positions and players.
    pub seed: u64,
    /// How many positions follow.
    pub positions: u64,
}

/// The name and version of the format.
pub(crate) const FORMAT: &str = "alea regret suite 1";

/// A line of a suite.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    /// Before the roll.
    position: String,
    /// Win probability of the side to move before the roll, from the labels.
    value: f64,
    /// How far that is from the value by the shallower search.
    error: f64,
    /// For each move the label and the value by the shallower search.
    moves: BTreeMap<String, [f32; 2]>,
}

/// A suite that was read.
#[derive(Debug)]
pub struct LabelledSuite {
    /// What the first line says.
    pub header: Header,
    /// Positions with their labels.
    pub labelled: Vec<Labelled>,
    /// The same positions with the values by the shallower search.
    pub checks: Vec<Labelled>,
}

/// How certain the labels of a suite are.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LabelErrors {
    /// Root of the mean squared difference between the two values of a move, over all moves.
    pub of_moves: f64,
    /// The same of the values of positions, before the roll.
    pub of_positions: f64,
    /// What the label's favourite loses by the shallower search, per decision.
    pub of_decisions: f64,
}

/// Draws positions, labels them and writes a suite.
///
/// # Errors
/// If `label` is no player that can label, positions are not to be had, or the file cannot be
/// written.
pub fn write_suite(
    path: &Path,
    game: &Standard,
    source: &Source,
    label: &str,
    positions: u64,
    seed: u64,
    progress: &ProgressBar,
) -> Result<()> {
    let (check, depth) = one_ply_less(label)?;
    let recipes = [
        PlayerRecipe::parse(label, game)?,
        PlayerRecipe::parse(&check, game)?,
    ];
    let numbers = MOST_STONES - FEWEST_STONES + 1;
    let stones = |number: u64| {
        let stones = FEWEST_STONES + (number % u64::from(numbers)) as u32;
        stones..=stones
    };
    progress.set_length(2 * positions);
    let drawn = draw_positions(game, source, stones, positions, seed, progress)?;
    let header = Header {
        format: FORMAT.to_owned(),
        label: recipes[0].name().to_owned(),
        check: recipes[1].name().to_owned(),
        depth,
        from: source.name().to_owned(),
        seed,
        positions,
    };
    // A pair of players a piece of work, as large tables as they may have: pieces of some length.
    const PIECE: usize = 16;
    let lines: Result<Vec<Vec<Entry>>> = drawn
        .par_chunks(PIECE)
        .map(|piece| {
            let mut players = [recipes[0].make(), recipes[1].make()];
            let lines = piece
                .iter()
                .map(|position| label_line(game, &mut players, position, seed))
                .collect::<Option<_>>();
            progress.inc(piece.len() as u64);
            lines.ok_or_else(|| no_label(label))
        })
        .collect();
    let lines = lines?.concat();
    write_atomically(path, |file| {
        writeln!(file, "{}", serde_json::to_string(&header)?)?;
        lines
            .iter()
            .try_for_each(|line| writeln!(file, "{}", serde_json::to_string(line)?))
    })?;
    Ok(())
}

/// The labelling player one ply shallower, and its own depth.
fn one_ply_less(label: &str) -> Result<(String, u32)> {
    let mut notation = Notation::parse(label)?;
    let depth = notation
        .arguments
        .iter_mut()
        .find(|argument| argument.key.as_deref() == Some("depth"));
    let number =
        depth.and_then(|argument| Some((argument.value.name.parse::<u32>().ok()?, argument)));
    match number {
        Some((depth, argument)) if depth >= 2 => {
            argument.value.name = (depth - 1).to_string();
            Ok((notation.to_string(), depth))
        }
        _ => Err(no_label(label)),
    }
}

fn no_label(player: &str) -> MeasuringError {
    format!("'{player}' cannot label a suite: it needs a value for every move and an argument depth=N, N at least 2, for example star2(depth=4)").into()
}

/// `None` from a player that does not rate moves.
fn label_line(
    game: &Standard,
    players: &mut [Box<dyn Player<Standard>>; 2],
    position: &Position,
    seed: u64,
) -> Option<Entry> {
    let mut rate = |player: usize| -> Option<Vec<f32>> {
        players[player].new_game(seed);
        players[player]
            .analyse(position, None)
            .moves
            .into_iter()
            .map(|(_, value)| value.map(rounded))
            .collect()
    };
    let (label, check) = (rate(0)?, rate(1)?);
    let mut moves = MoveList::default();
    game.moves(position, &mut moves);
    let [value, checked] =
        [&label, &check].map(|values| labelled(position, &moves, values).value(game));
    Some(Entry {
        position: game.format_position(position, None),
        value: rounded_wide(value),
        error: rounded_wide((value - checked).abs()),
        moves: moves
            .iter()
            .zip(label.iter().zip(&check))
            .map(|(&mv, (&one, &other))| (game.format_move(position, mv), [one, other]))
            .collect(),
    })
}

fn labelled(position: &Position, moves: &MoveList, values: &[f32]) -> Labelled {
    let mut labelled = Labelled {
        position: *position,
        moves: *moves,
        values: [0.0; MOST_MOVES],
    };
    labelled.values[..values.len()].copy_from_slice(values);
    labelled
}

/// Five decimals are more than labels are worth.
fn rounded(value: f32) -> f32 {
    (value * 1e5).round() / 1e5
}

fn rounded_wide(value: f64) -> f64 {
    (value * 1e5).round() / 1e5
}

impl LabelledSuite {
    /// Reads a suite from a file.
    ///
    /// # Errors
    /// If the file cannot be read or a line of it is wrong.
    pub fn read(path: &Path, game: &Standard) -> Result<Self> {
        let bytes = files::read(path)?;
        Self::parse(
            &path.display().to_string(),
            &String::from_utf8_lossy(&bytes),
            game,
        )
    }

    /// Reads the text of a suite; `name` stands in errors.
    ///
    /// # Errors
    /// Names the first line that is wrong.
    pub fn parse(name: &str, text: &str, game: &Standard) -> Result<Self> {
        let wrong = |line: usize, problem: String| format!("{name}:{line}: {problem}");
        let mut lines = text.lines();
        let header: Header = serde_json::from_str(lines.next().unwrap_or_default())
            .map_err(|error| wrong(1, format!("this is no header of a suite, which 'alea regret --write-suite' writes: {error}")))?;
        if header.format != FORMAT {
            let problem = format!("the format is '{}', not '{FORMAT}'", header.format);
            return Err(wrong(1, problem).into());
        }
        let (mut labels, mut checks) = (Vec::new(), Vec::new());
        for (index, line) in lines.enumerate() {
            let [label, check] =
                parse_line(line, game).map_err(|problem| wrong(index + 2, problem))?;
            labels.push(label);
            checks.push(check);
        }
        if labels.is_empty() || labels.len() as u64 != header.positions {
            let (wanted, found) = (header.positions, labels.len());
            let problem = format!("{wanted} positions should follow and at least one, not {found}");
            return Err(wrong(1, problem).into());
        }
        Ok(Self {
            header,
            labelled: labels,
            checks,
        })
    }

    /// How certain the labels are.
    #[must_use]
    pub fn label_errors(&self, game: &Standard) -> LabelErrors {
        let (mut moves, mut of_moves, mut of_positions, mut of_decisions) = (0, 0.0, 0.0, 0.0);
        for (label, check) in self.labelled.iter().zip(&self.checks) {
            moves += label.moves.len();
            let difference = |(one, other): (&f32, &f32)| f64::from(one - other).powi(2);
            of_moves += label
                .values
                .iter()
                .zip(&check.values)
                .map(difference)
                .sum::<f64>();
            of_positions += (label.value(game) - check.value(game)).powi(2);
            for outcome in label.outcomes(game).iter() {
                let favourite = outcome
                    .run()
                    .max_by(|&one, &other| label.values[one].total_cmp(&label.values[other]));
                let lost = favourite.map_or(0.0, |place| check.best(outcome) - check.values[place]);
                of_decisions += super::truth::faces(outcome) / FACES * f64::from(lost);
            }
        }
        let positions = self.labelled.len() as f64;
        LabelErrors {
            of_moves: (of_moves / moves as f64).sqrt(),
            of_positions: (of_positions / positions).sqrt(),
            of_decisions: of_decisions / positions,
        }
    }
}

fn parse_line(text: &str, game: &Standard) -> Result<[Labelled; 2], String> {
    let line: Entry = serde_json::from_str(text)
        .map_err(|error| format!("this is no position of a suite: {error}"))?;
    let (position, die) = game
        .parse_position(&line.position)
        .map_err(|error| error.to_string())?;
    if die.is_some() || game.winner(&position).is_some() {
        return Err("positions of a suite are before the roll and not over".to_owned());
    }
    let mut moves = MoveList::default();
    game.moves(&position, &mut moves);
    let mut values = [Vec::new(), Vec::new()];
    for &mv in moves.iter() {
        let name = game.format_move(&position, mv);
        let pair = line
            .moves
            .get(&name)
            .ok_or_else(|| format!("the move {name} has no values"))?;
        for (values, &value) in values.iter_mut().zip(pair) {
            if !(0.0..=1.0).contains(&value) {
                return Err(format!("the value {value} of {name} is no probability"));
            }
            values.push(value);
        }
    }
    if moves.len() != line.moves.len() {
        return Err(format!(
            "there are {} moves, not {}",
            moves.len(),
            line.moves.len()
        ));
    }
    Ok(values.map(|values| labelled(&position, &moves, &values)))
}
