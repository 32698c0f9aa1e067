//! Structure of a side's men: primes, anchors, shots and escapes, as the literature counts them.

use super::{
    Men,
    men::{BAR, mirror},
    rolls::{NUM_ROLLS, dice},
};
use alea_core::{multiversion, simd::Instructions};
use std::sync::LazyLock;

/// Structure of one side's men against the other side's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Structure {
    /// Pip count.
    pub pips: u32,
    /// Set of made points in the home board, bit 0 the ace point.
    pub home_points: u32,
    /// Set of made points in the other side's home board, bit 0 the side's 19 point.
    pub anchors: u32,
    /// Largest number of consecutive made points.
    pub prime: u32,
    /// Number of points with one man.
    pub blots: u32,
    /// Number of men in the other side's home board or on the bar.
    pub back_men: u32,
    /// Number of the 36 rolls that bring the rearmost man past the made points of the other side
    /// among the next six.
    pub escapes: u32,
    /// Number of the 36 rolls that hit a blot of the other side, were this side on roll.
    pub shots: u32,
}

impl Structure {
    /// Structure of the men `own` against the men `other`.
    pub fn new(own: Men, other: Men) -> Self {
        Self::of(own, &Points::of(own), &Points::of(other))
    }

    /// Structures of both sides, each against the other.
    pub fn of_both([own, other]: [Men; 2]) -> [Self; 2] {
        let [points, others] = [Points::of(own), Points::of(other)];
        [
            Self::of(own, &points, &others),
            Self::of(other, &others, &points),
        ]
    }

    #[inline]
    fn of(men: Men, own: &Points, other: &Points) -> Self {
        Self {
            pips: men.pips(),
            home_points: own.made & 0x3F,
            anchors: own.made >> 18 & 0x3F,
            prime: longest_run(own.made & 0xFF_FFFF),
            blots: ((own.occupied & !own.made) & 0xFF_FFFF).count_ones(),
            back_men: Men(men.0 >> 72).in_play(),
            escapes: escapes(men.rearmost(), other),
            shots: shots(own, men.count_on(BAR), other),
        }
    }
}

/// Sets of points that one side's men occupy and have made.
struct Points {
    occupied: u32,
    made: u32,
}

impl Points {
    fn of(men: Men) -> Self {
        Self {
            occupied: men.occupied_points(),
            made: men.made_points(),
        }
    }
}

fn longest_run(mut set: u32) -> u32 {
    // Fifteen men make at most seven points.
    let mut length = 0;
    for _ in 0..7 {
        length += u32::from(set != 0);
        set &= set >> 1;
    }
    length
}

/// Number of the 36 rolls that escape, by the set of blocked points among the next twelve.
static ESCAPES: LazyLock<Box<[u8; 1 << 12]>> = LazyLock::new(|| {
    let count = |blocked: usize| {
        let last = (blocked & 0x3F).checked_ilog2().map_or(0, |last| last + 1);
        let is_open = |distance: u8| blocked >> (distance - 1) & 1 == 0;
        let passes = |distance: u8| is_open(distance) && u32::from(distance) > last;
        let escapes = |roll: &usize| match dice(*roll) {
            (die, smaller) if die == smaller => {
                let steps = (1..=4)
                    .map(|step| step * die)
                    .take_while(|&to| to <= 12 && is_open(to));
                steps.into_iter().any(|to| u32::from(to) > last)
            }
            (one, two) => {
                passes(one) || passes(two) || (is_open(one) || is_open(two)) && passes(one + two)
            }
        };
        let weight = |roll: usize| if dice(roll).0 == dice(roll).1 { 1 } else { 2 };
        (0..NUM_ROLLS).filter(escapes).map(weight).sum()
    };
    let counts: Vec<u8> = (0..1 << 12).map(count).collect();
    counts
        .into_boxed_slice()
        .try_into()
        .expect("a set of twelve points")
});

fn escapes(rearmost: u32, other: &Points) -> u32 {
    let window = other.made & 0xFF_FFFF;
    let ahead = window >> (u32::from(BAR) - rearmost.max(1)) & 0xFFF;
    ESCAPES[ahead as usize].into()
}

fn shots(own: &Points, on_bar: u32, other: &Points) -> u32 {
    static INSTRUCTIONS: LazyLock<Instructions> = LazyLock::new(Instructions::detect);
    let open = !mirror(other.made);
    let blots = mirror(other.occupied) & open;
    if blots == 0 {
        return 0;
    }
    count_shots(*INSTRUCTIONS, own.occupied, on_bar, open, blots)
}

/// Rolls of two different dice by vector lane, as shifts of sets of points; the last lane is none.
const PAIRS: [[u32; 16]; 2] = {
    let mut pairs = [[u32::BITS - 1; 16]; 2];
    let (mut lane, mut roll) = (0, 0);
    while roll < NUM_ROLLS {
        let (larger, smaller) = dice(roll);
        if larger > smaller {
            [pairs[0][lane], pairs[1][lane]] = [larger as u32, smaller as u32];
            lane += 1;
        }
        roll += 1;
    }
    pairs
};

/// Dice of the doubles by vector lane; the last two lanes have a die too large for any move.
const DOUBLES: [u32; 8] = [1, 2, 3, 4, 5, 6, u32::BITS - 1, u32::BITS - 1];

multiversion! {
    /// Number of the 36 rolls by which men on the points `occupied`, or `on_bar` men on the bar,
    /// reach one of the `blots` over `open` points.
    fn count_shots(occupied: u32, on_bar: u32, open: u32, blots: u32) -> u32 {
        any => count_shots_body,
    }
}

#[inline(always)]
fn count_shots_body(occupied: u32, on_bar: u32, open: u32, blots: u32) -> u32 {
    const ENTRY: u32 = 1 << (BAR - 1);
    let men = occupied & (ENTRY - 1);
    let is_hit = |reached: u32| u32::from(reached & blots != 0);
    // Men enter first; a die that cannot enter one moves nothing else.
    let if_in = |entered: u32, set: u32| if entered == 0 { 0 } else { set };
    let (mut by_pairs, mut by_doubles) = ([0; 16], [0; 8]);
    for lane in 0..16 {
        let [one, two] = [PAIRS[0][lane], PAIRS[1][lane]];
        let once = [men >> one & open, men >> two & open];
        let entered = [ENTRY >> one & open, ENTRY >> two & open];
        by_pairs[lane] = match on_bar {
            0 => once[0] | once[1] | once[0] >> two | once[1] >> one,
            1 => {
                entered[0]
                    | entered[1]
                    | if_in(entered[0], once[1] | entered[0] >> two)
                    | if_in(entered[1], once[0] | entered[1] >> one)
            }
            _ => entered[0] | entered[1],
        };
    }
    for lane in 0..8 {
        let die = DOUBLES[lane];
        let entered = ENTRY >> die & open;
        let (mut from, mut all) = match on_bar {
            0 => (men, 0),
            _ => (if_in(entered, men | entered), entered),
        };
        for step in 0..4 {
            from = from >> die & open;
            all |= if step + on_bar < 4 { from } else { 0 };
        }
        by_doubles[lane] = all;
    }
    2 * by_pairs.map(is_hit).iter().sum::<u32>() + by_doubles.map(is_hit).iter().sum::<u32>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Backgammon, positions_of_random_games};

    #[test]
    fn shots_are_the_rolls_with_a_play_that_hits() {
        let (mut all, mut with_bar) = (0, 0);
        for position in positions_of_random_games(6, 3) {
            let [own, other] = [position.mover(), position.other()];
            let mut expected = 0;
            for roll in 0..NUM_ROLLS {
                let mut is_hit = false;
                position.visit_plays(roll, |play| {
                    position.visit_steps(play, |_, _, hits| is_hit |= hits);
                });
                let (one, two) = dice(roll);
                expected += u32::from(is_hit) * if one == two { 1 } else { 2 };
            }
            let found = Structure::new(own, other).shots;
            // Plays must use both dice and enter all men, which shots leave out of account.
            let range = expected..=expected + 6;
            assert!(range.contains(&found), "{position:?} {found} {expected}");
            all += u32::from(found > 0);
            with_bar += u32::from(found > 0 && own.count_on(BAR) > 0);
        }
        assert!(all > 200 && with_bar > 30, "{all} {with_bar}");
    }

    #[test]
    fn structure_of_positions_by_hand() {
        let of = |text: &str| {
            let (position, _) = Backgammon.parse_position(text).unwrap();
            let (mover, other) = (position.mover(), position.other());
            [Structure::new(mover, other), Structure::new(other, mover)]
        };
        let [start, same] = of("4HPwATDgc/ABMA w -");
        let found = (
            start.pips,
            start.home_points,
            start.anchors,
            start.prime,
            start.blots,
        );
        assert_eq!(found, (167, 1 << 5, 1 << 5, 1, 0));
        assert_eq!(
            (start.back_men, start.escapes, start.shots, start),
            (2, 22, 0, same)
        );
        // The other side's prime from its 4 to its 9 point stands before the man on the bar.
        let [white, black] = of("XGID=-------------A--bbbbbb---A:0:0:1");
        assert_eq!(
            (white.escapes, white.blots, white.back_men, white.shots),
            (0, 1, 1, 0)
        );
        assert_eq!(
            (black.prime, black.home_points, black.blots),
            (6, 0b11_1000, 0)
        );
        assert_eq!(of("XGID=--------------A----bb-bbbA:0:0:1")[0].escapes, 7);
    }
}
