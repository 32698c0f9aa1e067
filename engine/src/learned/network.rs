//! Inference of small networks over the shared features, without a learning framework.
//!
//! hidden₁ = clip(Σ rows of the cells + dense · W + b), hiddenₖ₊₁ = clip(hiddenₖ · Wₖ +
//! bₖ), logit = hidden · w + b, value = logistic(logit), with clip to `[0, 1]`. Invariant: the sum
//! of the cells' rows is kept in fixed point ([`SPARSE_SCALE`]), so that following a move equals
//! starting afresh to the last bit; all other sums have one fixed order, so that every instruction
//! set gives the same bits. The idea of the accumulator is NNUE's (Nasu 2018).

mod accumulator;
mod heads;
mod kernels;

pub use accumulator::Accumulators;
pub use heads::{Head, HeadWeights, Heads, PLIES_SCALE};

use super::{
    inputs::{DenseGroupOf, DenseInputs, Learnable, MAX_DENSE, network_layout},
    names::{NameSet, Named},
};
use crate::core::{calibration::logistic, evaluator::Evaluator, simd::Instructions};

/// What a sparse weight of 1.0 is in fixed point.
pub const SPARSE_SCALE: i32 = 1 << 20;

/// Largest sparse weight in fixed point (128.0), where the cells are at most fifteen; more of them
/// have to share the same sum, which cannot overflow.
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

impl Layer {
    fn tensors(&self, name: &str) -> [(String, Option<usize>, &[f32]); 2] {
        [
            (
                format!("{name}.weight"),
                Some(self.bias.len()),
                &self.weights,
            ),
            (format!("{name}.bias"), None, &self.bias),
        ]
    }
}

/// All weights of a network but for the names of its dense inputs, as training leaves them. Matrices
/// are input-major: one row for each input.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NetworkWeights<S = f32> {
    /// `[sparse rows × width]`: what each symbol of each cell adds to the first hidden layer.
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

/// Weights that make no network, and why; tensors have the names that model files use.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NetworkError(String);

/// A network ready to evaluate. Immutable and shared; what changes along a game is in
/// [`Accumulators`].
#[derive(Clone, Debug)]
pub struct Network<G: Learnable> {
    weights: NetworkWeights<i32>,
    features: G::Dense,
    dense: usize,
    active: usize,
    instructions: Instructions,
    game: String,
    layout: String,
}

/// The largest sparse weight, in fixed point, of a network over so many cells.
fn most_sparse(active: usize) -> i32 {
    MAX_SPARSE.min(i32::MAX / active.max(1) as i32)
}

impl<G: Learnable> Network<G> {
    /// The network of trained weights; the sparse ones are rounded to multiples of 1 /
    /// [`SPARSE_SCALE`].
    ///
    /// # Errors
    /// If sizes do not fit together or a weight is not finite or too large.
    pub fn new(
        game: &G,
        groups: NameSet<DenseGroupOf<G>>,
        weights: NetworkWeights,
    ) -> Result<Self, NetworkError> {
        let limit = most_sparse(game.active()) as f32 / SPARSE_SCALE as f32;
        check_weights("sparse", &weights.sparse, limit).map_err(NetworkError)?;
        let sparse = weights
            .sparse
            .iter()
            .map(|weight| (weight * SPARSE_SCALE as f32).round_ties_even() as i32)
            .collect();
        let NetworkWeights {
            dense,
            bias,
            hidden,
            output,
            output_bias,
            heads,
            ..
        } = weights;
        let weights = NetworkWeights {
            sparse,
            dense,
            bias,
            hidden,
            output,
            output_bias,
            heads,
        };
        Self::from_fixed_point(game, groups, weights)
    }

    /// The network of weights whose sparse part is in fixed point already.
    pub fn from_fixed_point(
        game: &G,
        groups: NameSet<DenseGroupOf<G>>,
        weights: NetworkWeights<i32>,
    ) -> Result<Self, NetworkError> {
        let features = G::Dense::new(game, groups);
        let dense = features.len();
        for (what, found, most) in [
            ("sparse inputs", game.sparse_rows(), usize::from(u16::MAX)),
            ("dense inputs", dense, MAX_DENSE),
        ] {
            if found > most {
                let problem = format!("{found} {what}; there may be {most}");
                return Err(NetworkError(problem));
            }
        }
        check_sizes(&weights, game.sparse_rows(), dense, G::OUTCOMES).map_err(NetworkError)?;
        let limit = most_sparse(game.active());
        if let Some(index) = weights
            .sparse
            .iter()
            .position(|weight| weight.unsigned_abs() > limit.unsigned_abs())
        {
            let weight = weights.sparse[index] as f32 / SPARSE_SCALE as f32;
            let limit = (limit / SPARSE_SCALE) as f32;
            return Err(NetworkError(wrong_weight("sparse", index, weight, limit)));
        }
        for (tensor, _, values) in weights.float_tensors() {
            check_weights(&tensor, values, MAX_WEIGHT).map_err(NetworkError)?;
        }
        Ok(Self {
            layout: network_layout(game, groups),
            game: game.model_game(),
            weights,
            features,
            dense,
            active: game.active(),
            instructions: Instructions::detect(),
        })
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
    pub fn weights(&self) -> &NetworkWeights<i32> {
        &self.weights
    }

    /// Which dense inputs there are.
    pub fn groups(&self) -> NameSet<DenseGroupOf<G>> {
        self.features.groups()
    }

    /// The instructions in use.
    pub fn instructions(&self) -> Instructions {
        self.instructions
    }

    /// The canonical description of the inputs.
    pub fn layout(&self) -> &str {
        &self.layout
    }

    /// What model files call its game.
    pub fn game(&self) -> &str {
        &self.game
    }

    /// Log odds of the side to move; `accumulators` are those of `position`.
    #[must_use]
    pub fn logit(&self, game: &G, position: &G::Position, accumulators: &Accumulators) -> f32 {
        let mut dense = [0.0; MAX_DENSE];
        let dense = &mut dense[..self.dense];
        let seat = game.to_move(position);
        self.features.fill(game, position, dense);
        // Two sizes of scratch space: clearing the large one would cost a small network more than
        // its arithmetic.
        let (weights, sums) = (&self.weights, accumulators.seen_by(seat));
        if weights.widest() <= SMALL_WIDTH {
            kernels::forward::<SMALL_WIDTH>(self.instructions, weights, sums, dense)
        } else {
            kernels::forward::<MAX_WIDTH>(self.instructions, weights, sums, dense)
        }
    }
}

/// Layers up to this width use little scratch space.
const SMALL_WIDTH: usize = 128;

impl<S> NetworkWeights<S> {
    /// Neurons of each hidden layer.
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

    /// The tensors in floating point, in a fixed order, with the names that model files use, and of
    /// matrices the columns.
    pub(super) fn float_tensors(&self) -> Vec<(String, Option<usize>, &[f32])> {
        let mut tensors = vec![
            ("dense".to_owned(), Some(self.bias.len()), &self.dense[..]),
            ("hidden1.bias".to_owned(), None, &self.bias[..]),
        ];
        for (layer, number) in self.hidden.iter().zip(2..) {
            tensors.extend(layer.tensors(&format!("hidden{number}")));
        }
        tensors.push(("output.weight".to_owned(), None, &self.output[..]));
        let bias = std::slice::from_ref(&self.output_bias);
        tensors.push(("output.bias".to_owned(), None, bias));
        for (head, layer) in self.heads.layers() {
            tensors.extend(layer.tensors(head.name()));
        }
        tensors
    }
}

fn check_sizes<S>(
    weights: &NetworkWeights<S>,
    sparse_rows: usize,
    dense: usize,
    outcomes: usize,
) -> Result<(), String> {
    let widths = weights.widths();
    if widths.len() > MAX_HIDDEN {
        let layers = widths.len();
        return Err(format!(
            "{layers} hidden layers; there can be 1 to {MAX_HIDDEN}"
        ));
    }
    for (&width, layer) in widths.iter().zip(1..) {
        if width == 0 || width % LANES != 0 || width > MAX_WIDTH {
            return Err(format!(
                "hidden layer {layer} has {width} neurons; widths are multiples of {LANES} up to {MAX_WIDTH}"
            ));
        }
    }
    check_length("sparse", weights.sparse.len(), sparse_rows * widths[0])?;
    check_length("dense", weights.dense.len(), dense * widths[0])?;
    for (layer, number) in weights.hidden.iter().zip(2..) {
        check_length(
            &format!("hidden{number}.weight"),
            layer.weights.len(),
            widths[number - 2] * widths[number - 1],
        )?;
    }
    let last = widths[widths.len() - 1];
    for (head, layer) in weights.heads.layers() {
        let outputs = head.outputs(outcomes);
        let tensor = |part: &str| format!("{}.{part}", head.name());
        check_length(&tensor("bias"), layer.bias.len(), outputs)?;
        check_length(&tensor("weight"), layer.weights.len(), last * outputs)?;
    }
    check_length("output.weight", weights.output.len(), last)
}

/// Whether a tensor has as many weights as the other tensors demand.
pub(super) fn check_length(tensor: &str, found: usize, expected: usize) -> Result<(), String> {
    if found == expected {
        return Ok(());
    }
    Err(format!(
        "tensor {tensor} has {found} weights; {expected} belong there"
    ))
}

/// Whether the weights of a tensor are numbers of at most this magnitude.
pub(super) fn check_weights(tensor: &str, weights: &[f32], limit: f32) -> Result<(), String> {
    let wrong = |weight: &f32| weight.is_nan() || weight.abs() > limit;
    weights.iter().position(wrong).map_or(Ok(()), |index| {
        Err(wrong_weight(tensor, index, weights[index], limit))
    })
}

fn wrong_weight(tensor: &str, index: usize, weight: f32, limit: f32) -> String {
    format!("tensor {tensor} holds {weight} at {index}; weights lie within ±{limit}")
}

impl<G: Learnable> PartialEq for Network<G> {
    /// Equal weights for the same game; what they run on does not matter.
    fn eq(&self, other: &Self) -> bool {
        self.weights == other.weights && self.groups() == other.groups() && self.game == other.game
    }
}

impl<G: Learnable> Evaluator<G> for Network<G> {
    type Cache = Accumulators;

    fn refresh(&self, game: &G, position: &G::Position, cache: &mut Accumulators) {
        cache.refresh(self, game, position);
    }

    fn update(
        &self,
        game: &G,
        parent: &Accumulators,
        _: &G::Position,
        _: G::Move,
        after: &G::Position,
        child: &mut Accumulators,
    ) {
        child.update(self, game, parent, after);
    }

    #[inline]
    fn value(&self, game: &G, position: &G::Position, cache: &Accumulators) -> f32 {
        logistic(self.logit(game, position, cache))
    }

    fn raw(&self, game: &G, position: &G::Position) -> Option<f32> {
        let mut cache = Accumulators::default();
        self.refresh(game, position, &mut cache);
        Some(self.logit(game, position, &cache))
    }

    fn by_outcome(&self, game: &G, position: &G::Position) -> Option<Vec<f32>> {
        self.rolls(game, position)
    }

    fn plies_to_go(&self, game: &G, position: &G::Position) -> Option<f32> {
        self.moves_to_go(game, position)
    }
}
