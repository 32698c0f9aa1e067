//! ReversiXT positions as inline SVG or text; both ends of a transition show the same number.

use super::{
    Phase, Position, ReversiXt,
    map::{Cell, DIRECTION_OFFSETS},
};
use alea_core::game::{MAX_SEATS, Seat};
use alea_play::drawing_helpers::{label, svg_open};
use alea_play::playable::GameText;

const CELL_SIZE: usize = 40;
const MARGIN: usize = 34;

const COLOURS: [(&str, &str); MAX_SEATS] = [
    ("#c8372d", "#fff"),
    ("#2f62c9", "#fff"),
    ("#2b7a3b", "#fff"),
    ("#f2c230", "#222"),
    ("#8a3fc4", "#fff"),
    ("#7fd6e6", "#222"),
    ("#f0943a", "#222"),
    ("#4d5258", "#fff"),
];

fn player_lines(game: &ReversiXt, position: &Position) -> Vec<String> {
    let ranks = game.ranks(position);
    let line = |seat: Seat| {
        let mut line = format!(
            "{}: {} stones, {} override stones, {} bombs",
            game.seat_title(seat),
            position.num_stones(seat),
            position.overrides(seat),
            position.bombs(seat)
        );
        if position.is_disqualified(seat) {
            line += ", disqualified";
        } else if position.phase() == Phase::Over {
            line += &format!(", place {}", ranks[seat] + 1);
        } else if position.seat() == seat {
            line += match position.phase() {
                Phase::Stones => ", to move",
                _ => ", to throw a bomb",
            };
        }
        line
    };
    (0..game.map().players()).map(line).collect()
}

pub(super) fn text(game: &ReversiXt, position: &Position) -> String {
    let (width, height) = (game.map().width(), game.map().height());
    let row = |label: String, cells: Vec<String>| format!("{label:>3}  {}\n", cells.join(""));
    let numbers = (0..width).map(|x| format!("{x:>3}")).collect();
    let mut text = row(String::new(), numbers);
    for y in 0..height {
        let sign = |x| format!("{:>3}", position.cell(y * width + x).sign());
        text += &row(y.to_string(), (0..width).map(sign).collect());
    }
    text + &player_lines(game, position).join("\n")
}

pub(super) fn svg(game: &ReversiXt, position: &Position) -> String {
    let map = game.map();
    let player_lines = player_lines(game, position);
    let width = (map.width() * CELL_SIZE + 2 * MARGIN).max(420);
    let board = map.height() * CELL_SIZE + 2 * MARGIN;
    let height = board + 20 * player_lines.len() + 8;
    let mut svg = svg_open(width, height, &game.format_position(position));
    svg += &format!("<rect width=\"{width}\" height=\"{height}\" fill=\"#f6f5f1\"/>");
    let corner =
        |cell: usize| [cell % map.width(), cell / map.width()].map(|at| MARGIN + at * CELL_SIZE);
    for cell in 0..map.cells().len() {
        let what = position.cell(cell);
        if what == Cell::HOLE {
            continue;
        }
        let [x, y] = corner(cell);
        svg += &format!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"{CELL_SIZE}\" height=\"{CELL_SIZE}\" fill=\"#e4e1d6\" stroke=\"#b7b2a1\"/>"
        );
        let (x, y) = (x + CELL_SIZE / 2, y + CELL_SIZE / 2);
        let (colour, ink) = match what.seat() {
            Some(seat) => COLOURS[seat],
            None if what == Cell::EXPANSION => ("#fff", "#333"),
            None => ("none", "#333"),
        };
        if what.is_occupied() {
            svg += &format!(
                "<circle cx=\"{x}\" cy=\"{y}\" r=\"15\" fill=\"{colour}\" stroke=\"#333\"/>"
            );
        }
        if what != Cell::EMPTY {
            svg += &label(x, y + 5, 15, ink, what.sign());
        }
    }
    for (number, sides) in map.transitions().iter().enumerate() {
        let hue = 47 * number % 360;
        for side in sides {
            let [x, y] = corner(side.cell()).map(|at| (at + CELL_SIZE / 2) as isize);
            let (right, down) = DIRECTION_OFFSETS[side.direction()];
            let at = |start: isize, towards: isize, far: isize| start + towards * far;
            svg += &format!(
                "<path d=\"M{} {}L{} {}\" stroke=\"hsl({hue} 70% 40%)\" stroke-width=\"2\"/>\
                 <text x=\"{}\" y=\"{}\" font-size=\"9\" fill=\"hsl({hue} 70% 35%)\">{}</text>",
                at(x, right, 15),
                at(y, down, 15),
                at(x, right, 23),
                at(y, down, 23),
                at(x, right, 29),
                at(y, down, 29) + 3,
                number + 1
            );
        }
    }
    for (line, standing) in player_lines.iter().enumerate() {
        let y = board + 20 * line + 4;
        svg += &format!(
            "<rect x=\"14\" y=\"{}\" width=\"12\" height=\"12\" fill=\"{}\"/>\
             <text x=\"34\" y=\"{y}\" font-size=\"14\" fill=\"#333\" text-anchor=\"start\">{standing}</text>",
            y - 11,
            COLOURS[line].0
        );
    }
    svg + "</svg>"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_board_has_coordinates_and_everybody_a_line() {
        let map = "2\n1\n0 1\n2 4\n1 2 0 -\nb i c x\n0 0 0 <-> 2 1 4\n";
        let game = ReversiXt::on_text(map);
        let start = game.start();
        let expected = "
       0  1  2  3
  0    1  2  0  -
  1    b  i  c  x
Player 1: 1 stones, 1 override stones, 0 bombs, to move
Player 2: 1 stones, 1 override stones, 0 bombs";
        assert_eq!(text(&game, &start), &expected[1..]);
        let picture = svg(&game, &start);
        for (what, count) in [("height=\"40\"", 7), ("<circle", 3), ("font-size=\"9\"", 2)] {
            assert_eq!(picture.matches(what).count(), count, "{what}");
        }
        let over = game.parse_position("111-/111- end 0 0,0 0,0 2").unwrap();
        assert!(text(&game, &over).ends_with(
            "Player 1: 6 stones, 0 override stones, 0 bombs, place 1\n\
             Player 2: 0 stones, 0 override stones, 0 bombs, disqualified"
        ));
    }
}
