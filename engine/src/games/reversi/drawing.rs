//! A position of Reversi as a picture: inline SVG, or text.
//!
//! Invariant: the SVG needs nothing from outside and no script; whoever cannot see it reads the
//! position as its title.

use super::{
    BLACK, Position, Reversi, WHITE,
    bits::{COLUMNS, squares_of},
    notation::{SIGNS, disc_on},
};
use crate::core::game::Seat;
use std::fmt::Write;

/// Units of a square; coordinates and side lengths below are in the same units.
const SQUARE: usize = 50;
const MARGIN: usize = 26;

/// A seat as people name it.
pub(super) fn title(seat: Seat) -> &'static str {
    ["Black", "White"][seat]
}

/// The discs of both sides, and whose turn it is or who has won.
fn caption(game: &Reversi, position: &Position) -> String {
    let [black, white] = [BLACK, WHITE].map(|seat| position.discs(seat).count_ones());
    let turn = if !game.is_over(position) {
        let seat = position.seat();
        format!("{} ({}) to move", title(seat), SIGNS[seat])
    } else if black == white {
        "a draw".to_owned()
    } else {
        format!("{} has won", title(usize::from(white > black)))
    };
    format!("Black {black}, White {white}: {turn}")
}

/// The board as text with coordinates; below it the discs of both sides and whose turn it is.
pub(super) fn text(game: &Reversi, position: &Position) -> String {
    let mut text = String::new();
    for (index, row) in game.rows(position).iter().enumerate() {
        let signs: Vec<String> = row.chars().map(String::from).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {}  {}", index + 1, signs.join(" "));
    }
    let letters: Vec<String> = letters(game).map(String::from).collect();
    let _ = writeln!(text, "     {}", letters.join(" "));
    text + &caption(game, position)
}

fn letters(game: &Reversi) -> impl Iterator<Item = char> {
    ('a'..).take(game.size())
}

/// The board as an `<svg>` element that scales to the width it is given; small dots are the moves
/// of the side whose turn it is.
pub(super) fn svg(game: &Reversi, position: &Position) -> String {
    let mut svg = String::with_capacity(8_000);
    let side = game.size() * SQUARE + 2 * MARGIN;
    // Writing to a string cannot fail.
    let _ = write!(
        svg,
        "<svg class=\"board\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {side} {height}\" width=\"{side}\" height=\"{height}\" \
         role=\"img\" font-family=\"system-ui, sans-serif\" text-anchor=\"middle\"><title>{notation}</title>\
         <rect width=\"{side}\" height=\"{side}\" rx=\"8\" fill=\"#3b3f3a\"/>",
        height = side + 24,
        notation = game.format_position(position),
    );
    for square in squares_of(game.squares()) {
        let [x, y] = [square % COLUMNS, square / COLUMNS].map(|at| MARGIN + at * SQUARE);
        let _ = write!(
            svg,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{SQUARE}\" height=\"{SQUARE}\" fill=\"#2f7d4f\" stroke=\"#1d5233\"/>"
        );
        let (x, y) = (x + SQUARE / 2, y + SQUARE / 2);
        let circle = match disc_on(position, square) {
            None if position.moves >> square & 1 == 0 => continue,
            None => "r=\"4\" fill=\"#9fd6b3\"",
            Some(BLACK) => "r=\"20\" fill=\"#16181a\" stroke=\"#000\" stroke-width=\"2\"",
            Some(_) => "r=\"20\" fill=\"#f4f1e8\" stroke=\"#b9b4a5\" stroke-width=\"2\"",
        };
        let _ = write!(svg, "<circle cx=\"{x}\" cy=\"{y}\" {circle}/>");
    }
    for (index, letter) in letters(game).enumerate() {
        let centre = MARGIN + index * SQUARE + SQUARE / 2;
        let _ = write!(
            svg,
            "<text x=\"{centre}\" y=\"{}\" font-size=\"14\" fill=\"#f2f2ee\">{letter}</text>\
             <text x=\"{}\" y=\"{}\" font-size=\"14\" fill=\"#f2f2ee\">{}</text>",
            side - 8,
            MARGIN / 2,
            centre + 5,
            index + 1,
        );
    }
    let _ = write!(
        svg,
        "<text x=\"{}\" y=\"{}\" font-size=\"15\" fill=\"#3b3f3a\">{}</text></svg>",
        side / 2,
        side + 18,
        caption(game, position)
    );
    svg
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_shows_discs_counts_and_whose_turn_it_is() {
        let game = Reversi::FOUR;
        let after_a2 = game.parse_position("----XXX--XO----- O").unwrap();
        let expected = "  1  - - - -\n  2  X X X -\n  3  - X O -\n  4  - - - -\n     a b c d\nBlack 4, White 1: White (O) to move";
        assert_eq!(text(&game, &after_a2), expected);
        let over = game.parse_position("XXXX/XXXX/----/---- X").unwrap();
        assert!(text(&game, &over).ends_with("\nBlack 8, White 0: Black has won"));
    }

    #[test]
    fn the_picture_has_a_circle_a_disc_at_its_place_and_a_dot_a_move() {
        let svg = svg(&Reversi::EIGHT, &Reversi::EIGHT.start());
        assert_eq!(svg.matches("r=\"20\"").count(), 4);
        assert_eq!(svg.matches("r=\"4\"").count(), 4);
        // White on d4 and e5.
        for at in [MARGIN + 175, MARGIN + 225] {
            let disc = format!("<circle cx=\"{at}\" cy=\"{at}\" r=\"20\" fill=\"#f4f1e8\"");
            assert!(svg.contains(&disc), "{svg}");
        }
    }
}
