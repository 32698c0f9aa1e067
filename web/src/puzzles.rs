//! Puzzles: positions with exactly known values and one best move, which a good evaluator misses
//! without search (`data/puzzles/make.py`).

use crate::api_types::Problem;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;

#[derive(Deserialize)]
struct Line {
    position: String,
    values: BTreeMap<String, f64>,
}

/// JSON of puzzle `number` modulo their count; `puzzles` has one JSON object per line.
pub(crate) fn puzzle(puzzles: &str, number: u64) -> Result<Value, Problem> {
    let count = puzzles.lines().count() as u64;
    let number = number.checked_rem(count);
    let number =
        number.ok_or_else(|| Problem::invalid_request("of this game there are no puzzles"))?;
    let line = puzzles.lines().nth(number as usize).unwrap_or_default();
    let Line { position, values } = serde_json::from_str(line).map_err(Problem::invalid_request)?;
    let mut values: Vec<(String, f64)> = values.into_iter().collect();
    values.sort_by(|one, other| other.1.total_cmp(&one.1));
    let json = |(mv, value): &(String, f64)| json!({ "move": mv, "value": value, "exact": true });
    Ok(json!({
        "number": number,
        "count": count,
        "position": position,
        "best": values.first().map(|(best, _)| best),
        "moves": values.iter().map(json).collect::<Value>(),
    }))
}
