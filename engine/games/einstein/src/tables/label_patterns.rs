//! Label patterns: which of the six labels a side's living stones have; they decide the stones that
//! a roll allows.
//!
//! Patterns of k stones are numbered in ascending order of bit sets (bit i = label i + 1). All
//! labels of a single stone are one pattern.

use crate::{Variant, allowed_stones};

pub(super) const MAX_SIDE_STONES: usize = 5;

pub(super) const NUM_PATTERNS: [usize; 7] = [1, 1, 15, 20, 15, 6, 1];

pub(super) const NUM_FACES: usize = 6;

pub(super) static PATTERN_NUMBERS: [u8; 64] = {
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

pub(super) fn pattern_number(mask: u8, is_reversed: bool) -> usize {
    let mask = if is_reversed {
        reverse_mask(mask)
    } else {
        mask
    };
    usize::from(PATTERN_NUMBERS[usize::from(mask)])
}

pub(super) const fn reverse_mask(mask: u8) -> u8 {
    mask.reverse_bits() >> 2
}

pub(super) fn pattern_masks(stones: usize) -> Vec<u8> {
    (0..64u8)
        .filter(|mask| mask.count_ones() as usize == stones)
        .take(NUM_PATTERNS[stones])
        .collect()
}

pub(super) fn without_label(mask: u8, index: usize) -> u8 {
    let above = (0..index).fold(mask, |rest, _| rest & (rest - 1));
    mask ^ (above & above.wrapping_neg())
}

/// Numbers of faces that allow only the i-th living stone (`alone[i]`), or the i-th and the next
/// (`shared[i]`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct FaceCounts {
    pub(super) alone: [u8; 6],
    pub(super) shared: [u8; 6],
}

pub(super) fn face_counts(variant: Variant, mask: u8) -> FaceCounts {
    let mut weights = FaceCounts::default();
    for face in 1..=NUM_FACES as u8 {
        let (first, last) = allowed_stones(variant, mask, face);
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
        for (stones, patterns) in NUM_PATTERNS.into_iter().enumerate().skip(1) {
            let masks = pattern_masks(stones);
            assert_eq!(masks.len(), patterns);
            for (index, &mask) in masks.iter().enumerate() {
                assert_eq!(pattern_number(mask, false), index);
                assert_eq!(pattern_number(reverse_mask(mask), true), index);
            }
        }
    }

    #[test]
    fn weights_by_hand() {
        // Labels 2 and 5: faces 1 and 2 allow the lower stone, 5 and 6 the higher, 3 and 4 both or
        // the nearest.
        let classic = face_counts(Variant::Classic, 0b01_0010);
        assert_eq!(
            (classic.alone, classic.shared),
            ([2, 2, 0, 0, 0, 0], [2, 0, 0, 0, 0, 0])
        );
        let nearest = face_counts(Variant::NearestOnly, 0b01_0010);
        assert_eq!(
            (nearest.alone, nearest.shared),
            ([3, 3, 0, 0, 0, 0], [0; 6])
        );
        // Labels 1, 3 and 4: face 2 allows 1 or 3 in both variants, faces 5 and 6 allow stone 4.
        let three = face_counts(Variant::NearestOnly, 0b00_1101);
        assert_eq!(
            (three.alone, three.shared),
            ([1, 1, 3, 0, 0, 0], [1, 0, 0, 0, 0, 0])
        );
        assert_eq!(without_label(0b00_1101, 1), 0b00_1001);
        assert_eq!(without_label(0b00_1101, 2), 0b00_0101);
    }
}
