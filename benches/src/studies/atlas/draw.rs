//! Set-ups and values as pictures: triangles of text, a table of all meetings, a map of classes.
//!
//! Set-ups are drawn as Red's, whose corner is the upper left one.

use super::{Found, result::ClassValue};
use crate::error::Result;
use crate::plot::heat_map::{HeatMap, heat_map};
use crate::sheet::{Cell, Sheet};

/// Triangles in one line of text.
const A_LINE: usize = 8;

/// Triangles of the first members of classes, the score in percent above each.
#[must_use]
pub fn text(classes: &[ClassValue]) -> String {
    let mut text = String::new();
    for line in classes.chunks(A_LINE) {
        let score = |class: &ClassValue| format!("{:.1}", 100.0 * class.score);
        let row = |squares: std::ops::Range<usize>| {
            move |class: &ClassValue| {
                class.orders[0][squares.clone()]
                    .chars()
                    .map(|stone| format!("{stone} "))
                    .collect()
            }
        };
        let rows: [&dyn Fn(&ClassValue) -> String; 4] =
            [&score, &row(0..3), &row(3..5), &row(5..6)];
        for row in rows {
            let cells: String = line
                .iter()
                .map(|class| format!("{:<8}", row(class)))
                .collect();
            text += &format!("  {}\n", cells.trim_end());
        }
        text.push('\n');
    }
    text.trim_end().to_owned() + "\n"
}

/// Most groups of a map.
const GROUPS: usize = 36;

impl Found {
    /// What every meeting is worth to who begins: a class against a row.
    #[must_use]
    pub fn sheet(&self) -> Sheet {
        let order = |row: usize| super::arrangements::text(&self.rows.orders[row]);
        let firsts = self.rows.classes.iter();
        let meetings =
            firsts.flat_map(|&first| (0..self.rows.len()).map(move |second| [first, second]));
        let row = |[first, second]: [usize; 2]| {
            vec![
                order(first).into(),
                order(second).into(),
                Cell::Percent(self.values[first][second]),
            ]
        };
        Sheet::filled(["first", "second", "first_wins"], meetings.map(row))
    }

    /// Who begins against the other, classes from best to worst, several together where there are
    /// many.
    ///
    /// # Errors
    /// If it cannot be drawn.
    pub fn svg(&self) -> Result<String> {
        let classes = &self.atlas.classes;
        let row = |order: &String| {
            self.rows
                .orders
                .iter()
                .position(|other| super::arrangements::text(other) == *order)
        };
        let groups: Vec<Vec<usize>> = classes
            .chunks(classes.len().div_ceil(GROUPS))
            .map(|group| {
                group
                    .iter()
                    .flat_map(|class| class.orders.iter().filter_map(row))
                    .collect()
            })
            .collect();
        let mean = |first: &Vec<usize>, second: &Vec<usize>| {
            let values = first
                .iter()
                .flat_map(|&first| second.iter().map(move |&second| self.values[first][second]));
            Some(100.0 * values.sum::<f64>() / (first.len() * second.len()) as f64)
        };
        let values: Vec<Option<f64>> = groups
            .iter()
            .flat_map(|first| groups.iter().map(move |second| mean(first, second)))
            .collect();
        let span = values
            .iter()
            .flatten()
            .map(|value| (value - 50.0).abs())
            .fold(0.5, f64::max);
        let numbered = |prefix: &str| {
            (1..=groups.len())
                .map(|place| format!("{prefix}{place}"))
                .collect()
        };
        heat_map(&HeatMap {
            title:
                "Who begins wins, %: its set-up (rows) against the other's (columns), best first"
                    .to_owned(),
            rows: numbered("begins with "),
            columns: numbered(""),
            values,
            middle: 50.0,
            span,
            decimals: 1,
        })
    }
}
