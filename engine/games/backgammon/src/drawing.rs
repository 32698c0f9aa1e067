//! Pictures of positions as text and SVG, with White's home board at the lower right and the points
//! numbered from the view of the side on roll.

use super::{BLACK, Backgammon, Men, Position, WHITE, men::BAR, notation::roll_text};
use alea_core::game::Seat;
use alea_play::{
    drawing_helpers::{label, svg_open},
    playable::GameText,
};
use std::cmp::Ordering;

const SIGNS: [char; 2] = ['X', 'O'];

/// Maximal number of men drawn on a point; more are shown by their number.
const MAX_DRAWN: u32 = 5;

/// Number of columns of the board, the bar included.
const NUM_COLUMNS: usize = 13;
const BAR_COLUMN: usize = 6;

/// Point in the upper or lower half of a column, numbered for the side on roll and 0 for the bar;
/// the owner of its men; their number. Men on the bar are in the half where they will enter.
fn point_at(position: &Position, column: usize, upper: bool) -> (u8, Seat, u32) {
    let lower = match column.cmp(&BAR_COLUMN) {
        Ordering::Less => 12 - column as u8,
        Ordering::Greater => 13 - column as u8,
        Ordering::Equal => {
            let seat = if upper { WHITE } else { BLACK };
            return (0, seat, position.men(seat).count_on(BAR));
        }
    };
    let points = if upper {
        [25 - lower, lower]
    } else {
        [lower, 25 - lower]
    };
    let men = [WHITE, BLACK].map(|seat| position.men(seat).count_on(points[seat]));
    let owner = if men[WHITE] > 0 { WHITE } else { BLACK };
    (points[position.seat()], owner, men[owner])
}

fn state_text(game: &Backgammon, position: &Position, roll: Option<u8>) -> String {
    if let Some(points) = game.points_won(position, WHITE) {
        let winner = if points > 0 { WHITE } else { BLACK };
        let points = points.abs();
        let unit = if points == 1 { "point" } else { "points" };
        return format!("{} has won {points} {unit}", game.seat_title(winner));
    }
    let mover = game.seat_title(position.seat());
    match roll_text(roll, "") {
        "" => format!("{mover} to roll"),
        roll => format!("{mover} to move, rolled {roll}"),
    }
}

fn standing_text(game: &Backgammon, position: &Position, seat: Seat) -> String {
    let men: Men = position.men(seat);
    let (pips, off) = (men.pips(), men.borne_off());
    format!(
        "{} ({}): {pips} pips, {off} off",
        game.seat_title(seat),
        SIGNS[seat]
    )
}

pub(super) fn text(game: &Backgammon, position: &Position, roll: Option<u8>) -> String {
    let cells = |upper: bool, cell: &dyn Fn(u8, Seat, u32) -> String| -> String {
        let point = |column| point_at(position, column, upper);
        (0..NUM_COLUMNS)
            .map(point)
            .map(|(point, seat, men)| cell(point, seat, men))
            .collect()
    };
    let edge = |upper: bool| {
        let number = |point: u8, _: Seat, _: u32| match point {
            0 => "------".to_owned(),
            _ => format!("{point:->3}"),
        };
        format!("+{}-+\n", cells(upper, &number))
    };
    let row = |upper: bool, height: u32| {
        let cell = |point: u8, seat: Seat, men: u32| match point {
            0 if height == MAX_DRAWN && men > 0 => format!(" |{men:>2}{}|", SIGNS[seat]),
            0 => " |   |".to_owned(),
            _ if height == MAX_DRAWN && men > MAX_DRAWN => format!("{men:>3}"),
            _ => format!("{:>3}", if height <= men { SIGNS[seat] } else { ' ' }),
        };
        format!("|{} |\n", cells(upper, &cell))
    };
    let rows = |upper: bool| (1..=MAX_DRAWN).map(move |height| row(upper, height));
    let (upper, lower): (String, String) = (rows(true).collect(), rows(false).rev().collect());
    let middle = format!("|{:18} |BAR|{:18} |\n", "", "");
    let [white, black] = [WHITE, BLACK].map(|seat| standing_text(game, position, seat));
    let (top, bottom) = (edge(true), edge(false));
    let state = state_text(game, position, roll);
    format!("{black}\n{top}{upper}{middle}{lower}{bottom}{white}\n{state}")
}

const COLUMN: usize = 44;
const MARGIN: usize = 24;
const HEIGHT: usize = 528;
const RADIUS: usize = 20;
const COLOURS: [(&str, &str); 2] = [("#f6f1e4", "#8a7f68"), ("#33302c", "#0f0e0d")];

pub(super) fn svg(game: &Backgammon, position: &Position, roll: Option<u8>) -> String {
    let (board, bar) = (NUM_COLUMNS * COLUMN, MARGIN + BAR_COLUMN * COLUMN);
    let (width, inner) = (board + 2 * MARGIN, HEIGHT - 2 * MARGIN);
    let mut svg = svg_open(width, HEIGHT + 70, &game.format_position(position, roll));
    svg += &format!(
        "<rect width=\"{width}\" height=\"{HEIGHT}\" rx=\"8\" fill=\"#6b4f3a\"/>\
         <rect x=\"{MARGIN}\" y=\"{MARGIN}\" width=\"{board}\" height=\"{inner}\" fill=\"#d9c7a3\"/>\
         <rect x=\"{bar}\" y=\"{MARGIN}\" width=\"{COLUMN}\" height=\"{inner}\" fill=\"#6b4f3a\"/>"
    );
    for (column, upper) in (0..NUM_COLUMNS).flat_map(|column| [(column, true), (column, false)]) {
        let from_edge = |distance| if upper { distance } else { HEIGHT - distance };
        let (left, (point, seat, men)) =
            (MARGIN + column * COLUMN, point_at(position, column, upper));
        let (centre, right) = (left + COLUMN / 2, left + COLUMN);
        if point > 0 {
            let [edge, tip] = [MARGIN, MARGIN + 200].map(from_edge);
            let fill = ["#b5482f", "#f2e3c6"][(column + usize::from(upper)) % 2];
            svg += &format!(
                "<polygon points=\"{left},{edge} {right},{edge} {centre},{tip}\" fill=\"{fill}\"/>"
            );
            svg += &label(centre, from_edge(MARGIN / 2) + 5, 13, "#f2e3c6", point);
        }
        let y = |index: u32| from_edge(MARGIN + RADIUS + 1 + 2 * RADIUS * index as usize);
        let (fill, outline) = COLOURS[seat];
        for index in 0..men.min(MAX_DRAWN) {
            svg += &format!(
                "<circle cx=\"{centre}\" cy=\"{}\" r=\"{RADIUS}\" fill=\"{fill}\" stroke=\"{outline}\" stroke-width=\"2\"/>",
                y(index)
            );
        }
        if men > MAX_DRAWN {
            svg += &label(centre, y(MAX_DRAWN - 1) + 6, 18, COLOURS[1 - seat].0, men);
        }
    }
    let [white, black] = [WHITE, BLACK].map(|seat| standing_text(game, position, seat));
    let lines = [black, white, state_text(game, position, roll)];
    for (line, text) in lines.into_iter().enumerate() {
        svg += &label(width / 2, HEIGHT + 20 * line + 18, 15, "#333", text);
    }
    svg + "</svg>"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_shows_the_board_as_printed_elsewhere() {
        let game = Backgammon;
        let expected = "\
Black (O): 167 pips, 0 off
+-13-14-15-16-17-18-------19-20-21-22-23-24-+
|  X           O    |   |  O              X |
|  X           O    |   |  O              X |
|  X           O    |   |  O                |
|  X                |   |  O                |
|  X                |   |  O                |
|                   |BAR|                   |
|  O                |   |  X                |
|  O                |   |  X                |
|  O           X    |   |  X                |
|  O           X    |   |  X              O |
|  O           X    |   |  X              O |
+-12-11-10--9--8--7--------6--5--4--3--2--1-+
White (X): 167 pips, 0 off
White to move, rolled 31";
        let shown = text(&game, &game.start(WHITE), Some(3));
        assert_eq!(shown, expected, "\n{shown}");
        let text_of = "XGID=bABBBB-----------------g-A:0:0:-1:00";
        let (position, _) = game.parse_position(text_of).unwrap();
        let shown = text(&game, &position, None);
        for part in ["  7", "| 1X|", "| 2O|", "+-12-11", "Black to roll"] {
            assert!(shown.contains(part), "{part}\n{shown}");
        }
    }

    #[test]
    fn the_picture_has_a_circle_for_each_man() {
        let game = Backgammon;
        let svg = super::svg(&game, &game.start(BLACK), None);
        assert_eq!(svg.matches("<circle").count(), 30);
        assert_eq!(svg.matches("<polygon").count(), 24);
        assert!(svg.contains("<title>4HPwATDgc/ABMA b -</title>") && svg.contains("Black to roll"));
        let over = Position::new(Men::default(), Men::START, WHITE);
        assert!(super::svg(&game, &over, None).contains("White has won 3 points"));
    }
}
