//! GNU Backgammon's position ID: 80 bits in 14 characters of base 64.
//!
//! First for the side that is not on roll, then for the side on roll, each point from the side's
//! own ace point to its bar is a 1 for each man and a 0. Bits fill each byte from the lowest.

use super::{
    Men,
    men::{NUM_MEN, mirror},
};
use alea_core::text::{TextError, error_at};

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Number of characters of a position ID.
pub const ID_LENGTH: usize = 14;

/// Formats the position ID of the men of the side on roll and of the other side.
pub fn format_position_id(mover: Men, other: Men) -> String {
    let bytes = position_bits(mover, other).to_le_bytes();
    let digit = |index: usize| {
        let (byte, shift) = (6 * index / 8, 6 * index % 8);
        let pair = u16::from_be_bytes([bytes[byte], bytes[byte + 1]]);
        char::from(DIGITS[usize::from(pair << shift >> 10)])
    };
    (0..ID_LENGTH).map(digit).collect()
}

/// Parses a position ID to the men of the side on roll and of the other side.
///
/// # Errors
/// If the text is no ID, a side has more than 15 men, or a point has men of both sides.
pub fn parse_position_id(text: &str) -> Result<(Men, Men), TextError> {
    let mut bytes = [0; 16];
    for (index, character) in text.chars().enumerate() {
        let digit = DIGITS
            .iter()
            .position(|&digit| char::from(digit) == character);
        let Some(digit) = digit.filter(|_| index < ID_LENGTH) else {
            return error_at(index + 1, "a position ID is 14 letters, digits, + and /");
        };
        let (byte, shift) = (6 * index / 8, 6 * index % 8);
        let pair = ((digit as u16) << 10 >> shift).to_be_bytes();
        bytes[byte] |= pair[0];
        bytes[byte + 1] |= pair[1];
    }
    if text.len() != ID_LENGTH {
        return error_at(text.len() + 1, "a position ID has 14 characters");
    }
    let men = men_from_bits(u128::from_le_bytes(bytes));
    men.map_err(|problem| TextError::new(1, problem))
}

pub(crate) fn position_bits(mover: Men, other: Men) -> u128 {
    let (mut bits, mut length) = (0, 0);
    for count in [other, mover].iter().flat_map(|men| men.counts()) {
        bits |= ((1 << count) - 1) << length;
        length += u32::from(count) + 1;
    }
    bits
}

/// The men of the side on roll and of the other side from [`position_bits`].
pub(crate) fn men_from_bits(mut bits: u128) -> Result<(Men, Men), String> {
    let mut sides = [[0; 25]; 2];
    for count in sides.as_flattened_mut() {
        *count = bits.trailing_ones().min(NUM_MEN + 1) as u8;
        bits = bits >> *count >> 1;
    }
    let [other, mover] = sides.map(Men::from_counts);
    let (Some(mover), Some(other), 0) = (mover, other, bits) else {
        return Err("a side has more than 15 men".to_owned());
    };
    check_men(mover, other).map(|()| (mover, other))
}

/// Checks that no point has men of both sides and that there are men.
pub(crate) fn check_men(mover: Men, other: Men) -> Result<(), String> {
    let shared = mover.occupied_points() & mirror(other.occupied_points());
    if shared != 0 {
        let point = shared.trailing_zeros() + 1;
        return Err(format!("both sides have men on the mover's point {point}"));
    }
    if mover.in_play() + other.in_play() == 0 {
        return Err("no side has men".to_owned());
    }
    Ok(())
}
