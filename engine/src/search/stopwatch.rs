//! How long a search has gone on: by the clock on the wall, or by the time its thread had on a
//! processor.
//!
//! Time on a processor does not pass while others compute, so matches at equal time keep their
//! meaning on a busy machine. Invariant: a stopwatch is read on the thread that started it if it
//! counts time on a processor.

use crate::core::clock::Instant;
use std::time::Duration;

/// Runs from when it was started.
#[derive(Clone, Copy, Debug)]
pub(super) enum Stopwatch {
    /// Not started, because nobody asks: reading a clock costs as much as a search of one ply.
    Off,
    /// The time that passes.
    Wall(Instant),
    /// The time that this thread spends on a processor, in the system too; with that at the start.
    Processor(Duration),
}

impl Stopwatch {
    pub(super) fn wall() -> Self {
        Self::Wall(Instant::now())
    }

    pub(super) fn processor() -> Self {
        Self::Processor(thread_time().unwrap_or_default())
    }

    pub(super) fn elapsed(self) -> Duration {
        match self {
            Self::Off => Duration::ZERO,
            Self::Wall(began) => began.elapsed(),
            // Where it cannot be told no player has such a limit.
            Self::Processor(began) => {
                thread_time().map_or(Duration::MAX, |now| now.saturating_sub(began))
            }
        }
    }
}

/// When a search must end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deadline {
    pub(super) stopwatch: Stopwatch,
    /// From the stopwatch's start.
    pub(super) after: Duration,
}

impl Deadline {
    pub(super) fn has_passed(self) -> bool {
        self.stopwatch.elapsed() >= self.after
    }
}

/// Time that this thread has spent on a processor; `None` where the system does not tell.
pub(crate) fn thread_time() -> Option<Duration> {
    #[cfg(unix)]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        Some(Duration::new(
            u64::try_from(time.tv_sec).ok()?,
            u32::try_from(time.tv_nsec).ok()?,
        ))
    }
    #[cfg(not(unix))]
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sleep_passes_on_the_wall_only() {
        let (wall, processor) = (Stopwatch::wall(), Stopwatch::processor());
        std::thread::sleep(Duration::from_millis(50));
        assert!(wall.elapsed() >= Duration::from_millis(50));
        // Where time on a processor is not told everything is late.
        assert!(processor.elapsed() < Duration::from_millis(25) || thread_time().is_none());
        let until = Deadline {
            stopwatch: Stopwatch::processor(),
            after: Duration::from_micros(200),
        };
        while !until.has_passed() {
            std::hint::spin_loop();
        }
        assert!(until.stopwatch.elapsed() >= until.after);
    }
}
