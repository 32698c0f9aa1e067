//! Quantized weights of an n-tuple network.
//!
//! A weight is a multiple of 2⁻ᵇ with the largest b of at most 22 for which no sum reaches 2³⁰,
//! whatever the position. Sums are exact, so incremental updates are too. Invariant: apart from the
//! bias's rounding offset, a sum differs by at most (tuples + 1) · 2⁻ᵇ⁻¹ from that of the original
//! weights.

use super::TupleSet;
use crate::core::calibration::logistic;
use crate::learned::{ModelError, inputs::Learnable};

const MAX_BITS: u32 = 22;

const MIN_BITS: u32 = 8;

/// Limit of the magnitude of all sums, below the sentinel values of searches.
const LIMIT: f64 = (1u32 << 30) as f64;

pub(super) const MAX_LOG_ODDS: f64 = LIMIT / (1u32 << MIN_BITS) as f64;

const LOG_ODDS_BITS: u32 = 18;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct QuantizedWeights {
    pub(crate) weights: Vec<i32>,
    /// Includes half a step of the log odds, so that [`Self::log_odds`] rounds to the nearest.
    pub(crate) bias: i32,
    bits: u32,
}

/// Half a step (2⁻¹⁹) of the log odds, in units of 2⁻ᵇ.
fn rounding_offset(bits: u32) -> i32 {
    (1 << bits.saturating_sub(LOG_ODDS_BITS)) / 2
}

impl QuantizedWeights {
    pub(crate) fn new<G: Learnable>(
        set: &TupleSet<G>,
        weights: &[f32],
        bias: f32,
    ) -> Result<Self, ModelError> {
        let tables: f64 = set
            .tables()
            .map(|table| {
                let phases = weights.chunks_exact(set.rows_per_phase());
                f64::from(
                    phases
                        .flat_map(|phase| &phase[table.clone()])
                        .fold(0.0f32, |max, weight| max.max(weight.abs())),
                )
            })
            .sum();
        let max_sum = tables + f64::from(bias.abs());
        let rounding = (set.tuples() + 1) as f64 / 2.0 + f64::from(rounding_offset(MAX_BITS));
        let fits = |bits: &u32| max_sum * f64::from(1u32 << bits) + rounding < LIMIT;
        let Some(bits) = (MIN_BITS..=MAX_BITS).rev().find(fits) else {
            return Err(ModelError(format!(
                "the log odds may reach {max_sum}; weights must keep them below {MAX_LOG_ODDS}"
            )));
        };
        // Rounds half away from zero.
        let quantized = |weight: f32| {
            (f64::from(weight) * f64::from(1u32 << bits) + 0.5f64.copysign(f64::from(weight)))
                as i32
        };
        Ok(Self {
            weights: weights.iter().map(|&weight| quantized(weight)).collect(),
            bias: quantized(bias) + rounding_offset(bits),
            bits,
        })
    }

    /// Log odds in floating point from a sum with the bias, in steps of at least 2⁻¹⁸, so that the
    /// logistic is monotone.
    #[inline]
    pub(crate) fn log_odds(&self, sum: i32) -> f32 {
        let bits = self.bits.min(LOG_ODDS_BITS);
        // 2⁻ᵇ, made from its exponent.
        (sum >> (self.bits - bits)) as f32 * f32::from_bits((127 - bits) << 23)
    }

    #[inline]
    pub(crate) fn win_probability(&self, sum: i32) -> f32 {
        logistic(self.log_odds(sum))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::einstein::Standard;

    fn quantized(weights: &[f32], bias: f32) -> Result<QuantizedWeights, ModelError> {
        QuantizedWeights::new(
            &TupleSet::custom(&Standard::default(), &["a0", "a1"]).unwrap(),
            weights,
            bias,
        )
    }

    #[test]
    fn there_are_as_many_bits_as_fit() {
        // The maxima of both tables count: 127 + 128 + 0.5 is below 2⁸ = 2³⁰⁻²².
        let weights = quantized(&[127.0, 1.0, 0.25, -128.0], -0.5).unwrap();
        assert_eq!((weights.bits, weights.bias), (22, 8 - (1 << 21)));
        assert_eq!(weights.weights, [127 << 22, 1 << 22, 1 << 20, -(128 << 22)]);
        // Rounding counts: 2³⁰ - 64 is far enough, 2³⁰ - 1 is not.
        let little = 1.0 / 65536.0;
        for (weights, bits) in [
            ([128.0, 1.0, 0.25, -128.0], 21),
            ([128.0, 0.0, 128.0 - little, 0.0], 22),
            ([256.0 - little, 0.0, little - 1.0 / 4_194_304.0, 0.0], 21),
            ([2.0e6, 0.0, 2.0e6, 0.0], 8),
        ] {
            assert_eq!(quantized(&weights, 0.0).unwrap().bits, bits, "{weights:?}");
        }
        let error = quantized(&[3.0e6, 0.0, 2.0e6, 0.0], 0.0).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the log odds may reach 5000000; weights must keep them below 4194304"
        );
        assert!(quantized(&[f32::MAX, 0.0, f32::MAX, 0.0], f32::MIN).is_err());
    }

    #[test]
    fn the_phases_of_a_table_count_as_one() {
        let set = TupleSet::custom(&Standard::default(), &["a0"])
            .unwrap()
            .with_phases(&[5])
            .unwrap();
        for (weights, bits) in [
            ([200.0, 1.0, 2.0, -200.0], 22),
            ([1.0, 2.0, -300.0, 1.0], 21),
        ] {
            let quantized = QuantizedWeights::new(&set, &weights, 0.0).unwrap();
            assert_eq!(quantized.bits, bits, "{weights:?}");
        }
    }

    #[test]
    fn log_odds_are_on_the_grid() {
        let fine = quantized(&[0.0; 4], 0.0).unwrap();
        assert_eq!(
            [fine.log_odds(3 << 22), fine.log_odds(15), fine.log_odds(-1)],
            [3.0, 0.0, -1.0 / 262_144.0]
        );
        assert_eq!(
            [-9, -8, 7, 8].map(|sum| fine.log_odds(fine.bias + sum) * 262_144.0),
            [-1.0, 0.0, 0.0, 1.0]
        );
        let coarse = quantized(&[2.0e6, 0.0, 2.0e6, 0.0], 0.0).unwrap();
        assert_eq!(
            [coarse.log_odds(256), coarse.log_odds(-1)],
            [1.0, -1.0 / 256.0]
        );
    }

    #[test]
    fn values_never_fall_when_sums_rise() {
        let fine = quantized(&[0.0; 4], 0.0).unwrap();
        let mut last = -1.0;
        // All steps up to the range of the exponential function.
        for coarse in -(90 << 18)..=90 << 18 {
            let value = logistic(coarse as f32 / 262_144.0);
            assert!(value >= last, "{coarse}: {value} after {last}");
            last = value;
        }
        assert_eq!(
            (
                last,
                fine.win_probability(0),
                fine.win_probability(i32::MAX)
            ),
            (1.0, 0.5, 1.0)
        );
    }
}
