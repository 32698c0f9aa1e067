//! Text notation. A position, such as `215../64.../3...e/...fb/..acd b 1`: rows from the top
//! (`1`–`6` Red's stones, `a`–`f` Blue's), side to move (`r` or `b`), and rolled face, or `-`
//! before the roll. A move, such as `c1b2`: from-square and to-square.

use super::{BLUE, EinStein, GONE, MAX_STONES, Move, Position, RED};
use crate::position::Side;
use alea_core::{
    game::Seat,
    text::{TextError, error_at},
};

fn unexpected_character<T>(
    found: Option<(usize, char)>,
    problem: impl FnOnce(char) -> String,
    end: usize,
    missing: impl Into<String>,
) -> Result<T, TextError> {
    match found {
        Some((at, found)) => error_at(at, problem(found)),
        None => error_at(end, missing),
    }
}

impl<const COLUMNS: usize, const ROWS: usize> EinStein<COLUMNS, ROWS> {
    /// Parses a position and the rolled face, `None` before the roll.
    pub fn parse_position(&self, text: &str) -> Result<(Position, Option<u8>), TextError> {
        let mut characters = (1..).zip(text.chars());
        let end = text.chars().count() + 1;
        let mut sides = [[GONE; MAX_STONES]; 2];
        for row in 0..ROWS {
            for column in 0..COLUMNS {
                let square = (row * COLUMNS + column) as u8;
                let Some((at, character)) = characters.next() else {
                    return error_at(
                        end,
                        format!(
                            "the text ends inside row {}; a board has {ROWS} rows of {COLUMNS} squares",
                            ROWS - row
                        ),
                    );
                };
                let (seat, stone) = match character {
                    '.' => continue,
                    '1'..='6' => (RED, character as usize - '1' as usize),
                    'a'..='f' => (BLUE, character as usize - 'a' as usize),
                    '/' | ' ' => {
                        return error_at(
                            at,
                            format!(
                                "row {} ends after {column} of {COLUMNS} squares",
                                ROWS - row
                            ),
                        );
                    }
                    _ => {
                        return error_at(
                            at,
                            format!(
                                "{character:?} is no square; expected '.', a red stone 1-{} or a blue stone a-{}",
                                self.stones_per_side(),
                                (b'a' + self.stones_per_side() - 1) as char
                            ),
                        );
                    }
                };
                if stone >= usize::from(self.stones_per_side()) {
                    return error_at(
                        at,
                        format!(
                            "stone '{character}' does not exist with {} stones a side",
                            self.stones_per_side()
                        ),
                    );
                }
                if sides[seat][stone] != GONE {
                    return error_at(at, format!("stone '{character}' stands on two squares"));
                }
                sides[seat][stone] = Self::to_perspective(seat, square);
            }
            let (separator, meaning) = if row + 1 < ROWS {
                ('/', "the next row")
            } else {
                (' ', "the side to move")
            };
            match characters.next() {
                Some((_, found)) if found == separator => {}
                other => {
                    return unexpected_character(
                        other,
                        |found| format!("expected '{separator}' before {meaning}, found {found:?}"),
                        end,
                        format!("the text ends where '{separator}' and {meaning} should follow"),
                    );
                }
            }
        }
        let seat = match characters.next() {
            Some((_, 'r')) => RED,
            Some((_, 'b')) => BLUE,
            other => {
                return unexpected_character(
                    other,
                    |found| format!("the side to move is 'r' or 'b', not {found:?}"),
                    end,
                    "the side to move, 'r' or 'b', is missing",
                );
            }
        };
        match characters.next() {
            Some((_, ' ')) => {}
            other => {
                return unexpected_character(
                    other,
                    |found| format!("expected ' ' before the die, found {found:?}"),
                    end,
                    "the die is missing: ' ' and a face, or ' -' before the roll",
                );
            }
        }
        let faces = self.die().faces();
        let die = match characters.next() {
            Some((_, '-')) => None,
            Some((_, face @ '1'..='6')) if face as u8 - b'0' <= faces => Some(face as u8 - b'0'),
            other => {
                return unexpected_character(
                    other,
                    |found| format!("the die is 1-{faces}, or '-' before the roll, not {found:?}"),
                    end,
                    format!("the die is missing: 1-{faces}, or '-' before the roll"),
                );
            }
        };
        if let Some((at, found)) = characters.next() {
            return error_at(at, format!("nothing may follow the die, found {found:?}"));
        }
        let [red, blue] = sides.map(Side::new);
        if red.is_empty() && blue.is_empty() {
            return error_at(1, "there is no stone on the board");
        }
        if red.occupies(Self::GOAL) && blue.occupies(Self::GOAL) {
            return error_at(
                1,
                "both sides stand on their goals; a game ends with the first",
            );
        }
        let (mover, other) = if seat == RED {
            (red, blue)
        } else {
            (blue, red)
        };
        Ok((Position::new(mover, other, seat), die))
    }

    fn to_perspective(seat: Seat, square: u8) -> u8 {
        if seat == RED {
            square
        } else {
            Self::GOAL - square
        }
    }

    /// Seat and stone (from 0) on `square`, numbered from the upper left corner.
    pub(super) fn stone_at(position: &Position, square: u8) -> Option<(Seat, usize)> {
        [RED, BLUE].into_iter().find_map(|seat| {
            let stone = position
                .side(seat)
                .stone_on(Self::to_perspective(seat, square));
            Some((seat, stone?))
        })
    }

    /// Formats a position and the rolled face `die`, `None` before the roll.
    pub fn format_position(&self, position: &Position, die: Option<u8>) -> String {
        let mut text = String::with_capacity((COLUMNS + 1) * ROWS + 4);
        for row in 0..ROWS {
            for column in 0..COLUMNS {
                let stone = Self::stone_at(position, (row * COLUMNS + column) as u8);
                text.push(stone.map_or('.', |(seat, stone)| {
                    ([b'1', b'a'][seat] + stone as u8) as char
                }));
            }
            text.push(if row + 1 < ROWS { '/' } else { ' ' });
        }
        text.push(if position.seat() == RED { 'r' } else { 'b' });
        text.push(' ');
        text.push(die.map_or('-', |face| (b'0' + face) as char));
        text
    }

    /// Formats a move as from-square and to-square, such as `c1b2`.
    pub fn format_move(&self, position: &Position, mv: Move) -> String {
        let from = position.mover().square(mv.stone());
        let to = Self::destination(position, mv);
        self.square_name(position.seat(), from) + &self.square_name(position.seat(), to)
    }

    /// Parses a move such as `c1b2`, without a check that the rolled face allows it.
    pub fn parse_move(&self, position: &Position, text: &str) -> Result<Move, TextError> {
        let characters: Vec<char> = text.chars().collect();
        if characters.len() != 4 {
            return error_at(
                characters.len().min(4) + 1,
                "a move is a from-square and a to-square, for example c1b2",
            );
        }
        let square = |at: usize| -> Result<u8, TextError> {
            let column = (characters[at] as u32).wrapping_sub('a' as u32) as usize;
            let rank = (characters[at + 1] as u32).wrapping_sub('1' as u32) as usize;
            if column >= COLUMNS {
                return error_at(
                    at + 1,
                    format!("{:?} is no column of this board", characters[at]),
                );
            }
            if rank >= ROWS {
                return error_at(
                    at + 2,
                    format!("{:?} is no row of this board", characters[at + 1]),
                );
            }
            let from_above = ((ROWS - 1 - rank) * COLUMNS + column) as u8;
            Ok(Self::to_perspective(position.seat(), from_above))
        };
        let (from, to) = (square(0)?, square(2)?);
        let Some(stone) = position.mover().stone_on(from) else {
            return error_at(
                1,
                format!(
                    "no stone of the side to move stands on {}",
                    self.square_name(position.seat(), from)
                ),
            );
        };
        for direction in 0..3 {
            let mv = Move::new(stone as u8, direction);
            let stays = Self::DIRECTION_SETS[usize::from(from)] >> direction & 1 == 1;
            if stays && Self::destination(position, mv) == to {
                return Ok(mv);
            }
        }
        let [from, to] = [from, to].map(|square| self.square_name(position.seat(), square));
        error_at(3, format!("a stone on {from} cannot step to {to}"))
    }

    fn square_name(&self, seat: Seat, square: u8) -> String {
        let from_above = usize::from(Self::to_perspective(seat, square));
        let column = (b'a' + (from_above % COLUMNS) as u8) as char;
        format!("{column}{}", ROWS - from_above / COLUMNS)
    }
}
