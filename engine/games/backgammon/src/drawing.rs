//! Pictures of positions, with White's home board at the lower right and the points numbered from
//! the view of the side on roll.

use super::{BLACK, Backgammon, Men, Position, WHITE, notation::roll_text};
use alea_core::game::Seat;
use alea_play::{
    drawing_helpers::{label, svg_open},
    playable::GameText,
};

const SIGNS: [char; 2] = ['X', 'O'];

/// Men drawn one by one on a point; a number stands for more.
const MAX_DRAWN: u32 = 5;

/// Columns from the left with the bar (`None`); the point from White's view in the lower half.
const COLUMNS: [Option<u8>; 13] = {
    let mut columns = [None; 13];
    let mut point = 1;
    while point <= 12 {
        columns[if point <= 6 { 13 - point } else { 12 - point }] = Some(point as u8);
        point += 1;
    }
    columns
};

/// Owner and number of the men on a point from White's view.
fn men_on(position: &Position, point: u8) -> Option<(Seat, u32)> {
    let on = |seat| {
        position
            .men(seat)
            .on(if seat == WHITE { point } else { 25 - point })
    };
    let owner = [WHITE, BLACK].into_iter().find(|&seat| on(seat) > 0);
    owner.map(|seat| (seat, on(seat)))
}

/// Number of a point for the side on roll.
fn shown_number(position: &Position, point: u8) -> u8 {
    if position.seat() == WHITE {
        point
    } else {
        25 - point
    }
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

fn standing(game: &Backgammon, position: &Position, seat: Seat) -> String {
    let men: Men = position.men(seat);
    let (pips, off) = (men.pips(), men.borne_off());
    format!(
        "{} ({}): {pips} pips, {off} off",
        game.seat_title(seat),
        SIGNS[seat]
    )
}

pub(super) fn text(game: &Backgammon, position: &Position, roll: Option<u8>) -> String {
    let edge = |upper: bool| {
        let number = |column: &Option<u8>| match column {
            None => "------".to_owned(),
            Some(point) => {
                let point = if upper { 25 - point } else { *point };
                format!("{:->3}", shown_number(position, point))
            }
        };
        let numbers: String = COLUMNS.iter().map(number).collect();
        format!("+{numbers}-+\n")
    };
    let bar = |seat: Seat| match position.men(seat).on(super::men::BAR) {
        0 => "   ".to_owned(),
        men => format!("{men:>2}{}", SIGNS[seat]),
    };
    let row = |upper: bool, height: u32| {
        let cell = |column: &Option<u8>| match column {
            // The men of each side enter in the half of the other one's home board.
            None if height == MAX_DRAWN => format!(" |{}|", bar(if upper { WHITE } else { BLACK })),
            None => " |   |".to_owned(),
            Some(point) => match men_on(position, if upper { 25 - point } else { *point }) {
                Some((_, men)) if height == MAX_DRAWN && men > MAX_DRAWN => format!("{men:>3}"),
                Some((seat, men)) if height <= men => format!("  {}", SIGNS[seat]),
                _ => "   ".to_owned(),
            },
        };
        let cells: String = COLUMNS.iter().map(cell).collect();
        format!("|{cells} |\n")
    };
    let upper: String = (1..=MAX_DRAWN).map(|height| row(true, height)).collect();
    let lower: String = (1..=MAX_DRAWN)
        .rev()
        .map(|height| row(false, height))
        .collect();
    let middle = format!("|{:18} |BAR|{:18} |\n", "", "");
    let [white, black] = [WHITE, BLACK].map(|seat| standing(game, position, seat));
    let (top, bottom) = (edge(true), edge(false));
    let state = state_text(game, position, roll);
    format!("{black}\n{top}{upper}{middle}{lower}{bottom}{white}\n{state}")
}

const COLUMN: usize = 44;
const MARGIN: usize = 24;
const BOARD_HEIGHT: usize = 480;
const RADIUS: usize = 20;
const COLOURS: [(&str, &str); 2] = [("#f6f1e4", "#8a7f68"), ("#33302c", "#0f0e0d")];

pub(super) fn svg(game: &Backgammon, position: &Position, roll: Option<u8>) -> String {
    let width = 14 * COLUMN + 2 * MARGIN;
    let board = BOARD_HEIGHT + 2 * MARGIN;
    let mut svg = svg_open(width, board + 70, &game.format_position(position, roll));
    svg += &format!(
        "<rect width=\"{width}\" height=\"{board}\" rx=\"8\" fill=\"#6b4f3a\"/>\
         <rect x=\"{MARGIN}\" y=\"{MARGIN}\" width=\"{}\" height=\"{BOARD_HEIGHT}\" fill=\"#d9c7a3\"/>\
         <rect x=\"{}\" y=\"{MARGIN}\" width=\"{COLUMN}\" height=\"{BOARD_HEIGHT}\" fill=\"#6b4f3a\"/>",
        13 * COLUMN,
        MARGIN + 6 * COLUMN
    );
    for (column, point) in COLUMNS.into_iter().enumerate() {
        let left = MARGIN + column * COLUMN;
        let centre = left + COLUMN / 2;
        for upper in [true, false] {
            let (edge, tip) = if upper {
                (MARGIN, MARGIN + 200)
            } else {
                (board - MARGIN, board - MARGIN - 200)
            };
            let stacked = |index: usize| {
                let distance = RADIUS + 1 + 2 * RADIUS * index;
                if upper {
                    MARGIN + distance
                } else {
                    board - MARGIN - distance
                }
            };
            let Some(point) = point else {
                let seat = if upper { WHITE } else { BLACK };
                let men = position.men(seat).on(super::men::BAR);
                svg += &stack(centre, men, seat, |index| stacked(index + 1));
                continue;
            };
            let point = if upper { 25 - point } else { point };
            let fill = if (column + usize::from(upper)) % 2 == 0 {
                "#b5482f"
            } else {
                "#f2e3c6"
            };
            svg += &format!(
                "<polygon points=\"{left},{edge} {},{edge} {centre},{tip}\" fill=\"{fill}\"/>",
                left + COLUMN
            );
            let number = shown_number(position, point);
            svg += &label(
                centre,
                if upper { 17 } else { board - 8 },
                13,
                "#f2e3c6",
                number,
            );
            if let Some((seat, men)) = men_on(position, point) {
                svg += &stack(centre, men, seat, stacked);
            }
        }
    }
    for seat in [WHITE, BLACK] {
        let off = position.men(seat).borne_off();
        let y = if seat == WHITE {
            board - MARGIN - 40
        } else {
            MARGIN + 40
        };
        if off > 0 {
            svg += &label(width - MARGIN - COLUMN / 2, y, 20, COLOURS[seat].0, off);
        }
    }
    let lines = [
        standing(game, position, BLACK),
        standing(game, position, WHITE),
        state_text(game, position, roll),
    ];
    for (line, text) in lines.into_iter().enumerate() {
        svg += &label(width / 2, board + 20 * line + 18, 15, "#333", text);
    }
    svg + "</svg>"
}

/// Circles for men on a point, or for as many as are drawn with their number on the last.
fn stack(x: usize, men: u32, seat: Seat, y: impl Fn(usize) -> usize) -> String {
    let (fill, outline) = COLOURS[seat];
    let drawn = men.min(MAX_DRAWN) as usize;
    let circle = |index| {
        let y = y(index);
        format!(
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"{RADIUS}\" fill=\"{fill}\" stroke=\"{outline}\" stroke-width=\"2\"/>"
        )
    };
    let mut circles: String = (0..drawn).map(circle).collect();
    if men > MAX_DRAWN {
        circles += &label(x, y(drawn - 1) + 6, 18, COLOURS[1 - seat].0, men);
    }
    circles
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
        let over = game.parse_position("XGID=-ABBBBC-----------------g-:0:0:-1:00");
        assert!(over.is_ok());
        let (position, _) = game
            .parse_position("XGID=bABBBB-----------------g-A:0:0:-1:00")
            .unwrap();
        let shown = text(&game, &position, None);
        assert!(shown.contains("|  7") || shown.contains("  7 "), "{shown}");
        assert!(
            shown.contains("| 1X|") && shown.contains("| 2O|"),
            "{shown}"
        );
        assert!(
            shown.contains("+-12-11") && shown.ends_with("Black to roll"),
            "{shown}"
        );
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
