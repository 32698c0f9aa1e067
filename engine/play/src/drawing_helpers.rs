//! Helpers to draw boards as text or self-contained SVG without scripts.

use alea_core::text::joined;
use std::fmt::Display;

/// Start tag of an `<svg>` that scales to the available width, with its title; sizes in SVG units.
pub fn svg_open(width: usize, height: usize, title: &str) -> String {
    format!(
        "<svg class=\"board\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         role=\"img\" font-family=\"system-ui, sans-serif\" text-anchor=\"middle\"><title>{title}</title>"
    )
}

/// SVG text centred at `x`.
pub fn label(x: usize, y: usize, size: usize, fill: &str, text: impl Display) -> String {
    format!("<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\" fill=\"{fill}\">{text}</text>")
}

/// Geometry of a square board with a margin for row and column names; lengths in SVG units.
pub struct Squares<'a> {
    /// Number of columns and of rows.
    pub columns: usize,
    /// Side length of a cell.
    pub square: usize,
    /// Width around the board.
    pub margin: usize,
    /// Colour of the names.
    pub ink: &'a str,
    /// Number shown for a row, given its index from the top.
    pub number: fn(usize) -> usize,
}

impl Squares<'_> {
    /// Side length of the board with its margins.
    pub fn side_length(&self) -> usize {
        self.columns * self.square + 2 * self.margin
    }

    /// SVG of letters below columns and numbers beside rows.
    pub fn coordinate_labels(&self) -> String {
        let names = ('a'..).take(self.columns).enumerate();
        let names = names.map(|(index, letter)| {
            let centre = self.margin + index * self.square + self.square / 2;
            let number = (self.number)(index);
            label(centre, self.side_length() - 8, 14, self.ink, letter)
                + &label(self.margin / 2, centre + 5, 14, self.ink, number)
        });
        names.collect()
    }

    /// Text of a board with row and column names; `rows` have one character per cell.
    pub fn text_board(&self, rows: &[impl AsRef<str>]) -> String {
        let line = |(index, row): (usize, &str)| {
            format!("  {}  {}\n", (self.number)(index), joined(row.chars(), " "))
        };
        let lines: String = rows
            .iter()
            .map(AsRef::as_ref)
            .enumerate()
            .map(line)
            .collect();
        lines + "     " + &joined(('a'..).take(self.columns), " ") + "\n"
    }
}
