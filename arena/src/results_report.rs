//! Reader of JSON results (`--json`) and training curves for a report; the keys of a result
//! determine its kind.

mod sections;

use crate::document::Page;
use crate::error::Result;
use crate::plot::{Curve, LineChart, line_chart};
use crate::regret::report::Report;
use crate::{matches::MatchResult, tournament::TournamentResult};
pub use sections::page;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Result of a command, to be shown in a report.
#[derive(Debug)]
pub enum ReportItem {
    /// Match of `alea arena` or `alea gate`.
    Match(Box<MatchResult>),
    /// Round robin of `alea tournament`.
    Tournament(TournamentResult),
    /// Measured regret of `alea regret`.
    Regret(Box<Report>),
    /// Losses by epoch from the `curve.csv` of a training.
    Curve(LineChart),
    /// Result of a kind that only the caller knows.
    Other(Box<dyn Section>),
}

/// Result of a kind that only the caller knows; writes its own section of a report.
pub trait Section: std::fmt::Debug {
    /// Appends the result's section to a report.
    ///
    /// # Errors
    /// If a plot cannot be drawn.
    fn append_to(&self, page: &mut Page) -> Result<()>;
}

/// Parser of results that only the caller knows; `None` for an unknown kind.
pub type SectionParser = fn(&Value) -> Option<Result<Box<dyn Section>, String>>;

const RESULTS_HINT: &str =
    "arena, gate, tournament and regret write results with --json, and a training its curve.csv";

/// Reads the results in a text: consecutive JSON values, or the CSV of a training curve. `name`
/// names the text in errors; `other` parses kinds unknown here.
///
/// # Errors
/// If the text is invalid or has no supported result.
pub fn read(name: &str, text: &str, other: SectionParser) -> Result<Vec<ReportItem>> {
    let error = |problem: String| format!("{name}: {problem}");
    if text.starts_with("epoch,") {
        return Ok(vec![ReportItem::Curve(
            parse_curve(name, text).map_err(error)?,
        )]);
    }
    let mut items = Vec::new();
    for (number, value) in serde_json::Deserializer::from_str(text)
        .into_iter::<Value>()
        .enumerate()
    {
        let value =
            value.map_err(|problem| error(format!("no result: {problem}; {RESULTS_HINT}")))?;
        items.push(
            read_item(value, other)
                .map_err(|problem| error(format!("result {}: {problem}", number + 1)))?,
        );
    }
    if items.is_empty() {
        Err(error(format!("nothing in it; {RESULTS_HINT}")).into())
    } else {
        Ok(items)
    }
}

fn read_item(mut value: Value, other: SectionParser) -> Result<ReportItem, String> {
    fn read<T: DeserializeOwned>(value: Value) -> Result<T, String> {
        serde_json::from_value(value).map_err(|problem| problem.to_string())
    }
    let has = |keys: &[&str]| keys.iter().all(|key| value.get(key).is_some());
    Ok(if has(&["a", "b", "pair_counts"]) {
        ReportItem::Match(read(value)?)
    } else if has(&["promoted", "match"]) {
        ReportItem::Match(read(value["match"].take())?)
    } else if has(&["names", "matches"]) {
        ReportItem::Tournament(read(value)?)
    } else if has(&["truth", "contestants"]) {
        ReportItem::Regret(read(value)?)
    } else if let Some(section) = other(&value) {
        ReportItem::Other(section?)
    } else {
        return Err(format!("no page shows it; {RESULTS_HINT}"));
    })
}

/// Draws the losses by epoch in the text of a `curve.csv` as SVG.
///
/// # Errors
/// If the table is invalid.
pub fn loss_svg(table: &str) -> Result<String, String> {
    let chart = parse_curve("Cross-entropy", table)?;
    line_chart(&chart).map_err(|error| error.to_string())
}

fn parse_curve(name: &str, text: &str) -> Result<LineChart, String> {
    let mut lines = text.lines();
    let columns: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    let losses: Vec<usize> = (0..columns.len())
        .filter(|&column| columns[column].ends_with("loss"))
        .collect();
    let curve = |&column: &usize| Curve::new(columns[column].replace('_', " "), []);
    let mut curves: Vec<Curve> = losses.iter().map(curve).collect();
    for (line, number) in lines.zip(2..) {
        let cells: Vec<Option<f64>> = line.split(',').map(|cell| cell.parse().ok()).collect();
        let Some(epoch) = cells
            .first()
            .copied()
            .flatten()
            .filter(|_| cells.len() == columns.len())
        else {
            return Err(format!(
                "line {number}: {} columns of numbers belong there",
                columns.len()
            ));
        };
        for (curve, &column) in curves.iter_mut().zip(&losses) {
            curve.points.extend(cells[column].map(|loss| (epoch, loss)));
        }
    }
    let over = columns[0];
    Ok(LineChart::new(name, [over, "cross-entropy, nats"], curves))
}

#[cfg(test)]
mod tests;
