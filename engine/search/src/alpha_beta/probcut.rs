//! ProbCut (Buro 1995): a shallow search that misses the window by far enough replaces a deep one.

use super::{AlphaBeta, NULL_WINDOW, Place};
use alea_core::{
    evaluator::Evaluator,
    probcut::{MIN_DEPTH, shallow_depth, shifted},
    search_game::SearchGame,
};

impl<G: SearchGame, E: Evaluator<G>> AlphaBeta<G, E> {
    /// Bound outside of the null window that a shallow search makes probable.
    #[inline]
    pub(super) fn try_probcut(
        &mut self,
        position: &G::Position,
        at: Place,
        (alpha, beta): (f32, f32),
    ) -> Option<f32> {
        let deviations = self.options.probcut.filter(|_| at.depth >= MIN_DEPTH)?;
        let errors = self.evaluator.probcut_errors()?;
        let moves_left = self.game.expected_moves_left(position);
        let error = errors.error(moves_left, at.depth)?;
        let shallow = Place {
            depth: shallow_depth(at.depth),
            ..at
        };
        let margin = deviations * error.deviation;
        if alpha <= 0.0 || beta >= 1.0 {
            return None;
        }
        // The side of the window on which the position seems to lie.
        let seems = self.evaluate(position, at.ply);
        let depth_dependent = self.depth_dependent;
        if seems >= alpha {
            let bound = shifted(beta, margin - error.mean);
            if bound < 1.0 {
                let found = self.search(position, shallow, (bound - NULL_WINDOW, bound));
                if found >= bound && !self.limit_checker.stopped() {
                    self.depth_dependent += 1;
                    return Some(beta);
                }
            }
        } else {
            let bound = shifted(alpha, -margin - error.mean);
            if bound > 0.0 {
                let found = self.search(position, shallow, (bound, bound + NULL_WINDOW));
                if found <= bound && !self.limit_checker.stopped() {
                    self.depth_dependent += 1;
                    return Some(alpha);
                }
            }
        }
        self.depth_dependent = depth_dependent;
        None
    }
}
