//! Fuzz target for requests to the analysis board.

use std::{sync::LazyLock, time::Duration};
use web::{answer::answer, limits::RequestLimits};

pub(crate) fn requests(bytes: &[u8]) {
    static LIMITS: LazyLock<RequestLimits> = LazyLock::new(|| RequestLimits {
        milliseconds: 5.0,
        simulations: 50,
        games: 2,
        total: Duration::from_millis(100),
        ..RequestLimits::default()
    });
    if let Some(problem) = answer(bytes, &LIMITS)["error"].as_str() {
        assert!(!problem.is_empty() && !problem.contains('\n'));
    }
}
