//! Plays: all steps that a side makes with a roll.
//!
//! The generator makes the steps of a play from the rearmost man on; each play has such an order.
//! With doubles, different steps lead to different positions. With two different dice, two plays
//! lead to the same position in two cases only, and one is left out: one man makes both steps, by
//! way of either point, and hits on neither; or both dice bear off the same two men.

use super::{Position, men::mirror, rolls::dice};

/// A play: up to four steps, and the number of its roll.
///
/// Bits 0–4 are the roll, bit 5 tells whether the smaller die is first; then five bits for each
/// step are the point that the man leaves (0: no step).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Play(pub(crate) u32);

impl Play {
    const FIRST_STEP: u32 = 6;

    fn with_roll(roll: usize) -> Self {
        Self(roll as u32)
    }

    #[inline]
    fn with_step(self, index: u32, from: u32) -> Self {
        Self(self.0 | (from + 1) << (Self::FIRST_STEP + 5 * index))
    }

    /// Number of the roll.
    #[inline]
    pub fn roll(self) -> usize {
        (self.0 & 31) as usize
    }

    /// Steps in order: the point that a man leaves ([`super::men::BAR`] for the bar), and the die.
    #[inline]
    pub fn steps(self) -> impl Iterator<Item = (u8, u8)> {
        let (larger, smaller) = dice(self.roll());
        let (first, second) = match self.0 >> 5 & 1 {
            0 => (larger, smaller),
            _ => (smaller, larger),
        };
        let mut rest = self.0 >> Self::FIRST_STEP;
        let mut die = first;
        std::iter::from_fn(move || {
            let step = ((rest & 31) as u8, die);
            (rest, die) = (rest >> 5, second);
            (step.0 != 0).then_some(step)
        })
    }

    /// Whether the play has no step, because the roll allows none.
    #[inline]
    pub fn is_pass(self) -> bool {
        self.0 >> Self::FIRST_STEP == 0
    }
}

/// The mover's men during a play, and the sets of points that they occupy and that the other side
/// blocks, in the mover's view.
#[derive(Clone, Copy)]
struct Board {
    men: u128,
    occupied: u32,
    blocked: u32,
}

const HOME: u32 = 0x3F;
const BAR_BIT: u32 = 1 << 24;

impl Board {
    /// Set of points from which a man can move by `die`.
    #[inline]
    fn sources(&self, die: u32) -> u32 {
        let open = self.occupied & !(self.blocked << die) & (u32::MAX << die);
        if self.occupied >= BAR_BIT {
            return open & BAR_BIT;
        }
        if self.occupied > HOME {
            return open;
        }
        let exact = 1 << (die - 1);
        if self.occupied & exact != 0 {
            open | exact
        } else if self.occupied != 0 && self.occupied >> die == 0 {
            open | 1 << self.occupied.ilog2()
        } else {
            open
        }
    }

    /// The board after a step of `die` pips from point `from` + 1.
    #[inline]
    fn step(&self, from: u32, die: u32) -> Self {
        let mut men = self.men - (1 << (4 * from));
        let is_empty = men >> (4 * from) & 15 == 0;
        let mut occupied = self.occupied ^ u32::from(is_empty) << from;
        if from >= die {
            men += 1 << (4 * (from - die));
            occupied |= 1 << (from - die);
        }
        Self {
            men,
            occupied,
            blocked: self.blocked,
        }
    }
}

/// Indices (point − 1) of a set of points, the highest first.
#[inline]
fn points_of(mut set: u32) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let point = set.checked_ilog2()?;
        set ^= 1 << point;
        Some(point)
    })
}

impl Position {
    /// Calls `visit` with the plays of a roll, one for each resulting position, in a fixed order;
    /// without a legal step, with one play without steps.
    pub fn visit_plays(&self, roll: usize, mut visit: impl FnMut(Play)) {
        let board = Board {
            men: self.mover.0,
            occupied: self.mover.occupied_points(),
            blocked: mirror(self.other.made_points()),
        };
        let play = Play::with_roll(roll);
        let (larger, smaller) = dice(roll);
        if larger == smaller {
            let die = u32::from(larger);
            let mut lengths = (1..=4).rev();
            if !lengths.any(|length| visit_doubles(&board, die, 24, length, (play, 0), &mut visit))
            {
                visit(play);
            }
            return;
        }
        let dice = (u32::from(larger), u32::from(smaller));
        let blots = mirror(self.other.occupied_points()) & !board.blocked;
        if !visit_pairs(&board, dice, blots, play, &mut visit) {
            visit_single_steps(&board, dice, play, &mut visit);
        }
    }

    /// Appends the plays of [`Position::visit_plays`] to `plays`.
    #[inline]
    pub fn plays(&self, roll: usize, plays: &mut super::Plays) {
        self.visit_plays(roll, |play| plays.push(play));
    }
}

/// Visits the extensions of `play`, which has `index` steps, by `length` steps of a double from
/// points up to `highest` + 1; returns whether there are any.
fn visit_doubles(
    board: &Board,
    die: u32,
    highest: u32,
    length: u32,
    (play, index): (Play, u32),
    visit: &mut impl FnMut(Play),
) -> bool {
    let sources = board.sources(die) & (u32::MAX >> (31 - highest));
    if length == 1 {
        points_of(sources).for_each(|from| visit(play.with_step(index, from)));
        return sources != 0;
    }
    let mut is_any = false;
    for from in points_of(sources) {
        let next = (play.with_step(index, from), index + 1);
        is_any |= visit_doubles(&board.step(from, die), die, from, length - 1, next, visit);
    }
    is_any
}

/// Visits the plays that use both of two different dice; returns whether there are any.
fn visit_pairs(
    board: &Board,
    (larger, smaller): (u32, u32),
    blots: u32,
    play: Play,
    visit: &mut impl FnMut(Play),
) -> bool {
    let larger_sources = board.sources(larger);
    let mut is_any = false;
    for first in points_of(larger_sources) {
        let after = board.step(first, larger);
        let begun = play.with_step(0, first);
        let sources = after.sources(smaller) & (u32::MAX >> (31 - first));
        points_of(sources).for_each(|second| visit(begun.with_step(1, second)));
        is_any |= sources != 0;
    }
    // A man that the smaller die bears off first is the rearmost one: the larger die can as well.
    for first in points_of(board.sources(smaller) & (u32::MAX << smaller)) {
        let after = board.step(first, smaller);
        let begun = Play(play.0 | 1 << 5).with_step(0, first);
        let way = |die: u32| first.wrapping_sub(die);
        let repeats = larger_sources >> first & 1 != 0
            && first >= larger
            && (blots >> way(larger) | blots >> way(smaller)) & 1 == 0
            && board.step(first, larger).sources(smaller) >> way(larger) & 1 != 0;
        let sources = after.sources(larger) & ((1 << first) - 1);
        let sources = sources & !(u32::from(repeats) << way(smaller));
        points_of(sources).for_each(|second| visit(begun.with_step(1, second)));
        is_any |= sources != 0;
    }
    is_any
}

/// Visits the plays of one step by the larger die, else by the smaller one, else the play without
/// steps.
fn visit_single_steps(
    board: &Board,
    (larger, smaller): (u32, u32),
    play: Play,
    visit: &mut impl FnMut(Play),
) {
    let sources = board.sources(larger);
    if sources != 0 {
        return points_of(sources).for_each(|from| visit(play.with_step(0, from)));
    }
    let sources = board.sources(smaller);
    if sources == 0 {
        return visit(play);
    }
    let play = Play(play.0 | 1 << 5);
    points_of(sources).for_each(|from| visit(play.with_step(0, from)));
}
