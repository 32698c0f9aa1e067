//! Exact values of EinStein positions by plain memoised recursion in `f64`.

use crate::support::moves_of;
use engine::core::game::Game;
use engine::games::einstein::{EinStein, Move, Position};
use std::collections::HashMap;

pub(crate) struct Solver<const COLUMNS: usize, const ROWS: usize> {
    pub(crate) game: EinStein<COLUMNS, ROWS>,
    values: HashMap<u64, f64>,
}

impl<const COLUMNS: usize, const ROWS: usize> Solver<COLUMNS, ROWS> {
    pub(crate) fn new(game: EinStein<COLUMNS, ROWS>) -> Self {
        Self {
            game,
            values: HashMap::new(),
        }
    }

    pub(crate) fn value(&mut self, position: &Position) -> f64 {
        if let Some(payoffs) = self.game.payoffs(position) {
            return f64::from(payoffs[self.game.to_move(position)]);
        }
        if let Some(&value) = self.values.get(&position.bits()) {
            return value;
        }
        let moves = moves_of(&self.game, position);
        let move_values = moves.iter().map(|&mv| self.value_of_move(position, mv));
        let move_values: Vec<f64> = move_values.collect();
        let outcomes = self.game.outcomes(position, &moves);
        let value = outcomes
            .iter()
            .map(|outcome| {
                self.exact_outcome_probability(outcome.weight)
                    * best(&move_values[outcome.move_range()])
            })
            .sum();
        self.values.insert(position.bits(), value);
        value
    }

    pub(crate) fn value_of_move(&mut self, position: &Position, mv: Move) -> f64 {
        let after = self.game.play(position, mv);
        let value = self.value(&after);
        if self.game.to_move(&after) == self.game.to_move(position) {
            value
        } else {
            1.0 - value
        }
    }

    fn exact_outcome_probability(&self, weight: f32) -> f64 {
        let faces = f64::from(self.game.die().faces());
        let permitting = (f64::from(weight) * faces).round();
        assert!(
            (f64::from(weight) * faces - permitting).abs() < 1e-5,
            "a fair die's weight is a number of faces: {weight}"
        );
        permitting / faces
    }
}

fn best(values: &[f64]) -> f64 {
    values.iter().copied().fold(0.0, f64::max)
}
