//! Notation of Havannah. A cell is `d4` as in HavannahGui, whose neighbours differ by one in
//! letter, number or both equally; Little Golem counts the numbers of each letter from 1. A
//! position is its moves from the empty board, separated by blanks.

use super::{Havannah, Move, OFF_BOARD, Position};
use alea_core::{
    game::Game,
    text::{TextError, error_at},
};

fn letter(x: u8) -> char {
    char::from(b'a' + x)
}

impl Havannah {
    /// Name of a cell in HavannahGui's coordinates.
    pub fn cell_name(&self, cell: usize) -> String {
        let [x, y] = self.shape.names[cell];
        format!("{}{}", letter(x), y + 1)
    }

    /// Name of a cell in Little Golem's coordinates.
    pub fn golem_name(&self, cell: usize) -> String {
        let [x, y] = self.shape.names[cell];
        let before = (x + 1).saturating_sub(self.base() as u8);
        format!("{}{}", letter(x), y + 1 - before)
    }

    /// Parses the name of a cell in Little Golem's (`golem`) or HavannahGui's coordinates.
    pub fn parse_cell(&self, text: &str, golem: bool) -> Result<usize, TextError> {
        let side = 2 * self.base() - 1;
        let mut signs = text.chars();
        let first = signs.next().unwrap_or_default().to_ascii_lowercase();
        let x = (first as usize).wrapping_sub('a' as usize);
        let digits = signs.as_str();
        let plain = digits.bytes().all(|digit| digit.is_ascii_digit()) && !digits.starts_with('0');
        let y = digits.parse::<usize>().ok().filter(|_| plain);
        let Some(y) = y.filter(|_| x < side) else {
            let last = letter(side as u8 - 1);
            let at = 1 + usize::from(x < side);
            let problem = format!("a cell is a letter, a-{last}, and a number, as d4");
            return error_at(at, problem);
        };
        let first = (x + 1).saturating_sub(self.base());
        let y = if golem { y.saturating_add(first) } else { y };
        let name = [x, y - 1].map(|at| isize::try_from(at).unwrap_or(isize::MAX / 4));
        match self.shape.cell_slot(name) {
            OFF_BOARD => {
                let less = if golem { first } else { 0 };
                let (from, to) = (first + 1 - less, (x + self.base()).min(side) - less);
                let x = letter(x as u8);
                let problem = format!("letter {x} has the numbers {from} to {to}");
                error_at(2, problem)
            }
            cell => Ok(cell),
        }
    }

    /// Parses a legal move of `position`.
    pub fn parse_move(&self, position: &Position, text: &str) -> Result<Move, TextError> {
        self.read_move(position, text, false)
    }

    pub(super) fn read_move(
        &self,
        position: &Position,
        text: &str,
        golem: bool,
    ) -> Result<Move, TextError> {
        if self.payoffs(position).is_some() {
            return error_at(1, "the game is over");
        }
        if text.eq_ignore_ascii_case("swap") {
            return match self.may_swap(position) {
                true => Ok(Move::SWAP),
                false if self.swap => error_at(1, "only the second move may be swap"),
                false => error_at(1, "swap needs the parameter swap=on"),
            };
        }
        let cell = self.parse_cell(text, golem)?;
        match position.seat_at(cell) {
            None => Ok(Move::place(cell)),
            Some(_) => error_at(1, format!("{} is not empty", self.cell_name(cell))),
        }
    }

    /// Formats a move: a cell in HavannahGui's coordinates, or `swap`.
    pub fn format_move(&self, mv: Move) -> String {
        mv.cell()
            .map_or_else(|| "swap".to_owned(), |cell| self.cell_name(cell))
    }

    /// Parses a position text.
    pub fn parse_position(&self, text: &str) -> Result<Position, TextError> {
        let mut position = self.start();
        let (mut at, mut rest) = (1, text);
        while !rest.is_empty() {
            let (word, after) = rest.split_once(' ').unwrap_or((rest, ""));
            if !word.is_empty() {
                let mv = self
                    .parse_move(&position, word)
                    .map_err(|error| TextError::new(at + error.character - 1, error.problem))?;
                position = self.play(&position, mv);
            }
            at += word.chars().count() + 1;
            rest = after;
        }
        Ok(position)
    }

    /// Formats a position as moves that lead to it, ending with its actual last two.
    pub fn format_position(&self, position: &Position) -> String {
        let last = position.last.map(usize::from);
        let of = |seat| {
            let mut cells: Vec<usize> = (0..self.num_cells())
                .filter(|&cell| position.seat_at(cell) == Some(seat))
                .collect();
            cells.sort_by_key(|&cell| (last.contains(&cell), cell));
            cells.into_iter().map(|cell| self.cell_name(cell))
        };
        let [white, mut black] = [of(0), of(1)];
        let mut words = Vec::with_capacity(position.stones() + 1);
        // The first stone was taken over.
        if (white.len() < black.len()) || (position.seat() == 1 && white.len() == black.len()) {
            words.extend(black.next());
            words.push("swap".to_owned());
        }
        for stone in white {
            words.push(stone);
            words.extend(black.next());
        }
        words.join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_moves_from_the_empty_board() {
        let game = Havannah::new(4, true);
        for text in [
            "",
            "d4",
            "d4 swap",
            "d4 swap e5",
            "a1 g7 d4",
            "d4 swap a1 b2 c3",
        ] {
            let position = game.parse_position(text).unwrap();
            assert_eq!(game.format_position(&position), text);
        }
        let position = game.parse_position("d4 c3 a1 b2 g7 b1").unwrap();
        assert_eq!(game.format_position(&position), "a1 b2 d4 c3 g7 b1");
        let [loose, canonical] = [" D4  c3 ", "d4 c3"].map(|text| game.parse_position(text));
        assert_eq!(loose, canonical);
    }

    #[test]
    fn little_golem_counts_each_letter_from_one() {
        let game = Havannah::new(4, false);
        for (name, golem) in [
            ("a1", "a1"),
            ("d7", "d7"),
            ("e2", "e1"),
            ("g7", "g4"),
            ("g4", "g1"),
        ] {
            let cell = game.parse_cell(name, false).unwrap();
            assert_eq!(game.golem_name(cell), golem);
            assert_eq!(game.parse_cell(golem, true), Ok(cell));
        }
    }
}
