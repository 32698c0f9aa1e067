//! Stones that a roll allows, and the die's outcomes for each set of living stones.
//!
//! Invariant: a roll allows one stone, or two with no living stone between them, stored as first
//! and last of a range.

use super::{EinStein, MAX_OUTCOMES, MoveList, Position, Variant};
use crate::dice::Die;
use alea_core::game::{FixedList, Game, Outcome};

/// Outcomes of a roll; `start..end` are stones (from 0), not moves.
pub(super) type StoneOutcomes = FixedList<Outcome, MAX_OUTCOMES>;

pub(super) fn outcomes_by_alive_set(
    variant: Variant,
    die: Die,
    add: impl Fn(&mut StoneOutcomes, Outcome),
) -> Box<[StoneOutcomes; 64]> {
    let mut stone_ranges = Box::new([StoneOutcomes::default(); 64]);
    for (alive, stone_ranges) in stone_ranges.iter_mut().enumerate().skip(1) {
        for face in 1..=die.faces() {
            let weight = die.probability(face) as f32;
            if weight > 0.0 {
                let (first, last) = allowed_stones(variant, alive as u8, face);
                add(
                    stone_ranges,
                    Outcome {
                        weight,
                        start: u16::from(first),
                        end: u16::from(last) + 1,
                    },
                );
            }
        }
    }
    stone_ranges
}

impl Variant {
    pub(super) const NAMED: [(&'static str, Self); 2] =
        [("classic", Self::Classic), ("nearest", Self::NearestOnly)];

    pub(super) fn name(self) -> &'static str {
        Self::NAMED[self as usize].0
    }
}

impl<const COLUMNS: usize, const ROWS: usize> EinStein<COLUMNS, ROWS> {
    /// All moves that some face of the die allows, by stone, then direction.
    pub fn all_moves(&self, position: &Position) -> MoveList {
        let mut moves = MoveList::default();
        self.moves(position, &mut moves);
        moves
    }
}

/// First and last stone (from 0) that `face` (from 1) allows; equal if only one.
#[inline]
pub(crate) fn allowed_stones(variant: Variant, alive: u8, face: u8) -> (u8, u8) {
    let rolled = face - 1;
    if alive >> rolled & 1 == 1 {
        return (rolled, rolled);
    }
    let below = alive & ((1u8 << rolled) - 1);
    let above = alive & !((1u8 << rolled) - 1);
    let lower = (below != 0).then(|| 7 - below.leading_zeros() as u8);
    let higher = (above != 0).then(|| above.trailing_zeros() as u8);
    match (lower, higher) {
        (Some(lower), Some(higher)) => match variant {
            Variant::Classic => (lower, higher),
            Variant::NearestOnly => match (rolled - lower).cmp(&(higher - rolled)) {
                std::cmp::Ordering::Less => (lower, lower),
                std::cmp::Ordering::Greater => (higher, higher),
                std::cmp::Ordering::Equal => (lower, higher),
            },
        },
        (Some(only), None) | (None, Some(only)) => (only, only),
        (None, None) => unreachable!("a side without stones has lost and does not roll"),
    }
}
