//! Living stones that faces other than their own number allow: under the classic rules those whose
//! next lower or higher number is captured.

use super::cells::MOBILE_CELLS;
use crate::MAX_STONES;
use alea_core::arrays::map_array;

#[inline]
fn movable_by_other_faces(alive: u8) -> u8 {
    const ALL: u8 = (1 << MAX_STONES) - 1;
    let dead = !alive & ALL;
    alive & (dead << 1 | dead >> 1)
}

#[derive(Clone, Copy)]
pub(super) struct Mobility([u8; 16]);

impl Mobility {
    #[inline]
    pub(super) fn new(mover: u8, other: u8) -> Self {
        let [mover, other] = map_array([mover, other], |alive| {
            u16::from(movable_by_other_faces(alive))
        });
        let more = mover << 1 | other << (1 + MAX_STONES);
        let mut symbols = OWN_NUMBER_SYMBOLS;
        for (stone, symbol) in symbols.iter_mut().enumerate() {
            *symbol += (more >> stone & 1) as u8;
        }
        Self(symbols)
    }

    #[inline(always)]
    pub(super) fn symbol_of(&self, symbol: usize) -> u8 {
        self.0[symbol]
    }
}

/// [`MOBILE_CELLS`] symbols, by board symbol, of stones that only their number allows.
pub(super) const OWN_NUMBER_SYMBOLS: [u8; 16] = [0, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 0, 0, 0];

const _: () = {
    let mut symbol = 0;
    while symbol < OWN_NUMBER_SYMBOLS.len() {
        assert!((OWN_NUMBER_SYMBOLS[symbol] as usize) + 1 < MOBILE_CELLS.symbols);
        symbol += 1;
    }
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EinStein, GONE, Position, Standard, Variant, dice::Die, position::Side};

    #[test]
    fn stones_permitted_by_others_are_those_of_the_rules() {
        let rules: Standard = EinStein::new(Variant::Classic, Die::fair());
        for alive in 1..64u8 {
            let side = Side::new(std::array::from_fn(|stone| {
                if alive >> stone & 1 == 1 {
                    stone as u8
                } else {
                    GONE
                }
            }));
            let position = Position::new(side, Side::new([0, GONE, GONE, GONE, GONE, GONE]), 0);
            let mut faces = [0u8; MAX_STONES];
            for face in 1..=6u8 {
                for mv in rules.legal_moves(&position, face).iter() {
                    faces[mv.stone()] |= 1 << (face - 1);
                }
            }
            let expected = (0..MAX_STONES)
                .filter(|&stone| faces[stone].count_ones() > 1)
                .fold(0, |set, stone| set | 1 << stone);
            assert_eq!(movable_by_other_faces(alive), expected, "{alive:06b}");
            assert!(
                (0..MAX_STONES).all(|stone| (faces[stone] >> stone & 1) == (alive >> stone & 1)),
                "{alive:06b}"
            );
        }
        // 1 and 2 are alive, 3 is gone, 4 to 6 are alive, so a 3 allows 2 and 4.
        assert_eq!(movable_by_other_faces(0b11_1011), 0b00_1010);
        assert_eq!(
            Mobility::new(0b11_1011, 0b00_0001).0,
            [0, 1, 2, 1, 2, 1, 1, 4, 3, 3, 3, 3, 3, 0, 0, 0]
        );
    }
}
