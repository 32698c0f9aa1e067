//! The published tables, as they lie in `benches/published`, read.
//!
//! `rocknroll_tournament.csv`: Rock'n'Roll, part of the matrix of its tournament, the row player's
//! win percentage. `monte_alpha.csv`: tables 1, 2 and 6 of Monte_Alpha. `star1_agent_depth.csv`:
//! win rate against depth 0 and seconds a complete game of the Star1 agent. Invariant: a line that
//! is not understood is an error, never left out.

use crate::error::MeasuringError;

const ROCKNROLL: &str = include_str!("../../../published/rocknroll_tournament.csv");
const MONTE_ALPHA: &str = include_str!("../../../published/monte_alpha.csv");
const STAR_DEPTH: &str = include_str!("../../../published/star1_agent_depth.csv");

/// Games a pair of Rock'n'Roll's tournament.
pub(super) const ROCKNROLL_GAMES: u64 = 10_240;

/// Rock'n'Roll's matrix: numbers of players, and the row player's percentage; `None` on the
/// diagonal.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Matrix {
    pub numbers: Vec<u32>,
    pub percent: Vec<Vec<Option<f64>>>,
}

impl Matrix {
    /// What one player scored against another.
    pub(super) fn of(&self, row: u32, column: u32) -> Option<f64> {
        let place = |number| self.numbers.iter().position(|&other| other == number);
        self.percent[place(row)?][place(column)?]
    }
}

/// One line of Monte_Alpha's tables.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct MonteAlphaLine {
    pub table: u32,
    /// The player, in the report's words.
    pub player: String,
    /// The opponent, in the report's words.
    pub opponent: String,
    pub games: u64,
    /// Share of games won, in percent.
    pub percent: f64,
}

/// One depth of the Star1 agent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct DepthLine {
    /// As the report counts it.
    pub depth: u32,
    /// Share of games won against depth 0, in percent.
    pub percent: f64,
    pub seconds: f64,
    pub games: u64,
}

pub(super) fn rocknroll() -> Result<Matrix, MeasuringError> {
    const NAME: &str = "rocknroll_tournament.csv";
    let mut lines = lines(ROCKNROLL);
    let (_, header) = lines.next().unwrap_or_default();
    let numbers = header.iter().skip(2).map(|cell| number(NAME, 1, cell));
    let numbers: Vec<u32> = numbers.collect::<Result<_, _>>()?;
    let mut percent = Vec::new();
    for (line, cells) in lines {
        let of = |cell: &String| (!cell.is_empty()).then(|| number(NAME, line, cell));
        let row = cells.iter().skip(2).map(|cell| of(cell).transpose());
        let mut row = row.collect::<Result<Vec<_>, _>>()?;
        row.resize(numbers.len(), None);
        percent.push(row);
    }
    if percent.len() != numbers.len() {
        let line = percent.len() + 1;
        return Err(damaged(NAME, line, "rows and columns differ").into());
    }
    Ok(Matrix { numbers, percent })
}

/// What is said of a table that is not understood.
fn damaged(name: &str, line: usize, problem: &str) -> String {
    format!("the published table {name}, line {line}: {problem}")
}

/// Monte_Alpha's tables.
pub(super) fn monte_alpha() -> Result<Vec<MonteAlphaLine>, MeasuringError> {
    const NAME: &str = "monte_alpha.csv";
    let read = |(line, cells): (usize, Vec<String>)| {
        let cell = |index: usize| cells.get(index).map_or("", String::as_str);
        Ok(MonteAlphaLine {
            table: number(NAME, line, cell(0))?,
            player: cell(1).to_owned(),
            opponent: cell(2).to_owned(),
            games: number(NAME, line, cell(3))?,
            percent: number(NAME, line, cell(5))?,
        })
    };
    lines(MONTE_ALPHA).skip(1).map(read).collect()
}

pub(super) fn star_depth() -> Result<Vec<DepthLine>, MeasuringError> {
    const NAME: &str = "star1_agent_depth.csv";
    let read = |(line, cells): (usize, Vec<String>)| {
        let cell = |index: usize| cells.get(index).map_or("", String::as_str);
        Ok(DepthLine {
            depth: number(NAME, line, cell(0))?,
            percent: 100.0 * number::<f64>(NAME, line, cell(1))?,
            seconds: number(NAME, line, cell(2))?,
            games: number(NAME, line, cell(3))?,
        })
    };
    lines(STAR_DEPTH).skip(1).map(read).collect()
}

/// Line numbers from 1 and cells; a cell may stand in quotation marks.
fn lines(text: &str) -> impl Iterator<Item = (usize, Vec<String>)> {
    text.lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(index, line)| {
            let (mut cells, mut quoted) = (vec![String::new()], false);
            for character in line.trim_end().chars() {
                match (character, cells.last_mut()) {
                    ('"', _) => quoted = !quoted,
                    (',', _) if !quoted => cells.push(String::new()),
                    (_, Some(cell)) => cell.push(character),
                    (_, None) => {}
                }
            }
            (index + 1, cells)
        })
}

fn number<T: std::str::FromStr>(name: &str, line: usize, cell: &str) -> Result<T, String> {
    cell.trim()
        .parse()
        .map_err(|_| damaged(name, line, &format!("'{cell}' is no number")))
}
