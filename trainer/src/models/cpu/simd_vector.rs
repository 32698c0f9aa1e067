//! Vectors of sixteen numbers, in as many registers as needed. Operations round once per lane, so
//! all types give the same bits. Values of a type may only be created in functions that
//! [`super::instructions`] compiles for its instruction set.

/// Number of lanes of a vector; matrix widths are multiples of it.
pub(super) const LANES: usize = 16;

/// Sixteen adjacent columns of a matrix row.
pub(super) type Lanes = [f32; LANES];

/// Vector without SIMD instructions, the reference for the other vector types.
#[cfg(any(test, not(target_arch = "aarch64")))]
pub(super) type Scalar = [f32; LANES];

#[cfg(not(target_arch = "aarch64"))]
pub(super) type Baseline = Scalar;
#[cfg(target_arch = "aarch64")]
pub(super) type Baseline = [std::arch::aarch64::float32x4_t; 4];
#[cfg(target_arch = "x86_64")]
pub(super) type Avx2 = [std::arch::x86_64::__m256; 2];
#[cfg(target_arch = "x86_64")]
pub(super) type Avx512 = [std::arch::x86_64::__m512; 1];

/// Arithmetic on the lanes of a register or vector.
pub(super) trait Numbers: Copy {
    fn splat(number: f32) -> Self;
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;
    fn divided_by(self, other: Self) -> Self;
    fn sqrt(self) -> Self;
    /// Clamps to `[0, 1]`; NaN stays NaN.
    fn clamp_to_unit(self) -> Self;
    /// Sets each lane to 0 unless the same lane of `values` is strictly between 0 and 1.
    fn zero_where_clipped(self, values: Self) -> Self;
    /// Sum of all lanes in a fixed pairwise order: 8 + 8, 4 + 4, 2 + 2, 1 + 1.
    fn sum(self) -> f32;
}

pub(super) trait Vector: Numbers {
    fn load(lanes: &Lanes) -> Self;
    fn store(self, lanes: &mut Lanes);

    #[inline(always)]
    fn add_to(self, lanes: &mut Lanes) {
        Self::load(lanes).plus(self).store(lanes);
    }
}

/// Register of part of a [`Lanes`]; `index` counts registers.
pub(super) trait Register: Numbers {
    fn load(lanes: &Lanes, index: usize) -> Self;
    fn store(self, lanes: &mut Lanes, index: usize);
}

impl<R: Register, const REGISTERS: usize> Vector for [R; REGISTERS] {
    #[inline(always)]
    fn load(lanes: &Lanes) -> Self {
        let mut vector = [R::splat(0.0); REGISTERS];
        for (index, register) in vector.iter_mut().enumerate() {
            *register = R::load(lanes, index);
        }
        vector
    }

    #[inline(always)]
    fn store(self, lanes: &mut Lanes) {
        for (index, register) in self.iter().enumerate() {
            register.store(lanes, index);
        }
    }
}

macro_rules! by_register {
    ($($operation:ident($($other:ident)?)),+) => {
        $(#[inline(always)]
        fn $operation(mut self$(, $other: Self)?) -> Self {
            for index in 0..REGISTERS {
                self[index] = self[index].$operation($($other[index])?);
            }
            self
        })+
    };
}

impl<R: Register, const REGISTERS: usize> Numbers for [R; REGISTERS] {
    by_register! {
        plus(other), minus(other), times(other), divided_by(other),
        sqrt(), clamp_to_unit(), zero_where_clipped(values)
    }

    #[inline(always)]
    fn splat(number: f32) -> Self {
        [R::splat(number); REGISTERS]
    }

    #[inline(always)]
    fn sum(mut self) -> f32 {
        let mut half = REGISTERS / 2;
        while half > 0 {
            for index in 0..half {
                self[index] = self[index].plus(self[index + half]);
            }
            half /= 2;
        }
        self[0].sum()
    }
}

macro_rules! register {
    ($register:ty: $splat:path, $load:path, $store:path, $sum:path,
        $($operation:ident($($other:ident)?) = $function:path),+
    ) => {
        // SAFETY, for all: the instructions exist wherever such values do (see the top of the
        // file).
        impl Numbers for $register {
            #[inline(always)]
            fn splat(number: f32) -> Self {
                // SAFETY: as above.
                unsafe { $splat(number) }
            }

            #[inline(always)]
            fn sum(self) -> f32 {
                // SAFETY: as above.
                unsafe { $sum(self) }
            }

            $(#[inline(always)]
            fn $operation(self$(, $other: Self)?) -> Self {
                // SAFETY: as above.
                unsafe { $function(self$(, $other)?) }
            })+
        }

        impl Register for $register {
            #[inline(always)]
            fn load(lanes: &Lanes, index: usize) -> Self {
                let lanes = &lanes.as_chunks::<{ size_of::<$register>() / 4 }>().0[index];
                // SAFETY: as above; the chunk has the register's width.
                unsafe { $load(lanes.as_ptr()) }
            }

            #[inline(always)]
            fn store(self, lanes: &mut Lanes, index: usize) {
                let lanes = &mut lanes.as_chunks_mut::<{ size_of::<$register>() / 4 }>().0[index];
                // SAFETY: as above; the chunk has the register's width.
                unsafe { $store(lanes.as_mut_ptr(), self) }
            }
        }
    };
}

#[cfg(any(test, not(target_arch = "aarch64")))]
mod scalar {
    #![allow(unsafe_code, unused_unsafe, reason = "most functions are safe")]

    use super::{Lanes, Numbers, Register};
    use std::{convert::identity, ops, ptr};

    register! {
        f32: identity, ptr::read, ptr::write, identity,
        plus(other) = ops::Add::add, minus(other) = ops::Sub::sub,
        times(other) = ops::Mul::mul, divided_by(other) = ops::Div::div, sqrt() = f32::sqrt,
        clamp_to_unit() = clamp_one, zero_where_clipped(values) = unclipped_one
    }

    #[inline(always)]
    fn clamp_one(number: f32) -> f32 {
        let low = if number < 0.0 { 0.0 } else { number };
        if low > 1.0 { 1.0 } else { low }
    }

    #[inline(always)]
    fn unclipped_one(slope: f32, value: f32) -> f32 {
        // A mask of all ones or zeros avoids branches.
        let unclipped = (value > 0.0) & (value < 1.0);
        f32::from_bits(slope.to_bits() & u32::from(unclipped).wrapping_neg())
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    #![allow(
        unsafe_code,
        reason = "operations of processors that have been found to know them"
    )]

    use super::{Lanes, Numbers, Register};
    use std::arch::x86_64::*;

    register! {
        __m256: _mm256_set1_ps, _mm256_loadu_ps, _mm256_storeu_ps, sum_eight,
        plus(other) = _mm256_add_ps, minus(other) = _mm256_sub_ps, times(other) = _mm256_mul_ps,
        divided_by(other) = _mm256_div_ps, sqrt() = _mm256_sqrt_ps,
        clamp_to_unit() = clamp_eight, zero_where_clipped(values) = unclipped_eight
    }

    register! {
        __m512: _mm512_set1_ps, _mm512_loadu_ps, _mm512_storeu_ps, sum_sixteen,
        plus(other) = _mm512_add_ps, minus(other) = _mm512_sub_ps, times(other) = _mm512_mul_ps,
        divided_by(other) = _mm512_div_ps, sqrt() = _mm512_sqrt_ps,
        clamp_to_unit() = clamp_sixteen, zero_where_clipped(values) = unclipped_sixteen
    }

    // `max(a, b)` is `b` unless `a` is greater, likewise `min`: NaN as `b` is kept.

    #[inline]
    #[target_feature(enable = "avx2")]
    fn clamp_eight(numbers: __m256) -> __m256 {
        _mm256_min_ps(
            _mm256_set1_ps(1.0),
            _mm256_max_ps(_mm256_setzero_ps(), numbers),
        )
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn clamp_sixteen(numbers: __m512) -> __m512 {
        _mm512_min_ps(
            _mm512_set1_ps(1.0),
            _mm512_max_ps(_mm512_setzero_ps(), numbers),
        )
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
    fn sum_eight(lanes: __m256) -> f32 {
        let four = _mm_add_ps(
            _mm256_castps256_ps128(lanes),
            _mm256_extractf128_ps::<1>(lanes),
        );
        let two = _mm_add_ps(four, _mm_movehl_ps(four, four));
        _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)))
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn sum_sixteen(lanes: __m512) -> f32 {
        let high = _mm256_castpd_ps(_mm512_extractf64x4_pd::<1>(_mm512_castps_pd(lanes)));
        sum_eight(_mm256_add_ps(_mm512_castps512_ps256(lanes), high))
    }
}

#[cfg(target_arch = "aarch64")]
mod neon {
    #![allow(
        unsafe_code,
        reason = "operations that every processor of the kind has"
    )]

    use super::{Lanes, Numbers, Register};
    use std::arch::aarch64::*;

    register! {
        float32x4_t: vdupq_n_f32, vld1q_f32, vst1q_f32, sum_four,
        plus(other) = vaddq_f32, minus(other) = vsubq_f32, times(other) = vmulq_f32,
        divided_by(other) = vdivq_f32, sqrt() = vsqrtq_f32,
        clamp_to_unit() = clamp_four, zero_where_clipped(values) = unclipped_four
    }

    #[inline]
    #[target_feature(enable = "neon")]
    fn clamp_four(numbers: float32x4_t) -> float32x4_t {
        let (zero, one) = (vdupq_n_f32(0.0), vdupq_n_f32(1.0));
        let low = vbslq_f32(vcltq_f32(numbers, zero), zero, numbers);
        vbslq_f32(vcgtq_f32(low, one), one, low)
    }

    #[inline]
    #[target_feature(enable = "neon")]
    fn unclipped_four(slopes: float32x4_t, values: float32x4_t) -> float32x4_t {
        let above = vcgtq_f32(values, vdupq_n_f32(0.0));
        let unclipped = vandq_u32(above, vcltq_f32(values, vdupq_n_f32(1.0)));
        vreinterpretq_f32_u32(vandq_u32(vreinterpretq_u32_f32(slopes), unclipped))
    }

    #[inline]
    #[target_feature(enable = "neon")]
    fn sum_four(lanes: float32x4_t) -> f32 {
        vpadds_f32(vadd_f32(vget_low_f32(lanes), vget_high_f32(lanes)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn results<V: Vector>(a: &Lanes, b: &Lanes) -> Vec<u32> {
        let [x, y] = [a, b].map(V::load);
        let mut bits = vec![x.sum().to_bits()];
        for vector in [
            x.plus(y),
            x.minus(y),
            x.times(y),
            x.divided_by(y),
            y.times(y).sqrt(),
            x.clamp_to_unit(),
            y.zero_where_clipped(x),
        ] {
            let mut lanes = [0.0; LANES];
            vector.store(&mut lanes);
            bits.extend(lanes.map(f32::to_bits));
        }
        bits
    }

    #[test]
    fn the_baseline_gives_the_bits_of_single_numbers() {
        let mut a: Lanes = std::array::from_fn(|lane| lane as f32 * 0.3 - 1.7);
        let b = a.map(|number| 2.0 - number * number);
        assert_eq!(results::<Baseline>(&a, &b), results::<Scalar>(&a, &b));
        a[..5].copy_from_slice(&[0.0, -0.0, 1.0, f32::MIN_POSITIVE / 2.0, f32::INFINITY]);
        assert_eq!(results::<Baseline>(&a, &b), results::<Scalar>(&a, &b));
        assert!(f32::NAN.clamp_to_unit().is_nan());
    }
}
