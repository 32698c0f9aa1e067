//! Elapsed time of a search: wall time or, for fair matches on a busy machine, its thread's CPU
//! time.

use alea_core::monotonic_clock::Instant;
use std::time::Duration;

#[derive(Clone, Copy, Debug)]
pub(super) enum Stopwatch {
    /// No measurement, since reading a clock costs as much as a search of one ply.
    Off,
    Wall(Instant),
    Processor(Duration),
}

impl Stopwatch {
    pub(super) fn start_wall() -> Self {
        Self::Wall(Instant::now())
    }

    pub(super) fn start_cpu() -> Self {
        Self::Processor(thread_time().unwrap_or_default())
    }

    pub(super) fn elapsed(self) -> Duration {
        match self {
            Self::Off => Duration::ZERO,
            Self::Wall(began) => began.elapsed(),
            Self::Processor(began) => {
                thread_time().map_or(Duration::MAX, |now| now.saturating_sub(began))
            }
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Deadline {
    pub(super) stopwatch: Stopwatch,
    pub(super) after: Duration,
}

impl Deadline {
    pub(super) fn has_passed(self) -> bool {
        self.stopwatch.elapsed() >= self.after
    }
}

/// CPU time that this thread has used; `None` on systems that do not measure it.
pub fn thread_time() -> Option<Duration> {
    #[cfg(unix)]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        Some(Duration::new(
            u64::try_from(time.tv_sec).ok()?,
            u32::try_from(time.tv_nsec).ok()?,
        ))
    }
    #[cfg(windows)]
    {
        let time = cpu_time::ThreadTime::try_now().ok()?;
        Some(time.as_duration())
    }
    #[cfg(not(any(unix, windows)))]
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sleep_passes_on_the_wall_only() {
        let (wall, processor) = (Stopwatch::start_wall(), Stopwatch::start_cpu());
        std::thread::sleep(Duration::from_millis(50));
        assert!(wall.elapsed() >= Duration::from_millis(50));
        assert!(processor.elapsed() < Duration::from_millis(25) || thread_time().is_none());
        let until = Deadline {
            stopwatch: Stopwatch::start_cpu(),
            after: Duration::from_micros(200),
        };
        while !until.has_passed() {
            std::hint::spin_loop();
        }
        assert!(until.stopwatch.elapsed() >= until.after);
    }
}
