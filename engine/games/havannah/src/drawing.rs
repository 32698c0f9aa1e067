//! Havannah positions as text or inline SVG.

use super::{Havannah, Position};
use alea_play::{
    drawing_helpers::{label, svg_open},
    playable::GameText,
};

const STONE_CHARACTERS: [char; 2] = ['O', 'X'];

const HALF_CELL_WIDTH: usize = 22;
const ROW_HEIGHT: usize = 38;

fn caption(game: &Havannah, position: &Position) -> String {
    let seat = position.seat();
    let turn = match game.win_kinds(position) {
        None => format!(
            "{} ({}) to move",
            game.seat_title(seat),
            STONE_CHARACTERS[seat]
        ),
        Some(ways) if ways.is_empty() => "a draw".to_owned(),
        Some(ways) => format!(
            "{} has won with a {}",
            game.seat_title(1 - seat),
            ways.join(" and a ")
        ),
    };
    let last = position.last_cell();
    let last = last.map(|cell| format!(", last stone {}", game.cell_name(cell)));
    turn + &last.unwrap_or_default()
}

/// Column (in half cells) and row in the picture, of a cell or of a label one step off the board.
fn grid_position(game: &Havannah, [x, y]: [isize; 2]) -> [usize; 2] {
    [2 * x - y + game.base() as isize + 2, y + 1].map(isize::unsigned_abs)
}

fn cell_positions(game: &Havannah) -> impl Iterator<Item = (usize, [usize; 2])> {
    let names = game.shape.names[..game.num_cells()].iter().enumerate();
    names.map(|(cell, name)| (cell, grid_position(game, name.map(isize::from))))
}

fn label_positions(game: &Havannah) -> impl Iterator<Item = (String, [usize; 2])> {
    let base = game.base() as isize;
    (0..2 * base - 1).flat_map(move |index| {
        let before = (index - base + 1).max(0) - 1;
        let letter = char::from(b'a' + index as u8).to_string();
        [
            (
                (index + 1).to_string(),
                grid_position(game, [before, index]),
            ),
            (letter, grid_position(game, [index, before])),
        ]
    })
}

pub(super) fn text(game: &Havannah, position: &Position) -> String {
    let mut rows = vec![vec![' '; 4 * game.base() + 2]; 2 * game.base()];
    for (text, [right, row]) in label_positions(game) {
        for (sign, back) in text.chars().rev().zip(0..) {
            rows[row][right - back] = sign;
        }
    }
    for (cell, [right, row]) in cell_positions(game) {
        rows[row][right] = position
            .seat_at(cell)
            .map_or('.', |seat| STONE_CHARACTERS[seat]);
        if position.last_cell() == Some(cell) {
            (rows[row][right - 1], rows[row][right + 1]) = ('(', ')');
        }
    }
    let line = |row: &Vec<char>| row.iter().collect::<String>().trim_end().to_owned() + "\n";
    rows.iter().map(line).collect::<String>() + &caption(game, position)
}

pub(super) fn svg(game: &Havannah, position: &Position) -> String {
    let width = (4 * game.base() + 2) * HALF_CELL_WIDTH;
    let height = (2 * game.base() + 1) * ROW_HEIGHT + 24;
    let mut svg = svg_open(width, height, &game.format_position(position));
    let point_of = |[right, row]: [usize; 2]| (right * HALF_CELL_WIDTH, (row + 1) * ROW_HEIGHT);
    for (cell, at) in cell_positions(game) {
        let (x, y) = point_of(at);
        svg += &format!(
            "<path d=\"M{x} {}l22 12v26l-22 12l-22 -12v-26z\" fill=\"#d9b978\" stroke=\"#8a6d35\"/>",
            y - 25
        );
        let Some(seat) = position.seat_at(cell) else {
            continue;
        };
        let [own, other] = [["#f4f1e8", "#16181a"], ["#16181a", "#f4f1e8"]][seat];
        svg +=
            &format!("<circle cx=\"{x}\" cy=\"{y}\" r=\"17\" fill=\"{own}\" stroke=\"#16181a\"/>");
        if position.last_cell() == Some(cell) {
            svg += &format!("<circle cx=\"{x}\" cy=\"{y}\" r=\"5\" fill=\"{other}\"/>");
        }
    }
    for (text, at) in label_positions(game) {
        let (x, y) = point_of(at);
        svg += &label(x, y + 5, 14, "#3b3f3a", text);
    }
    let caption = caption(game, position);
    svg + &label(width / 2, height - 8, 15, "#3b3f3a", caption) + "</svg>"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_shows_stones_coordinates_and_whose_turn_it_is() {
        let game = Havannah::new(3, false);
        let position = game.parse_position("a1 e5 c2").unwrap();
        let expected = "      a b c\n   1 O . . d\n  2 . .(O). e\n 3 . . . . .\n  4 . . . .\n   5 . . X\nBlack (X) to move, last stone c2";
        assert_eq!(text(&game, &position), expected);
        let won = game.parse_position("a1 c3 a2 c4 a3").unwrap();
        let caption = "\nWhite has won with a bridge, last stone a3";
        let won = text(&game, &won);
        assert!(won.ends_with(caption), "{won}");
    }

    #[test]
    fn the_picture_has_all_cells_and_stones() {
        let game = Havannah::new(10, false);
        let svg = svg(&game, &game.parse_position("j10 a1").unwrap());
        assert_eq!(svg.matches("<path").count(), 271);
        assert!(svg.contains("<title>j10 a1</title>"));
        let stone = "<circle cx=\"462\" cy=\"418\" r=\"17\" fill=\"#f4f1e8\"";
        assert!(svg.contains(stone) && svg.matches("r=\"5\"").count() == 1);
    }
}
