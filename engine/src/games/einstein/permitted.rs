//! Which stones a roll permits, and the outcomes that follow for each set of living stones.
//!
//! Invariant: the stones a roll permits are one stone, or two with none alive between them; so they
//! are a run.

use super::{EinStein, GONE, MAX_OUTCOMES, Move, Position, Variant};
use crate::core::game::{FixedList, Outcome};
use crate::games::einstein::dice::Die;

/// Outcomes as runs of stone indices rather than move indices.
pub(super) type StoneRuns = FixedList<Outcome, MAX_OUTCOMES>;

/// For each set of living stones the faces of weight above 0 as runs of stones, put into lists by
/// `add`.
pub(super) fn runs_of_stones(
    variant: Variant,
    die: Die,
    add: impl Fn(&mut StoneRuns, Outcome),
) -> Box<[StoneRuns; 64]> {
    let mut runs = Box::new([StoneRuns::default(); 64]);
    for (alive, runs) in runs.iter_mut().enumerate().skip(1) {
        for face in 1..=die.faces() {
            let weight = die.probability(face) as f32;
            if weight > 0.0 {
                let (first, last) = stones_permitted(variant, alive as u8, face);
                add(
                    runs,
                    Outcome {
                        weight,
                        start: u16::from(first),
                        end: u16::from(last) + 1,
                    },
                );
            }
        }
    }
    runs
}

impl<const COLUMNS: usize, const ROWS: usize> EinStein<COLUMNS, ROWS> {
    /// Whether a rolled face permits a move: the same as to look for it among the legal ones,
    /// without listing them.
    #[must_use]
    #[inline]
    pub fn permits(&self, position: &Position, face: u8, mv: Move) -> bool {
        let (mover, stone) = (position.mover(), mv.stone());
        if face == 0 || face > self.die.faces() || mover.is_empty() {
            return false;
        }
        let rolled = usize::from(face) - 1;
        let permitted = if mover.square(rolled) != GONE {
            // The most frequent case, without a look at the other stones.
            stone == rolled
        } else {
            let (first, last) = stones_permitted(self.variant, mover.alive(), face);
            stone == usize::from(first) || stone == usize::from(last)
        };
        permitted && Self::STEPS_FROM[usize::from(mover.square(stone))] >> mv.direction() & 1 == 1
    }
}

/// The lowest and highest stone index that `face` permits; they are equal or neighbours among the
/// living.
#[inline]
pub(crate) fn stones_permitted(variant: Variant, alive: u8, face: u8) -> (u8, u8) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::{game::Game, random::RandomStream};
    use crate::games::einstein::Standard;

    #[test]
    fn what_is_permitted_is_what_is_listed() {
        let mut random = RandomStream::new(1);
        for variant in [Variant::Classic, Variant::NearestOnly] {
            let rules = Standard::new(variant, Die::fair());
            for _ in 0..100 {
                let mut position = rules.random_start(&mut random, 0);
                while rules.winner(&position).is_none() {
                    for face in 0..=8 {
                        let listed = if (1..=6).contains(&face) {
                            rules.legal_moves(&position, face)
                        } else {
                            Default::default()
                        };
                        for mv in (0..18).filter_map(Move::from_number) {
                            assert_eq!(
                                rules.permits(&position, face, mv),
                                listed.contains(&mv),
                                "{position:?} {face} {mv:?}"
                            );
                        }
                    }
                    position =
                        rules.play(&position, rules.random_move(&position, random.next_u64()));
                }
            }
        }
    }
}
