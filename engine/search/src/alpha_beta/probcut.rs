//! ProbCut (Buro 1995): a shallow search that misses the window by far enough replaces a deep one.

use super::{AlphaBeta, NULL_WINDOW, NodeDepth};
use alea_core::{
    evaluator::Evaluator,
    probcut::{MIN_DEPTH, SearchError, shallow_depths, shifted},
    search_game::SearchGame,
};

/// Standard deviations by which an evaluation may miss the bound before a shallow search is not worth
/// trying. At depth 12 of Reversi 0.5 takes 5 % fewer nodes than none.
const GATE: f32 = 0.5;

impl<G: SearchGame, E: Evaluator<G>> AlphaBeta<G, E> {
    /// Bound outside of the null window that a shallow search makes probable.
    #[inline]
    pub(super) fn try_probcut(
        &mut self,
        position: &G::Position,
        at: NodeDepth,
        (alpha, beta): (f32, f32),
    ) -> Option<f32> {
        let deviations = self.options.probcut.filter(|_| at.depth >= MIN_DEPTH)?;
        if alpha <= 0.0 || beta >= 1.0 {
            return None;
        }
        let moves_left = self.game.expected_moves_left(position);
        let measured = self.evaluator.probcut_errors()?;
        let errors = measured.errors(moves_left, at.depth);
        let mut found: [Option<SearchError>; 2] = [None; 2];
        for (error, slot) in errors.iter().zip(&mut found) {
            *slot = Some(*error);
        }
        // The side of the window on which the position seems to lie.
        let seems = self.evaluate(position, at.ply);
        let depth_dependent = self.depth_dependent;
        for (error, depth) in found.into_iter().flatten().zip(shallow_depths(at.depth)) {
            let shallow = NodeDepth { depth, ..at };
            let margin = deviations * error.deviation;
            let gate = GATE * error.deviation;
            let is_cut = if seems >= alpha {
                let bound = shifted(beta, margin - error.mean);
                bound < 1.0
                    && seems >= shifted(bound, -gate)
                    && self.search(position, shallow, (bound - NULL_WINDOW, bound)) >= bound
            } else {
                let bound = shifted(alpha, -margin - error.mean);
                bound > 0.0
                    && seems <= shifted(bound, gate)
                    && self.search(position, shallow, (bound, bound + NULL_WINDOW)) <= bound
            };
            if self.limit_checker.stopped() {
                return None;
            }
            if is_cut {
                self.depth_dependent += 1;
                return Some(if seems >= alpha { beta } else { alpha });
            }
        }
        self.depth_dependent = depth_dependent;
        None
    }
}
