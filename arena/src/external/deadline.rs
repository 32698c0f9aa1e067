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

    pub(crate) fn remaining(self, missed: &str) -> Result<Duration, String> {
        let remaining = self.until.saturating_duration_since(Instant::now());
        if remaining.is_zero() {
            return Err(format!("{missed} within {} ms", self.time.as_millis()));
        }
        // Some calls take 0 as no limit.
        Ok(remaining.max(Duration::from_micros(1)))
    }
}
