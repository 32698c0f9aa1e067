//! The time that passes.
//!
//! Invariant: it is [`std::time::Instant`] where there is one. In a browser the standard library
//! has no clock; there whoever runs the program lends its own.

#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub use std::time::Instant;

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub use lent::Instant;

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
#[allow(unsafe_code, reason = "the clock comes from outside")]
mod lent {
    use std::{ops::Add, time::Duration};

    #[link(wasm_import_module = "alea")]
    unsafe extern "C" {
        /// Milliseconds from some moment on, never less than before (`performance.now()`).
        safe fn now() -> f64;
    }

    /// A moment, since the page was opened.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub struct Instant(Duration);

    impl Instant {
        /// This moment.
        #[must_use]
        pub fn now() -> Self {
            Self(Duration::from_secs_f64(now() / 1000.0))
        }

        /// The time since then.
        #[must_use]
        pub fn elapsed(&self) -> Duration {
            Self::now().duration_since(*self)
        }

        /// The time from an earlier moment to this one; none if it is no earlier one.
        #[must_use]
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
