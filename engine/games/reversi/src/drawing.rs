//! Reversi positions as inline SVG or text.

use super::{
    BLACK, Position, Reversi, WHITE,
    bits::{COLUMNS, squares_of},
    notation::{DISC_CHARACTERS, disc_on},
};
use alea_play::drawing_helpers::{Squares, label, svg_open};
use alea_play::playable::GameText;

const SQUARE_SIZE: usize = 50;
const MARGIN: usize = 26;

fn board_geometry(game: &Reversi) -> Squares<'static> {
    Squares {
        columns: game.size(),
        square: SQUARE_SIZE,
        margin: MARGIN,
        ink: "#f2f2ee",
        number: |index| index + 1,
    }
}

fn caption(game: &Reversi, position: &Position) -> String {
    let [black, white] = [BLACK, WHITE].map(|seat| position.discs(seat).count_ones());
    let turn = if !game.is_over(position) {
        let seat = position.seat();
        format!(
            "{} ({}) to move",
            game.seat_title(seat),
            DISC_CHARACTERS[seat]
        )
    } else if black == white {
        "a draw".to_owned()
    } else {
        format!("{} has won", game.seat_title(usize::from(white > black)))
    };
    format!("Black {black}, White {white}: {turn}")
}

pub(super) fn text(game: &Reversi, position: &Position) -> String {
    board_geometry(game).text_board(&game.row_texts(position)) + &caption(game, position)
}

pub(super) fn svg(game: &Reversi, position: &Position) -> String {
    let board = board_geometry(game);
    let side = board.side_length();
    let mut svg = svg_open(side, side + 24, &game.format_position(position));
    svg += &format!("<rect width=\"{side}\" height=\"{side}\" rx=\"8\" fill=\"#3b3f3a\"/>");
    for square in squares_of(game.squares()) {
        let [x, y] = [square % COLUMNS, square / COLUMNS].map(|at| MARGIN + at * SQUARE_SIZE);
        svg += &format!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"{SQUARE_SIZE}\" height=\"{SQUARE_SIZE}\" fill=\"#2f7d4f\" stroke=\"#1d5233\"/>"
        );
        let (x, y) = (x + SQUARE_SIZE / 2, y + SQUARE_SIZE / 2);
        let circle = match disc_on(position, square) {
            None if position.moves >> square & 1 == 0 => continue,
            None => "r=\"4\" fill=\"#9fd6b3\"",
            Some(BLACK) => "r=\"20\" fill=\"#16181a\" stroke=\"#000\" stroke-width=\"2\"",
            Some(_) => "r=\"20\" fill=\"#f4f1e8\" stroke=\"#b9b4a5\" stroke-width=\"2\"",
        };
        svg += &format!("<circle cx=\"{x}\" cy=\"{y}\" {circle}/>");
    }
    let caption = caption(game, position);
    svg + &board.coordinate_labels()
        + &label(side / 2, side + 18, 15, "#3b3f3a", caption)
        + "</svg>"
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
    fn the_picture_has_a_circle_for_each_disc_and_a_dot_for_each_move() {
        let svg = svg(&Reversi::EIGHT, &Reversi::EIGHT.start());
        assert_eq!(svg.matches("r=\"20\"").count(), 4);
        assert_eq!(svg.matches("r=\"4\"").count(), 4);
        for at in [MARGIN + 175, MARGIN + 225] {
            let disc = format!("<circle cx=\"{at}\" cy=\"{at}\" r=\"20\" fill=\"#f4f1e8\"");
            assert!(svg.contains(&disc), "{svg}");
        }
    }
}
