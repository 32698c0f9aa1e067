//! Maps of ReversiXT: players, stocks, cells and transitions.
//!
//! The text is that of the published course: number of players; override stones each; bombs each
//! and their strength; height and width; rows of cells separated by blanks; then transitions `x1 y1
//! d1 <-> x2 y2 d2`, with x to the right and y down from 0, and directions clockwise from 0, up. A
//! transition joins two sides that lead to no neighbour, at most one per side.

use alea_core::{
    game::MAX_SEATS,
    text::{joined, printable, shorten},
};
use std::{fmt, ops::RangeInclusive};

/// Number of directions: 0 is up, then clockwise.
pub const DIRECTIONS: usize = 8;

/// Maximal width and height.
pub const MAX_SIDE: usize = 50;

/// Maximal override stones or bombs of a player, and maximal strength of bombs.
pub const MAX_STOCK: usize = 5_000;

pub(super) const DIRECTION_OFFSETS: [(isize, isize); DIRECTIONS] = [
    (0, -1),
    (1, -1),
    (1, 0),
    (1, 1),
    (0, 1),
    (-1, 1),
    (-1, 0),
    (-1, -1),
];

/// Content of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Hash)]
#[repr(transparent)]
pub struct Cell(u8);

impl Cell {
    /// No cell: outside of the board, or destroyed by a bomb.
    pub const HOLE: Self = Self(0);
    /// Expansion stone: owned by nobody, captured like an enemy's.
    pub const EXPANSION: Self = Self(MAX_SEATS as u8 + 1);
    /// Empty without special effect.
    pub const EMPTY: Self = Self(MAX_SEATS as u8 + 2);
    /// Empty; who fills it exchanges all stones with a chosen player.
    pub const CHOICE: Self = Self(MAX_SEATS as u8 + 3);
    /// Empty; who fills it gets a bomb or an override stone.
    pub const BONUS: Self = Self(MAX_SEATS as u8 + 4);
    /// Empty; filling it passes the stones of each player to the next.
    pub const INVERSION: Self = Self(MAX_SEATS as u8 + 5);

    const CHARACTERS: &'static [u8; MAX_SEATS + 6] = b"-12345678x0cbi";

    /// A stone of `seat`.
    #[inline]
    pub const fn stone(seat: usize) -> Self {
        Self(seat as u8 + 1)
    }

    /// Owner of the stone; `None` for other contents.
    #[inline]
    pub const fn seat(self) -> Option<usize> {
        if self.0 != 0 && self.0 <= MAX_SEATS as u8 {
            Some(self.0 as usize - 1)
        } else {
            None
        }
    }

    /// Whether there is a stone, of a player or an expansion stone.
    #[inline]
    pub const fn is_occupied(self) -> bool {
        self.0 != 0 && self.0 <= Self::EXPANSION.0
    }

    /// Whether filling the cell needs no override stone.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 >= Self::EMPTY.0
    }

    #[inline]
    pub(super) const fn content_code(self) -> u8 {
        self.0
    }

    /// Content with character `sign` in map texts.
    pub fn from_sign(sign: u8) -> Option<Self> {
        let at = Self::CHARACTERS.iter().position(|&symbol| symbol == sign);
        at.map(|at| Self(at as u8))
    }

    /// Character in map texts.
    pub fn sign(self) -> char {
        char::from(Self::CHARACTERS[usize::from(self.0)])
    }
}

/// A cell (numbered row by row) and a direction out of it; or [`Side::NONE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct Side(u16);

impl Side {
    /// No side, which ends a line.
    pub const NONE: Self = Self(u16::MAX);

    /// The side of `cell` in `direction`.
    #[inline]
    pub const fn new(cell: usize, direction: usize) -> Self {
        Self((cell * DIRECTIONS + direction) as u16)
    }

    /// Cell of the side.
    #[inline]
    pub const fn cell(self) -> usize {
        self.0 as usize / DIRECTIONS
    }

    /// Direction out of the cell.
    #[inline]
    pub const fn direction(self) -> usize {
        self.0 as usize % DIRECTIONS
    }

    const fn reversed(self) -> Self {
        Self::new(self.cell(), (self.direction() + 4) % DIRECTIONS)
    }
}

/// Error in the text of a map.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {problem}")]
pub struct MapError {
    /// Line of the text, from 1.
    pub line: usize,
    /// Character in the line, from 1.
    pub column: usize,
    /// What is wrong, and what is valid.
    pub problem: String,
}

/// A valid map of the board at the start, with transitions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Map {
    pub(super) players: usize,
    pub(super) overrides: u16,
    pub(super) bombs: u16,
    pub(super) strength: u16,
    width: usize,
    pub(super) cells: Box<[Cell]>,
    transitions: Vec<[Side; 2]>,
    /// For each side, the side by which a line leaves the next cell.
    steps: Box<[Side]>,
}

impl Map {
    pub(super) fn new(players: usize, width: usize, cells: Vec<Cell>) -> Self {
        let mut map = Self {
            players,
            overrides: 0,
            bombs: 0,
            strength: 0,
            width,
            steps: Box::default(),
            cells: cells.into(),
            transitions: Vec::new(),
        };
        map.steps = (0..map.cells.len() * DIRECTIONS)
            .map(|index| map.neighbour(Side(index as u16)).unwrap_or(Side::NONE))
            .collect();
        map
    }

    /// Parses and checks a map.
    pub fn parse(text: &str) -> Result<Self, MapError> {
        let mut lines = LineReader::new(text);
        let [players] = lines.parse_numbers(["players"], 2..=MAX_SEATS)?;
        let [overrides] = lines.parse_numbers(["override stones"], 0..=MAX_STOCK)?;
        let [bombs, strength] = lines.parse_numbers(["bombs", "their strength"], 0..=MAX_STOCK)?;
        let [height, width] = lines.parse_numbers(["height", "width"], 1..=MAX_SIDE)?;
        let mut cells = Vec::with_capacity(height * width);
        for row in 0..height {
            let line = lines.next(&format!("row {} of {height}", row + 1))?;
            let mut words = line.words();
            for column in 0..width {
                let expected = format!("cell {} of {width}", column + 1);
                let (word, error) = words.next_word(&expected)?;
                let cell = match word.as_bytes() {
                    [sign] => Cell::from_sign(*sign),
                    _ => None,
                };
                match cell {
                    Some(cell) if cell.seat().is_none_or(|seat| seat < players) => cells.push(cell),
                    _ => {
                        let word = shorten(word, 20);
                        return Err(error(format!(
                            "'{word}' is no cell: expected -, 0, x, c, b, i or a player from 1 to {players}"
                        )));
                    }
                }
            }
            words.expect_end()?;
        }
        let mut map = Self::new(players, width, cells);
        [map.overrides, map.bombs, map.strength] =
            [overrides, bombs, strength].map(|number| number as u16);
        while let Some(line) = lines.next_line() {
            map.read_transition(&line)?;
        }
        Ok(map)
    }

    fn read_transition(&mut self, line: &Line<'_>) -> Result<(), MapError> {
        let mut words = line.words();
        let mut sides = [Side::NONE; 2];
        for (at, side) in sides.iter_mut().enumerate() {
            words.peek();
            let begin = words.at;
            let mut number = |expected, below: usize| words.parse_number(expected, 0..=below - 1);
            let (x, y) = (number("x", self.width)?, number("y", self.height())?);
            let direction = number("a direction", DIRECTIONS)?;
            *side = Side::new(y * self.width + x, direction);
            let refuse = |problem: &str| {
                let problem = format!("the transition at {x} {y} {direction} {problem}");
                Err(line.error_at_byte(begin, problem))
            };
            if self.cells[side.cell()] == Cell::HOLE {
                return refuse("is at a hole; put it at a cell");
            }
            if self.neighbour(*side).is_some() {
                return refuse("has an ordinary neighbour there; it may only lead where none is");
            }
            if self.step(*side) != Side::NONE {
                return refuse("is the second on this side; a side has at most one");
            }
            if at == 0 {
                let (word, error) = words.next_word("<->")?;
                if word != "<->" {
                    let word = shorten(word, 20);
                    return Err(error(format!("expected <->, found '{word}'")));
                }
            }
        }
        words.expect_end()?;
        self.add_transition(sides);
        Ok(())
    }

    pub(super) fn add_transition(&mut self, sides: [Side; 2]) {
        let [one, other] = sides;
        self.steps[usize::from(one.0)] = other.reversed();
        self.steps[usize::from(other.0)] = one.reversed();
        self.transitions.push(sides);
    }

    /// Number of players, 2 to 8.
    pub fn players(&self) -> usize {
        self.players
    }

    /// Override stones of each player at the start.
    pub fn overrides(&self) -> u16 {
        self.overrides
    }

    /// Bombs of each player at the start.
    pub fn bombs(&self) -> u16 {
        self.bombs
    }

    /// Reach of a bomb, in steps from its cell.
    pub fn bomb_strength(&self) -> u16 {
        self.strength
    }

    /// Number of columns.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Number of rows.
    pub fn height(&self) -> usize {
        self.cells.len() / self.width
    }

    /// Cells at the start, row by row.
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }

    pub(super) fn num_cells(&self) -> usize {
        let holes = |&&cell: &&Cell| cell != Cell::HOLE;
        self.cells.iter().filter(holes).count()
    }

    /// Number of the four lines through a cell that end there: at an edge 3, in a corner 4.
    pub(super) fn num_lines_ending_at(&self, cell: usize) -> usize {
        let closed = |direction| self.step(Side::new(cell, direction)) == Side::NONE;
        let half = DIRECTIONS / 2;
        let of_line = |&line: &usize| closed(line) || closed(line + half);
        (0..half).filter(of_line).count()
    }

    /// Pairs of sides joined by transitions.
    pub fn transitions(&self) -> &[[Side; 2]] {
        &self.transitions
    }

    /// Next cell on a line, with the direction there; [`Side::NONE`] at a border or a hole of the
    /// start.
    #[inline]
    pub fn step(&self, side: Side) -> Side {
        self.steps[usize::from(side.0)]
    }

    pub(super) fn neighbour(&self, side: Side) -> Option<Side> {
        let cell = side.cell();
        let (right, down) = DIRECTION_OFFSETS[side.direction()];
        let x = (cell % self.width).checked_add_signed(right)?;
        let y = (cell / self.width).checked_add_signed(down)?;
        let there = y * self.width + x;
        let inside = x < self.width && y < self.height();
        let exists = |cell: usize| self.cells[cell] != Cell::HOLE;
        (inside && exists(cell) && exists(there)).then_some(Side::new(there, side.direction()))
    }
}

impl fmt::Display for Map {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "{}\n{}", self.players, self.overrides)?;
        writeln!(formatter, "{} {}", self.bombs, self.strength)?;
        writeln!(formatter, "{} {}", self.height(), self.width)?;
        for row in self.cells.chunks(self.width) {
            let signs = joined(row.iter().map(|cell| cell.sign()), " ");
            writeln!(formatter, "{signs}")?;
        }
        for sides in &self.transitions {
            let [one, other] = sides.map(|side| {
                let (x, y) = (side.cell() % self.width, side.cell() / self.width);
                format!("{x} {y} {}", side.direction())
            });
            writeln!(formatter, "{one} <-> {other}")?;
        }
        Ok(())
    }
}

pub(super) fn parse_number(
    word: &str,
    expected: &str,
    range: RangeInclusive<usize>,
) -> Result<usize, String> {
    let digits = word.bytes().all(|sign| sign.is_ascii_digit());
    match word.parse() {
        Ok(number) if digits && range.contains(&number) => Ok(number),
        _ => {
            let ((from, to), word) = (range.into_inner(), shorten(word, 20));
            Err(format!(
                "expected {expected}, a number from {from} to {to}, found '{word}'"
            ))
        }
    }
}

struct LineReader<'t> {
    lines: std::iter::Enumerate<std::str::Split<'t, char>>,
    last: usize,
}

impl<'t> LineReader<'t> {
    fn new(text: &'t str) -> Self {
        let text = text.trim_end();
        Self {
            last: text.matches('\n').count() + 1,
            lines: text.split('\n').enumerate(),
        }
    }

    fn next_line(&mut self) -> Option<Line<'t>> {
        let (index, text) = self.lines.next()?;
        Some(Line {
            number: index + 1,
            text: text.strip_suffix('\r').unwrap_or(text),
        })
    }

    fn next(&mut self, expected: &str) -> Result<Line<'t>, MapError> {
        self.next_line().ok_or_else(|| MapError {
            line: self.last + 1,
            column: 1,
            problem: format!("the map ends here: expected {expected}"),
        })
    }

    fn parse_numbers<const COUNT: usize>(
        &mut self,
        expected: [&str; COUNT],
        range: RangeInclusive<usize>,
    ) -> Result<[usize; COUNT], MapError> {
        let line = self.next(&format!("the number of {}", expected[0]))?;
        let mut words = line.words();
        let mut numbers = [0; COUNT];
        for (number, expected) in numbers.iter_mut().zip(expected) {
            *number = words.parse_number(expected, range.clone())?;
        }
        words.expect_end()?;
        Ok(numbers)
    }
}

struct Line<'t> {
    number: usize,
    text: &'t str,
}

impl<'t> Line<'t> {
    fn words<'l>(&'l self) -> WordReader<'l, 't> {
        WordReader { line: self, at: 0 }
    }

    fn error_at_byte(&self, at: usize, problem: String) -> MapError {
        MapError {
            line: self.number,
            column: self.text[..at].chars().count() + 1,
            problem: printable(&problem).into_owned(),
        }
    }
}

struct WordReader<'l, 't> {
    line: &'l Line<'t>,
    at: usize,
}

impl<'l, 't> WordReader<'l, 't> {
    fn peek(&mut self) -> &'t str {
        let rest = &self.line.text[self.at..];
        let word = rest.trim_start_matches([' ', '\t']);
        self.at += rest.len() - word.len();
        &word[..word.find([' ', '\t']).unwrap_or(word.len())]
    }

    fn next_word(
        &mut self,
        expected: &str,
    ) -> Result<(&'t str, impl FnOnce(String) -> MapError + use<'l, 't>), MapError> {
        let word = self.peek();
        let (line, at) = (self.line, self.at);
        if word.is_empty() {
            return Err(line.error_at_byte(at, format!("the line ends here: expected {expected}")));
        }
        self.at += word.len();
        Ok((word, move |problem| line.error_at_byte(at, problem)))
    }

    fn parse_number(
        &mut self,
        expected: &str,
        range: RangeInclusive<usize>,
    ) -> Result<usize, MapError> {
        let (word, error) = self.next_word(expected)?;
        parse_number(word, expected, range).map_err(error)
    }

    fn expect_end(mut self) -> Result<(), MapError> {
        match self.peek() {
            "" => Ok(()),
            word => {
                let word = shorten(word, 20);
                let problem = format!("'{word}' is too much: expected the end of the line");
                Err(self.line.error_at_byte(self.at, problem))
            }
        }
    }
}
