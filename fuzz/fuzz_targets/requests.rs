//! What is asked of the analysis board.

use std::{sync::LazyLock, time::Duration};
use web::{answer::answer_text, api::Answer, bounds::Bounds};

/// A request is answered, or refused in one line, and costs no more than its bounds.
pub(crate) fn requests(bytes: &[u8]) {
    static BOUNDS: LazyLock<Bounds> = LazyLock::new(|| Bounds {
        milliseconds: 5.0,
        depth: 3,
        simulations: 50,
        games: 2,
        plies: 20,
        whole: Duration::from_millis(100),
        ..Bounds::default()
    });
    if let Answer::Error(problem) = answer_text(bytes, &BOUNDS) {
        assert!(!problem.error.is_empty() && !problem.error.contains('\n'));
    }
}
