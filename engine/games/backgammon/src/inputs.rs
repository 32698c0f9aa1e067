//! Features of backgammon's models.

use super::{
    Backgammon, Men, Position,
    men::{BAR, NUM_MEN},
};
use alea_core::game::Seat;
use alea_learned::{
    inputs::{Cell, CellGroup, Learnable, NamedTuples, TupleInputs},
    named_set::{Named, NamedSet},
    network::GenericNetKernels,
    tuples::IncrementalTupleKernels,
};
use std::ops::{Range, RangeInclusive};

const NUM_POINTS: usize = 24;

/// Highest number of men on a point with a symbol of its own; it stands for more men, too.
const MAX_COUNT: u32 = 6;
const POINT_SYMBOLS: usize = 1 + 2 * MAX_COUNT as usize;

/// Highest number of men on the bar with a symbol of its own.
const MAX_ON_BAR: u32 = 3;
const BAR_SYMBOLS: usize = 1 + MAX_ON_BAR as usize;

const OFF_SYMBOLS: usize = 1 + NUM_MEN as usize;

const fn group(
    letter: char,
    start: usize,
    count: usize,
    symbols: usize,
    meaning: &'static str,
) -> CellGroup {
    CellGroup {
        letter,
        start,
        count,
        symbols,
        meaning,
        optional: start > 0,
    }
}

static CELLS: [CellGroup; 4] = [
    group(
        'p',
        0,
        NUM_POINTS,
        POINT_SYMBOLS,
        "points from the mover's ace point (0 empty, 1-6 mover's men, 7-12 other's, 6 and more alike)",
    ),
    group(
        'b',
        24,
        2,
        BAR_SYMBOLS,
        "men on the bar, mover and other (3 and more alike)",
    ),
    group('o', 26, 2, OFF_SYMBOLS, "men borne off, mover and other"),
    group(
        's',
        28,
        NUM_POINTS,
        5,
        "points from the mover's ace point (0 empty, 1 mover's blot, 2 made point, 3, 4 other's)",
    ),
];

/// Windows of six points by their structure, each point by its number of men, bar, and men off.
fn windows(_: &Backgammon) -> Vec<Vec<Cell>> {
    let [points, bar, off, structure] = &CELLS;
    let window = |first: usize| {
        (first..first + 6)
            .map(|point| structure.cell(point))
            .collect()
    };
    let mut tuples: Vec<Vec<Cell>> = (0..=NUM_POINTS - 6).map(window).collect();
    tuples.extend(points.cells().map(|cell| vec![cell]));
    tuples.push(bar.cells().chain(off.cells()).collect());
    tuples
}

/// Pairs of points by their numbers of men, bar, and men off.
fn pairs(game: &Backgammon) -> Vec<Vec<Cell>> {
    let mut tuples = alea_learned::inputs::all_pairs(game);
    tuples.push(CELLS[1].cells().chain(CELLS[2].cells()).collect());
    tuples
}

static TUPLE_SETS: [NamedTuples<Backgammon>; 2] = [
    NamedTuples {
        name: "windows",
        tuples: windows,
    },
    NamedTuples {
        name: "pairs",
        tuples: pairs,
    },
];

/// Men of a seat and of the other one.
fn sides(position: &Position, seat: Seat) -> [Men; 2] {
    [position.men(seat), position.men(1 - seat)]
}

/// Symbols of the 24 points: number of own or other men up to `max`.
fn point_symbols([own, other]: [Men; 2], max: u8) -> [u8; NUM_POINTS] {
    let (own, other) = (own.counts(), other.counts());
    std::array::from_fn(|point| match (own[point], other[NUM_POINTS - 1 - point]) {
        (men, 0) => men.min(max),
        (_, men) => max + men.min(max),
    })
}

impl TupleInputs for Backgammon {
    fn cell_groups(&self) -> &[CellGroup] {
        &CELLS
    }

    fn write_symbols(&self, position: &Position, seat: Seat, symbols: &mut [u8]) {
        let sides = sides(position, seat);
        symbols[..24].copy_from_slice(&point_symbols(sides, MAX_COUNT as u8));
        symbols[24..26].copy_from_slice(&sides.map(|men| men.on(BAR).min(MAX_ON_BAR) as u8));
        symbols[26..28].copy_from_slice(&sides.map(|men| men.borne_off() as u8));
        symbols[28..].copy_from_slice(&point_symbols(sides, 2));
    }

    fn remaining_range(&self) -> RangeInclusive<usize> {
        2..=2 * NUM_MEN as usize
    }

    fn tuple_sets(&self) -> &'static [NamedTuples<Self>] {
        &TUPLE_SETS
    }
}

/// Group of network inputs; the men on the 24 points are always inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FeatureGroup {
    /// Men on the bar.
    Bar,
    /// Men borne off.
    Off,
}

impl Named for FeatureGroup {
    const ALL: &'static [Self] = &[Self::Bar, Self::Off];
    const KIND: &'static str = "group of inputs";

    fn name(self) -> &'static str {
        let layout = self.layout();
        layout.split_once(' ').map_or(layout, |(name, _)| name)
    }

    fn number(self) -> usize {
        self as usize
    }
}

impl FeatureGroup {
    /// Name, version and formula.
    fn layout(self) -> &'static str {
        match self {
            Self::Bar => "bar v1: mover's and other's men on the bar, 3 and more alike",
            Self::Off => "off v1: mover's and other's men borne off",
        }
    }

    /// Number of rows of each slot.
    fn slots(self) -> &'static [usize] {
        match self {
            Self::Bar => &[BAR_SYMBOLS; 2],
            Self::Off => &[OFF_SYMBOLS; 2],
        }
    }
}

impl Learnable for Backgammon {
    type Tuples = IncrementalTupleKernels;
    type Network = GenericNetKernels;
    type Group = FeatureGroup;

    const DEFAULT_FEATURES: &'static [FeatureGroup] = &[FeatureGroup::Bar, FeatureGroup::Off];

    fn feature_slots(&self, groups: NamedSet<FeatureGroup>) -> Vec<Range<usize>> {
        let of_groups = groups.iter().flat_map(|group| group.slots());
        let sizes = [POINT_SYMBOLS; NUM_POINTS]
            .into_iter()
            .chain(of_groups.copied());
        let slot = |end: &mut usize, size| {
            *end += size;
            Some(*end - size..*end)
        };
        sizes.scan(0, slot).collect()
    }

    fn active_features(
        &self,
        groups: NamedSet<FeatureGroup>,
        position: &Position,
        seat: Seat,
        rows: &mut [u16],
    ) {
        let sides = sides(position, seat);
        let (points, mut rest) = rows.split_at_mut(NUM_POINTS);
        for ((row, symbol), point) in points
            .iter_mut()
            .zip(point_symbols(sides, MAX_COUNT as u8))
            .zip(0..)
        {
            *row = point * POINT_SYMBOLS as u16 + u16::from(symbol);
        }
        let mut start = (NUM_POINTS * POINT_SYMBOLS) as u16;
        for group in groups.iter() {
            let symbols = match group {
                FeatureGroup::Bar => sides.map(|men| men.on(BAR).min(MAX_ON_BAR) as u16),
                FeatureGroup::Off => sides.map(|men| men.borne_off() as u16),
            };
            for (symbol, &size) in symbols.into_iter().zip(group.slots()) {
                rest[0] = start + symbol;
                rest = &mut rest[1..];
                start += size as u16;
            }
        }
    }

    fn feature_schema(&self, groups: NamedSet<FeatureGroup>) -> String {
        let points = CELLS[0];
        let mut schema = format!("backgammon v1: {} {}", points.name_range(), points.meaning);
        for group in groups.iter() {
            schema += "; ";
            schema += group.layout();
        }
        schema
    }
}
