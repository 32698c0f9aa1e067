//! The small network: sparse rows and dense inputs → one to three layers of clipped relu → the
//! logit of a win, and what its heads say.
//!
//! `x₁ = clip(b₁ + Σ_k sparse[row_k] + dense · features)`, `xₖ = clip(bₖ + Wₖ xₖ₋₁)`, `logit = b +
//! w · x`, where x is the last layer and clip is to `[0, 1]`, so that inference may work in
//! integers. Heads are linear in x, too. A network that the engine has in integers rounds its
//! weights and activations as [`engine::learned::integer`] does.

use super::{
    bag::bag,
    fused::{
        Shape,
        grid::{HALVES, STEP},
        matrix::transposed,
    },
    parameter, uniform, values,
};
use burn::{
    module::{Module, Param},
    tensor::{Device, Int, Tensor},
};
use engine::core::random::RandomStream;
use engine::learned::{
    integer::{FULL, HIDDEN_SCALE, OUTPUT_SCALE, ROW_SCALE},
    network::{Head, HeadWeights, Layer, NetworkWeights},
};

/// The trainable network; matrices are `[inputs, outputs]`. What a network does not have is not in
/// its record either.
#[derive(Module, Debug)]
pub(crate) struct NetworkModel {
    sparse: Param<Tensor<2>>,
    dense: Option<Param<Tensor<2>>>,
    first_bias: Param<Tensor<1>>,
    second: Option<Param<Tensor<2>>>,
    second_bias: Option<Param<Tensor<1>>>,
    third: Option<Param<Tensor<2>>>,
    third_bias: Option<Param<Tensor<1>>>,
    output: Param<Tensor<2>>,
    /// Transposed, `[outcomes, inputs]`: a sample learns the row of one outcome of chance.
    rolls: Option<Param<Tensor<2>>>,
    moves_to_go: Option<Param<Tensor<2>>>,
    output_bias: Param<Tensor<1>>,
    rolls_bias: Option<Param<Tensor<1>>>,
    moves_to_go_bias: Option<Param<Tensor<1>>>,
    integers: bool,
}

/// What a network says of a batch.
#[derive(Clone, Debug)]
pub(crate) struct Said {
    /// Logits of a win, `[batch, 1]`.
    pub(crate) logits: Tensor<2>,
    /// Logits of a win after each outcome of chance, `[batch, outcomes]`, if there is such a head.
    pub(crate) rolls: Option<Tensor<2>>,
    /// Plies to the end over 16, `[batch, 1]`, if there is such a head.
    pub(crate) plies: Option<Tensor<2>>,
}

impl NetworkModel {
    /// A network of this shape; uniform weights within one over the root of a layer's active
    /// inputs, and biases of 0 at the output and the heads. Heads are drawn last: all else is as
    /// without them.
    pub(crate) fn new(shape: Shape, random: &mut RandomStream, device: &Device) -> Self {
        let next = |inputs: Option<usize>| {
            inputs.map_or(0.0, |inputs| {
                uniform(random, 1.0 / (inputs as f64).sqrt())()
            })
        };
        Self::filled(shape, next, device)
    }

    /// A network of the numbers that [`Self::parameters`] gives.
    pub(crate) fn from_parameters(shape: Shape, parameters: &[f32], device: &Device) -> Self {
        assert_eq!(
            parameters.len(),
            shape.parameters(),
            "one number for each weight"
        );
        // Each tensor takes what it needs from the front.
        let mut numbers = parameters.iter().copied();
        Self::filled(shape, |_| numbers.next().unwrap_or_default(), device)
    }

    /// A network of the numbers of `next`, tensor by tensor in the order of the fields; it is told
    /// the active inputs of the weight's layer, and none for the biases of output and heads.
    fn filled(shape: Shape, mut next: impl FnMut(Option<usize>) -> f32, device: &Device) -> Self {
        let (inputs, dense, hidden) = (shape.sparse(), shape.dense(), shape.hidden());
        let (active, outcomes) = (Some(inputs.active + dense), inputs.outcomes);
        let (first, last) = (hidden[0], hidden[hidden.len() - 1]);
        let sparse = parameter(1, [inputs.rows, first], || next(active), device);
        let dense = (dense > 0).then(|| parameter(2, [dense, first], || next(active), device));
        let first_bias = parameter(3, [first], || next(active), device);
        let mut layer = |number: usize, id: u64| {
            let outputs = *hidden.get(number)?;
            let inputs = hidden[number - 1];
            let weights = parameter(id, [inputs, outputs], || next(Some(inputs)), device);
            Some((
                weights,
                parameter(id + 1, [outputs], || next(Some(inputs)), device),
            ))
        };
        // Numbers of parameters are part of records: the third layer came last.
        let (second, second_bias) = layer(1, 4).unzip();
        let (third, third_bias) = layer(2, 8).unzip();
        let output = parameter(6, [last, 1], || next(Some(last)), device);
        let (has_rolls, has_moves) = (
            shape.heads().contains(Head::Rolls),
            shape.heads().contains(Head::MovesToGo),
        );
        let rolls = has_rolls.then(|| parameter(10, [outcomes, last], || next(Some(last)), device));
        let moves_to_go = has_moves.then(|| parameter(11, [last, 1], || next(Some(last)), device));
        let output_bias = parameter(7, [1], || next(None), device);
        let rolls_bias = has_rolls.then(|| parameter(12, [outcomes], || next(None), device));
        let moves_to_go_bias = has_moves.then(|| parameter(13, [1], || next(None), device));
        Self {
            sparse,
            dense,
            first_bias,
            second,
            second_bias,
            third,
            third_bias,
            output,
            rolls,
            moves_to_go,
            output_bias,
            rolls_bias,
            moves_to_go_bias,
            integers: shape.in_integers(),
        }
    }

    /// Weights and biases of the hidden layers after the first.
    fn further(&self) -> impl Iterator<Item = Linear<'_>> {
        let layers = [
            linear(&self.second, &self.second_bias),
            linear(&self.third, &self.third_bias),
        ];
        layers.into_iter().flatten()
    }

    /// Something of each tensor, in the order of the fields.
    fn each<T>(
        &self,
        matrix: impl Fn(&Param<Tensor<2>>) -> T,
        bias: impl Fn(&Param<Tensor<1>>) -> T,
    ) -> Vec<T> {
        let mut all = vec![matrix(&self.sparse)];
        all.extend(self.dense.as_ref().map(&matrix));
        all.push(bias(&self.first_bias));
        for (weights, its_bias) in self.further() {
            all.extend([matrix(weights), bias(its_bias)]);
        }
        all.push(matrix(&self.output));
        all.extend(
            [&self.rolls, &self.moves_to_go]
                .into_iter()
                .flatten()
                .map(matrix),
        );
        all.push(bias(&self.output_bias));
        let biases = [&self.rolls_bias, &self.moves_to_go_bias];
        all.extend(biases.into_iter().flatten().map(bias));
        all
    }

    /// All weights, tensor by tensor in the order of the fields.
    pub(crate) fn parameters(&self) -> Vec<f32> {
        self.each(values, values).concat()
    }

    /// The gradients of all weights, in the order of [`Self::parameters`].
    #[cfg(test)]
    #[cfg(feature = "flex")]
    pub(super) fn gradients(&self, gradients: &burn::tensor::Gradients) -> Vec<f32> {
        fn of<const D: usize>(
            parameter: &Param<Tensor<D>>,
            gradients: &burn::tensor::Gradients,
        ) -> Vec<f32> {
            let gradient = parameter.val().grad(gradients);
            gradient.map_or(Vec::new(), |gradient| {
                gradient.into_data().iter::<f32>().collect()
            })
        }
        self.each(|matrix| of(matrix, gradients), |bias| of(bias, gradients))
            .concat()
    }

    /// What it says of sparse rows `[batch, active]` and dense inputs `[batch, dense]`, which must be
    /// there if the network has any.
    pub(crate) fn say(&self, rows: Tensor<2, Int>, features: Option<Tensor<2>>) -> Said {
        let last = self.last_layer(rows, features);
        let output = self.output.val();
        let output = match self.integers {
            true => nearest(output, OUTPUT_SCALE),
            false => output,
        };
        let head = |weights: Tensor<2>, bias: &Param<Tensor<1>>| {
            last.clone().matmul(weights) + bias.val().unsqueeze()
        };
        Said {
            rolls: linear(&self.rolls, &self.rolls_bias)
                .map(|(rolls, bias)| head(rolls.val().transpose(), bias)),
            plies: linear(&self.moves_to_go, &self.moves_to_go_bias)
                .map(|(moves, bias)| head(moves.val(), bias)),
            logits: head(output, &self.output_bias),
        }
    }

    /// The last hidden layer, clipped.
    fn last_layer(&self, rows: Tensor<2, Int>, features: Option<Tensor<2>>) -> Tensor<2> {
        if self.integers {
            return self.last_layer_in_integers(rows);
        }
        let mut layer = bag(self.sparse.val(), rows) + self.first_bias.val().unsqueeze();
        if let (Some(dense), Some(features)) = (&self.dense, features) {
            layer = layer + features.matmul(dense.val());
        }
        for (weights, bias) in self.further() {
            layer = layer.clamp(0.0, 1.0).matmul(weights.val()) + bias.val().unsqueeze();
        }
        layer.clamp(0.0, 1.0)
    }

    fn last_layer_in_integers(&self, rows: Tensor<2, Int>) -> Tensor<2> {
        let bias = units(self.first_bias.val(), ROW_SCALE) + HALVES;
        let sums = bag(units(self.sparse.val(), ROW_SCALE), rows) + bias.unsqueeze();
        let steps = sums.clamp(0.0, 127.0 * STEP) / STEP;
        let mut layer = passing(steps.clone(), steps.floor()) / 127.0;
        for (weights, bias) in self.further() {
            let sums = layer.matmul(nearest(weights.val(), HIDDEN_SCALE))
                + nearest(bias.val(), FULL).unsqueeze();
            let (full, half) = (FULL as f32, 0.5 / FULL as f32);
            layer = passing(
                sums.clone().clamp(half, 1.0 - half),
                (sums * full).round().clamp(0.0, full) / full,
            );
        }
        layer
    }

    /// The weights as the engine takes them.
    pub(crate) fn weights(&self) -> NetworkWeights {
        NetworkWeights {
            sparse: values(&self.sparse),
            dense: self.dense.as_ref().map(values).unwrap_or_default(),
            bias: values(&self.first_bias),
            hidden: self.further().map(layer).collect(),
            output: values(&self.output),
            output_bias: values(&self.output_bias)
                .first()
                .copied()
                .unwrap_or_default(),
            heads: HeadWeights {
                rolls: linear(&self.rolls, &self.rolls_bias).map(|rolls| {
                    let Layer { weights, bias } = layer(rolls);
                    let inputs = weights.len() / bias.len();
                    let weights = transposed(&weights, inputs);
                    Layer { weights, bias }
                }),
                moves_to_go: linear(&self.moves_to_go, &self.moves_to_go_bias).map(layer),
            },
        }
    }
}

/// Weights and biases.
type Linear<'a> = (&'a Param<Tensor<2>>, &'a Param<Tensor<1>>);

/// Both or nothing.
fn linear<'a>(
    weights: &'a Option<Param<Tensor<2>>>,
    bias: &'a Option<Param<Tensor<1>>>,
) -> Option<Linear<'a>> {
    weights.as_ref().zip(bias.as_ref())
}

fn layer((weights, bias): Linear<'_>) -> Layer {
    Layer {
        weights: values(weights),
        bias: values(bias),
    }
}

/// Numbers with the gradient of others.
fn passing<const D: usize>(others: Tensor<D>, numbers: Tensor<D>) -> Tensor<D> {
    others.clone() + (numbers - others).detach()
}

/// The nearest whole numbers of units of 1 / `scale`.
fn units<const D: usize>(weights: Tensor<D>, scale: i32) -> Tensor<D> {
    let scaled = weights * scale as f32;
    passing(scaled.clone(), scaled.round())
}

/// The nearest multiples of 1 / `scale`.
fn nearest<const D: usize>(weights: Tensor<D>, scale: i32) -> Tensor<D> {
    units(weights, scale) / scale as f32
}

#[cfg(test)]
#[cfg(feature = "flex")]
mod tests {
    use super::*;
    use crate::models::fused::Sparse;
    use burn::tensor::TensorData;
    use engine::learned::network::Heads;

    const ACTIVE: usize = 12;
    const SPARSE_ROWS: usize = 26 * ACTIVE;
    const SPARSE: Sparse = Sparse {
        rows: SPARSE_ROWS,
        active: ACTIVE,
        outcomes: 6,
    };

    #[test]
    fn the_forward_pass_is_the_formula() {
        for hidden in [&[8][..], &[8, 16], &[8, 16, 24]] {
            let (dense, batch) = (3, 4);
            let model = NetworkModel::new(
                Shape::new(SPARSE, dense, hidden),
                &mut RandomStream::new(5),
                &Device::flex(),
            );
            let mut random = RandomStream::new(6);
            let rows: Vec<i32> = (0..batch * ACTIVE)
                .map(|_| random.below(SPARSE_ROWS) as i32)
                .collect();
            let features: Vec<f32> = (0..batch * dense).map(|_| random.unit() as f32).collect();
            let said = model.say(
                Tensor::from_data(
                    TensorData::new(rows.clone(), [batch, ACTIVE]),
                    &Device::flex(),
                ),
                Some(Tensor::from_data(
                    TensorData::new(features.clone(), [batch, dense]),
                    &Device::flex(),
                )),
            );
            let logits = said.logits.into_data().try_to_vec::<f32>().unwrap();
            let weights = model.weights();
            assert_eq!(weights.widths(), hidden);
            for sample in 0..batch {
                let mut layer = weights.bias.clone();
                for (unit, sum) in layer.iter_mut().enumerate() {
                    for row in &rows[sample * ACTIVE..][..ACTIVE] {
                        *sum += weights.sparse[*row as usize * hidden[0] + unit];
                    }
                    for input in 0..dense {
                        *sum += features[sample * dense + input]
                            * weights.dense[input * hidden[0] + unit];
                    }
                    *sum = sum.clamp(0.0, 1.0);
                }
                for further in &weights.hidden {
                    let units = further.bias.len();
                    let sum = |unit: usize| {
                        (0..layer.len())
                            .map(|input| layer[input] * further.weights[input * units + unit])
                            .sum::<f32>()
                    };
                    layer = (0..units)
                        .map(|unit| (sum(unit) + further.bias[unit]).clamp(0.0, 1.0))
                        .collect();
                }
                let logit = weights.output_bias
                    + layer
                        .iter()
                        .zip(&weights.output)
                        .map(|(value, weight)| value * weight)
                        .sum::<f32>();
                assert!(
                    (logit - logits[sample]).abs() < 1e-5,
                    "{hidden:?}: {logit} {}",
                    logits[sample]
                );
            }
        }
    }

    #[test]
    fn a_network_is_its_parameters() {
        for hidden in [&[16][..], &[16, 32], &[16, 32, 48]] {
            for (dense, heads) in [
                (0, Heads::NONE),
                (3, Heads::NONE),
                (3, Heads::ALL),
                (0, Heads::NONE.with(Head::MovesToGo)),
            ] {
                let shape = Shape::new(SPARSE, dense, hidden).with_heads(heads);
                let model = NetworkModel::new(shape, &mut RandomStream::new(5), &Device::flex());
                assert_eq!(model.parameters().len(), shape.parameters());
                let again =
                    NetworkModel::from_parameters(shape, &model.parameters(), &Device::flex());
                assert_eq!(again.weights(), model.weights());
                assert_eq!(
                    again.into_record().into_bytes().unwrap().to_vec(),
                    model.into_record().into_bytes().unwrap().to_vec()
                );
            }
        }
    }

    #[test]
    fn heads_are_linear_in_the_last_layer_and_change_nothing_else() {
        let (plain, shape) = (
            Shape::new(SPARSE, 0, &[16, 32]),
            Shape::new(SPARSE, 0, &[16, 32]).with_heads(Heads::ALL),
        );
        let model = |shape| NetworkModel::new(shape, &mut RandomStream::new(5), &Device::flex());
        let (plain, model) = (model(plain), model(shape));
        let weights = model.weights();
        assert_eq!(
            NetworkWeights {
                heads: HeadWeights::default(),
                ..weights.clone()
            },
            plain.weights()
        );
        assert_eq!(
            model.parameters().len(),
            plain.parameters().len() + 32 * 7 + 7
        );
        let mut numbers = model.parameters();
        let end = numbers.len();
        // The last seven are the heads' biases.
        (0..7).for_each(|bias| numbers[end - 7 + bias] = bias as f32);
        let model = NetworkModel::from_parameters(shape, &numbers, &Device::flex());
        let rows: Vec<i32> = (0..ACTIVE as i32).map(|stone| stone * 26 + 3).collect();
        let rows =
            || Tensor::from_data(TensorData::new(rows.clone(), [1, ACTIVE]), &Device::flex());
        let said = model.say(rows(), None);
        let numbers = |tensor: Tensor<2>| tensor.into_data().try_to_vec::<f32>().unwrap();
        let last = numbers(model.last_layer(rows(), None));
        let heads = model.weights().heads;
        for (layer, found) in [
            (heads.rolls.unwrap(), said.rolls.unwrap()),
            (heads.moves_to_go.unwrap(), said.plies.unwrap()),
        ] {
            let found = numbers(found);
            let outputs = layer.bias.len();
            assert_eq!((found.len(), layer.weights.len()), (outputs, 32 * outputs));
            for (output, found) in found.into_iter().enumerate() {
                let sum: f32 = (0..32)
                    .map(|input| last[input] * layer.weights[input * outputs + output])
                    .sum();
                assert!(
                    (sum + layer.bias[output] - found).abs() < 1e-5,
                    "{output}: {sum} {found}"
                );
            }
        }
    }

    #[test]
    fn the_seed_decides_the_weights() {
        let shape = Shape::new(SPARSE, 0, &[8, 8]);
        let weights = |seed| {
            NetworkModel::new(shape, &mut RandomStream::new(seed), &Device::flex()).weights()
        };
        assert_eq!(weights(1), weights(1));
        assert_ne!(weights(1).sparse, weights(2).sparse);
        assert!(weights(1).dense.is_empty());
    }
}
