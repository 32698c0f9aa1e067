//! Inputs of learned evaluators: *views* (positions as one symbol per cell, from a seat's
//! perspective), tuples of view cells, and features of neural networks.
//!
//! *Schema texts* in model files describe inputs; a model is refused if its inputs differ from the
//! build's.

use super::{
    named_set::{Named, NamedSet},
    network::NetworkKernels,
    tuples::TupleKernels,
};
use alea_core::{game::Seat, random::RandomStream};
use alea_play::playable::Playable;
use std::{
    fmt::Debug,
    ops::{Range, RangeInclusive},
};
use xxhash_rust::xxh3::xxh3_64;

/// Hash (xxh3, 64 bits) of a schema text.
pub fn schema_hash(schema: &str) -> u64 {
    xxh3_64(schema.as_bytes())
}

/// Consecutive cells of a view (a position as one symbol per cell) with the same number of symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellGroup {
    /// Prefix of cell names, such as `b` in `b3`.
    pub letter: char,
    /// View index of the first cell; ascends from group to group.
    pub start: usize,
    /// Number of cells.
    pub count: usize,
    /// Number of symbols.
    pub symbols: usize,
    /// Meaning of the symbols, for schema texts.
    pub meaning: &'static str,
    /// Whether schema texts omit the group if no tuple uses it.
    pub optional: bool,
}

/// A cell of a view, with its number of symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cell {
    index: u16,
    symbols: u8,
}

impl CellGroup {
    /// Creates the group of all cells of a view that has only one.
    pub const fn single(letter: char, count: usize, symbols: usize, meaning: &'static str) -> Self {
        Self {
            letter,
            start: 0,
            count,
            symbols,
            meaning,
            optional: false,
        }
    }

    /// The cell with index `number` in the group.
    ///
    /// # Panics
    /// If there is none.
    pub fn cell(&self, number: usize) -> Cell {
        assert!(number < self.count, "{}{number} is no cell", self.letter);
        Cell {
            index: (self.start + number) as u16,
            symbols: self.symbols as u8,
        }
    }

    /// All cells of the group.
    pub fn cells(&self) -> impl Iterator<Item = Cell> {
        (0..self.count).map(|number| self.cell(number))
    }

    /// Index in the group; `None` if the cell is in another.
    pub fn index_in_group(&self, cell: Cell) -> Option<usize> {
        cell.index()
            .checked_sub(self.start)
            .filter(|number| *number < self.count)
    }

    /// Range of cell names, such as `b0-24`.
    pub fn name_range(&self) -> String {
        format!("{}0-{}", self.letter, self.count - 1)
    }
}

impl Cell {
    /// Index in the view.
    #[inline]
    pub fn index(self) -> usize {
        usize::from(self.index)
    }

    /// Number of symbols.
    #[inline]
    pub fn alphabet_size(self) -> usize {
        usize::from(self.symbols)
    }
}

/// A named tuple set, which never changes, so that model files stay valid.
#[derive(Debug)]
pub struct NamedTuples<G> {
    /// Name of the tuple set.
    pub name: &'static str,
    /// Cells of each tuple.
    pub tuples: fn(&G) -> Vec<Vec<Cell>>,
    /// Whether the set also has all images of `tuples` under the game's symmetries, which share
    /// their tables.
    pub symmetric: bool,
}

/// Name of a kind of candidates, and the cells of each tuple.
pub type TupleCandidates = (&'static str, Vec<Vec<Cell>>);

/// A game with views (positions as one symbol per cell), the inputs of n-tuple networks.
pub trait TupleInputs: Playable {
    /// Groups that form a view.
    fn cell_groups(&self) -> &[CellGroup];

    /// Writes the view of a position from the perspective of `seat`.
    fn write_symbols(&self, position: &Self::Position, seat: Seat, symbols: &mut [u8]);

    /// Calls `change` with the index and the new symbol of all cells that a move may change, from the
    /// perspective of `seat`; returns whether the game tells. By default views are compared.
    #[inline]
    fn symbol_changes(
        &self,
        before: &Self::Position,
        after: &Self::Position,
        seat: Seat,
        change: impl FnMut(usize, u8),
    ) -> bool {
        let _ = (before, after, seat, change);
        false
    }

    /// Range of `Rules::remaining_length` before the end; by default 1 to `Rules::max_plies`.
    fn remaining_range(&self) -> RangeInclusive<usize> {
        1..=self.max_plies().into()
    }

    /// Tuple sets, the default first; unless overridden, all pairs of cells of the first group.
    fn tuple_sets(&self) -> &'static [NamedTuples<Self>] {
        const {
            &[NamedTuples {
                name: "pairs",
                tuples: all_pairs::<Self>,
                symmetric: false,
            }]
        }
    }

    /// Image of a cell under a symmetry of positions, which may change symbols.
    fn transform_cell(&self, cell: Cell, symmetry: usize) -> Cell {
        let _ = symmetry;
        cell
    }

    /// Candidates for a tuple search, up to symmetry.
    fn tuple_candidates(&self, random: &mut RandomStream) -> Vec<TupleCandidates> {
        let _ = random;
        let cells: Vec<Cell> = self.cell_groups()[0].cells().collect();
        let (mut pairs, mut triples) = (Vec::new(), Vec::new());
        for (third, &c) in cells.iter().enumerate() {
            for (second, &b) in cells[..third].iter().enumerate() {
                pairs.push(vec![b, c]);
                triples.extend(cells[..second].iter().map(|&a| vec![a, b, c]));
            }
        }
        vec![("pairs", pairs), ("triples", triples)]
    }
}

/// A game that n-tuple networks and neural networks can learn.
pub trait Learnable: TupleInputs {
    /// Inference of n-tuple networks, such as [`super::tuples::GenericTupleKernels`].
    type Tuples: TupleKernels<Self>;
    /// Inference of neural networks, such as [`super::network::GenericNetKernels`].
    type Network: NetworkKernels<Self>;
    /// Optional feature groups of neural networks; [`NoFeatureGroup`] without any.
    type Group: Named;

    /// Default feature groups of neural networks.
    const DEFAULT_FEATURES: &'static [Self::Group] = &[];

    /// Rules on which models are trained, by default the same.
    fn training_rules(&self) -> Self {
        self.clone()
    }

    /// Gives games on several boards common inputs, to train one model; unchanged by default.
    fn for_joint_training(all: Vec<Self>) -> Vec<Self> {
        all
    }

    /// Name and parameters of the game in model files.
    fn model_game_name(&self) -> String {
        self.notation()
    }

    /// The rules of a [`Learnable::model_game_name`]; `None` for another game.
    fn from_model_game_name(name: &str) -> Option<Self> {
        Self::from_notation(name, None).ok()
    }

    /// One-hot slots: ranges of first-layer rows, exactly one of which is active; slots may share
    /// rows.
    fn feature_slots(&self, groups: NamedSet<Self::Group>) -> Vec<Range<usize>> {
        let _ = groups;
        let cells = self.cell_groups()[0];
        let slot = |number| number * cells.symbols..(number + 1) * cells.symbols;
        (0..cells.count).map(slot).collect()
    }

    /// Writes each slot's active row, from the perspective of `seat`.
    fn active_features(
        &self,
        groups: NamedSet<Self::Group>,
        position: &Self::Position,
        seat: Seat,
        rows: &mut [u16],
    ) {
        let _ = groups;
        let cells = self.cell_groups()[0];
        with_view(self, position, seat, |symbols| {
            let symbols = &symbols[cells.start..][..cells.count];
            for cell in 0..symbols.len().min(rows.len()) {
                rows[cell] = (cell * cells.symbols) as u16 + u16::from(symbols[cell]);
            }
        });
    }

    /// Changes the active rows of `before`, a position before a move, to those of `after`; by
    /// default from scratch.
    #[inline]
    fn update_features(
        &self,
        groups: NamedSet<Self::Group>,
        before: &Self::Position,
        after: &Self::Position,
        seat: Seat,
        rows: &mut [u16],
    ) {
        let _ = before;
        self.active_features(groups, after, seat, rows);
    }

    /// Schema text of the features.
    fn feature_schema(&self, groups: NamedSet<Self::Group>) -> String {
        let _ = groups;
        let cells = self.cell_groups()[0];
        format!("sparse v1: {} {}", cells.name_range(), cells.meaning)
    }
}

/// All pairs of cells of the first group.
pub fn all_pairs<G: TupleInputs>(game: &G) -> Vec<Vec<Cell>> {
    let cells: Vec<Cell> = game.cell_groups()[0].cells().collect();
    let pairs_of = |(index, &a): (usize, &Cell)| {
        let later = cells[index + 1..].iter().copied();
        later.map(move |b| vec![a, b])
    };
    cells.iter().enumerate().flat_map(pairs_of).collect()
}

const STACK_CELLS: usize = 512;

pub(crate) fn view_len<G: TupleInputs>(game: &G) -> usize {
    let groups = game.cell_groups();
    groups.last().map_or(0, |last| last.start + last.count)
}

/// Calls `read` with the symbols of all cells of a position in the perspective of `seat`.
#[inline]
pub fn with_view<G: TupleInputs, R>(
    game: &G,
    position: &G::Position,
    seat: Seat,
    read: impl FnOnce(&[u8]) -> R,
) -> R {
    let view_len = view_len(game);
    if view_len <= STACK_CELLS {
        let mut symbols = [0; STACK_CELLS];
        game.write_symbols(position, seat, &mut symbols[..view_len]);
        read(&symbols[..view_len])
    } else {
        let mut symbols = vec![0; view_len];
        game.write_symbols(position, seat, &mut symbols);
        read(&symbols)
    }
}

/// Parses a name such as `b3`, but not `b+3` or `b03`.
pub fn parse_cell(groups: &[CellGroup], text: &str) -> Option<Cell> {
    let mut characters = text.chars();
    let letter = characters.next()?;
    let number = characters.as_str().parse().ok()?;
    let group = groups.iter().find(|group| group.letter == letter)?;
    (number < group.count)
        .then(|| group.cell(number))
        .filter(|cell| format_cell(groups, *cell) == text)
}

/// Name of a cell, such as `b3`.
pub fn format_cell(groups: &[CellGroup], cell: Cell) -> String {
    groups
        .iter()
        .find_map(|group| Some(format!("{}{}", group.letter, group.index_in_group(cell)?)))
        .unwrap_or_default()
}

/// Feature group of games that have none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NoFeatureGroup {}

impl Named for NoFeatureGroup {
    const ALL: &'static [Self] = &[];
    const KIND: &'static str = "group of inputs";

    fn name(self) -> &'static str {
        match self {}
    }

    fn number(self) -> usize {
        match self {}
    }
}
