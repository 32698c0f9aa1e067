//! Reciprocal distance, which replaces playouts in Monte_Alpha 2: "the stone the die selects scores
//! 1/d".
//!
//! Our reading before the roll: score = R(own) − R(enemy), R being the expected largest 1/d among
//! the allowed stones, d the distance to the goal in king's moves.

use super::race_tables::{NUM_DISTANCE_VECTORS, distance_index, index_to_distances};
use crate::{Position, Standard};
use alea_core::{calibration::Calibration, evaluator::Score};
use alea_play::registry::{EvaluatorEntry, calibrated};
use std::sync::Arc;

/// Evaluator: expected largest 1 / distance to the goal among allowed stones, own minus enemy's.
#[derive(Clone, Debug)]
pub struct Reciprocal {
    expected: Arc<[f32]>,
}

impl Reciprocal {
    /// Calibration fitted by `alea calibrate --games 200000 --seed 1`.
    pub const CALIBRATION: Calibration = Calibration::logistic(6.07, 0.230);

    /// The evaluator for the variant and die of `game`.
    pub fn new(game: &Standard) -> Self {
        let expected = (0..NUM_DISTANCE_VECTORS).map(|index| {
            let distances = index_to_distances(index);
            let alive = (0..).zip(distances).fold(0u8, |set, (stone, distance)| {
                set | u8::from(distance > 0) << stone
            });
            let reciprocal = |stone: usize| 1.0 / f32::from(distances[stone]);
            game.stone_ranges(alive)
                .map(|(weight, first, last)| weight * reciprocal(first).max(reciprocal(last)))
                .sum()
        });
        Self {
            expected: expected.collect(),
        }
    }
}

pub(super) const ENTRY: EvaluatorEntry<Standard> = EvaluatorEntry::new(
    "reciprocal",
    "reciprocal distances to the goal (Monte_Alpha)",
    |arguments, game| calibrated(arguments, Reciprocal::new(game), Reciprocal::CALIBRATION),
);

impl Score<Standard> for Reciprocal {
    #[inline]
    fn score(&self, _game: &Standard, position: &Position) -> f32 {
        self.expected[distance_index(position.mover())]
            - self.expected[distance_index(position.other())]
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_support::{
        Stone, allowed_labels, check_score, check_side_sums, test_rules,
    };
    use super::*;

    #[test]
    fn positions_by_hand_and_symmetries() {
        let expected = [
            // Red's stone 2 on c3 (1/2) moves on faces 1–4, 5 on a5 (1/4) on 5 and 6; Blue's stone
            // on d2: 1/3.
            (
                "5..../...../..2../...c./..... r -",
                (4.0 / 2.0 + 2.0 / 4.0) / 6.0 - 1.0 / 3.0,
            ),
            (
                "5..../...../..2../...c./..... b -",
                1.0 / 3.0 - (4.0 / 2.0 + 2.0 / 4.0) / 6.0,
            ),
            ("215../64.../3...e/...fb/..acd b 1", 0.0),
        ];
        check_score(&Reciprocal::new(&Standard::default()), 1e-6, &expected);
    }

    #[test]
    fn the_score_is_that_of_the_formula_on_the_board() {
        for game in test_rules() {
            let score = Reciprocal::new(&game);
            let expected = |stones: &[Stone]| -> f64 {
                let living: Vec<usize> = stones.iter().map(|stone| stone.label).collect();
                (1..=6)
                    .map(|face| {
                        let permitted = allowed_labels(game.variant(), &living, face);
                        let movable = stones
                            .iter()
                            .filter(|stone| permitted.contains(&stone.label));
                        game.die().probability(face as u8)
                            / f64::from(movable.map(|stone| stone.distance()).min().unwrap())
                    })
                    .sum()
            };
            check_side_sums(&game, &score, expected);
        }
    }
}
