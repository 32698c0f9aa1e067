//! The neural network in burn, the reference of the CPU implementation. Weights and activations are
//! quantized as in the engine ([`alea_learned::network`]); each output bucket has its own layers
//! after the first.

use super::{
    burn_operations::{embedding_bag, parameter, values},
    cpu::{
        Shape,
        fake_quantization::{
            HIDDEN1_ROUNDING_OFFSET, MIDDLE_ROUNDING_OFFSET, SUM_UNITS_PER_ACTIVATION_STEP,
        },
    },
};
use alea_learned::network::{ACTIVATION_MAX, HIDDEN_SCALE, OUTPUT_SCALE, ROW_SCALE};
use burn::{
    module::{Module, Param},
    tensor::{Device, Int, Tensor},
};

/// Parameters; matrices are `[inputs, outputs]`, after the first layer stacked by bucket.
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
    outputs: usize,
}

impl NetworkModel {
    /// Creates a model; `weights` are in the order of [`Shape::initial_weights`].
    pub(crate) fn from_weights(shape: Shape, weights: &[f32], device: &Device) -> Self {
        let (hidden, buckets) = (shape.hidden(), shape.buckets());
        let tensors = shape.split(weights, None);
        let matrix = |id, values: &[f32], outputs| {
            parameter(id, values, [values.len() / outputs, outputs], device)
        };
        let bias = |id, values: &[f32]| parameter(id, values, [values.len()], device);
        let layer = |number: usize, id| {
            let (outputs, layer) = (*hidden.get(number)?, &tensors.hidden[number - 1]);
            Some((matrix(id, layer.weights, outputs), bias(id + 1, layer.bias)))
        };
        let (second, second_bias) = layer(1, 3).unzip();
        let (third, third_bias) = layer(2, 5).unzip();
        Self {
            sparse: matrix(1, tensors.sparse, hidden[0]),
            first_bias: bias(2, tensors.first_bias),
            second,
            second_bias,
            third,
            third_bias,
            output: matrix(7, tensors.output, 1),
            output_bias: bias(8, tensors.output_bias),
            buckets,
            outputs: shape.outputs(),
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

    /// Weights in the order of [`Shape::initial_weights`].
    pub(crate) fn weights(&self) -> Vec<f32> {
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

    /// Logits `[batch, outputs]` for rows `[batch, active]` and one-hot buckets `[batch,
    /// buckets]`.
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
        let weights = match (self.outputs, weights.dims()[0]) {
            (1, _) => weights,
            (outputs, length) => weights.reshape([outputs, length / outputs]).transpose(),
        };
        let bias = self.bucket_slice(self.output_bias.val(), bucket);
        self.last_layer(bucket, first).matmul(weights) + bias.unsqueeze()
    }

    fn bucket_slice<const D: usize>(&self, tensor: Tensor<D>, bucket: usize) -> Tensor<D> {
        let length = tensor.dims()[0] / self.buckets;
        tensor.narrow(0, bucket * length, length)
    }

    fn first_layer(&self, rows: Tensor<2, Int>) -> Tensor<2> {
        let bias = round_to_units(self.first_bias.val(), ROW_SCALE) + HIDDEN1_ROUNDING_OFFSET;
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
}

type Linear<'a> = (&'a Param<Tensor<2>>, &'a Param<Tensor<1>>);

fn layer_params<'a>(
    weights: &'a Option<Param<Tensor<2>>>,
    bias: &'a Option<Param<Tensor<1>>>,
) -> Option<Linear<'a>> {
    weights.as_ref().zip(bias.as_ref())
}

fn floor_activations(steps: Tensor<2>) -> Tensor<2> {
    let steps = steps.clamp(0.0, 127.0);
    straight_through(steps.clone(), steps.floor()) / 127.0
}

/// Values of `numbers` with the gradient of `others` (straight-through estimator).
fn straight_through<const D: usize>(others: Tensor<D>, numbers: Tensor<D>) -> Tensor<D> {
    others.clone() + (numbers - others).detach()
}

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
    use alea_core::random::RandomStream;

    #[test]
    fn a_network_has_the_weights_that_it_is_made_of() {
        let sparse = SparseInputs {
            rows: 312,
            active: 12,
        };
        for hidden in [&[16][..], &[16, 32], &[16, 32, 48]] {
            for buckets in [1, 3] {
                let shape = Shape::new(sparse, hidden).with_buckets(buckets);
                let weights = shape.initial_weights(&mut RandomStream::new(5));
                let model = NetworkModel::from_weights(shape, &weights, &Device::flex());
                assert_eq!(model.weights(), weights);
            }
        }
    }
}
