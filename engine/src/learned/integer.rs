//! Networks in integers: their weights, and the way to them from trained ones.
//!
//! x = ⌊clip(b₁ + Σ rows) / 16⌋, y = clip(W₂ x + b₂), logit = w₃ · y + b₃, with clip to `[0, 1]`,
//! which is `0..=127` for x and `0..=`[`FULL`] for y. Invariant: every weight is rounded to the
//! nearest multiple of its tensor's unit; one that has no place there is refused, not cut, for that
//! would be another network. No sum can overflow: [`IntegerWeights::check`] sees to it that, for
//! each neuron of the first layer, the bias with the largest, and with the smallest, weights that
//! can be on together stays within 16 bits (parts of such a sum may leave them and come back, for
//! they are computed modulo 2¹⁶), and that 127 · 128 · width + |b₂| and [`FULL`] · Σ |w₃| + |b₃|
//! stay within 32 bits. Sources: NNUE (Nasu 2018), and its clipped layers in 8 bits as in
//! Stockfish.

use super::names::{NameSet, UnknownName};
use super::{
    inputs::NoGroup,
    network::{NetworkWeights, check_length, check_weights},
};
use crate::core::{evaluator::Evaluator, game::Game};
use std::{fmt::Debug, ops::Range};

/// What 1.0 is in the weights of the first layer.
pub const ROW_SCALE: i32 = 127 << SHIFT;

/// What 1.0 is in the weights of the second layer.
pub const HIDDEN_SCALE: i32 = 64;

/// What 1.0 is in the weights of the output.
pub const OUTPUT_SCALE: i32 = 1024;

/// What 1.0 is in activations of the second layer, before the output: 127 times [`HIDDEN_SCALE`].
pub const FULL: i32 = 127 * HIDDEN_SCALE;

/// What a logit of 1.0 is.
pub const LOGIT_SCALE: i32 = FULL * OUTPUT_SCALE;

/// Sums of the first layer lose so many bits on their way to activations of 0 to 127.
pub const SHIFT: u32 = 4;

/// The shapes there are: neurons of the first and of the second layer.
pub const SHAPES: [[usize; 2]; 4] = [[64, 16], [64, 32], [128, 32], [256, 32]];

/// The largest magnitudes of a weight of the first layer, of its biases, of a weight of the second,
/// of its biases, and of a weight of the output. Biases of the second layer may be far more than
/// could matter, but are few enough units to be exact in 32-bit floating point.
pub const LIMITS: [f32; 5] = {
    let row = i16::MAX as f32 / ROW_SCALE as f32;
    let output = i16::MAX as f32 / OUTPUT_SCALE as f32;
    [row, row, 127.0 / HIDDEN_SCALE as f32, 500.0, output]
};

/// Inputs that are each on or off, in runs of rows of which exactly one is on.
pub trait OneHot<G: Game>: Copy + Debug + PartialEq + Send + Sync + 'static {
    /// The inputs of groups with these names; all there are if none are told.
    fn named(names: Option<&[String]>) -> Result<Self, UnknownName>;

    /// The names of the groups, joined by commas.
    fn list(self) -> String;

    /// The canonical text that names every input, and the version of each formula.
    fn layout(self) -> String;

    /// The runs, in order; none if the game has no such inputs.
    fn runs(self) -> Vec<Range<usize>>;

    /// Writes the row that is on in each run.
    fn fill(self, position: &G::Position, rows: &mut [u16]);
}

/// A network in integers, which a game may bring with inputs of its own.
pub trait IntegerModel<G: Game>: Evaluator<G> + Clone + Debug + PartialEq + 'static {
    /// What it looks at.
    type Inputs: OneHot<G>;

    /// The network of these weights.
    fn new(weights: IntegerWeights<Self::Inputs>) -> Result<Self, IntegerError>;

    /// Its weights.
    fn weights(&self) -> &IntegerWeights<Self::Inputs>;

    /// What model files call its game.
    fn game(&self) -> String;
}

/// All weights of a network in integers. Matrices are input-major: one row for each input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IntegerWeights<I> {
    /// What it looks at.
    pub inputs: I,
    /// `[rows × first width]`, in units of 1 / [`ROW_SCALE`].
    pub rows: Vec<i16>,
    /// `[first width]`, as the rows.
    pub bias: Vec<i16>,
    /// `[first width × second width]`, in units of 1 / [`HIDDEN_SCALE`].
    pub hidden: Vec<i8>,
    /// `[second width]`, in units of 1 / [`FULL`].
    pub hidden_bias: Vec<i32>,
    /// `[second width]`, in units of 1 / [`OUTPUT_SCALE`].
    pub output: Vec<i16>,
    /// In units of 1 / [`LOGIT_SCALE`].
    pub output_bias: i32,
}

/// Weights that make no integer network, and why; tensors have the names that model files use.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IntegerError {
    /// They could overflow a sum.
    #[error("{0}")]
    Overflow(String),
    /// They do not fit together, or one has no place in its tensor.
    #[error("{0}")]
    Unfit(String),
}

impl IntegerError {
    /// Layers of widths that are not offered.
    fn shape(widths: &[usize]) -> Self {
        let shapes = SHAPES.map(|[first, second]| format!("{first},{second}"));
        Self::Unfit(format!(
            "hidden layers of {widths:?} neurons; integer networks have {}",
            shapes.join(" or ")
        ))
    }
}

impl<I> IntegerWeights<I> {
    /// The nearest integers to trained weights.
    ///
    /// # Errors
    /// If there are not two hidden layers, or a weight is no number or out of range.
    pub fn nearest(inputs: I, weights: &NetworkWeights) -> Result<Self, IntegerError> {
        let [second] = &weights.hidden[..] else {
            return Err(IntegerError::shape(&weights.widths()));
        };
        let [row, bias, hidden, hidden_bias, output] = LIMITS;
        // The first layer's shift rounds down; half a step more makes that the nearest.
        let half = 1 << (SHIFT - 1);
        let up = |weight: i32| (weight + half).min(i16::MAX.into()) as i16;
        let short = |weights: Vec<i32>| weights.into_iter().map(|weight| weight as i16).collect();
        let most = i32::MAX as f32 / 2.0 / LOGIT_SCALE as f32;
        Ok(Self {
            inputs,
            rows: short(integers("rows", &weights.sparse, ROW_SCALE, row)?),
            bias: integers("hidden1.bias", &weights.bias, ROW_SCALE, bias)?
                .into_iter()
                .map(up)
                .collect(),
            hidden: integers("hidden2.weight", &second.weights, HIDDEN_SCALE, hidden)?
                .into_iter()
                .map(|weight| weight as i8)
                .collect(),
            hidden_bias: integers("hidden2.bias", &second.bias, FULL, hidden_bias)?,
            output: short(integers(
                "output.weight",
                &weights.output,
                OUTPUT_SCALE,
                output,
            )?),
            output_bias: integers("output.bias", &[weights.output_bias], LOGIT_SCALE, most)?[0],
        })
    }

    /// Neurons of the two hidden layers.
    #[inline]
    pub fn shape(&self) -> [usize; 2] {
        [self.bias.len(), self.hidden_bias.len()]
    }

    /// How many weights there are, biases included.
    pub fn parameters(&self) -> usize {
        let [first, second] = self.shape();
        self.rows.len() + first + self.hidden.len() + second + self.output.len() + 1
    }

    /// Checks sizes and bounds; the file's head says which.
    pub fn check<G: Game>(&self) -> Result<(), IntegerError>
    where
        I: OneHot<G>,
    {
        let [first, second] = self.shape();
        if !SHAPES.contains(&self.shape()) {
            return Err(IntegerError::shape(&self.shape()));
        }
        let runs = self.inputs.runs();
        let rows = runs.last().map_or(0, |run| run.end);
        for (tensor, found, expected) in [
            ("rows", self.rows.len(), rows * first),
            ("hidden2.weight", self.hidden.len(), first * second),
            ("output.weight", self.output.len(), second),
        ] {
            check_length(tensor, found, expected).map_err(IntegerError::Unfit)?;
        }
        let within = |what: &dyn Fn() -> String, sum: i64, limit: i64| {
            if sum <= limit {
                return Ok(());
            }
            Err(IntegerError::Overflow(format!(
                "{} may reach {sum}; at most {limit} is allowed",
                what()
            )))
        };
        for neuron in 0..first {
            let (mut least, mut most) =
                (i64::from(self.bias[neuron]), i64::from(self.bias[neuron]));
            for run in &runs {
                let weights = run
                    .clone()
                    .map(|row| i64::from(self.rows[row * first + neuron]));
                least += weights.clone().min().unwrap_or(0);
                most += weights.max().unwrap_or(0);
            }
            within(
                &|| format!("the sum of neuron {neuron} of hidden layer 1"),
                most.max(-least),
                i64::from(i16::MAX),
            )?;
        }
        let most = 127 * 128 * first as i64;
        for (neuron, &bias) in self.hidden_bias.iter().enumerate() {
            within(
                &|| format!("the sum of neuron {neuron} of hidden layer 2"),
                most + i64::from(bias).abs(),
                i64::from(i32::MAX),
            )?;
        }
        let sum: i64 = self
            .output
            .iter()
            .map(|&weight| i64::from(weight).abs() * i64::from(FULL))
            .sum();
        within(
            &|| "the logit".to_owned(),
            sum + i64::from(self.output_bias).abs(),
            i64::from(i32::MAX),
        )
    }
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
    for (neuron, bias) in bias.iter_mut().enumerate() {
        *bias = bias.clamp(-0.5 * most, 0.5 * most);
        let own = |extremes: &[f32], sign: f32| {
            let own = extremes.iter().skip(neuron).step_by(width);
            own.map(|extreme| sign * extreme).collect()
        };
        let floor = -level(own(&least, -1.0), most + *bias);
        let ceiling = level(own(&greatest, 1.0), most - *bias);
        if floor.is_finite() || ceiling.is_finite() {
            rows.iter_mut()
                .skip(neuron)
                .step_by(width)
                .for_each(|weight| *weight = weight.clamp(floor, ceiling));
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

fn integers(
    tensor: &str,
    weights: &[f32],
    scale: i32,
    limit: f32,
) -> Result<Vec<i32>, IntegerError> {
    check_weights(tensor, weights, limit).map_err(IntegerError::Unfit)?;
    // In 32 bits, as in training.
    let nearest = |weight: &f32| (weight * scale as f32).round_ties_even() as i32;
    Ok(weights.iter().map(nearest).collect())
}

/// The network in integers of a game that has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoInteger {}

impl<G: Game> Evaluator<G> for NoInteger {
    type Cache = ();

    fn value(&self, _: &G, _: &G::Position, (): &()) -> f32 {
        match *self {}
    }
}

impl<G: Game> IntegerModel<G> for NoInteger {
    type Inputs = NameSet<NoGroup>;

    fn new(weights: IntegerWeights<Self::Inputs>) -> Result<Self, IntegerError> {
        Err(IntegerError::shape(&weights.shape()))
    }

    fn weights(&self) -> &IntegerWeights<Self::Inputs> {
        match *self {}
    }

    fn game(&self) -> String {
        match *self {}
    }
}

impl<G: Game> OneHot<G> for NameSet<NoGroup> {
    fn named(names: Option<&[String]>) -> Result<Self, UnknownName> {
        Self::from_list(names.unwrap_or_default())
    }

    fn list(self) -> String {
        self.names()
    }

    fn layout(self) -> String {
        String::new()
    }

    fn runs(self) -> Vec<Range<usize>> {
        Vec::new()
    }

    fn fill(self, _: &G::Position, _: &mut [u16]) {}
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
