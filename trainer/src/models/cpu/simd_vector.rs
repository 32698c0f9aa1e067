//! Vectors of sixteen numbers, in as many registers as needed. Operations round once per lane, so
//! all types give the same bits. Values of a type may only be created in functions that
//! [`super::instructions`] compiles for its instruction set.

/// Numbers in a vector; matrix widths are multiples of it.
pub(super) const LANES: usize = 16;

/// Sixteen adjacent columns of a matrix row.
pub(super) type Lanes = [f32; LANES];

pub(super) trait Vector: Copy {
    fn splat(number: f32) -> Self;
    fn load(lanes: &Lanes) -> Self;
    fn store(self, lanes: &mut Lanes);
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;
    fn divided_by(self, other: Self) -> Self;
    fn sqrt(self) -> Self;
    /// Clamps to `[0, 1]`; NaN stays NaN.
    fn clamp_to_unit(self) -> Self;
    /// Zeroes the lanes in which `values` is not strictly between 0 and 1.
    fn zero_where_clipped(self, values: Self) -> Self;
    /// Sums pairwise: 8 + 8, 4 + 4, 2 + 2, 1 + 1.
    fn sum(self) -> f32;

    #[inline(always)]
    fn add_to(self, lanes: &mut Lanes) {
        Self::load(lanes).plus(self).store(lanes);
    }
}

/// Vector without SIMD instructions, the reference for the others.
#[derive(Clone, Copy)]
pub(super) struct Scalar(Lanes);

impl Scalar {
    #[inline(always)]
    fn from_fn(mut number: impl FnMut(usize) -> f32) -> Self {
        let mut lanes = [0.0; LANES];
        for (lane, found) in lanes.iter_mut().enumerate() {
            *found = number(lane);
        }
        Self(lanes)
    }
}

impl Vector for Scalar {
    #[inline(always)]
    fn splat(number: f32) -> Self {
        Self([number; LANES])
    }

    #[inline(always)]
    fn load(lanes: &Lanes) -> Self {
        Self(*lanes)
    }

    #[inline(always)]
    fn store(self, lanes: &mut Lanes) {
        *lanes = self.0;
    }

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        Self::from_fn(|lane| self.0[lane] + other.0[lane])
    }

    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        Self::from_fn(|lane| self.0[lane] - other.0[lane])
    }

    #[inline(always)]
    fn times(self, other: Self) -> Self {
        Self::from_fn(|lane| self.0[lane] * other.0[lane])
    }

    #[inline(always)]
    fn divided_by(self, other: Self) -> Self {
        Self::from_fn(|lane| self.0[lane] / other.0[lane])
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Self::from_fn(|lane| self.0[lane].sqrt())
    }

    #[inline(always)]
    fn clamp_to_unit(self) -> Self {
        Self::from_fn(|lane| {
            let low = if self.0[lane] < 0.0 {
                0.0
            } else {
                self.0[lane]
            };
            if low > 1.0 { 1.0 } else { low }
        })
    }

    #[inline(always)]
    fn zero_where_clipped(self, values: Self) -> Self {
        Self::from_fn(|lane| {
            // A mask of all ones or zeros avoids branches.
            let unclipped = (values.0[lane] > 0.0) & (values.0[lane] < 1.0);
            f32::from_bits(self.0[lane].to_bits() & u32::from(unclipped).wrapping_neg())
        })
    }

    #[inline(always)]
    fn sum(self) -> f32 {
        let mut sums = self.0;
        for half in [8, 4, 2, 1] {
            for lane in 0..half {
                sums[lane] += sums[lane + half];
            }
        }
        sums[0]
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) use x86::{Avx2, Avx512};

#[cfg(target_arch = "x86_64")]
mod x86 {
    #![allow(
        unsafe_code,
        reason = "operations of processors that have been found to know them"
    )]

    use super::{Lanes, Vector};
    use std::arch::x86_64::*;

    /// Implements [`Vector`] by intrinsics. On x86 `max(a, b)` is `b` unless `a` is greater,
    /// likewise `min`: NaN as `b` is kept.
    macro_rules! vector {
        ($(#[$documentation:meta])* $name:ident of $width:literal lanes in $register:ty, at [$($index:tt)+];
            $set1:ident $zero:ident $load:ident $store:ident
            $add:ident $sub:ident $mul:ident $div:ident $sqrt:ident $max:ident $min:ident
            unclipped: $unclipped:ident, sum: $sum:ident
        ) => {
            $(#[$documentation])*
            #[derive(Clone, Copy)]
            pub(in super::super) struct $name($(vector!(@register $index $register)),+);

            // SAFETY, for all: the instructions exist wherever such values do (see the top of the
            // file); loads and stores are unaligned and within sixteen lanes.
            impl Vector for $name {
                #[inline(always)]
                fn splat(number: f32) -> Self {
                    // SAFETY: as above.
                    let all = unsafe { $set1(number) };
                    Self($(vector!(@value $index all)),+)
                }

                #[inline(always)]
                fn load(lanes: &Lanes) -> Self {
                    // SAFETY: as above.
                    unsafe { Self($($load(lanes.as_ptr().add($width * $index))),+) }
                }

                #[inline(always)]
                fn store(self, lanes: &mut Lanes) {
                    // SAFETY: as above.
                    unsafe { $($store(lanes.as_mut_ptr().add($width * $index), self.$index));+ }
                }

                #[inline(always)]
                fn plus(self, other: Self) -> Self {
                    // SAFETY: as above.
                    unsafe { Self($($add(self.$index, other.$index)),+) }
                }

                #[inline(always)]
                fn minus(self, other: Self) -> Self {
                    // SAFETY: as above.
                    unsafe { Self($($sub(self.$index, other.$index)),+) }
                }

                #[inline(always)]
                fn times(self, other: Self) -> Self {
                    // SAFETY: as above.
                    unsafe { Self($($mul(self.$index, other.$index)),+) }
                }

                #[inline(always)]
                fn divided_by(self, other: Self) -> Self {
                    // SAFETY: as above.
                    unsafe { Self($($div(self.$index, other.$index)),+) }
                }

                #[inline(always)]
                fn sqrt(self) -> Self {
                    // SAFETY: as above.
                    unsafe { Self($($sqrt(self.$index)),+) }
                }

                #[inline(always)]
                fn clamp_to_unit(self) -> Self {
                    // SAFETY: as above.
                    unsafe { Self($($min($set1(1.0), $max($zero(), self.$index))),+) }
                }

                #[inline(always)]
                fn zero_where_clipped(self, values: Self) -> Self {
                    // SAFETY: as above.
                    unsafe { Self($($unclipped(self.$index, values.$index)),+) }
                }

                #[inline(always)]
                fn sum(self) -> f32 {
                    // SAFETY: as above.
                    unsafe { $sum($(self.$index),+) }
                }
            }
        };
        (@register $index:tt $register:ty) => { $register };
        (@value $index:tt $value:ident) => { $value };
    }

    vector! {
        Avx2 of 8 lanes in __m256, at [0 1];
        _mm256_set1_ps _mm256_setzero_ps _mm256_loadu_ps _mm256_storeu_ps
        _mm256_add_ps _mm256_sub_ps _mm256_mul_ps _mm256_div_ps
        _mm256_sqrt_ps _mm256_max_ps _mm256_min_ps
        unclipped: unclipped_eight, sum: sum_eight_pairs
    }

    vector! {
        Avx512 of 16 lanes in __m512, at [0];
        _mm512_set1_ps _mm512_setzero_ps _mm512_loadu_ps _mm512_storeu_ps
        _mm512_add_ps _mm512_sub_ps _mm512_mul_ps _mm512_div_ps
        _mm512_sqrt_ps _mm512_max_ps _mm512_min_ps
        unclipped: unclipped_sixteen, sum: sum_sixteen
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn unclipped_eight(slopes: __m256, values: __m256) -> __m256 {
        let above = _mm256_cmp_ps::<_CMP_GT_OQ>(values, _mm256_setzero_ps());
        let below = _mm256_cmp_ps::<_CMP_LT_OQ>(values, _mm256_set1_ps(1.0));
        _mm256_and_ps(slopes, _mm256_and_ps(above, below))
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn unclipped_sixteen(slopes: __m512, values: __m512) -> __m512 {
        let above = _mm512_cmp_ps_mask::<_CMP_GT_OQ>(values, _mm512_setzero_ps());
        let unclipped = _mm512_mask_cmp_ps_mask::<_CMP_LT_OQ>(above, values, _mm512_set1_ps(1.0));
        _mm512_maskz_mov_ps(unclipped, slopes)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn sum_eight_pairs(low: __m256, high: __m256) -> f32 {
        let eight = _mm256_add_ps(low, high);
        let four = _mm_add_ps(
            _mm256_castps256_ps128(eight),
            _mm256_extractf128_ps::<1>(eight),
        );
        let two = _mm_add_ps(four, _mm_movehl_ps(four, four));
        _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)))
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn sum_sixteen(lanes: __m512) -> f32 {
        let high = _mm512_extractf64x4_pd::<1>(_mm512_castps_pd(lanes));
        sum_eight_pairs(_mm512_castps512_ps256(lanes), _mm256_castpd_ps(high))
    }
}
