//! The 21 rolls of two dice.
//!
//! Rolls are numbered by the larger die, then by the smaller one: 11, 21, 22, 31, …, 66. The name
//! of a roll begins with the larger die.

/// Number of rolls.
pub const NUM_ROLLS: usize = 21;

/// Names of the rolls by number.
pub const ROLL_NAMES: [&str; NUM_ROLLS] = [
    "11", "21", "22", "31", "32", "33", "41", "42", "43", "44", "51", "52", "53", "54", "55", "61",
    "62", "63", "64", "65", "66",
];

const DICE: [(u8, u8); NUM_ROLLS] = {
    let mut dice = [(0, 0); NUM_ROLLS];
    let mut number = 0;
    while number < NUM_ROLLS {
        let name = ROLL_NAMES[number].as_bytes();
        dice[number] = (name[0] - b'0', name[1] - b'0');
        number += 1;
    }
    dice
};

/// The larger and the smaller die of a roll.
#[inline]
pub const fn dice(roll: usize) -> (u8, u8) {
    DICE[roll]
}

/// Number of the roll of two dice, in either order; `None` unless both show 1 to 6.
pub fn roll_number(one: u8, other: u8) -> Option<usize> {
    let dice = [one, other].map(|die| usize::from(die).wrapping_sub(1));
    (dice[0].max(dice[1]) < 6).then(|| number_of(dice[0], dice[1]))
}

/// Number of the roll of two dice, each minus 1, in either order.
#[inline]
fn number_of(one: usize, other: usize) -> usize {
    let larger = one.max(other);
    larger * (larger + 1) / 2 + one.min(other)
}

/// Number of the roll called `name`, with the dice in either order; `None` for other texts.
pub fn roll_named(name: &str) -> Option<usize> {
    match *name.as_bytes() {
        [one, other] => roll_number(one.wrapping_sub(b'0'), other.wrapping_sub(b'0')),
        _ => None,
    }
}

/// Probability of a roll: 1/36 for doubles, 2/36 for others.
#[inline]
pub fn roll_probability(roll: usize) -> f32 {
    let (larger, smaller) = dice(roll);
    if larger == smaller {
        1.0 / 36.0
    } else {
        2.0 / 36.0
    }
}

/// Samples the number of a roll from 32 random bits, with a bias of at most 36 / 2^32.
#[inline]
pub fn sample_roll(bits: u32) -> usize {
    let dice = alea_core::game::uniform_index(36, bits);
    number_of(dice / 6, dice % 6)
}
