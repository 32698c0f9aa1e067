//! Positions with one best move, that a good evaluator misses without search.
//!
//! Source: `data/puzzles` (README.md there): recorded games, their truth from endgame tables.

use crate::api::{Problem, RatedMove};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A position whose best move is to be found.
#[derive(Clone, Debug, Serialize)]
pub struct Puzzle {
    /// Which one, from 0.
    pub number: u64,
    /// How many there are.
    pub count: u64,
    /// The position with its roll.
    pub position: String,
    /// The one best move.
    pub best: String,
    /// All permitted moves with what they are worth to the seat that makes them, exactly; the best
    /// first.
    pub moves: Vec<RatedMove>,
}

/// A line of the file.
#[derive(Deserialize)]
struct Line {
    position: String,
    values: BTreeMap<String, f64>,
}

/// One of the puzzles of a game; numbers beyond the last begin anew.
///
/// # Errors
/// If there are none.
pub fn puzzle(puzzles: &str, number: u64) -> Result<Puzzle, Problem> {
    let count = puzzles.lines().count() as u64;
    let number = number.checked_rem(count);
    let number = number.ok_or_else(|| Problem::wrong("of this game there are no puzzles"))?;
    let line = puzzles.lines().nth(number as usize).unwrap_or_default();
    let line: Line = serde_json::from_str(line).map_err(Problem::wrong)?;
    let rated = |(mv, value)| RatedMove {
        mv,
        value: Some(value),
        exact: true,
        ..RatedMove::default()
    };
    let mut values: Vec<(String, f64)> = line.values.into_iter().collect();
    values.sort_by(|one, other| other.1.total_cmp(&one.1));
    let moves: Vec<RatedMove> = values.into_iter().map(rated).collect();
    Ok(Puzzle {
        number,
        count,
        position: line.position,
        best: moves
            .first()
            .map(|best| best.mv.clone())
            .unwrap_or_default(),
        moves,
    })
}
