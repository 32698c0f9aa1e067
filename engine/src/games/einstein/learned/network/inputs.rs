//! What networks look at: inputs that are each on or off, most of them of one side alone.
//!
//! Inputs of one side are seen twice, with weights of their own for the mover's side and for the
//! other's. So the first layer is a sum of two vectors, one a side, and a position's successors share
//! most of them. Invariant: [`layout`] names every input in order with the version of its formula; a
//! group's text changes whenever what it computes changes. One-hot inputs by stone and square
//! follow NNUE (Nasu 2018); expected turns are those of the Schwarz table.

use crate::games::einstein::{
    MAX_STONES, Position, Standard,
    evaluators::race_tables::{RaceTables, VECTORS, distance_index},
    position::Side,
};
use crate::learned::names::{NameSet, Named};
use std::{
    ops::Range,
    sync::{Arc, OnceLock},
};

/// A group of inputs beside the squares of the stones, which are always there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum InputGroup {
    /// Each stone by its square and by how many of the six faces permit it, which depends on its
    /// neighbours that are gone.
    Mobility,
    /// The expected number of own turns to the goal if left alone, in quarters of a turn.
    Turns,
    /// Which stones are alive.
    Alive,
}

/// Places of a stone in the squares' inputs: 25 squares, and gone.
const PLACES: usize = 26;

/// Places of a stone in the mobility inputs: 25 squares for each number of faces, and gone.
const MOBILITY_PLACES: usize = 6 * 25 + 1;

/// Quarters of a turn that are told apart.
const TURN_CLASSES: usize = 48;

const ALIVE_SETS: usize = 64;

impl Named for InputGroup {
    const ALL: &'static [Self] = &[Self::Mobility, Self::Turns, Self::Alive];
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

impl InputGroup {
    /// How many inputs the group has for one side.
    #[must_use]
    pub fn rows(self) -> usize {
        match self {
            Self::Mobility => MAX_STONES * MOBILITY_PLACES,
            Self::Turns => TURN_CLASSES,
            Self::Alive => ALIVE_SETS,
        }
    }

    /// How many of them are on for one side, whatever the position.
    #[must_use]
    pub fn active(self) -> usize {
        match self {
            Self::Mobility => MAX_STONES,
            Self::Turns | Self::Alive => 1,
        }
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
        }
    }
}

/// A set of groups; in configurations a list of names, `["mobility", "turns"]`.
pub type InputGroups = NameSet<InputGroup>;

/// Inputs of one side, those by square included.
#[must_use]
pub fn side_rows(groups: InputGroups) -> usize {
    MAX_STONES * PLACES + groups.iter().map(InputGroup::rows).sum::<usize>()
}

/// How many of them are on.
#[must_use]
pub fn side_active(groups: InputGroups) -> usize {
    MAX_STONES + groups.iter().map(InputGroup::active).sum::<usize>()
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

/// Those of the mover, then those of the other side.
pub(in super::super) fn runs(groups: InputGroups) -> Vec<Range<usize>> {
    let mut runs = Vec::new();
    let mut start = 0;
    for _ in 0..2 {
        let groups = groups.iter().map(|group| (group.active(), group.rows()));
        for (count, rows) in std::iter::once((MAX_STONES, MAX_STONES * PLACES)).chain(groups) {
            for _ in 0..count {
                runs.push(start..start + rows / count);
                start += rows / count;
            }
        }
    }
    runs
}

/// Writes the row that is on in each run.
pub(in super::super) fn fill(groups: InputGroups, position: &Position, out: &mut [u16]) {
    let (mover, other) = out.split_at_mut(side_active(groups));
    for (side, out, first) in [
        (position.mover(), mover, 0),
        (position.other(), other, side_rows(groups)),
    ] {
        let mut out = out.iter_mut();
        let mut push = |row: usize| {
            if let Some(out) = out.next() {
                *out = row as u16;
            }
        };
        let alive = side.alive();
        for (stone, square) in side.squares().into_iter().enumerate() {
            push(first + stone * PLACES + usize::from(square).min(PLACES - 1));
        }
        let mut start = first + MAX_STONES * PLACES;
        for group in groups.iter() {
            match group {
                InputGroup::Mobility => {
                    for stone in 0..MAX_STONES {
                        let place = mobility_place(alive, stone, side.square(stone));
                        push(start + stone * MOBILITY_PLACES + place);
                    }
                }
                InputGroup::Turns => {
                    push(start + usize::from(TurnClasses::shared().at(distance_index(side))));
                }
                InputGroup::Alive => push(start + usize::from(alive)),
            }
            start += group.rows();
        }
    }
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

fn mobility_place(alive: u8, stone: usize, square: u8) -> usize {
    match faces(usize::from(alive), stone) {
        0 => MOBILITY_PLACES - 1,
        faces => 25 * (faces - 1) + usize::from(square),
    }
}

/// The class of each distance vector by expected turns.
#[derive(Debug)]
pub(super) struct TurnClasses(Box<[u8; VECTORS.next_power_of_two()]>);

impl TurnClasses {
    /// The one there is: models are for the classic rules and a fair die.
    pub(super) fn shared() -> Arc<Self> {
        static SHARED: OnceLock<Arc<TurnClasses>> = OnceLock::new();
        Arc::clone(SHARED.get_or_init(|| {
            let race = RaceTables::shared(&Standard::default());
            let mut classes = Box::new([0; VECTORS.next_power_of_two()]);
            for (index, class) in classes.iter_mut().enumerate().take(VECTORS) {
                // A hair more, so that rounding does not part vectors that symmetry makes equal.
                let quarters = (4.0 * (race.expected_exact(index) + 1e-6)).floor();
                *class = (quarters as usize).min(TURN_CLASSES - 1) as u8;
            }
            Arc::new(Self(classes))
        }))
    }

    #[inline]
    fn at(&self, index: usize) -> u8 {
        self.0[index % VECTORS.next_power_of_two()]
    }
}

/// Rows of one side that inference adds up: squares and mobility of a stone are one row, so are
/// alive and the bias.
pub(super) const JOINED: usize = MAX_STONES + 2;

/// Rows of the joined table of one side, a power of two: a mask bounds every index.
pub(super) const JOINED_ROWS: usize = 1024;

const FIRST_TURN: usize = MAX_STONES * MOBILITY_PLACES;
const FIRST_SET: usize = FIRST_TURN + TURN_CLASSES;
const _: () = assert!(FIRST_SET + ALIVE_SETS <= JOINED_ROWS);

/// For each set of living stones what to add to a stone's square to get its joined row; squares of
/// stones gone are 31.
static STONE_BASE: [[u16; MAX_STONES]; ALIVE_SETS] = {
    let mut bases = [[0; MAX_STONES]; ALIVE_SETS];
    let mut alive = 0;
    while alive < ALIVE_SETS {
        let mut stone = 0;
        while stone < MAX_STONES {
            let within = match faces(alive, stone) {
                0 => MOBILITY_PLACES - 1 - crate::games::einstein::GONE as usize,
                faces => 25 * (faces - 1),
            };
            bases[alive][stone] = (stone * MOBILITY_PLACES + within) as u16;
            stone += 1;
        }
        alive += 1;
    }
    bases
};

/// Which of the joined rows is that of the expected turns; before it are those of the stones.
pub(super) const TURNS_ROW: usize = MAX_STONES;

/// The joined row of the expected turns of a side with this [`distance_index`].
#[inline(always)]
pub(super) fn turns_row(classes: &TurnClasses, index: usize) -> u16 {
    FIRST_TURN as u16 + u16::from(classes.at(index))
}

#[inline(always)]
pub(super) fn joined_rows(classes: &TurnClasses, side: Side) -> [u16; JOINED] {
    let alive = side.alive();
    let base = &STONE_BASE[usize::from(alive) % ALIVE_SETS];
    let mut rows = [0; JOINED];
    for stone in 0..MAX_STONES {
        rows[stone] = base[stone] + u16::from(side.square(stone));
    }
    rows[TURNS_ROW] = turns_row(classes, distance_index(side));
    rows[MAX_STONES + 1] = FIRST_SET as u16 + u16::from(alive);
    rows
}

/// The joined table of one side, `[JOINED_ROWS × width]`, from its rows as [`layout`] orders them
/// and what is added to every sum.
pub(super) fn join(
    groups: InputGroups,
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
        for place in 0..MOBILITY_PLACES {
            let square = if place == MOBILITY_PLACES - 1 {
                PLACES - 1
            } else {
                place % 25
            };
            add(
                stone * MOBILITY_PLACES + place,
                row(stone * PLACES + square),
            );
        }
    }
    let mut start = MAX_STONES * PLACES;
    for group in groups.iter() {
        let first = match group {
            InputGroup::Mobility => 0,
            InputGroup::Turns => FIRST_TURN,
            InputGroup::Alive => FIRST_SET,
        };
        for index in 0..group.rows() {
            add(first + index, row(start + index));
        }
        start += group.rows();
    }
    for set in 0..ALIVE_SETS {
        bias.into_iter().for_each(|bias| add(FIRST_SET + set, bias));
    }
    table
}
