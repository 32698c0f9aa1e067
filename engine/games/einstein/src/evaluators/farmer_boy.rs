//! FarmerBoy of Rock'n'Roll (Schäfer 2006): mean field value of the own stones minus that of the
//! enemy's.

use crate::{Position, Standard, position::Side};
use alea_core::{calibration::Calibration, evaluator::Score};
use alea_play::registry::{EvaluatorEntry, calibrated};

/// Value of each square in the owner's perspective; 0 for captured stones.
const FIELD_VALUES: [f32; 32] = [
    0.0, 1.0, 1.0, 1.0, 1.0, //
    1.0, 2.0, 2.0, 2.0, 2.5, //
    1.0, 2.0, 4.0, 4.0, 5.0, //
    1.0, 2.0, 4.0, 8.0, 10.0, //
    1.0, 2.5, 5.0, 10.0, 16.0, //
    0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
];

/// Evaluator: mean field value of the own stones minus that of the enemy's.
#[derive(Clone, Copy, Debug, Default)]
pub struct FarmerBoy;

impl FarmerBoy {
    /// Calibration fitted by `alea calibrate --games 200000 --seed 1`.
    pub const CALIBRATION: Calibration = Calibration::logistic(0.577, 0.213);
}

pub(super) const ENTRY: EvaluatorEntry<Standard> = EvaluatorEntry::new(
    "farmer_boy",
    "mean field values (Rock'n'Roll)",
    |arguments, _| calibrated(arguments, FarmerBoy, FarmerBoy::CALIBRATION),
);

impl Score<Standard> for FarmerBoy {
    #[inline]
    fn score(&self, _game: &Standard, position: &Position) -> f32 {
        mean_field_value(position.mover()) - mean_field_value(position.other())
    }
}

#[inline]
fn mean_field_value(side: Side) -> f32 {
    let mut sum = 0.0;
    for square in side.squares() {
        sum += FIELD_VALUES[usize::from(square)];
    }
    sum / side.num_stones().max(1) as f32
}

#[cfg(test)]
mod tests {
    use super::super::test_support::{Stone, check_score, check_side_sums};
    use super::*;

    #[test]
    fn positions_by_hand_and_symmetries() {
        let expected = [
            ("...../.b.../..1../...../..... r -", 4.0 - 8.0),
            // Red on d2 and a5: (8 + 0) / 2; Blue on e3, which is a3 for Red: 1.
            ("6..../...../....c/...2./..... r -", 4.0 - 1.0),
            ("6..../...../....c/...2./..... b -", 1.0 - 4.0),
            // Worth 2.5 each: e4 and b1 for Red, a2 and d5 for Blue.
            ("...a./....1/...../f..../.2... b -", 0.0),
            ("215../64.../3...e/...fb/..acd b 1", 0.0),
        ];
        check_score(&FarmerBoy, 1e-6, &expected);
    }

    #[test]
    fn the_score_is_that_of_the_printed_board() {
        const RED_FIELDS: &str = "0 1 1 1 1 / 1 2 2 2 2.5 / 1 2 4 4 5 / 1 2 4 8 10 / 1 2.5 5 10 16";
        let red: Vec<Vec<f64>> = RED_FIELDS
            .split('/')
            .map(|row| {
                row.split_whitespace()
                    .map(|field| field.parse().unwrap())
                    .collect()
            })
            .collect();
        let field = |stone: &Stone| {
            let (row, column) = stone.in_perspective(stone.red);
            red[row as usize][column as usize]
        };
        let mean = |stones: &[Stone]| stones.iter().map(field).sum::<f64>() / stones.len() as f64;
        check_side_sums(&Standard::default(), &FarmerBoy, mean);
    }
}
