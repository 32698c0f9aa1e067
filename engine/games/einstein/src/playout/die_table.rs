//! Monte_Alpha's die table (Electronics 2023, 12, 2936): samples the moving stone with its exact
//! probability by one look-up.

use crate::{MAX_STONES, Variant, allowed_stones};

/// Number of table entries per set of living stones: two per face.
pub const ENTRIES: usize = 12;

/// For each set of living stones, twelve equally likely moving stones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DieTable {
    stones: Box<[[u8; ENTRIES]; 64]>,
}

impl DieTable {
    /// The table of a variant, for the fair die of six faces.
    pub fn new(variant: Variant) -> Self {
        let mut stones = Box::new([[0; ENTRIES]; 64]);
        for (alive, entries) in stones.iter_mut().enumerate().skip(1) {
            for (face, pair) in (1u8..).zip(entries.as_chunks_mut::<2>().0) {
                let (first, last) = allowed_stones(variant, alive as u8, face);
                *pair = [first, last];
            }
        }
        Self { stones }
    }

    /// Twelve equally likely moving stones (from 0), for the living stones `alive` (bit i = stone
    /// i, not empty).
    #[inline]
    pub fn moving_stones(&self, alive: u8) -> &[u8; ENTRIES] {
        &self.stones[usize::from(alive & 63)]
    }

    /// By stone, the probability that it moves, in twelfths, for the living stones `alive` (bit i =
    /// stone i).
    pub fn move_twelfths(&self, alive: u8) -> [u8; MAX_STONES] {
        let mut counts = [0; MAX_STONES];
        for &stone in self.moving_stones(alive) {
            counts[usize::from(stone)] += 1;
        }
        counts
    }

    /// A moving stone (from 0) sampled by 32 random bits, with a bias below 12 / 2³².
    #[inline]
    pub fn sample_stone(&self, alive: u8, bits: u32) -> u8 {
        self.moving_stones(alive)[alea_core::game::uniform_index(ENTRIES, bits)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The published rule: half of each face for the nearest living stone on either side.
    fn twelfths_by_the_rule(alive: u8) -> [u8; 6] {
        let lives = |stone: i32| (0..6).contains(&stone) && alive >> stone & 1 == 1;
        let mut counts = [0; 6];
        for rolled in 0..6 {
            let higher = (rolled..6).find(|&stone| lives(stone));
            let lower = (0..=rolled).rev().find(|&stone| lives(stone));
            let [first, second] =
                [higher.or(lower), lower.or(higher)].map(|stone| stone.unwrap() as usize);
            counts[first] += 1;
            counts[second] += 1;
        }
        counts
    }

    #[test]
    fn every_set_has_its_exact_probabilities() {
        let table = DieTable::new(Variant::Classic);
        for alive in 1..64 {
            assert_eq!(
                table.move_twelfths(alive),
                twelfths_by_the_rule(alive),
                "{alive:06b}"
            );
        }
        // By hand: faces 1 and 2 allow stone 2, 5 and 6 stone 5, 3 and 4 either.
        assert_eq!(table.move_twelfths(0b010010), [0, 6, 0, 0, 6, 0]);
        assert_eq!(table.move_twelfths(0b100001), [6, 0, 0, 0, 0, 6]);
        assert_eq!(table.move_twelfths(0b100011), [2, 5, 0, 0, 0, 5]);
        assert_eq!(table.move_twelfths(0b001000), [0, 0, 0, 12, 0, 0]);
        assert_eq!(table.move_twelfths(0b111111), [2; 6]);
        // Nearest only, stones 1, 2 and 6: a 3 allows stone 2, a 5 stone 6, a 4 either.
        assert_eq!(
            DieTable::new(Variant::NearestOnly).move_twelfths(0b100011),
            [2, 5, 0, 0, 0, 5]
        );
        assert_eq!(
            DieTable::new(Variant::NearestOnly).move_twelfths(0b100101),
            [3, 0, 5, 0, 0, 4]
        );
    }

    #[test]
    fn a_look_up_reaches_every_entry_equally_often() {
        let table = DieTable::new(Variant::Classic);
        let mut counts = [0; 6];
        for index in 0..1200u64 {
            counts
                [usize::from(table.sample_stone(0b100011, (index << 32).div_ceil(1200) as u32))] +=
                1;
        }
        assert_eq!(counts, [200, 500, 0, 0, 0, 500]);
    }
}
