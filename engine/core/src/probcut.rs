//! Errors of shallow searches as estimates of deep ones, measured for an evaluator, for ProbCut.
//!
//! Differences are of log odds. Depths that are compared are both even or both odd, since evaluators
//! favour a side; the shallower ones are about half (as in R. Delorme's Edax) and a quarter as deep.

use crate::calibration::exponential;
use serde::{Deserialize, Serialize};

/// Minimal depth that ProbCut replaces.
pub const MIN_DEPTH: u32 = 3;

/// Maximal depth with errors of its own; deeper searches use those of this depth or one less.
pub const MAX_DEPTH: u32 = 24;

/// Depths of the searches that may replace one to `depth` plies, the cheaper first.
#[inline]
pub fn shallow_depths(depth: u32) -> impl Iterator<Item = u32> {
    let shallow = move |divisor| 2 * (depth / divisor) + depth % 2;
    let [least, half] = [shallow(8), shallow(4)];
    let depths = [
        Some(least).filter(|&least| least > 0 && least < half),
        Some(half),
    ];
    depths.into_iter().flatten()
}

/// Distribution of the difference between a deep and a shallow search, in log odds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SearchError {
    /// Mean of deep minus shallow.
    pub mean: f32,
    /// Standard deviation.
    pub deviation: f32,
}

/// Errors by the part of the game and by depth.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProbcutErrors {
    /// Number of values of `SearchHints::expected_moves_left` that share errors.
    pub moves_per_stage: u32,
    /// Errors of each stage, from the end of the game, for the depths from [`MIN_DEPTH`], of each of
    /// their [`shallow_depths`].
    pub stages: Vec<Vec<Vec<SearchError>>>,
}

impl ProbcutErrors {
    /// The errors of the [`shallow_depths`] of `depth`; empty if they were not measured.
    #[inline]
    pub fn errors(&self, moves_left: u32, depth: u32) -> &[SearchError] {
        let stage = (moves_left / self.moves_per_stage.max(1)) as usize;
        let Some(errors) = self.stages.get(stage).or(self.stages.last()) else {
            return &[];
        };
        let last = (errors.len() as u32 + MIN_DEPTH).saturating_sub(1);
        let depth = match depth > last {
            true => last.saturating_sub((depth - last) % 2),
            false => depth,
        };
        let index = depth.checked_sub(MIN_DEPTH);
        let errors = index.and_then(|index| errors.get(index as usize));
        errors.map_or(&[], Vec::as_slice)
    }

    /// The errors of an evaluator with log odds `factor` times as large.
    #[must_use]
    pub fn scaled(mut self, factor: f32) -> Self {
        for error in self.stages.iter_mut().flatten().flatten() {
            error.mean *= factor;
            error.deviation *= factor;
        }
        self
    }
}

/// A probability, moved by `shift` in log odds.
#[inline]
pub fn shifted(probability: f32, shift: f32) -> f32 {
    let odds = probability * exponential(shift);
    odds / (odds + (1.0 - probability))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shallow_depths_have_the_parity_of_the_deep_ones() {
        let depths = |depth| shallow_depths(depth).collect::<Vec<u32>>();
        let all: Vec<Vec<u32>> = [3, 4, 5, 6, 7, 8, 9, 10, 12, 16].map(depths).into();
        let expected: [&[u32]; 10] = [
            &[1],
            &[2],
            &[1, 3],
            &[2],
            &[1, 3],
            &[2, 4],
            &[3, 5],
            &[2, 4],
            &[2, 6],
            &[4, 8],
        ];
        assert_eq!(all, expected);
    }

    #[test]
    fn stages_and_depths_beyond_the_last_use_the_last() {
        let error = |deviation| {
            vec![SearchError {
                mean: 0.0,
                deviation,
            }]
        };
        let errors = ProbcutErrors {
            moves_per_stage: 5,
            stages: vec![vec![error(1.0), error(2.0)], vec![error(3.0), error(4.0)]],
        };
        let deviation = |moves, depth| {
            let errors = errors.errors(moves, depth);
            errors.first().map(|error| error.deviation)
        };
        assert_eq!(deviation(4, 3), Some(1.0));
        assert_eq!(deviation(5, 4), Some(4.0));
        assert_eq!(deviation(30, 6), Some(4.0));
        assert_eq!(deviation(30, 7), Some(3.0));
        assert_eq!(deviation(30, 2), None);
        assert!(ProbcutErrors::default().errors(1, 3).is_empty());
    }

    #[test]
    fn shifts_add_to_the_log_odds() {
        let log_odds = |probability: f32| (probability / (1.0 - probability)).ln();
        for (probability, shift) in [(0.5f32, 1.0f32), (0.2, -0.7), (0.9, 2.0)] {
            let moved = log_odds(shifted(probability, shift));
            assert!((moved - log_odds(probability) - shift).abs() < 1e-4);
        }
    }
}
