//! Byte encoding of positions in game records; each position has exactly one.
//!
//! A start position takes three bytes, little-endian: 720 · (index of Red's set-up) + index of
//! Blue's, with bit 19 set if Blue begins. Any other is 518,400 in three bytes, then
//! [`Position::bits`] in eight.

use super::{
    MAX_STONES, Position, Standard,
    position::Side,
    setup::{SETUPS, setup_index},
};
use std::sync::LazyLock;

const NOT_A_SETUP: u32 = (SETUPS * SETUPS) as u32;
const BLUE_BEGINS: u32 = 1 << 19;

static SIDE_BY_SETUP: LazyLock<Vec<Side>> = LazyLock::new(|| {
    let game = Standard::default();
    (0..SETUPS)
        .map(|setup| game.side_with_setup(setup))
        .collect()
});

pub(super) fn encode(position: &Position, bytes: &mut Vec<u8>) {
    let head = match setups_of(position) {
        Some(number) if position.seat() == 1 => number | BLUE_BEGINS,
        Some(number) => number,
        None => NOT_A_SETUP,
    };
    bytes.extend_from_slice(&head.to_le_bytes()[..3]);
    if head == NOT_A_SETUP {
        bytes.extend_from_slice(&position.bits().to_le_bytes());
    }
}

/// Decodes a position and removes it from the front of `bytes`; `None` if the encoding is invalid.
pub(super) fn decode(bytes: &mut &[u8]) -> Option<Position> {
    let (&[a, b, c], rest) = bytes.split_first_chunk()?;
    let head = u32::from_le_bytes([a, b, c, 0]);
    let (number, first) = (head & !BLUE_BEGINS, usize::from(head & BLUE_BEGINS != 0));
    if number < NOT_A_SETUP {
        *bytes = rest;
        let sides =
            [number as usize / SETUPS, number as usize % SETUPS].map(|index| SIDE_BY_SETUP[index]);
        return Some(Position::new(sides[first], sides[1 - first], first));
    }
    let (bits, rest) = rest.split_first_chunk()?;
    *bytes = rest;
    let position = Position::from_bits(u64::from_le_bytes(*bits), Standard::SQUARES)?;
    (head == NOT_A_SETUP && setups_of(&position).is_none()).then_some(position)
}

fn setups_of(start: &Position) -> Option<u32> {
    const HOME_SQUARES: [u8; MAX_STONES] = [0, 1, 2, 5, 6, 10];
    let index = |seat: usize| {
        let mut order = [0; MAX_STONES];
        for (stone, square) in (1..).zip(start.side(seat).squares()) {
            order[HOME_SQUARES.iter().position(|&home| home == square)?] = stone;
        }
        setup_index(&order)
    };
    Some((index(0)? * SETUPS + index(1)?) as u32)
}
