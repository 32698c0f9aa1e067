//! What a game declares to be learned: a view of its positions as small symbols, sets of tuples over
//! it, and the inputs of networks.
//!
//! One extractor serves training and inference. Invariant: everything is seen by a seat, and the
//! same from every seat that stands alike; the canonical text of inputs names each of them with the
//! version of its formula, and model files carry it, so that none runs on inputs other than those
//! it was trained on.

use super::{
    names::{NameSet, Named},
    network::NetworkKernels,
    tuples::TupleKernels,
};
use crate::core::{game::Seat, random::RandomStream, text::joined};
use crate::play::playable::Playable;
use std::{
    fmt::Debug,
    ops::{Range, RangeInclusive},
};
use xxhash_rust::xxh3::xxh3_64;

/// The hash that stands for a canonical text of inputs in model files: xxh3, 64 bits.
#[must_use]
pub fn hash(layout: &str) -> u64 {
    xxh3_64(layout.as_bytes())
}

/// Cells of one kind: places of a view that hold the same alphabet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellGroup {
    /// Before the number of a cell in texts.
    pub letter: char,
    /// The place of its first cell in a view; groups are listed in the order of their places.
    pub start: usize,
    /// How many cells there are.
    pub count: usize,
    /// How many symbols a cell may hold.
    pub symbols: usize,
    /// What the symbols mean, for the canonical text.
    pub meaning: &'static str,
    /// Whether it came later: only sets that use such cells tell what these mean.
    pub late: bool,
}

/// One place of a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cell {
    place: u16,
    symbols: u8,
}

impl CellGroup {
    /// The only group of a view.
    #[must_use]
    pub const fn only(letter: char, count: usize, symbols: usize, meaning: &'static str) -> Self {
        Self {
            letter,
            start: 0,
            count,
            symbols,
            meaning,
            late: false,
        }
    }

    /// A cell of the group.
    ///
    /// # Panics
    /// If there are not so many.
    #[must_use]
    pub fn cell(&self, number: usize) -> Cell {
        assert!(number < self.count, "{}{number} is no cell", self.letter);
        Cell {
            place: (self.start + number) as u16,
            symbols: self.symbols as u8,
        }
    }

    /// All cells of the group.
    pub fn all(&self) -> impl Iterator<Item = Cell> {
        (0..self.count).map(|number| self.cell(number))
    }

    /// The cell's number, if it is of this group.
    #[must_use]
    pub fn number_of(&self, cell: Cell) -> Option<usize> {
        cell.place()
            .checked_sub(self.start)
            .filter(|number| *number < self.count)
    }

    /// The names of the cells: `b0-24`.
    pub fn names(&self) -> String {
        format!("{}0-{}", self.letter, self.count - 1)
    }
}

impl Cell {
    /// Where the cell is in a view.
    #[inline]
    pub fn place(self) -> usize {
        usize::from(self.place)
    }

    /// How many symbols it may hold.
    #[inline]
    pub fn symbols(self) -> usize {
        usize::from(self.symbols)
    }
}

/// A set of tuples that has a name, which keeps its tuples for ever: old model files stay valid.
#[derive(Debug)]
pub struct NamedTuples<G> {
    /// Its name.
    pub name: &'static str,
    /// The cells of each tuple.
    pub tuples: fn(&G) -> Vec<Vec<Cell>>,
}

/// Tuples of one kind that a search may add to a set: what they are, and the cells of each.
pub type TupleKind = (&'static str, Vec<Vec<Cell>>);

/// A game that n-tuple networks and neural networks learn.
pub trait Learnable: Playable {
    /// How tuples are looked up: [`super::tuples::Plain`] is right for every game.
    type Tuples: TupleKernels<Self>;
    /// How networks are computed: [`super::tuples::Plain`] is right for every game.
    type Network: NetworkKernels<Self>;
    /// Groups of inputs that networks may have beside those they always have: [`NoGroup`] if there
    /// are none.
    type Group: Named;

    /// What phases of tables and buckets of networks go by, in words.
    const PHASES_BY: &'static str = Self::REMAINING;

    /// The groups of inputs that a network has unless told.
    const DEFAULT_GROUPS: &'static [Self::Group] = &[];

    /// The rules that models are made for, where those that are played may differ.
    #[must_use]
    fn as_learned(&self) -> Self {
        self.clone()
    }

    /// The same games, of which the first looks at the positions of all: games whose boards are
    /// read from files are learned from together.
    #[must_use]
    fn together(all: Vec<Self>) -> Vec<Self> {
        all
    }

    /// What model files call the game with its parameters.
    fn model_game(&self) -> String {
        self.notation()
    }

    /// The game that a model file calls so; `None` if it is another's.
    fn of_model(name: &str) -> Option<Self> {
        Self::from_notation(name, None).ok()
    }

    /// The cells of a view.
    fn cells(&self) -> &[CellGroup];

    /// Writes the symbol of each cell's place in a view, as a seat sees the position; other places
    /// are left alone. Whatever the position, each symbol is below that of its cell.
    fn look(&self, position: &Self::Position, seat: Seat, symbols: &mut [u8]);

    /// What [`Playable::remaining`] may say of positions that are not over: plies by default.
    fn remaining_range(&self) -> RangeInclusive<usize> {
        1..=self.most_plies().into()
    }

    /// The sets of tuples that have names, the usual one first; by default all pairs of the first
    /// group.
    fn tuple_sets(&self) -> &'static [NamedTuples<Self>] {
        const {
            &[NamedTuples {
                name: "pairs",
                tuples: all_pairs::<Self>,
            }]
        }
    }

    /// The cell that holds in a position's image under a symmetry, see [`Playable::image`], what this
    /// cell holds in the position, but for other names of its symbols.
    fn cell_image(&self, cell: Cell, symmetry: usize) -> Cell {
        let _ = symmetry;
        cell
    }

    /// What a search for tuples tries, images left out: pairs and triples of the first group by
    /// default.
    fn tuple_kinds(&self, random: &mut RandomStream) -> Vec<TupleKind> {
        let _ = random;
        let cells: Vec<Cell> = self.cells()[0].all().collect();
        let (mut pairs, mut triples) = (Vec::new(), Vec::new());
        for (third, &c) in cells.iter().enumerate() {
            for (second, &b) in cells[..third].iter().enumerate() {
                pairs.push(vec![b, c]);
                triples.extend(cells[..second].iter().map(|&a| vec![a, b, c]));
            }
        }
        vec![("pairs", pairs), ("triples", triples)]
    }

    /// The inputs of networks, each a row of the first layer that is on or off, in runs of which one
    /// is on in every position; runs may share rows. By default one a cell of the first group, of a
    /// row for each symbol.
    fn input_runs(&self, groups: NameSet<Self::Group>) -> Vec<Range<usize>> {
        let _ = groups;
        let cells = self.cells()[0];
        let run = |number| number * cells.symbols..(number + 1) * cells.symbols;
        (0..cells.count).map(run).collect()
    }

    /// Writes the row that is on in each run, as a seat sees the position.
    fn input_rows(
        &self,
        groups: NameSet<Self::Group>,
        position: &Self::Position,
        seat: Seat,
        rows: &mut [u16],
    ) {
        let _ = groups;
        let cells = self.cells()[0];
        with_view(self, position, seat, |symbols| {
            let symbols = &symbols[cells.start..][..cells.count];
            for ((number, row), &symbol) in (0..).zip(rows).zip(symbols) {
                *row = (number * cells.symbols) as u16 + u16::from(symbol);
            }
        });
    }

    /// The canonical text that names every input, and the version of each formula.
    fn inputs_layout(&self, groups: NameSet<Self::Group>) -> String {
        let _ = groups;
        let cells = self.cells()[0];
        format!("sparse v1: {} {}", cells.names(), cells.meaning)
    }
}

/// Whether these numbers of what remains part all positions: they ascend, and none takes all. `what`
/// is parted by them: phases, buckets.
pub fn check_bounds<G: Learnable>(game: &G, what: &str, bounds: &[u8]) -> Result<(), String> {
    let remaining = game.remaining_range();
    let (least, most) = (*remaining.start(), *remaining.end());
    let within = |bound: &u8| (least..most).contains(&usize::from(*bound));
    if bounds.is_sorted_by(|a, b| a < b) && bounds.iter().all(within) {
        return Ok(());
    }
    Err(format!(
        "{what} {bounds:?}: numbers of {} must ascend, from {least} to {}",
        G::REMAINING,
        most - 1
    ))
}

/// What a canonical text says of these numbers, nothing if there are none; as [`check_bounds`].
pub(super) fn format_limits<G: Learnable>(what: &str, bounds: &[u8]) -> String {
    match bounds {
        [] => String::new(),
        _ => format!("; {what} by {} up to {}", G::PHASES_BY, joined(bounds, " ")),
    }
}

/// All pairs of cells of the first group.
#[must_use]
pub fn all_pairs<G: Learnable>(game: &G) -> Vec<Vec<Cell>> {
    let cells: Vec<Cell> = game.cells()[0].all().collect();
    let with_later = |(place, &a): (usize, &Cell)| {
        let later = cells[place + 1..].iter().copied();
        later.map(move |b| vec![a, b])
    };
    cells.iter().enumerate().flat_map(with_later).collect()
}

/// Places of a view that need no allocation.
const ROOM: usize = 512;

/// Shows a view of a position.
#[inline]
pub fn with_view<G: Learnable, R>(
    game: &G,
    position: &G::Position,
    seat: Seat,
    look: impl FnOnce(&[u8]) -> R,
) -> R {
    let places = game
        .cells()
        .last()
        .map_or(0, |last| last.start + last.count);
    if places <= ROOM {
        let mut symbols = [0; ROOM];
        game.look(position, seat, &mut symbols[..places]);
        look(&symbols[..places])
    } else {
        let mut symbols = vec![0; places];
        game.look(position, seat, &mut symbols);
        look(&symbols)
    }
}

/// The cell of a text, `b3`: one text a cell, neither `b+3` nor `b03`.
#[must_use]
pub fn cell_named(groups: &[CellGroup], text: &str) -> Option<Cell> {
    let mut characters = text.chars();
    let letter = characters.next()?;
    let number = characters.as_str().parse().ok()?;
    let group = groups.iter().find(|group| group.letter == letter)?;
    (number < group.count)
        .then(|| group.cell(number))
        .filter(|cell| cell_text(groups, *cell) == text)
}

/// The text of a cell.
#[must_use]
pub fn cell_text(groups: &[CellGroup], cell: Cell) -> String {
    groups
        .iter()
        .find_map(|group| Some(format!("{}{}", group.letter, group.number_of(cell)?)))
        .unwrap_or_default()
}

/// No groups of inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NoGroup {}

impl Named for NoGroup {
    const ALL: &'static [Self] = &[];
    const KIND: &'static str = "group of inputs";

    fn name(self) -> &'static str {
        match self {}
    }

    fn number(self) -> usize {
        match self {}
    }
}
