//! Reading and writing positions and moves of Reversi.
//!
//! A position is its squares from a1 along the rows, `X` Black, `O` White and `-` empty, a space,
//! and the side to move; between rows there may be a `/`. A move is a square, `f5`, or `pass`.
//! Invariant: what is written reads back as the same value, and every error names the character it
//! is about.

use super::bits::COLUMNS;
use super::{BLACK, Move, Position, Reversi, WHITE};
use crate::core::game::Seat;
use crate::core::text::TextError;

/// The signs of the discs of both seats.
pub const SIGNS: [char; 2] = ['X', 'O'];

impl Reversi {
    /// Reads a position.
    ///
    /// # Errors
    /// If the text is no position on this board: the error names the character.
    pub fn parse_position(&self, text: &str) -> Result<Position, TextError> {
        let mut discs = [0; 2];
        let mut characters = (1..).zip(text.chars()).peekable();
        let end = text.chars().count() + 1;
        let all = self.size * self.size;
        for index in 0..all {
            let (row, column) = (index / self.size, index % self.size);
            if row > 0 && column == 0 {
                characters.next_if(|&(_, character)| character == '/');
            }
            let bit = 1 << (COLUMNS * row + column);
            match characters.next() {
                Some((_, '-')) => {}
                Some((_, 'X')) => discs[BLACK] |= bit,
                Some((_, 'O')) => discs[WHITE] |= bit,
                Some((at, found @ (' ' | '/'))) => {
                    return Err(TextError::new(
                        at,
                        format!(
                            "{found:?} after {column} squares of row {}; a row has {}",
                            row + 1,
                            self.size
                        ),
                    ));
                }
                Some((at, found)) => {
                    return Err(TextError::new(
                        at,
                        format!("{found:?} is no square; expected X, O or -"),
                    ));
                }
                None => {
                    return Err(TextError::new(
                        end,
                        format!("the text ends after {index} squares; the board has {all}"),
                    ));
                }
            }
        }
        match characters.next() {
            Some((_, ' ')) => {}
            Some((at, found)) => {
                return Err(TextError::new(
                    at,
                    format!(
                        "expected ' ' and the side to move after {all} squares, found {found:?}"
                    ),
                ));
            }
            None => {
                return Err(TextError::new(
                    end,
                    "the side to move, ' X' or ' O', is missing",
                ));
            }
        }
        let seat = match characters.next() {
            Some((_, 'X')) => BLACK,
            Some((_, 'O')) => WHITE,
            Some((at, found)) => {
                return Err(TextError::new(
                    at,
                    format!("the side to move is X or O, not {found:?}"),
                ));
            }
            None => return Err(TextError::new(end, "the side to move, X or O, is missing")),
        };
        match characters.next() {
            None => Ok(self.position(discs[seat], discs[1 - seat], seat)),
            Some((at, found)) => Err(TextError::new(
                at,
                format!("nothing may follow the side to move, found {found:?}"),
            )),
        }
    }

    /// Writes a position.
    #[must_use]
    pub fn format_position(&self, position: &Position) -> String {
        let mut text: String = self.rows(position).concat();
        text.push(' ');
        text.push(SIGNS[position.seat()]);
        text
    }

    /// The signs of each row, from the top.
    pub(super) fn rows(&self, position: &Position) -> Vec<String> {
        let sign = |square| disc_on(position, square).map_or('-', |seat| SIGNS[seat]);
        let row = |row| {
            (0..self.size)
                .map(|column| sign(COLUMNS * row + column))
                .collect()
        };
        (0..self.size).map(row).collect()
    }

    /// Reads a move of a position.
    ///
    /// # Errors
    /// If the side to move cannot play it.
    pub fn parse_move(&self, position: &Position, text: &str) -> Result<Move, TextError> {
        if text.eq_ignore_ascii_case("pass") {
            return match position.moves() {
                0 => Ok(Move::PASS),
                moves => Err(TextError::new(
                    1,
                    format!(
                        "no pass while there is a move: {}",
                        square_name(moves.trailing_zeros() as usize)
                    ),
                )),
            };
        }
        let mut characters = text.chars();
        let column = characters.next().map_or(COLUMNS, |letter| {
            (letter.to_ascii_lowercase() as usize).wrapping_sub('a' as usize)
        });
        let row = characters
            .next()
            .map_or(COLUMNS, |digit| (digit as usize).wrapping_sub('1' as usize));
        let last = (b'a' + self.size as u8 - 1) as char;
        for (character, at) in [(1, column), (2, row)] {
            if at >= self.size {
                return Err(TextError::new(
                    character,
                    format!("a move is a square, a-{last} and 1-{}, or pass", self.size),
                ));
            }
        }
        if characters.next().is_some() {
            return Err(TextError::new(3, "nothing may follow the square"));
        }
        let square = COLUMNS * row + column;
        if position.moves() >> square & 1 == 1 {
            return Ok(Move::to(square));
        }
        let name = square_name(square);
        Err(TextError::new(
            1,
            match disc_on(position, square) {
                Some(_) => format!("{name} is not empty"),
                None => format!("a disc on {name} would turn no disc"),
            },
        ))
    }

    /// Writes a move.
    #[must_use]
    pub fn format_move(&self, mv: Move) -> String {
        mv.square().map_or_else(|| "pass".to_owned(), square_name)
    }
}

/// Whose disc stands on a square.
pub(super) fn disc_on(position: &Position, square: usize) -> Option<Seat> {
    [BLACK, WHITE]
        .into_iter()
        .find(|&seat| position.discs(seat) >> square & 1 == 1)
}

/// A square's column and row: `a1`.
pub(super) fn square_name(square: usize) -> String {
    let column = (b'a' + (square % COLUMNS) as u8) as char;
    format!("{column}{}", square / COLUMNS + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_is_written_as_published() {
        let start = "---------------------------OX------XO--------------------------- X";
        let game = Reversi::EIGHT;
        assert_eq!(game.format_position(&game.start()), start);
        let rows = "--------/--------/--------/---OX---/---XO---/--------/--------/-------- X";
        assert_eq!(game.parse_position(rows), Ok(game.start()));
        assert_eq!(
            Reversi::FOUR.format_position(&Reversi::FOUR.start()),
            "-----OX--XO----- X"
        );
    }

    #[test]
    fn errors_name_the_character() {
        let position = |text: &str| Reversi::FOUR.parse_position(text).unwrap_err().to_string();
        for (text, expected) in [
            (
                "-----OX--XO---- X",
                "character 16: ' ' after 3 squares of row 4; a row has 4",
            ),
            (
                "---/--OX--XO---- X",
                "character 4: '/' after 3 squares of row 1; a row has 4",
            ),
            (
                "-----OY--XO----- X",
                "character 7: 'Y' is no square; expected X, O or -",
            ),
            (
                "-----OX--",
                "character 10: the text ends after 9 squares; the board has 16",
            ),
            (
                "-----OX--XO-----",
                "character 17: the side to move, ' X' or ' O', is missing",
            ),
            (
                "-----OX--XO----- b",
                "character 18: the side to move is X or O, not 'b'",
            ),
            (
                "-----OX--XO----- X1",
                "character 19: nothing may follow the side to move, found '1'",
            ),
        ] {
            assert_eq!(position(text), expected);
        }
        let game = Reversi::EIGHT;
        let start = game.start();
        let mv = |text: &str| game.parse_move(&start, text).unwrap_err().to_string();
        assert_eq!(mv("pass"), "character 1: no pass while there is a move: d3");
        assert_eq!(
            mv("i5"),
            "character 1: a move is a square, a-h and 1-8, or pass"
        );
        assert_eq!(
            mv("d9"),
            "character 2: a move is a square, a-h and 1-8, or pass"
        );
        assert_eq!(mv("d33"), "character 3: nothing may follow the square");
        assert_eq!(mv("d4"), "character 1: d4 is not empty");
        assert_eq!(mv("a1"), "character 1: a disc on a1 would turn no disc");
    }
}
