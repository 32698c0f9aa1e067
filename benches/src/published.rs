//! Parsers of the published tables in `benches/published`.

use arena::error::Result;
use engine::core::text::content_lines;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Map, Value};
use std::collections::HashMap;

pub(super) const ROCKNROLL_GAMES: u64 = 10_240;

#[derive(Deserialize)]
pub(super) struct Entrant {
    #[serde(rename = "no")]
    pub number: u32,
    #[serde(rename = "player")]
    pub name: String,
    /// Alea's player that stands for the published one (`benches/results/published-tables.md`).
    #[serde(rename = "here")]
    pub player: String,
    /// Estimated milliseconds per game for which this player thinks.
    pub milliseconds: f64,
    /// Printed win percentage against each opponent, by the opponent's number.
    #[serde(flatten)]
    pub percent: HashMap<String, f64>,
}

#[derive(Deserialize)]
pub(super) struct MonteAlphaLine {
    pub table: u32,
    pub player: String,
    pub opponent: String,
    /// Alea's player that stands for the published one. `{limit}` stands for milliseconds per move,
    /// `{many}` and `{few}` for the simulations of Monte_Alpha and UCTcut in this time.
    pub here: String,
    pub opponent_here: String,
    pub games: u64,
    #[serde(rename = "win_rate_percent")]
    pub percent: f64,
}

#[derive(Deserialize)]
pub(super) struct StarDepthRow {
    pub depth: u32,
    /// Fraction of games won against depth 0.
    #[serde(rename = "win_rate_vs_depth0")]
    pub share: f64,
    #[serde(rename = "seconds_per_complete_game")]
    pub seconds: f64,
    pub games: u64,
}

pub(super) fn rocknroll_table() -> Result<Vec<Entrant>> {
    parse_rows(include_str!("../published/rocknroll_tournament.csv"))
}

pub(super) fn monte_alpha_lines() -> Result<Vec<MonteAlphaLine>> {
    parse_rows(include_str!("../published/monte_alpha.csv"))
}

pub(super) fn star_depth_rows() -> Result<Vec<StarDepthRow>> {
    parse_rows(include_str!("../published/star1_agent_depth.csv"))
}

/// Source of a published report, and our assumptions where the report leaves something open; `{}`
/// stands for settings of the run.
pub(super) fn source_of_report(name: &str) -> (String, Vec<String>) {
    let lines = content_lines(include_str!("../published/reports.txt"));
    let mut lines = lines.map(|(_, line)| line);
    let source = lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
    let source = source.unwrap_or_default().to_owned();
    let assumptions = lines.map_while(|line| line.strip_prefix("- "));
    (source, assumptions.map(str::to_owned).collect())
}

fn parse_rows<T: DeserializeOwned>(table: &str) -> Result<Vec<T>> {
    let mut lines = table.lines();
    let names = parse_cells(lines.next().unwrap_or_default());
    let row = |(number, line): (u32, &str)| {
        let cells = names.iter().cloned().zip(parse_cells(line));
        let nonempty = cells.filter(|(_, cell)| !cell.is_empty());
        let value = |cell: String| serde_json::from_str(&cell).unwrap_or(Value::String(cell));
        let row: Map<String, Value> = nonempty.map(|(name, cell)| (name, value(cell))).collect();
        let damaged = |problem| format!("line {number} of a published table: {problem}");
        Ok(serde_json::from_value(row.into()).map_err(damaged)?)
    };
    (2..).zip(lines).map(row).collect()
}

fn parse_cells(line: &str) -> Vec<String> {
    let (mut cells, mut quoted) = (vec![String::new()], false);
    for character in line.chars() {
        match (character, cells.last_mut()) {
            ('"', _) => quoted = !quoted,
            (',', _) if !quoted => cells.push(String::new()),
            (_, Some(cell)) => cell.push(character),
            (_, None) => {}
        }
    }
    cells
}
