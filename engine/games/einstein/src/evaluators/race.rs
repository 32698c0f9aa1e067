//! Probability of winning the race without captures: Theo van der Storm's extension of the Schwarz
//! table, and Zweistein's evaluation (Hsueh and Hsu, arXiv 2502.15547).
//!
//! Value = P(T_own ≤ T_enemy), T being a side's number of own turns to its goal.

use super::race_tables::{RaceTables, distance_index};
use crate::{Position, Standard};
use alea_core::{calibration::clamp_to_open_interval, evaluator::Evaluator};
use alea_play::registry::EvaluatorEntry;
use std::sync::Arc;

/// Evaluator: probability that the side to move reaches its goal first, without captures.
#[derive(Clone, Debug)]
pub struct Race {
    tables: Arc<RaceTables>,
}

impl Race {
    /// The evaluator for the variant and die of `game`.
    pub fn new(game: &Standard) -> Self {
        Self {
            tables: RaceTables::for_game(game),
        }
    }
}

pub(super) const ENTRY: EvaluatorEntry<Standard> = EvaluatorEntry::new(
    "race",
    "probability of winning the race without captures (Zweistein)",
    |_, game| Ok(Arc::new(Race::new(game))),
);

impl Evaluator<Standard> for Race {
    type Cache = ();

    #[inline]
    fn value(&self, _game: &Standard, position: &Position, (): &()) -> f32 {
        clamp_to_open_interval(self.tables.win_probability(
            distance_index(position.mover()),
            distance_index(position.other()),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_support::{SlowRace, check_board, check_reference, check_symmetries};
    use super::*;

    #[test]
    fn positions_by_hand_and_symmetries() {
        let expected = [
            ("...../...../..1../...b./..... r -", 1.0),
            ("...../...../.b1../...../..... b -", 1.0),
            ("...../...../.b1../...../..... r -", 1.0),
            ("...../...../..1../...b./..... b -", 0.0),
            // Red's stones 1 and 6 at distances 1 and 4 win on faces 1–5; Blue is one step away.
            ("6a.../...../...../....1/..... r -", 5.0 / 6.0),
            ("6a.../...../...../....1/..... b -", 1.0),
        ];
        let game = Standard::default();
        let race = Race::new(&game);
        let value = |position: &Position| race.value_of(&game, position);
        check_board(value, 2e-6, &expected);
        check_symmetries(&game, value);
    }

    #[test]
    fn the_value_is_that_of_two_recursions_on_the_board() {
        let game = Standard::default();
        let evaluator = Race::new(&game);
        let mut race = SlowRace::new(&game);
        check_reference(
            &game,
            |position| evaluator.value_of(&game, position),
            |board| {
                let (own, enemy) = board.sides();
                let (own, enemy) = (race.distribution(&own), race.distribution(&enemy));
                // Zweistein's sum, for the side that has just moved.
                let just_moved: f64 = (1..=19)
                    .map(|i| enemy[..i].iter().sum::<f64>() * own[i])
                    .sum();
                1.0 - just_moved
            },
        );
    }
}
