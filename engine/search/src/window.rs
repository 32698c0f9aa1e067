//! Search windows in `[0, 1]`.

use alea_core::{
    chance_bounds::{Bounds, ChanceBounds},
    game::OutcomeList,
};

#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    pub(super) alpha: f32,
    pub(super) beta: f32,
}

impl Window {
    pub(super) const FULL: Self = Self {
        alpha: 0.0,
        beta: 1.0,
    };

    /// Clamps a window to `[0, 1]`, so that a certain win ends the search of a choice node.
    #[inline]
    pub(super) fn new(alpha: f32, beta: f32) -> Self {
        Self {
            alpha: alpha.max(0.0),
            beta: beta.min(1.0),
        }
    }

    #[inline]
    pub(super) fn flip(self) -> Self {
        Self {
            alpha: 1.0 - self.beta,
            beta: 1.0 - self.alpha,
        }
    }

    #[inline]
    pub(super) fn is_decided_by(self, bounds: Bounds) -> bool {
        bounds.lower >= bounds.upper || bounds.lower >= self.beta || bounds.upper <= self.alpha
    }

    #[inline]
    pub(super) fn for_move<O: OutcomeList>(self, chance: &ChanceBounds<O>, index: usize) -> Self {
        let (alpha, beta) = chance.window(index, self.alpha, self.beta);
        Self::new(alpha, if self.beta < 1.0 { beta } else { 1.0 })
    }
}
