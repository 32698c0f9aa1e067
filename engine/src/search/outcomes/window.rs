//! Windows of the published form: what of a value matters, and what of an outcome's value then matters.
//!
//! Ballard 1983, with values in `[0, 1]`: outcomes lie between their bounds, the others give the window of one.
//! Invariant: as bounds become known, the window of an outcome only becomes narrower (but for rounding).

use crate::chance::Bounds;
use crate::game::{MAX_OUTCOMES, Outcome};

/// A window of values that matter, in win probability of the party to move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    pub(super) alpha: f32,
    pub(super) beta: f32,
}

impl Window {
    /// All values there are.
    pub(super) const FULL: Self = Self { alpha: 0.0, beta: 1.0 };

    /// Values outside of `[0, 1]` do not occur; so a sure win ends the search of a choice.
    #[inline]
    pub(super) fn new(alpha: f32, beta: f32) -> Self {
        Self { alpha: alpha.max(0.0), beta: beta.min(1.0) }
    }

    /// The same window seen by the opponent.
    #[inline]
    pub(super) fn opposite(self) -> Self {
        Self { alpha: 1.0 - self.beta, beta: 1.0 - self.alpha }
    }

    /// Whether a value within `bounds` is known as well as the window asks.
    #[inline]
    pub(super) fn settles(self, bounds: Bounds) -> bool {
        bounds.lower >= bounds.upper || bounds.lower >= self.beta || bounds.upper <= self.alpha
    }
}

/// What is known of a chance node's outcomes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Expectation<'a> {
    outcomes: &'a [Outcome],
    pub(super) bounds: [Bounds; MAX_OUTCOMES],
}

impl<'a> Expectation<'a> {
    #[inline]
    pub(super) fn new(outcomes: &'a [Outcome]) -> Self {
        Self { outcomes, bounds: [Bounds::UNKNOWN; MAX_OUTCOMES] }
    }

    /// The bounds of the chance node.
    #[inline]
    pub(super) fn total(&self) -> Bounds {
        // The weights are rounded: their sum may exceed 1 in its last digit.
        let Bounds { lower, upper } = self.sum(|_| true);
        Bounds { lower: lower.min(1.0), upper: upper.min(1.0) }
    }

    /// The window of one outcome: at most its `alpha` lets the chance node fail low even if all others are worth
    /// their upper bounds; at least its `beta` makes it fail high even if they are worth their lower bounds.
    #[inline]
    pub(super) fn window(&self, index: usize, window: Window) -> Window {
        let others = self.sum(|other| other != index);
        let weight = self.outcomes[index].weight;
        // Rounding must not make a window of what cannot be exceeded.
        let beta = if window.beta < 1.0 { (window.beta - others.lower) / weight } else { 1.0 };
        Window::new((window.alpha - others.upper) / weight, beta)
    }

    #[inline]
    fn sum(&self, counts: impl Fn(usize) -> bool) -> Bounds {
        let mut sum = Bounds::exact(0.0);
        for (index, (outcome, bounds)) in self.outcomes.iter().zip(&self.bounds).enumerate() {
            if counts(index) {
                sum.lower += outcome.weight * bounds.lower;
                sum.upper += outcome.weight * bounds.upper;
            }
        }
        sum
    }
}
