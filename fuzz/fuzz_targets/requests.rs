//! What is asked of the analysis board.

use std::{sync::LazyLock, time::Duration};
use web::{answer::answer, bounds::Bounds};

/// A request is answered, or refused in one line, and costs no more than its bounds.
pub(crate) fn requests(bytes: &[u8]) {
    static BOUNDS: LazyLock<Bounds> = LazyLock::new(|| Bounds {
        milliseconds: 5.0,
        simulations: 50,
        games: 2,
        whole: Duration::from_millis(100),
        ..Bounds::default()
    });
    if let Some(problem) = answer(bytes, &BOUNDS)["error"].as_str() {
        assert!(!problem.is_empty() && !problem.contains('\n'));
    }
}
