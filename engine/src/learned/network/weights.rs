//! The weights of networks: in whole numbers, as training leaves them, and the way from these to
//! those.
//!
//! x₁ = ⌊clip(b₁ + Σ rows) / 16⌋, xₖ₊₁ = clip(Wₖ xₖ + bₖ), logit = w · x + b of the last, with clip to
//! `[0, 1]`: `0..=127` for what a further hidden layer sees, rounded, and `0..=`[`FULL`] before the
//! output. Invariant: every weight is rounded to the nearest multiple of its tensor's unit; one that
//! has no place there is refused, not cut, for that would be another network (but for a bias of the
//! first layer half a step below the largest). No sum can overflow 32
//! bits: [`NetworkWeights::check`] sees to it that 127 · 128 · width + |b| and [`FULL`] · Σ |w| + |b|
//! stay within them. Sources: NNUE (Nasu 2018), and its clipped layers in 8 bits as in Stockfish.

use std::ops::Range;

/// Sums of the first layer lose so many bits on their way to activations of 0 to 127.
pub const SHIFT: u32 = 4;

/// What 1.0 is in the weights of the first layer.
pub const ROW_SCALE: i32 = 127 << SHIFT;

/// What 1.0 is in the weights of further hidden layers.
pub const HIDDEN_SCALE: i32 = 64;

/// What 1.0 is in the weights of the output.
pub const OUTPUT_SCALE: i32 = 1024;

/// What 1.0 is in activations before the output, and in sums of hidden layers after the first: 127
/// times [`HIDDEN_SCALE`].
pub const FULL: i32 = 127 * HIDDEN_SCALE;

/// What a logit of 1.0 is.
pub const LOGIT_SCALE: i32 = FULL * OUTPUT_SCALE;

/// Layers have a multiple of this many neurons.
pub const LANES: usize = 16;

/// Most neurons in a layer.
pub const MAX_WIDTH: usize = 1024;

/// Most hidden layers.
pub const MAX_HIDDEN: usize = 3;

/// The largest magnitudes of a weight of the first layer, of its biases, of a weight of a further
/// hidden layer, of its biases, and of a weight of the output. Biases of further layers may be far
/// more than could matter, but are few enough units to be exact in 32-bit floating point.
pub const LIMITS: [f32; 5] = {
    let row = i16::MAX as f32 / ROW_SCALE as f32;
    let output = i16::MAX as f32 / OUTPUT_SCALE as f32;
    [row, row, 127.0 / HIDDEN_SCALE as f32, 500.0, output]
};

/// A layer after the first, bucket after bucket. Matrices are input-major: one row for each input.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layer<W = f32, B = f32> {
    /// `[buckets × inputs × outputs]`.
    pub weights: Vec<W>,
    /// `[buckets × outputs]`.
    pub bias: Vec<B>,
}

/// All weights of a network. What comes after the first layer there is once for each bucket, one
/// after the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NetworkWeights<R = i16, W = i8, B = i32> {
    /// `[rows × width]`, in units of 1 / [`ROW_SCALE`].
    pub rows: Vec<R>,
    /// `[width]`, as the rows; its length is the width of the first layer.
    pub bias: Vec<R>,
    /// The hidden layers after the first: weights in units of 1 / [`HIDDEN_SCALE`], biases of 1 /
    /// [`FULL`].
    pub hidden: Vec<Layer<W, B>>,
    /// `[buckets × width of the last hidden layer]`, in units of 1 / [`OUTPUT_SCALE`].
    pub output: Vec<R>,
    /// `[buckets]`, in units of 1 / [`LOGIT_SCALE`].
    pub output_bias: Vec<B>,
}

/// Weights as training leaves them, in units of 1.
pub type TrainedWeights = NetworkWeights<f32, f32, f32>;

/// Weights that make no network, and why; tensors have the names that model files use.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NetworkError(pub(super) String);

impl<R, W, B> NetworkWeights<R, W, B> {
    /// How many buckets there are.
    pub fn buckets(&self) -> usize {
        self.output_bias.len()
    }

    /// Neurons of each hidden layer.
    pub fn widths(&self) -> Vec<usize> {
        let further = self.hidden.iter();
        let further = further.map(|layer| layer.bias.len() / self.buckets().max(1));
        std::iter::once(self.bias.len()).chain(further).collect()
    }

    /// How many weights there are, biases included.
    pub fn parameters(&self) -> usize {
        let further = self.hidden.iter();
        let further = further.map(|layer| layer.weights.len() + layer.bias.len());
        let ends = self.output.len() + self.output_bias.len();
        self.rows.len() + self.bias.len() + further.sum::<usize>() + ends
    }
}

impl TrainedWeights {
    /// The nearest whole numbers.
    ///
    /// # Errors
    /// If a weight is no number or out of range.
    pub fn nearest(&self) -> Result<NetworkWeights, NetworkError> {
        let [row, bias, hidden, hidden_bias, output] = LIMITS;
        // The first layer's shift rounds down; half a step more makes that the nearest.
        let half = 1 << (SHIFT - 1);
        let up = |weight: i32| (weight + half).min(i16::MAX.into()) as i16;
        let short = |weights: Vec<i32>| weights.into_iter().map(|weight| weight as i16).collect();
        let most = i32::MAX as f32 / 2.0 / LOGIT_SCALE as f32;
        let layer = |(layer, number): (&Layer, usize)| {
            let [weight, bias] = ["weight", "bias"].map(|part| format!("hidden{number}.{part}"));
            let weights = integers(&weight, &layer.weights, HIDDEN_SCALE, hidden)?;
            Ok(Layer {
                weights: weights.into_iter().map(|weight| weight as i8).collect(),
                bias: integers(&bias, &layer.bias, FULL, hidden_bias)?,
            })
        };
        let first_bias = integers("hidden1.bias", &self.bias, ROW_SCALE, bias)?;
        let outputs = integers("output.weight", &self.output, OUTPUT_SCALE, output)?;
        Ok(NetworkWeights {
            rows: short(integers("rows", &self.rows, ROW_SCALE, row)?),
            bias: first_bias.into_iter().map(up).collect(),
            hidden: self
                .hidden
                .iter()
                .zip(2..)
                .map(layer)
                .collect::<Result<_, _>>()?,
            output: short(outputs),
            output_bias: integers("output.bias", &self.output_bias, LOGIT_SCALE, most)?,
        })
    }
}

impl NetworkWeights {
    /// Checks sizes and bounds of a network over so many rows, of so many buckets; the file's head
    /// says which.
    pub(super) fn check(&self, rows: usize, buckets: usize) -> Result<(), NetworkError> {
        let refuse = |problem| Err(NetworkError(problem));
        if self.hidden.len() >= MAX_HIDDEN {
            return refuse(format!(
                "{} hidden layers; there can be 1 to {MAX_HIDDEN}",
                self.hidden.len() + 1
            ));
        }
        check_length("output.bias", self.buckets(), buckets)?;
        let widths = self.widths();
        for (&width, layer) in widths.iter().zip(1..) {
            if width == 0 || width % LANES != 0 || width > MAX_WIDTH {
                return refuse(format!(
                    "hidden layer {layer} has {width} neurons; widths are multiples of {LANES} up to {MAX_WIDTH}"
                ));
            }
        }
        let within = |what: &dyn Fn() -> String, sum: i64| {
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
                within(
                    &|| format!("the sum of neuron {neuron} of hidden layer {number}"),
                    127 * 128 * pair[0] as i64 + i64::from(bias).abs(),
                )?;
            }
        }
        let last = widths[widths.len() - 1];
        check_length("output.weight", self.output.len(), buckets * last)?;
        for (weights, &bias) in self.output.chunks_exact(last).zip(&self.output_bias) {
            let weights = weights.iter().map(|&weight| i64::from(weight).abs());
            let sum = i64::from(FULL) * weights.sum::<i64>() + i64::from(bias).abs();
            within(&|| "the logit".to_owned(), sum)?;
        }
        Ok(())
    }

    /// Whether every sum of the first layer over these runs, of each of which one row is on, is one
    /// of 16 bits: the bias with the largest weights, and with the smallest, that can be on
    /// together. Parts of such a sum may leave them and come back, modulo 2¹⁶.
    #[must_use]
    pub fn sums_fit_16_bits(&self, runs: &[Range<usize>]) -> bool {
        let width = self.bias.len();
        (0..width).all(|neuron| {
            let bias = i64::from(self.bias[neuron]);
            let (mut least, mut most) = (bias, bias);
            for run in runs {
                let weights = run.clone();
                let weights = weights.map(|row| i64::from(self.rows[row * width + neuron]));
                least += weights.clone().min().unwrap_or(0);
                most += weights.max().unwrap_or(0);
            }
            most.max(-least) <= i64::from(i16::MAX)
        })
    }
}

/// Whether a tensor has as many weights as the other tensors demand.
fn check_length(tensor: &str, found: usize, expected: usize) -> Result<(), NetworkError> {
    if found == expected {
        return Ok(());
    }
    Err(NetworkError(format!(
        "tensor {tensor} has {found} weights; {expected} belong there"
    )))
}

/// Whether the weights of a tensor are numbers of at most this magnitude.
fn check_weights(tensor: &str, weights: &[f32], limit: f32) -> Result<(), NetworkError> {
    let wrong = |weight: &f32| weight.is_nan() || weight.abs() > limit;
    weights.iter().position(wrong).map_or(Ok(()), |index| {
        let weight = weights[index];
        Err(NetworkError(format!(
            "tensor {tensor} holds {weight} at {index}; weights lie within ±{limit}"
        )))
    })
}

fn integers(
    tensor: &str,
    weights: &[f32],
    scale: i32,
    limit: f32,
) -> Result<Vec<i32>, NetworkError> {
    check_weights(tensor, weights, limit)?;
    // In 32 bits, as in training.
    let nearest = |weight: &f32| (weight * scale as f32).round_ties_even() as i32;
    Ok(weights.iter().map(nearest).collect())
}

/// Holds the rows of a first layer, in floating point, where no sum of it can overflow: for each
/// neuron the largest weight of each run, and the bias, may add up to so much; where they do not,
/// all weights above a level are cut to it, the highest that is low enough. Likewise at the other
/// end.
///
/// A training that does so after every step can be exported. What is cut are weights of rows that
/// are hardly ever on: activations end at 1, the sums may reach 16.
pub fn hold_first_layer(rows: &mut [f32], bias: &mut [f32], runs: &[Range<usize>]) {
    let width = bias.len();
    // Rounding may add half a unit for each row, and half a step.
    let room = f32::from(i16::MAX) - 0.5 * (runs.len() + 1) as f32 - (1 << (SHIFT - 1)) as f32;
    let most = room / ROW_SCALE as f32;
    let [mut least, mut greatest] =
        [f32::INFINITY, f32::NEG_INFINITY].map(|none| vec![none; runs.len() * width]);
    let extremes = least
        .chunks_exact_mut(width)
        .zip(greatest.chunks_exact_mut(width));
    for (run, (least, greatest)) in runs.iter().zip(extremes) {
        for weights in rows[run.start * width..run.end * width].chunks_exact(width) {
            for ((least, greatest), &weight) in least.iter_mut().zip(&mut *greatest).zip(weights) {
                (*least, *greatest) = (least.min(weight), greatest.max(weight));
            }
        }
    }
    let mut bounds = Vec::with_capacity(width);
    for (neuron, bias) in bias.iter_mut().enumerate() {
        *bias = bias.clamp(-0.5 * most, 0.5 * most);
        let own = |extremes: &[f32], sign: f32| {
            let own = extremes.iter().skip(neuron).step_by(width);
            own.map(|extreme| sign * extreme).collect()
        };
        let floor = -level(own(&least, -1.0), most + *bias);
        let ceiling = level(own(&greatest, 1.0), most - *bias);
        bounds.push([floor, ceiling]);
    }
    // Row by row, as the weights lie in memory.
    if bounds.as_flattened().iter().any(|bound| bound.is_finite()) {
        for weights in rows.chunks_exact_mut(width) {
            for (weight, [floor, ceiling]) in weights.iter_mut().zip(&bounds) {
                *weight = weight.max(*floor).min(*ceiling);
            }
        }
    }
}

/// The highest level at which numbers have to be cut so that they add up to at most `room`, which
/// is positive; infinite if they need not be.
fn level(mut numbers: Vec<f32>, room: f32) -> f32 {
    if numbers.iter().sum::<f32>() <= room {
        return f32::INFINITY;
    }
    numbers.sort_by(|a, b| b.total_cmp(a));
    let mut rest: f32 = numbers.iter().sum();
    for (cut, &number) in numbers.iter().enumerate() {
        // All before this one are cut to a level that is not below it.
        if cut > 0 && rest + cut as f32 * number <= room {
            return (room - rest) / cut as f32;
        }
        rest -= number;
    }
    room / numbers.len() as f32
}

#[cfg(test)]
mod tests {
    use super::level;

    #[test]
    fn numbers_are_cut_at_the_level_that_fits() {
        assert_eq!(level(vec![1.0, 2.0, 3.0], 6.0), f32::INFINITY);
        // 2 + 2 + 1, 1.5 + 1.5 + 1, and all three alike.
        assert_eq!(level(vec![3.0, 1.0, 2.0], 5.0), 2.0);
        assert_eq!(level(vec![3.0, 1.0, 2.0], 4.0), 1.5);
        assert_eq!(level(vec![3.0, 1.0, 2.0], 1.5), 0.5);
        // Negative ones give room to others.
        assert_eq!(level(vec![5.0, -1.0], 2.0), 3.0);
    }
}
