//! A set of tuples: from positions to rows of tables.
//!
//! Invariant: [`TupleSet::indices`] is the only place that turns positions into rows (`vectors.rs`
//! computes the same, `changes.rs` and `vectors/avx512_successors.rs` what a move changes of it);
//! training uses it too, and [`TupleSet::description`] says canonically what it computes. A set
//! that could be made has rows that fit their tables, whatever the position.

use super::plan::Plan;
use super::{Cell, Instructions, TupleError, View, sets};
use crate::games::einstein::{MAX_STONES, Position};
use std::ops::Range;

/// Most tuples a set has; bounds the stack space of an evaluation.
pub const MAX_TUPLES: usize = 256;

/// Most cells a tuple has.
pub const MAX_CELLS: usize = 12;

/// Most rows a set has over all tables of all phases.
pub const MAX_ROWS: usize = 1 << 26;

/// The name of a set that is listed instead of named.
pub const CUSTOM: &str = "custom";

/// A list of tuples with the layout of their tables.
#[derive(Clone, Debug, PartialEq)]
pub struct TupleSet {
    name: &'static str,
    /// The cells of each tuple, shorter tuples first.
    tuples: Vec<Vec<Cell>>,
    /// The first row of each tuple's table.
    bases: Vec<u32>,
    /// For the cells of all tuples, one after the other, the place in the view.
    places: Vec<u8>,
    /// Tuples whose symbols count the same.
    runs: Vec<Run>,
    /// Whether there are cells of the reduced alphabets.
    reduced: bool,
    /// Of one phase.
    rows: usize,
    /// Most living stones of each phase but the last.
    phases: Vec<u8>,
    /// For each number of living stones the first row of its phase.
    offsets: [u32; 2 * MAX_STONES + 1],
    /// The same for vectors.
    plan: Plan,
    instructions: Instructions,
}

/// Tuples of the same length whose symbols count the same, which follow one another.
#[derive(Clone, Debug, PartialEq)]
struct Run {
    tuples: usize,
    /// What one step of the symbol of each cell adds to the row.
    strides: Vec<u32>,
}

impl TupleSet {
    /// One of the sets this build knows; sizes are in the description of each name in
    /// [`super::SET_NAMES`].
    ///
    /// # Errors
    /// If there is no such set; the error lists those there are.
    pub fn named(name: &str) -> Result<Self, TupleError> {
        sets::named(name)
    }

    /// A set of tuples given as in [`Self::description`]: the cells of each, divided by blanks.
    ///
    /// # Errors
    /// If a cell is unknown or twice in a tuple, a tuple is twice in the set (in whatever order),
    /// or a limit is passed: [`MAX_TUPLES`], [`MAX_CELLS`], [`MAX_ROWS`].
    pub fn custom<T: AsRef<str>>(tuples: &[T]) -> Result<Self, TupleError> {
        let cells = |text: &T| {
            text.as_ref()
                .split_whitespace()
                .map(|cell| Ok(cell.parse()?))
                .collect::<Result<_, TupleError>>()
        };
        Self::new(CUSTOM, tuples.iter().map(cells).collect::<Result<_, _>>()?)
    }

    /// A set of these tuples; they are sorted by length, which otherwise keeps their order.
    pub(super) fn new(name: &'static str, mut tuples: Vec<Vec<Cell>>) -> Result<Self, TupleError> {
        check(&tuples)?;
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
            .map(|cell| cell.place() as u8)
            .collect();
        let reduced = tuples.iter().flatten().any(|cell| cell.is_reduced());
        Ok(Self {
            name,
            plan: Plan::new(&tuples, &bases),
            bases,
            places,
            runs,
            reduced,
            rows: rows as usize,
            tuples,
            phases: Vec::new(),
            offsets: [0; 2 * MAX_STONES + 1],
            instructions: Instructions::detect(),
        })
    }

    /// The same tuples with tables of their own for each phase of the game: positions of at most
    /// `phases[0]` living stones of both sides together, of more than that but at most `phases[1]`,
    /// and so on; more stones than the last of them are a phase too. None: one phase.
    ///
    /// # Errors
    /// If the numbers do not ascend from 2 to 11, or there would be more than [`MAX_ROWS`].
    pub fn with_phases(self, phases: &[u8]) -> Result<Self, TupleError> {
        if !phases.is_sorted_by(|a, b| a < b)
            || phases
                .iter()
                .any(|stones| !(2..2 * MAX_STONES as u8).contains(stones))
        {
            return Err(TupleError::Phases(phases.to_vec()));
        }
        let all = self.rows as u64 * (phases.len() as u64 + 1);
        if all > MAX_ROWS as u64 {
            return Err(TupleError::Rows(all));
        }
        let phase = |stones: usize| {
            phases
                .iter()
                .filter(|&&most| stones > usize::from(most))
                .count()
        };
        Ok(Self {
            offsets: std::array::from_fn(|stones| (phase(stones) * self.rows) as u32),
            phases: phases.to_vec(),
            ..self
        })
    }

    /// The same set, computed with certain instructions; all give the same.
    ///
    /// # Errors
    /// If this machine lacks them, which are returned.
    pub fn on(self, instructions: Instructions) -> Result<Self, Instructions> {
        if instructions.is_available() {
            Ok(Self {
                instructions,
                ..self
            })
        } else {
            Err(instructions)
        }
    }

    /// The instructions it is computed with.
    pub(super) fn instructions(&self) -> Instructions {
        self.instructions
    }

    /// The layout for vectors.
    pub(super) fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Whether there are cells of the reduced alphabets.
    pub(super) fn is_reduced(&self) -> bool {
        self.reduced
    }

    /// The name, [`CUSTOM`] if it was listed.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// How many rows all tables have together: the number of weights.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows * (self.phases.len() + 1)
    }

    /// How many tuples there are: one row of each is on in every position.
    #[must_use]
    pub fn tuples(&self) -> usize {
        self.tuples.len()
    }

    /// The cells of each tuple, in the order of their tables.
    #[must_use]
    pub fn cells(&self) -> &[Vec<Cell>] {
        &self.tuples
    }

    /// Most living stones of each phase but the last; empty if there is one phase.
    #[must_use]
    pub fn phases(&self) -> &[u8] {
        &self.phases
    }

    /// The first row of the tables of a position's phase.
    #[inline]
    pub(super) fn offset(&self, position: &Position) -> u32 {
        if self.phases.is_empty() {
            return 0;
        }
        self.offsets[(position.stones() as usize).min(2 * MAX_STONES)]
    }

    /// Rows of one phase.
    pub(super) fn rows_of_a_phase(&self) -> usize {
        self.rows
    }

    /// The rows of each tuple's table within a phase.
    pub(super) fn tables(&self) -> impl Iterator<Item = Range<usize>> {
        let ends = self.bases[1..]
            .iter()
            .map(|&base| base as usize)
            .chain([self.rows]);
        self.bases
            .iter()
            .zip(ends)
            .map(|(&base, end)| base as usize..end)
    }

    /// Whether the phase of positions changes with the loss of one of so many stones.
    #[inline]
    pub(super) fn phase_ends_at(&self, stones: u32) -> bool {
        let stones = (stones as usize).clamp(1, 2 * MAX_STONES);
        self.offsets[stones] != self.offsets[stones - 1]
    }

    /// The row of each tuple, counted over all tables.
    ///
    /// # Panics
    /// If `out` is not [`Self::tuples`] long.
    #[inline]
    pub fn indices(&self, position: &Position, out: &mut [u32]) {
        assert_eq!(out.len(), self.tuples.len(), "one row for each tuple");
        #[cfg(target_arch = "x86_64")]
        if self.instructions != Instructions::Portable {
            return super::vectors::rows(self, position, out);
        }
        let offset = self.offset(position);
        for (row, base) in out.iter_mut().zip(&self.bases) {
            *row = base + offset;
        }
        let view = if self.reduced {
            View::new(position)
        } else {
            View::plain(position)
        };
        let (mut places, mut out) = (&self.places[..], out);
        for Run { tuples, strides } in &self.runs {
            let (these_places, rest) = places.split_at(strides.len() * tuples);
            let (these, later) = out.split_at_mut(*tuples);
            // Known lengths let the compiler unroll the inner loop.
            match strides.len() {
                1 => add_places::<1>(&view, strides, these_places, these),
                2 => add_places::<2>(&view, strides, these_places, these),
                3 => add_places::<3>(&view, strides, these_places, these),
                4 => add_places::<4>(&view, strides, these_places, these),
                6 => add_places::<6>(&view, strides, these_places, these),
                length => {
                    for (places, row) in these_places.chunks_exact(length).zip(these) {
                        *row += row_offset(&view, strides, places);
                    }
                }
            }
            (places, out) = (rest, later);
        }
    }

    /// The canonical text that says what [`Self::indices`] computes; its hash is the feature hash
    /// of a model.
    #[must_use]
    pub fn description(&self) -> String {
        let reduced = if self.reduced {
            format!(", {}", View::REDUCED)
        } else {
            String::new()
        };
        let phases = if self.phases.is_empty() {
            String::new()
        } else {
            format!("; phases by living stones up to {}", self.phase_list(" "))
        };
        format!(
            "ntuple v1: {}{reduced}{phases}; set {}: {}",
            View::DESCRIPTION,
            self.name,
            self.tuple_texts().join(", ")
        )
    }

    /// The tuples as [`Self::custom`] takes them.
    #[must_use]
    pub fn tuple_texts(&self) -> Vec<String> {
        self.tuples.iter().map(|tuple| text(tuple)).collect()
    }

    /// The phases with something between them.
    pub(crate) fn phase_list(&self, between: &str) -> String {
        self.phases
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join(between)
    }
}

/// The cells of a tuple, divided by blanks.
fn text(tuple: &[Cell]) -> String {
    tuple
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(" ")
}

/// Whether these tuples make a set.
fn check(tuples: &[Vec<Cell>]) -> Result<(), TupleError> {
    if !(1..=MAX_TUPLES).contains(&tuples.len()) {
        return Err(TupleError::Tuples(tuples.len()));
    }
    let mut rows = 0u64;
    let mut seen = std::collections::HashSet::new();
    for (number, tuple) in tuples.iter().enumerate() {
        if !(1..=MAX_CELLS).contains(&tuple.len()) {
            return Err(TupleError::Cells {
                tuple: number + 1,
                cells: tuple.len(),
            });
        }
        let mut sorted = tuple.clone();
        sorted.sort_unstable();
        if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(TupleError::CellTwice {
                tuple: text(tuple),
                cell: pair[0].to_string(),
            });
        }
        if !seen.insert(sorted) {
            return Err(TupleError::TupleTwice(text(tuple)));
        }
        // Twelve cells of 26 symbols are the most, which is below 2⁵⁷.
        rows = rows.saturating_add(tuple.iter().map(|cell| cell.symbols() as u64).product());
    }
    if rows > MAX_ROWS as u64 {
        Err(TupleError::Rows(rows))
    } else {
        Ok(())
    }
}

#[inline]
fn add_places<const CELLS: usize>(view: &View, strides: &[u32], places: &[u8], rows: &mut [u32]) {
    let Some(strides) = strides.first_chunk::<CELLS>() else {
        return;
    };
    for (places, row) in places.as_chunks::<CELLS>().0.iter().zip(rows) {
        *row += row_offset(view, strides, places);
    }
}

#[inline(always)]
fn row_offset(view: &View, strides: &[u32], places: &[u8]) -> u32 {
    strides
        .iter()
        .zip(places)
        .map(|(stride, &place)| stride * u32::from(view.symbol(usize::from(place))))
        .sum()
}
