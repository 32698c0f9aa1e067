//! What networks look at: inputs that are each on or off, most of them of one side alone.
//!
//! Inputs of one side are seen twice, with weights of their own for the mover's side and for the
//! other's. So the first layer is a sum of two vectors, one a side, and a position's successors share
//! most of them. Inputs of both sides there are once, and cost each successor rows of its own.
//! Invariant: `layout` names every input in order with the version of its formula; a
//! group's text changes whenever what it computes changes. One-hot inputs by stone and square
//! follow NNUE (Nasu 2018); expected turns are those of the Schwarz table.

use crate::core::arrays::{by_index, each};
use crate::games::einstein::{
    GONE, MAX_STONES, Position, Standard,
    evaluators::race_tables::{RaceTables, VECTORS, distance_index},
    position::Side,
};
use crate::learned::name_set::{NameSet, Named};
use std::{collections::BTreeSet, ops::Range, sync::OnceLock};

/// A group of inputs beside the squares of the stones, which are always there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FeatureGroup {
    /// Each stone by its square and by how many of the six faces permit it, which depends on its
    /// neighbours that are gone.
    Mobility,
    /// The expected number of own turns to the goal if left alone, in quarters of a turn.
    Turns,
    /// Which stones are alive.
    Alive,
    /// Mean and spread of the number of own turns to the goal if left alone.
    RaceDistribution,
    /// Of both sides: the expected turns of one against those of the other, which says who wins the
    /// race.
    Race,
    /// Of both sides: for each stone what it could capture with its next move.
    Contact,
}

/// Places of a stone in the squares' inputs: 25 squares, and gone.
const NUM_SQUARES: usize = 26;

/// Places of a stone in the mobility inputs: 25 squares for each number of faces, and gone.
const NUM_MOBILITY_SQUARES: usize = 6 * 25 + 1;

/// Quarters of a turn that are told apart.
const TURN_CLASSES: usize = 48;

const ALIVE_SETS: usize = 64;

/// Sixths of a turn of deviation that are told apart.
const SPREADS: usize = 16;

/// Quarters of a turn of either side that are told apart where they meet.
const RACE_CLASSES: usize = 32;

/// Own and enemy stones on the three squares that a stone may go to, a bit each, and gone.
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
    /// How many inputs the group has, for one side unless it is of both.
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

    /// How many of them are on, whatever the position.
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

/// A set of groups; in configurations a list of names, `["mobility", "turns"]`.
pub type InputGroups = NameSet<FeatureGroup>;

fn of_a_side(groups: InputGroups) -> impl Iterator<Item = FeatureGroup> {
    groups.iter().filter(|group| !group.is_of_both())
}

pub(super) fn of_both(groups: InputGroups) -> impl Iterator<Item = FeatureGroup> {
    groups.iter().filter(|group| group.is_of_both())
}

/// Inputs of one side, those by square included.
#[must_use]
pub fn side_rows(groups: InputGroups) -> usize {
    MAX_STONES * NUM_SQUARES + of_a_side(groups).map(FeatureGroup::rows).sum::<usize>()
}

/// The canonical text that names every input, and the version of each formula.
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

/// Those of the mover, those of the other side, and those of both.
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

/// Writes the row that is on in each run.
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

/// Inputs of both sides that are on, at most.
pub(super) const MAX_CROSS_FEATURES: usize = 1 + 2 * MAX_STONES;

/// The rows of the groups of both sides, counted from the first of them.
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
        // Squares of one side as the other sees them: 24 minus each.
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

/// Which of the squares beside, above and between these are taken, a bit each.
#[inline]
fn ahead(occupied: u32, square: u8) -> u16 {
    // Wide enough for squares that are none.
    let occupied = u64::from(occupied);
    let three = occupied >> (square + 1) & 1 | occupied >> (square + 5) << 1 & 0b110;
    let inside = if square % 5 == 4 { 0b010 } else { 0b111 };
    (three & inside) as u16
}

/// How many faces permit each stone of a set, if the next higher or lower one moves for a stone
/// that is gone; 0 for one that is gone itself.
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

/// The input of each stone among those of [`FeatureGroup::Mobility`].
#[inline(always)]
fn mobility_rows(alive: u8, side: Side) -> [u16; MAX_STONES] {
    let base = &STONE_BASE[usize::from(alive) % ALIVE_SETS];
    by_index(|stone| base[stone] + u16::from(side.square(stone)))
}

/// The class of each distance vector by expected turns, and of those alike by their spread if that
/// is asked for.
#[derive(Debug)]
pub(super) struct TurnClasses {
    of: Box<[u8; VECTORS.next_power_of_two()]>,
    /// For each class the input of [`FeatureGroup::RaceDistribution`], 16 times the quarters and more.
    spreads: Vec<u16>,
}

impl TurnClasses {
    /// Those there are: models are for the classic rules and a fair die.
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
            // A hair more, so that rounding does not part vectors that symmetry makes equal.
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
            // Only those that there are: fewer than bytes tell apart.
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

/// Rows of one side that inference adds up: squares and mobility of a stone are one row, so are
/// alive and the bias.
pub(super) const JOINED: usize = MAX_STONES + 2;

/// Rows of the joined table of one side, a power of two: a mask bounds every index.
pub(super) const JOINED_ROWS: usize = 2048;

const FIRST_TURN: usize = MAX_STONES * NUM_MOBILITY_SQUARES;
const FIRST_SET: usize = FIRST_TURN + 256;
const _: () = assert!(FIRST_SET + ALIVE_SETS <= JOINED_ROWS);

/// For each set of living stones what to add to a stone's square to get its input of
/// [`FeatureGroup::Mobility`], and its joined row; squares of stones gone are 31.
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

/// Which of the joined rows is that of the expected turns; before it are those of the stones.
pub(super) const TURNS_ROW: usize = MAX_STONES;

/// The joined row of the turns of a side with this [`distance_index`].
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

/// The joined table of one side, `[JOINED_ROWS × width]`, from its rows as [`layout`] orders them
/// and what is added to every sum.
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
