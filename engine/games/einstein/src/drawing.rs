//! Positions of EinStein würfelt nicht as SVG or text.

use super::{Position, Standard};
use alea_play::drawing_helpers::{Squares, label, svg_open};
use alea_play::playable::GameText;

const COLUMNS: usize = 5;
const SQUARE_SIZE: usize = 60;
const MARGIN: usize = 26;
const BOARD_GEOMETRY: Squares<'_> = Squares {
    columns: COLUMNS,
    square: SQUARE_SIZE,
    margin: MARGIN,
    ink: "#f2e3c6",
    number: |index| COLUMNS - index,
};

const STONE_COLOURS: [(&str, &str); 2] = [("#c8372d", "#8e211a"), ("#2b62b3", "#173f7c")];

pub(super) fn svg(game: &Standard, position: &Position, die: Option<u8>) -> String {
    let side = BOARD_GEOMETRY.side_length();
    let mut svg = svg_open(side, side + 24, &game.format_position(position, die));
    svg += &format!("<rect width=\"{side}\" height=\"{side}\" rx=\"8\" fill=\"#6b4f3a\"/>");
    for square in 0..COLUMNS * COLUMNS {
        let (row, column) = (square / COLUMNS, square % COLUMNS);
        let (x, y) = (MARGIN + column * SQUARE_SIZE, MARGIN + row * SQUARE_SIZE);
        let fill = if (row + column) % 2 == 0 {
            "#f2e3c6"
        } else {
            "#e3cda4"
        };
        svg += &format!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"{SQUARE_SIZE}\" height=\"{SQUARE_SIZE}\" fill=\"{fill}\"/>"
        );
        // Each goal square has the colour of the side that moves towards it.
        let goals = [usize::from(Standard::GOAL), 0];
        if let Some(seat) = goals.iter().position(|&goal| goal == square) {
            svg += &format!(
                "<rect x=\"{}\" y=\"{}\" width=\"{2}\" height=\"{2}\" fill=\"none\" stroke=\"{3}\" stroke-width=\"4\" stroke-opacity=\"0.55\"/>",
                x + 4,
                y + 4,
                SQUARE_SIZE - 8,
                STONE_COLOURS[seat].0
            );
        }
        if let Some((seat, stone)) = Standard::stone_at(position, square as u8) {
            let ((fill, outline), number) = (STONE_COLOURS[seat], stone + 1);
            let (x, y) = (x + SQUARE_SIZE / 2, y + SQUARE_SIZE / 2);
            svg += &format!(
                "<circle cx=\"{x}\" cy=\"{y}\" r=\"22\" fill=\"{fill}\" stroke=\"{outline}\" stroke-width=\"2\"/>\
                 <text x=\"{x}\" y=\"{}\" font-size=\"24\" font-weight=\"700\" fill=\"#fff\">{number}</text>",
                y + 8
            );
        }
    }
    let mover = game.seat_title(position.seat());
    let turn = match die {
        Some(face) => format!("{mover} to move, rolled {face}"),
        None => format!("{mover} to roll"),
    };
    let ink = STONE_COLOURS[position.seat()].1;
    svg + &BOARD_GEOMETRY.coordinate_labels()
        + &label(side / 2, side + 18, 15, ink, turn)
        + "</svg>"
}

pub(super) fn text(game: &Standard, position: &Position, die: Option<u8>) -> String {
    let notation = game.format_position(position, die);
    let rows = notation.split(' ').next().unwrap_or_default();
    let rows: Vec<&str> = rows.split('/').collect();
    let mover = ["Red (1-6)", "Blue (a-f)"][position.seat()];
    let turn = match (game.winner(position), die) {
        (Some(winner), _) => format!("{} has won", game.seat_title(winner)),
        (None, Some(die)) => format!("{mover} rolled {die}"),
        (None, None) => format!("{mover} to roll"),
    };
    BOARD_GEOMETRY.text_board(&rows) + &turn
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RED;

    const NOTATION: &str = "215../64.../3...e/...fb/..acd b 1";

    #[test]
    fn text_shows_every_stone_where_the_notation_has_it() {
        let game = Standard::default();
        let (position, die) = game.parse_position(NOTATION).unwrap();
        let expected = "  5  2 1 5 . .\n  4  6 4 . . .\n  3  3 . . . e\n  2  . . . f b\n  1  . . a c d\n     a b c d e\nBlue (a-f) rolled 1";
        assert_eq!(text(&game, &position, die), expected);
    }

    #[test]
    fn the_picture_has_a_circle_for_each_stone() {
        let game = Standard::default();
        let (position, die) = game.parse_position(NOTATION).unwrap();
        let svg = super::svg(&game, &position, die);
        assert_eq!(svg.matches("<circle").count(), 12);
        let (fill, outline) = STONE_COLOURS[RED];
        let red = format!("fill=\"{fill}\" stroke=\"{outline}\"");
        assert_eq!(svg.matches(&red).count(), 6);
        assert!(svg.contains(&format!("<title>{NOTATION}</title>")));
        let (x, y) = (MARGIN + 4 * SQUARE_SIZE + 30, MARGIN + 3 * SQUARE_SIZE + 38);
        assert!(svg.contains(&format!("<text x=\"{x}\" y=\"{y}\" font-size=\"24\" font-weight=\"700\" fill=\"#fff\">2</text>")), "{svg}");
        let (one_left, die) = game
            .parse_position("...../...../..3../...../....a r -")
            .unwrap();
        let svg = super::svg(&game, &one_left, die);
        assert_eq!(svg.matches("<circle").count(), 2);
        assert!(svg.contains("Red to roll"));
    }
}
