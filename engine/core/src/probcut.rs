//! Errors of shallow searches as estimates of deep ones, measured for an evaluator, for ProbCut.
//!
//! Differences are of log odds. Pairs of depths follow Edax (R. Delorme): both even or both odd,
//! the shallower about half as deep.

use crate::calibration::exponential;
use serde::{Deserialize, Serialize};

/// Minimal depth that ProbCut replaces.
pub const MIN_DEPTH: u32 = 3;

/// Maximal depth with errors of its own; deeper searches use those of this depth or one less.
pub const MAX_DEPTH: u32 = 24;

/// Depth of the search that may replace one to `depth` plies.
#[inline]
pub fn shallow_depth(depth: u32) -> u32 {
    2 * (depth / 4) + depth % 2
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
    /// Errors of each stage, from the end of the game, for the depths from [`MIN_DEPTH`].
    pub stages: Vec<Vec<SearchError>>,
}

impl ProbcutErrors {
    /// The error of [`shallow_depth`] for `depth`; `None` if it was not measured.
    #[inline]
    pub fn error(&self, moves_left: u32, depth: u32) -> Option<SearchError> {
        let stage = (moves_left / self.moves_per_stage.max(1)) as usize;
        let errors = self.stages.get(stage).or(self.stages.last())?;
        let last = (errors.len() as u32 + MIN_DEPTH).checked_sub(1)?;
        let depth = match depth > last {
            true => last.checked_sub((depth - last) % 2)?,
            false => depth,
        };
        errors.get(depth.checked_sub(MIN_DEPTH)? as usize).copied()
    }

    /// The errors of an evaluator with log odds `factor` times as large.
    #[must_use]
    pub fn scaled(mut self, factor: f32) -> Self {
        for error in self.stages.iter_mut().flatten() {
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
        let depths: Vec<u32> = (3..=14).map(shallow_depth).collect();
        assert_eq!(depths, [1, 2, 3, 2, 3, 4, 5, 4, 5, 6, 7, 6]);
    }

    #[test]
    fn stages_and_depths_beyond_the_last_use_the_last() {
        let error = |deviation| SearchError {
            mean: 0.0,
            deviation,
        };
        let errors = ProbcutErrors {
            moves_per_stage: 5,
            stages: vec![vec![error(1.0), error(2.0)], vec![error(3.0), error(4.0)]],
        };
        let deviation = |moves, depth| errors.error(moves, depth).map(|error| error.deviation);
        assert_eq!(deviation(4, 3), Some(1.0));
        assert_eq!(deviation(5, 4), Some(4.0));
        assert_eq!(deviation(30, 6), Some(4.0));
        assert_eq!(deviation(30, 7), Some(3.0));
        assert_eq!(deviation(30, 2), None);
        assert_eq!(ProbcutErrors::default().error(1, 3), None);
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
