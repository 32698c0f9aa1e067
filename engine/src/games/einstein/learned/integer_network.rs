//! A small network in integers, made for the leaves of a search.
//!
//! x = clip((rows of the mover + rows of the other + b₁) / 16), y = clip(W₂ x + b₂), logit = w₃ · y +
//! b₃, value = logistic(logit), with clip to `[0, 1]`, which is `0..=127` for x and `0..=`[`FULL`]
//! for y. Invariant: all sums are exact, so every instruction set gives the same integers, in any
//! order. No sum can overflow: [`IntegerNetwork::new`] checks that, for each neuron of the first
//! layer, the bias with the largest, and with the smallest, weights that can be on together stays
//! within 16 bits (parts of such a sum may leave them and come back, for they are computed modulo
//! 2¹⁶), that 127 · 128 · width + |b₂| and [`FULL`] · Σ |w₃| + |b₃| stay within 32 bits; and two
//! products of an activation and a weight of the second layer, at most 2 · 127 · 128 = 32,512, fit
//! the 16 bits that x86 has for them. Sources: NNUE (Nasu 2018), and its clipped layers in 8 bits
//! as in Stockfish. What is other: all inputs belong to one side ([`inputs`]), so nothing is
//! followed from move to move but the two sums, which all successors share.

pub mod inputs;
mod kernels;
mod quantise;
mod successors;
#[cfg(target_arch = "x86_64")]
mod vectors;

pub use quantise::FloatWeights;
pub use successors::Successors;

use self::inputs::{SideGroups, TurnClasses, join, joined_rows, layout};
use self::kernels::{Layers, Tables};
use crate::core::calibration::{logistic, unproven};
use crate::core::evaluator::Evaluator;
use crate::core::simd::Instructions;
use crate::games::einstein::{Move, Position, Standard};
use std::sync::Arc;

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
const SHIFT: u32 = 4;

/// The shapes there are: neurons of the first and of the second layer.
pub const SHAPES: [[usize; 2]; 4] = [[64, 16], [64, 32], [128, 32], [256, 32]];

/// Runs an expression with the widths of a network as constants.
macro_rules! with_shape {
    ($network:expr, $first:ident, $second:ident => $body:expr) => {
        match $network.shape() {
            [64, 16] => with_shape!(@ 64, 16, $first, $second, $body),
            [64, 32] => with_shape!(@ 64, 32, $first, $second, $body),
            [128, 32] => with_shape!(@ 128, 32, $first, $second, $body),
            _ => with_shape!(@ 256, 32, $first, $second, $body),
        }
    };
    (@ $one:literal, $two:literal, $first:ident, $second:ident, $body:expr) => {{
        const $first: usize = $one;
        const $second: usize = $two;
        $body
    }};
}

/// All weights of an integer network. Matrices are input-major: one row for each input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IntegerWeights {
    /// Which inputs there are beside the squares.
    pub groups: SideGroups,
    /// `[2 · rows of a side × first width]`, in units of 1 / [`ROW_SCALE`]: the mover's, then the
    /// other's.
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

/// Weights that make no integer network. Tensors have the names that model files use.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum IntegerError {
    /// Layers of widths that are not offered.
    #[error("hidden layers of {0:?} neurons; integer networks have {list}", list = SHAPES.map(|[first, second]| format!("{first},{second}")).join(" or "))]
    Shape([usize; 2]),
    /// A tensor of another size.
    #[error("tensor {tensor} has {found} weights; {expected} belong there")]
    Length {
        /// The tensor.
        tensor: &'static str,
        /// Its weights.
        found: usize,
        /// What the other tensors demand.
        expected: usize,
    },
    /// Weights that could overflow a sum.
    #[error("{what} may reach {sum}; at most {limit} is allowed")]
    Overflow {
        /// Which sum.
        what: String,
        /// What it may reach.
        sum: i64,
        /// What it must not exceed.
        limit: i64,
    },
    /// A weight in floating point that has no place in its tensor.
    #[error("tensor {tensor} holds {weight} at {index}; weights lie within ±{limit}")]
    Weight {
        /// The tensor.
        tensor: &'static str,
        /// Where in it, from 0.
        index: usize,
        /// The weight.
        weight: f32,
        /// The largest there may be.
        limit: f32,
    },
}

/// An integer network ready to evaluate. Immutable and shared.
#[derive(Clone, Debug)]
pub struct IntegerNetwork {
    weights: IntegerWeights,
    tables: Tables,
    layers: Layers,
    classes: Arc<TurnClasses>,
    instructions: Instructions,
}

impl IntegerNetwork {
    /// The network of these weights.
    ///
    /// # Errors
    /// If sizes do not fit together or a sum could overflow.
    pub fn new(weights: IntegerWeights) -> Result<Self, IntegerError> {
        weights.check()?;
        let first = weights.bias.len();
        let (mover, other) = weights.rows.split_at(weights.groups.rows() * first);
        let table = |rows: &[i16], bias: Option<&[i16]>| {
            kernels::lines(&join(weights.groups, first, rows, bias))
        };
        let tables = Tables {
            mover: table(mover, Some(&weights.bias)),
            other: table(other, None),
        };
        let instructions = Instructions::detect();
        let layers = Layers::new(&weights, instructions);
        Ok(Self {
            weights,
            tables,
            layers,
            classes: TurnClasses::shared(),
            instructions,
        })
    }

    /// The same network on other instructions than the best this machine has; values do not change.
    #[must_use]
    pub fn on(self, instructions: Instructions) -> Self {
        Self {
            layers: Layers::new(&self.weights, instructions),
            instructions,
            ..self
        }
    }

    /// The weights.
    #[must_use]
    pub fn weights(&self) -> &IntegerWeights {
        &self.weights
    }

    /// The instructions in use.
    #[must_use]
    pub fn instructions(&self) -> Instructions {
        self.instructions
    }

    /// The canonical description of the inputs.
    #[must_use]
    pub fn layout(&self) -> String {
        layout(self.weights.groups)
    }

    /// Neurons of the two hidden layers.
    #[must_use]
    #[inline]
    pub fn shape(&self) -> [usize; 2] {
        [self.weights.bias.len(), self.weights.hidden_bias.len()]
    }

    /// Log odds of the side to move, in units of 1 / [`LOGIT_SCALE`].
    #[must_use]
    #[inline]
    pub fn logit(&self, position: &Position) -> i32 {
        let rows = [
            joined_rows(&self.classes, position.mover()),
            joined_rows(&self.classes, position.other()),
        ];
        with_shape!(self, FIRST, SECOND => kernels::logit::<FIRST, SECOND>(self.instructions, &self.tables, &self.layers, &rows))
    }
}

/// Log odds in floating point, a little coarser than the integers, so that the logistic is monotone
/// also when rounded: the best of several moves may be taken among integers.
#[must_use]
#[inline]
pub fn log_odds(logit: i32) -> f32 {
    const COARSER: u32 = 5;
    (logit >> COARSER) as f32 * ((1 << COARSER) as f32 / LOGIT_SCALE as f32)
}

/// Win probability from a logit.
#[inline]
fn win_probability(logit: i32) -> f32 {
    unproven(logistic(log_odds(logit)))
}

impl IntegerWeights {
    /// Sizes and bounds; the module's head says which.
    fn check(&self) -> Result<(), IntegerError> {
        let (first, second) = (self.bias.len(), self.hidden_bias.len());
        if !SHAPES.contains(&[first, second]) {
            return Err(IntegerError::Shape([first, second]));
        }
        for (tensor, found, expected) in [
            ("rows", self.rows.len(), 2 * self.groups.rows() * first),
            ("hidden2.weight", self.hidden.len(), first * second),
            ("output.weight", self.output.len(), second),
        ] {
            if found != expected {
                return Err(IntegerError::Length {
                    tensor,
                    found,
                    expected,
                });
            }
        }
        let within = |what: &dyn Fn() -> String, sum: i64, limit: i64| {
            if sum <= limit {
                Ok(())
            } else {
                Err(IntegerError::Overflow {
                    what: what(),
                    sum,
                    limit,
                })
            }
        };
        let runs = self.groups.runs();
        for neuron in 0..first {
            let (mut least, mut most) =
                (i64::from(self.bias[neuron]), i64::from(self.bias[neuron]));
            for side in self.rows.chunks_exact(self.groups.rows() * first) {
                for run in &runs {
                    let weights = run.clone().map(|row| i64::from(side[row * first + neuron]));
                    least += weights.clone().min().unwrap_or(0);
                    most += weights.max().unwrap_or(0);
                }
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

    /// How many weights there are, biases included.
    #[must_use]
    pub fn parameters(&self) -> usize {
        self.rows.len()
            + self.bias.len()
            + self.hidden.len()
            + self.hidden_bias.len()
            + self.output.len()
            + 1
    }
}

impl PartialEq for IntegerNetwork {
    /// Equal weights; what they run on does not matter.
    fn eq(&self, other: &Self) -> bool {
        self.weights == other.weights
    }
}

impl Evaluator<Standard> for IntegerNetwork {
    type Cache = Successors;
    const KNOWS_SUCCESSORS: bool = true;

    #[inline]
    fn one_ply(&self, game: &Standard, position: &Position, cache: &mut Successors) -> f32 {
        with_shape!(self, FIRST, SECOND => self.value_successors::<FIRST, SECOND>(game, position, cache))
    }

    /// Log odds for the side that moves.
    #[inline]
    fn score_successors(
        &self,
        _: &Standard,
        position: &Position,
        moves: &[Move],
        scores: &mut [f32],
    ) {
        with_shape!(self, FIRST, SECOND => self.rate_successors::<FIRST, SECOND, { FIRST / 32 }>(position, moves, scores));
    }

    #[inline]
    fn value(&self, _: &Standard, position: &Position, _: &Successors) -> f32 {
        win_probability(self.logit(position))
    }

    fn raw(&self, _: &Standard, position: &Position) -> Option<f32> {
        Some(log_odds(self.logit(position)))
    }
}

#[cfg(test)]
pub(crate) mod tests;
