//! Deadlines for waiting.

use std::time::{Duration, Instant};

/// A point in time, and its timeout as a duration.
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

    /// Remaining time; `missed` begins the error after the deadline.
    pub(crate) fn remaining(self, missed: &str) -> Result<Duration, String> {
        let remaining = self.until.saturating_duration_since(Instant::now());
        if remaining.is_zero() {
            return Err(format!("{missed} within {} ms", self.time.as_millis()));
        }
        // Rounded to microseconds, a shorter time would be 0, which means no limit for some calls.
        Ok(remaining.max(Duration::from_micros(1)))
    }
}
