//! The raw Schwarz score of Rock'n'Roll's MrBlack (Schäfer 2006): E(enemy) − E(own), E being the
//! expected number of own turns to the goal without captures.

use super::race_tables::{RaceTables, distance_index};
use crate::{Position, Standard};
use alea_core::evaluator::Score;
use std::sync::Arc;

/// Evaluator: the enemy's expected own turns to the goal minus the mover's.
#[derive(Clone, Debug)]
pub struct Schwarz {
    tables: Arc<RaceTables>,
}

impl Schwarz {
    /// The evaluator for the variant and die of `game`.
    pub fn new(game: &Standard) -> Self {
        Self {
            tables: RaceTables::for_game(game),
        }
    }

    /// A side's expected own turns to the goal, by [`distance_index`]; infinite without stones.
    pub fn turns(&self, index: usize) -> f32 {
        self.tables.expected_turns(index)
    }
}

impl Score<Standard> for Schwarz {
    #[inline]
    fn score(&self, _game: &Standard, position: &Position) -> f32 {
        self.tables.expected_turns(distance_index(position.other()))
            - self.tables.expected_turns(distance_index(position.mover()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_support::{SlowRace, check_score, check_side_sums, mean, test_rules};
    use super::*;

    #[test]
    fn positions_by_hand_and_symmetries() {
        let expected = [
            ("...../...../..1../...b./..... r -", 1.0),
            ("...../...../..1../...b./..... b -", -1.0),
            // Red's stones 1 and 6 at distances 1 and 4 need 259/216 turns; Blue's on d2 needs 3.
            ("6..../...../...../...a1/..... r -", 3.0 - 259.0 / 216.0),
            ("215../64.../3...e/...fb/..acd b 1", 0.0),
        ];
        check_score(&Schwarz::new(&Standard::default()), 1e-5, &expected);
    }

    #[test]
    fn the_score_is_that_of_a_recursion_on_the_board() {
        for game in test_rules() {
            let schwarz = Schwarz::new(&game);
            let mut race = SlowRace::new(&game);
            check_side_sums(&game, &schwarz, |stones| -mean(&race.distribution(stones)));
        }
    }
}
