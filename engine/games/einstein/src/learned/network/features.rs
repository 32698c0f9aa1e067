//! Binary input features of networks. Most features describe one side and have separate weights for
//! mover and other side, so the first layer is a sum of two accumulators, one per side.

use crate::{
    GONE, MAX_STONES, Position, Standard,
    evaluators::race_tables::{NUM_DISTANCE_VECTORS, RaceTables, distance_index},
    position::Side,
};
use alea_core::arrays::{build_array, map_array};
use alea_learned::named_set::{Named, NamedSet};
use std::{collections::BTreeSet, ops::Range, sync::OnceLock};

/// Optional group of input features; the squares of the stones are always inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FeatureGroup {
    /// For each stone, its square combined with the number of faces (1–6) that allow the stone.
    Mobility,
    /// A side's expected own turns to the goal without captures, in quarters of a turn.
    Turns,
    /// The set of a side's living stones, one feature per set.
    Alive,
    /// Mean and standard deviation of a side's own turns to the goal without captures, one feature
    /// per pair of classes.
    RaceDistribution,
    /// Cross-side: expected turns to the goal of both sides, one feature per pair of classes.
    Race,
    /// Cross-side: for each stone, which of its three destinations hold an own or an enemy stone.
    Contact,
}

const NUM_SQUARES: usize = 26;

const NUM_MOBILITY_FEATURES: usize = 6 * 25 + 1;

const NUM_TURNS_TO_GOAL: usize = 48;

const NUM_ALIVE_SETS: usize = 64;

const NUM_SPREAD_CLASSES: usize = 16;

const NUM_RACE_CLASSES: usize = 32;

const NUM_CONTACT_SETS: usize = 1 << 6;

impl Named for FeatureGroup {
    const ALL: &'static [Self] = &[
        Self::Mobility,
        Self::Turns,
        Self::Alive,
        Self::RaceDistribution,
        Self::Race,
        Self::Contact,
    ];
    const KIND: &'static str = "group of inputs";

    fn name(self) -> &'static str {
        let layout = self.layout_text();
        layout.split_once(' ').map_or(layout, |(name, _)| name)
    }

    fn number(self) -> usize {
        self as usize
    }
}

impl FeatureGroup {
    /// Number of features in the group; of one side, unless the group is cross-side.
    pub fn num_features(self) -> usize {
        match self {
            Self::Mobility => MAX_STONES * NUM_MOBILITY_FEATURES,
            Self::Turns => NUM_TURNS_TO_GOAL,
            Self::Alive => NUM_ALIVE_SETS,
            Self::RaceDistribution => NUM_TURNS_TO_GOAL * NUM_SPREAD_CLASSES,
            Self::Race => NUM_RACE_CLASSES * NUM_RACE_CLASSES,
            Self::Contact => 2 * MAX_STONES * (NUM_CONTACT_SETS + 1),
        }
    }

    /// Number of active features in each position; of one side, unless the group is cross-side.
    pub fn num_active(self) -> usize {
        match self {
            Self::Mobility => MAX_STONES,
            Self::Turns | Self::Alive | Self::RaceDistribution | Self::Race => 1,
            Self::Contact => 2 * MAX_STONES,
        }
    }

    fn is_cross_side(self) -> bool {
        matches!(self, Self::Race | Self::Contact)
    }

    fn layout_text(self) -> &'static str {
        match self {
            Self::Mobility => {
                "mobility v1: stones 1-6 by 25 * (faces - 1) + square, 150 gone; faces = 1 + adjoining gone labels below + above"
            }
            Self::Turns => {
                "turns v1: floor(4 * (E[T] + 1e-6)) up to 47, T own turns to the goal with a fair die"
            }
            Self::Alive => "alive v1: set of living stones, stone i as bit i - 1",
            Self::RaceDistribution => {
                "race_distribution v1: 16 * class of turns + floor(6 * (standard deviation of T + 1e-6)) up to 15"
            }
            Self::Race => {
                "race v1 of both: 32 * class of the mover's turns up to 31 + that of the other's"
            }
            Self::Contact => {
                "contact v1 of both: mover's stones 1-6, other's 1-6, by own stones on squares +1, +5, +6 as bits 0-2 and enemy's as bits 3-5, 64 gone"
            }
        }
    }
}

/// Set of feature groups; in configuration files a list such as `["mobility", "turns"]`.
pub type FeatureGroups = NamedSet<FeatureGroup>;

fn side_groups(groups: FeatureGroups) -> impl Iterator<Item = FeatureGroup> {
    groups.iter().filter(|group| !group.is_cross_side())
}

pub(super) fn cross_groups(groups: FeatureGroups) -> impl Iterator<Item = FeatureGroup> {
    groups.iter().filter(|group| group.is_cross_side())
}

/// Number of features of one side: the squares of its stones and `groups` without cross-side ones.
pub fn num_side_features(groups: FeatureGroups) -> usize {
    MAX_STONES * NUM_SQUARES
        + side_groups(groups)
            .map(FeatureGroup::num_features)
            .sum::<usize>()
}

/// All features in order, with a version of each formula, for model files.
pub(in super::super) fn layout_text(groups: FeatureGroups) -> String {
    let mut text = String::from(
        "sides v1: all inputs of the mover, then all of the other; squares v1: stones 1-6 by square in the owner's perspective, 25 gone",
    );
    for group in groups.iter() {
        text.push_str("; ");
        text.push_str(group.layout_text());
    }
    text
}

/// Ranges of feature indices, each with exactly one active feature: the mover's, then the other
/// side's, then cross-side ones.
pub(in super::super) fn feature_slots(groups: FeatureGroups) -> Vec<Range<usize>> {
    let shape = |group: FeatureGroup| (group.num_active(), group.num_features());
    let side = || {
        let squares = std::iter::once((MAX_STONES, MAX_STONES * NUM_SQUARES));
        squares.chain(side_groups(groups).map(shape))
    };
    let mut runs = Vec::new();
    let mut start = 0;
    for (count, rows) in side().chain(side()).chain(cross_groups(groups).map(shape)) {
        for _ in 0..count {
            runs.push(start..start + rows / count);
            start += rows / count;
        }
    }
    runs
}

/// Writes the index of the active feature in each of the [`feature_slots`].
pub(in super::super) fn fill(groups: FeatureGroups, position: &Position, out: &mut [u16]) {
    let (mover, other) = (position.mover(), position.other());
    let turn_classes = ExpectedTurnsClasses::for_classic_rules(false);
    let mut count = 0;
    for (side, first) in [(mover, 0), (other, num_side_features(groups))] {
        for stone in 0..MAX_STONES {
            let square_index = usize::from(side.square(stone)).min(NUM_SQUARES - 1);
            out[count + stone] = (first + stone * NUM_SQUARES + square_index) as u16;
        }
        count += MAX_STONES;
        let mut start = (first + MAX_STONES * NUM_SQUARES) as u16;
        let (alive, index) = (side.living_set(), distance_index(side));
        for group in side_groups(groups) {
            let out = &mut out[count..];
            match group {
                FeatureGroup::Mobility => {
                    for (stone, row) in mobility_features(alive, side).iter().enumerate() {
                        out[stone] = start + row;
                    }
                }
                FeatureGroup::Alive => out[0] = start + u16::from(alive),
                FeatureGroup::Turns => out[0] = start + u16::from(turn_classes.class_index(index)),
                _ => {
                    let classes = ExpectedTurnsClasses::for_classic_rules(true);
                    out[0] = start + classes.spreads[usize::from(classes.class_index(index))];
                }
            }
            count += group.num_active();
            start += group.num_features() as u16;
        }
    }
    let mut rows = [0; MAX_CROSS_FEATURES];
    let first = 2 * num_side_features(groups) as u16;
    for &row in active_cross_features(groups, turn_classes, mover, other, &mut rows) {
        out[count] = first + row;
        count += 1;
    }
}

pub(super) const MAX_CROSS_FEATURES: usize = 1 + 2 * MAX_STONES;

#[inline]
pub(super) fn active_cross_features<'a>(
    groups: FeatureGroups,
    turn_classes: &ExpectedTurnsClasses,
    mover: Side,
    other: Side,
    out: &'a mut [u16; MAX_CROSS_FEATURES],
) -> &'a [u16] {
    let (mut count, mut start) = (0, 0);
    if groups.contains(FeatureGroup::Race) {
        let class = |side| u16::from(turn_classes.class_index(distance_index(side)));
        let [own, others] = map_array([mover, other], |side| {
            class(side).min(NUM_RACE_CLASSES as u16 - 1)
        });
        out[0] = NUM_RACE_CLASSES as u16 * own + others;
        (count, start) = (1, FeatureGroup::Race.num_features() as u16);
    }
    if groups.contains(FeatureGroup::Contact) {
        let occupied = map_array([mover, other], |side| {
            side.occupied_squares() & ((1 << 25) - 1)
        });
        let flipped = map_array(occupied, |occupied| occupied.reverse_bits() >> 7);
        for (number, side) in [mover, other].into_iter().enumerate() {
            for stone in 0..MAX_STONES {
                let contact = match side.square(stone) {
                    GONE => NUM_CONTACT_SETS as u16,
                    square => {
                        let (own, enemy) = (
                            occupied_ahead(occupied[number], square),
                            occupied_ahead(flipped[1 - number], square),
                        );
                        own | enemy << 3
                    }
                };
                out[count] = start + contact;
                (count, start) = (count + 1, start + NUM_CONTACT_SETS as u16 + 1);
            }
        }
    }
    &out[..count]
}

/// Whether the squares sideways (bit 0), forward (bit 1) and diagonal (bit 2) are in `occupied`.
#[inline]
fn occupied_ahead(occupied: u32, square: u8) -> u16 {
    // Shifts may exceed 31 bits for squares off the board.
    let occupied = u64::from(occupied);
    let three = occupied >> (square + 1) & 1 | occupied >> (square + 5) << 1 & 0b110;
    let inside = if square % 5 == 4 { 0b010 } else { 0b111 };
    (three & inside) as u16
}

const fn num_allowing_faces(alive: usize, stone: usize) -> usize {
    if alive >> stone & 1 == 0 {
        return 0;
    }
    let mut faces = 1;
    let mut below = stone;
    while below > 0 && alive >> (below - 1) & 1 == 0 {
        below -= 1;
        faces += 1;
    }
    let mut above = stone + 1;
    while above < MAX_STONES && alive >> above & 1 == 0 {
        above += 1;
        faces += 1;
    }
    faces
}

#[inline(always)]
fn mobility_features(alive: u8, side: Side) -> [u16; MAX_STONES] {
    let base = &STONE_ROW_BASE[usize::from(alive) % NUM_ALIVE_SETS];
    build_array(|stone| base[stone] + u16::from(side.square(stone)))
}

/// Class of expected turns, optionally with one of their deviation, by distance vector.
#[derive(Debug)]
pub(super) struct ExpectedTurnsClasses {
    of: Box<[u8; NUM_DISTANCE_VECTORS.next_power_of_two()]>,
    spreads: Vec<u16>,
}

impl ExpectedTurnsClasses {
    pub(super) fn for_classic_rules(by_spread: bool) -> &'static Self {
        static SHARED: [OnceLock<ExpectedTurnsClasses>; 2] = [const { OnceLock::new() }; 2];
        SHARED[usize::from(by_spread)].get_or_init(|| Self::new(by_spread))
    }

    fn new(by_spread: bool) -> Self {
        let race = RaceTables::for_game(&Standard::default());
        let spread = |index: usize| {
            if index == 0 || index >= NUM_DISTANCE_VECTORS {
                return 0;
            }
            // The epsilon keeps symmetric vectors together despite rounding.
            let turn_classes = (4.0 * (race.expected_turns_f64(index) + 1e-6)).floor();
            let turn_classes = (turn_classes as usize).min(NUM_TURNS_TO_GOAL - 1);
            let mass = race.probabilities(index).into_iter().zip(0..);
            let mass = mass.map(|(mass, turns)| f64::from(mass) * f64::from(turns * turns));
            let variance = mass.sum::<f64>() - race.expected_turns_f64(index).powi(2);
            let sixths = 6.0 * (variance.max(0.0).sqrt() + 1e-6);
            (turn_classes * NUM_SPREAD_CLASSES + (sixths as usize).min(NUM_SPREAD_CLASSES - 1))
                as u16
        };
        let all: Vec<u16> = (0..NUM_DISTANCE_VECTORS.next_power_of_two())
            .map(spread)
            .collect();
        let spreads: Vec<u16> = if by_spread {
            // At most 256 features occur.
            let sorted: BTreeSet<u16> = all.iter().copied().collect();
            sorted.into_iter().collect()
        } else {
            (0..NUM_TURNS_TO_GOAL)
                .map(|turn_classes| (turn_classes * NUM_SPREAD_CLASSES) as u16)
                .collect()
        };
        assert!(spreads.len() <= 256, "classes are bytes");
        let class = |spread: u16| {
            let alike = spreads.partition_point(|&other| other <= spread);
            (alike - 1) as u8
        };
        let mut of = Box::new([0; NUM_DISTANCE_VECTORS.next_power_of_two()]);
        for (class_of, &spread) in of.iter_mut().zip(&all) {
            *class_of = class(spread);
        }
        Self { of, spreads }
    }

    #[inline]
    fn class_index(&self, index: usize) -> u8 {
        self.of[index % NUM_DISTANCE_VECTORS.next_power_of_two()]
    }
}

pub(super) const NUM_FUSED: usize = MAX_STONES + 2;

pub(super) const FUSED_TABLE_ROWS: usize = 2048;

const TURNS_OFFSET: usize = MAX_STONES * NUM_MOBILITY_FEATURES;
const ALIVE_OFFSET: usize = TURNS_OFFSET + 256;
const _: () = assert!(ALIVE_OFFSET + NUM_ALIVE_SETS <= FUSED_TABLE_ROWS);

static STONE_ROW_BASE: [[u16; MAX_STONES]; NUM_ALIVE_SETS] = {
    let mut bases = [[0; MAX_STONES]; NUM_ALIVE_SETS];
    let mut alive = 0;
    while alive < NUM_ALIVE_SETS {
        let mut stone = 0;
        while stone < MAX_STONES {
            let within = match num_allowing_faces(alive, stone) {
                0 => NUM_MOBILITY_FEATURES - 1 - crate::GONE as usize,
                faces => 25 * (faces - 1),
            };
            bases[alive][stone] = (stone * NUM_MOBILITY_FEATURES + within) as u16;
            stone += 1;
        }
        alive += 1;
    }
    bases
};

pub(super) const TURNS_SLOT: usize = MAX_STONES;

#[inline(always)]
pub(super) fn turns_row(classes: &ExpectedTurnsClasses, index: usize) -> u16 {
    TURNS_OFFSET as u16 + u16::from(classes.class_index(index))
}

#[inline(always)]
pub(super) fn active_fused_rows(classes: &ExpectedTurnsClasses, side: Side) -> [u16; NUM_FUSED] {
    let alive = side.living_set();
    let mut rows = [0; NUM_FUSED];
    rows[..MAX_STONES].copy_from_slice(&mobility_features(alive, side));
    rows[TURNS_SLOT] = turns_row(classes, distance_index(side));
    rows[MAX_STONES + 1] = ALIVE_OFFSET as u16 + u16::from(alive);
    rows
}

/// `[FUSED_TABLE_ROWS × width]`: sums of those of `rows` (in [`layout_text`] order) that are active
/// together, and of the bias.
pub(super) fn fused_table(
    groups: FeatureGroups,
    classes: &ExpectedTurnsClasses,
    width: usize,
    rows: &[i16],
    bias: Option<&[i16]>,
) -> Vec<i16> {
    let mut table = vec![0i16; FUSED_TABLE_ROWS * width];
    let mut add = |joined: usize, row: &[i16]| {
        for (sum, weight) in table[joined * width..][..width].iter_mut().zip(row) {
            *sum = sum.wrapping_add(*weight);
        }
    };
    let row = |index: usize| &rows[index * width..][..width];
    for stone in 0..MAX_STONES {
        for square_index in 0..NUM_MOBILITY_FEATURES {
            let square = if square_index == NUM_MOBILITY_FEATURES - 1 {
                NUM_SQUARES - 1
            } else {
                square_index % 25
            };
            add(
                stone * NUM_MOBILITY_FEATURES + square_index,
                row(stone * NUM_SQUARES + square),
            );
        }
    }
    let mut start = MAX_STONES * NUM_SQUARES;
    for group in side_groups(groups) {
        match group {
            FeatureGroup::Mobility => {
                (0..group.num_features()).for_each(|index| add(index, row(start + index)));
            }
            FeatureGroup::Alive => {
                (0..NUM_ALIVE_SETS).for_each(|set| add(ALIVE_OFFSET + set, row(start + set)));
            }
            _ => {
                for (class, &spread) in classes.spreads.iter().enumerate() {
                    let spread = usize::from(spread);
                    let of_turns = group == FeatureGroup::Turns;
                    let index = if of_turns {
                        spread / NUM_SPREAD_CLASSES
                    } else {
                        spread
                    };
                    add(TURNS_OFFSET + class, row(start + index));
                }
            }
        }
        start += group.num_features();
    }
    for set in 0..NUM_ALIVE_SETS {
        bias.into_iter()
            .for_each(|bias| add(ALIVE_OFFSET + set, bias));
    }
    table
}
