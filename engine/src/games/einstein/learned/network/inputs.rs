//! Binary features of networks, most of them of one side alone.
//!
//! Features of one side have separate weights for the mover's and for the other's side, so the
//! first layer is a sum of two vectors, which a position's successors share. Features of both sides
//! are not factored and cost each successor its own rows.
//!
//! Invariant: `layout` names every feature in order with the version of its formula; a group's text
//! changes whenever its computation changes. One-hot features by stone and square follow NNUE (Nasu
//! 2018); expected turns are those of the Schwarz table.

use crate::core::arrays::{by_index, each};
use crate::games::einstein::{
    GONE, MAX_STONES, Position, Standard,
    evaluators::race_tables::{RaceTables, VECTORS, distance_index},
    position::Side,
};
use crate::learned::name_set::{NameSet, Named};
use std::{collections::BTreeSet, ops::Range, sync::OnceLock};

/// Feature group beside the squares of the stones, which are always present.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FeatureGroup {
    /// Each stone by its square and by the number of faces that allow it, which depends on its gone
    /// neighbours.
    Mobility,
    /// Expected number of own turns to the goal without the enemy, in quarters of a turn.
    Turns,
    /// Set of living stones.
    Alive,
    /// Mean and deviation of the number of own turns to the goal without the enemy.
    RaceDistribution,
    /// Of both sides: expected turns of one side against those of the other, hence the winner of
    /// the race.
    Race,
    /// Of both sides: possible captures of each stone's next move.
    Contact,
}

/// Squares of a stone: 25, and gone.
const NUM_SQUARES: usize = 26;

/// Mobility features of a stone: 25 squares for each number of faces, and gone.
const NUM_MOBILITY_SQUARES: usize = 6 * 25 + 1;

/// Classes of expected turns, in quarters.
const TURN_CLASSES: usize = 48;

const ALIVE_SETS: usize = 64;

/// Classes of deviation, in sixths of a turn.
const SPREADS: usize = 16;

/// Classes of a side's expected turns in the race features.
const RACE_CLASSES: usize = 32;

/// Own and enemy stones on the three target squares, a bit each, and gone.
const CONTACTS: usize = 1 << 6;

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
        // The first word of its text.
        let layout = self.layout();
        layout.split_once(' ').map_or(layout, |(name, _)| name)
    }

    fn number(self) -> usize {
        self as usize
    }
}

impl FeatureGroup {
    /// Number of features of the group, for one side unless it is of both.
    #[must_use]
    pub fn rows(self) -> usize {
        match self {
            Self::Mobility => MAX_STONES * NUM_MOBILITY_SQUARES,
            Self::Turns => TURN_CLASSES,
            Self::Alive => ALIVE_SETS,
            Self::RaceDistribution => TURN_CLASSES * SPREADS,
            Self::Race => RACE_CLASSES * RACE_CLASSES,
            Self::Contact => 2 * MAX_STONES * (CONTACTS + 1),
        }
    }

    /// Number of active features in every position.
    #[must_use]
    pub fn active(self) -> usize {
        match self {
            Self::Mobility => MAX_STONES,
            Self::Turns | Self::Alive | Self::RaceDistribution | Self::Race => 1,
            Self::Contact => 2 * MAX_STONES,
        }
    }

    /// Whether it is of both sides.
    fn is_of_both(self) -> bool {
        matches!(self, Self::Race | Self::Contact)
    }

    fn layout(self) -> &'static str {
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

/// Set of groups; in settings a list of names, `["mobility", "turns"]`.
pub type InputGroups = NameSet<FeatureGroup>;

fn of_a_side(groups: InputGroups) -> impl Iterator<Item = FeatureGroup> {
    groups.iter().filter(|group| !group.is_of_both())
}

pub(super) fn of_both(groups: InputGroups) -> impl Iterator<Item = FeatureGroup> {
    groups.iter().filter(|group| group.is_of_both())
}

/// Number of one side's features, those by square included.
#[must_use]
pub fn side_rows(groups: InputGroups) -> usize {
    MAX_STONES * NUM_SQUARES + of_a_side(groups).map(FeatureGroup::rows).sum::<usize>()
}

/// Canonical text that names every feature, with the version of each formula.
pub(in super::super) fn layout(groups: InputGroups) -> String {
    let mut text = String::from(
        "sides v1: all inputs of the mover, then all of the other; squares v1: stones 1-6 by square in the owner's perspective, 25 gone",
    );
    for group in groups.iter() {
        text.push_str("; ");
        text.push_str(group.layout());
    }
    text
}

/// Feature slots of the mover, of the other side, and of both.
pub(in super::super) fn runs(groups: InputGroups) -> Vec<Range<usize>> {
    let shape = |group: FeatureGroup| (group.active(), group.rows());
    let side = || {
        let squares = std::iter::once((MAX_STONES, MAX_STONES * NUM_SQUARES));
        squares.chain(of_a_side(groups).map(shape))
    };
    let mut runs = Vec::new();
    let mut start = 0;
    for (count, rows) in side().chain(side()).chain(of_both(groups).map(shape)) {
        for _ in 0..count {
            runs.push(start..start + rows / count);
            start += rows / count;
        }
    }
    runs
}

/// Writes the active feature of each slot.
pub(in super::super) fn fill(groups: InputGroups, position: &Position, out: &mut [u16]) {
    let (mover, other) = (position.mover(), position.other());
    let turn_classes = TurnClasses::shared(false);
    let mut count = 0;
    for (side, first) in [(mover, 0), (other, side_rows(groups))] {
        for stone in 0..MAX_STONES {
            let square_index = usize::from(side.square(stone)).min(NUM_SQUARES - 1);
            out[count + stone] = (first + stone * NUM_SQUARES + square_index) as u16;
        }
        count += MAX_STONES;
        let mut start = (first + MAX_STONES * NUM_SQUARES) as u16;
        let (alive, index) = (side.alive(), distance_index(side));
        for group in of_a_side(groups) {
            let out = &mut out[count..];
            match group {
                FeatureGroup::Mobility => {
                    for (stone, row) in mobility_rows(alive, side).iter().enumerate() {
                        out[stone] = start + row;
                    }
                }
                FeatureGroup::Alive => out[0] = start + u16::from(alive),
                FeatureGroup::Turns => out[0] = start + u16::from(turn_classes.at(index)),
                _ => {
                    let classes = TurnClasses::shared(true);
                    out[0] = start + classes.spreads[usize::from(classes.at(index))];
                }
            }
            count += group.active();
            start += group.rows() as u16;
        }
    }
    let mut rows = [0; MAX_CROSS_FEATURES];
    let first = 2 * side_rows(groups) as u16;
    for &row in rows_of_both(groups, turn_classes, mover, other, &mut rows) {
        out[count] = first + row;
        count += 1;
    }
}

/// Maximum active features of both sides.
pub(super) const MAX_CROSS_FEATURES: usize = 1 + 2 * MAX_STONES;

/// Rows of the groups of both sides, counted from the first of them.
#[inline]
pub(super) fn rows_of_both<'a>(
    groups: InputGroups,
    turn_classes: &TurnClasses,
    mover: Side,
    other: Side,
    out: &'a mut [u16; MAX_CROSS_FEATURES],
) -> &'a [u16] {
    let (mut count, mut start) = (0, 0);
    if groups.contains(FeatureGroup::Race) {
        let class = |side| u16::from(turn_classes.at(distance_index(side)));
        let [own, others] = each([mover, other], |side| {
            class(side).min(RACE_CLASSES as u16 - 1)
        });
        out[0] = RACE_CLASSES as u16 * own + others;
        (count, start) = (1, FeatureGroup::Race.rows() as u16);
    }
    if groups.contains(FeatureGroup::Contact) {
        // Squares of one side in the other's perspective: 24 minus each.
        let occupied = each([mover, other], |side| {
            side.occupied_squares() & ((1 << 25) - 1)
        });
        let flipped = each(occupied, |occupied| occupied.reverse_bits() >> 7);
        for (number, side) in [mover, other].into_iter().enumerate() {
            for stone in 0..MAX_STONES {
                let contact = match side.square(stone) {
                    GONE => CONTACTS as u16,
                    square => {
                        let (own, enemy) = (
                            ahead(occupied[number], square),
                            ahead(flipped[1 - number], square),
                        );
                        own | enemy << 3
                    }
                };
                out[count] = start + contact;
                (count, start) = (count + 1, start + CONTACTS as u16 + 1);
            }
        }
    }
    &out[..count]
}

/// Occupied squares among those beside, above and between, a bit each.
#[inline]
fn ahead(occupied: u32, square: u8) -> u16 {
    // Wide enough for squares off the board.
    let occupied = u64::from(occupied);
    let three = occupied >> (square + 1) & 1 | occupied >> (square + 5) << 1 & 0b110;
    let inside = if square % 5 == 4 { 0b010 } else { 0b111 };
    (three & inside) as u16
}

/// Number of faces that allow each stone of a set, as a gone stone's face moves the next higher or
/// lower one; 0 for a gone stone.
const fn faces(alive: usize, stone: usize) -> usize {
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

/// Feature of each stone in [`FeatureGroup::Mobility`].
#[inline(always)]
fn mobility_rows(alive: u8, side: Side) -> [u16; MAX_STONES] {
    let base = &STONE_BASE[usize::from(alive) % ALIVE_SETS];
    by_index(|stone| base[stone] + u16::from(side.square(stone)))
}

/// Class of each distance vector by expected turns, optionally also by deviation.
#[derive(Debug)]
pub(super) struct TurnClasses {
    of: Box<[u8; VECTORS.next_power_of_two()]>,
    /// Feature of each class in [`FeatureGroup::RaceDistribution`], at least 16 times the quarters.
    spreads: Vec<u16>,
}

impl TurnClasses {
    /// Classes of the classic rules with a fair die, the only ones with models.
    pub(super) fn shared(by_spread: bool) -> &'static Self {
        static SHARED: [OnceLock<TurnClasses>; 2] = [const { OnceLock::new() }; 2];
        SHARED[usize::from(by_spread)].get_or_init(|| Self::new(by_spread))
    }

    fn new(by_spread: bool) -> Self {
        let race = RaceTables::shared(&Standard::default());
        let spread = |index: usize| {
            if index == 0 || index >= VECTORS {
                return 0;
            }
            // An epsilon, so that rounding does not separate symmetric vectors.
            let turn_classes = (4.0 * (race.expected_exact(index) + 1e-6)).floor();
            let turn_classes = (turn_classes as usize).min(TURN_CLASSES - 1);
            let mass = race.mass(index).into_iter().zip(0..);
            let mass = mass.map(|(mass, turns)| f64::from(mass) * f64::from(turns * turns));
            let variance = mass.sum::<f64>() - race.expected_exact(index).powi(2);
            let sixths = 6.0 * (variance.max(0.0).sqrt() + 1e-6);
            (turn_classes * SPREADS + (sixths as usize).min(SPREADS - 1)) as u16
        };
        let all: Vec<u16> = (0..VECTORS.next_power_of_two()).map(spread).collect();
        let spreads: Vec<u16> = if by_spread {
            // Occurring classes only, few enough for a byte.
            let sorted: BTreeSet<u16> = all.iter().copied().collect();
            sorted.into_iter().collect()
        } else {
            (0..TURN_CLASSES)
                .map(|turn_classes| (turn_classes * SPREADS) as u16)
                .collect()
        };
        assert!(spreads.len() <= 256, "classes are bytes");
        let class = |spread: u16| {
            let alike = spreads.partition_point(|&other| other <= spread);
            (alike - 1) as u8
        };
        let mut of = Box::new([0; VECTORS.next_power_of_two()]);
        for (class_of, &spread) in of.iter_mut().zip(&all) {
            *class_of = class(spread);
        }
        Self { of, spreads }
    }

    #[inline]
    fn at(&self, index: usize) -> u8 {
        self.of[index % VECTORS.next_power_of_two()]
    }
}

/// Rows of one side that inference adds up: square and mobility of a stone are fused, as are living
/// stones and the bias.
pub(super) const JOINED: usize = MAX_STONES + 2;

/// Rows of the fused table of one side, a power of two: a mask bounds every index.
pub(super) const JOINED_ROWS: usize = 2048;

const FIRST_TURN: usize = MAX_STONES * NUM_MOBILITY_SQUARES;
const FIRST_SET: usize = FIRST_TURN + 256;
const _: () = assert!(FIRST_SET + ALIVE_SETS <= JOINED_ROWS);

/// For each set of living stones the offset from a stone's square to its feature in
/// [`FeatureGroup::Mobility`] and its fused row; squares of gone stones are 31.
static STONE_BASE: [[u16; MAX_STONES]; ALIVE_SETS] = {
    let mut bases = [[0; MAX_STONES]; ALIVE_SETS];
    let mut alive = 0;
    while alive < ALIVE_SETS {
        let mut stone = 0;
        while stone < MAX_STONES {
            let within = match faces(alive, stone) {
                0 => NUM_MOBILITY_SQUARES - 1 - crate::games::einstein::GONE as usize,
                faces => 25 * (faces - 1),
            };
            bases[alive][stone] = (stone * NUM_MOBILITY_SQUARES + within) as u16;
            stone += 1;
        }
        alive += 1;
    }
    bases
};

/// Index of the expected turns among the fused rows, after those of the stones.
pub(super) const TURNS_ROW: usize = MAX_STONES;

/// Fused row of the expected turns of a side with this [`distance_index`].
#[inline(always)]
pub(super) fn turns_row(classes: &TurnClasses, index: usize) -> u16 {
    FIRST_TURN as u16 + u16::from(classes.at(index))
}

#[inline(always)]
pub(super) fn joined_rows(classes: &TurnClasses, side: Side) -> [u16; JOINED] {
    let alive = side.alive();
    let mut rows = [0; JOINED];
    rows[..MAX_STONES].copy_from_slice(&mobility_rows(alive, side));
    rows[TURNS_ROW] = turns_row(classes, distance_index(side));
    rows[MAX_STONES + 1] = FIRST_SET as u16 + u16::from(alive);
    rows
}

/// Fused table of one side, `[JOINED_ROWS × width]`, from its rows in the order of [`layout`] and
/// the summand of every sum.
pub(super) fn join(
    groups: InputGroups,
    classes: &TurnClasses,
    width: usize,
    rows: &[i16],
    bias: Option<&[i16]>,
) -> Vec<i16> {
    let mut table = vec![0i16; JOINED_ROWS * width];
    let mut add = |joined: usize, row: &[i16]| {
        for (sum, weight) in table[joined * width..][..width].iter_mut().zip(row) {
            // Modulo 2^16, as all sums of rows.
            *sum = sum.wrapping_add(*weight);
        }
    };
    let row = |index: usize| &rows[index * width..][..width];
    for stone in 0..MAX_STONES {
        for square_index in 0..NUM_MOBILITY_SQUARES {
            let square = if square_index == NUM_MOBILITY_SQUARES - 1 {
                NUM_SQUARES - 1
            } else {
                square_index % 25
            };
            add(
                stone * NUM_MOBILITY_SQUARES + square_index,
                row(stone * NUM_SQUARES + square),
            );
        }
    }
    let mut start = MAX_STONES * NUM_SQUARES;
    for group in of_a_side(groups) {
        match group {
            FeatureGroup::Mobility => {
                (0..group.rows()).for_each(|index| add(index, row(start + index)));
            }
            FeatureGroup::Alive => {
                (0..ALIVE_SETS).for_each(|set| add(FIRST_SET + set, row(start + set)));
            }
            _ => {
                for (class, &spread) in classes.spreads.iter().enumerate() {
                    let spread = usize::from(spread);
                    let of_turns = group == FeatureGroup::Turns;
                    let index = if of_turns { spread / SPREADS } else { spread };
                    add(FIRST_TURN + class, row(start + index));
                }
            }
        }
        start += group.rows();
    }
    for set in 0..ALIVE_SETS {
        bias.into_iter().for_each(|bias| add(FIRST_SET + set, bias));
    }
    table
}
