//! CPU feature dispatch: loops compiled for several instruction sets, chosen at run time, with
//! equal bits.

pub use crate::multiversion;

/// Levels of instruction sets; each includes the earlier ones of its architecture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SimdLevel {
    /// The baseline of the processor architecture.
    Portable,
    /// WebAssembly with 128-bit vectors, chosen at compile time.
    #[cfg(target_arch = "wasm32")]
    Simd128,
    /// ARM with 128-bit vectors; all 64-bit processors.
    #[cfg(target_arch = "aarch64")]
    Neon,
    /// ARM with dot products of bytes (`dotprod`, Armv8.2).
    #[cfg(target_arch = "aarch64")]
    NeonDotprod,
    /// x86-64 with 256-bit vectors (AVX2), BMI, LZCNT and POPCNT.
    Avx2,
    /// x86-64 with 512-bit vectors (AVX-512 F, BW, VL).
    Avx512,
    /// AVX-512 with dot products of bytes (VNNI).
    Avx512Vnni,
    /// AVX-512 with dot products and permutations of bytes (VNNI, VBMI, VBMI2).
    Avx512Vbmi,
}

impl SimdLevel {
    /// All levels, ascending.
    pub const ALL: &[Self] = &[
        Self::Portable,
        #[cfg(target_arch = "wasm32")]
        Self::Simd128,
        #[cfg(target_arch = "aarch64")]
        Self::Neon,
        #[cfg(target_arch = "aarch64")]
        Self::NeonDotprod,
        Self::Avx2,
        Self::Avx512,
        Self::Avx512Vnni,
        Self::Avx512Vbmi,
    ];

    fn is_detected(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        macro_rules! all {
            ($($feature:tt),+) => { $(std::arch::is_x86_feature_detected!($feature))&&+ };
        }
        match self {
            Self::Portable => true,
            #[cfg(target_arch = "wasm32")]
            Self::Simd128 => cfg!(target_feature = "simd128"),
            #[cfg(target_arch = "aarch64")]
            Self::Neon => true,
            #[cfg(target_arch = "aarch64")]
            Self::NeonDotprod => std::arch::is_aarch64_feature_detected!("dotprod"),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => all!("avx2", "bmi1", "bmi2", "lzcnt", "popcnt"),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => all!("popcnt", "avx512f", "avx512bw", "avx512vl"),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512Vnni => all!("avx512vnni"),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512Vbmi => all!("avx512vbmi", "avx512vbmi2"),
            #[cfg(not(target_arch = "x86_64"))]
            _ => false,
        }
    }
}

/// Proof that this machine supports a [`SimdLevel`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Instructions(SimdLevel);

impl Instructions {
    /// Proof of the baseline.
    pub const PORTABLE: Self = Self(SimdLevel::Portable);

    /// Proofs of all levels that this machine supports, ascending.
    pub fn available() -> impl Iterator<Item = Self> {
        SimdLevel::ALL
            .iter()
            .copied()
            .take_while(|level| level.is_detected())
            .map(Self)
    }

    /// Proof of the highest level that this machine supports.
    pub fn detect() -> Self {
        Self::available().last().unwrap_or(Self::PORTABLE)
    }

    /// The proven level.
    #[inline]
    pub fn level(self) -> SimdLevel {
        self.0
    }

    /// The highest of `levels` up to the proven one; portable if none.
    #[must_use]
    pub fn widest_of(self, levels: &[SimdLevel]) -> Self {
        let included = levels.iter().filter(|level| **level <= self.0);
        Self(included.max().copied().unwrap_or(SimdLevel::Portable))
    }

    /// Name, such as `avx2`.
    pub fn name(self) -> &'static str {
        match self.0 {
            SimdLevel::Portable => "portable",
            #[cfg(target_arch = "wasm32")]
            SimdLevel::Simd128 => "simd128",
            #[cfg(target_arch = "aarch64")]
            SimdLevel::Neon => "neon",
            #[cfg(target_arch = "aarch64")]
            SimdLevel::NeonDotprod => "neon-dotprod",
            SimdLevel::Avx2 => "avx2",
            SimdLevel::Avx512 => "avx512",
            SimdLevel::Avx512Vnni => "avx512vnni",
            SimdLevel::Avx512Vbmi => "avx512vbmi",
        }
    }
}

/// Defines a function with a body per SIMD level, highest first: `name(instructions, arguments…)`
/// calls the first whose level `instructions` include. `any` is one body compiled for AVX-512, AVX2
/// and portable, `Baseline` one for SSE2 or NEON.
#[macro_export]
macro_rules! multiversion {
    ($(#[$meta:meta])* $visibility:vis fn $name:ident
        $(<$(const $constant:ident: $kind:ty),+>)?
        ($($argument:ident: $type:ty),* $(,)?) $(-> $result:ty)?
        { $($forms:tt)+ }
    ) => {
        $(#[$meta])*
        #[inline]
        #[allow(unsafe_code, reason = "calls code compiled for instructions that were found")]
        $visibility fn $name<$($(const $constant: $kind),+)?>(
            instructions: $crate::simd::Instructions,
            $($argument: $type),*
        ) $(-> $result)? {
            let level = instructions.level();
            $crate::multiversion!(@forms level
                [$($($constant: $kind),+)?] [$($argument: $type),*] [$(-> $result)?] $($forms)+)
        }
    };
    (@forms $level:ident [$($constants:tt)*] [$($arguments:tt)*] [$($result:tt)*]
        any => $body:expr $(,)?
    ) => {
        $crate::multiversion!(@forms $level [$($constants)*] [$($arguments)*] [$($result)*]
            Avx512 => $body, Avx2 => $body, Portable => $body)
    };
    (@forms $level:ident [$($constants:tt)*] [$($argument:ident: $type:ty),*] [$($result:tt)*]
        Portable => $body:expr $(,)?
    ) => {{
        let _ = $level;
        $body($($argument),*)
    }};
    (@forms $level:ident [$($constant:ident: $kind:ty),*] [$($argument:ident: $type:ty),*]
        [$($result:tt)*] Baseline => $body:expr $(,)?
    ) => {{
        let _ = $level;
        #[cfg_attr(target_arch = "x86_64", target_feature(enable = "sse2"))]
        #[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon"))]
        fn compiled_version<$(const $constant: $kind),*>($($argument: $type),*) $($result)* {
            $body($($argument),*)
        }
        // SAFETY: every processor of the architecture has these instructions.
        #[allow(unused_unsafe, reason = "there may be none")]
        unsafe { compiled_version::<$($constant),*>($($argument),*) }
    }};
    (@forms $level:ident [$($constants:tt)*] [$($argument:ident: $type:ty),*] [$($result:tt)*]
        Simd128 => $body:expr, $($rest:tt)*
    ) => {{
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        if $level >= $crate::simd::SimdLevel::Simd128 {
            return $body($($argument),*);
        }
        $crate::multiversion!(@forms $level
            [$($constants)*] [$($argument: $type),*] [$($result)*] $($rest)*)
    }};
    (@forms $level:ident [$($constant:ident: $kind:ty),*] [$($argument:ident: $type:ty),*]
        [$($result:tt)*] Neon => $body:expr, $($rest:tt)*
    ) => {
        $crate::multiversion!(@forms $level [$($constant: $kind),*] [$($argument: $type),*]
            [$($result)*] Arm("neon", Neon) => $body, $($rest)*)
    };
    (@forms $level:ident [$($constant:ident: $kind:ty),*] [$($argument:ident: $type:ty),*]
        [$($result:tt)*] NeonDotprod => $body:expr, $($rest:tt)*
    ) => {
        $crate::multiversion!(@forms $level [$($constant: $kind),*] [$($argument: $type),*]
            [$($result)*] Arm("neon,dotprod", NeonDotprod) => $body, $($rest)*)
    };
    (@forms $level:ident [$($constant:ident: $kind:ty),*] [$($argument:ident: $type:ty),*]
        [$($result:tt)*] Arm($features:literal, $name:ident) => $body:expr, $($rest:tt)*
    ) => {{
        #[cfg(target_arch = "aarch64")]
        {
            #[target_feature(enable = $features)]
            fn compiled_version<$(const $constant: $kind),*>($($argument: $type),*) $($result)* {
                $body($($argument),*)
            }
            if $level >= $crate::simd::SimdLevel::$name {
                // SAFETY: `Instructions` of a level exist only where its features were detected.
                return unsafe { compiled_version::<$($constant),*>($($argument),*) };
            }
        }
        $crate::multiversion!(@forms $level
            [$($constant: $kind),*] [$($argument: $type),*] [$($result)*] $($rest)*)
    }};
    (@forms $level:ident [$($constant:ident: $kind:ty),*] [$($argument:ident: $type:ty),*]
        [$($result:tt)*] $name:ident => $body:expr, $($rest:tt)*
    ) => {{
        #[cfg(target_arch = "x86_64")]
        {
            $crate::multiversion!(@compiled $name
                fn compiled_version<$(const $constant: $kind),*>($($argument: $type),*) $($result)* {
                    $body($($argument),*)
                }
            );
            if $level >= $crate::simd::SimdLevel::$name {
                // SAFETY: `Instructions` of a level exist only where its features were detected;
                // the version is safe code.
                return unsafe { compiled_version::<$($constant),*>($($argument),*) };
            }
        }
        $crate::multiversion!(@forms $level
            [$($constant: $kind),*] [$($argument: $type),*] [$($result)*] $($rest)*)
    }};
    (@forms $level:ident [$($constants:tt)*] [$($argument:ident: $type:ty),*] [$($result:tt)*]) => {{
        let _ = ($($argument,)*);
        panic!("there is no form for {:?}", $level)
    }};
    (@compiled Avx2 $($form:tt)*) => {
        #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
        $($form)*
    };
    (@compiled Avx512 $($form:tt)*) => {
        #[target_feature(enable = "popcnt,avx2,avx512f,avx512bw,avx512vl")]
        $($form)*
    };
    (@compiled Avx512Vnni $($form:tt)*) => {
        #[target_feature(enable = "popcnt,avx2,avx512f,avx512bw,avx512vl,avx512vnni")]
        $($form)*
    };
    (@compiled Avx512Vbmi $($form:tt)*) => {
        #[target_feature(
            enable = "popcnt,avx2,avx512f,avx512bw,avx512vl,avx512vnni,avx512vbmi,avx512vbmi2"
        )]
        $($form)*
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[inline(always)]
    fn times<const FACTOR: u32>(number: u32) -> u32 {
        FACTOR * number
    }

    multiversion! {
        fn level_number(number: u32) -> u32 {
            Avx512Vbmi => times::<5>,
            Avx512Vnni => times::<4>,
            Avx512 => times::<3>,
            Avx2 => times::<2>,
            NeonDotprod => times::<3>,
            Neon => times::<2>,
            Portable => times::<1>,
        }
    }

    multiversion! {
        fn lanes_of_level<const WIDTH: u32>(number: u32) -> u32 {
            Avx512 => times::<WIDTH>,
            Portable => times::<1>,
        }
    }

    #[test]
    fn the_first_form_that_the_instructions_include_is_called() {
        for instructions in Instructions::available() {
            let level = instructions.level();
            assert_eq!(level_number(instructions, 7), 7 * (level as u32 + 1));
            let wide = if level >= SimdLevel::Avx512 { 6 } else { 1 };
            assert_eq!(lanes_of_level::<6>(instructions, 7), 7 * wide);
        }
    }

    #[test]
    fn portable_is_available_and_the_widest_is_detected() {
        let available: Vec<Instructions> = Instructions::available().collect();
        assert_eq!(available[0], Instructions::PORTABLE);
        assert_eq!(available.last(), Some(&Instructions::detect()));
        assert!(available.is_sorted());
    }

    #[test]
    fn the_widest_of_some_levels_is_found() {
        for instructions in Instructions::available() {
            assert_eq!(instructions.widest_of(SimdLevel::ALL), instructions);
            assert_eq!(instructions.widest_of(&[]), Instructions::PORTABLE);
            let narrow = instructions.widest_of(&SimdLevel::ALL[..2]);
            assert_eq!(narrow.level(), instructions.level().min(SimdLevel::ALL[1]));
        }
    }
}
