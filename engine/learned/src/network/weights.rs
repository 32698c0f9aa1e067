//! Weights of neural networks: in floating point as trained, and quantized.
//!
//! x₁ = clip(⌊(b₁ + Σ rows) / 16⌋), xₖ₊₁ = clip(Wₖ xₖ + bₖ), logits = W x + b of the last layer.
//!
//! Weights out of range are refused; rounding may clip a first-layer bias. No sum overflows 32
//! bits: 127 · 128 · width + |b| and [`ACTIVATION_MAX`] · Σ |w| + |b| are checked.

use crate::ModelError;
use std::ops::Range;

/// Right shift from first-layer sums to activations, clipped to `0..=127`.
pub const SHIFT: u32 = 4;

/// Integer for 1.0 in first-layer weights and biases.
pub const ROW_SCALE: i32 = 127 << SHIFT;

/// Integer for 1.0 in weights of further hidden layers.
pub const HIDDEN_SCALE: i32 = 64;

/// Integer for 1.0 in output weights.
pub const OUTPUT_SCALE: i32 = 1024;

/// Integer for 1.0 in sums and biases of further hidden layers and, as their maximum, in
/// activations before the output.
pub const ACTIVATION_MAX: i32 = 127 * HIDDEN_SCALE;

/// Integer for 1.0 in logits.
pub const LOGIT_SCALE: i32 = ACTIVATION_MAX * OUTPUT_SCALE;

/// Every hidden layer's width is a multiple of this.
pub const LANES: usize = 16;

/// Maximal number of neurons of a hidden layer.
pub const MAX_WIDTH: usize = 1024;

/// Maximal number of hidden layers.
pub const MAX_HIDDEN: usize = 3;

/// Maximal number of outputs.
pub const MAX_OUTPUTS: usize = 16;

/// Largest magnitudes: first-layer weights, first-layer biases, further hidden weights, their
/// biases, output weights.
pub const WEIGHT_LIMITS: [f32; 5] = {
    let row = i16::MAX as f32 / ROW_SCALE as f32;
    let output = i16::MAX as f32 / OUTPUT_SCALE as f32;
    [row, row, 127.0 / HIDDEN_SCALE as f32, 500.0, output]
};

const MAX_OUTPUT_BIAS: f32 = i32::MAX as f32 / 2.0 / LOGIT_SCALE as f32;

/// A hidden layer after the first, for all buckets; matrices are input-major.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layer<W = f32, B = f32> {
    /// Shape `[buckets × inputs × outputs]`.
    pub weights: Vec<W>,
    /// Shape `[buckets × outputs]`.
    pub bias: Vec<B>,
}

/// Weights, in the units below if quantized: `R` in the first layer and output, `W` in further
/// hidden layers, `B` for biases after the first layer.
#[derive(Clone, Debug, PartialEq)]
pub struct NetworkWeights<R = i16, W = i8, B = i32> {
    /// First-layer weights `[rows × width]`, in 1 / [`ROW_SCALE`].
    pub rows: Vec<R>,
    /// First-layer biases `[width]`, in 1 / [`ROW_SCALE`].
    pub bias: Vec<R>,
    /// Further hidden layers: weights in 1 / [`HIDDEN_SCALE`], biases in 1 / [`ACTIVATION_MAX`].
    pub hidden: Vec<Layer<W, B>>,
    /// Number of outputs: 1, the logit of a win, or one for each result of the game.
    pub outputs: usize,
    /// Output weights `[buckets × outputs × last hidden width]`, in 1 / [`OUTPUT_SCALE`].
    pub output: Vec<R>,
    /// Output biases `[buckets × outputs]`, in 1 / [`LOGIT_SCALE`].
    pub output_bias: Vec<B>,
}

impl<R, W, B> Default for NetworkWeights<R, W, B> {
    /// One output, no weights.
    fn default() -> Self {
        Self {
            rows: Vec::new(),
            bias: Vec::new(),
            hidden: Vec::new(),
            outputs: 1,
            output: Vec::new(),
            output_bias: Vec::new(),
        }
    }
}

/// Weights in floating point, as trained.
pub type FloatWeights = NetworkWeights<f32, f32, f32>;

impl<R, W, B> NetworkWeights<R, W, B> {
    /// Number of buckets.
    pub fn buckets(&self) -> usize {
        self.output_bias.len() / self.outputs
    }

    /// Neurons of each hidden layer.
    pub fn widths(&self) -> Vec<usize> {
        let later_layers = self.hidden.iter();
        let later_layers = later_layers.map(|layer| layer.bias.len() / self.buckets().max(1));
        std::iter::once(self.bias.len())
            .chain(later_layers)
            .collect()
    }

    /// Number of weights, with biases.
    pub fn parameters(&self) -> usize {
        let later_layers = self.hidden.iter();
        let later_layers = later_layers.map(|layer| layer.weights.len() + layer.bias.len());
        let ends = self.output.len() + self.output_bias.len();
        self.rows.len() + self.bias.len() + later_layers.sum::<usize>() + ends
    }
}

impl FloatWeights {
    /// Rounds all weights to integers.
    ///
    /// # Errors
    /// If a weight is NaN or out of range.
    pub fn quantize(&self) -> Result<NetworkWeights, ModelError> {
        let [row, bias, hidden, hidden_bias, output] = WEIGHT_LIMITS;
        // The shift rounds down; half a step more makes it round to the nearest.
        let half_step = 1 << (SHIFT - 1);
        let with_half_step = |weight: i32| (weight + half_step).min(i16::MAX.into()) as i16;
        let to_i16 = |weights: Vec<i32>| weights.into_iter().map(|weight| weight as i16).collect();
        let layer = |(layer, number): (&Layer, usize)| {
            let [weight, bias] = ["weight", "bias"].map(|part| format!("hidden{number}.{part}"));
            let weights = quantize_tensor(&weight, &layer.weights, HIDDEN_SCALE, hidden)?;
            Ok(Layer {
                weights: weights.into_iter().map(|weight| weight as i8).collect(),
                bias: quantize_tensor(&bias, &layer.bias, ACTIVATION_MAX, hidden_bias)?,
            })
        };
        let first_bias = quantize_tensor("hidden1.bias", &self.bias, ROW_SCALE, bias)?;
        let outputs = quantize_tensor("output.weight", &self.output, OUTPUT_SCALE, output)?;
        Ok(NetworkWeights {
            rows: to_i16(quantize_tensor("rows", &self.rows, ROW_SCALE, row)?),
            bias: first_bias.into_iter().map(with_half_step).collect(),
            hidden: self
                .hidden
                .iter()
                .zip(2..)
                .map(layer)
                .collect::<Result<_, _>>()?,
            outputs: self.outputs,
            output: to_i16(outputs),
            output_bias: quantize_tensor(
                "output.bias",
                &self.output_bias,
                LOGIT_SCALE,
                MAX_OUTPUT_BIAS,
            )?,
        })
    }
}

impl NetworkWeights {
    /// Converts the weights to floating point. [`FloatWeights::quantize`] restores them, but for
    /// weights out of its range, and output biases above 1, which lose bits that `f32` lacks.
    #[must_use]
    pub fn dequantize(&self) -> FloatWeights {
        let [row, bias, hidden, hidden_bias, output] = WEIGHT_LIMITS;
        let half_step = 1 << (SHIFT - 1);
        let first_bias = self.bias.iter().map(|&bias| i32::from(bias) - half_step);
        let layer = |layer: &Layer<i8, i32>| Layer {
            weights: dequantize_tensor(layer.weights.iter().copied(), HIDDEN_SCALE, hidden),
            bias: dequantize_tensor(layer.bias.iter().copied(), ACTIVATION_MAX, hidden_bias),
        };
        let biases = self.output_bias.iter().copied();
        FloatWeights {
            rows: dequantize_tensor(self.rows.iter().copied(), ROW_SCALE, row),
            bias: dequantize_tensor(first_bias, ROW_SCALE, bias),
            hidden: self.hidden.iter().map(layer).collect(),
            outputs: self.outputs,
            output: dequantize_tensor(self.output.iter().copied(), OUTPUT_SCALE, output),
            output_bias: dequantize_tensor(biases, LOGIT_SCALE, MAX_OUTPUT_BIAS),
        }
    }

    pub(super) fn check(&self, rows: usize, buckets: usize) -> Result<(), ModelError> {
        let refuse = |problem| Err(ModelError(problem));
        if self.hidden.len() >= MAX_HIDDEN {
            return refuse(format!(
                "{} hidden layers; there can be 1 to {MAX_HIDDEN}",
                self.hidden.len() + 1
            ));
        }
        if !(1..=MAX_OUTPUTS).contains(&self.outputs) {
            return refuse(format!(
                "{} outputs; there can be 1 to {MAX_OUTPUTS}",
                self.outputs
            ));
        }
        let outputs = buckets * self.outputs;
        check_length("output.bias", self.output_bias.len(), outputs)?;
        let widths = self.widths();
        for (&width, layer) in widths.iter().zip(1..) {
            if width == 0 || width % LANES != 0 || width > MAX_WIDTH {
                return refuse(format!(
                    "hidden layer {layer} has {width} neurons; widths are multiples of {LANES} up to {MAX_WIDTH}"
                ));
            }
        }
        let check_sum = |what: &dyn Fn() -> String, sum: i64| {
            let limit = i64::from(i32::MAX);
            match sum <= limit {
                true => Ok(()),
                false => refuse(format!(
                    "{} may reach {sum}; at most {limit} is allowed",
                    what()
                )),
            }
        };
        check_length("rows", self.rows.len(), rows * widths[0])?;
        for ((layer, pair), number) in self.hidden.iter().zip(widths.windows(2)).zip(2..) {
            let [weights, biases] = [pair[0] * pair[1], pair[1]].map(|count| buckets * count);
            let tensor = |part: &str| format!("hidden{number}.{part}");
            check_length(&tensor("weight"), layer.weights.len(), weights)?;
            check_length(&tensor("bias"), layer.bias.len(), biases)?;
            for (neuron, &bias) in layer.bias.iter().enumerate() {
                check_sum(
                    &|| format!("the sum of neuron {neuron} of hidden layer {number}"),
                    127 * 128 * pair[0] as i64 + i64::from(bias).abs(),
                )?;
            }
        }
        let last = widths[widths.len() - 1];
        check_length("output.weight", self.output.len(), outputs * last)?;
        for (weights, &bias) in self.output.chunks_exact(last).zip(&self.output_bias) {
            let weights = weights.iter().map(|&weight| i64::from(weight).abs());
            let sum = i64::from(ACTIVATION_MAX) * weights.sum::<i64>() + i64::from(bias).abs();
            check_sum(&|| "the logit".to_owned(), sum)?;
        }
        Ok(())
    }

    /// Whether all first-layer sums fit 16 bits: bias plus the largest, or smallest, weight of each
    /// slot.
    pub fn fits_i16_accumulator(&self, slots: &[Range<usize>]) -> bool {
        let width = self.bias.len();
        (0..width).all(|neuron| {
            let bias = i64::from(self.bias[neuron]);
            let (mut min_sum, mut max_sum) = (bias, bias);
            for slot in slots {
                let weights = slot.clone();
                let weights = weights.map(|row| i64::from(self.rows[row * width + neuron]));
                min_sum += weights.clone().min().unwrap_or(0);
                max_sum += weights.max().unwrap_or(0);
            }
            max_sum.max(-min_sum) <= i64::from(i16::MAX)
        })
    }
}

fn check_length(tensor: &str, found: usize, expected: usize) -> Result<(), ModelError> {
    if found == expected {
        return Ok(());
    }
    Err(ModelError(format!(
        "tensor {tensor} has {found} weights; {expected} belong there"
    )))
}

fn quantize_tensor(
    tensor: &str,
    weights: &[f32],
    scale: i32,
    limit: f32,
) -> Result<Vec<i32>, ModelError> {
    // Multiplies in 32-bit floats, as training does.
    let quantize = |(index, &weight): (usize, &f32)| match weight.abs() <= limit {
        true => Ok((weight * scale as f32).round_ties_even() as i32),
        false => Err(ModelError(format!(
            "tensor {tensor} holds {weight} at {index}; weights lie within ±{limit}"
        ))),
    };
    weights.iter().enumerate().map(quantize).collect()
}

fn dequantize_tensor(
    integers: impl Iterator<Item = impl Into<i32>>,
    scale: i32,
    limit: f32,
) -> Vec<f32> {
    integers
        .map(|integer| (integer.into() as f32 / scale as f32).clamp(-limit, limit))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_the_first_layer_fit_16_bits_up_and_down() {
        // Two slots of two rows, of which each adds one.
        let fits = |bias: i16, rows: [i16; 4]| {
            let width = 16;
            let weights = NetworkWeights::<i16, i8, i32> {
                rows: rows.iter().flat_map(|&row| vec![row; width]).collect(),
                bias: vec![bias; width],
                ..NetworkWeights::default()
            };
            weights.fits_i16_accumulator(&[0..2, 2..4])
        };
        assert!(fits(7, [1_000, 16_000, 16_760, -5]));
        assert!(!fits(8, [1_000, 16_000, 16_760, -5]));
        assert!(fits(-7, [-1_000, -16_000, -16_760, 5]));
        assert!(!fits(-8, [-1_000, -16_000, -16_760, 5]));
        assert!(!fits(i16::MIN, [0; 4]));
    }

    #[test]
    fn biases_are_held_at_16_bits_and_weights_out_of_range_refused() {
        let quantize = |bias: f32| {
            let weights = FloatWeights {
                bias: vec![bias],
                ..FloatWeights::default()
            };
            weights.quantize().map(|weights| weights.bias[0])
        };
        let limit = WEIGHT_LIMITS[1];
        // Half a step of the shift more, so that it rounds to the nearest.
        assert_eq!(quantize(0.0), Ok(8));
        assert_eq!(quantize(1.0), Ok(127 * 16 + 8));
        assert_eq!(quantize(limit), Ok(i16::MAX));
        assert_eq!(quantize(limit * (1.0 - 1e-4)), Ok(i16::MAX));
        assert_eq!(quantize(-limit), Ok(-i16::MAX + 8));
        let problem = quantize(limit * 1.001).unwrap_err().to_string();
        assert!(
            problem.starts_with("tensor hidden1.bias holds 16."),
            "{problem}"
        );
    }
}
