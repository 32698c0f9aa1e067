//! A set of tuples: from positions to rows of tables.
//!
//! Invariant: [`TupleSet::look_up`] says what rows are; kernels of a game compute the same. Rows
//! fit their tables, whatever the position.

use super::TupleKernels;
use crate::core::text::{joined, suggestion};
use crate::learned::{
    inputs::{Cell, Learnable, cell_named, cell_text, check_bounds, format_limits, with_view},
    network::bucket,
};
use std::{fmt::Debug, ops::Range};

/// Most tuples a set has; bounds the stack space of an evaluation.
pub const MAX_TUPLES: usize = 256;

/// Most cells a tuple has.
pub const MAX_CELLS: usize = 12;

/// Most rows a set has over all tables of all phases.
pub const MAX_ROWS: usize = 1 << 26;

/// The name of a set that is listed instead of named.
pub const CUSTOM: &str = "custom";

/// Why there is no such set of tuples, as one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TupleError {
    /// Tables that are too large.
    #[error("{0} rows in all tables and phases; there may be {MAX_ROWS}")]
    Rows(u64),
    /// Anything else: a name is unknown, there are too many of something, or something is there
    /// twice.
    #[error("{0}")]
    Other(String),
}

/// A list of tuples with the layout of their tables.
#[derive(Clone, Debug)]
pub struct TupleSet<G: Learnable> {
    game: G,
    name: &'static str,
    /// The cells of each tuple, shorter tuples first.
    tuples: Vec<Vec<Cell>>,
    /// The first row of each tuple's table.
    bases: Vec<u32>,
    /// For the cells of all tuples, one after the other, the place in the view.
    places: Vec<u16>,
    /// Tuples whose symbols count the same.
    runs: Vec<Run>,
    /// Of one phase.
    rows: usize,
    /// Most that remains in each phase but the last.
    phases: Vec<u8>,
    /// For whatever remains the first row of its phase; empty if there is one phase.
    offsets: Vec<u32>,
    kernels: G::Tuples,
}

/// Tuples of the same length whose symbols count the same, which follow one another.
#[derive(Clone, Debug, PartialEq)]
struct Run {
    tuples: usize,
    /// What one step of the symbol of each cell adds to the row.
    strides: Vec<u32>,
}

impl<G: Learnable> PartialEq for TupleSet<G> {
    /// Equal tuples in equal phases of the same game.
    fn eq(&self, other: &Self) -> bool {
        (self.name, &self.tuples, &self.phases) == (other.name, &other.tuples, &other.phases)
            && self.game.model_game() == other.game.model_game()
    }
}

impl<G: Learnable> TupleSet<G> {
    /// One of the sets that the game knows by name.
    ///
    /// # Errors
    /// If there is no such set; the error lists those there are.
    pub fn named(game: &G, name: &str) -> Result<Self, TupleError> {
        let sets = game.tuple_sets();
        let Some(set) = sets.iter().find(|set| set.name == name) else {
            let known = joined(sets.iter().map(|set| set.name), ", ");
            return Err(TupleError::Other(format!(
                "'{name}' is no tuple set{}; there are {known}",
                suggestion(name, &known)
            )));
        };
        Self::new(game, set.name, (set.tuples)(game))
    }

    /// A set of tuples given as in [`Self::description`]: the cells of each, divided by blanks.
    ///
    /// # Errors
    /// If a cell is unknown or twice in a tuple, a tuple is twice in the set (in whatever order),
    /// or a limit is passed: [`MAX_TUPLES`], [`MAX_CELLS`], [`MAX_ROWS`].
    pub fn custom<T: AsRef<str>>(game: &G, tuples: &[T]) -> Result<Self, TupleError> {
        let groups = game.cells();
        let cell = |text: &str| {
            cell_named(groups, text).ok_or_else(|| {
                let names: Vec<String> = groups.iter().map(|group| group.names()).collect();
                let known = match names.split_last() {
                    Some((last, others)) if !others.is_empty() => {
                        format!("{} and {last}", others.join(", "))
                    }
                    _ => names.concat(),
                };
                TupleError::Other(format!("'{text}' is no cell; there are {known}"))
            })
        };
        let cells = |text: &T| text.as_ref().split_whitespace().map(cell).collect();
        let tuples = tuples.iter().map(cells).collect::<Result<_, _>>()?;
        Self::new(game, CUSTOM, tuples)
    }

    /// A set of these tuples; they are sorted by length, which otherwise keeps their order.
    fn new(game: &G, name: &'static str, mut tuples: Vec<Vec<Cell>>) -> Result<Self, TupleError> {
        let text = |tuple: &[Cell]| tuple_text(game, tuple);
        check(&tuples, text)?;
        tuples.sort_by_key(Vec::len);
        let mut bases = Vec::new();
        let mut runs: Vec<Run> = Vec::new();
        let mut rows = 0;
        for tuple in &tuples {
            bases.push(rows);
            let mut strides = Vec::new();
            let mut stride = 1;
            for cell in tuple {
                strides.push(stride);
                stride *= cell.symbols() as u32;
            }
            rows += stride;
            match runs.last_mut() {
                Some(run) if run.strides == strides => run.tuples += 1,
                _ => runs.push(Run { tuples: 1, strides }),
            }
        }
        let places = tuples
            .iter()
            .flatten()
            .map(|cell| cell.place() as u16)
            .collect();
        Ok(Self {
            game: game.clone(),
            name,
            kernels: G::Tuples::new(&tuples, &bases),
            bases,
            places,
            runs,
            rows: rows as usize,
            tuples,
            phases: Vec::new(),
            offsets: Vec::new(),
        })
    }

    /// The same tuples with tables of their own for each phase of the game: positions of which at
    /// most `phases[0]` remains, see [`crate::play::playable::Playable::remaining`], of more than
    /// that but at most `phases[1]`, and so on; more than the last of them is a phase too. None: one
    /// phase.
    ///
    /// # Errors
    /// If the numbers do not ascend within what may remain, or there would be more than
    /// [`MAX_ROWS`].
    pub fn with_phases(self, phases: &[u8]) -> Result<Self, TupleError> {
        check_bounds(&self.game, "phases", phases).map_err(TupleError::Other)?;
        check_rows(self.rows as u64 * (phases.len() as u64 + 1))?;
        Ok(Self {
            offsets: if phases.is_empty() {
                Vec::new()
            } else {
                (0..=*self.game.remaining_range().end())
                    .map(|left| (bucket(phases, left) * self.rows) as u32)
                    .collect()
            },
            phases: phases.to_vec(),
            ..self
        })
    }

    /// The rules.
    pub fn game(&self) -> &G {
        &self.game
    }

    /// What a game's own code needs of the tuples.
    #[inline]
    pub(crate) fn kernels(&self) -> &G::Tuples {
        &self.kernels
    }

    /// The same set, computed with other kernels of the game.
    pub(crate) fn with_kernels(self, kernels: G::Tuples) -> Self {
        Self { kernels, ..self }
    }

    /// The name, [`CUSTOM`] if it was listed.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// How many rows all tables have together: the number of weights.
    pub fn rows(&self) -> usize {
        self.rows * (self.phases.len() + 1)
    }

    /// How many tuples there are: one row of each is on in every position.
    pub fn tuples(&self) -> usize {
        self.tuples.len()
    }

    /// The cells of each tuple, in the order of their tables.
    pub fn cells(&self) -> &[Vec<Cell>] {
        &self.tuples
    }

    /// Most that remains in each phase but the last; empty if there is one phase.
    pub fn phases(&self) -> &[u8] {
        &self.phases
    }

    /// The first row of the tables of a position's phase.
    #[inline]
    pub(crate) fn offset(&self, position: &G::Position) -> u32 {
        if self.offsets.is_empty() {
            return 0;
        }
        self.offsets[self.game.remaining(position).min(self.offsets.len() - 1)]
    }

    /// Rows of one phase.
    pub(crate) fn rows_of_a_phase(&self) -> usize {
        self.rows
    }

    /// The rows of each tuple's table within a phase.
    pub(crate) fn tables(&self) -> impl Iterator<Item = Range<usize>> {
        let ends = self.bases[1..]
            .iter()
            .map(|&base| base as usize)
            .chain([self.rows]);
        self.bases
            .iter()
            .zip(ends)
            .map(|(&base, end)| base as usize..end)
    }

    /// Whether positions of which so much remains and those of which one less remains are of
    /// different phases.
    #[inline]
    pub(crate) fn phase_ends_at(&self, remaining: usize) -> bool {
        if self.offsets.is_empty() {
            return false;
        }
        let remaining = remaining.clamp(1, self.offsets.len() - 1);
        self.offsets[remaining] != self.offsets[remaining - 1]
    }

    /// The row of each tuple, counted over all tables.
    ///
    /// # Panics
    /// If `out` is not [`Self::tuples`] long.
    #[inline]
    pub fn indices(&self, position: &G::Position, out: &mut [u32]) {
        assert_eq!(out.len(), self.tuples.len(), "one row for each tuple");
        G::Tuples::rows(self, position, out);
    }

    /// The row of each tuple for a view of the position.
    #[inline]
    pub(crate) fn look_up(&self, position: &G::Position, view: &[u8], out: &mut [u32]) {
        let offset = self.offset(position);
        for (row, base) in out.iter_mut().zip(&self.bases) {
            *row = base + offset;
        }
        let (mut places, mut out) = (&self.places[..], out);
        for Run { tuples, strides } in &self.runs {
            let (these_places, rest) = places.split_at(strides.len() * tuples);
            let (these, later) = out.split_at_mut(*tuples);
            // Known lengths let the compiler unroll the inner loop.
            match strides.len() {
                1 => add_places::<1>(view, strides, these_places, these),
                2 => add_places::<2>(view, strides, these_places, these),
                3 => add_places::<3>(view, strides, these_places, these),
                4 => add_places::<4>(view, strides, these_places, these),
                6 => add_places::<6>(view, strides, these_places, these),
                8 => add_places::<8>(view, strides, these_places, these),
                length => {
                    for (places, row) in these_places.chunks_exact(length).zip(these) {
                        *row += row_offset(view, strides, places);
                    }
                }
            }
            (places, out) = (rest, later);
        }
    }

    /// The row of each tuple by the game's view.
    #[inline]
    pub(crate) fn look_up_plainly(&self, position: &G::Position, out: &mut [u32]) {
        let seat = self.game.to_move(position);
        with_view(&self.game, position, seat, |view| {
            self.look_up(position, view, out);
        });
    }

    /// The canonical text of what [`Self::indices`] computes, of which models carry the hash.
    pub fn description(&self) -> String {
        let groups = self.game.cells();
        let late = |cell: &Cell| {
            groups
                .iter()
                .any(|group| group.late && group.number_of(*cell).is_some())
        };
        let with_late = self.tuples.iter().flatten().any(late);
        let cells = groups
            .iter()
            .filter(|group| with_late || !group.late)
            .map(|group| format!("{} {}", group.names(), group.meaning));
        let phases = format_limits::<G>("phases", &self.phases);
        format!(
            "ntuple v1: {}{phases}; set {}: {}",
            joined(cells, ", "),
            self.name,
            self.tuple_texts().join(", ")
        )
    }

    /// The tuples as [`Self::custom`] takes them.
    pub fn tuple_texts(&self) -> Vec<String> {
        self.tuples
            .iter()
            .map(|tuple| tuple_text(&self.game, tuple))
            .collect()
    }
}

/// The cells of a tuple, divided by blanks.
#[must_use]
pub fn tuple_text<G: Learnable>(game: &G, tuple: &[Cell]) -> String {
    let cells = tuple.iter().map(|cell| cell_text(game.cells(), *cell));
    joined(cells, " ")
}

/// Whether these tuples make a set.
fn check(tuples: &[Vec<Cell>], text: impl Fn(&[Cell]) -> String) -> Result<(), TupleError> {
    if !(1..=MAX_TUPLES).contains(&tuples.len()) {
        return Err(TupleError::Other(format!(
            "{} tuples; a set has 1 to {MAX_TUPLES}",
            tuples.len()
        )));
    }
    let mut rows = 0u64;
    let mut seen = std::collections::HashSet::new();
    for (number, tuple) in (1..).zip(tuples) {
        if !(1..=MAX_CELLS).contains(&tuple.len()) {
            let cells = tuple.len();
            return Err(TupleError::Other(format!(
                "tuple {number} has {cells} cells; a tuple has 1 to {MAX_CELLS}"
            )));
        }
        let mut sorted = tuple.clone();
        sorted.sort_unstable();
        if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            let (tuple, cell) = (text(tuple), text(&pair[..1]));
            return Err(TupleError::Other(format!(
                "the tuple '{tuple}' has {cell} twice"
            )));
        }
        if !seen.insert(sorted) {
            return Err(TupleError::Other(format!(
                "the tuple '{}' is there twice, if its cells are taken in some order",
                text(tuple)
            )));
        }
        let of_the_table = tuple.iter().fold(1u64, |rows, cell| {
            rows.saturating_mul(cell.symbols() as u64)
        });
        rows = rows.saturating_add(of_the_table);
    }
    check_rows(rows)
}

fn check_rows(rows: u64) -> Result<(), TupleError> {
    if rows > MAX_ROWS as u64 {
        return Err(TupleError::Rows(rows));
    }
    Ok(())
}

#[inline]
fn add_places<const CELLS: usize>(view: &[u8], strides: &[u32], places: &[u16], rows: &mut [u32]) {
    let Some(strides) = strides.first_chunk::<CELLS>() else {
        return;
    };
    for (places, row) in places.as_chunks::<CELLS>().0.iter().zip(rows) {
        *row += row_offset(view, strides, places);
    }
}

#[inline(always)]
fn row_offset(view: &[u8], strides: &[u32], places: &[u16]) -> u32 {
    strides
        .iter()
        .zip(places)
        .map(|(stride, &place)| stride * u32::from(view[usize::from(place)]))
        .sum()
}
