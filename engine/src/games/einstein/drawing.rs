//! A position of EinStein würfelt nicht as a picture: inline SVG, or text.
//!
//! Invariant: the SVG needs nothing from outside and no script; whoever cannot see it reads the
//! position as its title.

use super::{Position, Standard};
use std::fmt::Write;

const COLUMNS: usize = 5;
/// Units of a square; coordinates and side lengths below are in the same units.
const SQUARE: usize = 60;
const MARGIN: usize = 26;
const SIDE: usize = COLUMNS * SQUARE + 2 * MARGIN;

pub(super) const SEAT_TITLES: [&str; 2] = ["Red", "Blue"];

/// Fill and outline of the stones of Red and Blue.
const STONES: [(&str, &str); 2] = [("#c8372d", "#8e211a"), ("#2b62b3", "#173f7c")];

/// The board as an `<svg>` element that scales to the width it is given, 352 units a side. `die`,
/// if rolled, is named below the board together with the side to move.
pub(super) fn svg(game: &Standard, position: &Position, die: Option<u8>) -> String {
    let mut svg = String::with_capacity(8_000);
    let notation = game.format_position(position, die);
    // Writing to a string cannot fail.
    let _ = write!(
        svg,
        "<svg class=\"board\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {SIDE} {height}\" width=\"{SIDE}\" height=\"{height}\" \
         role=\"img\" font-family=\"system-ui, sans-serif\" text-anchor=\"middle\"><title>{notation}</title>\
         <rect width=\"{SIDE}\" height=\"{SIDE}\" rx=\"8\" fill=\"#6b4f3a\"/>",
        height = SIDE + 24,
    );
    for square in 0..COLUMNS * COLUMNS {
        let (row, column) = (square / COLUMNS, square % COLUMNS);
        let (x, y) = (MARGIN + column * SQUARE, MARGIN + row * SQUARE);
        let fill = if (row + column) % 2 == 0 {
            "#f2e3c6"
        } else {
            "#e3cda4"
        };
        let _ = write!(
            svg,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{SQUARE}\" height=\"{SQUARE}\" fill=\"{fill}\"/>"
        );
        // Each goal wears the colour of the side that wants to reach it.
        let goals = [usize::from(Standard::GOAL), 0];
        if let Some(seat) = goals.iter().position(|&goal| goal == square) {
            let _ = write!(
                svg,
                "<rect x=\"{}\" y=\"{}\" width=\"{2}\" height=\"{2}\" fill=\"none\" stroke=\"{3}\" stroke-width=\"4\" stroke-opacity=\"0.55\"/>",
                x + 4,
                y + 4,
                SQUARE - 8,
                STONES[seat].0
            );
        }
        if let Some((seat, stone)) = Standard::stone_at(position, square as u8) {
            let ((fill, outline), number) = (STONES[seat], stone + 1);
            let (x, y) = (x + SQUARE / 2, y + SQUARE / 2);
            let _ = write!(
                svg,
                "<circle cx=\"{x}\" cy=\"{y}\" r=\"22\" fill=\"{fill}\" stroke=\"{outline}\" stroke-width=\"2\"/>\
                 <text x=\"{x}\" y=\"{}\" font-size=\"24\" font-weight=\"700\" fill=\"#fff\">{number}</text>",
                y + 8
            );
        }
    }
    for index in 0..COLUMNS {
        let centre = MARGIN + index * SQUARE + SQUARE / 2;
        let (letter, digit) = ((b'a' + index as u8) as char, COLUMNS - index);
        let _ = write!(
            svg,
            "<text x=\"{centre}\" y=\"{}\" font-size=\"14\" fill=\"#f2e3c6\">{letter}</text>\
             <text x=\"{}\" y=\"{}\" font-size=\"14\" fill=\"#f2e3c6\">{digit}</text>",
            SIDE - 8,
            MARGIN / 2,
            centre + 5
        );
    }
    let side = SEAT_TITLES[position.seat()];
    let _ = write!(
        svg,
        "<text x=\"{}\" y=\"{}\" font-size=\"15\" fill=\"{}\">{}</text></svg>",
        SIDE / 2,
        SIDE + 18,
        STONES[position.seat()].1,
        match die {
            Some(face) => format!("{side} to move, rolled {face}"),
            None => format!("{side} to roll"),
        }
    );
    svg
}

/// The board as text with coordinates: Red's stones as in the notation, 1–6, Blue's a–f. Below it
/// who has won, or whose turn it is.
pub(super) fn text(game: &Standard, position: &Position, die: Option<u8>) -> String {
    let notation = game.format_position(position, die);
    let rows = notation.split(' ').next().unwrap_or_default();
    let mut text = String::with_capacity(160);
    for (index, row) in rows.split('/').enumerate() {
        let squares: Vec<String> = row.chars().map(String::from).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {}  {}", COLUMNS - index, squares.join(" "));
    }
    text += "     a b c d e\n";
    let mover = ["Red (1-6)", "Blue (a-f)"][position.seat()];
    text += &match (game.winner(position), die) {
        (Some(winner), _) => format!("{} has won", SEAT_TITLES[winner]),
        (None, Some(die)) => format!("{mover} rolled {die}"),
        (None, None) => format!("{mover} to roll"),
    };
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::einstein::RED;

    const NOTATION: &str = "215../64.../3...e/...fb/..acd b 1";

    #[test]
    fn text_shows_every_stone_where_the_notation_has_it() {
        let game = Standard::default();
        let (position, die) = game.parse_position(NOTATION).unwrap();
        let expected = "  5  2 1 5 . .\n  4  6 4 . . .\n  3  3 . . . e\n  2  . . . f b\n  1  . . a c d\n     a b c d e\nBlue (a-f) rolled 1";
        assert_eq!(text(&game, &position, die), expected);
    }

    #[test]
    fn the_picture_has_a_circle_a_stone_at_its_place() {
        let game = Standard::default();
        let (position, die) = game.parse_position(NOTATION).unwrap();
        let svg = super::svg(&game, &position, die);
        assert_eq!(svg.matches("<circle").count(), 12);
        let (fill, outline) = STONES[RED];
        let red = format!("fill=\"{fill}\" stroke=\"{outline}\"");
        assert_eq!(svg.matches(&red).count(), 6);
        assert!(svg.contains(&format!("<title>{NOTATION}</title>")));
        // Blue's 2 (b) on e2: fifth column, fourth row.
        let (x, y) = (MARGIN + 4 * SQUARE + 30, MARGIN + 3 * SQUARE + 38);
        assert!(svg.contains(&format!("<text x=\"{x}\" y=\"{y}\" font-size=\"24\" font-weight=\"700\" fill=\"#fff\">2</text>")), "{svg}");
        let (one_left, die) = game
            .parse_position("...../...../..3../...../....a r -")
            .unwrap();
        let svg = super::svg(&game, &one_left, die);
        assert_eq!(svg.matches("<circle").count(), 2);
        assert!(svg.contains("Red to roll"));
    }
}
