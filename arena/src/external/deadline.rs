//! Deadlines of waits.

use std::time::{Duration, Instant};

/// A point in time, and its timeout.
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

    /// Remaining time, or an error that names what was `missed`.
    pub(crate) fn remaining(self, missed: &str) -> Result<Duration, String> {
        let remaining = self.until.saturating_duration_since(Instant::now());
        if remaining.is_zero() {
            return Err(format!("{missed} within {} ms", self.time.as_millis()));
        }
        // The system counts microseconds, and 0 would mean no limit.
        Ok(remaining.max(Duration::from_micros(1)))
    }
}
