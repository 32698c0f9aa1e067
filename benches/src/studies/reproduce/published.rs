//! The published tables, as they lie in `benches/published`, read.
//!
//! `rocknroll_tournament.csv`: Rock'n'Roll, part of the matrix of its tournament, the row player's
//! win percentage. `monte_alpha.csv`: tables 1, 2 and 6 of Monte_Alpha. `star1_agent_depth.csv`:
//! win rate against depth 0 and seconds a complete game of the Star1 agent. Invariant: a line that
//! is not understood is an error, never left out.

use crate::error::Result;

/// The name of a table, and its text.
type Table = (&'static str, &'static str);

const ROCKNROLL: Table = (
    "rocknroll_tournament.csv",
    include_str!("../../../published/rocknroll_tournament.csv"),
);
const MONTE_ALPHA: Table = (
    "monte_alpha.csv",
    include_str!("../../../published/monte_alpha.csv"),
);
const STAR_DEPTH: Table = (
    "star1_agent_depth.csv",
    include_str!("../../../published/star1_agent_depth.csv"),
);

/// Games a pair of Rock'n'Roll's tournament.
pub(super) const ROCKNROLL_GAMES: u64 = 10_240;

/// Rock'n'Roll's matrix: numbers of players, and the row player's percentage; `None` on the
/// diagonal.
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
#[derive(Debug, PartialEq)]
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
pub(super) struct DepthLine {
    /// As the report counts it.
    pub depth: u32,
    /// Share of games won against depth 0, in percent.
    pub percent: f64,
    /// Of a complete game.
    pub seconds: f64,
    pub games: u64,
}

pub(super) fn rocknroll() -> Result<Matrix> {
    let mut lines = lines(ROCKNROLL);
    let header = lines.next().unwrap_or_default();
    let numbers = (2..header.cells.len()).map(|cell| header.number(cell));
    let numbers: Vec<u32> = numbers.collect::<Result<_, _>>()?;
    let mut percent = Vec::new();
    for line in lines {
        let of = |cell: usize| (!line.text(cell).is_empty()).then(|| line.number(cell));
        let row = (2..line.cells.len()).map(|cell| of(cell).transpose());
        let mut row = row.collect::<Result<Vec<_>, _>>()?;
        row.resize(numbers.len(), None);
        percent.push(row);
    }
    if percent.len() != numbers.len() {
        let last = Line {
            number: percent.len() + 1,
            ..header
        };
        return Err(last.damaged("rows and columns differ").into());
    }
    Ok(Matrix { numbers, percent })
}

/// Monte_Alpha's tables.
pub(super) fn monte_alpha() -> Result<Vec<MonteAlphaLine>> {
    let read = |line: Line| {
        Ok(MonteAlphaLine {
            table: line.number(0)?,
            player: line.text(1).to_owned(),
            opponent: line.text(2).to_owned(),
            games: line.number(3)?,
            percent: line.number(5)?,
        })
    };
    lines(MONTE_ALPHA).skip(1).map(read).collect()
}

pub(super) fn star_depth() -> Result<Vec<DepthLine>> {
    let read = |line: Line| {
        Ok(DepthLine {
            depth: line.number(0)?,
            percent: 100.0 * line.number::<f64>(1)?,
            seconds: line.number(2)?,
            games: line.number(3)?,
        })
    };
    lines(STAR_DEPTH).skip(1).map(read).collect()
}

/// One line of a table.
#[derive(Default)]
struct Line {
    table: &'static str,
    /// From 1.
    number: usize,
    cells: Vec<String>,
}

impl Line {
    fn text(&self, cell: usize) -> &str {
        self.cells.get(cell).map_or("", String::as_str)
    }

    fn number<T: std::str::FromStr>(&self, cell: usize) -> Result<T, String> {
        let text = self.text(cell);
        let number = text.trim().parse();
        number.map_err(|_| self.damaged(&format!("'{text}' is no number")))
    }

    fn damaged(&self, problem: &str) -> String {
        let Self { table, number, .. } = self;
        format!("the published table {table}, line {number}: {problem}")
    }
}

/// The lines of a table that are not empty; a cell may stand in quotation marks.
fn lines((table, text): Table) -> impl Iterator<Item = Line> {
    let lines = (1..).zip(text.lines());
    let lines = lines.filter(|(_, line)| !line.trim().is_empty());
    lines.map(move |(number, line)| {
        let (mut cells, mut quoted) = (vec![String::new()], false);
        for character in line.trim_end().chars() {
            match (character, cells.last_mut()) {
                ('"', _) => quoted = !quoted,
                (',', _) if !quoted => cells.push(String::new()),
                (_, Some(cell)) => cell.push(character),
                (_, None) => {}
            }
        }
        Line {
            table,
            number,
            cells,
        }
    })
}
