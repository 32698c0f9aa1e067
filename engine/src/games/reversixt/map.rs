//! Maps of ReversiXT: how many play with which stocks, on which cells, and where lines go on.
//!
//! The text is that of the published course: the number of players; override stones each; bombs
//! each and their strength; height and width; rows of cells separated by blanks; then transitions
//! `x1 y1 d1 <-> x2 y2 d2`, with x to the right and y down from 0, and directions clockwise from 0,
//! up. Line feeds may be CRLF, lines at the end blank, and numbers begin with zeros. Invariant: a
//! map is sound. A transition begins and ends where the ordinary neighbour is a hole or outside, and
//! no side of a cell has two: programs disagree about all other maps.

use crate::core::{
    game::MAX_SEATS,
    text::{joined, printable, shorten},
};
use std::{fmt, ops::RangeInclusive};

/// Directions, clockwise from up.
pub const DIRECTIONS: usize = 8;

/// Most columns and most rows.
pub const LARGEST: usize = 50;

/// Most override stones or bombs a player begins with, and the greatest strength of bombs.
pub const MAX_STOCK: usize = 5_000;

/// What each direction adds to x and y.
pub(super) const TOWARDS: [(isize, isize); DIRECTIONS] = [
    (0, -1),
    (1, -1),
    (1, 0),
    (1, 1),
    (0, 1),
    (-1, 1),
    (-1, 0),
    (-1, -1),
];

/// What stands on a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct Cell(u8);

impl Cell {
    /// No cell at all.
    pub const HOLE: Self = Self(0);
    /// A stone of nobody's, behind those of the players, which is captured like an enemy's.
    pub const EXPANSION: Self = Self(MAX_SEATS as u8 + 1);
    /// Nothing.
    pub const EMPTY: Self = Self(MAX_SEATS as u8 + 2);
    /// Empty; whoever fills it exchanges all stones with a player.
    pub const CHOICE: Self = Self(MAX_SEATS as u8 + 3);
    /// Empty; whoever fills it gets a bomb or an override stone.
    pub const BONUS: Self = Self(MAX_SEATS as u8 + 4);
    /// Empty; whoever fills it passes all stones on to the next player each.
    pub const INVERSION: Self = Self(MAX_SEATS as u8 + 5);

    /// Signs, in the order of the numbers.
    const SIGNS: &'static [u8; MAX_SEATS + 6] = b"-12345678x0cbi";

    /// The stone of a seat, counted from 0.
    #[inline]
    pub const fn stone(seat: usize) -> Self {
        Self(seat as u8 + 1)
    }

    /// Whose stone stands here.
    #[inline]
    pub const fn seat(self) -> Option<usize> {
        if self.0 != 0 && self.0 <= MAX_SEATS as u8 {
            Some(self.0 as usize - 1)
        } else {
            None
        }
    }

    /// Whether a stone of a player or an expansion stone stands here.
    #[inline]
    pub const fn is_occupied(self) -> bool {
        self.0 != 0 && self.0 <= Self::EXPANSION.0
    }

    /// Whether a stone may be laid here without an override stone.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 >= Self::EMPTY.0
    }

    /// Below 16.
    #[inline]
    pub(super) const fn number(self) -> u8 {
        self.0
    }

    /// The cell with this sign.
    pub fn from_sign(sign: u8) -> Option<Self> {
        let at = Self::SIGNS.iter().position(|&symbol| symbol == sign);
        at.map(|at| Self(at as u8))
    }

    /// The sign of this cell.
    pub fn sign(self) -> char {
        char::from(Self::SIGNS[usize::from(self.0)])
    }
}

/// A side of a cell, or none: the cell's index along the rows, and a direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct Side(u16);

impl Side {
    /// Where a line ends.
    pub const NONE: Self = Self(u16::MAX);

    /// The side of a cell in a direction.
    #[inline]
    pub const fn new(cell: usize, direction: usize) -> Self {
        Self((cell * DIRECTIONS + direction) as u16)
    }

    /// The cell.
    #[inline]
    pub const fn cell(self) -> usize {
        self.0 as usize / DIRECTIONS
    }

    /// The direction in which the side is left.
    #[inline]
    pub const fn direction(self) -> usize {
        self.0 as usize % DIRECTIONS
    }

    /// The other way.
    const fn reversed(self) -> Self {
        Self::new(self.cell(), (self.direction() + 4) % DIRECTIONS)
    }
}

/// What is wrong with the text of a map, and where (counted from 1).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {problem}")]
pub struct MapError {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
    /// What is wrong there, and what would be right.
    pub problem: String,
}

/// A sound map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Map {
    /// How many play, 2 to 8.
    pub(super) players: usize,
    /// Override stones each.
    pub(super) overrides: u16,
    /// Bombs each.
    pub(super) bombs: u16,
    /// How many steps a bomb reaches.
    pub(super) strength: u16,
    width: usize,
    /// Row by row.
    pub(super) cells: Box<[Cell]>,
    transitions: Vec<[Side; 2]>,
    /// For each side where a line goes on that leaves by it: a cell, and the direction from there.
    steps: Box<[Side]>,
}

impl Map {
    /// A map without transitions on which nobody has anything in stock.
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

    /// Reads a map.
    ///
    /// # Errors
    /// If the text is no map, or the map is unsound.
    pub fn parse(text: &str) -> Result<Self, MapError> {
        let mut lines = Lines::new(text);
        let [players] = lines.numbers(["players"], 2..=MAX_SEATS)?;
        let [overrides] = lines.numbers(["override stones"], 0..=MAX_STOCK)?;
        let [bombs, strength] = lines.numbers(["bombs", "their strength"], 0..=MAX_STOCK)?;
        let [height, width] = lines.numbers(["height", "width"], 1..=LARGEST)?;
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
            words.end()?;
        }
        let mut map = Self::new(players, width, cells);
        [map.overrides, map.bombs, map.strength] =
            [overrides, bombs, strength].map(|number| number as u16);
        while let Some(line) = lines.rest() {
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
            let mut number = |expected, below: usize| words.number(expected, 0..=below - 1);
            let (x, y) = (number("x", self.width)?, number("y", self.height())?);
            let direction = number("a direction", DIRECTIONS)?;
            *side = Side::new(y * self.width + x, direction);
            let refuse = |problem: &str| {
                let problem = format!("the transition at {x} {y} {direction} {problem}");
                Err(line.error(begin, problem))
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
        words.end()?;
        self.join(sides);
        Ok(())
    }

    /// Lines that leave by one of these sides go on from the other; neither has a neighbour.
    pub(super) fn join(&mut self, sides: [Side; 2]) {
        let [one, other] = sides;
        self.steps[usize::from(one.0)] = other.reversed();
        self.steps[usize::from(other.0)] = one.reversed();
        self.transitions.push(sides);
    }

    /// How many play.
    pub fn players(&self) -> usize {
        self.players
    }

    /// Override stones that each player begins with.
    pub fn overrides(&self) -> u16 {
        self.overrides
    }

    /// Bombs that each player begins with.
    pub fn bombs(&self) -> u16 {
        self.bombs
    }

    /// How many steps a bomb reaches.
    pub fn strength(&self) -> u16 {
        self.strength
    }

    /// Columns.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Rows.
    pub fn height(&self) -> usize {
        self.cells.len() / self.width
    }

    /// What stands on the cells at the start, row by row.
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// How many cells are no holes.
    pub(super) fn playable(&self) -> usize {
        let holes = |&&cell: &&Cell| cell != Cell::HOLE;
        self.cells.iter().filter(holes).count()
    }

    /// How many of the four lines through a cell are closed at an end, where nobody can come from:
    /// in the middle none, at an edge three, in a corner all four.
    pub(super) fn closed_lines(&self, cell: usize) -> usize {
        let closed = |direction| self.step(Side::new(cell, direction)) == Side::NONE;
        let half = DIRECTIONS / 2;
        let of_line = |&line: &usize| closed(line) || closed(line + half);
        (0..half).filter(of_line).count()
    }

    /// The joined sides.
    pub fn transitions(&self) -> &[[Side; 2]] {
        &self.transitions
    }

    /// Where a line goes on that leaves by this side: a cell and the direction from there. Holes
    /// are those of the start.
    #[inline]
    pub fn step(&self, side: Side) -> Side {
        self.steps[usize::from(side.0)]
    }

    /// The ordinary neighbour, unless either is a hole or it would lie outside.
    fn neighbour(&self, side: Side) -> Option<Side> {
        let cell = side.cell();
        let (right, down) = TOWARDS[side.direction()];
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

/// A number within a range, or what is wrong with the word.
pub(super) fn number(
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

/// The lines of a text that are left.
struct Lines<'t> {
    lines: std::iter::Enumerate<std::str::Split<'t, char>>,
    last: usize,
}

impl<'t> Lines<'t> {
    fn new(text: &'t str) -> Self {
        let text = text.trim_end();
        Self {
            last: text.matches('\n').count() + 1,
            lines: text.split('\n').enumerate(),
        }
    }

    fn rest(&mut self) -> Option<Line<'t>> {
        let (index, text) = self.lines.next()?;
        Some(Line {
            number: index + 1,
            text: text.strip_suffix('\r').unwrap_or(text),
        })
    }

    fn next(&mut self, expected: &str) -> Result<Line<'t>, MapError> {
        self.rest().ok_or_else(|| MapError {
            line: self.last + 1,
            column: 1,
            problem: format!("the map ends here: expected {expected}"),
        })
    }

    /// A line with some numbers and nothing else.
    fn numbers<const COUNT: usize>(
        &mut self,
        expected: [&str; COUNT],
        range: RangeInclusive<usize>,
    ) -> Result<[usize; COUNT], MapError> {
        let line = self.next(&format!("the number of {}", expected[0]))?;
        let mut words = line.words();
        let mut numbers = [0; COUNT];
        for (number, expected) in numbers.iter_mut().zip(expected) {
            *number = words.number(expected, range.clone())?;
        }
        words.end()?;
        Ok(numbers)
    }
}

struct Line<'t> {
    number: usize,
    text: &'t str,
}

impl<'t> Line<'t> {
    fn words<'l>(&'l self) -> Words<'l, 't> {
        Words { line: self, at: 0 }
    }

    /// A problem at a byte of this line. It is told in one line, whatever it quotes.
    fn error(&self, at: usize, problem: String) -> MapError {
        MapError {
            line: self.number,
            column: self.text[..at].chars().count() + 1,
            problem: printable(&problem).into_owned(),
        }
    }
}

/// The words of a line that are left: those from byte `at` on.
struct Words<'l, 't> {
    line: &'l Line<'t>,
    at: usize,
}

impl<'l, 't> Words<'l, 't> {
    fn peek(&mut self) -> &'t str {
        let rest = &self.line.text[self.at..];
        let word = rest.trim_start_matches([' ', '\t']);
        self.at += rest.len() - word.len();
        &word[..word.find([' ', '\t']).unwrap_or(word.len())]
    }

    /// The next word, and how to complain about it.
    fn next_word(
        &mut self,
        expected: &str,
    ) -> Result<(&'t str, impl FnOnce(String) -> MapError + use<'l, 't>), MapError> {
        let word = self.peek();
        let (line, at) = (self.line, self.at);
        if word.is_empty() {
            return Err(line.error(at, format!("the line ends here: expected {expected}")));
        }
        self.at += word.len();
        Ok((word, move |problem| line.error(at, problem)))
    }

    fn number(&mut self, expected: &str, range: RangeInclusive<usize>) -> Result<usize, MapError> {
        let (word, error) = self.next_word(expected)?;
        number(word, expected, range).map_err(error)
    }

    fn end(mut self) -> Result<(), MapError> {
        match self.peek() {
            "" => Ok(()),
            word => {
                let word = shorten(word, 20);
                let problem = format!("'{word}' is too much: expected the end of the line");
                Err(self.line.error(self.at, problem))
            }
        }
    }
}
