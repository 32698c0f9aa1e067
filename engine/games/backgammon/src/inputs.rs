//! Features of backgammon's models.

use super::{
    Backgammon, Men, Position,
    men::{BAR, NUM_MEN},
    structure::Structure,
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

const MAX_COUNT: u32 = 6;
const POINT_SYMBOLS: usize = 1 + 2 * MAX_COUNT as usize;

const MAX_ON_BAR: u32 = 3;
const BAR_SYMBOLS: usize = 1 + MAX_ON_BAR as usize;

const OFF_SYMBOLS: usize = 1 + NUM_MEN as usize;

const POINT_MEANING: &str = "points from the mover's ace point (0 empty, 1-6 mover's men, 7-12 \
    other's, 6 and more alike)";
const STRUCTURE_MEANING: &str = "points from the mover's ace point (0 empty, 1 mover's blot, 2 \
    made point, 3, 4 other's)";

static CELLS: [CellGroup; 4] = [
    group('p', [0, 24, POINT_SYMBOLS], POINT_MEANING),
    group(
        'b',
        [24, 2, BAR_SYMBOLS],
        "men on the bar, 3 and more alike",
    ),
    group('o', [26, 2, OFF_SYMBOLS], "men borne off, mover and other"),
    group('s', [28, 24, 5], STRUCTURE_MEANING),
];

const fn group(letter: char, sizes: [usize; 3], meaning: &'static str) -> CellGroup {
    let [start, count, symbols] = sizes;
    let group = CellGroup::single(letter, count, symbols, meaning);
    CellGroup {
        start,
        optional: start > 0,
        ..group
    }
}

/// Tuples of the structure of six adjacent points each, of the men on each point, and of those on
/// the bar and off: 44 tuples, 301,283 rows of weights.
fn windows(_: &Backgammon) -> Vec<Vec<Cell>> {
    let [points, bar, off, structure] = &CELLS;
    let window = |first| (first..first + 6).map(|at| structure.cell(at)).collect();
    let mut tuples: Vec<Vec<Cell>> = (0..=NUM_POINTS - 6).map(window).collect();
    tuples.extend(points.cells().map(|cell| vec![cell]));
    tuples.push(bar.cells().chain(off.cells()).collect());
    tuples
}

static TUPLE_SETS: [NamedTuples<Backgammon>; 1] = [NamedTuples {
    name: "windows",
    tuples: windows,
    symmetric: false,
}];

fn men_of_both(position: &Position, seat: Seat) -> [Men; 2] {
    [position.men(seat), position.men(1 - seat)]
}

/// Symbol of each point in the own side's view: 0 empty, 1 to `max` own men, `max` + 1 to 2 · `max`
/// the other side's.
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
        let sides = men_of_both(position, seat);
        symbols[..24].copy_from_slice(&point_symbols(sides, MAX_COUNT as u8));
        symbols[24..26].copy_from_slice(&sides.map(|men| men.count_on(BAR).min(MAX_ON_BAR) as u8));
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
    /// Race, primes, anchors, blots, shots and escapes of both sides.
    Expert,
}

impl Named for FeatureGroup {
    const ALL: &'static [Self] = &[Self::Bar, Self::Off, Self::Expert];
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
    /// Name, version and formula of the group, for the schema text.
    fn layout(self) -> &'static str {
        match self {
            Self::Bar => "bar v1: mover's and other's men on the bar, 3 and more alike",
            Self::Off => "off v1: mover's and other's men borne off",
            Self::Expert => {
                "expert v1: mover's and other's pips / 6 up to 47, home points, anchors, prime up to \
                 7, blots up to 6, men back up to 7, rolls that escape, rolls that hit; 41 * contact \
                 + 20 + lead / 4 within 20; pips to passing each other up to 25"
            }
        }
    }

    /// Number of input rows of each one-hot slot.
    fn slots(self) -> &'static [usize] {
        match self {
            Self::Bar => &[BAR_SYMBOLS; 2],
            Self::Off => &[OFF_SYMBOLS; 2],
            Self::Expert => &[
                48, 64, 64, 8, 7, 8, 37, 37, 48, 64, 64, 8, 7, 8, 37, 37, 82, 26,
            ],
        }
    }
}

fn expert_symbols([own, other]: [Men; 2]) -> [u32; 18] {
    let structures = Structure::of_both([own, other]);
    let mut symbols = [0; 18];
    for (symbols, side) in symbols.chunks_exact_mut(8).zip(&structures) {
        symbols.copy_from_slice(&[
            (side.pips / 6).min(47),
            side.home_points,
            side.anchors,
            side.prime.min(7),
            side.blots.min(6),
            side.back_men.min(7),
            side.escapes,
            side.shots,
        ]);
    }
    let contact = (own.rearmost() + other.rearmost()).saturating_sub(u32::from(BAR));
    let lead = structures[1].pips as i32 - structures[0].pips as i32;
    let lead = (20 + lead.div_euclid(4)).clamp(0, 40) as u32;
    symbols[16] = lead + 41 * u32::from(contact > 0);
    symbols[17] = contact;
    symbols
}

impl Learnable for Backgammon {
    type Tuples = IncrementalTupleKernels;
    type Network = GenericNetKernels;
    type Group = FeatureGroup;

    const DEFAULT_FEATURES: &'static [FeatureGroup] = &[FeatureGroup::Bar, FeatureGroup::Off];

    fn feature_slots(&self, groups: NamedSet<FeatureGroup>) -> Vec<Range<usize>> {
        let of_groups = groups.iter().flat_map(|group| group.slots());
        let sizes = [POINT_SYMBOLS; NUM_POINTS].iter().chain(of_groups);
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
        let sides = men_of_both(position, seat);
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
            let mut write = |symbols: &[u32]| {
                let (active, left) = std::mem::take(&mut rest).split_at_mut(symbols.len());
                for ((row, &symbol), &size) in active.iter_mut().zip(symbols).zip(group.slots()) {
                    *row = start + symbol as u16;
                    start += size as u16;
                }
                rest = left;
            };
            match group {
                FeatureGroup::Bar => write(&sides.map(|men| men.count_on(BAR).min(MAX_ON_BAR))),
                FeatureGroup::Off => write(&sides.map(Men::borne_off)),
                FeatureGroup::Expert => write(&expert_symbols(sides)),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::positions_of_random_games;
    use alea_learned::{inputs::with_view, tuples::TupleSet};
    use alea_play::playable::Codec;

    #[test]
    fn rows_and_symbols_are_in_range_and_follow_the_seat() {
        let game = Backgammon;
        let slots = game.feature_slots(NamedSet::ALL);
        let rows = |position: &Position, seat| {
            let mut rows = vec![0; slots.len()];
            game.active_features(NamedSet::ALL, position, seat, &mut rows);
            rows
        };
        let view = |position: &Position, seat| with_view(&game, position, seat, <[u8]>::to_vec);
        let mut seen = vec![false; slots[slots.len() - 1].end];
        for position in positions_of_random_games(30, 9) {
            let swapped = game.swap_colours(&position);
            for seat in 0..2 {
                let (active, symbols) = (rows(&position, seat), view(&position, seat));
                assert_eq!(active, rows(&swapped, 1 - seat));
                assert_eq!(symbols, view(&swapped, 1 - seat));
                for (slot, row) in slots.iter().zip(active.into_iter().map(usize::from)) {
                    assert!(slot.contains(&row), "{slot:?} {row} {position:?}");
                    seen[row] = true;
                }
                let cells = CELLS.iter().flat_map(CellGroup::cells).zip(symbols);
                cells.for_each(|(cell, symbol)| assert!(cell.alphabet_size() > symbol.into()));
            }
        }
        let count = seen.iter().filter(|&&seen| seen).count();
        assert!(
            seen.len() == 1_006 && count > 600,
            "{count} of {}",
            seen.len()
        );
    }

    #[test]
    fn symbols_and_rows_of_the_start_by_hand() {
        let game = Backgammon;
        let start = with_view(&game, &game.start(1), 1, <[u8]>::to_vec);
        assert_eq!(start[..8], [8, 0, 0, 0, 0, 5, 0, 3]);
        assert_eq!(start[23..28], [2, 0, 0, 0, 0]);
        assert_eq!(start[28..36], [4, 0, 0, 0, 0, 2, 0, 2]);
        let mut rows = [0; 46];
        game.active_features(NamedSet::ALL, &game.start(0), 0, &mut rows);
        assert_eq!(rows[..6], [8, 13, 26, 39, 52, 70]);
        let expert = 24 * 13 + 2 * 4 + 2 * 16;
        let of_mover = [0, 48, 112, 176].map(|start| expert + start);
        let symbols = [27, 32, 32, 1];
        assert!((0..4).all(|at| rows[28 + at] == of_mover[at] + symbols[at]));
        assert_eq!(rows[44..], [expert + 546 + 41 + 20, expert + 546 + 82 + 23]);
    }

    #[test]
    fn the_tuple_set_has_its_documented_size() {
        let set = TupleSet::from_name(&Backgammon, "windows").unwrap();
        let rows = 19 * 15_625 + 24 * 13 + 4 * 4 * 16 * 16;
        assert_eq!((set.tuple_count(), set.row_count()), (19 + 24 + 1, rows));
    }
}
