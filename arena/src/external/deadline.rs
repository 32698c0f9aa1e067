//! Until when others are waited for.

use std::time::{Duration, Instant};

/// Until when something may take, and how long that was.
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

    /// What is left, or what was `missed` in the time there was.
    pub(crate) fn remaining(self, missed: &str) -> Result<Duration, String> {
        let remaining = self.until.saturating_duration_since(Instant::now());
        if remaining.is_zero() {
            return Err(format!("{missed} within {} ms", self.time.as_millis()));
        }
        // The system counts in microseconds, and takes none for no limit.
        Ok(remaining.max(Duration::from_micros(1)))
    }
}
