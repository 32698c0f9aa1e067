//! The instructions that n-tuples are computed with, chosen at run time.
//!
//! Invariant: all of them find the same rows and the same sums, which are exact.

/// Instructions that n-tuples are computed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instructions {
    /// What every machine has: the definition.
    Portable,
    /// x86-64 with 256-bit vectors.
    Avx2,
    /// x86-64 with 512-bit vectors and permutations of bytes (VBMI).
    Avx512,
}

impl Instructions {
    /// All of them, the fastest last.
    pub const ALL: [Self; 3] = [Self::Portable, Self::Avx2, Self::Avx512];

    /// The fastest this machine has.
    #[must_use]
    pub fn detect() -> Self {
        Self::ALL
            .into_iter()
            .rev()
            .find(|set| set.is_available())
            .unwrap_or(Self::Portable)
    }

    /// Whether this machine has it.
    #[must_use]
    pub fn is_available(self) -> bool {
        match self {
            Self::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => std::arch::is_x86_feature_detected!("avx2"),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => {
                std::arch::is_x86_feature_detected!("avx2")
                    && std::arch::is_x86_feature_detected!("avx512f")
                    && std::arch::is_x86_feature_detected!("avx512bw")
                    && std::arch::is_x86_feature_detected!("avx512vbmi")
                    && std::arch::is_x86_feature_detected!("popcnt")
            }
            #[cfg(not(target_arch = "x86_64"))]
            Self::Avx2 | Self::Avx512 => false,
        }
    }

    /// The name, for tables of measurements.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }
}
