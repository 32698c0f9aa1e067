//! The integer network as it is trained: weights and activations are rounded in the forward pass as
//! in the engine.
//!
//! In steps of each tensor's unit (`engine::games::einstein::learned::integer_network` names them): `x = ⌊clip(b₁ + Σ_k
//! rows[row_k] + 8) / 16⌋`, `y = clip(b₂ + W₂ x)`, `logit = b₃ + w₃ · y`, where the weights are the
//! nearest whole numbers to those that are learned. Gradients pass through roundings as if there
//! were none (Bengio, Léonard and Courville 2013), so the loss is always that of the network that
//! is exported. Invariant: all sums but the last are of whole numbers below 2²⁴ and so exact.

use super::bag::bag;
use super::{parameter, uniform, values};
use burn::module::{Module, Param};
use burn::tensor::{Device, Int, Tensor, TensorData};
use engine::core::random::RandomStream;
use engine::games::einstein::learned::integer_network::inputs::SideGroups;
use engine::games::einstein::learned::integer_network::{
    FULL, FloatWeights, HIDDEN_SCALE, LOGIT_SCALE, OUTPUT_SCALE, ROW_SCALE,
};

/// Sums of the first layer a step of its activations.
const STEP: f32 = (ROW_SCALE / 127) as f32;

/// The trainable network; matrices are `[inputs, outputs]`.
#[derive(Module, Debug)]
pub struct IntegerModel {
    rows: Param<Tensor<2>>,
    first_bias: Param<Tensor<1>>,
    second: Param<Tensor<2>>,
    second_bias: Param<Tensor<1>>,
    output: Param<Tensor<2>>,
    output_bias: Param<Tensor<1>>,
}

/// The nearest whole numbers of units of 1 / `scale`; gradients pass.
fn nearest<const D: usize>(weights: Tensor<D>, scale: i32, limit: f32) -> Tensor<D> {
    let scaled = weights.clamp(-limit, limit) * scale as f32;
    let rounding = (scaled.clone().round() - scaled.clone()).detach();
    scaled + rounding
}

/// Whole numbers below; gradients pass.
fn down<const D: usize>(numbers: Tensor<D>) -> Tensor<D> {
    let rounding = (numbers.clone().floor() - numbers.clone()).detach();
    numbers + rounding
}

impl IntegerModel {
    /// A network with these inputs and two hidden layers; uniform weights within one over the root
    /// of a layer's active inputs.
    #[must_use]
    pub fn new(
        groups: SideGroups,
        hidden: [usize; 2],
        random: &mut RandomStream,
        device: &Device,
    ) -> Self {
        let [first, second] = hidden;
        let first_bound = 1.0 / ((2 * groups.active()) as f64).sqrt();
        let second_bound = 1.0 / (first as f64).sqrt();
        let output_bound = 1.0 / (second as f64).sqrt();
        Self {
            rows: parameter(
                1,
                [2 * groups.rows(), first],
                uniform(random, first_bound),
                device,
            ),
            first_bias: parameter(2, [first], uniform(random, first_bound), device),
            second: parameter(3, [first, second], uniform(random, second_bound), device),
            second_bias: parameter(4, [second], uniform(random, second_bound), device),
            output: parameter(5, [second, 1], uniform(random, output_bound), device),
            output_bias: parameter(6, [1], || 0.0, device),
        }
    }

    /// Logits `[batch, 1]` from the rows that are on, `[batch, active]`.
    #[must_use]
    pub fn forward(&self, rows: Tensor<2, Int>) -> Tensor<2> {
        let [row_limit, hidden_limit, output_limit] = FloatWeights::limits();
        let first_bias = nearest(self.first_bias.val(), ROW_SCALE, row_limit) + STEP / 2.0;
        let sums =
            bag(nearest(self.rows.val(), ROW_SCALE, row_limit), rows) + first_bias.unsqueeze();
        let first = down((sums / STEP).clamp(0.0, 127.0));
        let second_bias = nearest(self.second_bias.val(), FULL, bias_limit());
        let second = first.matmul(nearest(self.second.val(), HIDDEN_SCALE, hidden_limit))
            + second_bias.unsqueeze();
        let output = nearest(self.output.val(), OUTPUT_SCALE, output_limit);
        // The last sum does not fit 24 bits: it is on the scale of logits, and rounded.
        second.clamp(0.0, FULL as f32).matmul(output) / LOGIT_SCALE as f32
            + self.output_bias.val().unsqueeze()
    }

    /// Holds the first layer where no sum can overflow in the engine; to be done after every step.
    pub fn hold(&mut self, groups: SideGroups) {
        let mut first = FloatWeights {
            groups,
            rows: values(&self.rows),
            bias: values(&self.first_bias),
            ..FloatWeights::default()
        };
        if first.hold_first_layer() {
            let FloatWeights { rows, bias, .. } = first;
            replace(&mut self.rows, rows);
            replace(&mut self.first_bias, bias);
        }
    }

    /// The weights as the engine takes them, held within the limits as in the forward pass.
    #[must_use]
    pub fn weights(&self, groups: SideGroups) -> FloatWeights {
        let [row_limit, hidden_limit, output_limit] = FloatWeights::limits();
        let within = |weights: Vec<f32>, limit: f32| {
            weights
                .into_iter()
                .map(|weight| weight.clamp(-limit, limit))
                .collect()
        };
        FloatWeights {
            groups,
            rows: within(values(&self.rows), row_limit),
            bias: within(values(&self.first_bias), row_limit),
            hidden: within(values(&self.second), hidden_limit),
            hidden_bias: within(values(&self.second_bias), bias_limit()),
            output: within(values(&self.output), output_limit),
            output_bias: values(&self.output_bias)
                .first()
                .copied()
                .unwrap_or_default(),
        }
    }
}

/// Gives a parameter other values; it stays the same parameter, with gradients or without.
fn replace<const D: usize>(parameter: &mut Param<Tensor<D>>, values: Vec<f32>) {
    *parameter = parameter.clone().map(|tensor| {
        let replaced = Tensor::from_data(TensorData::new(values, tensor.dims()), &tensor.device());
        if tensor.is_require_grad() {
            replaced.require_grad()
        } else {
            replaced
        }
    });
}

/// Biases of the second layer in units of 1.0: far more than could matter, few enough to be exact.
fn bias_limit() -> f32 {
    500.0
}

#[cfg(test)]
#[cfg(feature = "flex")]
mod tests {
    use super::*;
    use engine::games::einstein::Standard;
    use engine::games::einstein::learned::integer_network::{IntegerNetwork, log_odds};

    #[test]
    fn the_forward_pass_is_that_of_the_engine() {
        for (groups, hidden) in [(SideGroups::ALL, [64, 32]), (SideGroups::NONE, [64, 16])] {
            let model =
                IntegerModel::new(groups, hidden, &mut RandomStream::new(5), &Device::flex());
            let network = IntegerNetwork::new(model.weights(groups).quantise().unwrap()).unwrap();
            let mut random = RandomStream::new(6);
            for index in 0..50 {
                let position = Standard::default().random_start(&mut random, index % 2);
                let mut rows = vec![0u16; 2 * groups.active()];
                groups.fill(&position, &mut rows);
                let rows: Vec<i32> = rows.into_iter().map(i32::from).collect();
                let length = rows.len();
                let logits = model.forward(Tensor::from_data(
                    TensorData::new(rows, [1, length]),
                    &Device::flex(),
                ));
                let logit = logits.into_data().try_to_vec::<f32>().unwrap()[0];
                assert!(
                    (logit - log_odds(network.logit(&position))).abs() < 2e-5,
                    "{logit}"
                );
            }
        }
    }

    #[test]
    fn gradients_pass_roundings_and_stop_at_limits() {
        let device = Device::flex().autodiff();
        let weights: Tensor<1> = Tensor::from_data([0.3, -0.2, 5.0], &device);
        let weights = weights.require_grad();
        let rounded = nearest(weights.clone(), 64, 127.0 / 64.0);
        assert_eq!(
            rounded.clone().into_data().try_to_vec::<f32>().unwrap(),
            [19.0, -13.0, 127.0]
        );
        let gradients = rounded.sum().backward();
        assert_eq!(
            weights
                .grad(&gradients)
                .unwrap()
                .into_data()
                .try_to_vec::<f32>()
                .unwrap(),
            [64.0, 64.0, 0.0]
        );
    }
}
