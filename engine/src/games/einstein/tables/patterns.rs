//! Label patterns: the set of labels of a side's living stones.
//!
//! A side of `k` stones is a tuple of squares in the order of labels and a *pattern*, the set of
//! the labels; only the pattern decides which stones a roll allows. Patterns of `k` stones are
//! numbered in the order of their sets as numbers (bit i = label i + 1). Every roll allows a single
//! stone, so all its labels are one pattern. [`weights`] derives from the rules face by face.

use crate::games::einstein::{Variant, stones_permitted};

/// Maximum stones of a side in a table.
pub(super) const MAX_TABLE_STONES: usize = 5;

/// Number of patterns of a side, by its number of stones.
pub(super) const PATTERNS: [usize; 7] = [1, 1, 15, 20, 15, 6, 1];

/// Faces of the die.
pub(super) const FACES: usize = 6;

/// For each set of labels the number of its pattern among those of equally many stones.
pub(super) static NUMBERS_OF_SETS: [u8; 64] = {
    let mut numbers = [0; 64];
    let mut counted = [0; 7];
    let mut mask = 0usize;
    while mask < 64 {
        let stones = mask.count_ones() as usize;
        if stones != 1 {
            numbers[mask] = counted[stones];
            counted[stones] += 1;
        }
        mask += 1;
    }
    numbers
};

/// Number of the pattern of a set of labels, optionally with all labels reversed.
pub(super) fn number(mask: u8, is_reversed: bool) -> usize {
    let mask = if is_reversed { reversed(mask) } else { mask };
    usize::from(NUMBERS_OF_SETS[usize::from(mask)])
}

/// A set of labels with every label reversed (1 ↔ 6, 2 ↔ 5, 3 ↔ 4).
pub(super) const fn reversed(mask: u8) -> u8 {
    mask.reverse_bits() >> 2
}

/// The sets of labels of `stones` stones in the order of their numbers; for a single stone label 1
/// stands for all.
pub(super) fn masks(stones: usize) -> Vec<u8> {
    (0..64u8)
        .filter(|mask| mask.count_ones() as usize == stones)
        .take(PATTERNS[stones])
        .collect()
}

/// A set of labels without the `index`-th lowest.
pub(super) fn without(mask: u8, index: usize) -> u8 {
    let above = (0..index).fold(mask, |rest, _| rest & (rest - 1));
    mask ^ (above & above.wrapping_neg())
}

/// Faces that allow only the i-th living stone (`alone[i]`), and faces that allow it or the next
/// higher one (`shared[i]`); together six. A roll allows one stone or two neighbours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Weights {
    pub(super) alone: [u8; 6],
    pub(super) shared: [u8; 6],
}

/// Weights of a set of labels under a variant of the rules.
pub(super) fn weights(variant: Variant, mask: u8) -> Weights {
    let mut weights = Weights::default();
    for face in 1..=FACES as u8 {
        let (first, last) = stones_permitted(variant, mask, face);
        let stone_index = (mask & ((1 << first) - 1)).count_ones() as usize;
        if first == last {
            weights.alone[stone_index] += 1
        } else {
            weights.shared[stone_index] += 1
        }
    }
    weights
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_numbered_without_gaps() {
        for (stones, patterns) in PATTERNS.into_iter().enumerate().skip(1) {
            let masks = masks(stones);
            assert_eq!(masks.len(), patterns);
            for (index, &mask) in masks.iter().enumerate() {
                assert_eq!(number(mask, false), index);
                assert_eq!(number(reversed(mask), true), index);
            }
        }
    }

    #[test]
    fn weights_by_hand() {
        // Labels 2 and 5: faces 1, 2 permit the lower stone, 5, 6 the higher, 3 and 4 either; the
        // nearest is never in doubt.
        let classic = weights(Variant::Classic, 0b01_0010);
        assert_eq!(
            (classic.alone, classic.shared),
            ([2, 2, 0, 0, 0, 0], [2, 0, 0, 0, 0, 0])
        );
        let nearest = weights(Variant::NearestOnly, 0b01_0010);
        assert_eq!(
            (nearest.alone, nearest.shared),
            ([3, 3, 0, 0, 0, 0], [0; 6])
        );
        // Labels 1, 3, 4: face 2 permits 1 or 3 in both variants, faces 5 and 6 the stone 4.
        let three = weights(Variant::NearestOnly, 0b00_1101);
        assert_eq!(
            (three.alone, three.shared),
            ([1, 1, 3, 0, 0, 0], [1, 0, 0, 0, 0, 0])
        );
        assert_eq!(without(0b00_1101, 1), 0b00_1001);
        assert_eq!(without(0b00_1101, 2), 0b00_0101);
    }
}
