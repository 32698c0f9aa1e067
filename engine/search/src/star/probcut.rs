//! ProbCut (Buro 1995; for chance nodes Schadd, Winands and Uiterwijk 2009): a search that is two
//! plies shallower, with the same side to move at its leaves, suffices if it misses the window by a
//! margin.

use super::Star;
use alea_core::{chance_bounds::Bounds, evaluator::Evaluator, search_game::SearchGame};

const MIN_DEPTH: u32 = 3;

const DEPTH_REDUCTION: u32 = 2;

impl<G: SearchGame, E: Evaluator<G>> Star<G, E> {
    /// Bounds predicted by a shallow search, outside of the window; never counted as proven.
    #[inline]
    pub(super) fn try_probcut(
        &mut self,
        position: &G::Position,
        depth: u32,
        ply: usize,
        (alpha, beta): (f32, f32),
    ) -> Option<Bounds> {
        let deviations = self.options.probcut.filter(|_| depth >= MIN_DEPTH)?;
        let margin = deviations * self.game.probcut_constant()? / depth as f32;
        let (low, high) = (alpha - margin, beta + margin);
        if low <= 0.0 && high >= 1.0 {
            return None;
        }
        let (is_all_node, depth_dependent) = (self.is_all_node, self.depth_dependent);
        let found = self.search_node(position, depth - DEPTH_REDUCTION, ply, low, high);
        (self.is_all_node, self.depth_dependent) = (is_all_node, depth_dependent);
        if self.limit_checker.stopped() {
            return None;
        }
        let claimed = if found.upper <= low {
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
        self.depth_dependent += 1;
        Some(claimed)
    }
}
