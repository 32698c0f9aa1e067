//! Loss, checkpoint records and parameters of the networks in burn.

use crate::Error;
use alea_core::random::RandomStream;
use burn::{
    module::{Module, Param, ParamId},
    store::{ModuleRecord, RecordError},
    tensor::{Bytes, Device, Int, Tensor, TensorData, activation::log_sigmoid},
};

/// Mean of the cross-entropies, each times its sample's loss weight, in nats. All tensors are
/// `[batch, 1]`.
pub(crate) fn cross_entropy(logits: Tensor<2>, [targets, weights]: [Tensor<2>; 2]) -> Tensor<1> {
    (((targets.neg() + 1.0) * logits.clone() - log_sigmoid(logits)) * weights).mean()
}

/// Sums, for each sample, the rows of `weights` (`[rows, width]`) that its `indices` (`[batch, k]`)
/// name.
pub(super) fn embedding_bag(weights: Tensor<2>, indices: Tensor<2, Int>) -> Tensor<2> {
    let [batch, per_sample] = indices.dims();
    let [_, width] = weights.dims();
    weights
        .select(0, indices.reshape([batch * per_sample]))
        .reshape([batch, per_sample, width])
        .sum_dim(1)
        .reshape([batch, width])
}

pub(crate) fn record_error(error: RecordError) -> Error {
    Error::new(format!(
        "the checkpoint does not fit the model: {error}; remove it to train from the start"
    ))
}

pub(crate) fn record(module: impl Module) -> Result<Vec<u8>, Error> {
    Ok(module
        .into_record()
        .into_bytes()
        .map_err(record_error)?
        .to_vec())
}

pub(crate) fn load_record<M: Module>(module: M, record: Vec<u8>) -> Result<M, Error> {
    ModuleRecord::from_bytes(Bytes::from_bytes_vec(record))
        .and_then(|record| module.try_load_record(record))
        .map_err(record_error)
}

pub(crate) fn tensor_values<const D: usize>(tensor: Tensor<D>) -> Result<Vec<f32>, Error> {
    let data = tensor
        .try_into_data()
        .map_err(Error::with_prefix("the training device failed"))?;
    Ok(data.iter::<f32>().collect())
}

/// Creates a parameter with a fixed id, as a random one would make the records of equal models
/// differ.
pub(super) fn parameter<const D: usize>(
    id: u64,
    shape: [usize; D],
    values: impl FnMut() -> f32,
    device: &Device,
) -> Param<Tensor<D>> {
    let values: Vec<f32> = std::iter::repeat_with(values)
        .take(shape.iter().product())
        .collect();
    let mut parameter =
        Param::from_tensor(Tensor::from_data(TensorData::new(values, shape), device));
    parameter.id = ParamId::from(id);
    parameter
}

pub(super) fn uniform(random: &mut RandomStream, bound: f64) -> impl FnMut() -> f32 {
    move || ((2.0 * random.unit() - 1.0) * bound) as f32
}

pub(super) fn values<const D: usize>(parameter: &Param<Tensor<D>>) -> Vec<f32> {
    parameter.val().into_data().iter::<f32>().collect()
}

#[cfg(test)]
#[cfg(feature = "flex")]
mod tests {
    use super::*;

    #[test]
    fn a_bag_is_the_sum_of_its_rows() {
        let device = Device::flex();
        let weights: Tensor<2> =
            Tensor::from_data([[1.0, 2.0], [10.0, 20.0], [100.0, 200.0]], &device);
        let indices: Tensor<2, Int> = Tensor::from_data([[0, 2], [1, 1]], &device);
        let sums = tensor_values(embedding_bag(weights, indices)).unwrap();
        assert_eq!(sums, [101.0, 202.0, 20.0, 40.0]);
    }

    #[test]
    fn cross_entropy_is_that_of_the_logistic() {
        let device = Device::flex();
        let logits: Tensor<2> = Tensor::from_data([[0.0], [2.0], [-50.0]], &device);
        let targets: Tensor<2> = Tensor::from_data([[0.3], [0.9], [1.0]], &device);
        let weights: Tensor<2> = Tensor::from_data([[1.0], [0.5], [0.1]], &device);
        let p = 1.0 / (1.0 + (-2.0f64).exp());
        let expected = (2.0f64.ln() - 0.5 * (0.9 * p.ln() + 0.1 * (1.0 - p).ln()) + 5.0) / 3.0;
        let found: f32 = cross_entropy(logits, [targets, weights]).into_scalar();
        assert!(
            (f64::from(found) - expected).abs() < 1e-5,
            "{found} {expected}"
        );
    }
}
