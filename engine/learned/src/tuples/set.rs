//! Tuple sets, which map a position to one row per tuple, as defined by
//! [`TupleSet::rows_from_view`].

use super::TupleKernels;
use crate::{
    ModelError,
    game_parts::{GameParts, part_by_length},
    inputs::{Cell, Learnable, format_cell, parse_cell, view_len, with_view},
};
use alea_core::text::{joined, suggestion};
use std::{collections::HashSet, fmt::Debug, ops::Range};

/// Maximal number of tuples; bounds the stack space of an evaluation.
pub const MAX_TUPLES: usize = 256;

/// Maximal number of cells in a tuple.
pub const MAX_CELLS: usize = 12;

/// Maximal number of rows, over all tables and phases.
pub const MAX_ROWS: usize = 1 << 26;

/// Name of tuple sets that the game does not name.
pub const CUSTOM_NAME: &str = "custom";

/// Tuples with the layout of their tables.
#[derive(Clone, Debug)]
pub struct TupleSet<G: Learnable> {
    game: G,
    name: &'static str,
    /// Cells of each tuple, shorter tuples first; tuples that share a table are neighbours.
    tuples: Vec<Vec<Cell>>,
    /// First row of each tuple's table.
    bases: Vec<u32>,
    cell_indices: Vec<u16>,
    runs: Vec<EqualStrideRun>,
    by_cell: Vec<Vec<TupleRef>>,
    rows: usize,
    phases: GameParts,
    /// First row of the phase by remaining length; empty for one phase.
    offsets: Vec<u32>,
    kernels: G::Tuples,
}

/// A tuple that contains a certain cell.
#[derive(Clone, Copy, Debug)]
pub struct TupleRef {
    /// Index of the tuple.
    pub tuple: u8,
    /// Change of the tuple's row when the cell's symbol grows by 1.
    pub stride: u32,
}

#[derive(Clone, Debug, PartialEq)]
struct EqualStrideRun {
    tuples: usize,
    strides: Vec<u32>,
}

impl<G: Learnable> PartialEq for TupleSet<G> {
    fn eq(&self, other: &Self) -> bool {
        (self.name, &self.tuples, &self.bases, &self.phases)
            == (other.name, &other.tuples, &other.bases, &other.phases)
            && self.game.model_game_name() == other.game.model_game_name()
    }
}

impl<G: Learnable> TupleSet<G> {
    /// The game's tuple set with this name.
    ///
    /// # Errors
    /// If the name is unknown.
    pub fn from_name(game: &G, name: &str) -> Result<Self, ModelError> {
        let sets = game.tuple_sets();
        let Some(set) = sets.iter().find(|set| set.name == name) else {
            let names = joined(sets.iter().map(|set| set.name), ", ");
            return Err(ModelError(format!(
                "'{name}' is no tuple set{}; there are {names}",
                suggestion(name, &names)
            )));
        };
        let tuples = (set.tuples)(game).into_iter();
        let tables = match set.symmetric {
            true => tables_by_symmetry(game, tuples),
            false => tuples.map(|tuple| vec![tuple]).collect(),
        };
        Self::new(game, set.name, tables)
    }

    /// Adds the images of all tuples under the symmetries of the game, which share their tables.
    pub fn with_images(self) -> Result<Self, ModelError> {
        let tables = tables_by_symmetry(&self.game, self.tuples.into_iter());
        Self::new(&self.game, self.name, tables)
    }

    /// Parses tuples, each given as cell names separated by blanks; those that share a table are
    /// joined by ` = `.
    pub fn parse_custom<T: AsRef<str>>(game: &G, tuples: &[T]) -> Result<Self, ModelError> {
        let groups = game.cell_groups();
        let cell = |text: &str| {
            parse_cell(groups, text).ok_or_else(|| {
                let names: Vec<String> = groups.iter().map(|group| group.name_range()).collect();
                let list = match names.split_last() {
                    Some((last, others)) if !others.is_empty() => {
                        format!("{} and {last}", others.join(", "))
                    }
                    _ => names.concat(),
                };
                ModelError(format!("'{text}' is no cell; there are {list}"))
            })
        };
        let cells = |text: &str| text.split_whitespace().map(cell).collect();
        let table = |text: &T| text.as_ref().split('=').map(cells).collect();
        let tables = tuples.iter().map(table).collect::<Result<_, _>>()?;
        Self::new(game, CUSTOM_NAME, tables)
    }

    /// A set of tables, each with the tuples that share it.
    fn new(
        game: &G,
        name: &'static str,
        mut tables: Vec<Vec<Vec<Cell>>>,
    ) -> Result<Self, ModelError> {
        check_tables(&tables, |tuple: &[Cell]| tuple_text(game, tuple))?;
        tables.sort_by_key(|table| table[0].len());
        let mut bases = Vec::new();
        let mut runs: Vec<EqualStrideRun> = Vec::new();
        let mut rows = 0;
        for table in &tables {
            let mut strides = Vec::new();
            let mut stride = 1;
            for cell in &table[0] {
                strides.push(stride);
                stride *= cell.alphabet_size() as u32;
            }
            bases.extend(table.iter().map(|_| rows));
            rows += stride;
            let tuples = table.len();
            match runs.last_mut() {
                Some(run) if run.strides == strides => run.tuples += tuples,
                _ => runs.push(EqualStrideRun { tuples, strides }),
            }
        }
        let tuples = tables.concat();
        let cell_indices = tuples
            .iter()
            .flatten()
            .map(|cell| cell.index() as u16)
            .collect();
        Ok(Self {
            game: game.clone(),
            name,
            kernels: G::Tuples::new(&tuples),
            bases,
            by_cell: tuples_by_cell(game, &tuples),
            cell_indices,
            runs,
            rows: rows as usize,
            tuples,
            phases: GameParts::WHOLE_GAME,
            offsets: Vec::new(),
        })
    }

    /// Gives each of the `phases` weights of its own; an error if they are no parts of the game.
    pub fn with_phases(self, phases: impl Into<GameParts>) -> Result<Self, ModelError> {
        let phases = phases.into();
        phases.check(&self.game, "phases").map_err(ModelError)?;
        check_rows(self.rows as u64 * phases.count() as u64)?;
        let lengths = 0..=*self.game.remaining_range().end();
        let offset = |length| (part_by_length(phases.limits(), length) * self.rows) as u32;
        Ok(Self {
            offsets: match phases.limits() {
                [] => Vec::new(),
                _ => lengths.map(offset).collect(),
            },
            phases,
            ..self
        })
    }

    /// The game's rules.
    pub fn game(&self) -> &G {
        &self.game
    }

    /// Inference prepared for these tuples.
    #[inline]
    pub fn kernels(&self) -> &G::Tuples {
        &self.kernels
    }

    /// Name of the set, or [`CUSTOM_NAME`].
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Number of rows over all tables and phases.
    pub fn row_count(&self) -> usize {
        self.rows * self.phases.count()
    }

    /// Number of tuples.
    pub fn tuple_count(&self) -> usize {
        self.tuples.len()
    }

    /// Cells of each tuple.
    pub fn tuple_cells(&self) -> &[Vec<Cell>] {
        &self.tuples
    }

    /// Parts of the game with weights of their own.
    pub fn phases(&self) -> &GameParts {
        &self.phases
    }

    /// Whether this is `other` without its phases.
    pub fn is_undivided(&self, other: &Self) -> bool {
        let whole = Self {
            phases: GameParts::WHOLE_GAME,
            ..other.clone()
        };
        *self == whole
    }

    /// First row of the position's phase.
    #[inline]
    pub fn phase_offset(&self, position: &G::Position) -> u32 {
        if self.offsets.is_empty() {
            return match &self.phases {
                GameParts::Limits(_) => 0,
                GameParts::Named(_) => (self.game.part(position) * self.rows) as u32,
            };
        }
        self.offsets[self
            .game
            .remaining_length(position)
            .min(self.offsets.len() - 1)]
    }

    pub(super) fn view_len(&self) -> usize {
        self.by_cell.len()
    }

    /// Tuples that contain the cell at this view index.
    #[inline]
    pub fn tuples_with(&self, cell: usize) -> &[TupleRef] {
        self.by_cell.get(cell).map_or(&[], |tuples| tuples)
    }

    pub(crate) fn rows_per_phase(&self) -> usize {
        self.rows
    }

    /// Rows of each tuple's table, relative to those of the phase.
    pub fn table_row_ranges(&self) -> impl Iterator<Item = Range<usize>> {
        let rows = |tuple: &Vec<Cell>| tuple.iter().map(|cell| cell.alphabet_size()).product();
        let tables = self.bases.iter().zip(&self.tuples);
        tables.map(move |(&base, tuple)| {
            let (first, rows): (usize, usize) = (base as usize, rows(tuple));
            first..first + rows
        })
    }

    /// Whether `Rules::remaining_length`s of `remaining` and 1 less are different phases.
    #[inline]
    pub fn is_phase_boundary(&self, remaining: usize) -> bool {
        if self.offsets.is_empty() {
            return false;
        }
        let remaining = remaining.clamp(1, self.offsets.len() - 1);
        self.offsets[remaining] != self.offsets[remaining - 1]
    }

    /// Writes each tuple's row in the array of all tables.
    ///
    /// # Panics
    /// If `out` is not [`Self::tuple_count`] long.
    #[inline]
    pub fn row_indices(&self, position: &G::Position, out: &mut [u32]) {
        assert_eq!(out.len(), self.tuples.len(), "one row for each tuple");
        G::Tuples::row_indices(self, position, out);
    }

    /// Writes each tuple's row, as [`Self::row_indices`], by the symbols of all cells.
    #[inline]
    pub fn rows_from_view(&self, position: &G::Position, view: &[u8], out: &mut [u32]) {
        self.rows_in_phase(self.phase_offset(position), view, out);
    }

    /// Writes each tuple's row by the symbols of all cells; `offset` is the first row of the phase.
    #[inline]
    pub(super) fn rows_in_phase(&self, offset: u32, view: &[u8], out: &mut [u32]) {
        for tuple in 0..self.bases.len().min(out.len()) {
            out[tuple] = self.bases[tuple] + offset;
        }
        let (mut cell_indices, mut out) = (&self.cell_indices[..], out);
        for EqualStrideRun { tuples, strides } in &self.runs {
            let (tuple_cells, rest) = cell_indices.split_at(strides.len() * tuples);
            let (rows_of_run, later_rows) = out.split_at_mut(*tuples);
            // Constant lengths let the compiler unroll the inner loop.
            match strides.len() {
                1 => add_row_offsets::<1>(view, strides, tuple_cells, rows_of_run),
                2 => add_row_offsets::<2>(view, strides, tuple_cells, rows_of_run),
                3 => add_row_offsets::<3>(view, strides, tuple_cells, rows_of_run),
                4 => add_row_offsets::<4>(view, strides, tuple_cells, rows_of_run),
                6 => add_row_offsets::<6>(view, strides, tuple_cells, rows_of_run),
                8 => add_row_offsets::<8>(view, strides, tuple_cells, rows_of_run),
                length => {
                    for (cell_indices, row) in tuple_cells.chunks_exact(length).zip(rows_of_run) {
                        *row += row_offset(view, strides, cell_indices);
                    }
                }
            }
            (cell_indices, out) = (rest, later_rows);
        }
    }

    #[inline]
    pub(crate) fn rows_generic(&self, position: &G::Position, out: &mut [u32]) {
        let seat = self.game.to_move(position);
        with_view(&self.game, position, seat, |view| {
            self.rows_from_view(position, view, out);
        });
    }

    /// Schema text of the set.
    pub fn schema_text(&self) -> String {
        let groups = self.game.cell_groups();
        let optional = |cell: &Cell| {
            groups
                .iter()
                .any(|group| group.optional && group.index_in_group(*cell).is_some())
        };
        let with_late = self.tuples.iter().flatten().any(optional);
        let cells = groups
            .iter()
            .filter(|group| with_late || !group.optional)
            .map(|group| format!("{} {}", group.name_range(), group.meaning));
        let phases = self.phases.schema_text::<G>("phases");
        format!(
            "ntuple v1: {}{phases}; set {}: {}",
            joined(cells, ", "),
            self.name,
            self.tuple_texts().join(", ")
        )
    }

    /// Texts of the tables, for [`Self::parse_custom`].
    pub fn tuple_texts(&self) -> Vec<String> {
        let mut texts: Vec<String> = Vec::new();
        let mut last = None;
        for (tuple, base) in self.tuples.iter().zip(&self.bases) {
            let text = tuple_text(&self.game, tuple);
            match texts.last_mut().filter(|_| last == Some(base)) {
                Some(table) => *table += &format!("{SHARED_TABLE}{text}"),
                None => texts.push(text),
            }
            last = Some(base);
        }
        texts
    }
}

/// Separator of tuples that share a table.
const SHARED_TABLE: &str = " = ";

/// Images of tuples under all symmetries, those of one tuple in one table. An image with the cells
/// of an earlier one is left out.
fn tables_by_symmetry<G: Learnable>(
    game: &G,
    tuples: impl Iterator<Item = Vec<Cell>>,
) -> Vec<Vec<Vec<Cell>>> {
    let mut known = HashSet::new();
    let mut images = |tuple: Vec<Cell>| -> Vec<Vec<Cell>> {
        let image = |symmetry| {
            let cells = tuple
                .iter()
                .map(|&cell| game.transform_cell(cell, symmetry));
            cells.collect::<Vec<_>>()
        };
        let images = (0..game.symmetries()).map(image);
        images.filter(|tuple| known.insert(sorted(tuple))).collect()
    };
    let tables = tuples.map(&mut images);
    tables.filter(|table| !table.is_empty()).collect()
}

fn sorted(tuple: &[Cell]) -> Vec<Cell> {
    let mut sorted = tuple.to_vec();
    sorted.sort_unstable();
    sorted
}

fn tuples_by_cell<G: Learnable>(game: &G, tuples: &[Vec<Cell>]) -> Vec<Vec<TupleRef>> {
    let mut by_cell = vec![Vec::new(); view_len(game)];
    for (tuple, cells) in (0..=u8::MAX).zip(tuples) {
        let mut stride = 1;
        for cell in cells {
            by_cell[cell.index()].push(TupleRef { tuple, stride });
            stride *= cell.alphabet_size() as u32;
        }
    }
    by_cell
}

/// Names of a tuple's cells, separated by blanks.
pub fn tuple_text<G: Learnable>(game: &G, tuple: &[Cell]) -> String {
    let cells = tuple
        .iter()
        .map(|cell| format_cell(game.cell_groups(), *cell));
    joined(cells, " ")
}

fn check_tables(
    tables: &[Vec<Vec<Cell>>],
    text: impl Fn(&[Cell]) -> String,
) -> Result<(), ModelError> {
    let count = tables.iter().map(Vec::len).sum();
    if !(1..=MAX_TUPLES).contains(&count) {
        return Err(ModelError(format!(
            "{count} tuples; a set has 1 to {MAX_TUPLES}"
        )));
    }
    let mut rows = 0u64;
    let mut distinct = HashSet::new();
    for (number, tuple) in (1..).zip(tables.iter().flatten()) {
        if !(1..=MAX_CELLS).contains(&tuple.len()) {
            let cells = tuple.len();
            return Err(ModelError(format!(
                "tuple {number} has {cells} cells; a tuple has 1 to {MAX_CELLS}"
            )));
        }
        let sorted = sorted(tuple);
        if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            let (tuple, cell) = (text(tuple), text(&pair[..1]));
            return Err(ModelError(format!("the tuple '{tuple}' has {cell} twice")));
        }
        if !distinct.insert(sorted) {
            return Err(ModelError(format!(
                "the tuple '{}' is there twice, if its cells are taken in some order",
                text(tuple)
            )));
        }
    }
    for table in tables {
        let symbols = |tuple: &Vec<Cell>| -> Vec<usize> {
            tuple.iter().map(|cell| cell.alphabet_size()).collect()
        };
        let first = symbols(&table[0]);
        if let Some(other) = table.iter().find(|tuple| symbols(tuple) != first) {
            let [first, other] = [&table[0], other].map(|tuple| text(tuple));
            return Err(ModelError(format!(
                "the tuples '{first}' and '{other}' share a table; their cells must have the same \
                 numbers of symbols, one by one"
            )));
        }
        let table_rows = first
            .iter()
            .fold(1u64, |rows, &symbols| rows.saturating_mul(symbols as u64));
        rows = rows.saturating_add(table_rows);
    }
    check_rows(rows)
}

fn check_rows(rows: u64) -> Result<(), ModelError> {
    if rows > MAX_ROWS as u64 {
        return Err(ModelError(format!(
            "{rows} rows in all tables and phases; there may be {MAX_ROWS}"
        )));
    }
    Ok(())
}

#[inline(always)]
fn add_row_offsets<const CELLS: usize>(
    view: &[u8],
    strides: &[u32],
    cell_indices: &[u16],
    rows: &mut [u32],
) {
    let Some(strides) = strides.first_chunk::<CELLS>() else {
        return;
    };
    let cell_indices = cell_indices.as_chunks::<CELLS>().0;
    for tuple in 0..cell_indices.len().min(rows.len()) {
        rows[tuple] += row_offset(view, strides, &cell_indices[tuple]);
    }
}

#[inline(always)]
fn row_offset(view: &[u8], strides: &[u32], cell_indices: &[u16]) -> u32 {
    let mut offset = 0;
    for cell in 0..strides.len().min(cell_indices.len()) {
        offset += strides[cell] * u32::from(view[usize::from(cell_indices[cell])]);
    }
    offset
}
