//! The small network: sparse rows and dense inputs → clipped relu → clipped relu → the logit of a win.
//!
//! `x = clip(bias₁ + Σ_k sparse[row_k] + dense · features)`, `y = clip(bias₂ + W₂ x)`, `logit = b₃ + w₃ · y`, where
//! clip is to `[0, 1]`, so that inference may work in integers.

use super::bag::bag;
use super::fused::Shape;
use super::{parameter, uniform, values};
use burn::module::{Module, Param};
use burn::tensor::{Device, Int, Tensor};
use engine::eval::features::{ACTIVE, FeatureGroups, SPARSE_ROWS};
use engine::eval::network::{Layer, NetworkWeights};
use engine::random::RandomStream;

/// The trainable network; matrices are `[inputs, outputs]`.
#[derive(Module, Debug)]
pub struct NetworkModel {
    sparse: Param<Tensor<2>>,
    dense: Option<Param<Tensor<2>>>,
    first_bias: Param<Tensor<1>>,
    second: Param<Tensor<2>>,
    second_bias: Param<Tensor<1>>,
    output: Param<Tensor<2>>,
    output_bias: Param<Tensor<1>>,
}

impl NetworkModel {
    /// A network with `dense` dense inputs and two hidden layers; uniform weights within one over the root of a
    /// layer's active inputs.
    #[must_use]
    pub fn new(dense: usize, hidden: [usize; 2], random: &mut RandomStream, device: &Device) -> Self {
        let [first, second] = hidden;
        let first_bound = 1.0 / ((ACTIVE + dense) as f64).sqrt();
        let second_bound = 1.0 / (first as f64).sqrt();
        let output_bound = 1.0 / (second as f64).sqrt();
        Self {
            sparse: parameter(1, [SPARSE_ROWS, first], uniform(random, first_bound), device),
            dense: (dense > 0).then(|| parameter(2, [dense, first], uniform(random, first_bound), device)),
            first_bias: parameter(3, [first], uniform(random, first_bound), device),
            second: parameter(4, [first, second], uniform(random, second_bound), device),
            second_bias: parameter(5, [second], uniform(random, second_bound), device),
            output: parameter(6, [second, 1], uniform(random, output_bound), device),
            output_bias: parameter(7, [1], || 0.0, device),
        }
    }

    /// A network of the numbers that [`Self::parameters`] gives.
    ///
    /// # Panics
    /// If they are not as many as these widths need.
    #[must_use]
    pub fn from_parameters(shape: Shape, parameters: &[f32], device: &Device) -> Self {
        assert_eq!(parameters.len(), shape.parameters(), "one number for each weight");
        let Shape { dense, hidden: [first, second] } = shape;
        // Each tensor takes what it needs from the front.
        let mut numbers = parameters.iter().copied();
        let mut next = || numbers.next().unwrap_or_default();
        Self {
            sparse: parameter(1, [SPARSE_ROWS, first], &mut next, device),
            dense: (dense > 0).then(|| parameter(2, [dense, first], &mut next, device)),
            first_bias: parameter(3, [first], &mut next, device),
            second: parameter(4, [first, second], &mut next, device),
            second_bias: parameter(5, [second], &mut next, device),
            output: parameter(6, [second, 1], &mut next, device),
            output_bias: parameter(7, [1], &mut next, device),
        }
    }

    /// All weights, tensor by tensor in the order of the fields.
    #[must_use]
    pub fn parameters(&self) -> Vec<f32> {
        let dense = self.dense.as_ref().map(values).unwrap_or_default();
        let (first, second) = ([values(&self.first_bias), values(&self.second)], [values(&self.second_bias), values(&self.output)]);
        [vec![values(&self.sparse), dense], first.into(), second.into(), vec![values(&self.output_bias)]].concat().concat()
    }

    /// The gradients of all weights, in the order of [`Self::parameters`].
    #[cfg(test)]
    #[cfg(feature = "flex")]
    pub(super) fn gradients(&self, gradients: &burn::tensor::Gradients) -> Vec<f32> {
        fn of<const D: usize>(parameter: &Param<Tensor<D>>, gradients: &burn::tensor::Gradients) -> Vec<f32> {
            parameter.val().grad(gradients).map(|gradient| gradient.into_data().iter::<f32>().collect()).unwrap_or_default()
        }
        let mut all = of(&self.sparse, gradients);
        all.extend(self.dense.iter().flat_map(|dense| of(dense, gradients)));
        all.extend(of(&self.first_bias, gradients));
        all.extend(of(&self.second, gradients));
        all.extend(of(&self.second_bias, gradients));
        all.extend(of(&self.output, gradients));
        all.extend(of(&self.output_bias, gradients));
        all
    }

    /// Logits `[batch, 1]` from sparse rows `[batch, 12]` and dense inputs `[batch, dense]`, which must be there if
    /// the network has any.
    #[must_use]
    pub fn forward(&self, rows: Tensor<2, Int>, features: Option<Tensor<2>>) -> Tensor<2> {
        let mut first = bag(self.sparse.val(), rows) + self.first_bias.val().unsqueeze();
        if let (Some(dense), Some(features)) = (&self.dense, features) {
            first = first + features.matmul(dense.val());
        }
        let second = first.clamp(0.0, 1.0).matmul(self.second.val()) + self.second_bias.val().unsqueeze();
        second.clamp(0.0, 1.0).matmul(self.output.val()) + self.output_bias.val().unsqueeze()
    }

    /// The weights as the engine takes them; `groups` are those of the dense inputs.
    #[must_use]
    pub fn weights(&self, groups: FeatureGroups) -> NetworkWeights {
        NetworkWeights {
            groups,
            sparse: values(&self.sparse),
            dense: self.dense.as_ref().map(values).unwrap_or_default(),
            bias: values(&self.first_bias),
            hidden: vec![Layer { weights: values(&self.second), bias: values(&self.second_bias) }],
            output: values(&self.output),
            output_bias: values(&self.output_bias).first().copied().unwrap_or_default(),
        }
    }
}

#[cfg(test)]
#[cfg(feature = "flex")]
mod tests {
    use super::*;
    use burn::tensor::TensorData;

    #[test]
    fn the_forward_pass_is_the_formula() {
        let (dense, hidden, batch) = (3, [8, 16], 4);
        let model = NetworkModel::new(dense, hidden, &mut RandomStream::new(5), &Device::flex());
        let mut random = RandomStream::new(6);
        let rows: Vec<i32> = (0..batch * ACTIVE).map(|_| random.below(SPARSE_ROWS) as i32).collect();
        let features: Vec<f32> = (0..batch * dense).map(|_| random.unit() as f32).collect();
        let logits = model.forward(
            Tensor::from_data(TensorData::new(rows.clone(), [batch, ACTIVE]), &Device::flex()),
            Some(Tensor::from_data(TensorData::new(features.clone(), [batch, dense]), &Device::flex())),
        );
        let logits = logits.into_data().try_to_vec::<f32>().unwrap();
        let weights = model.weights(FeatureGroups::NONE);
        let second = &weights.hidden[0];
        for sample in 0..batch {
            let mut first = weights.bias.clone();
            for (unit, sum) in first.iter_mut().enumerate() {
                for row in &rows[sample * ACTIVE..][..ACTIVE] {
                    *sum += weights.sparse[*row as usize * hidden[0] + unit];
                }
                for input in 0..dense {
                    *sum += features[sample * dense + input] * weights.dense[input * hidden[0] + unit];
                }
                *sum = sum.clamp(0.0, 1.0);
            }
            let mut logit = weights.output_bias;
            for unit in 0..hidden[1] {
                let sum: f32 = (0..hidden[0]).map(|input| first[input] * second.weights[input * hidden[1] + unit]).sum();
                logit += (sum + second.bias[unit]).clamp(0.0, 1.0) * weights.output[unit];
            }
            assert!((logit - logits[sample]).abs() < 1e-5, "{logit} {}", logits[sample]);
        }
    }

    #[test]
    fn a_network_is_its_parameters() {
        for dense in [0, 3] {
            let shape = Shape { dense, hidden: [16, 32] };
            let model = NetworkModel::new(dense, shape.hidden, &mut RandomStream::new(5), &Device::flex());
            let again = NetworkModel::from_parameters(shape, &model.parameters(), &Device::flex());
            assert_eq!(again.weights(FeatureGroups::NONE), model.weights(FeatureGroups::NONE));
            assert_eq!(again.into_record().into_bytes().unwrap().to_vec(), model.into_record().into_bytes().unwrap().to_vec());
        }
    }

    #[test]
    fn the_seed_decides_the_weights() {
        let weights = |seed| NetworkModel::new(0, [8, 8], &mut RandomStream::new(seed), &Device::flex()).weights(FeatureGroups::NONE);
        assert_eq!(weights(1), weights(1));
        assert_ne!(weights(1).sparse, weights(2).sparse);
        assert!(weights(1).dense.is_empty());
    }
}
