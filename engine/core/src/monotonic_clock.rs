//! A monotonic clock: [`std::time::Instant`], or `performance.now()` in browsers.

#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub use std::time::Instant;

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub use browser::Instant;

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
#[allow(unsafe_code, reason = "the clock comes from outside")]
mod browser {
    use std::{ops::Add, time::Duration};

    #[link(wasm_import_module = "alea")]
    unsafe extern "C" {
        safe fn now() -> f64;
    }

    /// A point in monotonic time.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub struct Instant(Duration);

    impl Instant {
        /// The current time.
        pub fn now() -> Self {
            Self(Duration::from_secs_f64(now() / 1000.0))
        }

        /// Time since this point.
        pub fn elapsed(&self) -> Duration {
            Self::now().duration_since(*self)
        }

        /// Time since an earlier point; zero since a later one.
        pub fn duration_since(&self, earlier: Self) -> Duration {
            self.0.saturating_sub(earlier.0)
        }
    }

    impl Add<Duration> for Instant {
        type Output = Self;

        fn add(self, time: Duration) -> Self {
            Self(self.0.saturating_add(time))
        }
    }
}
