//! Tables as text for a terminal and as CSV with all digits. A missing value is `–` in the text and
//! empty in the CSV.

use alea_core::text::printable;
use serde::Serialize;
use serde_json::Value;

/// Value in a table.
#[derive(Clone)]
pub enum Cell {
    /// Text, left-aligned.
    Text(String),
    /// Formatted number, right-aligned, such as `50.1 ±2.3`.
    Right(String),
    /// Integer.
    Count(u64),
    /// Number, displayed with the given number of decimals.
    Number(f64, usize),
    /// Fraction in `[0, 1]`, displayed in percent.
    Percent(f64),
    /// Value that is unknown or not applicable.
    Missing,
}

impl Cell {
    /// Cell of a fraction, displayed in percent; [`Self::Missing`] for `None`.
    #[must_use]
    pub fn percent(fraction: Option<f64>) -> Self {
        fraction.map_or(Self::Missing, Self::Percent)
    }

    /// Cell of a number with displayed decimals; [`Self::Missing`] for `None`.
    #[must_use]
    pub fn number(value: Option<f64>, decimals: usize) -> Self {
        value.map_or(Self::Missing, |value| Self::Number(value, decimals))
    }

    fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::Missing,
            Value::String(text) => Self::Text(text.clone()),
            value => match (value.as_u64(), value.as_f64()) {
                (Some(count), _) => Self::Count(count),
                (None, Some(number)) => Self::Number(number, 6),
                (None, None) => Self::Text(value.to_string()),
            },
        }
    }

    /// Text of the cell in a terminal, without alignment.
    #[must_use]
    pub fn text_of(&self) -> String {
        match self {
            Self::Text(text) | Self::Right(text) => printable(text).into_owned(),
            Self::Count(count) => count.to_string(),
            Self::Number(value, decimals) if value.is_finite() => format!("{value:.decimals$}"),
            Self::Percent(fraction) if fraction.is_finite() => format!("{:.2}", 100.0 * fraction),
            Self::Number(..) | Self::Percent(_) | Self::Missing => "–".to_owned(),
        }
    }

    fn csv_field(&self) -> String {
        match self {
            Self::Text(text) | Self::Right(text) if text.contains([',', '"', '\n', '\r']) => {
                format!("\"{}\"", text.replace('"', "\"\""))
            }
            Self::Text(text) | Self::Right(text) => text.clone(),
            Self::Count(count) => count.to_string(),
            Self::Number(value, _) | Self::Percent(value) if value.is_finite() => value.to_string(),
            Self::Number(..) | Self::Percent(_) | Self::Missing => String::new(),
        }
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<u64> for Cell {
    fn from(count: u64) -> Self {
        Self::Count(count)
    }
}

/// Table with a heading for each column.
#[derive(Default)]
pub struct TextTable {
    /// Headings of the columns.
    pub columns: Vec<String>,
    /// Rows, each with a cell for every column.
    pub rows: Vec<Vec<Cell>>,
}

impl TextTable {
    /// Creates a table without rows.
    #[must_use]
    pub fn new<S: Into<String>>(columns: impl IntoIterator<Item = S>) -> Self {
        Self {
            columns: columns.into_iter().map(Into::into).collect(),
            rows: Vec::new(),
        }
    }

    /// Creates a table from headings and rows.
    pub fn from_rows<S: Into<String>>(
        columns: impl IntoIterator<Item = S>,
        rows: impl IntoIterator<Item = Vec<Cell>>,
    ) -> Self {
        let mut text_table = Self::new(columns);
        rows.into_iter().for_each(|row| text_table.push(row));
        text_table
    }

    /// Creates a table of structs: a row for each struct, a column for each field of its serialised
    /// form. Values that are no structs are left out.
    ///
    /// # Errors
    /// If a value cannot be serialised.
    pub fn of<T: Serialize>(values: &[T]) -> Result<Self, serde_json::Error> {
        let mut text_table = Self::default();
        for value in values {
            let Value::Object(fields) = serde_json::to_value(value)? else {
                continue;
            };
            if text_table.columns.is_empty() {
                text_table.columns = fields.keys().cloned().collect();
            }
            text_table.push(fields.values().map(Cell::of).collect());
        }
        Ok(text_table)
    }

    /// Appends a row, with a cell for every column.
    pub fn push(&mut self, row: Vec<Cell>) {
        debug_assert_eq!(row.len(), self.columns.len());
        self.rows.push(row);
    }

    pub(crate) fn numeric_columns(&self) -> Vec<bool> {
        let words = |column: usize| {
            self.rows
                .iter()
                .any(|row| matches!(row.get(column), Some(Cell::Text(_))))
        };
        (0..self.columns.len())
            .map(|column| !words(column))
            .collect()
    }

    /// Formats the table for a terminal, with aligned columns.
    #[must_use]
    pub fn text(&self) -> String {
        let text_of: Vec<Vec<String>> = self
            .rows
            .iter()
            .map(|row| row.iter().map(Cell::text_of).collect())
            .collect();
        let numbers = self.numeric_columns();
        let lines = || std::iter::once(&self.columns).chain(&text_of);
        let width = |column: usize| {
            let cells = lines().filter_map(|line| line.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.columns.len()).map(width).collect();
        let mut text = String::new();
        for line in lines() {
            let cells = line.iter().zip(&widths).zip(&numbers);
            let cells: Vec<String> = cells
                .map(|((cell, &width), &number)| {
                    if number {
                        format!("{cell:>width$}")
                    } else {
                        format!("{cell:<width$}")
                    }
                })
                .collect();
            text.push_str(cells.join("  ").trim_end());
            text.push('\n');
        }
        text
    }

    /// Formats the table as CSV (RFC 4180, but with line feeds alone) with all digits; percentages
    /// are written as fractions.
    #[must_use]
    pub fn csv(&self) -> String {
        let mut text = String::new();
        let header: Vec<Cell> = self
            .columns
            .iter()
            .map(|column| Cell::Text(column.clone()))
            .collect();
        for row in std::iter::once(&header).chain(&self.rows) {
            text.push_str(
                &row.iter()
                    .map(Cell::csv_field)
                    .collect::<Vec<_>>()
                    .join(","),
            );
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_table() -> TextTable {
        let row = |name: &str, count, number, fraction| {
            let fractions = Cell::percent(fraction);
            vec![
                name.into(),
                Cell::Count(count),
                Cell::Number(number, 1),
                fractions,
            ]
        };
        TextTable::from_rows(
            ["player", "nodes", "ms", "cut"],
            [
                row("a(b=1, c=2)", 1200, 1.25, Some(0.5)),
                row("d", 7, f64::NAN, None),
            ],
        )
    }

    #[test]
    fn columns_line_up() {
        let expected = "player       nodes   ms    cut\na(b=1, c=2)   1200  1.2  50.00\nd                7    –      –\n";
        assert_eq!(text_table().text(), expected);
    }

    #[test]
    fn values_are_rows_and_their_fields_columns() {
        let rows = [
            serde_json::json!({ "name": "a", "count": 3, "share": 0.5 }),
            serde_json::json!({ "name": "b", "count": 4, "share": null }),
        ];
        assert_eq!(
            TextTable::of(&rows).unwrap().csv(),
            "name,count,share\na,3,0.5\nb,4,\n"
        );
    }

    #[test]
    fn csv_quotes_what_holds_commas_and_leaves_out_what_is_not_known() {
        assert_eq!(
            text_table().csv(),
            "player,nodes,ms,cut\n\"a(b=1, c=2)\",1200,1.25,0.5\nd,7,,\n"
        );
        let quoted = TextTable::from_rows(["x"], [vec!["say \"a\"".into()]]);
        assert_eq!(quoted.csv(), "x\n\"say \"\"a\"\"\"\n");
    }
}
