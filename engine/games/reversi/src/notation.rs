//! Notation of Reversi. A position is its squares from a1 row by row (`X` Black, `O` White, `-`
//! empty, optionally `/` between rows), a space and the side to move; a move is a square, `f5`, or
//! `pass`.

use super::{
    BLACK, Move, Position, Reversi, WHITE,
    bits::{COLUMNS, squares_of},
};
use alea_core::{
    game::Seat,
    text::{TextError, error_at},
};

/// Characters of Black's and White's discs in texts.
pub const DISC_CHARACTERS: [char; 2] = ['X', 'O'];

impl Reversi {
    /// Parses a position text.
    pub fn parse_position(&self, text: &str) -> Result<Position, TextError> {
        let signs: Vec<char> = text.chars().collect();
        let sign = |at: usize, allowed: &str, expected: &str| match signs.get(at) {
            Some(&found) if allowed.contains(found) => Ok(found),
            found => Err(unexpected_character(at, expected, found)),
        };
        let mut discs = [0; 2];
        let mut at = 0;
        for square in squares_of(self.squares) {
            let row_begins = square > 0 && square % COLUMNS == 0;
            at += usize::from(row_begins && signs.get(at) == Some(&'/'));
            let expected = format!("X, O or - on {}", square_name(square));
            match sign(at, "XO-", &expected)? {
                'X' => discs[BLACK] |= 1 << square,
                'O' => discs[WHITE] |= 1 << square,
                _ => {}
            }
            at += 1;
        }
        sign(at, " ", "a blank and a side")?;
        let seat = usize::from(sign(at + 1, "XO", "the side, X or O")? == DISC_CHARACTERS[WHITE]);
        match signs.get(at + 2) {
            None => Ok(self.position(discs[seat], discs[1 - seat], seat)),
            found => Err(unexpected_character(at + 2, "the end", found)),
        }
    }

    /// Formats a position, with `/` between rows.
    pub fn format_position(&self, position: &Position) -> String {
        let mut text: String = self.row_texts(position).concat();
        text.push(' ');
        text.push(DISC_CHARACTERS[position.seat()]);
        text
    }

    pub(super) fn row_texts(&self, position: &Position) -> Vec<String> {
        let sign = |square| disc_on(position, square).map_or('-', |seat| DISC_CHARACTERS[seat]);
        let signs: Vec<char> = squares_of(self.squares).map(sign).collect();
        let rows = signs.chunks(self.size);
        rows.map(|row| row.iter().collect()).collect()
    }

    /// Parses a legal move of `position`.
    pub fn parse_move(&self, position: &Position, text: &str) -> Result<Move, TextError> {
        let moves = position.moves;
        if text.eq_ignore_ascii_case("pass") {
            if moves == 0 {
                return Ok(Move::PASS);
            }
            let name = square_name(moves.trailing_zeros() as usize);
            return error_at(1, format!("no pass while there is a move: {name}"));
        }
        let mut signs = text.chars().map(|sign| sign.to_ascii_lowercase() as usize);
        let coordinates = ['a', '1'].map(|first| {
            let sign = signs.next().unwrap_or_default();
            sign.wrapping_sub(first as usize)
        });
        if let Some(wrong_one) = coordinates.iter().position(|&at| at >= self.size) {
            let (last, size) = ((b'a' + self.size as u8 - 1) as char, self.size);
            let problem = format!("a move is a square, a-{last} and 1-{size}, or pass");
            return error_at(wrong_one + 1, problem);
        }
        if signs.next().is_some() {
            return error_at(3, "nothing may follow the square");
        }
        let square = COLUMNS * coordinates[1] + coordinates[0];
        if moves >> square & 1 == 1 {
            return Ok(Move::place(square));
        }
        let name = square_name(square);
        match disc_on(position, square) {
            Some(_) => error_at(1, format!("{name} is not empty")),
            None => error_at(1, format!("a disc on {name} would turn no disc")),
        }
    }

    /// Formats a move: a square or `pass`.
    pub fn format_move(&self, mv: Move) -> String {
        mv.square().map_or_else(|| "pass".to_owned(), square_name)
    }
}

pub(super) fn unexpected_character(at: usize, expected: &str, found: Option<&char>) -> TextError {
    let found = found.map_or("the end".to_owned(), |found| format!("{found:?}"));
    TextError::new(at + 1, format!("expected {expected}, found {found}"))
}

pub(super) fn disc_on(position: &Position, square: usize) -> Option<Seat> {
    let mut seats = [BLACK, WHITE].into_iter();
    seats.find(|&seat| position.discs(seat) >> square & 1 == 1)
}

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
        let small = Reversi::FOUR.format_position(&Reversi::FOUR.start());
        assert_eq!(small, "-----OX--XO----- X");
    }
}
