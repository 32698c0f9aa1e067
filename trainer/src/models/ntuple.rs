//! The n-tuple network in burn, which stores it in checkpoints and is the reference in tests.
//! [`super::tuple_optimizer`] trains it, since a dense gradient would have the size of the table.

use super::{embedding_bag, parameter, values};
use burn::{
    module::{Module, Param},
    tensor::{Device, Int, Tensor},
};

#[derive(Module, Debug)]
pub(crate) struct NTupleModel {
    table: Param<Tensor<2>>,
    bias: Param<Tensor<1>>,
}

/// Optimizer state: a row for each weight, then one for the bias.
#[derive(Module, Debug)]
pub(crate) struct Accumulators {
    values: Param<Tensor<2>>,
}

impl NTupleModel {
    pub(crate) fn new(weights: &[f32], bias: f32, device: &Device) -> Self {
        let mut weights_in_order = weights.iter().copied();
        let next = || weights_in_order.next().unwrap_or_default();
        Self {
            table: parameter(1, [weights.len(), 1], next, device),
            bias: parameter(2, [1], || bias, device),
        }
    }

    /// Logits `[batch, 1]`, given the table row of each tuple, `[batch, tuples]`.
    pub(crate) fn forward(&self, rows: Tensor<2, Int>) -> Tensor<2> {
        embedding_bag(self.table.val(), rows) + self.bias.val().unsqueeze()
    }

    pub(crate) fn weights(&self) -> Vec<f32> {
        values(&self.table)
    }

    pub(crate) fn bias(&self) -> f32 {
        values(&self.bias).first().copied().unwrap_or_default()
    }
}

impl Accumulators {
    /// Creates rows of `width` numbers; for width 0 one unused number, as burn has no empty
    /// tensors.
    pub(crate) fn new(numbers: Vec<f32>, width: usize, device: &Device) -> Self {
        let shape = match width {
            0 => [1, 1],
            width => [numbers.len() / width, width],
        };
        let mut numbers = numbers.into_iter();
        let next = || numbers.next().unwrap_or_default();
        Self {
            values: parameter(1, shape, next, device),
        }
    }

    pub(crate) fn values(&self) -> Vec<f32> {
        values(&self.values)
    }
}

#[cfg(test)]
#[cfg(feature = "flex")]
mod tests {
    use super::*;

    #[test]
    fn a_logit_is_the_sum_of_rows_and_bias() {
        let device = Device::flex();
        let model = NTupleModel::new(&[1.0, 20.0, 300.0, 4000.0], 0.5, &device);
        let rows: Tensor<2, Int> = Tensor::from_data([[0, 2, 3], [1, 1, 2]], &device);
        assert_eq!(
            model.forward(rows).into_data().try_to_vec::<f32>().unwrap(),
            [4301.5, 340.5]
        );
        assert_eq!(
            (model.weights(), model.bias()),
            (vec![1.0, 20.0, 300.0, 4000.0], 0.5)
        );
    }
}
