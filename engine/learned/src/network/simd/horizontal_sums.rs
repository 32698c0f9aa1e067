//! Sums of the 32-bit lanes of x86-64 vectors, modulo 2³².
#![allow(unsafe_code)]

use std::arch::x86_64::*;

pub(super) const NUM_VECTORS: usize = 4;

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn sum_of_eight(sums: __m256i) -> i32 {
    let four = _mm_add_epi32(
        _mm256_castsi256_si128(sums),
        _mm256_extracti128_si256::<1>(sums),
    );
    let two = _mm_add_epi32(four, _mm_shuffle_epi32::<0b01_00_11_10>(four));
    _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32::<0b10_11_00_01>(two)))
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn sums_of_eights([a, b, c, d]: [__m256i; NUM_VECTORS]) -> __m128i {
    let four_sums = _mm256_hadd_epi32(_mm256_hadd_epi32(a, b), _mm256_hadd_epi32(c, d));
    _mm_add_epi32(
        _mm256_castsi256_si128(four_sums),
        _mm256_extracti128_si256::<1>(four_sums),
    )
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn sums_of_sixteens([a, b, c, d]: [__m512i; NUM_VECTORS]) -> __m128i {
    let first = _mm512_add_epi32(_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
    let second = _mm512_add_epi32(_mm512_unpacklo_epi32(c, d), _mm512_unpackhi_epi32(c, d));
    let four_sums = _mm512_add_epi32(
        _mm512_unpacklo_epi64(first, second),
        _mm512_unpackhi_epi64(first, second),
    );
    let eight_sums = _mm256_add_epi32(
        _mm512_castsi512_si256(four_sums),
        _mm512_extracti64x4_epi64::<1>(four_sums),
    );
    _mm_add_epi32(
        _mm256_castsi256_si128(eight_sums),
        _mm256_extracti128_si256::<1>(eight_sums),
    )
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn store_totals(out: &mut [i32; NUM_VECTORS], totals: __m128i) {
    // SAFETY: 16 bytes are writable; unaligned store.
    unsafe { _mm_storeu_si128(out.as_mut_ptr().cast(), totals) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_vector_has_its_total() {
        #[target_feature(enable = "avx2")]
        fn eights() -> [i32; NUM_VECTORS] {
            let mut out = [0; NUM_VECTORS];
            let vectors = [1, 10, 100, i32::MAX].map(|step| {
                _mm256_mullo_epi32(
                    _mm256_set1_epi32(step),
                    _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7),
                )
            });
            store_totals(&mut out, sums_of_eights(vectors));
            out
        }
        #[target_feature(enable = "avx512f,avx2")]
        fn sixteens() -> [i32; NUM_VECTORS] {
            let mut out = [0; NUM_VECTORS];
            let lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
            store_totals(
                &mut out,
                sums_of_sixteens(
                    [1, 10, 100, i32::MAX]
                        .map(|step| _mm512_mullo_epi32(_mm512_set1_epi32(step), lanes)),
                ),
            );
            out
        }
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: the instructions were detected.
            assert_eq!(unsafe { eights() }, [28, 280, 2800, -28]);
        }
        if std::arch::is_x86_feature_detected!("avx2")
            && std::arch::is_x86_feature_detected!("avx512f")
        {
            // SAFETY: the instructions were detected.
            assert_eq!(unsafe { sixteens() }, [120, 1200, 12000, -120]);
        }
    }
}
