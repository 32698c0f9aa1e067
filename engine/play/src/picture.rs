//! Common parts of drawings of boards, as SVG or text.
//!
//! A drawing is self-contained and has no script; its title is the text of the position, for screen
//! readers.

use alea_core::text::joined;
use std::fmt::Display;

/// The start of an `<svg>` element that scales to the available width, with its size in SVG units.
pub fn svg_open(width: usize, height: usize, title: &str) -> String {
    format!(
        "<svg class=\"board\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         role=\"img\" font-family=\"system-ui, sans-serif\" text-anchor=\"middle\"><title>{title}</title>"
    )
}

/// A centred text at a point.
pub fn label(x: usize, y: usize, size: usize, fill: &str, text: impl Display) -> String {
    format!("<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\" fill=\"{fill}\">{text}</text>")
}

/// A board of squares with a margin for the names of rows and columns, in SVG units.
pub struct Squares<'a> {
    /// Number of columns, and of rows.
    pub columns: usize,
    /// Side of a square.
    pub square: usize,
    /// Width of the margin.
    pub margin: usize,
    /// The colour of the names.
    pub ink: &'a str,
    /// The number of each row, counted from the top.
    pub number: fn(usize) -> usize,
}

impl Squares<'_> {
    /// Width and height of the board with its margin.
    pub fn side(&self) -> usize {
        self.columns * self.square + 2 * self.margin
    }

    /// The letters below the columns and the numbers beside the rows, as SVG.
    pub fn names(&self) -> String {
        let names = ('a'..).take(self.columns).enumerate();
        let names = names.map(|(index, letter)| {
            let centre = self.margin + index * self.square + self.square / 2;
            let number = (self.number)(index);
            label(centre, self.side() - 8, 14, self.ink, letter)
                + &label(self.margin / 2, centre + 5, 14, self.ink, number)
        });
        names.collect()
    }

    /// The board as text, a character per square, with the same names.
    pub fn text(&self, rows: &[impl AsRef<str>]) -> String {
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
