//! Quantized weights of an n-tuple network: multiples of 2⁻ᵇ, with the largest b ≤ 22 for which no
//! sum can reach 2³⁰.

use super::TupleSet;
use crate::{ModelError, inputs::Learnable};
use alea_core::calibration::logistic;

const MAX_FRACTION_BITS: u32 = 22;

const MIN_FRACTION_BITS: u32 = 8;

/// Limit of sums, below the sentinel values of searches.
const SUM_LIMIT: f64 = (1u32 << 30) as f64;

pub(super) const MAX_LOG_ODDS: f64 = SUM_LIMIT / (1u32 << MIN_FRACTION_BITS) as f64;

const LOG_ODDS_FRACTION_BITS: u32 = 18;

/// Weights in units of 2⁻ᵇ of the log odds.
#[derive(Clone, Debug, PartialEq)]
pub struct QuantizedWeights {
    /// Weights by row.
    pub weights: Vec<i32>,
    /// The same weights in half the space, if they are 16-bit integers in files; else empty.
    pub narrow: Vec<i16>,
    /// Bias plus half a step of [`Self::log_odds`], which thus rounds to the nearest.
    pub bias: i32,
    /// b, the number of fractional bits.
    pub bits: u32,
}

fn rounding_offset(bits: u32) -> i32 {
    (1 << bits.saturating_sub(LOG_ODDS_FRACTION_BITS)) / 2
}

impl QuantizedWeights {
    /// Rounds weights as finely as possible without overflow, but not beyond `file_bits`, the binary
    /// logarithm of the integer for 1.0 in files of 16 bits.
    ///
    /// # Errors
    /// If sums may get too large.
    pub fn new<G: Learnable>(
        set: &TupleSet<G>,
        weights: &[f32],
        bias: f32,
        file_bits: Option<u32>,
    ) -> Result<Self, ModelError> {
        let tables: f64 = set
            .table_row_ranges()
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
        let rounding =
            (set.tuple_count() + 1) as f64 / 2.0 + f64::from(rounding_offset(MAX_FRACTION_BITS));
        let fits = |bits: &u32| max_sum * f64::from(1u32 << bits) + rounding < SUM_LIMIT;
        let bits = (MIN_FRACTION_BITS..=MAX_FRACTION_BITS).rev().find(fits);
        let Some(bits) = bits.map(|bits| file_bits.unwrap_or(bits).min(bits)) else {
            return Err(ModelError(format!(
                "the log odds may reach {max_sum}; weights must keep them below {MAX_LOG_ODDS}"
            )));
        };
        let quantized = |weight: f32| {
            (f64::from(weight) * f64::from(1u32 << bits) + 0.5f64.copysign(f64::from(weight)))
                as i32
        };
        let weights: Vec<i32> = weights.iter().map(|&weight| quantized(weight)).collect();
        let narrow = weights.iter().filter(|_| file_bits.is_some());
        let narrow: Result<Vec<i16>, _> = narrow.map(|&weight| i16::try_from(weight)).collect();
        Ok(Self {
            narrow: narrow.unwrap_or_default(),
            weights,
            bias: quantized(bias) + rounding_offset(bits),
            bits,
        })
    }

    /// Log odds from a sum of bias and weights, in steps of at least 2⁻¹⁸, so that the logistic is
    /// monotone.
    #[inline]
    pub fn log_odds(&self, sum: i32) -> f32 {
        let bits = self.bits.min(LOG_ODDS_FRACTION_BITS);
        (sum >> (self.bits - bits)) as f32 * f32::from_bits((127 - bits) << 23)
    }

    /// Win probability from a sum of bias and weights.
    #[inline]
    pub fn win_probability(&self, sum: i32) -> f32 {
        logistic(self.log_odds(sum))
    }
}
