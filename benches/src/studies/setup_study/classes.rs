//! Which set-ups are worth the same: those that a symmetry of the board or of the die turns into
//! each other.
//!
//! Transposing the board turns both sides' set-ups at once; reversing a side's labels (1 ↔ 6, 2 ↔
//! 5, 3 ↔ 4) turns that side's alone. Against all set-ups together all four images of a set-up are
//! worth the same, if both players mind no symmetry; against one single set-up only the two that
//! differ by labels are. Invariant: 180 classes of four, numbered in the order of their first
//! members.

use engine::games::einstein::setup::{SETUPS, setup_index, setup_stones};

/// How many classes there are.
pub(super) const CLASSES: usize = SETUPS / 4;

/// Where the home squares a5 b5 c5 a4 b4 a3 come to lie when the board is transposed.
const TRANSPOSED: [usize; 6] = [0, 3, 5, 1, 4, 2];

/// The set-up seen in the mirror of the board's diagonal.
pub(super) fn transposed(setup: usize) -> usize {
    let order = setup_stones(setup, 6);
    index(&TRANSPOSED.map(|square| order[square]))
}

/// The set-up with labels read backwards.
pub(super) fn reversed(setup: usize) -> usize {
    index(
        &setup_stones(setup, 6)
            .iter()
            .map(|stone| 7 - stone)
            .collect::<Vec<_>>(),
    )
}

fn index(order: &[u8]) -> usize {
    setup_index(order).unwrap_or_default()
}

/// Which class each set-up belongs to, and the members of each class.
pub(super) struct Classes {
    /// The class of each set-up.
    pub of: Vec<usize>,
    /// The members of each class, in rising order.
    pub members: Vec<[usize; 4]>,
}

impl Classes {
    pub(super) fn new() -> Self {
        let mut classes = Self {
            of: vec![usize::MAX; SETUPS],
            members: Vec::with_capacity(CLASSES),
        };
        for setup in 0..SETUPS {
            if classes.of[setup] == usize::MAX {
                let mut members = [
                    setup,
                    transposed(setup),
                    reversed(setup),
                    transposed(reversed(setup)),
                ];
                members.sort_unstable();
                members
                    .iter()
                    .for_each(|&member| classes.of[member] = classes.members.len());
                classes.members.push(members);
            }
        }
        classes
    }
}

impl Default for Classes {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::games::einstein::{RED, Standard, symmetry::symmetric};

    #[test]
    fn images_are_those_of_the_symmetries_of_positions() {
        let game = Standard::default();
        for (red, blue) in [(0, 719), (5, 77), (640, 123), (311, 312)] {
            let position = game.start([red, blue], RED);
            // Red is to move: bit 0 transposes both sides, bit 1 reverses Red's labels, bit 2
            // Blue's.
            assert_eq!(
                symmetric(&position, 1),
                game.start([transposed(red), transposed(blue)], RED)
            );
            assert_eq!(
                symmetric(&position, 2),
                game.start([reversed(red), blue], RED)
            );
            assert_eq!(
                symmetric(&position, 4),
                game.start([red, reversed(blue)], RED)
            );
        }
    }

    #[test]
    fn there_are_180_classes_of_four_different_set_ups() {
        let classes = Classes::new();
        assert_eq!(classes.members.len(), CLASSES);
        for (class, members) in classes.members.iter().enumerate() {
            assert!(
                members.windows(2).all(|pair| pair[0] < pair[1]),
                "{members:?}"
            );
            assert!(members.iter().all(|&member| classes.of[member] == class));
        }
        // 123/45/6 by hand: transposed 146/25/3, reversed 654/32/1, both 631/52/4.
        let stones = |text: &str| {
            setup_index(&text.bytes().map(|byte| byte - b'0').collect::<Vec<_>>()).unwrap()
        };
        assert_eq!(
            classes.members[0],
            [0, stones("146253"), stones("631524"), stones("654321")]
        );
    }
}
