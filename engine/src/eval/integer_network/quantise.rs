//! From trained weights to integers.
//!
//! Invariant: every weight is rounded to the nearest multiple of its tensor's unit; one that has no place there is
//! refused, not cut, for then the network would be another one. Trainings hold weights within [`FloatWeights::limits`].

use super::inputs::SideGroups;
use super::{FULL, HIDDEN_SCALE, IntegerError, IntegerWeights, LOGIT_SCALE, OUTPUT_SCALE, ROW_SCALE, SHIFT};

/// The weights of an [`super::IntegerNetwork`] in floating point, with the same sizes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FloatWeights {
    /// Which inputs there are beside the squares.
    pub groups: SideGroups,
    /// `[2 · rows of a side × first width]`.
    pub rows: Vec<f32>,
    /// `[first width]`.
    pub bias: Vec<f32>,
    /// `[first width × second width]`.
    pub hidden: Vec<f32>,
    /// `[second width]`.
    pub hidden_bias: Vec<f32>,
    /// `[second width]`.
    pub output: Vec<f32>,
    /// The bias of the logit.
    pub output_bias: f32,
}

impl FloatWeights {
    /// The largest magnitudes of a row's weight, a weight of the second layer and one of the output.
    #[must_use]
    pub fn limits() -> [f32; 3] {
        [i16::MAX as f32 / ROW_SCALE as f32, 127.0 / HIDDEN_SCALE as f32, i16::MAX as f32 / OUTPUT_SCALE as f32]
    }

    /// The nearest integers.
    ///
    /// # Errors
    /// [`IntegerError::Weight`] if one is no number or out of range.
    pub fn quantise(&self) -> Result<IntegerWeights, IntegerError> {
        let [row_limit, hidden_limit, output_limit] = Self::limits();
        let biases = i32::MAX as f32 / 2.0;
        let rows = integers("rows", &self.rows, ROW_SCALE, row_limit)?;
        let bias = integers("hidden1.bias", &self.bias, ROW_SCALE, row_limit)?;
        let hidden = integers("hidden2.weight", &self.hidden, HIDDEN_SCALE, hidden_limit)?;
        let output = integers("output.weight", &self.output, OUTPUT_SCALE, output_limit)?;
        let output_bias = integers("output.bias", &[self.output_bias], LOGIT_SCALE, biases / LOGIT_SCALE as f32)?;
        // The first layer's shift rounds down; half a step more makes that the nearest.
        let half = 1 << (SHIFT - 1);
        Ok(IntegerWeights {
            groups: self.groups,
            rows: rows.into_iter().map(|weight| weight as i16).collect(),
            bias: bias.into_iter().map(|weight| (weight + half).min(i32::from(i16::MAX)) as i16).collect(),
            hidden: hidden.into_iter().map(|weight| weight as i8).collect(),
            hidden_bias: integers("hidden2.bias", &self.hidden_bias, FULL, biases / FULL as f32)?,
            output: output.into_iter().map(|weight| weight as i16).collect(),
            output_bias: output_bias[0],
        })
    }
}

fn integers(tensor: &'static str, weights: &[f32], scale: i32, limit: f32) -> Result<Vec<i32>, IntegerError> {
    let one = |(index, &weight): (usize, &f32)| {
        if weight.is_nan() || weight.abs() > limit {
            return Err(IntegerError::Weight { tensor, index, weight, limit });
        }
        // In 32 bits, as in training.
        Ok((weight * scale as f32).round_ties_even() as i32)
    };
    weights.iter().enumerate().map(one).collect()
}
