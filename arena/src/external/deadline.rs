//! Deadlines for waiting.

use std::time::{Duration, Instant};

#[derive(Clone, Copy)]
pub(crate) struct Deadline {
    until: Instant,
    time: Duration,
}

impl Deadline {
    pub(crate) fn after(time: Duration) -> Self {
        Self {
            until: Instant::now() + time,
            time,
        }
    }

    /// Remaining time; after the deadline an error whose text begins with `missed`.
    pub(crate) fn remaining(self, missed: &str) -> Result<Duration, String> {
        let remaining = self.until.saturating_duration_since(Instant::now());
        if remaining.is_zero() {
            return Err(format!("{missed} within {} ms", self.time.as_millis()));
        }
        // 0, which rounding would give below a microsecond, means no limit to some calls.
        Ok(remaining.max(Duration::from_micros(1)))
    }
}
