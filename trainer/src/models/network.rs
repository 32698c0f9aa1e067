//! The neural network in burn: `x₁ = clip(b₁ + Σ_k sparse[row_k])`, then up to two layers `xₖ =
//! clip(bₖ + Wₖ xₖ₋₁)`, and the logit of a win `b + w · x`, with the last layer's x and clipping to
//! `[0, 1]`. Weights and activations are quantized as in the engine ([`alea_learned::network`]).
//! Each output bucket has its own layers after the first.

use super::{
    cpu::{
        Shape,
        quantize::{MIDDLE_ROUNDING_OFFSET, ROUNDING_OFFSET, SUM_UNITS_PER_ACTIVATION_STEP},
    },
    embedding_bag, parameter, uniform, values,
};
use alea_core::random::RandomStream;
use alea_learned::network::{
    ACTIVATION_MAX, FloatWeights, HIDDEN_SCALE, Layer, OUTPUT_SCALE, ROW_SCALE,
};
use burn::{
    module::{Module, Param},
    tensor::{Device, Int, Tensor},
};

/// Matrices are `[inputs, outputs]`, after the first layer stacked by bucket. Names and ids of the
/// fields are those in burn's records.
#[derive(Module, Debug)]
pub(crate) struct NetworkModel {
    sparse: Param<Tensor<2>>,
    first_bias: Param<Tensor<1>>,
    second: Option<Param<Tensor<2>>>,
    second_bias: Option<Param<Tensor<1>>>,
    third: Option<Param<Tensor<2>>>,
    third_bias: Option<Param<Tensor<1>>>,
    output: Param<Tensor<2>>,
    output_bias: Param<Tensor<1>>,
    buckets: usize,
}

impl NetworkModel {
    /// Draws each weight and bias uniformly within ±1/√inputs of its layer; output biases are 0.
    pub(crate) fn new(shape: Shape, random: &mut RandomStream, device: &Device) -> Self {
        let next = |inputs: Option<usize>| {
            inputs.map_or(0.0, |inputs| {
                uniform(random, 1.0 / (inputs as f64).sqrt())()
            })
        };
        Self::build(shape, next, device)
    }

    pub(crate) fn from_parameters(shape: Shape, parameters: &[f32], device: &Device) -> Self {
        assert_eq!(
            parameters.len(),
            shape.parameters(),
            "one number for each weight"
        );
        let mut numbers = parameters.iter().copied();
        Self::build(shape, |_| numbers.next().unwrap_or_default(), device)
    }

    /// Takes the parameters from `next`, in the order of the fields. The argument of `next` is the
    /// number of active inputs of the layer, `None` for output biases.
    fn build(shape: Shape, mut next: impl FnMut(Option<usize>) -> f32, device: &Device) -> Self {
        let (inputs, hidden, buckets) = (shape.sparse(), shape.hidden(), shape.buckets());
        let active = Some(inputs.active);
        let (first, last) = (hidden[0], hidden[hidden.len() - 1]);
        let sparse = parameter(1, [inputs.rows, first], || next(active), device);
        let first_bias = parameter(3, [first], || next(active), device);
        let mut layer = |number: usize, id: u64| {
            let outputs = *hidden.get(number)?;
            let inputs = hidden[number - 1];
            let shape = [buckets * inputs, outputs];
            let weights = parameter(id, shape, || next(Some(inputs)), device);
            let bias = [buckets * outputs];
            Some((
                weights,
                parameter(id + 1, bias, || next(Some(inputs)), device),
            ))
        };
        // Ids in burn's records: 2 is unused, the third layer has 8 and 9.
        let (second, second_bias) = layer(1, 4).unzip();
        let (third, third_bias) = layer(2, 8).unzip();
        let output = parameter(6, [buckets * last, 1], || next(Some(last)), device);
        let output_bias = parameter(7, [buckets], || next(None), device);
        Self {
            sparse,
            first_bias,
            second,
            second_bias,
            third,
            third_bias,
            output,
            output_bias,
            buckets,
        }
    }

    fn later_layers(&self) -> impl Iterator<Item = Linear<'_>> {
        let layers = [
            layer_params(&self.second, &self.second_bias),
            layer_params(&self.third, &self.third_bias),
        ];
        layers.into_iter().flatten()
    }

    fn map_tensors<T>(
        &self,
        matrix: impl Fn(&Param<Tensor<2>>) -> T,
        bias: impl Fn(&Param<Tensor<1>>) -> T,
    ) -> Vec<T> {
        let mut all = vec![matrix(&self.sparse)];
        all.push(bias(&self.first_bias));
        for (weights, its_bias) in self.later_layers() {
            all.extend([matrix(weights), bias(its_bias)]);
        }
        all.push(matrix(&self.output));
        all.push(bias(&self.output_bias));
        all
    }

    pub(crate) fn parameters(&self) -> Vec<f32> {
        self.map_tensors(values, values).concat()
    }

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
        self.map_tensors(|matrix| of(matrix, gradients), |bias| of(bias, gradients))
            .concat()
    }

    /// Logits of a win, `[batch, 1]`, for active rows `[batch, active]` and one-hot buckets
    /// `[batch, buckets]`, which are `None` with one bucket.
    pub(crate) fn logits(&self, rows: Tensor<2, Int>, buckets: Option<Tensor<2>>) -> Tensor<2> {
        let first = self.first_layer(rows);
        let Some(buckets) = buckets else {
            return self.bucket_logits(0, first);
        };
        let [samples, count] = buckets.dims();
        let masked = |bucket: usize| {
            let mask = buckets.clone().slice([0..samples, bucket..bucket + 1]);
            self.bucket_logits(bucket, first.clone()) * mask
        };
        (1..count)
            .map(masked)
            .fold(masked(0), |sum, logits| sum + logits)
    }

    fn bucket_logits(&self, bucket: usize, first: Tensor<2>) -> Tensor<2> {
        let weights =
            round_to_multiples(self.bucket_slice(self.output.val(), bucket), OUTPUT_SCALE);
        let bias = self.bucket_slice(self.output_bias.val(), bucket);
        self.last_layer(bucket, first).matmul(weights) + bias.unsqueeze()
    }

    fn bucket_slice<const D: usize>(&self, tensor: Tensor<D>, bucket: usize) -> Tensor<D> {
        let length = tensor.dims()[0] / self.buckets;
        tensor.narrow(0, bucket * length, length)
    }

    fn first_layer(&self, rows: Tensor<2, Int>) -> Tensor<2> {
        let bias = round_to_units(self.first_bias.val(), ROW_SCALE) + ROUNDING_OFFSET;
        let sums =
            embedding_bag(round_to_units(self.sparse.val(), ROW_SCALE), rows) + bias.unsqueeze();
        floor_activations(sums / SUM_UNITS_PER_ACTIVATION_STEP)
    }

    fn last_layer(&self, bucket: usize, first: Tensor<2>) -> Tensor<2> {
        let (mut layer, layers) = (first, self.later_layers().count());
        for ((weights, bias), number) in self.later_layers().zip(1..) {
            let weights =
                round_to_multiples(self.bucket_slice(weights.val(), bucket), HIDDEN_SCALE);
            let bias = round_to_multiples(self.bucket_slice(bias.val(), bucket), ACTIVATION_MAX);
            let sums = layer.matmul(weights) + bias.unsqueeze();
            let (full, half) = (ACTIVATION_MAX as f32, 0.5 / ACTIVATION_MAX as f32);
            layer = match number == layers {
                true => straight_through(
                    sums.clone().clamp(half, 1.0 - half),
                    (sums * full).round().clamp(0.0, full) / full,
                ),
                false => floor_activations(sums * 127.0 + MIDDLE_ROUNDING_OFFSET),
            };
        }
        layer
    }

    pub(crate) fn weights(&self) -> FloatWeights {
        FloatWeights {
            rows: values(&self.sparse),
            bias: values(&self.first_bias),
            hidden: self.later_layers().map(layer).collect(),
            output: values(&self.output),
            output_bias: values(&self.output_bias),
        }
    }
}

type Linear<'a> = (&'a Param<Tensor<2>>, &'a Param<Tensor<1>>);

fn layer_params<'a>(
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

/// Activations in `[0, 1]` from sums in units of 1/127, rounded down.
fn floor_activations(steps: Tensor<2>) -> Tensor<2> {
    let steps = steps.clamp(0.0, 127.0);
    straight_through(steps.clone(), steps.floor()) / 127.0
}

/// `numbers` in the forward pass, with the gradient of `others` (straight-through estimator).
fn straight_through<const D: usize>(others: Tensor<D>, numbers: Tensor<D>) -> Tensor<D> {
    others.clone() + (numbers - others).detach()
}

/// `weights · scale`, rounded to integers.
fn round_to_units<const D: usize>(weights: Tensor<D>, scale: i32) -> Tensor<D> {
    let scaled = weights * scale as f32;
    straight_through(scaled.clone(), scaled.round())
}

fn round_to_multiples<const D: usize>(weights: Tensor<D>, scale: i32) -> Tensor<D> {
    round_to_units(weights, scale) / scale as f32
}

#[cfg(test)]
#[cfg(feature = "flex")]
mod tests {
    use super::*;
    use crate::models::cpu::SparseInputs;

    const ACTIVE_ROWS: usize = 12;
    const SPARSE_ROWS: usize = 26 * ACTIVE_ROWS;
    const SPARSE: SparseInputs = SparseInputs {
        rows: SPARSE_ROWS,
        active: ACTIVE_ROWS,
    };

    #[test]
    fn a_network_is_its_parameters() {
        for hidden in [&[16][..], &[16, 32], &[16, 32, 48]] {
            for buckets in [1, 3] {
                let shape = Shape::new(SPARSE, hidden).with_buckets(buckets);
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
    fn the_seed_determines_the_weights() {
        let shape = Shape::new(SPARSE, &[16, 32]);
        let weights = |seed| {
            NetworkModel::new(shape, &mut RandomStream::new(seed), &Device::flex()).weights()
        };
        assert_eq!(weights(1), weights(1));
        assert_ne!(weights(1).rows, weights(2).rows);
    }
}
