//! An evaluator after Monte_Alpha's Greedy player, which "uses the shortest path".
//!
//! Score = (nearest enemy distance − nearest own distance) + 1/100 · (own progress − enemy
//! progress). Distances to the goal are in king's moves; progress, the rows and columns of all
//! stones from home, only breaks ties.

use super::race_tables::distances_to_goal;
use crate::{Position, Standard, position::Side};
use alea_core::{calibration::Calibration, evaluator::Score};
use alea_play::registry::{EvaluatorEntry, calibrated};

const PROGRESS_WEIGHT: f32 = 0.01;

const NO_STONE_DISTANCE: f32 = 5.0;

const DISTANCE_AND_PROGRESS: [(f32, f32); 32] = {
    let mut squares = [(NO_STONE_DISTANCE, 0.0); 32];
    let mut square = 0;
    while square < Standard::SQUARES as usize {
        let (distance, left) = distances_to_goal(square as u8);
        squares[square] = (distance as f32, (8 - left) as f32);
        square += 1;
    }
    squares
};

/// Evaluator: king's moves by which the nearest own stone is ahead of the nearest enemy stone;
/// progress breaks ties.
#[derive(Clone, Copy, Debug, Default)]
pub struct Greedy;

impl Greedy {
    /// Calibration fitted by `alea calibrate --games 200000 --seed 1`.
    pub const CALIBRATION: Calibration = Calibration::logistic(0.528, 0.170);
}

pub(super) const ENTRY: EvaluatorEntry<Standard> = EvaluatorEntry::new(
    "greedy",
    "steps to the goal of the nearest stone",
    |arguments, _| calibrated(arguments, Greedy, Greedy::CALIBRATION),
);

impl Score<Standard> for Greedy {
    #[inline]
    fn score(&self, _game: &Standard, position: &Position) -> f32 {
        let (own_nearest, own_progress) = distance_and_progress(position.mover());
        let (enemy_nearest, enemy_progress) = distance_and_progress(position.other());
        (enemy_nearest - own_nearest) + PROGRESS_WEIGHT * (own_progress - enemy_progress)
    }
}

#[inline]
fn distance_and_progress(side: Side) -> (f32, f32) {
    let (mut nearest, mut progress) = (NO_STONE_DISTANCE, 0.0);
    for square in side.squares() {
        let (distance, steps) = DISTANCE_AND_PROGRESS[usize::from(square)];
        nearest = nearest.min(distance);
        progress += steps;
    }
    (nearest, progress)
}

#[cfg(test)]
mod tests {
    use super::super::test_support::{Stone, check_score, check_side_sums};
    use super::*;

    #[test]
    fn positions_by_hand_and_symmetries() {
        let expected = [
            // Red on c3 (2 steps left, progress 4) and a5 (progress 0); Blue on d2 (3 steps left,
            // progress 2).
            ("5..../...../..2../...c./..... r -", 1.0 + 0.02),
            ("5..../...../..2../...c./..... b -", -1.0 - 0.02),
            (
                "...../....2/.b1../...../..... r -",
                0.01 * (4.0 + 5.0 - 5.0),
            ),
            ("215../64.../3...e/...fb/..acd b 1", 0.0),
        ];
        check_score(&Greedy, 1e-5, &expected);
    }

    #[test]
    fn the_score_is_that_of_the_formula_on_the_board() {
        let nearest = |stones: &[Stone]| {
            f64::from(stones.iter().map(|stone| stone.distance()).min().unwrap())
        };
        let progress = |stones: &[Stone]| -> f64 {
            let stone_progress = |stone: &Stone| {
                let (row, column) = stone.in_perspective(stone.red);
                row + column
            };
            f64::from(stones.iter().map(stone_progress).sum::<i32>())
        };
        check_side_sums(&Standard::default(), &Greedy, |stones| {
            progress(stones) / 100.0 - nearest(stones)
        });
    }
}
