//! A report of any results: what commands write with `--json`, and training curves.
//!
//! Invariant: what a result is follows from its keys; what cannot be recognised is refused by the
//! name of its file.

mod sections;

use crate::arena::{MatchResult, tournament::TournamentResult};
use crate::error::Result;
use crate::plot::{Curve, LineChart, line_chart};
use crate::studies::{
    atlas::result::{Atlas, ClassValue},
    regret::report::Report,
    reproduce::Reproduction,
    strength::Front,
};
pub use sections::page;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A result that a page can show.
#[derive(Clone, Debug, PartialEq)]
pub enum Found {
    /// Of `alea arena`, or the match of `alea gate`.
    Match(Box<MatchResult>),
    /// Of `alea tournament`.
    Tournament(TournamentResult),
    /// Of `alea regret`.
    Regret(Box<Report>),
    /// Of `alea atlas`.
    Atlas(Box<Atlas>),
    /// Of `alea reproduce`.
    Reproduction(Reproduction),
    /// Of `alea bench strength`.
    Strength(Front),
    /// `curve.csv` of a training.
    Curve(LineChart),
}

/// Results that a page shows, with what they are called.
const KNOWN: &str = "arena, gate, tournament, regret, atlas, reproduce and bench strength write results with --json, and \
                     a training its curve.csv";

/// The results in a text: JSON values one after the other, or a table of a curve. `name` is what
/// errors call it.
///
/// # Errors
/// If the text is neither, or a value is no result that a page can show.
pub fn read(name: &str, text: &str) -> Result<Vec<Found>> {
    let error = |problem: String| format!("{name}: {problem}");
    if text.starts_with("epoch,") {
        return Ok(vec![Found::Curve(curve(name, text).map_err(error)?)]);
    }
    let mut found = Vec::new();
    for (number, value) in serde_json::Deserializer::from_str(text)
        .into_iter::<Value>()
        .enumerate()
    {
        let value = value.map_err(|problem| error(format!("no result: {problem}; {KNOWN}")))?;
        found.push(
            recognised(value)
                .map_err(|problem| error(format!("result {}: {problem}", number + 1)))?,
        );
    }
    if found.is_empty() {
        Err(error(format!("nothing in it; {KNOWN}")).into())
    } else {
        Ok(found)
    }
}

fn recognised(mut value: Value) -> Result<Found, String> {
    fn read<T: DeserializeOwned>(value: Value) -> Result<T, String> {
        serde_json::from_value(value).map_err(|problem| problem.to_string())
    }
    let has = |keys: &[&str]| keys.iter().all(|key| value.get(key).is_some());
    Ok(if has(&["a", "b", "pair_counts"]) {
        Found::Match(read(value)?)
    } else if has(&["promoted", "match"]) {
        Found::Match(read(value["match"].take())?)
    } else if has(&["names", "matches"]) {
        Found::Tournament(read(value)?)
    } else if has(&["truth", "contestants"]) {
        Found::Regret(read(value)?)
    } else if has(&["equilibrium", "classes"]) {
        Found::Atlas(Box::new(atlas(read(value)?)?))
    } else if has(&["comparisons", "claims"]) {
        Found::Reproduction(read(value)?)
    } else if has(&["curves", "against"]) {
        Found::Strength(read(value)?)
    } else {
        return Err(format!("no page shows it; {KNOWN}"));
    })
}

/// An atlas that can be drawn.
fn atlas(found: Atlas) -> Result<Atlas, String> {
    let is_order = |order: &String| order.len() == 6 && order.is_ascii();
    let is_class =
        |class: &ClassValue| !class.orders.is_empty() && class.orders.iter().all(is_order);
    let enough = if found.stones == 6 { 8 } else { 1 };
    let is_whole = (1..=6).contains(&found.stones)
        && found.classes.len() >= enough
        && found.classes.iter().all(is_class);
    is_whole
        .then_some(found)
        .ok_or_else(|| "no atlas: classes of set-ups over six squares belong there".to_owned())
}

/// The losses of a training as a picture, over what the first column of its table counts.
///
/// # Errors
/// If the text is no such table.
pub fn curve_picture(table: &str) -> Result<String, String> {
    let chart = curve("Cross-entropy", table)?;
    line_chart(&chart).map_err(|error| error.to_string())
}

/// The losses of a table with a head.
fn curve(name: &str, text: &str) -> Result<LineChart, String> {
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
