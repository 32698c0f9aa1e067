//! Inference of small networks over the shared features, without a learning framework.
//!
//! hidden₁ = clip(Σ rows of the twelve stones + dense · W + b), hiddenₖ₊₁ = clip(hiddenₖ · Wₖ +
//! bₖ), logit = hidden · w + b, value = logistic(logit), with clip to `[0, 1]`. Invariant: the sum
//! of the stones' rows is kept in fixed point ([`SPARSE_SCALE`]), so that following a move equals
//! starting afresh to the last bit; all other sums have one fixed order, so that every instruction
//! set gives the same bits. The idea of the accumulator is NNUE's (Nasu 2018).

mod accumulator;
mod heads;
mod kernels;

pub use accumulator::Accumulators;
pub use heads::{FACES, Head, HeadWeights, Heads, PLIES_SCALE, UnknownHead};

use crate::core::calibration::logistic;
use crate::core::evaluator::Evaluator;
use crate::core::simd::Instructions;
use crate::games::einstein::inputs::{
    DenseFeatures, FeatureGroups, MAX_DENSE, SPARSE_ROWS, layout,
};
use crate::games::einstein::{Move, Position, Standard};

/// What a sparse weight of 1.0 is in fixed point.
pub const SPARSE_SCALE: i32 = 1 << 20;

/// Largest sparse weight in fixed point (128.0): twelve of them cannot overflow.
pub const MAX_SPARSE: i32 = 128 * SPARSE_SCALE;

/// Largest weight or bias elsewhere: far beyond use, and small enough that no sum becomes infinite.
pub const MAX_WEIGHT: f32 = 1e6;

/// Layers have a multiple of this many neurons.
pub const LANES: usize = 16;

/// Most neurons in a layer.
pub const MAX_WIDTH: usize = 1024;

/// Most hidden layers.
pub const MAX_HIDDEN: usize = 3;

/// A layer after the first: `outputs` neurons that see all `inputs` of the layer before it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layer {
    /// One row of `outputs` weights for each input, one row after the other.
    pub weights: Vec<f32>,
    /// One bias for each output.
    pub bias: Vec<f32>,
}

/// All weights of a network, as training leaves them. Matrices are input-major: one row for each
/// input.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NetworkWeights<S = f32> {
    /// Which dense inputs there are.
    pub groups: FeatureGroups,
    /// `[SPARSE_ROWS × width]`: what each stone on each square adds to the first hidden layer.
    pub sparse: Vec<S>,
    /// `[dense inputs × width]`.
    pub dense: Vec<f32>,
    /// `[width]`: the bias of the first hidden layer; its length is the width.
    pub bias: Vec<f32>,
    /// The hidden layers after the first, at most two.
    pub hidden: Vec<Layer>,
    /// `[width of the last hidden layer]`.
    pub output: Vec<f32>,
    /// The bias of the logit.
    pub output_bias: f32,
    /// What else is read off the last hidden layer; nothing by default.
    pub heads: HeadWeights,
}

/// Weights that make no network. `tensor` is the name that model files use.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum NetworkError {
    /// A layer of a width that is not offered.
    #[error(
        "hidden layer {layer} has {width} neurons; widths are multiples of {LANES} up to {MAX_WIDTH}"
    )]
    Width {
        /// The hidden layer, from 1.
        layer: usize,
        /// Its width.
        width: usize,
    },
    /// Too many layers.
    #[error("{0} hidden layers; there can be 1 to {MAX_HIDDEN}")]
    Layers(usize),
    /// A tensor of another size.
    #[error("tensor {tensor} has {found} weights; {expected} belong there")]
    Length {
        /// The tensor.
        tensor: String,
        /// Its weights.
        found: usize,
        /// What the other tensors demand.
        expected: usize,
    },
    /// A weight that is no number, infinite or too large.
    #[error("tensor {tensor} holds {weight} at {index}; weights lie within ±{limit}")]
    Weight {
        /// The tensor.
        tensor: String,
        /// Where in it, from 0.
        index: usize,
        /// The weight.
        weight: f32,
        /// The largest there may be.
        limit: f32,
    },
}

/// A network ready to evaluate. Immutable and shared; what changes along a game is in
/// [`Accumulators`].
#[derive(Clone, Debug)]
pub struct Network {
    weights: NetworkWeights<i32>,
    features: DenseFeatures,
    instructions: Instructions,
}

impl Network {
    /// The network of trained weights; the sparse ones are rounded to multiples of 1 /
    /// [`SPARSE_SCALE`].
    ///
    /// # Errors
    /// If sizes do not fit together or a weight is not finite or too large.
    pub fn new(weights: NetworkWeights) -> Result<Self, NetworkError> {
        check_weights(
            "sparse",
            &weights.sparse,
            MAX_SPARSE as f32 / SPARSE_SCALE as f32,
        )?;
        let sparse = weights
            .sparse
            .iter()
            .map(|weight| (weight * SPARSE_SCALE as f32).round_ties_even() as i32)
            .collect();
        let NetworkWeights {
            groups,
            dense,
            bias,
            hidden,
            output,
            output_bias,
            heads,
            ..
        } = weights;
        Self::from_fixed_point(NetworkWeights {
            groups,
            sparse,
            dense,
            bias,
            hidden,
            output,
            output_bias,
            heads,
        })
    }

    /// The network of weights whose sparse part is in fixed point already.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn from_fixed_point(weights: NetworkWeights<i32>) -> Result<Self, NetworkError> {
        check_sizes(&weights)?;
        if let Some(index) = weights
            .sparse
            .iter()
            .position(|weight| weight.unsigned_abs() > MAX_SPARSE.unsigned_abs())
        {
            let weight = weights.sparse[index] as f32 / SPARSE_SCALE as f32;
            return Err(NetworkError::Weight {
                tensor: "sparse".into(),
                index,
                weight,
                limit: (MAX_SPARSE / SPARSE_SCALE) as f32,
            });
        }
        for (tensor, values) in weights.float_tensors() {
            check_weights(&tensor, values, MAX_WEIGHT)?;
        }
        let features = DenseFeatures::new(&Standard::default(), weights.groups);
        Ok(Self {
            weights,
            features,
            instructions: Instructions::detect(),
        })
    }

    /// The same network with dense race inputs for another assumed die or variant than that it was
    /// trained on.
    #[must_use]
    pub fn assuming(mut self, game: &Standard) -> Self {
        self.features = DenseFeatures::new(game, self.weights.groups);
        self
    }

    /// The same network on other instructions than the best this machine has; values do not change.
    #[must_use]
    pub fn on(self, instructions: Instructions) -> Self {
        Self {
            instructions,
            ..self
        }
    }

    /// The weights, the sparse ones in fixed point.
    #[must_use]
    pub fn weights(&self) -> &NetworkWeights<i32> {
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

    /// Log odds of the side to move; `accumulators` are those of `position`.
    #[must_use]
    pub fn logit(&self, game: &Standard, position: &Position, accumulators: &Accumulators) -> f32 {
        let mut dense = [0.0; MAX_DENSE];
        let dense = &mut dense[..self.features.len()];
        self.features.fill(game, position, dense);
        // Two sizes of scratch space: clearing the large one would cost a small network more than
        // its arithmetic.
        if self.weights.widest() <= SMALL_WIDTH {
            kernels::forward::<SMALL_WIDTH>(
                self.instructions,
                &self.weights,
                accumulators.mover(),
                dense,
            )
        } else {
            kernels::forward::<MAX_WIDTH>(
                self.instructions,
                &self.weights,
                accumulators.mover(),
                dense,
            )
        }
    }
}

/// Layers up to this width use little scratch space.
const SMALL_WIDTH: usize = 128;

impl<S> NetworkWeights<S> {
    /// Neurons of each hidden layer.
    #[must_use]
    pub fn widths(&self) -> Vec<usize> {
        std::iter::once(self.bias.len())
            .chain(self.hidden.iter().map(|layer| layer.bias.len()))
            .collect()
    }

    fn widest(&self) -> usize {
        self.hidden
            .iter()
            .map(|layer| layer.bias.len())
            .fold(self.bias.len(), usize::max)
    }

    /// The tensors in floating point with the names that model files use, in a fixed order.
    pub fn float_tensors(&self) -> Vec<(String, &[f32])> {
        let mut tensors = vec![
            ("dense".to_owned(), &self.dense[..]),
            ("hidden1.bias".to_owned(), &self.bias[..]),
        ];
        for (layer, number) in self.hidden.iter().zip(2..) {
            tensors.push((format!("hidden{number}.weight"), &layer.weights[..]));
            tensors.push((format!("hidden{number}.bias"), &layer.bias[..]));
        }
        tensors.push(("output.weight".to_owned(), &self.output[..]));
        tensors.push((
            "output.bias".to_owned(),
            std::slice::from_ref(&self.output_bias),
        ));
        tensors.extend(self.heads.float_tensors());
        tensors
    }
}

fn check_sizes<S>(weights: &NetworkWeights<S>) -> Result<(), NetworkError> {
    let widths = weights.widths();
    if widths.len() > MAX_HIDDEN {
        return Err(NetworkError::Layers(widths.len()));
    }
    for (&width, layer) in widths.iter().zip(1..) {
        if width == 0 || width % LANES != 0 || width > MAX_WIDTH {
            return Err(NetworkError::Width { layer, width });
        }
    }
    let check = |tensor: &str, found: usize, expected: usize| {
        if found == expected {
            Ok(())
        } else {
            Err(NetworkError::Length {
                tensor: tensor.to_owned(),
                found,
                expected,
            })
        }
    };
    check("sparse", weights.sparse.len(), SPARSE_ROWS * widths[0])?;
    check(
        "dense",
        weights.dense.len(),
        weights.groups.len() * widths[0],
    )?;
    for (layer, number) in weights.hidden.iter().zip(2..) {
        check(
            &format!("hidden{number}.weight"),
            layer.weights.len(),
            widths[number - 2] * widths[number - 1],
        )?;
    }
    let last = widths[widths.len() - 1];
    for (head, layer) in weights.heads.layers() {
        let outputs = head.outputs();
        check(&format!("{}.bias", head.name()), layer.bias.len(), outputs)?;
        check(
            &format!("{}.weight", head.name()),
            layer.weights.len(),
            last * outputs,
        )?;
    }
    check("output.weight", weights.output.len(), last)
}

fn check_weights(tensor: &str, weights: &[f32], limit: f32) -> Result<(), NetworkError> {
    match weights
        .iter()
        .position(|weight| weight.is_nan() || weight.abs() > limit)
    {
        Some(index) => Err(NetworkError::Weight {
            tensor: tensor.to_owned(),
            index,
            weight: weights[index],
            limit,
        }),
        None => Ok(()),
    }
}

impl PartialEq for Network {
    /// Equal weights; what they run on does not matter.
    fn eq(&self, other: &Self) -> bool {
        self.weights == other.weights
    }
}

impl Evaluator<Standard> for Network {
    type Cache = Accumulators;

    fn refresh(&self, _: &Standard, position: &Position, cache: &mut Accumulators) {
        cache.refresh(self.instructions, &self.weights, position);
    }

    fn update(
        &self,
        _: &Standard,
        parent: &Accumulators,
        before: &Position,
        _: Move,
        after: &Position,
        child: &mut Accumulators,
    ) {
        child.update(self.instructions, &self.weights, parent, before, after);
    }

    #[inline]
    fn value(&self, game: &Standard, position: &Position, cache: &Accumulators) -> f32 {
        logistic(self.logit(game, position, cache))
    }

    fn raw(&self, game: &Standard, position: &Position) -> Option<f32> {
        let mut cache = Accumulators::default();
        self.refresh(game, position, &mut cache);
        Some(self.logit(game, position, &cache))
    }

    fn by_outcome(&self, game: &Standard, position: &Position) -> Option<Vec<f32>> {
        self.rolls(game, position).map(|values| values.to_vec())
    }

    fn plies_to_go(&self, game: &Standard, position: &Position) -> Option<f32> {
        self.moves_to_go(game, position)
    }
}

#[cfg(test)]
mod tests;
