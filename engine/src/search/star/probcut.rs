//! ProbCut: what a shallower search finds far outside of the window is believed.
//!
//! Buro 1995; for chance nodes ChanceProbCut (Schadd, Winands and Uiterwijk 2009). The shallower
//! search is two plies less deep, so its leaves have the same side to move. Invariant: what is
//! believed is never taken for proven, and a search without [`super::StarOptions::probcut`] is not
//! touched.

use super::Star;
use crate::core::{chance::Bounds, evaluator::Evaluator, game::Game};

/// From this depth on: a search two plies less deep then costs next to nothing.
const FROM: u32 = 3;

/// Plies that the shallower search leaves out.
const FEWER: u32 = 2;

impl<G: Game, E: Evaluator<G>> Star<G, E> {
    /// Bounds that settle the window `(alpha, beta)` of a node, if a shallower search finds its
    /// value so far outside.
    #[inline]
    pub(super) fn foresee(
        &mut self,
        position: &G::Position,
        depth: u32,
        ply: usize,
        (alpha, beta): (f32, f32),
    ) -> Option<Bounds> {
        let deviations = self.options.probcut.filter(|_| depth >= FROM)?;
        let margin = deviations * self.evaluator.probcut_deviation(&self.game)? / depth as f32;
        let (low, high) = (alpha - margin, beta + margin);
        if low <= 0.0 && high >= 1.0 {
            // No value is outside.
            return None;
        }
        let (expects_low, horizon) = (self.expects_low, self.horizon);
        let found = self.node(position, depth - FEWER, ply, low, high);
        // What is not believed adds nothing to the horizon either.
        (self.expects_low, self.horizon) = (expects_low, horizon);
        if self.watch.stopped() {
            return None;
        }
        let believed = if found.upper <= low {
            Bounds {
                lower: 0.0,
                upper: found.upper + margin,
            }
        } else if found.lower >= high {
            Bounds {
                lower: found.lower - margin,
                upper: 1.0,
            }
        } else {
            return None;
        };
        self.horizon += 1;
        Some(believed)
    }
}
