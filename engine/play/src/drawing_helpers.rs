//! Parts of board pictures, as text or self-contained SVG without scripts.

use alea_core::text::joined;
use std::fmt::Display;

/// Start of an `<svg>` element that scales to the available width; sizes in SVG units.
pub fn svg_open(width: usize, height: usize, title: &str) -> String {
    format!(
        "<svg class=\"board\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         role=\"img\" font-family=\"system-ui, sans-serif\" text-anchor=\"middle\"><title>{title}</title>"
    )
}

/// SVG text, horizontally centred at `x`.
pub fn label(x: usize, y: usize, size: usize, fill: &str, text: impl Display) -> String {
    format!("<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\" fill=\"{fill}\">{text}</text>")
}

/// A square board with a margin for row and column names; lengths in SVG units.
pub struct Squares<'a> {
    /// Columns and rows.
    pub columns: usize,
    /// Side length of a cell.
    pub square: usize,
    /// Width around the board.
    pub margin: usize,
    /// Colour of the names.
    pub ink: &'a str,
    /// Number of a row, from its index counted from the top.
    pub number: fn(usize) -> usize,
}

impl Squares<'_> {
    /// Side length of the board with its margins.
    pub fn side_length(&self) -> usize {
        self.columns * self.square + 2 * self.margin
    }

    /// Letters below the columns and numbers beside the rows, as SVG.
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

    /// The board as text with row and column names, one character per cell.
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
