//! Structure of a side's men: primes, anchors, shots and escapes, as the literature counts them.

use super::{
    Men,
    men::{BAR, mirror},
    rolls::{NUM_ROLLS, dice},
};
use std::sync::LazyLock;

/// Structure of one side's men against the other side's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Structure {
    /// Pip count.
    pub pips: u32,
    /// Set of made points in the home board, bit 0 the ace point.
    pub home: u32,
    /// Set of made points in the other side's home board, bit 0 the side's 19 point.
    pub anchors: u32,
    /// Largest number of consecutive made points.
    pub prime: u32,
    /// Number of points with one man.
    pub blots: u32,
    /// Number of men in the other side's home board or on the bar.
    pub back: u32,
    /// Number of the 36 rolls that bring the rearmost man past the made points of the other side
    /// among the next six.
    pub escapes: u32,
    /// Number of the 36 rolls that hit a blot of the other side, were this side on roll.
    pub shots: u32,
}

impl Structure {
    /// Structure of the men `own` against the men `other`.
    pub fn new(own: Men, other: Men) -> Self {
        let made = own.made();
        Self {
            pips: own.pips(),
            home: made & 0x3F,
            anchors: made >> 18 & 0x3F,
            prime: longest_run(made & 0xFF_FFFF),
            blots: ((own.occupied() & !made) & 0xFF_FFFF).count_ones(),
            back: Men(own.0 >> 72).in_play(),
            escapes: escapes(own, other),
            shots: shots(own, other),
        }
    }
}

fn longest_run(mut set: u32) -> u32 {
    let mut length = 0;
    while set != 0 {
        set &= set >> 1;
        length += 1;
    }
    length
}

/// Number of rolls that escape, by the set of blocked points among the next twelve.
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

fn escapes(own: Men, other: Men) -> u32 {
    let window = other.made() & 0xFF_FFFF;
    let ahead = window >> (u32::from(BAR) - own.rearmost().max(1)) & 0xFFF;
    ESCAPES[ahead as usize].into()
}

fn shots(own: Men, other: Men) -> u32 {
    let blocked = mirror(other.made());
    let blots = mirror(other.occupied()) & !blocked;
    if blots == 0 {
        return 0;
    }
    let bar = own.on(BAR);
    let men = own.occupied() & 0xFF_FFFF;
    let entry = 1 << (BAR - 1);
    let reached = |from: u32, die: u8| from >> die & !blocked;
    // Men enter first; a die that cannot enter one moves nothing else.
    let in_order = |first: u8, second: u8| match bar {
        0 => {
            let once = reached(men, first);
            once | reached(men, second) | reached(once, second)
        }
        1 => match reached(entry, first) {
            0 => 0,
            entered => entered | reached(men | entered, second),
        },
        _ => reached(entry, first) | reached(entry, second),
    };
    let hits = |roll: usize| match dice(roll) {
        (die, smaller) if die == smaller => {
            let (mut from, mut all) = (men, 0);
            if bar > 0 {
                let entered = reached(entry, die);
                (from, all) = if entered == 0 {
                    (0, 0)
                } else {
                    (men | entered, entered)
                };
            }
            for _ in bar..4 {
                from = reached(from, die);
                all |= from;
            }
            u32::from(all & blots != 0)
        }
        (one, two) => 2 * u32::from((in_order(one, two) | in_order(two, one)) & blots != 0),
    };
    (0..NUM_ROLLS).map(hits).sum()
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
                    position.follow(play, |_, _, hits| is_hit |= hits);
                });
                let (one, two) = dice(roll);
                expected += u32::from(is_hit) * if one == two { 1 } else { 2 };
            }
            let found = shots(own, other);
            // Plays must use both dice and enter all men, which shots leave out of account.
            let range = expected..=expected + 6;
            assert!(range.contains(&found), "{position:?} {found} {expected}");
            all += u32::from(found > 0);
            with_bar += u32::from(found > 0 && own.on(BAR) > 0);
        }
        assert!(all > 200 && with_bar > 30, "{all} {with_bar}");
    }

    #[test]
    fn structure_of_positions_by_hand() {
        let game = Backgammon;
        let start = Structure::new(Men::START, Men::START);
        let expected = Structure {
            pips: 167,
            home: 1 << 5,
            anchors: 1 << 5,
            prime: 1,
            blots: 0,
            back: 2,
            escapes: 22,
            shots: 0,
        };
        let escapes = start.escapes;
        assert_eq!(
            Structure {
                escapes,
                ..expected
            },
            start
        );
        // The other side's prime from its 4 to its 9 point stands before the man on the bar.
        let (primed, _) = game
            .parse_position("XGID=-------------A--bbbbbb---A:0:0:1")
            .unwrap();
        let white = Structure::new(primed.mover(), primed.other());
        let black = Structure::new(primed.other(), primed.mover());
        assert_eq!(
            (white.escapes, white.blots, white.back, white.shots),
            (0, 1, 1, 0)
        );
        assert_eq!((black.prime, black.home, black.blots), (6, 0b11_1000, 0));
        let (broken, _) = game
            .parse_position("XGID=--------------A----bb-bbbA:0:0:1")
            .unwrap();
        let white = Structure::new(broken.mover(), broken.other());
        assert_eq!(white.escapes, 7, "{white:?}");
    }
}
